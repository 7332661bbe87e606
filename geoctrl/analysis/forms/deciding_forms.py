r"""Quadratic forms P with -(P B + B'P) > 0: which one may decide a linearisation and those near it.

With :math:`B V = V \Lambda` the form :math:`P = -V^{-H} \mathrm{sign}(\mathrm{Re} \Lambda) V^{-1}` falls at
:math:`2 V^{-H} |\mathrm{Re} \Lambda| V^{-1}`: directions in which little decays have no more weight than
others, so that it falls at linearisations near by as long as one can ask for. Where eigenvectors are nearly
dependent, solutions of :math:`P B + B^T P = -1` go further; so do their means over corners. Coordinates are
those of a balanced B, in powers of two, without units.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy

__all__ = ["DecidingForm", "deciding_forms"]

_BITS = 36
"""Of the entries of a form, of which the largest one is next to one in balanced coordinates."""
_NEAR = 12
"""Bits of a vector along which a form is negative."""


class DecidingForm(NamedTuple):
    """A form in rationals, and a vector along which it is negative; None of one that is positive."""

    P: list[list[Fraction]]
    v: list[Fraction] | None


def deciding_forms(B: np.ndarray, corners: np.ndarray) -> Iterator[DecidingForm]:
    """Forms that fall at B (n, n) and at all corners (k, n, n) as far as doubles tell."""
    _, (d, _) = scipy.linalg.matrix_balance(B, permute=False, separate=True)
    around = corners * d / d[:, None]
    values, vectors = np.linalg.eig(B * d / d[:, None])
    grows = np.count_nonzero(values.real > 0)
    if any(np.count_nonzero(np.linalg.eigvals(A).real > 0) != grows for A in around):
        return
    for P in _candidates(values, vectors, B * d / d[:, None], around):
        P = np.round((P + P.T) / 2 / np.max(np.abs(P)) * 2.0**_BITS) / 2.0**_BITS
        if falls_in_doubles(P, around):
            roots, axes = np.linalg.eigh(P)
            v = np.round(axes[:, 0] * 2.0**_NEAR) / 2.0**_NEAR if roots[0] < 0 else None
            powers = [Fraction(float(e)) for e in d]
            rows = [
                [Fraction(float(c)) / a / b for c, b in zip(row, powers, strict=True)]
                for row, a in zip(P, powers, strict=True)
            ]
            yield DecidingForm(
                rows, None if v is None else [Fraction(float(c)) * a for c, a in zip(v, powers, strict=True)]
            )


def falls_in_doubles(P: np.ndarray, matrices: np.ndarray) -> bool:
    """Whether -(P A + A'P) > 0 for some matrices (k, n, n)."""
    images = P @ matrices
    return bool(np.all(np.linalg.eigvalsh(-(images + images.transpose(0, 2, 1))) > 0))


def _candidates(
    values: np.ndarray, vectors: np.ndarray, B: np.ndarray, corners: np.ndarray
) -> Iterator[np.ndarray]:
    """Forms by eigenvectors, by Lyapunov's equation, and its mean over the corners."""
    if np.linalg.cond(vectors) < 1 / np.sqrt(np.finfo(float).eps):
        W = np.linalg.inv(vectors)
        yield -(W.conj().T @ (np.sign(values.real)[:, None] * W)).real
    solved = []
    for A in (B, *corners):
        roots = np.linalg.eigvals(A)
        if np.min(np.abs(roots[:, None] + roots)) <= 4 * np.finfo(float).eps * np.linalg.norm(A):
            return  # there is no solution
        try:
            P = scipy.linalg.solve_continuous_lyapunov(A.T, -np.eye(len(A)))
        except (np.linalg.LinAlgError, ValueError):
            return
        if not np.all(np.isfinite(P)):
            return
        solved.append(P / np.linalg.norm(P))
        if len(solved) == 1:
            yield P
    yield np.mean(solved, axis=0)
