"""Rational functions of symbols in factors, by polynomials in many variables of flint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp
from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx

__all__ = ["Factors", "cancelled", "characteristic_coefficients", "factored", "factors_of"]

Factors = tuple[sp.Expr, list[tuple[sp.Expr, int]]]
"""A constant, and irreducible factors with their powers, positive ones."""
Ratio = tuple[fmpz_mpoly, fmpz_mpoly]


def factors_of(expr: sp.Expr) -> tuple[Factors, Factors]:
    """Numerator and denominator without common factors."""
    read = _read(expr)
    if read is None:
        numerator, denominator = sp.fraction(sp.together(sp.cancel(expr)))
        return sp.factor_list(numerator), sp.factor_list(denominator)
    (numerator, denominator), symbols = read
    return _list(numerator, symbols), _list(denominator, symbols)


def cancelled(expr: sp.Expr) -> sp.Expr:
    """The expression as one fraction of polynomials without common factors."""
    read = _read(expr)
    if read is None:
        return sp.cancel(expr)
    (p, q), symbols = read
    if q.leading_coefficient() < 0:
        p, q = -p, -q
    return sp.Add(*_terms(p, symbols)) / sp.Add(*_terms(q, symbols))


def characteristic_coefficients(matrix: Sequence[Sequence[sp.Expr]]) -> list[sp.Expr]:
    """Coefficients of det(x - A), the leading one first, each in factors: by the method of Faddeev."""
    n = len(matrix)
    A, M, found = sp.Matrix(matrix), sp.zeros(n, n), [sp.Integer(1)]
    for k in range(1, n + 1):
        M = (A * M + found[-1] * sp.eye(n)).applyfunc(cancelled)
        found.append(cancelled(-(A * M).trace() / k))
    return [factored(c) for c in found]


def factored(expr: sp.Expr) -> sp.Expr:
    """The expression as a product of its factors."""
    numerator, denominator = (c * sp.Mul(*(f**k for f, k in factors)) for c, factors in factors_of(expr))
    return numerator / denominator


def _read(expr: sp.Expr) -> tuple[Ratio, list[sp.Symbol]] | None:
    """Numerator and denominator as polynomials in symbols; None where they are none with a denominator."""
    symbols = sorted(expr.free_symbols, key=str)
    if not _is_rational(expr) or len({s.name for s in symbols}) < len(symbols):
        return None
    ring = fmpz_mpoly_ctx.get([s.name for s in symbols], Ordering.lex)
    generators = dict(zip(symbols, ring.gens(), strict=True))
    found = _ratio(expr, generators, ring.constant(1))
    return (found, symbols) if found[1] else None


def _is_rational(expr: sp.Expr) -> bool:
    """Whether it is made of symbols and rational numbers by sums, products and integer powers."""
    if expr.is_Symbol or expr.is_Rational:
        return True
    if expr.is_Pow:
        return expr.exp.is_Integer and _is_rational(expr.base)
    return (expr.is_Add or expr.is_Mul) and all(map(_is_rational, expr.args))


def _ratio(expr: sp.Expr, generators: dict[sp.Symbol, fmpz_mpoly], one: fmpz_mpoly) -> Ratio:
    if expr.is_Symbol:
        return generators[expr], one
    if expr.is_Rational:
        return one * int(expr.p), one * int(expr.q)
    if expr.is_Pow:
        p, q = _ratio(expr.base, generators, one)
        k = int(expr.exp)
        return (p**k, q**k) if k >= 0 else (q**-k, p**-k)
    parts = [_ratio(e, generators, one) for e in expr.args]
    p, q = parts[0]
    for r, s in parts[1:]:
        if expr.is_Mul:
            p, q = _reduced(p * r, q * s)
        else:
            common = q.gcd(s)
            p, q = _reduced(p * (s / common) + r * (q / common), q * (s / common))
    return p, q


def _reduced(p: fmpz_mpoly, q: fmpz_mpoly) -> Ratio:
    common = p.gcd(q)
    return p / common, q / common


def _list(poly: fmpz_mpoly, symbols: list[sp.Symbol]) -> Factors:
    if not poly:
        return sp.Integer(0), []
    constant, found = poly.factor()
    sign = 1
    listed = []
    for factor, power in sorted(found, key=lambda pair: (len(pair[0]), int(pair[1]), str(pair[0]))):
        if factor.leading_coefficient() < 0:
            factor, sign = -factor, sign * (-1) ** int(power)
        listed.append((sp.Add(*_terms(factor, symbols)), int(power)))
    return sp.Integer(int(constant)) * sign, listed


def _terms(poly: fmpz_mpoly, symbols: list[sp.Symbol]) -> Iterator[sp.Expr]:
    for exponents, c in poly.terms():
        yield sp.Integer(int(c)) * sp.Mul(*(s ** int(k) for s, k in zip(symbols, exponents, strict=True)))
