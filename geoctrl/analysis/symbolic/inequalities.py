"""Signs of rational expressions, and inequalities solved for a symbol."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._scalars.algebra.factoring import factorisation

__all__ = ["known_sign", "solve_inequality"]


def known_sign(expr: sp.Expr) -> int | None:
    """1, -1 or 0 where the symbols' assumptions decide the sign, else None.

    A polynomial with all terms of one known sign has that sign; sympy's own inference covers the rest.
    """
    if expr == 0:
        return 0
    if expr.is_positive:
        return 1
    if expr.is_negative:
        return -1
    terms = sp.Add.make_args(sp.expand(expr))
    # A term that may vanish (the square of a real symbol) goes with strict ones of its own sign only.
    if all(t.is_nonnegative for t in terms) and any(t.is_positive for t in terms):
        return 1
    if all(t.is_nonpositive for t in terms) and any(t.is_negative for t in terms):
        return -1
    return None


def solve_inequality(expr: sp.Expr, symbol: sp.Symbol) -> Boolean:
    """Solve ``expr > 0`` for a symbol, by cases where the sign of a coefficient is open.

    Linear expressions and quadratic ones are solved; others are returned as they are.
    """
    if not expr.has(symbol):
        s = known_sign(expr)
        return sp.S.true if s == 1 else sp.S.false if s is not None else _present(expr)
    poly = sp.Poly(sp.expand(expr), symbol)
    if poly.degree() == 1:
        a, b = poly.all_coeffs()
        return _cases(a, lambda s: (symbol > _tidy(-b / a)) if s > 0 else (symbol < _tidy(-b / a)), b, symbol)
    if poly.degree() == 2:
        a, b, c = poly.all_coeffs()
        if sp.expand(b) == 0:
            return _cases(a, lambda s: _even(symbol, a, c, s), c, symbol)
        return _cases(a, lambda s: _quadratic(symbol, a, b, c, s), b * symbol + c, symbol)
    return _present(expr)


def _present(expr: sp.Expr) -> Boolean:
    """``expr > 0`` with the negative terms on the right: ``I3 + m l^2 > I2``."""
    terms = sp.Add.make_args(sp.expand(expr))
    left = [t for t in terms if not t.could_extract_minus_sign()]
    right = [-t for t in terms if t.could_extract_minus_sign()]
    if not left or not right:
        return expr > 0
    return sp.StrictGreaterThan(sp.Add(*left), sp.Add(*right))


@lru_cache(maxsize=128)  # both signs of a leading coefficient have the same ends
def _tidy(expr: sp.Expr) -> sp.Expr:
    return sp.simplify(factorisation(expr))


def _cases(leading: sp.Expr, solution: Callable[[int], Boolean], rest: sp.Expr, symbol: sp.Symbol) -> Boolean:
    """The solution for the sign of the leading coefficient, or all cases with their conditions."""
    s = known_sign(leading)
    if s is not None:
        return solution(s)
    strict = [sp.And(_present(sense * leading), solution(sense)) for sense in (1, -1)]
    return sp.Or(*strict, sp.And(sp.Eq(leading, 0), solve_inequality(rest, symbol)))


def _even(symbol: sp.Symbol, a: sp.Expr, c: sp.Expr, sense: int) -> Boolean:
    """a x^2 + c > 0 for a of the given sign: x^2 > -c/a or x^2 < -c/a."""
    magnitude = symbol if symbol.is_nonnegative else sp.Abs(symbol)
    constant = known_sign(c)
    square = None if constant is None else -constant * sense
    ratio = factorisation(-c) / factorisation(a)
    # Unevaluated: sympy would split the root of a product of positive symbols.
    root = sp.Pow(ratio if constant is not None else sp.Max(0, ratio), sp.Rational(1, 2), evaluate=False)
    if sense > 0:
        if square is None:
            return sp.Or(_present(c), magnitude > root)
        return sp.S.true if square == -1 else magnitude > root
    return sp.S.false if square in (-1, 0) else magnitude < root


def _quadratic(symbol: sp.Symbol, a: sp.Expr, b: sp.Expr, c: sp.Expr, sense: int) -> Boolean:
    """a x^2 + b x + c > 0 for a of the given sign."""
    discriminant = factorisation(b**2 - 4 * a * c)
    s = known_sign(discriminant)
    root = sp.sqrt(discriminant)
    low, high = (_tidy((-b - sense * root) / (2 * a)), _tidy((-b + sense * root) / (2 * a)))
    inside = sp.And(low < symbol, symbol < high)
    outside = sp.Or(symbol < low, symbol > high)
    if sense > 0:
        return sp.S.true if s == -1 else outside if s == 1 else sp.Or(_present(-discriminant), outside)
    return sp.S.false if s == -1 else inside if s == 1 else sp.And(_present(discriminant), inside)
