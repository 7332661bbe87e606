"""Exact location of the roots of a rational polynomial relative to the imaginary axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from geoctrl.errors import InputError

__all__ = ["RootLocation", "hurwitz_determinant", "locate_roots"]

_X = sp.Symbol("x")


@dataclass(frozen=True)
class RootLocation:
    """Where the roots lie.

    Attributes
    ----------
    zero : int
        Multiplicity of the root 0.
    unstable : bool
        Some root has a positive real part.
    hurwitz : bool
        All roots have negative real parts (then ``zero`` is 0).
    imaginary : int
        Number of nonzero roots on the imaginary axis, with multiplicity.
    simple : bool
        Those are simple.
    """

    zero: int
    unstable: bool
    hurwitz: bool
    imaginary: int
    simple: bool


def locate_roots(coefficients: Sequence[Fraction]) -> RootLocation:
    """Decide exactly, by Euclid's and Sturm's algorithms and the Hurwitz determinants.

    Roots that are symmetric about the origin are those of s = gcd(p(x), p(-x)) = q(x^2), which lie on
    the imaginary axis if and only if q has none but negative real roots. What remains, p/s, has no root
    on the axis, so that it has one to its right if and only if it is not Hurwitz.

    Parameters
    ----------
    coefficients : leading one first, not zero
    """
    coefficients = list(coefficients)
    if not coefficients or coefficients[0] == 0:
        raise InputError("the leading coefficient must not be zero")
    zero = 0
    while coefficients[-1] == 0:
        coefficients.pop()
        zero += 1
    p = sp.Poly([sp.Rational(c.numerator, c.denominator) for c in coefficients], _X, domain="QQ")
    symmetric = sp.gcd(p, p.compose(sp.Poly(-_X, _X, domain="QQ"))).monic()
    rest = p.quo(symmetric).monic()
    q = sp.Poly(symmetric.all_coeffs()[::2], _X, domain="QQ")
    distinct = q.sqf_part()
    on_axis = distinct.count_roots(None, 0) == distinct.degree()
    stable_rest = _hurwitz(rest.all_coeffs())
    return RootLocation(
        zero=zero,
        unstable=not (on_axis and stable_rest),
        hurwitz=zero == 0 and symmetric.degree() == 0 and stable_rest,
        imaginary=symmetric.degree() if on_axis else 2 * _negative_roots(q),
        simple=q.is_sqf,
    )


def _negative_roots(q: sp.Poly) -> int:
    return sum(multiplicity * factor.count_roots(None, 0) for factor, multiplicity in q.sqf_list()[1])


def _hurwitz(coefficients: list[sp.Rational]) -> bool:
    """All roots of a monic polynomial in the open left half-plane: its Hurwitz determinants are positive."""
    if any(c <= 0 for c in coefficients):
        return False
    return all(hurwitz_determinant(coefficients, order) > 0 for order in range(1, len(coefficients)))


def hurwitz_determinant(coefficients: Sequence[sp.Expr], order: int) -> sp.Expr:
    """Leading minor of an order of the Hurwitz matrix; coefficients with the leading one first."""

    def entry(i: int, j: int) -> sp.Expr:
        k = 2 * j - i + 1
        return coefficients[k] if 0 <= k < len(coefficients) else sp.Integer(0)

    return sp.Matrix(order, order, entry).det(method="berkowitz")
