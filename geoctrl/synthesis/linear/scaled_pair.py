r"""A pair (A, B) on an invariant subspace, in units in which states, inputs and time are of size one.

With sizes d of the states, r of the inputs and a rate w, x = D W z, u = r v and time in 1/w make

.. math:: z' = W^T D^{-1} A D W z/w + W^T D^{-1} B r\, v/w,

the same numbers in every system of units. W is orthonormal, so that the basis has no units either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.linear.modes import InvariantPart
from geoctrl.analysis.linear.subspaces import FLOAT
from geoctrl.systems.contract.scales import excited_deviations, largest_cycle

__all__ = [
    "CHATTER",
    "PairUnits",
    "ScaledPair",
    "acting_units",
    "scaled_pair",
    "weighed_sizes",
    "weighed_units",
    "without_chatter",
]


CHATTER = 1e-12
"""Coefficient of a law beside the largest of its row, states in their sizes, that is rounding alone."""


class PairUnits(NamedTuple):
    """Sizes of states (n,) and inputs (m,), and a rate (1/s); powers of two."""

    states: np.ndarray
    inputs: np.ndarray
    rate: float


def weighed_units(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> PairUnits:
    """Units next to sizes in which weights are one, and so is the rate of the Hamiltonian."""
    d, r, w = weighed_sizes(A, B, Q, R)
    return PairUnits(binary(d), binary(r), float(binary(w)))


def weighed_sizes(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> PairUnits:
    """Sizes in which weights are one (Bryson's rule, read backwards), not rounded to powers of two.

    A state without a weight has the largest deviation that those with one, or the inputs, excite.
    """
    weights, r = np.diag(Q), 1 / np.sqrt(np.diag(R))
    w = largest_cycle(np.block([[A, B @ np.linalg.solve(R, B.T)], [Q, A.T]])) or 1.0
    weighed = weights > 0
    d = np.zeros(len(A))
    d[weighed] = 1 / np.sqrt(weights[weighed])
    for excited in (
        excited_deviations(A, largest_cycle(A) or w, d),
        np.max(np.abs(B) * r, axis=1, initial=0.0) / w,
    ):
        d = np.where(d > 0, d, excited)
    return PairUnits(np.where(d > 0, d, 1.0), r, w)


def acting_units(B: np.ndarray, sizes: np.ndarray, rate: float) -> PairUnits:
    """Units of given states and time; inputs move one of the states by its size in that time."""
    d, w = binary(sizes), float(binary(rate))
    pushed = np.max(np.abs(B) / d[:, None], axis=0, initial=0.0)
    return PairUnits(d, binary(np.divide(w, pushed, out=np.ones_like(pushed), where=pushed > 0)), w)


def without_chatter(K: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """A gain (m, n) of states of these sizes without the entries that are rounding alone."""
    shares = np.abs(K) * sizes
    return np.where(shares > CHATTER * np.max(shares, axis=1, initial=0.0, keepdims=True), K, 0.0)


@dataclass(frozen=True, eq=False)
class ScaledPair:
    """The pair in units.

    Attributes
    ----------
    A, B : ndarray
        In z, v and w t.
    basis : ndarray (n, k)
        D W.
    coordinates : ndarray (k, n)
        z of the part of a deviation that counts.
    """

    A: np.ndarray
    B: np.ndarray
    basis: np.ndarray
    coordinates: np.ndarray
    units: PairUnits

    def cost(self, Q: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of deviations and inputs as those of z and v, in this time."""
        r, w = self.units.inputs, self.units.rate
        return self.basis.T @ Q @ self.basis / w, R * r * r[:, None] / w

    def gain(self, K: np.ndarray) -> np.ndarray:
        """A gain of z and v as one of deviations and inputs, (m, n), without what is rounding."""
        return self.units.inputs[:, None] * without_chatter(K @ self.coordinates, self.units.states)

    def part(self, known: InvariantPart) -> InvariantPart:
        """The subspace in these units, where ``known`` is not exact: weights are of size one in them."""
        if known.algebra.exact:
            return known
        d = self.units.states
        A = self.A * self.units.rate / known.pace
        return InvariantPart(FLOAT, A, self.basis / d[:, None], known.labels, d, known.pace)


def scaled_pair(
    A: np.ndarray, B: np.ndarray, units: PairUnits, basis: np.ndarray, projection: np.ndarray | None = None
) -> ScaledPair:
    """A pair on the range of ``basis``, which A leaves invariant.

    Parameters
    ----------
    A, B : ndarray, (n, n) and (n, m)
    basis : ndarray (n, k)
    projection : ndarray (k, n), optional
        Coordinates in ``basis`` of the part of a deviation that counts. Without it the pair is one of
        functionals on the range, which A^T leaves invariant.
    """
    d, r, w = units
    if projection is None:
        W, _ = np.linalg.qr(basis * d[:, None])
        coordinates = W.T / d
    else:
        W, T = np.linalg.qr(basis / d[:, None])
        coordinates = T @ projection
    inner = W.T / d
    made = d[:, None] * W
    return ScaledPair(inner @ A @ made / w, inner @ B * r / w, made, coordinates, units)
