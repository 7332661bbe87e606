"""Motions of an invariant subspace by themselves, named by the states along which they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from geoctrl.analysis.linear.subspaces import SubspaceArithmetic, invariant_span

__all__ = ["InvariantPart", "Mode", "hidden_span", "modes", "states_along"]

_SHARE = 1e-6
"""Share of a direction below which a state is not named."""


class Mode(NamedTuple):
    """A motion of a linearisation by itself.

    Attributes
    ----------
    eigenvalue : complex
    name : str
        The states along which it is, those with the largest share first.
    """

    eigenvalue: complex
    name: str


def states_along(direction: np.ndarray, labels: tuple[str, ...]) -> str:
    """The states along a direction, the largest share first."""
    share = np.abs(direction)
    order = [i for i in np.argsort(-share, kind="stable") if share[i] > _SHARE * np.max(share)]
    return ", ".join(labels[i] for i in order)


def modes(matrix: np.ndarray, directions: np.ndarray, labels: tuple[str, ...]) -> tuple[Mode, ...]:
    """Eigenvalues of a matrix, of a conjugate pair one, and the states that its vectors are along."""
    if not matrix.size:
        return ()
    values, vectors = np.linalg.eig(matrix)
    order = sorted(range(len(values)), key=lambda i: (-values[i].real, abs(values[i].imag)))
    return tuple(
        Mode(complex(values[i]), states_along(directions @ vectors[:, i], labels))
        for i in order
        if values[i].imag >= 0
    )


def hidden_span(algebra: SubspaceArithmetic, A: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Basis of {v : C A^i v = 0 for all i}, and what A is on it."""
    hidden = algebra.null(invariant_span(algebra, A.T, C.T).T)
    return hidden, algebra.left_inverse(hidden) @ A @ hidden


@dataclass(frozen=True, eq=False)
class InvariantPart:
    """An invariant subspace in numbers of one kind.

    Attributes
    ----------
    A : array (k, k)
        The motion in its coordinates.
    basis : array (n, k)
    labels : tuple of str
        Of the states.
    sizes : ndarray (n,)
        Powers of two, the units in which the basis gives states.
    pace : float
        The unit of A (1/s).
    """

    algebra: SubspaceArithmetic
    A: np.ndarray
    basis: np.ndarray
    labels: tuple[str, ...]
    sizes: np.ndarray
    pace: float

    @property
    def dual(self) -> InvariantPart:
        """The motion of functionals."""
        basis = self.algebra.left_inverse(self.basis).T
        return replace(self, A=self.A.T, basis=basis, sizes=1 / self.sizes)

    def lasting(self, weight: np.ndarray) -> tuple[Mode, ...]:
        """Motions that a matrix of doubles (n, n) does not see, and that neither grow nor decay."""
        algebra, d = self.algebra, self.sizes
        hidden, alone = hidden_span(algebra, self.A, algebra.numbers(d[:, None] * weight * d) @ self.basis)
        count = algebra.on_axis(alone)
        if not count:
            return ()
        along = d[:, None] * np.array(self.basis @ hidden, dtype=float)
        found = modes(self.pace * np.array(alone, dtype=float), along, self.labels)
        nearest = sorted(found, key=lambda mode: abs(mode.eigenvalue.real))
        pairs = np.cumsum([1 + (mode.eigenvalue.imag > 0) for mode in nearest])
        return tuple(nearest[: int(np.searchsorted(pairs, count)) + 1])
