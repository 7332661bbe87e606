"""The compiled side of a system on spheres: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import Node
from geoctrl.manifolds import numerics
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.kernels import mass_kernels
from geoctrl.stepping import coupled, explicit, tensions
from geoctrl.stepping.bodies import DIRECTION, layout
from geoctrl.stepping.compiled import Kernel
from geoctrl.stepping.drive import Drive
from geoctrl.stepping.kinetics import kinetic_kernels
from geoctrl.stepping.variational import Solver

__all__ = ["Numerics", "Run"]


@dataclass(frozen=True, eq=False)
class Run(numerics.Run):
    """Numbers and kernels of one run.

    Attributes
    ----------
    inertia : ndarray (n, n) or (1, n)
        The inertia, or its diagonal where it couples no bodies; where it depends on q a workspace.
    mass : tuple of kernels or None
        The inertia, its slope and its rate, where it varies.
    energy : tuple of kernels or None
        The slopes of the kinetic energy and how they change, where the inertia varies.
    """

    inertia: np.ndarray
    mass: tuple[Kernel, Kernel, Kernel] | None
    energy: tuple[Kernel, Kernel] | None

    @property
    def varies(self) -> bool:
        """Whether the inertia depends on q."""
        return self.mass is not None

    @property
    def diagonal(self) -> bool:
        """Whether the inertia couples no bodies, anywhere."""
        return not self.varies and len(self.inertia) == 1

    @property
    def M(self) -> np.ndarray:
        """The inertia (n, n)."""
        return np.diag(self.inertia[0]) if self.diagonal else self.inertia

    @property
    def bodies(self) -> np.ndarray:
        """Kind and first row of each body."""
        return layout([DIRECTION] * self.inertia.shape[1])

    @property
    def kinetics(self) -> tuple[Kernel, Kernel]:
        """The slopes of the kinetic energy and how they change."""
        return super().kinetics if self.energy is None else self.energy

    @property
    def solver(self) -> Solver:
        """The one for diagonal, for constant or for any inertia."""
        if self.varies:
            return coupled.SOLVER
        return explicit.SOLVER if self.diagonal else tensions.SOLVER

    def solved(self, stages: int = 1) -> Any:
        """The system that the solver takes, for a method of ``stages`` substeps."""
        if self.varies:
            return coupled.coupled(self.bodies, written=True)
        if self.diagonal:
            return explicit.Explicit(self.bodies, self.inertia[0])
        return tensions.tensions(self.bodies, self.M, stages)

    def at(self, q: np.ndarray) -> np.ndarray:
        """The inertia (n, n) at q."""
        if self.mass is not None:
            self.mass[0](q, self.data, self.index, self.inertia)
        return self.M

    def inertia_slope(self, q: np.ndarray, gram: np.ndarray) -> np.ndarray:
        """Half the sum over jk of dm_jk/dq_i gram_jk, (n, 3)."""
        out = np.zeros_like(q)
        if self.mass is not None:
            self.mass[1](q, gram, self.data, self.index, out)
        return out

    def inertia_rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rate (n, n) of the inertia as q moves with velocities v."""
        out = np.zeros((len(q), len(q)))
        if self.mass is not None:
            self.mass[2](q, v, self.data, self.index, out)
        return out

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Directions and angular velocities (n, 3) of a state (6n,)."""
        q, omega = np.ascontiguousarray(x).reshape(2, -1, 3)
        return q, omega

    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,) and the spatial momenta q_i x p_i (nt, n, 3)."""
        kinetic, potential, L = np.empty(len(first)), np.empty(len(first)), np.zeros(first.shape)
        for k, (q, w) in enumerate(zip(first, second, strict=True)):
            if self.diagonal:
                L[k] = self.inertia[0][:, None] * w
            else:
                M, v = self.at(q), np.cross(w, q)
                own = np.diag(M)[:, None] * self.varies  # apart, as fields have it off the spheres
                L[k] = own * w + np.cross(q, M @ v - own * v)
            kinetic[k] = np.sum(w * L[k]) / 2
            potential[k] = self.value(q, self.data, self.index)
        return kinetic, potential, L

    def moment(
        self, axis: np.ndarray, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moments of forces, potential and varying inertia about an axis, and the sizes of their terms."""
        acting = np.array([self.forces(t, first, second), -self.slope(first)])
        moments = np.cross(first, acting) @ axis
        # Inertia that varies moves the momentum, unless turning all q about the axis leaves it as it is.
        inertia, parts = 0.0, 0.0
        if self.varies:
            turns = np.cross(axis, first)
            inertia = np.abs(self.inertia_rate(first, turns)).max()
            alone = np.eye(len(first))[:, :, None] * turns
            parts = sum(np.abs(self.inertia_rate(first, v)).max() for v in alone)
        return np.append(moments.sum(axis=1), inertia), np.append(np.abs(moments).sum(axis=1), parts)

    def power_and_moments(
        self, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the energy and the momenta by forces, potential and inertia."""
        powers = self.forces(t, first, second) * np.cross(second, first)
        found = np.zeros((2, 3, 4))
        found[:, 0, 0] = powers.sum(), np.abs(powers).sum()
        for k, axis in enumerate(np.eye(3)):
            found[:, :, 1 + k] = self.moment(axis, t, first, second)
        return found[0], found[1]


class Numerics(numerics.Numerics):
    """Kernels of one system, made when first used."""

    system: SphereDescription

    def run(self, params: Mapping[str, float], drive: Drive | None = None) -> Run:
        """Numbers and kernels for parameters, and for inputs that are no feedback."""
        n, M = self.system.n, self.system.constant_mass(params)
        return Run(
            inertia=np.zeros((n, n)) if M is None else np.atleast_2d(M),
            mass=self.mass if M is None else None,
            energy=self.energy if M is None else None,
            **self.common(params, drive),
        )

    @cached_property
    def mass(self) -> tuple[Kernel, Kernel, Kernel]:
        """The inertia, its slope and its rate."""
        inertia, slope, rate = mass_kernels(self.writer, self._entries, self.system.configuration_nodes)
        return inertia, slope, rate

    @property
    def _entries(self) -> list[list[Node]]:
        return self.system.mass_nodes or []

    @cached_property
    def energy(self) -> tuple[Kernel, Kernel]:
        """Half of the sum of m_jk(q) u_j.u_k: its slopes and how they change."""
        system, graph = self.system, self.writer.graph
        u = self.writer.symbols([f"rate{i}" for i in range(3 * system.n)])
        terms = [
            self._entries[j][k] * u[3 * j + c] * u[3 * k + c]
            for j in range(system.n)
            for k in range(system.n)
            for c in range(3)
        ]
        return kinetic_kernels(self.writer, graph.add(terms) / 2, system.configuration_nodes, u)
