"""Exact linear algebra over the rationals, with square roots or without, and the place of a polynomial's
roots about the imaginary axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, reduce
from itertools import pairwise
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpq_poly, fmpz

from geoctrl.decisions.arithmetic.over_roots import SurdMatrix, SurdPolynomial
from geoctrl.decisions.arithmetic.tower import Number, Root, rationals, sign, top
from geoctrl.decisions.reading.clock import require_time
from geoctrl.decisions.reading.problem_reader import Refusal

Rows = list[list[Number]]
REMEMBERED = 16
"""Characteristic polynomials, and where their roots lie, that are asked for more than once."""

_ZERO = fmpq(0)
_TURNS = 3
"""Of rows and columns that are brought next to one."""
SIZE, CHARACTERISTIC = 3e11, 4e10
"""Cube of the size times length of the numbers to the power 3/2, in bits: what seconds of elimination do."""


def matrix(rows: Rows, columns: int, limit: float = SIZE) -> Any:
    """A matrix of a known number of columns, in the field of the highest root in it, refused where its
    elimination would take too long.
    """
    return _matrix_over(_root(rows), rows, columns, limit)


def _matrix_over(root: Root | None, rows: Rows, columns: int, limit: float = SIZE) -> Any:
    """The matrix of `matrix`, in the field of a root that is known."""
    require_time()
    entries = [q for row in rows for q in row]
    made: Any = fmpq_mat
    size, held = 1, [q for q in entries if q]
    if root is not None:
        made, size = SurdMatrix.over(root), root.size
        held = [c for x in [*held, *(r.radicand for r in [*root.below, root])] for c in rationals(x)]
    common = reduce(fmpz.lcm, {int(q.q): q.q for q in held}.values(), fmpz(1))
    bits = int(common).bit_length() + max((q.height_bits() for q in held), default=0)
    if size**3 * len(entries) * max(len(rows), columns) * bits**1.5 > limit:
        raise Refusal("its matrices are too large to be checked")
    return made(len(rows), columns, entries)


def inverse(rows: Rows) -> fmpq_mat:
    """Of a matrix of rationals that is known to be invertible."""
    return matrix(rows, len(rows)).inv()


def _root(*parts: Rows) -> Root | None:
    """The highest root in some matrices, which are to be multiplied."""
    return top(q for rows in parts for row in rows for q in row)


class Span:
    """What independent rows span, taken in one after the other.

    Gradients of relations hold few of the states: rows are dicts of what is not zero in them, with a one at
    their pivot, so that one row more costs what it holds and no elimination of all the others anew.
    """

    def __init__(self, rows: Iterable[Sequence[Number]] = ()) -> None:
        self.rows: Rows = []
        self._reduced: dict[int, dict[int, Number]] = {}
        for row in rows:
            self.take(row)

    def take(self, row: Sequence[Number]) -> bool:
        """Take a row in where it is independent of the others, and say whether it is."""
        require_time()
        left = {j: q for j, q in enumerate(row) if q}
        while left:
            first = min(left)
            if first not in self._reduced:
                self._reduced[first] = {j: q / left[first] for j, q in left.items()}
                self.rows.append(list(row))
                return True
            _subtract(left, left[first], self._reduced[first])
        return False


def _subtract(row: dict[int, Number], factor: Number, other: Mapping[int, Number]) -> None:
    """``row -= factor * other`` in place, zeros dropped."""
    for j, q in other.items():
        rest = row.get(j, _ZERO) - factor * q
        if rest:
            row[j] = rest
        else:
            del row[j]


def independent(rows: Rows, row: list[Number]) -> bool:
    """Whether a row is independent of others that are."""
    return matrix([*rows, row], len(row)).rank() > len(rows)


def independent_rows(rows: Rows) -> list[int]:
    """Places of rows that are no combinations of those before them."""
    kept = [i for i, row in enumerate(rows) if any(row)]
    if not kept or matrix([rows[i] for i in kept], len(rows[0])).rank() == len(kept):
        return kept
    found: list[int] = []
    for i in kept:
        if independent([rows[k] for k in found], rows[i]):
            found.append(i)
    return found


def nullspace(rows: Rows, columns: int) -> Rows:
    """Basis of the kernel: one vector for each column without pivot, one there and zero in the others."""
    reduced, count = matrix(rows, columns).rref()
    pivots = {next(j for j in range(columns) if reduced[i, j]): i for i in range(count)}
    return [
        [-reduced[pivots[p], j] if p in pivots else fmpq(int(p == j)) for p in range(columns)]
        for j in range(columns)
        if j not in pivots
    ]


def solve(A: Rows, right: Rows) -> Rows:
    """X of A X = right, refused where A is singular."""
    if any(isinstance(q, arb) for row in [*A, *right] for q in row):
        balls = (arb_mat([[arb(q) for q in row] for row in rows]) for rows in (A, right))
        return _where_regular(lambda: ball_solved(*balls).tolist())
    root = _root(A, right)
    return _solution(_matrix_over(root, A, len(A)), root, right)


def solver(A: Rows) -> Callable[[Rows], Rows]:
    """X of A X = right by what is right, in the field of A, which is read once; refused as by `solve`."""
    root = _root(A)
    return partial(_solution, _matrix_over(root, A, len(A)), root)


def _solution(A: Any, root: Root | None, right: Rows) -> Rows:
    return _where_regular(lambda: A.solve(_matrix_over(root, right, len(right[0]))).tolist())


def _where_regular(solution: Callable[[], Rows]) -> Rows:
    try:
        return solution()
    except ZeroDivisionError as error:
        raise Refusal("a matrix that must be invertible is singular at the point") from error


def ball_solved(A: arb_mat, right: arb_mat) -> arb_mat:
    """X of A X = right in balls, found in units in which rows and columns have largest entries next to one.

    Bounds of solutions hold for all unknowns alike: of numbers of unlike sizes they would say little.
    """
    n = A.nrows()
    rows, columns = [0] * n, [0] * n
    sizes = [[_bits(c) for c in row] for row in A.tolist()]
    for _ in range(_TURNS):
        for i, row in enumerate(sizes):
            told = [s + e for s, e in zip(row, columns, strict=True) if s is not None]
            rows[i] = -max(told, default=0)
        for j, column in enumerate(zip(*sizes, strict=True)):
            told = [s + e for s, e in zip(column, rows, strict=True) if s is not None]
            columns[j] = -max(told, default=0)
    r, c = ([arb(2) ** e for e in exponents] for exponents in (rows, columns))
    scaled = arb_mat(n, n, [A[i, j] * r[i] * c[j] for i in range(n) for j in range(n)])
    m = right.ncols()
    found = scaled.solve(arb_mat(n, m, [right[i, k] * r[i] for i in range(n) for k in range(m)]))
    return arb_mat(n, m, [found[i, k] * c[i] for i in range(n) for k in range(m)])


def _bits(value: arb) -> int | None:
    """The exponent of the middle of a ball, None for what is zero or no number."""
    if not value.is_finite() or value.mid() == 0:
        return None
    mantissa, exponent = value.mid().man_exp()
    return int(exponent) + int(abs(mantissa)).bit_length()


def restricted(A: Rows, basis: Rows) -> Rows:
    """The matrix of A on the span of a basis from `nullspace`, which A must map into itself."""
    n, root = len(A), _root(A, basis)
    W = _matrix_over(root, basis, n).transpose()
    image = _matrix_over(root, A, n) * W
    free = [
        next(i for i in range(n) if w[i] == 1 and not any(v[i] for v in basis if v is not w)) for w in basis
    ]
    B = _matrix_over(root, [[image[i, j] for j in range(len(basis))] for i in free], len(basis))
    if image != W * B:
        raise Refusal("the linearisation does not keep the tangent space")
    return B.tolist()


def product(a: Rows, b: Rows) -> Rows:
    """A B, each in a field of its own."""
    root = _root(a, b)
    return (_matrix_over(root, a, len(b)) * _matrix_over(root, b, len(b[0]) if b else 0)).tolist()


def form(H: Rows, basis: Rows) -> Rows:
    """W^T H W, the basis W by columns."""
    return product(product(basis, H), [[v[i] for v in basis] for i in range(len(H))])


def characteristic(A: Rows) -> list[Number]:
    """Coefficients of det(x I - A), the leading one first."""
    return list(_characteristic(tuple(map(tuple, A))))


@lru_cache(maxsize=REMEMBERED)
def _characteristic(A: tuple[tuple[Number, ...], ...]) -> tuple[Number, ...]:
    if not A:
        return (fmpq(1),)
    blocks = diagonal_blocks(A)
    if len(blocks) == 1:
        rows = [list(row) for row in A]
        return tuple(matrix(rows, len(A), limit=CHARACTERISTIC).charpoly().coeffs()[::-1])
    product: list[Number] = [fmpq(1)]
    for block in blocks:
        product = _product(product, _characteristic(tuple(tuple(A[i][j] for j in block) for i in block)))
    return tuple(product)


def diagonal_blocks(A: Sequence[Sequence[Number]]) -> list[list[int]]:
    """Places of the diagonal blocks of a matrix that is block triangular when they are put in some order.

    They are the strongly connected components of the graph of its entries that are not zero.
    """
    reached = [sum(1 << j for j, q in enumerate(row) if q) | 1 << i for i, row in enumerate(A)]
    for k in range(len(A)):
        for i, places in enumerate(reached):
            if places >> k & 1:
                reached[i] |= reached[k]
    blocks: dict[int, list[int]] = {}
    for i, places in enumerate(reached):
        first = next(j for j in range(i + 1) if places >> j & 1 and reached[j] >> i & 1)
        blocks.setdefault(first, []).append(i)
    return list(blocks.values())


def _product(a: Sequence[Number], b: Sequence[Number]) -> list[Number]:
    """The product of two polynomials."""
    if top([*a, *b]) is None:
        return (fmpq_poly(list(a[::-1])) * fmpq_poly(list(b[::-1]))).coeffs()[::-1]
    found = [_ZERO] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] = found[i + j] + x * y
    return found


def combination(weights: Sequence[Number], rows: Rows, n: int) -> list[Number]:
    """sum c row, of n entries each."""
    total: list[Number] = [_ZERO] * n
    for c, row in zip(weights, rows, strict=True):
        for i in range(n) if c else ():
            if row[i]:
                total[i] = total[i] + c * row[i]
    return total


def combined_hessian(terms: Sequence[tuple[Number, Mapping[tuple[int, int], Number]]], n: int) -> Rows:
    """sum c H (n, n), from second derivatives by pairs i <= j."""
    total: Rows = [[_ZERO] * n for _ in range(n)]
    for c, H in terms:
        if c:
            for (i, j), q in H.items():
                total[i][j] = total[i][j] + c * q
    for i in range(n):
        for j in range(i):
            total[i][j] = total[j][i]
    return total


def inertia(A: Rows) -> tuple[int, int, int]:
    """Numbers of positive, negative and zero eigenvalues of a symmetric matrix, by Lagrange's elimination.

    Squares are split off one after the other, of the row with the fewest entries first; where no square is
    left, a sum of two coordinates in place of one of them makes one (Sylvester's law of inertia).
    """
    if any(A[i][j] != A[j][i] for i in range(len(A)) for j in range(i)):
        raise Refusal("a matrix that must be symmetric is not")
    rows = {i: {j: q for j, q in enumerate(row) if q} for i, row in enumerate(A)}
    counts = {1: 0, -1: 0}
    while rows := {i: row for i, row in rows.items() if row}:
        squares = [i for i, row in rows.items() if i in row]
        if not squares:
            squares = [_with_square(rows)]
        require_time()
        first = min(squares, key=lambda i: len(rows[i]))
        pivot = rows.pop(first)
        square = pivot.pop(first)
        counts[sign(square)] += 1
        for i, q in pivot.items():
            del rows[i][first]
            _subtract(rows[i], q / square, pivot)
    return counts[1], counts[-1], len(A) - counts[1] - counts[-1]


def _with_square(rows: dict[int, dict[int, Number]]) -> int:
    """The place i where x_i + x_j is put for x_i in a form without squares, (i, j) being an entry of it."""
    i, row = next(iter(rows.items()))
    held, j = [*row], next(iter(row))
    _subtract(row, fmpq(-1), rows[j])
    row[i] = 2 * row[i]
    for k in held:
        del rows[k][i]
    for k, q in row.items():
        rows[k][i] = q
    return i


def locate(coefficients: list[Number]) -> tuple[bool, bool, bool]:
    """Whether a root lies to the right of the axis, whether all lie to its left, whether all are nonzero
    and those on the axis simple. Decided by the chains of Sturm and Routh; the leading coefficient
    comes first.

    The roots symmetric about 0 are those of s = gcd(p(x), p(-x)) = q(x^2): on the axis if and only if all
    roots of q are real and negative. The others, those of p/s, are never on the axis.
    """
    zeros = next(k for k, c in enumerate(reversed(coefficients)) if c)
    right, left, simple = _located(tuple(coefficients[: len(coefficients) - zeros]))
    return right, left and not zeros, simple and not zeros


@lru_cache(maxsize=REMEMBERED)
def _located(coefficients: tuple[Number, ...]) -> tuple[bool, bool, bool]:
    """The same where no root is zero."""
    polynomial: Any = fmpq_poly if top(coefficients) is None else SurdPolynomial
    p = polynomial(list(coefficients[::-1]))
    symmetric = p.gcd(polynomial([-c if k % 2 else c for k, c in enumerate(p.coeffs())]))
    q = polynomial(symmetric.coeffs()[::2])
    distinct = q // q.gcd(q.derivative()) if q.degree() > 0 else q
    stable = left_of_axis((p // symmetric).coeffs()[::-1])
    on_axis = stable and negative_roots(distinct) == distinct.degree()
    return not on_axis, symmetric.degree() == 0 and stable, distinct.degree() == q.degree()


def negative_roots(p: Any) -> int:
    """Number of distinct negative real roots of a square-free polynomial that does not vanish at 0."""
    if p.degree() < 1:
        return 0
    chain = list(_chain(p.coeffs()))
    far = [sign(c[-1]) * (-1) ** (len(c) - 1) for c in chain]
    near = [sign(c[0]) for c in chain if c[0]]
    return _changes(far) - _changes(near)


def _chain(coefficients: list[Number]) -> Iterator[list[Number]]:
    """Sturm's chain of a polynomial, each member times a positive number that makes it short.

    The constant coefficients come first.
    """
    before = _short(coefficients)
    here = _short([k * c for k, c in enumerate(before)][1:])
    yield before
    while here:
        yield here
        before, here = here, _short([-c for c in _remainder(before, here)])


def _remainder(a: list[Number], b: list[Number]) -> list[Number]:
    """What division by b leaves of a, times an even power of the leading coefficient of b."""
    lead, rest, steps = b[-1], list(a), 0
    while len(rest) >= len(b):
        require_time()
        factor, shift = rest.pop(), len(rest) - len(b) + 1
        rest = [lead * c for c in rest]
        for k, c in enumerate(b[:-1]):
            rest[shift + k] = rest[shift + k] - factor * c
        steps += 1
    return [lead * c for c in rest] if steps % 2 else rest


def _short(coefficients: list[Number]) -> list[Number]:
    """A polynomial without its vanishing leading coefficients, times a positive number: integers without
    common factor, or a leading coefficient of one or minus one where there are roots.
    """
    found = list(coefficients)
    while found and not found[-1]:
        found.pop()
    if not found or top(found) is not None:
        size = abs(found[-1]) if found else fmpq(1)
        return [c / size for c in found]
    whole = fmpq_poly(found).numer()
    return (whole // whole.content()).coeffs()


def real_roots(p: fmpq_poly) -> int:
    """Number of distinct real roots of a polynomial that is not zero."""
    count = 0
    if p[0] == 0:
        count, p = 1, p // fmpq_poly([0] * next(k for k, c in enumerate(p.coeffs()) if c) + [1])
    distinct = p // p.gcd(p.derivative()) if p.degree() > 0 else p
    return count + negative_roots(distinct) + negative_roots(distinct(fmpq_poly([0, -1])))


def _changes(signs: Sequence[int]) -> int:
    return sum(a != b for a, b in pairwise(signs))


def left_of_axis(coefficients: list[Number]) -> bool:
    """Whether all roots lie to the left of the axis: the first column of Routh's table has one sign and no
    zero. Of balls, whether that is certain.
    """
    lead = coefficients[0]
    row, below = ([c / lead for c in coefficients[k::2]] for k in (0, 1))
    while below:
        require_time()
        if not below[0] > 0:
            return False
        ratio = row[0] / below[0]
        shorter = [*below[1:], *[fmpq(0)] * (len(row) - len(below))]
        row, below = below, [a - ratio * b for a, b in zip(row[1:], shorter, strict=True)]
    return True
