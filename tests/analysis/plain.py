"""Questions of stability about plain differential equations, as the search for a proof sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl.analysis.question.problem import Problem
from tests.attack.build.building_fields import problem_of
from tests.attack.draw.drawing_fields import Field


def plain(
    field: str | Sequence[Any],
    at: Mapping[str, Any],
    leaf: Sequence[Any] = (),
    conserved: Mapping[str, Any] | None = None,
    others: Mapping[str, Any] | None = None,
) -> Problem:
    """The equilibrium ``at`` (state -> rational) of x' = field on leaf = 0, in the order of its states."""
    symbols = {name: sp.Symbol(name, real=True) for name in at}

    def read(expr: Any) -> sp.Expr:
        return sp.sympify(expr, locals=symbols, rational=True)

    expressions = field.split(",") if isinstance(field, str) else field
    kept, falling = ({k: read(e) for k, e in (given or {}).items()} for given in (conserved, others))
    point = [Fraction(str(v)) for v in at.values()]
    rates, relations = list(map(read, expressions)), list(map(read, leaf))
    return problem_of(Field("plain", list(symbols.values()), rates, "", point, relations, kept, falling))
