"""Factored forms of rational functions, computed by python-flint and written as sympy writes them."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import sympy as sp
from flint import Ordering, fmpq_mpoly_ctx

from geoctrl._scalars.quotients import Quotient, constant

__all__ = ["factored"]


def factored(expr: sp.Expr) -> sp.Expr:
    """What ``sp.factor`` gives of an expression, in a small part of its time where it is rational in symbols.

    Other expressions are left to sympy.
    """
    # Signs are those of leading coefficients: the order of symbols has to be sympy's.
    symbols = list(sp.Poly(sp.Add(*expr.free_symbols)).gens) if expr.free_symbols else []
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(symbols))] or ["x"], Ordering.lex)
    values = {s: Quotient(x, ring.constant(1)) for s, x in zip(symbols, ring.gens(), strict=False)}
    try:
        quotient = _value(expr, values, ring)
    except _NotRationalError:
        return sp.factor(expr)
    (above, top), (below, bottom) = (_factors(p, symbols) for p in (quotient.top, quotient.below))
    product = sp.Mul(*(p**e for p, e in top), *(p ** (-e) for p, e in bottom))
    # Times a sum sympy would multiply a number out.
    kept = product.is_Add and above / below not in (1, -1)
    return sp.Mul(above / below, product, evaluate=not kept)


class _NotRationalError(Exception):
    """An expression holds more than rational operations on symbols."""


def _value(expr: sp.Expr, values: dict[sp.Expr, Quotient], ring: Any) -> Quotient:
    """The value of an expression; each subexpression is computed once."""
    found = values.get(expr)
    if found is None:
        found = values[expr] = _computed(expr, values, ring)
    return found


def _computed(expr: sp.Expr, values: dict[sp.Expr, Quotient], ring: Any) -> Quotient:
    one = ring.constant(1)
    if expr.is_Rational:
        return Quotient(constant(ring, Fraction(int(expr.p), int(expr.q))), one)
    if expr.is_Pow and expr.exp.is_Integer:
        base, e = _value(expr.base, values, ring), int(expr.exp)
        return base**e if e >= 0 else Quotient(one, one) / base ** (-e)
    if expr.is_Add or expr.is_Mul:
        first, *rest = (_value(a, values, ring) for a in expr.args)
        for other in rest:
            first = first + other if expr.is_Add else first * other
        return first
    raise _NotRationalError


def _factors(polynomial: Any, symbols: list[sp.Symbol]) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
    """A number, and factors with whole coefficients without common divisor, the leading one positive."""
    content, factors = polynomial.factor()
    number, found = Fraction(int(content.p), int(content.q)), []
    for factor, e in factors:
        terms = [(powers, Fraction(int(c.p), int(c.q))) for powers, c in factor.terms()]
        scale = Fraction(gcd(*(c.numerator for _, c in terms)), lcm(*(c.denominator for _, c in terms)))
        scale = scale if terms[0][1] > 0 else -scale
        number *= scale ** int(e)
        plain = sp.Add(
            *(
                sp.Mul(
                    sp.Rational(*(c / scale).as_integer_ratio()),
                    *(s ** int(k) for s, k in zip(symbols, powers, strict=False)),
                )
                for powers, c in terms
            )
        )
        found.append((plain, int(e)))
    return sp.Rational(number.numerator, number.denominator), found
