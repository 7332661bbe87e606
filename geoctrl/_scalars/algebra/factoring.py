"""Factored forms of rational functions, computed by python-flint and written as sympy writes them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import sympy as sp
from flint import Ordering, fmpq_mpoly_ctx

from geoctrl._scalars.algebra.quotients import Quotient, constant

__all__ = ["factor_list", "factorisation", "generators", "product_of_factors", "quotient_of"]


def factorisation(expr: sp.Expr) -> sp.Expr:
    """What ``sp.factor`` gives of an expression, in a small part of its time where it can be told to flint.

    That is where it is rational in symbols and functions. Other expressions are left to sympy, whose
    factorisation in several symbols draws numbers at random: of a thousand draws one takes minutes.
    """
    unknowns = _unknowns(expr)
    if unknowns is None:
        return sp.factor(expr)
    return product_of_factors(quotient_of(expr, unknowns), unknowns)


def factor_list(expr: sp.Expr) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
    """What ``sp.factor_list`` gives of an expression, in the same way; denominators have negative powers."""
    unknowns = _unknowns(expr)
    if unknowns is None:
        return sp.factor_list(expr)
    return _factors(quotient_of(expr, unknowns), unknowns)


def _unknowns(expr: sp.Expr) -> list[sp.Expr] | None:
    """What an expression is rational in, in the order of sympy; None where that is not free."""
    atoms = generators(expr)
    if not all(map(_is_free, atoms)):
        return None
    # Signs are those of leading coefficients: the order has to be sympy's.
    return list(sp.Poly(sp.Add(*atoms)).gens) if atoms else []


def _is_free(atom: sp.Expr) -> bool:
    """Whether sympy takes it for one more unknown; powers of exponentials and roots are one another's."""
    return atom.is_Symbol or (isinstance(atom, sp.Function) and not isinstance(atom, sp.exp))


def generators(expr: sp.Expr) -> set[sp.Expr]:
    """What an expression is made of by rational operations: symbols, and whatever else is none of these."""
    found: set[sp.Expr] = set()
    seen: set[sp.Expr] = set()
    left = [expr]
    while left:
        e = left.pop()
        if e in seen or e.is_Rational:
            continue
        seen.add(e)
        if e.is_Add or e.is_Mul:
            left.extend(e.args)
        elif e.is_Pow and e.exp.is_Integer:
            left.append(e.base)
        else:
            found.add(e)
    return found


def quotient_of(expr: sp.Expr, atoms: Sequence[sp.Expr]) -> Quotient:
    """An expression as a quotient of polynomials in its `generators`, of which the first leads.

    Raises DivisionError where a denominator is zero.
    """
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(atoms))] or ["x"], Ordering.lex)
    values = {a: Quotient(x, ring.constant(1)) for a, x in zip(atoms, ring.gens(), strict=False)}
    return _value(expr, values, ring)


def product_of_factors(quotient: Quotient, atoms: Sequence[sp.Expr]) -> sp.Expr:
    """A quotient of polynomials in some atoms, factored."""
    number, factors = _factors(quotient, atoms)
    product = sp.Mul(*(p**e for p, e in factors))
    # Times a sum sympy would multiply a number out.
    kept = product.is_Add and number not in (1, -1)
    return sp.Mul(number, product, evaluate=not kept)


def _value(expr: sp.Expr, values: dict[sp.Expr, Quotient], ring: Any) -> Quotient:
    """The value of an expression; each subexpression is computed once."""
    found = values.get(expr)
    if found is None:
        found = values[expr] = _quotient(expr, values, ring)
    return found


def _quotient(expr: sp.Expr, values: dict[sp.Expr, Quotient], ring: Any) -> Quotient:
    one = ring.constant(1)
    if expr.is_Rational:
        return Quotient(constant(ring, Fraction(int(expr.p), int(expr.q))), one)
    if expr.is_Pow:
        base, e = _value(expr.base, values, ring), int(expr.exp)
        return base**e if e >= 0 else Quotient(one, one) / base ** (-e)
    first, *rest = (_value(a, values, ring) for a in expr.args)
    for other in rest:
        first = first + other if expr.is_Add else first * other
    return first


def _factors(quotient: Quotient, atoms: Sequence[sp.Expr]) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
    """A number and the factors of a quotient, those below with negative powers."""
    (above, top), (below, bottom) = (_of_polynomial(p, atoms) for p in (quotient.top, quotient.below))
    return above / below, [*top, *((p, -e) for p, e in bottom)]


def _of_polynomial(
    polynomial: Any, symbols: Sequence[sp.Expr]
) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
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
