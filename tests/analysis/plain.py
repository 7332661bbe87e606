"""Questions of stability about plain differential equations, as the search for a proof sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl._scalars import STATE, FromSympy, Graph
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.problem import Problem


def plain(
    field: str | Sequence[Any],
    at: Mapping[str, Any],
    leaf: Sequence[Any] = (),
    conserved: Mapping[str, Any] | None = None,
    others: Mapping[str, Any] | None = None,
) -> Problem:
    """The equilibrium ``at`` (state -> rational) of x' = field on leaf = 0, in the order of its states."""
    graph = Graph()
    symbols = {name: sp.Symbol(name, real=True) for name in at}
    nodes = {name: graph.symbol(name, STATE) for name in at}
    convert = FromSympy(graph, {symbols[name]: node for name, node in nodes.items()})

    def node(expr: Any) -> Any:
        return convert(sp.sympify(expr, locals=symbols, rational=True))

    expressions = field.split(",") if isinstance(field, str) else field
    rates = dict(zip(nodes.values(), map(node, expressions), strict=True))
    motion = EquationsOfMotion(
        graph=graph,
        states=nodes,
        inputs={},
        parameters={},
        velocities=[],
        mass=[],
        force=[],
        rows=[],
        drift=[],
        rates=rates,
        solve=lambda: list(rates.values()),
        leaf={str(g): node(g) for g in leaf},
        energy=graph.zero,
    )
    kept, falling = ({k: node(e) for k, e in (given or {}).items()} for given in (conserved, others))
    point = [Fraction(str(v)) for v in at.values()]
    return Problem(motion, kept, {}, point, [], falling)
