"""The compiled side of a system on rotations: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geoctrl.manifolds import numerics
from geoctrl.rotations.description import RotationDescription
from geoctrl.rotations.kernels import linear_kernels
from geoctrl.stepping.apart import SOLVER, Apart, apart
from geoctrl.stepping.bodies import ATTITUDE, layout
from geoctrl.stepping.compiled import Kernel
from geoctrl.stepping.drive import Drive
from geoctrl.stepping.variational import Solver

__all__ = ["Numerics", "Run"]


@dataclass(frozen=True, eq=False)
class Run(numerics.Run):
    """Numbers and kernels of one run, in the order in which the loops take them.

    Attributes
    ----------
    J : ndarray (n, 3, 3)
        Inertias.
    frame : ndarray (3,)
        Its rate.
    linear_kernels : tuple of kernels or None
        The linear terms with their rate, and their slope.
    varies : bool
        Whether the linear terms depend on attitudes.
    """

    J: np.ndarray
    frame: np.ndarray
    linear_kernels: tuple[Kernel, Kernel] | None
    varies: bool

    @property
    def bodies(self) -> np.ndarray:
        """Kind and first row of each body."""
        return layout([ATTITUDE] * len(self.J))

    @property
    def spin(self) -> np.ndarray:
        """Rate of the frame (rad/s), in its own axes."""
        return self.frame

    @property
    def solver(self) -> Solver:
        """Newton's iteration for each body."""
        return SOLVER

    @property
    def kinetics(self) -> tuple[Kernel, Kernel]:
        """The linear terms with their rate, and their slope."""
        return super().kinetics if self.linear_kernels is None else self.linear_kernels

    def solved(self, stages: int = 1) -> Apart:
        """Bodies, inertias and linear terms."""
        del stages  # nothing is handed on but the state
        return apart(
            self.bodies, self.J, None if self.varies else self.covectors(np.zeros((3 * len(self.J), 3)))
        )

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes (3n, 3) and angular velocities (n, 3) of a state (12n,)."""
        x = np.ascontiguousarray(x)
        split = 9 * (x.size // 12)
        return x[:split].reshape(-1, 3), x[split:].reshape(-1, 3)

    def covectors(self, R: np.ndarray) -> np.ndarray:
        """The linear terms a_i (n, 3)."""
        both = np.zeros((2 * len(self.J), 3))
        self.kinetics[0](R, np.zeros_like(R), self.data, self.index, both)
        return both[: len(self.J)]

    def moments(self, t: float, R: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Body moments (n, 3) of potential and linear terms, and those of the forces."""
        A = np.zeros_like(R)
        if self.varies:
            self.kinetics[1](R, w, self.data, self.index, A)
        S = np.swapaxes(R.reshape(-1, 3, 3), 1, 2) @ (self.slope(R) - A).reshape(-1, 3, 3)
        skew = np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1)
        return -skew, self.forces(t, R, w)

    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,), momenta in space R_i Pi_i (nt, n, 3)."""
        potential, momenta = np.empty(len(second)), np.einsum("iab,kib->kia", self.J, second)
        kinetic = np.sum(second * momenta, axis=(1, 2)) / 2
        for k, R in enumerate(first):
            potential[k] = self.potential(R)
            if self.linear_kernels is not None:
                momenta[k] += self.covectors(R)
        return kinetic, potential, np.einsum("kiab,kib->kia", first.reshape(*second.shape, 3), momenta)

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
        system = self.system
        return Run(
            J=system.inertias_at(params),
            frame=system.frame_rate_at(params),
            linear_kernels=self.linear if system.linear_nodes else None,
            varies=system.linear_varies,
            **self.common(params, drive),
        )

    @cached_property
    def linear(self) -> tuple[Kernel, Kernel]:
        """The linear terms with their rate, and their slope."""
        return linear_kernels(self.writer, self.system.linear_nodes, self.system.configuration_nodes)
