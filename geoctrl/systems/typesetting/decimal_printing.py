"""Expressions and conditions with decimals in place of long rationals, for printing only.

Doubles are taken as the rationals that they are, and products of some have numerators of forty digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl._printing.record_lines import value_text

__all__ = ["assignment_text", "expression_text", "is_long", "readable"]

DIGITS = 12
"""Of a numerator or a denominator, beyond which a decimal is shown."""

_SHOWN = 15
"""Digits that a double keeps of a decimal."""


def readable(expr: sp.Basic) -> sp.Basic:
    """An expression or condition with long rationals as decimals.

    Sums with long coefficients are divided by the largest, and so are both sides of a relation.
    """
    if isinstance(expr, (sp.And, sp.Or, sp.Not)):
        return expr.func(*map(readable, expr.args), evaluate=False)
    if not any(map(is_long, expr.atoms(sp.Rational))):
        return expr
    if isinstance(expr, sp.core.relational.Relational):
        (q, left), (c, right) = (_content_and_rest(side) for side in (expr.lhs, expr.rhs))
        if c == 0 or is_long(q):
            q, c = sp.sign(q), c / abs(q)
        return expr.func(_product(q, left), _product(c, right), evaluate=False)
    return _product(*_content_and_rest(expr))


def expression_text(expr: sp.Basic) -> str:
    """The text of an expression or condition, long rationals as decimals."""
    return sp.sstr(readable(expr), full_prec=False)


def assignment_text(numbers: Mapping[str, Any], units: Mapping[str, str] | None = None) -> str:
    """Numbers by their names with their units, long fractions as decimals; a dash where there are none."""
    told = (f"{k}={_number(v)} {(units or {}).get(k, '')}".rstrip() for k, v in numbers.items())
    return ", ".join(told) or "-"


def _number(value: Any) -> str:
    long = isinstance(value, Fraction) and is_long(sp.Rational(value.numerator, value.denominator))
    return f"{float(value):.{_SHOWN}g}" if long else value_text(value)


def is_long(q: sp.Rational) -> bool:
    """Whether a rational is shown as a decimal."""
    return max(len(str(q.p)), len(str(q.q))) > DIGITS


def _content_and_rest(expr: sp.Expr) -> tuple[sp.Rational, sp.Expr]:
    """A rational times an expression in which sums with long coefficients have 1 or -1 as the largest."""
    if expr.is_Rational:
        return expr, sp.S.One
    if expr.is_number or not expr.args:
        return sp.S.One, expr.evalf(_SHOWN) if any(map(is_long, expr.atoms(sp.Rational))) else expr
    if expr.is_Add:
        terms = [_content_and_rest(term) for term in expr.args]
        long = any(is_long(q) for q, _ in terms)
        largest = max(abs(q) for q, _ in terms) if long else sp.S.One
        return largest, sp.Add(*(_product(q / largest, rest) for q, rest in terms))
    if expr.is_Mul:
        factors = [_content_and_rest(factor) for factor in expr.args]
        return sp.Mul(*(q for q, _ in factors)), sp.Mul(*(rest for _, rest in factors))
    if expr.is_Pow and expr.exp.is_Integer:
        q, rest = _content_and_rest(expr.base)
        return q**expr.exp, rest**expr.exp
    # Unevaluated: sympy would split a root of a product.
    return sp.S.One, expr.func(*(_product(*_content_and_rest(part)) for part in expr.args), evaluate=False)


def _product(q: sp.Rational, rest: sp.Expr) -> sp.Expr:
    number = sp.Float(q, _SHOWN) if is_long(q) else q
    if rest.is_Add and number not in (1, -1):
        return sp.Mul(number, rest, evaluate=False)  # sympy would multiply it out
    return number * rest
