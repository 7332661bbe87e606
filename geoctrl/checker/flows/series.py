r"""The rates of a problem along a motion, as power series in balls, and Taylor coefficients of the motion.

States are over their sizes, and the period T is one more state, whose rate is zero: with y = x/d and
:math:`\tau = T/d_T` the equations are :math:`y' = \tau d_T f(dy)/d` over s = t/T. Sizes are powers of two;
numbers are then next to one in all units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import zip_longest
from typing import Any

from flint import arb, arb_mat, arb_series, ctx, fmpq

from geoctrl.checker.definite import Rows
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.cells import constants, matrix
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import require, spend
from geoctrl.checker.question import Question

FUNCTIONS: dict[str, Callable[[arb_series], arb_series]] = {
    "sqrt": lambda x: x.sqrt(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "atan": lambda x: x.atan(),
}


HELD, WORDS = 10_000_000, 6
"""Words of the numbers of one evaluation, at most; and how many one takes besides its bits."""


@contextmanager
def terms_of_series(count: int) -> Iterator[None]:
    """So many terms of series, in what follows alone: python-flint has one number for a whole process."""
    before, ctx.cap = ctx.cap, count
    try:
        yield
    finally:
        ctx.cap = before


class Series:
    """Power series in s, up to the order of the context: an arithmetic for jets."""

    def __init__(self) -> None:
        self._balls = Balls(order=1, left=HELD, size=words_of_series())
        self.order, self.number, self.count = 1, self._balls.number, self._balls.count

    def function(self, name: str, _place: int | None, *x: Any) -> arb_series:
        """A function of a series; what has no value has coefficients that are not finite."""
        return FUNCTIONS[name](x[0] * arb_series([1]))

    def sign(self, _place: int, x: Any) -> int:
        """That of the first coefficient, zero where it is not certain."""
        return self._balls.sign(_place, coefficient(x, 0))


def words_of_series() -> int:
    """Of the numbers of one."""
    return int(ctx.cap * (WORDS + ctx.prec // 64))


def coefficient(x: Any, k: int) -> arb:
    """Of a series, or of a number."""
    return x[k] if isinstance(x, arb_series) else x if k == 0 else arb(0)


def coefficients(rows: Rows) -> list[arb_mat]:
    """Those of a matrix of series, up to the order of the context."""
    require(len(rows) * len(rows[0]) * words_of_series() <= HELD, "too many numbers occur")
    entries = (c.coeffs() if isinstance(c, arb_series) else [c] for row in rows for c in row)
    return [
        arb_mat(len(rows), len(rows[0]), found)
        for _, *found in zip_longest([arb(0)] * ctx.cap, *entries, fillvalue=arb(0))
    ]


def divided_by(K: Rows) -> Callable[[Rows], Rows]:
    """What gives X with K X = right, for K of which the first coefficients, next to one by their inverse, are
    regular.
    """
    first, *A = coefficients(K)
    near = first.mid().inv().mid()
    inverse = (near * first).inv() * near
    moving = [(j, a) for j, a in enumerate(A, 1) if not all(x == 0 for x in a.entries())]

    def quotient(right: Rows) -> Rows:
        found = list[arb_mat]()
        for k, rest in enumerate(coefficients(right)):
            found.append(inverse * sum((-times(a, found[k - j]) for j, a in moving if j <= k), rest))
        return [
            [arb_series([X[i, j] for X in found]) for j in range(len(right[0]))] for i in range(len(right))
        ]

    return quotient


class Motion:
    """Motions of a question, from balls of states.

    Parameters
    ----------
    units : sequence of int
        Exponents of two of d, for the states and then for the period.
    degree : int
        N.
    """

    def __init__(self, q: Question, units: Sequence[int], degree: int) -> None:
        self.q, self.degree = q, degree
        self.sizes = [arb(fmpq(2) ** e) for e in units]
        self._constants = constants(q, 1)

    def states_at(self, z: Sequence[Any]) -> dict[int, Jet]:
        """Constants, and states over their sizes."""
        states = enumerate(zip(self.q.states, z, self.sizes, strict=False))
        return self._constants | {p: Jet({(): x * d, (i,): d}, 1) for i, (p, x, d) in states}

    def symbols_at(self, z: Sequence[Any]) -> dict[int, Jet]:
        """The same with the unknowns."""
        known = self.states_at(z)
        if self.q.unknowns:
            known |= zip(self.q.unknowns, self._unknowns(known), strict=True)
        return known

    def _unknowns(self, known: dict[int, Jet]) -> list[Jet]:
        """Those of K z = b; and as b - K z vanishes with z as it is, K Dz = D(b - K z)."""
        cells, left = self.q.problem["matrix"], self.jets(self.q.problem["right"], known)
        entries = self.jets([p for *_, p in cells], known)
        K = [[arb(0)] * len(left) for _ in left]
        for (i, j, _), entry in zip(cells, entries, strict=True):
            K[i][j] = entry.value
        divided = divided_by(K)
        z = divided([[jet.value] for jet in left])
        for (i, j, _), entry in zip(cells, entries, strict=True):
            left[i] += entry * Jet({(): -z[j][0]}, 1)
        slopes = divided([[jet.terms.get((m,), arb(0)) for m in range(len(self.q.labels))] for jet in left])
        return [
            Jet({(): x} | {(m,): c for m, c in enumerate(row)}, 1)
            for (x,), row in zip(z, slopes, strict=True)
        ]

    def jets(self, nodes: Sequence[int], at: dict[int, Jet]) -> list[Jet]:
        """Functions along the motion, with derivatives by the states over their sizes."""
        return evaluate(self.q.table, nodes, at, Series())

    def functions(self, nodes: Sequence[int], columns: Sequence[arb_mat]) -> list[list[arb]]:
        """Coefficients of functions of the states along motions with some coefficients."""
        with terms_of_series(len(columns)):
            values = self.jets_along(nodes, columns)
        return [[coefficient(jet.value, k) for k in range(len(columns))] for jet in values]

    def jets_along(self, nodes: Sequence[int], columns: Sequence[arb_mat]) -> list[Jet]:
        """Functions of the states along such motions as series, with derivatives by states over sizes."""
        return self.jets(nodes, self.states_at(columns_as_series(columns)))

    def rates(self, z: Sequence[Any]) -> tuple[list[arb_mat], list[arb_mat]]:
        """F, as columns, and DF, along z(s); the last row is that of the period."""
        *sizes, unit = self.sizes
        tau, rates = (
            Jet({(): z[-1], (len(sizes),): arb(1)}, 1),
            self.jets(self.q.problem["field"], self.symbols_at(z)),
        )
        F = [rate * tau * Jet({(): unit / d}, 1) for rate, d in zip(rates, sizes, strict=True)]
        still = [arb(0)] * len(z)
        return coefficients([*([jet.value] for jet in F), still[:1]]), coefficients(
            [*([jet.terms.get((m,), arb(0)) for m in range(len(z))] for jet in F), still]
        )

    def coefficients(self, z: Sequence[arb], degree: int) -> list[arb_mat]:
        """Those of z(s) up to a degree, from balls of starts.

        With z(s) known up to the order m, what is missing solves d' = DF d + F up to the order 2 m.
        """
        found = [matrix([[c] for c in z], 1)]
        while (m := len(found)) <= degree:
            count = min(2 * m, degree + 1) - 1
            with terms_of_series(count):
                F, A = self.rates(columns_as_series(found))
            for k in range(m - 1, count):
                later = (times(A[k - j], found[j]) for j in range(m, k + 1))
                found.append(sum(later, F[k]) / (k + 1))
        return found

    def derivatives(self, motion: Sequence[arb_mat], degree: int) -> list[arb_mat]:
        """Coefficients of the derivative of z(s) by its start."""
        found = [arb_mat(motion[0].nrows(), motion[0].nrows(), 1)]
        with terms_of_series(degree):
            _, A = self.rates(columns_as_series(motion))
        for k in range(degree):
            found.append(sum((times(A[j], found[k - j]) for j in range(1, k + 1)), A[0] * found[k]) / (k + 1))
        return found


def columns_as_series(columns: Sequence[arb_mat]) -> list[arb_series]:
    """Coefficients of series, one after the other, as series."""
    return [arb_series([c[i, 0] for c in columns]) for i in range(columns[0].nrows())]


def times(a: arb_mat, b: arb_mat) -> arb_mat:
    """A product, as long as there is time."""
    spend()
    return a * b


def value_at(coefficients: Sequence[Any], h: arb) -> Any:
    """A polynomial at h (Horner)."""
    return reduce(lambda total, c: total * h + c, reversed(coefficients))


def require_finite(*values: Sequence[arb_mat]) -> None:
    """Refused unless all that is computed with is bounded."""
    require(
        all(c.is_finite() for part in values for M in part for c in M.entries()),
        "a value is not bounded along the orbit",
        "theorem.steps",
    )
