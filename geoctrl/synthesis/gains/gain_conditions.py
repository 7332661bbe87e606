"""Conditions on several gains: signs that one fixes put into the others, one gain solved for at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars.algebra.factoring import factor_list
from geoctrl.analysis.conditions.conditions_result import StabilityConditions
from geoctrl.analysis.symbolic.inequalities import known_sign, solve_inequality
from geoctrl.errors import ParameterError
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["allowing", "independent", "is_negative", "short_text", "solution"]

_LONG = 100
"""Characters of a condition that nobody reads."""


def allowing(
    conditions: StabilityConditions, numbers: Mapping[sp.Symbol, sp.Rational], gains: Sequence[sp.Symbol]
) -> Callable[[np.ndarray], np.ndarray]:
    """What numbers those of several sets of gains (N, gains) that satisfy the conditions."""
    asked = {s for r in conditions.stable for s in r.free_symbols} - numbers.keys() - set(gains)
    if asked:
        raise ParameterError(f"gains need numbers in params for {', '.join(sorted(map(str, asked)))}")
    told = [r.subs(numbers) if hasattr(r, "subs") else r for r in conditions.stable]
    tests = sp.lambdify(list(gains), told, "numpy")

    def rows_that_may(draws: np.ndarray) -> np.ndarray:
        every = np.ones(len(draws), dtype=bool)
        for found in tests(*draws.T):
            every &= np.broadcast_to(found, len(draws))
        return np.flatnonzero(every)

    return rows_that_may


def independent(relations: list) -> list:
    """Relations ``f > 0`` without the factors whose signs other relations fix."""
    flat = [part for r in relations for part in _arms(r)]
    if sp.S.false in flat:
        return [sp.S.false]
    alternatives = [r for r in flat if r != sp.S.true and not hasattr(r, "gts")]
    known: dict[sp.Expr, int] = {}
    left = [_positive(r) for r in flat if hasattr(r, "gts")]
    changed = True
    while changed:
        changed = False
        for i, (sign, factors) in enumerate(left):
            kept = []
            for f, power in factors:
                if f in known and len(factors) > 1:
                    sign *= known[f] if power % 2 else 1
                    changed = True
                else:
                    kept.append((f, power))
            left[i] = (sign, kept)
            if len(kept) == 1 and kept[0][1] % 2 and kept[0][0] not in known:
                known[kept[0][0]] = sign
                changed = True
    found = []
    for sign, factors in left:
        e = sp.Mul(*(f**p for f, p in factors))
        found.append(e > 0 if sign > 0 else e < 0)
    return [r for r in dict.fromkeys([*found, *alternatives]) if r != sp.S.true]


def _arms(relation: Any) -> list:
    """Relations that hold together: those of the one alternative that does not contradict itself."""
    if isinstance(relation, sp.Or):
        arms = [arm for arm in relation.args if not _contradicts(sp.And.make_args(arm))]
        return _arms(arms[0]) if len(arms) == 1 else [sp.Or(*arms)]
    if isinstance(relation, sp.And):
        return [part for r in relation.args for part in _arms(r)]
    return [relation]


def _contradicts(relations: Sequence[Any]) -> bool:
    """Whether one expression is asked to be positive and negative."""
    strict = [r for r in relations if isinstance(r, sp.StrictGreaterThan | sp.StrictLessThan)]
    sides = {sp.expand(r.gts - r.lts) for r in strict}
    return any(sp.expand(-e) in sides for e in sides)


def _positive(relation: Any) -> tuple[int, list[tuple[sp.Expr, int]]]:
    """Sign and factors of f in the relation ``f > 0``, without those of known sign."""
    try:
        constant, factors = factor_list(relation.gts - relation.lts)
    except sp.PolynomialError:  # of absolute values
        return 1, [(relation.gts - relation.lts, 1)]
    sign, kept = (1 if constant > 0 else -1), []
    for f, power in factors:
        if f.is_positive or (power % 2 == 0 and f.is_real) or isinstance(f, sp.Abs):
            continue
        if f.is_negative:
            sign *= -1 if power % 2 else 1
            continue
        kept.append((f, power))
    return sign, kept


def short_text(condition: sp.Basic) -> str:
    """Conditions that hold together as text, those that are long by what they hold and their operations."""
    if condition == sp.S.true:
        return "free"
    parts = sorted(sp.And.make_args(condition), key=lambda part: len(str(part)))
    texts = [expression_text(part) for part in parts]
    return " and ".join(
        text if len(text) <= _LONG else f"a condition of {part.count_ops()} operations"
        for text, part in zip(texts, parts, strict=True)
    )


def solution(relation: Any, symbol: sp.Symbol) -> Any:
    """A relation solved for a symbol, as it is where that is not known how."""
    if not hasattr(relation, "gts"):
        return relation
    try:
        return solve_inequality(relation.gts - relation.lts, symbol)
    except (NotImplementedError, ValueError, TypeError, sp.PolynomialError):
        # Of absolute values, of signs that are not comparable: sympy fails in many ways, and the relation
        # as it stands is as true.
        return relation


def is_negative(quotient: sp.Expr) -> bool:
    """Whether numerator and denominator are known to have opposite signs."""
    numerator, denominator = (known_sign(part) for part in sp.fraction(quotient))
    return numerator is not None and denominator is not None and numerator * denominator < 0
