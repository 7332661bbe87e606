"""What holds do to deviations from a motion, to first order, on the level of what no input changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.invariants.invariants import check_invariant
from geoctrl.analysis.linear.linearization import invariant_directions
from geoctrl.errors import EquilibriumError
from geoctrl.synthesis.periodic.held_reference import HeldReference

__all__ = ["HoldDerivatives", "hold_derivatives"]


@dataclass(frozen=True, eq=False)
class HoldDerivatives:
    """What holds do to deviations on the level of what no input changes, along a motion.

    Attributes
    ----------
    names : tuple of str
        Functions that no input changes.
    bases : list of ndarray (n, d)
        Of the tangents at the beginnings of the holds, in states over their sizes, orthonormal.
    A, B : list of ndarray
        (d, d) and (d, m).
    """

    names: tuple[str, ...]
    bases: list[np.ndarray]
    A: list[np.ndarray]
    B: list[np.ndarray]

    @property
    def command_sizes(self) -> np.ndarray:
        """Powers of two (m,), next to what moves a state by its size in a hold."""
        reach = np.max(np.abs(self.B), axis=(0, 1))
        return binary(1 / np.where(reach > 0, reach, 1.0))


def hold_derivatives(reference: HeldReference) -> HoldDerivatives:
    """Derivatives of the holds along a motion, on the level of what no input changes."""
    plant, sizes = reference.plant, reference.sizes
    names, bases = _level(reference)
    A, B = [], []
    for k, (x, u) in enumerate(zip(reference.states, reference.inputs, strict=True)):
        _, by_state, by_input = plant.step(x, u)
        after = bases[(k + 1) % len(bases)].T
        A.append(after @ (by_state * sizes / sizes[:, None]) @ bases[k])
        B.append(after @ (by_input / sizes[:, None]))
    return HoldDerivatives(names, bases, A, B)


def _level(reference: HeldReference) -> tuple[tuple[str, ...], list[np.ndarray]]:
    """Functions that no input changes, and tangents of their levels on the leaf at each of the states."""
    plant, sizes = reference.plant, reference.sizes
    system, seen = plant.system, plant.system.seen_from(None)
    u = reference.inputs[0]
    unchanged = [
        name
        for name in system.conserved(plant.params, u=u)
        if check_invariant(system, name, params=plant.params, for_all_inputs=True).proved
    ]
    names, bases = None, []
    for x in reference.states:
        W = np.linalg.qr(seen.leaf_basis(x, plant.params) / sizes[:, None])[0]
        gradients = seen.conserved_gradients(x, u, plant.params)
        rows = {k: gradients[k] * sizes for k in unchanged if k in gradients}
        lengths = {k: float(np.linalg.norm(row)) or 1.0 for k, row in rows.items()}
        found, level = invariant_directions({k: row / lengths[k] for k, row in rows.items()}, W)
        if names is not None and found != names:
            raise EquilibriumError(
                f"what no input changes depends on each other somewhere along the motion: {', '.join(names)} "
                f"at its beginning, {', '.join(found)} later; take a motion away from such points"
            )
        names = found
        bases.append(W @ level)
    return tuple(names or ()), bases
