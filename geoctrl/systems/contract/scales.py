r"""Sizes that a system has by itself at a point, each of which goes over by its own factor in other units.

For :math:`x' = f(x)` on a leaf g(x) = 0, with A = df/dx and C = dg/dx, and magnitudes mu of
`geoctrl._scalars.arithmetic.magnitudes`:

- the **rate** :math:`\omega = \max |A_{i_1 i_2} A_{i_2 i_3} \cdots A_{i_k i_1}|^{1/k}` over all cycles of
  states; no eigenvalue is above :math:`n\,\omega`;
- sizes d of **states**: from anchors a (lengths of vectors, one for angles and for arguments of functions,
  :math:`\omega` for rates of angles, of other velocities what has the kinetic energy of all, the values
  themselves) the largest deviations that those of the anchors excite within a time :math:`1/\omega`,
  :math:`d_i = \max(a_i, \max_j |A_{ij}| d_j / \omega)`;
- sizes of **rates** and relations, :math:`\rho_i = \mu(f_i) + \sum_j |A_{ij}| d_j`: the change that a
  relative change of one in every number, and of every state by its size, would make.

**Lemma.** In other units, x' = S x with diagonal S and t' = s t, :math:`\omega' = \omega / s`, d' = S d and
:math:`\rho' = S \rho / s`. Around a cycle the factors S cancel and 1/s is left k times; along a walk the
products of :math:`|A_{ij}|/\omega` telescope to :math:`S_i/S_j`; magnitudes go over as values do.

A linear system at rest has no size: there all of them are zero, and only an exact zero counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import mul

import numpy as np

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING, binary
from geoctrl.systems.contract.matched_columns import matched_columns
from geoctrl.systems.contract.tolerances import KERNEL, rank

__all__ = [
    "Scales",
    "beside_each_other",
    "binary_scaling",
    "columns_of",
    "condition_of",
    "equilibrated_matrix",
    "equilibration",
    "excited_deviations",
    "exciting_deviations",
    "inverse_condition",
    "kernel",
    "largest_cycle",
    "scaled_row",
    "scales_of",
    "shares",
    "symmetric_inverse",
    "symmetric_scaling",
]

TURNS = 8
"""Of rows and columns that `equilibrated_matrix` divides: largest entries are then within a few percent of
one.
"""
_DENSE = 8
"""Share of entries, one in so many, from which on a matrix is taken whole."""


def largest_cycle(A: np.ndarray) -> float:
    """Largest geometric mean of entries |A_ij| along a cycle; zero without cycles (Karp, in logarithms).

    Examples
    --------
    >>> round(largest_cycle(np.array([[0.0, -9.0], [1.0, 0.0]])), 12)
    3.0
    """
    n = len(A)
    if not n:
        return 0.0
    further = _longer_walks(np.abs(np.asarray(A, dtype=float)))
    walks = np.zeros((n + 1, n))  # walks[k, i]: the heaviest of k arcs that ends at i, wherever it begins
    for k in range(n):
        walks[k + 1] = further(walks[k])
    ends = np.isfinite(walks[n])
    if not ends.any():
        return 0.0
    with np.errstate(invalid="ignore"):
        means = (walks[n] - walks[:n])[:, ends] / (n - np.arange(n))[:, None]
    return float(np.exp(np.max(np.min(means, axis=0))))


def _longer_walks(sizes: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """From the heaviest walks to those with one arc more, in logarithms; of few arcs only these are tried."""
    n = len(sizes)
    ends, begins = np.nonzero(sizes)
    if _DENSE * len(ends) > n * n or not len(ends):
        with np.errstate(divide="ignore"):
            arcs = np.log(sizes)
        return lambda walks: np.max(arcs + walks, axis=1)
    weights = np.log(sizes[ends, begins])
    reached_at, starts = np.unique(ends, return_index=True)

    def longer(walks: np.ndarray) -> np.ndarray:
        found = np.full(n, -np.inf)
        found[reached_at] = np.maximum.reduceat(weights + walks[begins], starts)
        return found

    return longer


def excited_deviations(A: np.ndarray, rate: float, anchors: np.ndarray) -> np.ndarray:
    """Least d >= anchors with |A_ij| d_j <= rate d_i: largest deviations that those of the anchors excite.

    Without a rate there are no cycles of influence, and no closure: the anchors.
    """
    d = np.array(anchors, dtype=float)
    if not rate:
        return d
    gains = np.abs(A) / rate
    for _ in range(len(d)):  # no cycle gains, so that walks without repetition say it all
        further = np.maximum(d, np.max(gains * d, axis=1, initial=0.0))
        if np.array_equal(further, d):
            break
        d = further
    return d


def exciting_deviations(A: np.ndarray, rate: float, sizes: np.ndarray) -> np.ndarray:
    """Sizes with those of states that have none yet: the least deviation by which a sized state is excited.

    Only exact zeros get one: how small a size is beside others says nothing.
    """
    d = np.array(sizes, dtype=float)
    if not rate:
        return d
    influence = np.abs(A) * ~np.eye(len(d), dtype=bool)
    for _ in range(len(d)):
        if np.all(d > 0):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where((influence > 0) & (d > 0)[:, None], rate * d[:, None] / influence, np.inf)
        least = np.min(needed, axis=0, initial=np.inf)
        further = np.where((d == 0) & np.isfinite(least), least, d)
        if np.array_equal(further, d):
            break
        d = further
    return d


def symmetric_scaling(M: np.ndarray) -> np.ndarray:
    """Factors t (n,) with |t_i M_ij t_j| <= 1 of a symmetric M; zero for rows that are (Bunch).

    Rows in their order, those last that have nothing on the diagonal or in columns done so far. A definite M
    gets a unit diagonal, which is within a factor n of the best condition by scaling (van der Sluis).

    Examples
    --------
    >>> symmetric_scaling(np.array([[4.0, 0.0], [0.0, 1e-20]])) ** -1
    array([2.e+00, 1.e-10])
    """
    rows = np.abs(np.asarray(M, dtype=float)).tolist()  # of few numbers lists are faster
    t, pending, left = [0.0] * len(rows), list[int](), list(range(len(rows)))
    while len(left) != len(pending):
        pending, left = left, []
        for i in pending:
            size = max(rows[i][i] ** 0.5, *map(mul, rows[i], t))
            if size > 0:
                t[i] = 1 / size
            else:
                left.append(i)
    return np.array(t)


def binary_scaling(M: np.ndarray) -> np.ndarray:
    """Powers of two next to these factors, one for rows of zeros: elimination then has the same pivots."""
    t = binary(symmetric_scaling(M))
    return np.where(t > 0, t, 1.0)


def symmetric_inverse(K: np.ndarray) -> np.ndarray:
    r"""Inverse (n, n) of a matrix that is symmetric but for signs, refined, :math:`X + X (I - K X)`.

    It is taken of :math:`t_i K_{ij} t_j` with powers of two t from `binary_scaling`: units change no
    digit. Elimination fills zeros with rounding: what the zeros of K force is zero, and so is what is
    rounding of the refinement's own terms.

    Examples
    --------
    >>> symmetric_inverse(np.array([[2e20, 1e10], [1e10, 1.0]])).round(25)
    array([[ 1.e-20, -1.e-10],
           [-1.e-10,  2.e+00]])
    """
    t = binary_scaling(K)
    scaled = t[:, None] * K * t
    filled = _filled_places((scaled != 0).tobytes(), len(scaled))
    inverse = np.where(filled, np.linalg.inv(scaled), 0.0)
    for _ in range(2):  # products of two entries that are rounding are left by the first
        rest = np.eye(len(K)) - scaled @ inverse
        refined, terms = inverse + inverse @ rest, np.abs(inverse) + np.abs(inverse) @ np.abs(rest)
        inverse = np.where(filled & (np.abs(refined) > ROUNDING * terms), refined, 0.0)
    return t[:, None] * inverse * t


@lru_cache(maxsize=256)
def _filled_places(nonzero: bytes, n: int) -> np.ndarray:
    """Which entries (n, n) of the inverse may differ from zero, by the entries of a matrix that do.

    With its columns put so that the diagonal is filled, these are the pairs i, j with a path from i to j
    (I. S. Duff, A. M. Erisman, J. K. Reid, Direct Methods for Sparse Matrices, 1986: block triangular forms).
    """
    filled = np.frombuffer(nonzero, dtype=bool).reshape(n, n)
    columns = matched_columns(filled)
    if columns is None:
        return np.ones((n, n), dtype=bool)  # singular: left to who inverts it
    paths = filled[:, columns]
    for k in range(n):
        paths = paths | (paths[:, k, None] & paths[k])
    found = np.empty((n, n), dtype=bool)
    found[columns] = paths
    return found


def equilibration(C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows (r,) and columns (n,) that bring the largest entries of all of them next to one.

    Found by dividing columns and rows by the roots of their largest entries, in turns. Factors of zero rows
    and columns are one.
    """
    C = np.abs(np.asarray(C, dtype=float))
    factors = [np.ones(len(C)), np.ones(C.shape[1])]
    for _ in range(TURNS):
        changed = [_divide(C, factors, axis) for axis in (1, 0)]
        if not any(changed):
            break
    return factors[0], factors[1]


def _divide(C: np.ndarray, factors: list[np.ndarray], axis: int) -> bool:
    """Divide rows or columns by the roots of their largest entries; whether that changes one."""
    largest = np.maximum.reduce(C * factors[0][:, None] * factors[1], axis=1 - axis, initial=0.0)
    if ((largest == 1) | (largest == 0)).all():
        return False
    np.divide(factors[axis], np.sqrt(largest), out=factors[axis], where=largest > 0)
    return True


def equilibrated_matrix(C: np.ndarray) -> np.ndarray:
    """The matrix in such units of rows and columns: in others it is the same to a few percent.

    Its rank and condition tell what is dependent.

    Examples
    --------
    >>> float(np.linalg.cond(equilibrated_matrix(np.array([[1e8, 1.0], [1.0, 1e-9]]))).round(1))
    3.2
    """
    rows, columns = equilibration(C)
    return rows[:, None] * np.asarray(C, dtype=float) * columns


def inverse_condition(matrix: np.ndarray) -> tuple[float, np.ndarray]:
    """Smallest singular value over the largest, and the direction (n,) of it; zero for what is no number."""
    if not matrix.size:
        return 1.0, np.zeros(0)
    if not np.isfinite(matrix).all():
        return 0.0, np.zeros(matrix.shape[1])
    _, s, vt = np.linalg.svd(matrix)
    return float(s[-1] / s[0]) if s[0] > 0 else 0.0, vt[-1]


def condition_of(matrix: np.ndarray, sizes: np.ndarray) -> float:
    """Reciprocal condition of rows or columns in units in which the sizes of their terms are one.

    Where all entries vanish beside their terms it vanishes too.
    """
    if not np.isfinite(sizes).all():
        return 0.0
    rows, columns = equilibration(sizes)
    scaled = rows[:, None] * matrix * columns
    return inverse_condition(scaled)[0] * min(float(np.max(np.abs(scaled), initial=0.0)), 1.0)


def shares(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """|values| over their sizes: zero for zero, infinite where either is no number or a size is missing.

    Examples
    --------
    >>> shares(np.array([0.0, 1e-20, -2.0]), np.array([0.0, 0.0, 4.0]))
    array([0. , inf, 0.5])
    """
    values, sizes = np.abs(values), np.asarray(sizes, dtype=float)
    known = (sizes > 0) & np.isfinite(sizes)
    found = np.divide(values, sizes, out=np.full(values.shape, np.inf), where=known)
    return np.where(np.isnan(found), np.inf, np.where(values == 0, 0.0, found))


def scaled_row(row: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """A row (n,) over the largest of the sizes of its entries; zero where these are zero or no numbers."""
    size = float(np.max(np.abs(sizes), initial=0.0))
    return row / size if 0 < size < np.inf else np.zeros_like(row)


def kernel(rows: np.ndarray, threshold: float, size: float | None = None) -> np.ndarray:
    """Orthonormal basis (n, k) of what a matrix with rows (r, n) sends to zero.

    Singular values count up to a ``threshold`` relative to the largest, or to a ``size``.
    """
    if not rows.size:
        return np.eye(rows.shape[1])
    _, values, vt = np.linalg.svd(rows)
    return vt[rank(values, threshold, size) :].T


def columns_of(slopes: np.ndarray, rows: np.ndarray, sizes: np.ndarray, otherwise: float = 1.0) -> np.ndarray:
    """Units of steps (n,): sizes, where zero the least step that changes a row by its size, or another."""
    slopes = np.abs(slopes)
    with np.errstate(all="ignore"):
        needed = np.where(slopes > 0, rows[:, None] / slopes, np.inf)
        needed = np.min(np.where(needed > 0, needed, np.inf), axis=0, initial=np.inf)
    return np.where(sizes > 0, sizes, np.where(np.isfinite(needed), needed, otherwise))


def beside_each_other(A: np.ndarray, rate: float, sizes: np.ndarray) -> np.ndarray:
    """Sizes with those of states that nothing measures, relative to the first of each group: that has one.

    What acts on one another has sizes beside each other, as an amplitude of an oscillator has to its speed;
    which multiple of them is taken changes nothing of D^-1 A D.

    Examples
    --------
    >>> beside_each_other(np.array([[0.0, 1.0], [-1e-12, 0.0]]), 1e-6, np.zeros(2))
    array([1.e+00, 1.e-06])
    """
    d = np.array(sizes, dtype=float)
    while not d.all():
        d[np.argmin(d != 0)] = 1.0
        d = np.where(d > 0, d, exciting_deviations(A, rate, excited_deviations(A, rate, d)))
    return d


@dataclass(frozen=True, eq=False)
class Scales:
    """Sizes of a system at a point; printed as a table.

    Attributes
    ----------
    rate : float
        omega (1/s); zero where no state acts back on itself.
    state : ndarray (n,)
        Sizes d of the states, each in its unit; zero for a state that nothing measures.
    column : ndarray (n,)
        Units of steps: those sizes, where they are zero the least deviation that changes a rate or a relation
        by its size, else what they are beside each other. Never a threshold.
    field : ndarray (n,)
        Sizes rho of the rates of the states.
    leaf : ndarray (r,)
        Sizes of the relations of the leaf.
    input : ndarray (m,)
        The inputs that drive some state by its size within 1/omega, at most; zero for one that drives none.
    A, C, B : ndarray (n, n), (r, n), (n, m)
        Derivatives of field and relations by the states, and of the field by the inputs, without entries that
        are rounding alone.
    labels, input_labels : sequence of str
    units : mapping label -> text
    """

    rate: float
    state: np.ndarray
    column: np.ndarray
    field: np.ndarray
    leaf: np.ndarray
    input: np.ndarray
    A: np.ndarray
    C: np.ndarray
    B: np.ndarray
    labels: Sequence[str] = ()
    input_labels: Sequence[str] = ()
    units: Mapping[str, str] | None = None

    @cached_property
    def unit(self) -> np.ndarray:
        """Powers of two (n,) next to the columns: units of the states in which matrices are judged."""
        return binary(self.column)

    @cached_property
    def scaled(self) -> np.ndarray:
        """A in these units, D^-1 A D (n, n): no entry is much above the rate."""
        d = self.unit
        return self.A * (d / d[:, None])

    @cached_property
    def tangent(self) -> np.ndarray:
        """Orthonormal basis (n, k) of the tangent space of the leaf in these units, x = D y."""
        rows = self.C * self.unit
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return kernel(rows / np.where(lengths > 0, lengths, 1.0), KERNEL)

    @property
    def family(self) -> np.ndarray:
        """Orthonormal basis (n, k), in the states, of the kernel of A on the leaf."""
        W = self.tangent
        directions = W @ self.kernel_of(W.T @ self.scaled @ W)
        return np.linalg.qr(directions * self.unit[:, None])[0]

    def kernel_of(self, inner: np.ndarray) -> np.ndarray:
        """Orthonormal basis of the kernel of `scaled` on some directions, given as it is on them.

        Without a rate states have no sizes beside each other, and entries of rows and columns tell.
        """
        if self.rate or not inner.size:
            return kernel(inner, KERNEL, float(np.linalg.norm(self.scaled)))
        rows, columns = equilibration(inner)
        null = columns[:, None] * kernel(rows[:, None] * inner * columns, KERNEL)
        return np.linalg.qr(null)[0]

    def _lines(self) -> list[str]:
        head = "rate 0: no state acts back on itself"
        if self.rate:
            head = f"rate {self.rate:.3g} 1/s, time {1 / self.rate:.3g} s"
        units = self.units or {}
        rows = [("", "size", "size of its rate", "unit")]
        for label, d, rho in zip(self.labels, self.state, self.field, strict=True):
            rows.append((label, f"{d:.3g}", f"{rho:.3g}", units.get(label, "")))
        for label, d in zip(self.input_labels, self.input, strict=True):
            rows.append((label, f"{d:.3g}", "", units.get(label, "")))
        widths = [max(len(row[k]) for row in rows) for k in range(4)]
        lines = ["  ".join(word.ljust(w) for word, w in zip(row, widths, strict=True)) for row in rows]
        return [head, "\n".join(line.rstrip() for line in lines)]

    full = full_text
    __repr__ = short_form


def scales_of(
    A: np.ndarray,
    C: np.ndarray,
    B: np.ndarray,
    rates: np.ndarray,
    relations: np.ndarray,
    anchors: np.ndarray,
    rate: float,
    labels: Sequence[str] = (),
    input_labels: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
) -> Scales:
    """Sizes from derivatives, magnitudes (n,) of the rates and (r,) of the relations, and anchors (n,)."""
    with np.errstate(all="ignore"):  # of numbers beyond the doubles there are no sizes
        d = exciting_deviations(A, rate, excited_deviations(A, rate, anchors))
        rho, of_leaf = rates + np.abs(A) @ d, relations + np.abs(C) @ d
        column = columns_of(np.vstack([A, C]), np.concatenate([rho, of_leaf]), d, otherwise=0.0)
        column = beside_each_other(A, rate, column)
        pushed = np.where(B != 0, rate * d[:, None] / np.abs(B), 0.0)
    driven = np.max(pushed, axis=0, initial=0.0)
    return Scales(rate, d, column, rho, of_leaf, driven, A, C, B, labels, input_labels, units)
