r"""Integrals linear in velocities, over a one-dimensional shape.

Some systems move their geometric states with a single velocity, :math:`\dot\gamma = w\,g(\gamma)`, on a leaf
of dimension one (or have one coordinate, of which w is the rate), and other velocities follow linearly,
:math:`\dot u = w\,B(\gamma)\,u`. Along the curve, with one coordinate s of it as parameter,
:math:`du/ds = N(s)\,u` with :math:`N = B/g_s`: a linear equation.
Each solution of the adjoint equation :math:`da/ds = -N^T a` gives an integral :math:`a(s)\cdot u`. It is
rarely known in closed form, but its derivatives at a point are: from a, :math:`a' = -N^T a` and
:math:`a'' = (-N'^T + N^T N^T) a` follow value, gradient and Hessian in the arithmetic at hand. That is all
the energy-Casimir test needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from geoctrl._scalars import Graph, Node, evaluate
from geoctrl._scalars.arithmetics import FLOAT
from geoctrl._scalars.ideal import LeafIdeal

_FAILS = 1e-3
"""Far above rounding where all symbols are near one."""

__all__ = ["Jet", "ShapeIntegrals", "find_shape_integrals", "shape_of"]


@dataclass(frozen=True)
class Jet:
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
    velocities : tuple of int
        Places of u among the states.
    g : dict of place -> node
        Slopes of the geometric states.
    B : rows of nodes
    """

    names: tuple[str, ...]
    symbols: tuple[Node, ...]
    velocities: tuple[int, ...]
    g: dict[int, Node]
    B: list[list[Node]]

    def jets(
        self,
        values: Callable[[Sequence[Node]], Iterable[Any]],
        point: Sequence[Any],
        zero: Any,
        size: Callable[[Any], Any] = abs,
    ) -> list[Jet]:
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
        graph = self.symbols[0].graph
        flat = [b / self.g[s] for row in self.B for b in row]
        flat += graph.push_forward(flat, {self.symbols[i]: e / self.g[s] for i, e in self.g.items()})
        k, n = len(self.velocities), len(point)
        numbers = list(values(flat))
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
            jets.append(Jet(name, gradient, partial(_given, hessian)))
        return jets


def _given(hessian: list[list]) -> list[list]:
    return hessian


def find_shape_integrals(
    graph: Graph,
    states: Mapping[str, Node],
    field: Sequence[Node],
    leaf: Sequence[Node],
    numbers: Mapping[Node, Fraction] | None = None,
) -> ShapeIntegrals | None:
    """Recognise the structure; None where a system does not have it.

    Parameters
    ----------
    graph, states, field, leaf
        Equations ``xdot = field`` on the leaf.
    numbers : parameters to be replaced by numbers in the identities, optional
    """
    symbols = list(states.values())
    labels = list(states)
    for w in range(len(symbols)):
        found = _with_shape_velocity(graph, symbols, labels, field, leaf, numbers, w)
        if found is not None:
            return found
    return None


def _with_shape_velocity(graph, symbols, labels, field, leaf, numbers, w) -> ShapeIntegrals | None:
    others = [i for i in range(len(symbols)) if i != w]
    geometric = {s for s in graph.symbols(leaf) if s in symbols}
    geometric |= {
        symbols[i] for i in others if field[i] == symbols[w]
    }  # a coordinate, of which w is the rate
    shape = [i for i in others if symbols[i] in geometric]
    u = [i for i in others if i not in shape]
    if symbols[w] in geometric or not u or len(shape) - len(leaf) != 1:
        return None
    slope = dict(
        zip(others, graph.push_forward([field[i] for i in others], {symbols[w]: graph.one}), strict=True)
    )
    if not leaf:
        u = _linear_in(graph, symbols, field, slope, w, u)
        others = [*shape, *u]
        if not u:
            return None
    moving = [symbols[i] for i in (w, *u)]
    # dB/d(velocities) = 0 is part of the identities: rates are w g(gamma) and w B(gamma) u.
    B = {i: graph.gradient(slope[i], [symbols[j] for j in u]) for i in u}
    rest = graph.substitute([field[i] for i in others], {symbols[w]: graph.zero})
    identities = [e for e in rest if not e.is_zero]
    identities += [e for i in shape for e in graph.gradient(slope[i], moving) if not e.is_zero]
    identities += [e for i in u for b in B[i] for e in graph.gradient(b, moving) if not e.is_zero]
    identities += [e for i in (*shape, *u) for e in graph.push_forward([slope[i]], {symbols[w]: graph.one})]
    at_rest = graph.substitute([slope[i] for i in u], {symbols[j]: graph.zero for j in u})
    identities = [e for e in (*identities, *at_rest) if not e.is_zero]
    if identities:
        if not leaf and _refuted(identities, numbers or {}):
            return None
        ideal = LeafIdeal(leaf, identities, numbers)
        if any(ideal.remainder(e) for e in identities):
            return None
    # The slopes hold the moving symbols at most in terms that vanish: put them to any value.
    still = dict.fromkeys(moving, graph.zero)
    return ShapeIntegrals(
        names=tuple(f"integral of {labels[i]}" for i in u),
        symbols=tuple(symbols),
        velocities=tuple(u),
        g=dict(zip(shape, graph.substitute([slope[i] for i in shape], still), strict=True)),
        B=[graph.substitute(B[i], still) for i in u],
    )


def _linear_in(graph, symbols, field, slope, w, u) -> list[int]:
    """Those velocities whose rates are w times what is linear in them; the others may do as they like."""
    while True:
        still = graph.substitute([field[i] for i in u], {symbols[w]: graph.zero})
        outside = {s for i, s in enumerate(symbols) if i in slope and i not in u and field[i] != symbols[w]}
        kept = [
            i
            for i, rest in zip(u, still, strict=True)
            if rest.is_zero and not graph.symbols([slope[i]]) & (outside | {symbols[w]})
        ]
        if kept == u:
            return u
        u = kept


def _refuted(identities: Sequence[Node], numbers: Mapping[Node, Fraction]) -> bool:
    """Whether one of them fails at a point with all symbols near one: quicker than a proof that it does."""
    symbols = sorted(identities[0].graph.symbols(identities), key=lambda s: s.payload)
    point = {s: 1 + 0.3 * math.sin(2.0 * i + 1.0) for i, s in enumerate(symbols)}
    point |= {s: float(q) for s, q in numbers.items()}
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
