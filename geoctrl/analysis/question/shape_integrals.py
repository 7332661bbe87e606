r"""Integrals linear in velocities, over a one-dimensional shape.

Some systems move their geometric states with a single velocity, :math:`\dot\gamma = w\,g(\gamma)`, on a leaf
of dimension one (or have one coordinate, of which w is the rate), and other velocities follow linearly,
:math:`\dot u = w\,B(\gamma)\,u`, whatever the rest of the states does. Along the curve, with one
coordinate s of it as parameter, :math:`du/ds = N(s)\,u` with :math:`N = B/g_s`: a linear equation.
Each solution of the adjoint equation :math:`da/ds = -N^T a` gives an integral :math:`a(s)\cdot u`. It is
rarely known in closed form, but its derivatives at a point are: from a, :math:`a' = -N^T a` and
:math:`a'' = (-N'^T + N^T N^T) a` follow value, gradient and Hessian in the arithmetic at hand. That is all
the energy-Casimir test needs.

Gradients and Hessians of the integrals over a shape, in floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from geoctrl._scalars import Graph, Node, evaluate
from geoctrl._scalars.algebra.ideal import LeafIdeal
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl.errors import DivisionError

__all__ = ["shape_jets"]


def shape_jets(system: Any, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> list[ShapeJet]:
    """Jets at a state of what the structure of the equations makes conserved; none without one.

    Away from equilibria the gradients alone are those of conserved functions.
    """
    shape = shape_of(system)
    if shape is None:
        return []
    arguments = system.arguments_at(0.0, x, u)

    def values(nodes: Sequence[Node]) -> np.ndarray:
        return system.program(nodes)(arguments, dict(params))

    return shape.jets(values, np.asarray(x).tolist(), 0.0)


_FAILS = 1e-3
"""Far above rounding where all symbols are near one."""

__all__ = ["ShapeIntegrals", "ShapeJet", "find_shape_integrals", "shape_of"]


@dataclass(frozen=True)
class ShapeJet:
    """First and second derivatives of a conserved quantity at a point, in the states."""

    name: str
    gradient: list
    hessian: Callable[[], list[list]]


@dataclass(frozen=True)
class ShapeIntegrals:
    """The structure that makes linear integrals exist: ``gammadot = w g(gamma)``, ``udot = w B(gamma) u``.

    Attributes
    ----------
    names : tuple of str
        One for each velocity u, whose integral starts as that velocity.
    symbols : tuple of Node
        Symbols of all states.
    velocity : int
        Place of w among the states.
    velocities : tuple of int
        Places of u.
    g : dict of place -> node
        Slopes of the geometric states.
    B : rows of nodes
    """

    names: tuple[str, ...]
    symbols: tuple[Node, ...]
    velocity: int
    velocities: tuple[int, ...]
    g: dict[int, Node]
    B: list[list[Node]]

    def jets(
        self,
        values: Callable[[Sequence[Node]], Iterable[Any]],
        point: Sequence[Any],
        zero: Any,
        size: Callable[[Any], Any] = abs,
    ) -> list[ShapeJet]:
        """Derivatives of all integrals at a point; none where the geometric states cannot move.

        Parameters
        ----------
        values : evaluates nodes at the point
        point : state
        zero : the zero of the arithmetic
        size : tells which slope to divide by; zero where it must not be
        """
        slopes = dict(zip(self.g, values(list(self.g.values())), strict=True))
        s = max(slopes, key=lambda i: size(slopes[i]))
        if not size(slopes[s]):
            return []
        k, n = len(self.velocities), len(point)
        numbers = list(values(self._quotients(s)))
        N = [numbers[i * k : (i + 1) * k] for i in range(k)]
        dN = [numbers[(k + i) * k : (k + i + 1) * k] for i in range(k)]
        u = [point[i] for i in self.velocities]
        jets = []
        for j, name in enumerate(self.names):
            # a = e_j: a'_i = -N_ji, a''_i = -N'_ji + (N N)_ji.
            first = [-N[j][i] for i in range(k)]
            second = [sum((N[j][m] * N[m][i] for m in range(k)), zero) - dN[j][i] for i in range(k)]
            gradient = [zero] * n
            gradient[self.velocities[j]] = zero + 1
            gradient[s] = sum((a * v for a, v in zip(first, u, strict=True)), zero)
            hessian = [[zero] * n for _ in range(n)]
            for i, place in enumerate(self.velocities):
                hessian[place][s] = hessian[s][place] = first[i]
            hessian[s][s] = sum((a * v for a, v in zip(second, u, strict=True)), zero)
            jets.append(ShapeJet(name, gradient, partial(_constant, hessian)))
        return jets

    def _quotients(self, s: int) -> list[Node]:
        """Entries of N, and of its derivative, where the state s is the parameter of the curve."""
        if s not in self._known_quotients:
            flat = [b / self.g[s] for row in self.B for b in row]
            along = {self.symbols[i]: e / self.g[s] for i, e in self.g.items()}
            self._known_quotients[s] = [*flat, *self.symbols[0].graph.push_forward(flat, along)]
        return self._known_quotients[s]

    @cached_property
    def _known_quotients(self) -> dict[int, list[Node]]:
        """These by the place of the state."""
        return {}


def _constant(hessian: list[list]) -> list[list]:
    return hessian


def find_shape_integrals(
    graph: Graph, states: Mapping[str, Node], field: Sequence[Node], leaf: Sequence[Node]
) -> ShapeIntegrals | None:
    """The structure of equations ``xdot = field`` on a leaf; None where they do not have it."""
    symbols = list(states.values())
    labels = list(states)
    for w in range(len(symbols)):
        try:
            found = _with_shape_velocity(graph, symbols, labels, field, leaf, w)
        except DivisionError:  # a rate that is none where the velocity vanishes is not linear in it
            continue
        if found is not None:
            return found
    return None


def _with_shape_velocity(graph, symbols, labels, field, leaf, w) -> ShapeIntegrals | None:
    others = [i for i in range(len(symbols)) if i != w]
    geometric = {s for s in graph.symbols(leaf) if s in symbols}
    geometric |= {
        symbols[i] for i in others if field[i] == symbols[w]
    }  # a coordinate, of which w is the rate
    shape = [i for i in others if symbols[i] in geometric]
    if symbols[w] in geometric or len(shape) - len(leaf) != 1:
        return None
    slope = dict(
        zip(others, graph.push_forward([field[i] for i in others], {symbols[w]: graph.one}), strict=True)
    )
    moving = [s for s in symbols if s not in geometric]
    u = [i for i in others if i not in shape]
    B: dict[int, list[Node]] = {}

    def identities(i: int) -> list[Node]:
        """What has to vanish for the rate to be w g(gamma), or w B(gamma) u."""
        found = graph.substitute([field[i]], {symbols[w]: graph.zero})
        if not leaf and not found[0].is_zero and _fails_numerically(found):
            return found  # that is enough, and of many states the derivatives are many
        if i in shape:
            found += graph.gradient(slope[i], moving)
        else:
            B[i] = graph.gradient(slope[i], [symbols[j] for j in u])
            found += [e for b in B[i] if not b.is_zero for e in graph.gradient(b, moving)]
            found += graph.substitute([slope[i]], {symbols[j]: graph.zero for j in u})
        return [e for e in found if not e.is_zero]

    while True:
        needed = {i: identities(i) for i in (*shape, *u)}
        wrong = [i for i, found in needed.items() if found and not leaf and _fails_numerically(found)]
        if any(i in shape for i in wrong):
            return None
        u = [i for i in u if i not in wrong]
        if not wrong or not u:
            break
    everything = [e for found in needed.values() for e in found]
    if not u:
        return None
    if everything:
        ideal = LeafIdeal(leaf, everything)
        if any(ideal.remainder(e) for e in everything):
            return None
    # The slopes hold the moving symbols at most in terms that vanish: put them to any value.
    still = dict.fromkeys(moving, graph.zero)
    return ShapeIntegrals(
        names=tuple(f"integral of {labels[i]}" for i in u),
        symbols=tuple(symbols),
        velocity=w,
        velocities=tuple(u),
        g=dict(zip(shape, graph.substitute([slope[i] for i in shape], still), strict=True)),
        B=[graph.substitute(B[i], still) for i in u],
    )


def _fails_numerically(identities: Sequence[Node]) -> bool:
    """Whether one of them fails at a point with all symbols near one: quicker than a proof that it does."""
    symbols = sorted(identities[0].graph.symbols(identities), key=lambda s: s.payload)
    point = {s: 1 + 0.3 * math.sin(2.0 * i + 1.0) for i, s in enumerate(symbols)}
    try:
        return any(abs(e) > _FAILS for e in evaluate(identities, point, FLOAT))
    except (ValueError, ZeroDivisionError, OverflowError):
        return False  # no number there: the proof decides


def shape_of(sys: Any) -> ShapeIntegrals | None:
    """Found once for recorded equations, and without inputs, which are no functions of the state."""
    if not sys.recorded:
        return None
    if "shape integrals" not in sys.cache:
        states = dict(zip(sys.state_labels, sys.state_nodes, strict=True))
        found = (
            None if sys.ninputs else find_shape_integrals(sys.graph, states, sys.field_nodes, sys.leaf.nodes)
        )
        sys.cache["shape integrals"] = found
    return sys.cache["shape integrals"]
