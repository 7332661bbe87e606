"""Subspaces of the states, in rational numbers where a rank is decided, in floats where nothing is rational.

Matrices are arrays, of `fractions.Fraction` as objects or of floats; bases are their columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import acb, acb_mat, ctx, fmpq, fmpq_poly

from geoctrl._scalars import exact
from geoctrl._scalars.algebra import rational_matrix
from geoctrl.decisions.arithmetic.eliminations import left_of_axis, negative_roots
from geoctrl.systems.contract.tolerances import KERNEL, rank

__all__ = ["EXACT", "FLOAT", "SubspaceArithmetic", "invariant_span", "kernel"]
__all__ += ["pivot_columns", "roots_on_axis"]

_DIGITS = 256
"""Bits for eigenvalues: of values that coincide k times a k-th part is left."""
_REAL = 2.0**-100
"""Imaginary part beside the largest value that is none: what the digits leave of a value that is double."""


@dataclass(frozen=True)
class SubspaceArithmetic:
    """What ranks are decided by in one kind of numbers.

    Attributes
    ----------
    null : callable
        ``null(M)``: basis of {v : M v = 0}.
    span : callable
        ``span(M)``: basis of the range.
    left_inverse : callable
        ``left_inverse(S)`` L with L S = 1, for independent columns.
    hurwitz : callable
        ``hurwitz(M)``: whether all eigenvalues have negative real parts.
    on_axis : callable
        ``on_axis(M)``: number of eigenvalues with a real part of zero.
    eigenvalues : callable
        ``eigenvalues(M)``: doubles, complex where one is, right to their last digits where M is exact.
    numbers : callable
        ``numbers(M)``: an array of doubles in numbers of this kind.
    row : callable
        ``row(g)``: a multiple of a row, of length one in floats, where rows count by their directions.
    columns : callable
        ``columns(S)``: a basis of the same range, orthonormal in floats.
    """

    exact: bool
    null: Callable[[np.ndarray], np.ndarray]
    span: Callable[[np.ndarray], np.ndarray]
    left_inverse: Callable[[np.ndarray], np.ndarray]
    hurwitz: Callable[[np.ndarray], bool]
    on_axis: Callable[[np.ndarray], int]
    eigenvalues: Callable[[np.ndarray], np.ndarray]
    numbers: Callable[[np.ndarray], np.ndarray]
    row: Callable[[np.ndarray], np.ndarray]
    columns: Callable[[np.ndarray], np.ndarray]


def invariant_span(algebra: SubspaceArithmetic, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Basis of the range of [B, A B, A^2 B, ...], which A leaves invariant."""
    basis = algebra.span(B)
    while True:
        wider = algebra.span(np.hstack([basis, A @ basis]))
        if wider.shape[1] == basis.shape[1]:
            return basis
        basis = wider


# -- rational numbers ---------------------------------------------------------------------------------


def _columns(vectors: list[list[Fraction]], n: int) -> np.ndarray:
    found = np.empty((n, len(vectors)), dtype=object)
    for j, vector in enumerate(vectors):
        found[:, j] = vector
    return found


def _null(M: np.ndarray) -> np.ndarray:
    return _columns(rational_matrix.nullspace(M.tolist(), M.shape[1]), M.shape[1])


def _span(M: np.ndarray) -> np.ndarray:
    return _null(_null(M.T).T)


def _left_inverse(S: np.ndarray) -> np.ndarray:
    """(S^T S)^{-1} S^T: rational as S is."""
    if not S.shape[1]:
        return S.T
    return np.array(rational_matrix.solve((S.T @ S).tolist(), S.T.tolist()), dtype=object)


def _hurwitz(M: np.ndarray) -> bool:
    return left_of_axis([fmpq(q.numerator, q.denominator) for q in _characteristic(M)])


def _on_axis(M: np.ndarray) -> int:
    return roots_on_axis(_characteristic(M))


def _characteristic(M: np.ndarray) -> list[Fraction]:
    return rational_matrix.characteristic_polynomial(M.tolist())


def roots_on_axis(coefficients: Sequence[Fraction]) -> int:
    """Number of roots on the imaginary axis, with multiplicity; the leading coefficient comes first.

    Those that are symmetric about 0 are the roots of gcd(p(x), p(-x)) = q(x^2): on the axis where q has
    negative ones.
    """
    zero = next(k for k, c in enumerate(reversed(coefficients)) if c)
    p = fmpq_poly([fmpq(c.numerator, c.denominator) for c in reversed(coefficients)][zero:])
    symmetric = p.gcd(p(fmpq_poly([0, -1])))
    parts = fmpq_poly(symmetric.coeffs()[::2]).factor_squarefree()[1]
    return zero + 2 * sum(multiplicity * negative_roots(part) for part, multiplicity in parts)


def _eigenvalues(M: np.ndarray) -> np.ndarray:
    """With digits for values that lie together, or far apart."""
    with ctx.workprec(_DIGITS):
        balls = acb_mat(len(M), len(M), [acb(fmpq(q.numerator, q.denominator)) for q in M.flat])
        found = np.array([complex(v) for v in balls.eig(algorithm="approx")]) if len(M) else np.zeros(0)
    real = np.abs(found.imag) <= _REAL * np.max(np.abs(found), initial=0.0)
    return found.real if real.all() else np.where(real, found.real, found)


def _numbers(M: np.ndarray) -> np.ndarray:
    return np.array([exact(v) for v in M.flat], dtype=object).reshape(M.shape)


def _same(M: np.ndarray) -> np.ndarray:
    return M


EXACT = SubspaceArithmetic(
    True, _null, _span, _left_inverse, _hurwitz, _on_axis, _eigenvalues, _numbers, _same, _same
)


# -- floats -------------------------------------------------------------------------------------------


def _float_null(M: np.ndarray) -> np.ndarray:
    if not M.shape[0]:
        return np.eye(M.shape[1])
    _, values, vt = np.linalg.svd(M)
    return vt[rank(values, KERNEL, _size(values)) :].T


def kernel(M: np.ndarray, tolerance: float | None = None) -> np.ndarray:
    """Orthonormal basis of {v : M v = 0}, up to a tolerance relative to the largest singular value: rounding
    by default.
    """
    _, values, vt = np.linalg.svd(M)
    return vt[rank(values, np.finfo(float).eps * max(M.shape) if tolerance is None else tolerance) :].T


def pivot_columns(rows: np.ndarray) -> list[int]:
    """For each of some independent rows a column: the one farthest from the span of those before.

    The pivots of a QR decomposition, without scipy.linalg: to load it takes longer than most proofs.
    """
    left = np.array(rows, dtype=float)
    found: list[int] = []
    for _ in rows:
        lengths = np.linalg.norm(left, axis=0)
        lengths[found] = -1.0
        k = int(np.argmax(lengths))
        away = left[:, k] / (lengths[k] or 1.0)
        left -= np.outer(away, away @ left)
        found.append(k)
    return found


def _size(values: np.ndarray) -> float:
    """What singular values are small beside: in units of the pair matrices have the size one."""
    return float(max(values[0], 1.0)) if values.size else 1.0


def _float_span(M: np.ndarray) -> np.ndarray:
    """Columns count by their directions, beside the longest: an input in other units is an input."""
    lengths = np.linalg.norm(M, axis=0)
    used = M[:, lengths > KERNEL * np.max(lengths, initial=0.0)]
    if not used.size:
        return np.zeros((M.shape[0], 0))
    u, values, _ = np.linalg.svd(used / np.linalg.norm(used, axis=0), full_matrices=False)
    return u[:, : rank(values, KERNEL, _size(values))]


def _float_hurwitz(M: np.ndarray) -> bool:
    return bool(np.all(np.linalg.eigvals(M).real < -_margin(M))) if M.size else True


def _margin(M: np.ndarray) -> float:
    """Real part that counts as none: of matrices in the time of the pair."""
    return KERNEL * max(1.0, float(np.max(np.abs(M), initial=0.0)))


def _float_on_axis(M: np.ndarray) -> int:
    return int(np.sum(np.abs(np.linalg.eigvals(M).real) <= _margin(M))) if M.size else 0


def _unit_row(g: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(g)
    return g / length if length else g


def _orthonormal(S: np.ndarray) -> np.ndarray:
    return np.linalg.qr(S)[0] if S.size else S


FLOAT = SubspaceArithmetic(
    False,
    _float_null,
    _float_span,
    np.linalg.pinv,
    _float_hurwitz,
    _float_on_axis,
    np.linalg.eigvals,
    np.asarray,
    _unit_row,
    _orthonormal,
)
