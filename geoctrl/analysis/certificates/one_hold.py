r"""One hold of a loop to first order, in coordinates of the leaf in which states are of size one.

With :math:`\Phi(s) = e^{As}` and :math:`G(s) = \int_0^s e^{A\sigma}\,d\sigma\,B` of the pair (A, B) on the
leaf, a command that acts over the last s of a hold moves the state by G(s). Without a delay one hold is
:math:`M = \Phi(h) + G(h) K W`, K the derivative of the law and W the basis of the leaf. The actuator's lag
belongs to A; states of the controller are rows of sums; a delay of (d + f) h keeps the commands
:math:`u_{k-1}, \dots` as states, of which :math:`u_{k-d}` acts through :math:`G(h - f h)` and
:math:`u_{k-d-1}` through :math:`G(h) - G(h - f h)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.law_on_plant import LawAtRest
from geoctrl.analysis.linear.linearization import Linearization, invariant_directions
from geoctrl.sampling import SampledController
from geoctrl.systems.contract.scales import kernel
from geoctrl.systems.contract.tolerances import KERNEL, UNIT

__all__ = [
    "HeldPair",
    "held_pair",
    "hold_matrix",
    "in_leaf_coordinates",
    "inner_of",
    "on_leaf",
    "radius_of",
    "unheld",
]


@dataclass(frozen=True, eq=False)
class HeldPair:
    """What does not depend on the hold: the pair with the actuator's lag, and the derivatives of the law."""

    A: np.ndarray
    B: np.ndarray
    K: np.ndarray
    """Of the law by leaf coordinates, actuators and states of the controller."""
    R: np.ndarray
    """Of the controller's rates by these, and by the inputs applied."""
    level: np.ndarray
    """Basis of leaf coordinates and actuators along which nothing conserved changes."""
    sizes: np.ndarray
    """Of leaf coordinates, actuators and controller states."""
    W: np.ndarray
    """Basis of the leaf, in states of the plant: its coordinates are of size one."""
    fastest: float
    """Largest rate of the plant and of the loop without a hold (1/s)."""
    rate: float
    """Of the plant (1/s)."""
    own: tuple[str, ...]
    """Labels of the controller's states."""

    @cached_property
    def tangents(self) -> np.ndarray:
        """Directions of fixed points in the level, in leaf coordinates, actuators and controller states."""
        along = _still(self.A, self.B, self.K, self.R, self.level, self.sizes, self.rate)
        return self.sizes[:, None] * along


def held_pair(system: Any, controller: SampledController, lin: Linearization) -> tuple[HeldPair, list[str]]:
    """The pair where states are of size one, and the names of what is neutral in it."""
    law, scales, point = controller.feedback, lin.scales, lin.equilibrium
    d, tangent, numbers = scales.unit, scales.tangent, dict(point.params)
    on_plant = LawAtRest(system, controller, point)
    by_terms, by_rates = on_plant.derivatives(is_lagging=controller.lag > 0)
    (n, p), m = tangent.shape, len(law.inputs)
    acting = [system.input_labels.index(label) for label in law.inputs]
    W, inner = d[:, None] * tangent, tangent.T / d
    A, B = inner @ lin.A @ W, inner @ lin.B[:, acting]
    lagging = m if controller.lag else 0
    K, R = (np.hstack([rows[:, :n] @ W, rows[:, n:]]) for rows in (by_terms, by_rates))
    # Functions that no input changes force left null vectors; the names come by an exact test.
    kept = set(system.conserved(numbers, all_inputs=True))
    gradients = system.seen_from(None).scaled_gradients(point.x, point.u, numbers)
    names, level = invariant_directions({k: g for k, g in gradients.items() if k in kept}, tangent)
    sizes = np.ones(p)
    if lagging:
        A = np.block([[A, B], [np.zeros((m, p)), -np.eye(m) / controller.lag]])
        B = np.vstack([np.zeros((p, m)), np.eye(m) / controller.lag])
        level = np.block([[level, np.zeros((p, m))], [np.zeros((m, level.shape[1])), np.eye(m)]])
        sizes = np.concatenate([sizes, binary(np.where(scales.input > 0, scales.input, 1.0)[acting])])
    rate = scales.rate or 1.0
    own = np.max(np.abs(R[:, : len(sizes)]) * sizes, axis=1, initial=0.0) / rate
    sizes = np.concatenate([sizes, binary(np.where(own > 0, own, 1.0))])
    along = _still(A, B, K, R, level, sizes, rate)
    directions = np.vstack([tangent @ along[:p], along[p:]])
    named = [
        label
        for i, label in enumerate((*system.state_labels, *["actuator"] * lagging, *on_plant.own))
        if np.linalg.norm(directions[i]) > 1 - UNIT
    ]
    names += [*named, *["family"] * (along.shape[1] - len(named))]
    fastest = max(rate, _fastest(A, B, K, R, on_plant.estimates @ W, len(law.rates)))
    return HeldPair(A, B, K, R, level, sizes, W, fastest, rate, on_plant.own), names


def _fastest(
    A: np.ndarray, B: np.ndarray, K: np.ndarray, R: np.ndarray, estimates: np.ndarray, count: int
) -> float:
    """Largest rate of the loop without a hold, where what is stepped from sample to sample is what it
    estimates: all but the first ones of the controller's states.
    """
    p, q = len(A), len(R)
    known = np.vstack([np.eye(p + count, p + q), np.zeros((q - count, p + q))])
    known = known[:, : p + count]
    known[p + count :, : estimates.shape[1]] = estimates[count:]
    R_known = np.hstack([R[:count, : p + q] @ known, R[:count, p + q :]])
    return radius_of(unheld(A, B, K @ known, R_known))


def in_leaf_coordinates(M: np.ndarray, basis: np.ndarray, W: np.ndarray) -> np.ndarray:
    """M of coordinates y, x = W y, as one of those by an orthonormal basis of the leaf."""
    p = W.shape[1]
    to_leaf, from_leaf = np.eye(len(M)), np.eye(len(M))
    to_leaf[:p, :p] = basis.T @ W
    from_leaf[:p, :p] = np.linalg.inv(to_leaf[:p, :p])
    return to_leaf @ M @ from_leaf


def on_leaf(rows: np.ndarray, W: np.ndarray, lagging: int) -> np.ndarray:
    """Derivatives by states of the plant and what follows them, by leaf coordinates and actuators instead."""
    n = len(W)
    return np.hstack([rows[:, :n] @ W, np.zeros((len(rows), lagging)), rows[:, n:]])


def unheld(A: np.ndarray, B: np.ndarray, K: np.ndarray, R: np.ndarray) -> np.ndarray:
    """The loop without a hold, states of the controller behind those of the plant."""
    plant = np.hstack([A, np.zeros((len(A), len(R)))]) + B @ K
    return np.vstack([plant, R[:, : K.shape[1]] + R[:, K.shape[1] :] @ K])


def _still(
    A: np.ndarray,
    B: np.ndarray,
    K: np.ndarray,
    R: np.ndarray,
    level: np.ndarray,
    sizes: np.ndarray,
    rate: float,
) -> np.ndarray:
    """Directions of fixed points in the level, orthonormal where everything is of size one.

    What is left of a row is compared with the terms of that row, and with the rate of the plant: gains of one
    row say nothing of another, nor is a motion that they make slow one that stands still.
    """
    q = len(R)
    inside = np.block([[level, np.zeros((len(level), q))], [np.zeros((q, level.shape[1])), np.eye(q)]])
    inside = np.linalg.qr(inside / sizes[:, None])[0] if inside.size else inside
    loop = unheld(A, B, K, R) * sizes / sizes[:, None]
    terms = unheld(*map(np.abs, (A, B, K, R))) * sizes / sizes[:, None]
    rows = np.maximum(np.sum(terms, axis=1), rate)
    return inside @ kernel(loop @ inside / rows[:, None], KERNEL, 1.0)


def hold_matrix(pair: HeldPair, controller: SampledController) -> np.ndarray:
    """M of a hold."""
    h, (late, part) = controller.hold, controller.holds_late
    (p, m), q = pair.B.shape, len(pair.R)
    waiting = late + (part > 0)
    size = p + q + waiting * m
    whole, last = _held_flow(pair, h), _held_flow(pair, h * (1 - part))
    K = np.hstack([pair.K, np.zeros((m, waiting * m))])

    def command(j: int) -> np.ndarray:
        """The command of j holds before, as a row of the state."""
        rows = np.zeros((m, size))
        rows[:, p + q + (j - 1) * m : p + q + j * m] = np.eye(m)
        return rows if j else K

    M = np.zeros((size, size))
    M[:p, :p] = whole[:, :p]
    M[:p] += last[:, p:] @ command(late)
    if part:
        M[:p] += (whole[:, p:] - last[:, p:]) @ command(late + 1)
    M[p : p + q, p : p + q] = np.eye(q)
    M[p : p + q, : p + q] += h * pair.R[:, : p + q]
    M[p : p + q] += h * pair.R[:, p + q :] @ K
    for j in range(1, waiting + 1):
        M[p + q + (j - 1) * m : p + q + j * m] = command(j - 1)
    return M


def _held_flow(pair: HeldPair, s: float) -> np.ndarray:
    """(Phi(s), G(s)), side by side."""
    from scipy.linalg import expm

    p, m = pair.B.shape
    block = np.zeros((p + m, p + m))
    block[:p] = np.hstack([pair.A, pair.B])
    return expm(block * s)[:p]


def inner_of(pair: HeldPair, M: np.ndarray) -> np.ndarray:
    """M on the level, modulo the directions of fixed points."""
    p, q, size = len(pair.A), len(pair.R), len(M)
    m = len(pair.K)
    level = np.eye(size)
    level = np.hstack([np.vstack([pair.level, np.zeros((size - p, pair.level.shape[1]))]), level[:, p:]])
    # At a fixed point the commands that wait are those of the law there.
    waiting = np.tile(pair.K @ pair.tangents, ((size - p - q) // m, 1))
    still = level.T @ np.vstack([pair.tangents, waiting])
    across = np.linalg.qr(still, mode="complete")[0][:, still.shape[1] :]
    return across.T @ level.T @ M @ level @ across


def radius_of(matrix: np.ndarray) -> float:
    """Largest modulus of an eigenvalue; zero for none."""
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0)) if matrix.size else 0.0
