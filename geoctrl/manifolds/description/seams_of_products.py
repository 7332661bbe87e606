"""Whether energy and momenta jump where branches of Abs, sign and Piecewise meet on a product of manifolds.

A switch is approached by random steps that shorten as they come near; a step that crosses it is halved until
its ends are neighbours. Values beside each other that stay apart are a jump; roots and kinks are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl.manifolds.energies.summed_terms import NearPairs, Sum
from geoctrl.manifolds.factors import Factor
from geoctrl.manifolds.product.product import Product

__all__ = ["jumps"]

_INSTANCES, _STARTS, _STEPS = 3, 4, 60
"""Instances of a sum that are looked at, configurations to start from, and steps from each to a switch."""
_HALVINGS, _LAST = 45, 15
"""Times that a crossing step is halved, and how many of these have to show the same jump."""
_NEARER = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Parts of a cutoff at which energies of a pair are looked at, it first."""
_JUMP, _SAME = 1e-9, 1e-2
"""Jump relative to the values, and by how much it may vary while steps are halved."""

Values = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Switches and quantities (q,) at a configuration (N, 3)."""


def jumps(system: Any, params: Mapping[str, float]) -> tuple[bool, bool]:
    """Whether the energy, and whether the momenta, are seen to jump: by the potential or the inertia, and by
    the inertia or linear terms.
    """
    given, product = system.description, system.product
    w = product.generic(0)[1]
    symbols = [*given.configuration_nodes, *given.rate_nodes]

    def of_nodes(nodes: list[Node]) -> bool:
        switching = _switching(given, nodes, symbols, given.configuration_nodes)
        if switching is None:
            return False
        program, count = switching

        def values_at(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            found = np.asarray(program([*z.ravel(), *product.rates(z, w).ravel()], params))
            return found[:count], found[count:]

        return any(map(np.any, _jumps(product, values_at)))

    inertia = given.inertia_varies and of_nodes([given.rest_node])
    terms = (values for term in given.potential_terms for values in _of_term(system, term, params))
    energy = inertia or any(np.any(seen) for each in terms for seen in _jumps(*each))
    energy = energy or any(_cut(system, term, params) for term in given.potential_terms)
    return energy, inertia or of_nodes(list(given.covector_nodes))


def _switching(
    given: Any, nodes: list[Node], symbols: list[Node], moving: list[Node]
) -> tuple[Program, int] | None:
    """A program of the switches that hang on the configuration, then of the nodes; None without such."""
    graph = given.graph
    switches = [s for s in graph.switches(nodes) if set(graph.symbols([s])) & set(moving)]
    if not switches:
        return None
    return Program(graph, symbols, given.parameter_nodes, [*switches, *nodes]), len(switches)


def _of_term(system: Any, term: Sum, params: Mapping[str, float]) -> Iterator[tuple[Product, Values]]:
    """Some instances of a term: their bodies by themselves, and the values there."""
    given, product = system.description, system.product
    symbols, data, energy = term.small.nodes(given)
    switching = _switching(given, [energy], [*symbols, *data], symbols)
    if switching is None:
        return
    program, count = switching
    first, bodies = term.domain.instances(), dict(zip(product.first, product.factors, strict=True))
    every = np.unique(np.linspace(0, first.shape[1] - 1, _INSTANCES).astype(int) if first.size else first[0])
    for k in every:
        rows = (first[:, k, None] + np.arange(term.domain.rows)).ravel()
        own = [] if term.domain.c is None else list(term.domain.c[k])

        def values_at(z: np.ndarray, own=own) -> tuple[np.ndarray, np.ndarray]:
            found = np.asarray(program([*z.ravel(), *own], params))
            return found[:count], found[count:]

        yield Product([bodies[row] for row in rows if row in bodies]), values_at


def _cut(system: Any, term: Sum, params: Mapping[str, float]) -> bool:
    """Whether the energy of a pair is seen not to vanish where a cutoff drops it.

    Beside its energies down to half that distance: nearer it may have a pole.
    """
    given, domain = system.description, term.domain
    if not isinstance(domain, NearPairs):
        return False
    symbols, data, energy = term.small.nodes(given)
    program = Program(given.graph, [*symbols, *data], given.parameter_nodes, [energy])
    factor = dict(zip(system.product.first, system.product.factors, strict=True))[domain.first[0]]
    rng = np.random.default_rng(29)
    for _ in range(_STARTS):
        here, there = factor.generic(rng, 2)[0]
        if not factor.kind:  # places are as far apart as they like, directions and attitudes are not
            here, there = 2 * domain.cutoff * np.array([here, there]) / np.linalg.norm(there - here)
        if np.linalg.norm(there - here) > domain.cutoff:
            bodies = [_nearer(factor, here, there, part * domain.cutoff) for part in _NEARER]
            values = [np.abs(program([*here.ravel(), *z.ravel()], params)[0]) for z in bodies]
            if values[0] > _JUMP * np.max(values):
                return True
    return False


def _nearer(factor: Factor, here: np.ndarray, there: np.ndarray, distance: float) -> np.ndarray:
    """A body on the way from ``there`` to another, at a distance from it."""
    low, high, still = 0.0, 1.0, np.zeros((1, 3))
    for _ in range(_HALVINGS):
        part = (low + high) / 2
        found = factor.project((there + part * (here - there))[None], still)[0][0]
        low, high = (part, high) if np.linalg.norm(found - here) > distance else (low, part)
    return found


def _jumps(product: Product, values: Values) -> Iterator[np.ndarray]:
    """Which quantities jump, at each crossing that is found."""
    rng = np.random.default_rng(23)
    with np.errstate(all="ignore"):
        for seed in range(_STARTS):
            z = product.generic(seed)[0]
            for place in range(values(z)[0].size):
                crossing = _crossing(product, values, z, place, rng)
                if crossing is not None:
                    yield _jumping(product, values, *crossing, place)


def _crossing(
    product: Product,
    values: Values,
    z: np.ndarray,
    place: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray] | None:
    """A configuration and a step across a switch."""
    here = values(z)[0][place]
    for _ in range(_STEPS):
        step = 10.0 ** rng.uniform(-3, 0.5) * rng.normal(size=product.freedom)
        other = product.retract(z, step)
        there = values(other)[0][place]
        if here * there < 0:
            return z, step
        if abs(there) < abs(here):
            z, here = other, there
    return None


def _jumping(product: Product, values: Values, z: np.ndarray, step: np.ndarray, place: int) -> np.ndarray:
    """Which quantities stay apart while a step across a switch is halved."""
    low, high = 0.0, 1.0
    (before, below), (_, above) = values(z), values(product.retract(z, step))
    apart, sizes = [], []
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        switch, found = values(product.retract(z, middle * step))
        if switch[place] * before[place] > 0:
            low, below = middle, found
        else:
            high, above = middle, found
        apart.append(above - below)
        sizes.append(np.maximum(np.abs(above), np.abs(below)))
    last = np.array(apart[-_LAST:])
    size, least = np.max(sizes, axis=0), np.min(np.abs(last), axis=0)
    steady = np.ptp(last, axis=0) <= _SAME * least
    return steady & (least > _JUMP * size)
