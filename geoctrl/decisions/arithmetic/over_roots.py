"""Matrices and polynomials over a field with square roots, in the terms of `fmpq_mat` and `fmpq_poly`.

A matrix is one of rationals, each number as the block that multiplies by it. Sums, products and inverses of
blocks are those of the numbers, and the reduced row echelon form of blocks is that of the numbers: its pivots
are whole blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import fmpq, fmpq_mat

from geoctrl.decisions.arithmetic.tower import Number, Root, block, unblock
from geoctrl.decisions.reading.clock import require_time


class SurdMatrix:
    """Numbers of the field of a root, as a rational matrix of blocks."""

    def __init__(self, root: Root, blocks: fmpq_mat) -> None:
        self._root, self._blocks = root, blocks

    @classmethod
    def over(cls, root: Root) -> Callable[[int, int, Sequence[Number]], SurdMatrix]:
        """The constructor of matrices of a field: numbers of rows and columns, entries by rows."""

        def of(rows: int, columns: int, entries: Sequence[Number]) -> SurdMatrix:
            made = [block(x, root).tolist() for x in entries]
            flat = [
                c
                for i in range(rows)
                for line in range(root.size)
                for part in made[i * columns : (i + 1) * columns]
                for c in part[line]
            ]
            return cls(root, fmpq_mat(rows * root.size, columns * root.size, flat))

        return of

    def nrows(self) -> int:
        """Number of rows."""
        return self._blocks.nrows() // self._root.size

    def ncols(self) -> int:
        """Number of columns."""
        return self._blocks.ncols() // self._root.size

    def __getitem__(self, place: tuple[int, int]) -> Number:
        m = self._root.size
        i, j = (m * k for k in place)
        return unblock([self._blocks[i + k, j] for k in range(m)], self._root)

    def tolist(self) -> list[list[Number]]:
        """The numbers by rows."""
        return [[self[i, j] for j in range(self.ncols())] for i in range(self.nrows())]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SurdMatrix) and self._blocks == other._blocks

    __hash__ = None  # type: ignore[assignment]

    def __mul__(self, other: SurdMatrix) -> SurdMatrix:
        return SurdMatrix(self._root, self._blocks * other._blocks)

    def transpose(self) -> SurdMatrix:
        """Rows as columns."""
        columns = zip(*self.tolist(), strict=True)
        return SurdMatrix.over(self._root)(self.ncols(), self.nrows(), [x for c in columns for x in c])

    def solve(self, right: SurdMatrix) -> SurdMatrix:
        """X of A X = right; ZeroDivisionError where A is singular."""
        return SurdMatrix(self._root, self._blocks.solve(right._blocks))

    def rank(self) -> int:
        """Number of independent rows."""
        return self._blocks.rank() // self._root.size

    def rref(self) -> tuple[SurdMatrix, int]:
        """The reduced row echelon form and the rank."""
        reduced, count = self._blocks.rref()
        return SurdMatrix(self._root, reduced), count // self._root.size

    def charpoly(self) -> SurdPolynomial:
        """By Faddeev and Le Verrier: c_k = -tr(A M_k)/k, M_(k+1) = A M_k + c_k."""
        n, of = self.nrows(), SurdMatrix.over(self._root)
        coefficients: list[Number] = [fmpq(1)]
        image = self._blocks
        for k in range(1, n + 1):
            require_time()
            product = SurdMatrix(self._root, image)
            c = -sum((product[i, i] for i in range(n)), fmpq(0)) / k
            coefficients.append(c)
            scalar = of(n, n, [c if i == j else fmpq(0) for i in range(n) for j in range(n)])
            image = self._blocks * (image + scalar._blocks)
        return SurdPolynomial(coefficients[::-1])


class SurdPolynomial:
    """A polynomial, its coefficients from the constant one on."""

    def __init__(self, coefficients: Sequence[Number]) -> None:
        self._c = list(coefficients)
        while self._c and not self._c[-1]:
            self._c.pop()

    def coeffs(self) -> list[Number]:
        """All of them, the constant one first."""
        return list(self._c)

    def degree(self) -> int:
        """That of zero is -1."""
        return len(self._c) - 1

    def leading_coefficient(self) -> Number:
        """The last one; zero has none."""
        return self._c[-1]

    def __getitem__(self, k: int) -> Number:
        return self._c[k] if k < len(self._c) else fmpq(0)

    def __bool__(self) -> bool:
        return bool(self._c)

    def __neg__(self) -> SurdPolynomial:
        return SurdPolynomial([-c for c in self._c])

    def derivative(self) -> SurdPolynomial:
        """p'."""
        return SurdPolynomial([k * c for k, c in enumerate(self._c)][1:])

    def __divmod__(self, other: SurdPolynomial) -> tuple[SurdPolynomial, SurdPolynomial]:
        rest, lead, quotient = list(self._c), other._c[-1], list[Number]()
        for shift in range(len(rest) - len(other._c), -1, -1):
            require_time()
            quotient.append(rest.pop() / lead)
            for k, c in enumerate(other._c[:-1]):
                rest[shift + k] = rest[shift + k] - quotient[-1] * c
        return SurdPolynomial(quotient[::-1]), SurdPolynomial(rest)

    def __floordiv__(self, other: SurdPolynomial) -> SurdPolynomial:
        return divmod(self, other)[0]

    def __mod__(self, other: SurdPolynomial) -> SurdPolynomial:
        return divmod(self, other)[1]

    def gcd(self, other: SurdPolynomial) -> SurdPolynomial:
        """The monic greatest common divisor, by Euclid."""
        a, b = self, other
        while b:
            a, b = b, (a % b)._monic()
        return a._monic()

    def _monic(self) -> SurdPolynomial:
        """Divided by its leading coefficient, which keeps the numbers of a chain short."""
        return SurdPolynomial([c / self._c[-1] for c in self._c])
