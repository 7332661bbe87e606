"""Characteristic polynomials in symbols, and where their roots lie."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl.analysis.symbolic.formulas import Formula
from geoctrl.analysis.symbolic.rational_functions import RationalFunction
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns

__all__ = ["attracting", "characteristic", "growing", "irreducible_blocks", "without_zeros"]

Rows = list[list[RationalFunction]]


def irreducible_blocks(A: Rows) -> list[list[int]]:
    """Indices of the diagonal blocks of a matrix that is block triangular in some order."""
    n = range(len(A))
    reach = [{j for j in n if A[i][j]} | {i} for i in n]
    for k in n:
        for i in n:
            if k in reach[i]:
                reach[i] |= reach[k]
    blocks: list[list[int]] = []
    for i in n:
        if not any(i in block for block in blocks):
            blocks.append([j for j in n if j in reach[i] and i in reach[j]])
    return blocks


def characteristic(A: Rows) -> list[RationalFunction]:
    """Coefficients of det(x I - A), the leading one first, without divisions (Samuelson, Berkowitz)."""
    field = A[0][0].field
    coefficients = [field.one]
    for k, row in enumerate(A):
        # The Toeplitz column 1, -a_kk, -r s, -r M s, ... of the leading minor's M, r its row, s its column.
        column = [field.one, -row[k]]
        vector = [A[i][k] for i in range(k)]
        for _ in range(k):
            column.append(-_dot(row[:k], vector))
            vector = [_dot(A[i][:k], vector) for i in range(k)]
        coefficients = [
            _dot(
                [column[i - j] if 0 <= i - j < len(column) else field.zero for j in range(k + 1)],
                coefficients,
            )
            for i in range(k + 2)
        ]
    return coefficients


def _dot(a: Sequence[RationalFunction], b: Sequence[RationalFunction]) -> RationalFunction:
    return a[0].field.dot(a, b)


def without_zeros(polynomial: Sequence[RationalFunction]) -> list[RationalFunction]:
    """The polynomial divided by the power of x that divides it whatever the symbols are."""
    end = max(i for i, c in enumerate(polynomial) if c)
    return list(polynomial[: end + 1])


def growing(signs: KnownSigns, polynomial: Sequence[RationalFunction]) -> Formula:
    r"""Conditions each of which suffices for a root with a positive real part.

    A negative coefficient or Hurwitz determinant; of :math:`q(x^2)`, whose roots must be real and negative,
    a negative coefficient or leading minor of Hermite's form (sums of powers of the roots), the last of
    which is the discriminant.
    """
    polynomial = without_zeros(polynomial)
    candidates = list(polynomial[1:])
    if not any(polynomial[1::2]):
        candidates += _hermite_minors(polynomial[::2])[1:]
    else:
        candidates += hurwitz_determinants(polynomial)[1:-1]
    return signs.either(signs.negative(c) for c in candidates if c)


def attracting(signs: KnownSigns, polynomial: Sequence[RationalFunction]) -> Formula:
    """All roots but those at zero have negative real parts: Hurwitz, halved by Lienard and Chipart."""
    polynomial = without_zeros(polynomial)
    if len(polynomial) == 1:
        return True
    if not all(polynomial):
        return False
    degree = len(polynomial) - 1
    determinants = hurwitz_determinants(polynomial)
    orders = range(degree - 1, 0, -2)
    return signs.every(
        [
            *map(signs.positive, polynomial[1:]),
            *(signs.positive(determinants[k - 1]) for k in orders if k > 1),
        ]
    )


def hurwitz_determinants(polynomial: Sequence[RationalFunction]) -> list[RationalFunction]:
    """Leading minors of the Hurwitz matrix, of all orders up to the degree."""
    degree, zero = len(polynomial) - 1, polynomial[0].field.zero

    def entry(i: int, j: int) -> RationalFunction:
        k = 2 * j - i + 1
        return polynomial[k] if 0 <= k <= degree else zero

    return _minors([[entry(i, j) for j in range(degree)] for i in range(degree)])


def _hermite_minors(q: Sequence[RationalFunction]) -> list[RationalFunction]:
    """Leading minors of the sums of powers s_(i+j) of the roots of a monic polynomial (Newton)."""
    degree, field = len(q) - 1, q[0].field
    if degree < 2:
        return [field.one]
    sums = [field.element(degree)]
    for k in range(1, 2 * degree - 1):
        total = -k * q[k] if k <= degree else field.zero
        for i in range(1, min(k, degree + 1)):
            total = total - q[i] * sums[k - i]
        sums.append(total)
    return _minors([[sums[i + j] for j in range(degree)] for i in range(degree)])


def _minors(matrix: Rows) -> list[RationalFunction]:
    """Leading principal minors, each by its characteristic polynomial: none of them need be nonzero."""
    return [
        (-1) ** k * characteristic([row[:k] for row in matrix[:k]])[-1] for k in range(1, len(matrix) + 1)
    ]
