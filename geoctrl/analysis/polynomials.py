"""Exact location of the roots of a rational polynomial relative to the imaginary axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

__all__ = ["RootLocation", "locate_roots"]

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

    Raises
    ------
    ValueError
        If the leading coefficient is zero.
    """
    coefficients = list(coefficients)
    if not coefficients or coefficients[0] == 0:
        raise ValueError("the leading coefficient must not be zero")
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
    """All roots in the open left half-plane: every Hurwitz determinant of the monic polynomial is positive."""
    n = len(coefficients) - 1
    if any(c <= 0 for c in coefficients):
        return False
    matrix = sp.zeros(n, n)
    for i in range(n):
        for j in range(n):
            k = 2 * (j + 1) - (i + 1)
            if 0 <= k <= n:
                matrix[i, j] = coefficients[k]
    return all(matrix[:k, :k].det(method="berkowitz") > 0 for k in range(1, n + 1))
