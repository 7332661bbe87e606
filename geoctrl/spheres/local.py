"""What the analysis of equilibria asks of a system on spheres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl.manifolds.conservation import require_symmetry
from geoctrl.spheres import analysis, linear
from geoctrl.systems.regularity import switch_values

if TYPE_CHECKING:
    from geoctrl.spheres.system import SphereSystem

__all__ = ["LocalAnalysis"]


class LocalAnalysis:
    """Derivatives, tangent spaces and rest positions of one system.

    Attributes
    ----------
    direct : bool
        Whether derivatives need no elimination: the inertia is constant.
    """

    def __init__(self, system: SphereSystem) -> None:
        self.system = system
        self.direct = system.mass_nodes is None

    def jacobians(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the field by the state (6n, 6n) and by the inputs (6n, m)."""
        derive = linear.jacobians if self.direct else analysis.jacobians
        return derive(self.system, t, x, u, params)

    def switches(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise at a point, as far as the system is given by expressions."""
        system = self.system
        nodes = [system.to_node(t) for t in system.potential_terms if isinstance(t, sp.Expr)]
        nodes += [e for row in system.mass_nodes or () for e in row]
        if system.forced and not callable(system.forces_given):
            nodes += system.force_nodes
        sums = linear.term_switches(system, system.unpack(x)[0], params)
        return np.concatenate([switch_values(system, nodes, x, u, params), *sums])

    def check_symmetry(self, spin: np.ndarray, params: Mapping[str, float], x: np.ndarray) -> None:
        """DescriptionError unless turning all bodies about the axis of the spin keeps the system."""
        require_symmetry(self.system, params, spin, x)

    def turning(self, spin: np.ndarray) -> np.ndarray:
        """What axes that turn with ``spin`` add to the derivative of the field, (6n, 6n)."""
        return linear.turning(self.system.n, np.asarray(spin, dtype=float))

    def tangent_basis(self, x: np.ndarray) -> np.ndarray:
        """Orthonormal basis (6n, 4n) of the tangent space of (T S^2)^n."""
        return linear.tangent_basis(*self.system.unpack(x))

    def defect(self, x: np.ndarray) -> float:
        """Largest defect of q.q = 1 and q.omega = 0."""
        q, omega = self.system.unpack(x)
        return float(max(np.abs(np.sum(q * q, axis=1) - 1).max(), np.abs(np.sum(q * omega, axis=1)).max()))

    def invariant_gradients(
        self, x: np.ndarray, params: Mapping[str, float], spin: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Gradients by the state of what is conserved, seen from turning axes."""
        return linear.invariant_gradients(self.system, x, params, spin)

    def rest_near(
        self, x: np.ndarray, spin: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """State near ``x`` that rests in axes turning with ``spin``.

        Raises
        ------
        EquilibriumError
            If none is found.
        DescriptionError
            If the system has no symmetry about the spin.
        """
        if np.any(spin):
            self.check_symmetry(spin, params, x)
        q, _ = linear.find_rest(self.system, self.system.unpack(x)[0], spin, u, params)
        return self.system.pack(q, spin - q * (q @ spin)[:, None])

    def natural(self, spin: Sequence[float]) -> dict[str, Any] | None:
        """Nodes of the Lagrangian in turning axes, for exact proofs; None where there is none."""
        return analysis.natural(self.system, spin)

    def stiffness(self, x: np.ndarray, spin: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (2n, 2n) of the amended potential; None with forces or varying inertia."""
        if not self.direct or not self.system.force_free:
            return None
        return linear.stiffness(self.system, x, spin, params)
