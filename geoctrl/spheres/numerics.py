"""The compiled side of a system on spheres: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from geoctrl.errors import SingularMassError
from geoctrl.manifolds import numerics
from geoctrl.manifolds.numerics import Loops
from geoctrl.spheres import field as equations
from geoctrl.spheres import stepper
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.kernels import MASS, SLOPE, mass_kernels
from geoctrl.stepping.compiled import Kernel
from geoctrl.stepping.drive import Drive
from geoctrl.stepping.forces import nothing

__all__ = ["Numerics", "Run"]


@cache
def _constant_mass() -> dict[str, Kernel]:
    """Kernels of an inertia that does not vary: none of them is called."""
    heads = {
        "mass": ("mass(q, data, index, out)", MASS),
        "mass_gradient": ("mass_gradient(q, gram, data, index, out)", SLOPE),
        "mass_rate": ("mass_rate(q, v, data, index, out)", SLOPE),
    }
    return {name: nothing(head, signature) for name, (head, signature) in heads.items()}


@dataclass(frozen=True, eq=False)
class Run(numerics.Run):
    """Numbers and kernels of one run, in the order in which the loops take them.

    Attributes
    ----------
    inertia : ndarray (n, n) or (1, n)
        The inertia, or its diagonal where it couples no bodies; where it depends on q a workspace.
    """

    loops = Loops(
        {
            "explicit": (stepper.explicit, stepper.EXPLICIT),
            "implicit": (stepper.implicit, stepper.IMPLICIT),
            "runge_kutta": (equations.runge_kutta, equations.RUNGE_KUTTA),
        }
    )

    inertia: np.ndarray
    diagonal: bool
    varies: bool
    mass: tuple[Kernel, Kernel, Kernel]

    def loop(self, name: str) -> Callable:
        """A loop in the form that can call these kernels."""
        if self.engine == "python" and name == "implicit":
            stepper.settle()
        return super().loop(name)

    @property
    def system_arguments(self) -> tuple:
        """inertia, diagonal, varies, the kernels of the inertia."""
        return self.inertia, self.diagonal, self.varies, *self.mass

    @property
    def kernel_arguments(self) -> tuple:
        """gradient, force, forced, data, index, table."""
        return self.gradient, self.force, self.forced, self.data, self.index, self.table

    @property
    def M(self) -> np.ndarray:
        """The inertia (n, n)."""
        return np.diag(self.inertia[0]) if self.diagonal else self.inertia

    def at(self, q: np.ndarray) -> np.ndarray:
        """The inertia (n, n) at q."""
        self._renew(q)
        return self.M

    def _renew(self, q: np.ndarray) -> None:
        """Fill in the inertia at q."""
        if self.varies:
            self.mass[0](q, self.data, self.index, self.inertia)

    def inertia_slope(self, q: np.ndarray, gram: np.ndarray) -> np.ndarray:
        """Half the sum over jk of dm_jk/dq_i gram_jk, (n, 3)."""
        out = np.zeros_like(q)
        if self.varies:
            self.mass[1](q, gram, self.data, self.index, out)
        return out

    def inertia_rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rate (n, n) of the inertia as q moves with velocities v."""
        out = np.zeros((len(q), len(q)))
        if self.varies:
            self.mass[2](q, v, self.data, self.index, out)
        return out

    def field(self, t: float, q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """qdot and omegadot, (n, 3) each; SingularMassError where the inertia is not positive definite."""
        v, a = np.zeros_like(q), np.zeros_like(q)
        equations.velocities(q, w, v)
        F = self.forces(t, q, w) - self.slope(q)
        change = np.zeros_like(self.inertia)
        if self.varies:
            gram = np.zeros_like(self.inertia)
            equations.products(w, v, gram)
            F += self.inertia_slope(q, gram)
            change = self.inertia_rate(q, v)
        self._renew(q)
        if not equations.accelerations(q, w, v, F, self.inertia, change, self.diagonal, a):
            raise SingularMassError("the inertia is not positive definite at this configuration")
        return v, a

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Directions and angular velocities (n, 3) of a state (6n,)."""
        q, omega = np.ascontiguousarray(x).reshape(2, -1, 3)
        return q, omega

    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,) and the spatial momenta q_i x p_i (nt, n, 3)."""
        kinetic, potential, L = np.empty(len(first)), np.empty(len(first)), np.zeros(first.shape)
        for k, (q, w) in enumerate(zip(first, second, strict=True)):
            self._renew(q)
            kinetic[k] = equations.momenta(q, w, self.inertia, L[k])
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
        n, mass, M = self.system.n, self.mass, self.system.constant_mass(params)
        return Run(
            inertia=np.zeros((n, n)) if M is None else np.atleast_2d(M),
            diagonal=M is not None and M.ndim == 1,
            varies=M is None,
            mass=(mass["mass"], mass["mass_gradient"], mass["mass_rate"]),
            **self.common(params, drive),
        )

    @cached_property
    def mass(self) -> dict[str, Kernel]:
        """mass, mass_gradient, mass_rate."""
        system = self.system
        if system.mass_nodes is None:
            return _constant_mass()
        return mass_kernels(self.writer, system.mass_nodes, system.configuration_nodes)
