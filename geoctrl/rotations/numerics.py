"""The compiled side of a system on rotations: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.manifolds import numerics
from geoctrl.manifolds.numerics import Loops
from geoctrl.rotations import field as equations
from geoctrl.rotations import stepper
from geoctrl.rotations.description import RotationDescription
from geoctrl.rotations.kernels import linear_kernels
from geoctrl.stepping.compiled import Kernel
from geoctrl.stepping.drive import Drive

__all__ = ["Numerics", "Run"]


@dataclass(frozen=True, eq=False)
class Run(numerics.Run):
    """Numbers and kernels of one run, in the order in which the loops take them.

    Attributes
    ----------
    J, K : ndarray (3n, 3)
        Inertias and their inverses.
    spin : ndarray (3,)
        The frame's rate.
    """

    loops = Loops(
        {
            "variational": (stepper.variational, stepper.VARIATIONAL),
            "rk4": (equations.runge_kutta, equations.RUNGE_KUTTA),
            "field": (equations.field, equations.FIELD),
            "mechanics": (equations.mechanics, equations.MECHANICS),
        }
    )

    J: np.ndarray
    K: np.ndarray
    spin: np.ndarray
    covector: Kernel
    covector_slope: Kernel
    covector_rate: Kernel
    linear: bool
    varies: bool

    def arguments(self, name: str) -> tuple:
        """J, K, spin, the kernels and numbers that a loop takes."""
        head = (self.J, self.K, self.spin, self.gradient, self.force, self.forced)
        kernels: tuple[Any, ...] = (self.damped, self.covector, self.covector_slope)
        if name != "variational":
            kernels = (self.covector, self.covector_slope, self.covector_rate)
        return (*head, *kernels, self.linear, self.varies, self.data, self.index, self.table)

    def field(self, t: float, R: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rdot (3n, 3) and Omegadot (n, 3)."""
        V, dw = np.zeros_like(R), np.zeros_like(w)
        self.loop("field")(t, R, w, *self.arguments("field"), V, dw)
        return V, dw

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes (3n, 3) and angular velocities (n, 3) of a state (12n,)."""
        x = np.ascontiguousarray(x)
        split = 9 * (x.size // 12)
        return x[:split].reshape(-1, 3), x[split:].reshape(-1, 3)

    def covectors(self, R: np.ndarray) -> np.ndarray:
        """The linear terms a_i (n, 3)."""
        out = np.zeros((len(R) // 3, 3))
        self.covector(R, self.data, self.index, out)
        return out

    def moments(self, t: float, R: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Body moments (n, 3) of potential and linear terms, and those of the forces."""
        A = np.zeros_like(R)
        if self.varies:
            self.covector_slope(R, w, self.data, self.index, A)
        S = np.swapaxes(R.reshape(-1, 3, 3), 1, 2) @ (self.slope(R) - A).reshape(-1, 3, 3)
        skew = np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1)
        return -skew, self.forces(t, R, w)

    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,), momenta in space R_i Pi_i (nt, n, 3)."""
        energies, momenta = np.zeros((len(second), 2)), np.zeros(second.shape)
        kernels = (self.value, self.covector, self.data, self.index)
        self.loop("mechanics")(
            np.ascontiguousarray(first), np.ascontiguousarray(second), self.J, *kernels, energies, momenta
        )
        return energies[:, 0], energies[:, 1], momenta

    def energies(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Energies (nt,), in a frame that turns the Jacobi integrals."""
        kinetic, potential, momenta = self.mechanics(first, second)
        return kinetic + potential - momenta.sum(axis=1) @ self.spin

    def moment(
        self, axis: np.ndarray, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moments of potential with linear terms, and of forces, about an axis of the reference."""
        R = first.reshape(-1, 3, 3)
        moments = np.einsum("iab,kib->kia", R, np.array(self.moments(t, first, second)))
        sizes = np.linalg.norm(moments, axis=2).sum(axis=1) * np.linalg.norm(axis)
        return moments.sum(axis=1) @ axis, sizes

    def power_and_moments(
        self, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of energy and momenta by potential, forces and the turning of the frame."""
        moments, forces = self.moments(t, first, second)
        R = first.reshape(-1, 3, 3)
        powers = forces * (second - np.swapaxes(R, 1, 2) @ self.spin)
        spatial = np.einsum("iab,kib->kia", R, np.array([moments, forces]))
        momentum = self.mechanics(first[None], second[None])[2][0].sum(axis=0)
        found = np.zeros((2, 3, 4))
        found[:, 1, 0] = powers.sum(), np.abs(powers).sum()
        found[0, :2, 1:] = spatial.sum(axis=1)
        found[0, 2, 1:] = -np.cross(self.spin, momentum)
        found[1, :2, 1:] = np.abs(spatial).sum(axis=(1, 2))[:, None]
        found[1, 2, 1:] = np.linalg.norm(self.spin) * np.abs(momentum).sum()
        return found[0], found[1]


class Numerics(numerics.Numerics):
    """Kernels of one system, made when first used."""

    system: RotationDescription

    def run(self, params: Mapping[str, float], drive: Drive | None = None) -> Run:
        """Numbers and kernels for parameters, and for inputs that are no feedback."""
        system, linear = self.system, self.linear
        J = system.inertias_at(params)
        return Run(
            J=J.reshape(-1, 3),
            K=np.linalg.inv(J).reshape(-1, 3),
            spin=system.frame_rate_at(params),
            covector=linear["covector"],
            covector_slope=linear["slope"],
            covector_rate=linear["rate"],
            linear=bool(system.linear_nodes),
            varies=system.linear_varies,
            **self.common(params, drive),
        )

    @cached_property
    def linear(self) -> dict[str, Kernel]:
        """covector, slope, rate."""
        return linear_kernels(self.writer, self.system.linear_nodes, self.system.configuration_nodes)
