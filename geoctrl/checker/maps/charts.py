"""The linearisation on a chart, the kernel of independent gradients, and where its roots lie.

Functions of the axes are given and compared with what the equations give: block after block coefficients of
the characteristic polynomial of the linearisation on the kernel, and minors of these. Sums and products are
all that is done, and division by whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.definite import Rows, product
from geoctrl.checker.identities import Ratio
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.maps.members import Members
from geoctrl.checker.reader import EXPONENT, integer, label, place
from geoctrl.checker.verdicts import tangent_motion, tangents

MINORS = 16
"""Rows of a matrix, at most."""
BLOCK = {"states": [integer(0, EXPONENT)], "coefficients": [place], "minors": [place]}
CHART = {"rows": [label], "free": [label], "inverse": [[place]], "blocks": [BLOCK]}
"""Gradients of ``rows`` with an inverse by the states that are not free; blocks of the linearisation B by the
turns of those that are, each one without entries to the left of it. Coefficients are those of det(x - B)
after the leading one, up to the last one that does not vanish; of the minors, the first ones are given."""


class BlockPolynomial(NamedTuple):
    """The characteristic polynomial of a block: of its roots so many are zero, the others those of a
    polynomial with these coefficients, as places of functions.

    ``even`` where it is one of x^2. Of ``minors``, none of which is negative where no root lies to the right
    of the axis, so many belong to it that all of them positive say more.
    """

    zeros: int
    even: bool
    coefficients: list[int]
    minors: list[int]


class MapChart:
    """The common kernel of the gradients of some functions, where these are independent.

    Parameters
    ----------
    members : Members
    given : dict

    Attributes
    ----------
    tangents : rows
        W, by states.
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        F = self._field = members.field
        self._members, self._given = members, given
        self._basis = given | {"inverse": [F.values(row) for row in given["inverse"]]}
        self.tangents = tangents(members.question, self._basis)
        self.extra = len(given["rows"]) - len(members.problem["leaf"])

    @cached_property
    def blocks(self) -> list[BlockPolynomial]:
        """Polynomials of which the roots are those of the linearisation on the kernel, which it keeps."""
        B = tangent_motion(self._members.question, self._basis)
        turns = [block["states"] for block in self._given["blocks"]]
        require(
            sorted(i for states in turns for i in states) == list(range(len(B))),
            "blocks hold each state that is free once",
            "theorem.charts",
        )
        before = list[int]()
        for states in turns:
            if any(B[i][j] != 0 for i in states for j in before):
                raise Refusal("the linearisation does not fall into these blocks", "theorem.charts")
            before += states
        return [self._polynomial(B, block) for block in self._given["blocks"]]

    def _polynomial(self, B: Rows, block: dict[str, Any]) -> BlockPolynomial:
        F, states, given = self._field, block["states"], self._field.values(block["coefficients"])
        zeros = len(states) - len(given)
        found = characteristic([[B[i][j] for j in states] for i in states])
        require(
            found == [F.number(1), *given, *[F.number(0)] * zeros],
            "it is not the characteristic polynomial of the block",
            "theorem.charts",
        )
        even = not len(given) % 2 and all(c == 0 for c in given[::2])
        matrix = hermite(given[1::2], F.number(0)) if even else hurwitz(given, F.number(0))
        require(
            leading_minors(matrix, len(block["minors"])) == F.values(block["minors"]),
            "they are not the minors of the polynomial",
            "theorem.charts",
        )
        return BlockPolynomial(zeros, even, block["coefficients"], block["minors"])


def characteristic(A: Rows) -> list[Any]:
    """Coefficients of det(x - A), leading one first (Faddeev, Leverrier)."""
    n, polynomial, image = range(len(A)), [fmpq(1)], A
    for k in range(1, len(A) + 1):
        polynomial.append(sum((image[i][i] for i in n), fmpq(0)) * fmpq(-1, k))
        shifted = [
            [c + polynomial[-1] * fmpq(i == j) for j, c in enumerate(row)] for i, row in enumerate(image)
        ]
        image = product(A, shifted) if k < len(A) else image
    return polynomial


def leading_minors(A: Rows, count: int) -> list[Ratio]:
    """Determinants of the first k rows and columns, k = 1, 2, ..., by expansion along the last row."""
    if count > MINORS:
        raise Refusal("minors of so large a matrix are not computed", "theorem")
    found: dict[tuple[int, ...], Any] = {(): fmpq(1)}
    minors = []
    for k, row in enumerate(A[:count]):
        further: dict[tuple[int, ...], Any] = {}
        for columns, minor in found.items():
            for j, c in enumerate(row[:count]):
                if j not in columns and c != 0:
                    key = tuple(sorted((*columns, j)))
                    term = minor * c * (-1) ** (k - key.index(j))
                    further[key] = further[key] + term if key in further else term
        found = further
        minors.append(found.get(tuple(range(k + 1)), fmpq(0)))
    return minors


def hurwitz(p: Sequence[Ratio], zero: Ratio) -> Rows:
    """Hurwitz's matrix of a polynomial with leading coefficient one: leading minors are all positive where
    its roots lie to the left of the axis, and none is negative where none lies to the right.
    """
    known, n = dict(enumerate([zero + 1, *p])), range(len(p))
    return [[known.get(2 * j - i + 1, zero) for j in n] for i in n]


def hermite(q: Sequence[Ratio], zero: Ratio) -> Rows:
    """Sums of powers of the roots of a polynomial with leading coefficient one (Newton): leading minors are
    all positive where its roots are real and distinct, and none is negative where they are real.
    """
    n, sums = len(q), [zero + len(q)]
    for k in range(1, 2 * n - 1):
        terms = (q[i - 1] * sums[k - i] for i in range(1, min(k, n + 1)))
        sums.append(-(sum(terms, zero) + (q[k - 1] * k if k <= n else zero)))
    return [sums[i : i + n] for i in range(n)]
