r"""A Lyapunov function and the sums of squares that show it to fall.

With y what is measured, all in deviations from the point, and vectors w, w_0, w_k of monomials,

.. math::
    V = y^T P y, \qquad
    -\dot V = w^T Q w + (c - V)\, w_0^T Q_0 w_0 + \sum_k h_k\, w_k^T Q_k w_k + \sum_j m_j r_j,

where :math:`h_k \ge 0` are the bounds of the setting, :math:`r_j` its relations, which vanish along
motions, and :math:`m_j` any polynomials. All matrices are positive definite, and w holds the components of
y: where :math:`V \le c`, V falls except at the point. The identity is one of polynomials with rational
coefficients.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat

from geoctrl.checker.clock import require_time
from geoctrl.checker.matrices import inverse
from geoctrl.checker.polynomials import require_short
from geoctrl.checker.reading import Refusal
from geoctrl.checker.squares.ring import Polynomial
from geoctrl.checker.squares.setting import Setting

MONOMIALS, DEGREE, BITS = 300, 8, 300
"""Of one sum of squares; degree of a monomial; of balls, in which matrices are divided."""
PRODUCTS = 5_000_000
"""Of terms, from which an identity is too large."""
REST, LEVEL = "rest", "level"

Monomial = tuple[tuple[int, int], ...]
Matrix = list[list[fmpq]]
Square = tuple[str, list[Monomial], Matrix]
"""What it is multiplied with, the monomials, and their matrix."""


class Fall:
    """What a file proposes, with its identity proved.

    Parameters
    ----------
    setting : Setting
    proposal : dict, as read: "function", "level", "squares", "multipliers"

    Attributes
    ----------
    setting : Setting
    level : fmpq
    """

    def __init__(self, setting: Setting, proposal: dict[str, Any]) -> None:
        self.setting, self.level = setting, proposal["level"]
        if not self.level > 0:
            raise Refusal("the level is not positive", "level")
        if len(proposal["function"]) != len(setting.measured):
            raise Refusal("the function is not one of what is measured", "function")
        self.matrix = symmetric(proposal["function"], "function")
        require_definite(self.matrix, "function")
        squares = [self._square(row, f"squares[{k}]") for k, row in enumerate(proposal["squares"])]
        if len(proposal["multipliers"]) != len(setting.relations):
            raise Refusal("one multiplier is needed for each relation", "multipliers")
        multipliers = []
        for number, terms in enumerate(proposal["multipliers"]):
            monomials = self._monomials([m for m, _ in terms], f"multipliers[{number}]")
            multipliers.append(dict(zip(monomials, (c for _, c in terms), strict=True)))
        if remainder(setting, self.matrix, self.level, squares, multipliers):
            raise Refusal("it is not proved that the function falls: the identity does not hold", "squares")
        rests = [monomials for times, monomials, _ in squares if times == REST]
        seen = {m[0][0] for monomials in rests for m in monomials if len(m) == 1 and m[0][1] == 1}
        if not {setting.variables.index(i) for i in setting.measured} <= seen:
            raise Refusal("it is not proved that the function falls but at the point", "squares")

    def _square(self, row: dict[str, Any], path: str) -> Square:
        """A sum of squares with a matrix that is positive definite."""
        monomials = self._monomials(row["monomials"], path)
        if len(row["matrix"]) != len(monomials):
            raise Refusal("a matrix does not fit its monomials", path)
        gram = symmetric(row["matrix"], path)
        require_definite(gram, path)
        if row["times"] not in (REST, LEVEL, *map(str, range(len(self.setting.bounds)))):
            raise Refusal("there is no such factor", path)
        return row["times"], monomials, gram

    def _monomials(self, given: list[list[tuple[int, int]]], path: str) -> list[Monomial]:
        """Monomials as read, each variable once; no monomial twice."""
        found = []
        for powers in given:
            variables = [k for k, _ in powers]
            if variables != sorted(set(variables)) or any(
                k >= len(self.setting.variables) for k in variables
            ):
                raise Refusal("a monomial is not written as it must be", path)
            if sum(e for _, e in powers) > DEGREE:
                raise Refusal("a monomial is of too high a degree", path)
            found.append(tuple((k, e) for k, e in powers))
        if len(set(found)) != len(found) or len(found) > MONOMIALS:
            raise Refusal("a monomial occurs twice, or there are too many", path)
        return found

    @cached_property
    def inverse(self) -> fmpq_mat:
        """Of the matrix of V."""
        return inverse(self.matrix)

    def require_limits(self) -> None:
        """Every limited function stays within its bound: |u_0| + sqrt(c k.P^-1 k) at most."""
        for name, (value, slopes) in self.setting.limits.items():
            room = self.setting.problem["limits"][name]["bound"] - abs(value)
            k = fmpq_mat(len(slopes), 1, slopes)
            reach = self.level * (k.transpose() * self.inverse * k)[0, 0]
            if room < 0 or reach > room * room:
                raise Refusal(f"it is not proved that {name[:80]!r} stays within its limit", "limits")


def remainder(
    setting: Setting,
    matrix: Matrix,
    level: fmpq,
    squares: list[Square],
    multipliers: list[dict[Monomial, fmpq]],
) -> Polynomial:
    """What the identity leaves: zero where it holds."""
    places = [setting.variables.index(i) for i in setting.measured]
    function = setting.polynomial(products([((k, 1),) for k in places], matrix))
    factors = {LEVEL: setting.polynomial({(): level}) - function}
    factors |= {str(k): h for k, h in enumerate(setting.bounds)}
    rest = -rate_of(setting, matrix)
    for by, monomials, gram in squares:
        total = setting.polynomial(products(monomials, gram))
        rest -= total if by == REST else _multiplied(total, factors[by])
    for terms, r in zip(multipliers, setting.relations, strict=True):
        if terms:
            rest -= _multiplied(setting.polynomial(terms), r)
    return rest


def rate_of(setting: Setting, matrix: Matrix) -> Polynomial:
    """The rate of V, unknowns among its variables."""
    y = [setting.generator(i) for i in setting.measured]
    terms = (
        (2 * c) * y[i] * setting.rates[j] for i, row in enumerate(matrix) for j, c in enumerate(row) if c
    )
    return sum(terms, setting.polynomial({}))


def _multiplied(p: Polynomial, q: Polynomial) -> Polynomial:
    """A product, refused where it is too large."""
    if len(p) * len(q) > PRODUCTS:
        raise Refusal("an identity is too large to be checked", "proof")
    require_time()
    require_short(p, q)
    return p * q


def products(monomials: list[Monomial], gram: list[list[fmpq]]) -> dict[Monomial, fmpq]:
    """The coefficients of w^T Q w."""
    found: dict[Monomial, fmpq] = {}
    for i, a in enumerate(monomials):
        for j in range(i + 1):
            if c := gram[i][j]:
                m = times(a, monomials[j])
                found[m] = found.get(m, fmpq(0)) + (c if i == j else 2 * c)
    return found


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(a)
    for k, e in b:
        powers[k] = powers.get(k, 0) + e
    return tuple(sorted(powers.items()))


def symmetric(rows: list[list[fmpq]], path: str) -> list[list[fmpq]]:
    """A symmetric matrix from the rows of its lower triangle."""
    n = len(rows)
    if not n or any(len(row) != i + 1 for i, row in enumerate(rows)):
        raise Refusal("a matrix is not given by its lower triangle", path)
    return [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def require_definite(rows: list[list[fmpq]], path: str) -> None:
    """Refused unless all pivots of an elimination in balls are positive."""
    with ctx.workprec(BITS):
        rest = [[arb(c) for c in row] for row in rows]
        while rest:
            require_time()
            (pivot, *first), *others = rest
            if not pivot > 0:
                raise Refusal("a matrix is not proved to be positive definite", path)
            factors = [row[0] / pivot for row in others]
            rest = [
                [c - f * b for c, b in zip(row[1:], first, strict=True)]
                for f, row in zip(factors, others, strict=True)
            ]
