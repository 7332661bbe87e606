r"""A Lyapunov function and the sums of squares that show it to fall.

With y what is measured, all in deviations from the point, and vectors w, w_0, w_k of monomials,

.. math::
    V = y^T P y, \qquad
    -\dot V = w^T Q w + (c - V)\, w_0^T Q_0 w_0 + \sum_k h_k\, w_k^T Q_k w_k + \sum_j m_j r_j,

where :math:`h_k \ge 0` are the bounds of the motion, :math:`r_j` combinations of its relations, which vanish,
and :math:`m_j` any polynomials. All matrices are positive definite, and w holds the components of y: where
:math:`V \le c`, V falls except at the point. The identity is one of polynomials with rational coefficients.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from geoctrl.checker.definite import positive_definite
from geoctrl.checker.enclosures.cells import matrix
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import BITS, ball
from geoctrl.checker.slopes.fall import inverse
from geoctrl.checker.squares.polynomial_motion import PolynomialMotion, product_of
from geoctrl.checker.verdicts import form

REST, LEVEL = "rest", "level"
Monomial = list[list[int]]
Matrix = list[list[fmpq]]


class Fall:
    """What a file proposes, with its identity proved.

    Parameters
    ----------
    motion : PolynomialMotion
    given : dict
        With the keys "function", "level", "squares" and "relations".

    Attributes
    ----------
    matrix : list of list of fmpq
        P.
    inverse : arb_mat
    """

    def __init__(self, motion: PolynomialMotion, given: dict[str, Any]) -> None:
        self.motion, self.level = motion, given["level"]
        places = [motion.variables.index(i) for i in motion.measured]
        self.matrix = definite(given["function"], len(places))
        V = motion.polynomial(products([[[k, 1]] for k in places], self.matrix))
        factors = {REST: V * 0 + 1, LEVEL: self.level - V}
        factors |= {str(k): bound for k, bound in enumerate(motion.bounds)}
        total = self._rate()
        for row in given["squares"]:
            gram = definite(row["matrix"], len(row["monomials"]))
            square = motion.polynomial(products(row["monomials"], gram))
            total += product_of(square, factors[row["times"]])
        for row in given["relations"]:
            total += product_of(motion.polynomial(row["times"]), motion.combination(row["terms"]))
        if total:
            raise Refusal("it is not proved that the function falls: the identity does not hold", "theorem")
        rest = [m for row in given["squares"] if row["times"] == REST for m in row["monomials"]]
        if not all([[k, 1]] in rest for k in places):
            raise Refusal("it is not proved that the function falls but at the point", "theorem.squares")
        self.inverse = inverse(matrix([[ball(c) for c in row] for row in self.matrix], len(places)))

    def _rate(self) -> Any:
        """The rate of V, unknowns among its variables."""
        y = [self.motion.gens[i] for i in self.motion.measured]
        terms = (
            product_of(sum((2 * c * g for c, g in zip(row, y, strict=True)), y[0] * 0), self.motion.rate(i))
            for row, i in zip(self.matrix, self.motion.measured, strict=True)
        )
        return sum(terms, y[0] * 0)

    def require_limits(self) -> None:
        """Every limited function stays within its bound: |u_0| + sqrt(c k.P^-1 k) at most."""
        for name, (value, slopes) in self.motion.limits.items():
            room = self.motion.given["limits"][name]["bound"] - abs(value)
            with ctx.workprec(BITS):
                k = matrix([[arb(c)] for c in slopes], 1)
                reach = self.level * (k.transpose() * self.inverse * k)[0, 0]
                if room < 0 or not reach <= room * room:
                    raise Refusal(
                        f"it is not proved that {name[:80]!r} stays within its limit", "theorem.limits"
                    )


def products(monomials: list[Monomial], gram: Matrix) -> list[tuple[Monomial, fmpq]]:
    """The terms of a sum of squares."""
    return [
        (a + b, c if i == j else 2 * c)
        for i, (a, row) in enumerate(zip(monomials, gram, strict=True))
        for j, (b, c) in enumerate(zip(monomials[: i + 1], row, strict=False))
        if c
    ]


def definite(triangle: Matrix, n: int) -> Matrix:
    """A symmetric matrix from its lower triangle, refused where it is not proved to be positive definite."""
    if len(triangle) != n:
        raise Refusal("a matrix does not fit what it is of", "theorem")
    found = form(triangle, n)
    if not positive_definite(found):
        raise Refusal("a matrix is not proved to be positive definite", "theorem")
    return found
