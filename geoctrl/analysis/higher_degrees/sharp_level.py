r"""The highest level of a given function, where it is a rational number: the set below it is open.

At this level the rate vanishes somewhere at the edge, and the matrix of w'Qw is singular there. Its kernel is
read from a solution in doubles, and written in rational numbers; on what the kernel leaves, :math:`Q = T
\tilde Q T^T`, a solution has a margin again, which is rounded, and corrected by the identity's own linear
equations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy
from flint import fmpq, fmpq_mat

from geoctrl.analysis.higher_degrees.given_function import GivenFunction
from geoctrl.analysis.higher_degrees.polynomial_function import rate_of
from geoctrl.analysis.programs.semidefinite import Gram, MatrixProgram, entries
from geoctrl.analysis.quadratics.rounded_squares import (
    BITS,
    Matrix,
    Square,
    dyadic,
    powers_of,
    proposal,
    remainder,
)
from geoctrl.analysis.quadratics.search_coordinates import SearchCoordinates, times
from geoctrl.analysis.quadratics.setting_units import Exponents, Terms
from geoctrl.checker.definite import positive_definite
from geoctrl.checker.squares.identity import LEVEL, REST

__all__ = ["sharp_proof"]

AROUND = 2.0**-9
"""By how much the level may be above one that is not shown."""
SIZE = 10_000
"""Of numerators and denominators, of levels and of kernels."""
SINGULAR, NEAR = 1e-5, 1e-3
"""Eigenvalues that count as none, of the largest; how near to a rational number an entry of a kernel is."""
LEAST = 1e-7
"""Margin of what is left."""


class _PartOfSquares(NamedTuple):
    """Monomials of squares, and the columns T of combinations of them that are left."""

    monomials: list[Exponents]
    columns: list[list[fmpq]]


def sharp_proof(search: GivenFunction, low: float, high: float) -> dict[str, Any] | None:
    """The proposal for the checker of the open set below the simplest level next to two, of which one is
    shown; None where there is none.
    """
    level = simplest(Fraction(low), Fraction(high * (1 + AROUND)))
    if (
        max(level.numerator, level.denominator) > SIZE
        or search.identity.setting.relations
        or search.identity.setting.bounds
    ):
        return None
    step = _Sharp(search, level)
    blocks = step.blocks_left()
    return None if blocks is None else step.exactly(blocks)


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational number of least denominator between two (Stern, Brocot)."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    whole = math.floor(low)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


class _Sharp:
    """The proof at one level."""

    def __init__(self, search: GivenFunction, level: Fraction) -> None:
        self._identity = identity = search.identity
        self._setting = identity.setting
        self._level = fmpq(level.numerator, level.denominator)
        self._function = search.exact._replace(level=self._level)
        self._rest, self._factor = search.monomials_at(float(level))
        sizes = identity.units.sizes[:, None] * identity.coordinates.matrix
        self._at = SearchCoordinates(sizes, identity.places)
        self._terms = identity.coordinates.terms(search.terms_at(float(level)))
        self._unit = identity.units.pace * float(level)

    def _sizes(self, block: list[Exponents]) -> np.ndarray:
        """Monomials in coordinates, which mix none, by those of the variables."""
        return np.diag(self._at.monomials(block))

    # -- programs in doubles --------------------------------------------------------------------------

    def _solution(
        self, columns: list[tuple[list[Exponents], np.ndarray]], with_margin: bool
    ) -> tuple[list[np.ndarray], list[np.ndarray]] | None:
        """Matrices of squares of combinations of monomials, and those of the factor, with the largest margin
        of these, or of all.
        """
        program = MatrixProgram(lambda: self._identity.left())
        margin = program.number()
        parts, one = list[Gram](), {(0,) * self._identity.size: 1.0}
        for block, T in columns:
            gram = program.matrix(T.shape[1])
            parts.append(gram)
            for i, j in gram:
                for m, c in _product(block, T[:, i], T[:, j]).items():
                    program.add(m, gram[i, j], c * (1.0 if i == j else 2.0))
                    if i == j and with_margin:
                        program.add(m, margin, c)
        room = one | {m: -c for m, c in self._terms.items()}
        factors = []
        for block in self._factor:
            gram = program.matrix(len(block))
            factors.append(gram)
            for i, j in gram:
                for n, c in room.items():
                    key = times(times(block[i], block[j]), n)
                    program.add(key, gram[i, j], c * (1.0 if i == j else 2.0))
                    if i == j:
                        program.add(key, margin, c)
        for m, c in rate_of(self._terms, self._identity.places, self._identity.rates).items():
            program.add_constant(m, c)
        program.at_most({margin: 1.0}, 1.0)
        x = program.minimum({margin: -1.0})
        if x is None or not x[margin] > LEAST:
            return None
        own = x[margin] if with_margin else 0.0
        return (
            [
                entries(gram, x) + own * np.eye(T.shape[1])
                for gram, (_, T) in zip(parts, columns, strict=True)
            ],
            [entries(g, x) + x[margin] * np.eye(len(b)) for g, b in zip(factors, self._factor, strict=True)],
        )

    def blocks_left(self) -> list[_PartOfSquares] | None:
        """Combinations of monomials that are left of what a first solution has; None where its kernel is not
        one of rational numbers.
        """
        found = self._solution([(block, np.eye(len(block))) for block in self._rest], False)
        if found is None:
            return None
        largest = max(float(np.linalg.eigvalsh(g)[-1]) for part in found for g in part)
        blocks = []
        for block, gram in zip(self._rest, found[0], strict=True):
            values, vectors = np.linalg.eigh(gram)
            kernel = (vectors[:, values < SINGULAR * largest] / self._sizes(block)[:, None]).T
            if (columns := _complement(kernel)) is None:
                return None
            if columns:
                blocks.append(_PartOfSquares(block, columns))
        return blocks

    # -- exact numbers --------------------------------------------------------------------------------

    def exactly(self, blocks: list[_PartOfSquares]) -> dict[str, Any] | None:
        """The proof with what is left, in exact numbers."""
        scaled = []
        for block, columns in blocks:
            T = np.array([[float(c.p) / float(c.q) for c in column] for column in columns]).T
            own = T / self._sizes(block)[:, None]
            shifts = np.exp2(-np.rint(np.log2(np.linalg.norm(own, axis=0))))
            exact = [
                [c * fmpq(*float(s).as_integer_ratio()) for c in column]
                for s, column in zip(shifts, columns, strict=True)
            ]
            scaled.append((_PartOfSquares(block, exact), own * shifts))
        found = self._solution([(b.monomials, T) for b, T in scaled], True)
        if found is None:
            return None
        for bits in BITS:
            inner = [dyadic(g * self._unit, bits) for g in found[0]]
            factors = []
            for block, g in zip(self._factor, found[1], strict=True):
                sizes = self._sizes(block)
                factors.append(dyadic(g * self._identity.units.pace * np.outer(sizes, sizes), bits))
            made = self._corrected_squares([b for b, _ in scaled], inner, factors)
            if made is not None and all(map(positive_definite, (*inner, *factors))):
                return proposal(self._setting, self._function, made, []) | {"open": True}
        return None

    def _corrected_squares(
        self, blocks: list[_PartOfSquares], inner: list[Matrix], factors: list[Matrix]
    ) -> list[Square] | None:
        """Squares with which the identity holds: matrices are changed by what it lacks."""
        rest = remainder(self._setting, self._function, self._squares(blocks, inner, factors), [])
        unknowns, columns = list[tuple[Matrix, int, int]](), list[Any]()
        room = self._setting.polynomial({(): self._level}) - self._function.polynomial(self._setting)
        for block, gram in zip(blocks, inner, strict=True):
            own = [
                self._setting.polynomial(
                    {powers_of(m): c for m, c in zip(block.monomials, column, strict=True)}
                )
                for column in block.columns
            ]
            for i, j, p in _products(own):
                unknowns.append((gram, i, j))
                columns.append(p)
        for monomials, gram in zip(self._factor, factors, strict=True):
            own = [self._setting.polynomial({powers_of(m): fmpq(1)}) for m in monomials]
            for i, j, p in _products(own):
                unknowns.append((gram, i, j))
                columns.append(p * room)
        terms = [{tuple(m): c for m, c in p.terms()} for p in (*columns, rest)]
        keys = list(dict.fromkeys(m for p in terms for m in p))
        table = [p.get(m, fmpq(0)) for m in keys for p in terms]
        solved, rank = fmpq_mat(len(keys), len(terms), table).rref()
        for row in range(rank):
            pivot = next(k for k in range(len(terms)) if solved[row, k])
            if pivot == len(columns):
                return None
            gram, i, j = unknowns[pivot]
            gram[i][j] += solved[row, len(columns)]
            gram[j][i] = gram[i][j]
        return self._squares(blocks, inner, factors)

    def _squares(
        self, blocks: list[_PartOfSquares], inner: list[Matrix], factors: list[Matrix]
    ) -> list[Square]:
        found: list[Square] = []
        for (monomials, columns), gram in zip(blocks, inner, strict=True):
            T = fmpq_mat(len(columns), len(monomials), [c for column in columns for c in column])
            Q = T.transpose() * fmpq_mat(len(gram), len(gram), [c for row in gram for c in row]) * T
            n = len(monomials)
            rows = [[Q[i, j] for j in range(n)] for i in range(n)]
            found.append((REST, list(map(powers_of, monomials)), rows))
        return found + [
            (LEVEL, list(map(powers_of, block)), gram)
            for block, gram in zip(self._factor, factors, strict=True)
        ]


def _product(block: list[Exponents], a: np.ndarray, b: np.ndarray) -> Terms:
    """The polynomial of two combinations of monomials."""
    found: Terms = {}
    for m, c in zip(block, a, strict=True):
        for n, d in zip(block, b, strict=True):
            if c and d:
                key = times(m, n)
                found[key] = found.get(key, 0.0) + float(c * d)
    return found


def _products(own: list[Any]) -> Iterator[tuple[int, int, Any]]:
    """Products of polynomials, twice those of two."""
    for i, p in enumerate(own):
        for j in range(i + 1):
            yield i, j, p * own[j] * (1 if i == j else 2)


def _complement(kernel: np.ndarray) -> list[list[fmpq]] | None:
    """A basis of all vectors that rows of numbers take to zero, these made rational; None where some are
    none.
    """
    count = kernel.shape[1]
    if not len(kernel):
        return [[fmpq(i == j) for i in range(count)] for j in range(count)]
    sizes = np.linalg.norm(kernel, axis=0)
    _, order = scipy.linalg.qr(kernel / np.where(sizes > 0, sizes, 1.0), mode="r", pivoting=True)
    pivots, others = order[: len(kernel)], sorted(order[len(kernel) :])
    table = np.linalg.solve(kernel[:, pivots], kernel[:, others])
    found = []
    for k, j in enumerate(others):
        column = [fmpq(0)] * count
        column[j] = fmpq(1)
        for i, value in zip(pivots, table[:, k], strict=True):
            near = _rational_near(float(value))
            if near is None:
                return None
            column[i] = -fmpq(near.numerator, near.denominator)
        found.append(column)
    return found


def _rational_near(value: float) -> Fraction | None:
    """The simplest rational number next to a double; None where that is not simple."""
    if abs(value) < NEAR:
        return Fraction(0)
    around = sorted((Fraction(value * (1 - NEAR)), Fraction(value * (1 + NEAR))))
    found = simplest(*around) if value > 0 else -simplest(-around[1], -around[0])
    return found if max(abs(found.numerator), found.denominator) <= SIZE else None
