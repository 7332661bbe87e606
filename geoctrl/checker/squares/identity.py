r"""A Lyapunov function and the sums of squares that show it to fall.

With y what is measured, all in deviations from the point, and vectors u, w, w_0, w_k of monomials, u of those
of y,

.. math::
    V = u^T P u, \qquad
    -\dot V = w^T Q w + (c - V)\, w_0^T Q_0 w_0 + \sum_k h_k\, w_k^T Q_k w_k + \sum_j m_j r_j,

where :math:`h_k \ge 0` are the bounds of the motion, :math:`r_j` combinations of its relations, which vanish,
and :math:`m_j` any polynomials. All matrices are positive definite, and u and w each hold a power
:math:`y_i^a` of every component of y: V is above a multiple of a sum of even powers of all of them, so that
:math:`V \le c` is compact, and V falls there except at the point. u is y where a file names no monomials.

A set may be open: then Q may be semidefinite, and it is :math:`w_0` that holds a power of every component. V
falls, but for the point, where :math:`V < c`, as :math:`\dot V \le -(c - V)\, w_0^T Q_0 w_0`.
The identity is one of polynomials with rational coefficients.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from flint import arb, ctx, fmpq

from geoctrl.checker.definite import positive_definite
from geoctrl.checker.enclosures.cells import inverse, matrix
from geoctrl.checker.enclosures.definite_over_cells import positive_semidefinite
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import BITS, ball
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
    function : polynomial
        V.
    powers : list of dict
        u: exponents by the number of a component of y.
    is_open : bool
        Whether the set is the one of V below the level, not at it.
    """

    def __init__(self, motion: PolynomialMotion, given: dict[str, Any]) -> None:
        self.motion, self.level = motion, given["level"]
        places = [motion.variables.index(i) for i in motion.measured]
        own = given.get("monomials", [[[k, 1]] for k in places])
        self.is_open, self.matrix = given.get("open", False), definite(given["function"], len(own))
        self.powers = [_powers(m, places) for m in own]
        require(
            all(self.powers) and _holds_powers(self.powers, len(places)),
            "it is not proved that the set is bounded",
            "theorem.monomials",
        )
        V = self.function = motion.polynomial(products(own, self.matrix))
        factors = {REST: V * 0 + 1, LEVEL: self.level - V}
        factors |= {str(k): bound for k, bound in enumerate(motion.bounds)}
        rates = (product_of(V.derivative(i), motion.rate(i)) for i in motion.measured)
        total = sum(rates, V * 0)
        for row in given["squares"]:
            may_vanish = self.is_open and row["times"] == REST
            gram = definite(row["matrix"], len(row["monomials"]), may_vanish)
            square = motion.polynomial(products(row["monomials"], gram))
            total += product_of(square, factors[row["times"]])
        for row in given["relations"]:
            total += product_of(motion.polynomial(row["times"]), motion.combination(row["terms"]))
        require(total == 0, "it is not proved that the function falls: the identity does not hold", "theorem")
        falling = LEVEL if self.is_open else REST
        rest = [m for row in given["squares"] if row["times"] == falling for m in row["monomials"]]
        require(
            _holds_powers([_powers(m, places) for m in rest], len(places)),
            "it is not proved that the function falls but at the point",
            "theorem.squares",
        )
        self.inverse = inverse(matrix([[ball(c) for c in row] for row in self.matrix], len(own)))

    @property
    def is_quadratic(self) -> bool:
        """Whether u is y."""
        return self.powers == [{k: 1} for k in range(len(self.motion.measured))]

    @property
    def degree(self) -> int:
        """Of V."""
        return 2 * max(sum(m.values()) for m in self.powers)

    def reach(self, k: int) -> arb:
        """How far a component of y may be from the point: of its powers u_j |u_j|^2 <= c (P^-1)_jj."""
        powers = ((j, m[k]) for j, m in enumerate(self.powers) if {*m} == {k})
        found = ((self.level * self.inverse[j, j]).root(2 * a).upper() for j, a in powers)
        return min(found, key=float)

    def require_limits(self) -> None:
        """Every limited function stays within its bound: |u_0| + sqrt(c k.P^-1 k) at most, or |u_0| + sum
        |k_i| |y_i|, of which the first is one of the linear monomials in u.
        """
        linear = {next(iter(m)): j for j, m in enumerate(self.powers) if sum(m.values()) == 1}
        for name, (value, slopes) in self.motion.limits.items():
            room = self.motion.given["limits"][name]["bound"] - abs(value)
            moved = {i: arb(c) for i, c in enumerate(slopes) if c}
            with ctx.workprec(BITS):
                reach = sum((abs(c) * self.reach(i) for i, c in moved.items()), arb(0))
                reach *= reach
                if {*moved} <= {*linear}:
                    row = {linear[i]: c for i, c in moved.items()}
                    k = matrix([[row.get(j, arb(0))] for j in range(len(self.powers))], 1)
                    reach = self.level * (k.transpose() * self.inverse * k)[0, 0]
                require(
                    room >= 0 and reach <= room * room,
                    f"it is not proved that {name[:80]!r} stays within its limit",
                    "theorem.limits",
                )


def products(monomials: list[Monomial], gram: Matrix) -> list[tuple[Monomial, fmpq]]:
    """The terms of a sum of squares."""
    return [
        (a + b, c if i == j else 2 * c)
        for i, (a, row) in enumerate(zip(monomials, gram, strict=True))
        for j, (b, c) in enumerate(zip(monomials[: i + 1], row, strict=False))
        if c
    ]


def definite(triangle: Matrix, n: int, may_vanish: bool = False) -> Matrix:
    """A symmetric matrix from its lower triangle, refused where it is not proved to be positive definite, or
    semidefinite where its square may vanish.
    """
    require(len(triangle) == n, "a matrix does not fit what it is of", "theorem")
    found = form(triangle, n)
    if not (positive_semidefinite(found) if may_vanish else positive_definite(found)):
        kind = "semidefinite" if may_vanish else "definite"
        raise Refusal(f"a matrix is not proved to be positive {kind}", "theorem")
    return found


def _powers(monomial: Monomial, places: list[int]) -> dict[int, int]:
    """Exponents by the number of a component of y; empty of one, and of what is no monomial of y alone."""
    found: Counter[int] = Counter()
    for k, e in monomial:
        found[k] += e
    return {places.index(k): e for k, e in (+found).items()} if {*+found} <= {*places} else {}


def _holds_powers(monomials: list[dict[int, int]], count: int) -> bool:
    """Whether a power of every component of y is among monomials."""
    return {k for m in monomials if len(m) == 1 for k in m} == {*range(count)}
