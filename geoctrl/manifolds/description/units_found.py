"""Units of a system on a manifold: of inputs and parameters, found from those that are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geoctrl._scalars import STATE, FromSympy, Node
from geoctrl.errors import UnitsError
from geoctrl.manifolds.energies.summed_terms import Sum
from geoctrl.manifolds.factors import Place
from geoctrl.systems.units.homogeneity import Homogeneity
from geoctrl.systems.units.measures import Measures, given_units, require_families
from geoctrl.systems.units.si_units import JOULE, METRE, ONE, SECOND, Unit

__all__ = ["measures_of"]


def measures_of(given: Any, labels: Sequence[str], conjugate: bool = False) -> Measures:
    """Units of a system: places in m, directions and attitudes in none, their velocities per second.

    Of a description in which no parameter has a unit nothing else is required than that forces times
    velocities are powers, where its numbers allow it.

    Parameters
    ----------
    given : geoctrl.manifolds.description.description.Description
    labels : labels of the states of a form
    conjugate : bool
        Whether the second part of the states is momenta rather than velocities.
    """
    parameters = given_units(given.parameters)
    lengths = [METRE if isinstance(f, Place) else ONE for f in given.product.factors]
    rows = [u for f, u in zip(given.product.factors, lengths, strict=True) for _ in range(3 * f.rows)]
    rates = [u / SECOND for u in lengths for _ in range(3)]
    known = dict(zip(given.configuration_nodes, rows, strict=True))
    known |= dict(zip(given.velocity_nodes, rates, strict=True))
    known |= {given.parameter_nodes[k]: unit.dimension for k, unit in parameters.items()}
    h = Homogeneity(given.graph, known | {given.time_node: SECOND})
    nodes = dict(zip(map(str, given.driven), given.driven_nodes, strict=True)) | given.parameter_nodes
    if parameters:
        _require(given, h, rows, rates)
        _powers(given, h, rates)
        table = {p.symbol: given.parameter_nodes[p.name] for p in given.parameters}
        units = dict(zip(given.state_labels, [*rows, *rates], strict=True))
        units |= {k: h.unit_of(node) for k, node in nodes.items()}
        nodes |= require_families(h, given.families, table, units)
    else:
        try:
            _powers(given, h, rates)
        except UnitsError:  # numbers that have units stand between inputs and forces
            h = Homogeneity(given.graph, known)
    momenta = [JOULE / (u / SECOND) if conjugate else u / SECOND for u in lengths]
    part = [u for u in momenta for _ in range(3)]
    declared = dict(zip(labels, [*rows, *part], strict=True))
    turning = [] if conjugate else labels[len(rows) :]
    of = {f"the parameter {k!r}": unit for k, unit in parameters.items()}
    return Measures(h, nodes, of, declared, turning)


def _require(given: Any, h: Homogeneity, rows: list[Unit], rates: list[Unit]) -> None:
    """Kinetic energy, potential and the rest are made of sums of equal units."""
    energy = ("an energy", JOULE)
    for b, inertia in enumerate(given.kinetic.own):
        for e in inertia:
            node, where = given.to_node(e), f"the inertia of body {b + 1}"
            unit = h.unit_of(node, where)
            if unit is not None:
                told = f"{h.text(node)} times two velocities"
                h.require("the kinetic energy", [energy, (told, unit * rates[3 * b] ** 2)])
    for node, unit in zip(given.rate_nodes, rows, strict=True):
        h.equate(h.unit_of(node), unit / SECOND)
    rest = given.rest_node
    h.require("the kinetic energy", [energy, (rest, h.unit_of(rest, "the kinetic energy"))])
    for node, rate in zip(given.covector_nodes, rates, strict=False):
        unit = h.unit_of(node, "the linear terms")
        if unit is not None:
            told = f"{h.text(node)} times a velocity"
            h.require("the Lagrangian, of which the linear terms are a part", [energy, (told, unit * rate)])
    for k, term in enumerate(given.potential_terms):
        node = _small(given, h, term, k)
        h.require("the potential", [energy, (node, h.unit_of(node, "the potential"))])
    for name, told, unit in (
        ("frame_rate", "a rate", ONE / SECOND),
        ("frame_velocity", "a velocity", METRE / SECOND),
    ):
        for e in getattr(given, name) or ():
            node = given.to_node(e)
            h.require(name, [(told, unit), (node, h.unit_of(node, name))])
    for name, e in given.invariants_given.items():
        h.unit_of(given.to_node(e), f"the invariant {name!r}")


def _small(given: Any, h: Homogeneity, term: Sum, k: int) -> Node:
    """Node of the expression of a sum, its symbols of the units of what they stand for."""
    small, graph = term.small, given.graph
    table: dict[Any, Node] = {p.symbol: given.parameter_nodes[p.name] for p in given.parameters}
    if term.domain.kind is None:
        table |= dict(zip(given.states[: given.split], given.configuration_nodes, strict=True))
    else:
        own = {s: graph.symbol(f"{s} of term {k + 1}", STATE) for s in (*small.symbols, *small.data)}
        for s in small.symbols:
            h.equate(h.unit_of(own[s]), METRE if issubclass(term.domain.kind, Place) else ONE)
        table |= own
    return FromSympy(graph, table)(small.expr)


def _powers(given: Any, h: Homogeneity, rates: list[Unit]) -> None:
    """Forces times velocities are powers."""
    if not given.has_forces or callable(given.forces_given):
        return
    for node, rate, label in zip(given.force_nodes, rates, given.state_labels[given.split :], strict=True):
        where = f"the force along {label}"
        h.require(where, [(f"a power over {label}", JOULE / SECOND / rate), (node, h.unit_of(node, where))])
