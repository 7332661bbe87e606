"""The compiled side of a system on rotations: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from geoctrl.rotations import field as equations
from geoctrl.rotations import stepper
from geoctrl.rotations.kernels import linear_kernels, potential_kernels, wrapped_potential
from geoctrl.stepping.compiled import Kernel, is_compiled
from geoctrl.stepping.drive import read_drive
from geoctrl.stepping.forces import FORCE, closed, driven, given_force, nothing, written_force
from geoctrl.stepping.writer import KernelWriter, components

if TYPE_CHECKING:
    from geoctrl.rotations.system import RotationSystem

__all__ = ["Numerics", "Run", "compiled"]

_LOOPS: dict[str, tuple[Any, Any]] = {
    "variational": (stepper.variational, stepper.VARIATIONAL),
    "rk4": (equations.runge_kutta, equations.RUNGE_KUTTA),
    "field": (equations.field, equations.FIELD),
    "mechanics": (equations.mechanics, equations.MECHANICS),
}


@cache
def compiled(name: str) -> Callable:
    """A loop of `stepper` or `field`, compiled to its signature when first used, then kept on disk."""
    function, signature = _LOOPS[name]
    return njit(signature, cache=True, error_model="numpy")(function)


@cache
def _no_force() -> Kernel:
    return nothing("force(t, q, w, table, data, index, out)", FORCE)


@dataclass(frozen=True, eq=False)
class Run:
    """Numbers and kernels of one run, in the order in which the loops take them.

    Attributes
    ----------
    J, K : ndarray (3n, 3)
        Inertias and their inverses.
    spin : ndarray (3,)
        The frame's rate.
    """

    J: np.ndarray
    K: np.ndarray
    spin: np.ndarray
    value: Kernel
    gradient: Kernel
    force: Kernel
    forced: bool
    damped: bool
    covector: Kernel
    covector_slope: Kernel
    covector_rate: Kernel
    linear: bool
    varies: bool
    data: np.ndarray
    index: np.ndarray
    table: np.ndarray

    @property
    def engine(self) -> str:
        """Either "numba", or "python" where a function of the user's could not be compiled."""
        return "numba" if all(map(is_compiled, (self.value, self.gradient, self.force))) else "python"

    def loop(self, name: str) -> Callable:
        """A loop in the form that can call these kernels."""
        return compiled(name) if self.engine == "numba" else _LOOPS[name][0]

    def arguments(self, name: str) -> tuple:
        """J, K, spin, the kernels and numbers that a loop takes."""
        head = (self.J, self.K, self.spin, self.gradient, self.force, self.forced)
        kernels: tuple[Any, ...] = (self.damped, self.covector, self.covector_slope)
        if name != "variational":
            kernels = (self.covector, self.covector_slope, self.covector_rate)
        return (*head, *kernels, self.linear, self.varies, self.data, self.index, self.table)

    def potential_slope(self, R: np.ndarray) -> np.ndarray:
        """dU/dR (n, 3, 3)."""
        out = np.zeros((R.size // 3, 3))
        self.gradient(np.ascontiguousarray(R.reshape(-1, 3)), self.data, self.index, out)
        return out.reshape(-1, 3, 3)

    def field(self, t: float, R: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rdot (n, 3, 3) and Omegadot (n, 3)."""
        V, dw = np.zeros((3 * len(w), 3)), np.zeros_like(w)
        self.loop("field")(t, R.reshape(-1, 3), w, *self.arguments("field"), V, dw)
        return V.reshape(R.shape), dw

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate (12n,) of a state (12n,)."""
        x = np.ascontiguousarray(x)
        split = 9 * (x.size // 12)
        V, dw = self.field(t, x[:split].reshape(-1, 3, 3), x[split:].reshape(-1, 3))
        return np.concatenate([V.ravel(), dw.ravel()])

    def covectors(self, R: np.ndarray) -> np.ndarray:
        """The linear terms a_i (n, 3)."""
        out = np.zeros((len(R), 3))
        self.covector(R.reshape(-1, 3), self.data, self.index, out)
        return out

    def moments(self, t: float, R: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Body moments (n, 3) of potential and linear terms, and those of the forces."""
        G, A, f = self.potential_slope(R), np.zeros((R.size // 3, 3)), np.zeros_like(w)
        rows = R.reshape(-1, 3)
        if self.varies:
            self.covector_slope(rows, w, self.data, self.index, A)
        if self.forced:
            self.force(t, rows, w, self.table, self.data, self.index, f)
        S = np.swapaxes(R, 1, 2) @ (G - A.reshape(R.shape))
        return -np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], 1), f

    def mechanics(self, R: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,), momenta in space (nt, n, 3) of R (nt, n, 3, 3), Omega."""
        energies, momenta = np.zeros((len(w), 2)), np.zeros(w.shape)
        rows = np.ascontiguousarray(R).reshape(len(w), -1, 3)
        kernels = (self.value, self.covector, self.data, self.index)
        self.loop("mechanics")(rows, np.ascontiguousarray(w), self.J, *kernels, energies, momenta)
        return energies[:, 0], energies[:, 1], momenta


class Numerics:
    """Kernels of one system, made when first used."""

    def __init__(self, system: RotationSystem) -> None:
        self.system = system
        self.writer = KernelWriter(system.graph, system.parameter_nodes)

    def run(self, params: Mapping[str, float], inputs: Any = None) -> Run:
        """Numbers and kernels for parameters and inputs."""
        system = self.system
        table, drive = read_drive(inputs, system.input_labels)
        value, gradient = self.potential
        force = self.force if drive is None else driven(self._force, drive)
        linear = self.linear
        data, index = self.writer.fill(params)
        J = system.inertias_at(params)
        return Run(
            J=J.reshape(-1, 3),
            K=np.linalg.inv(J).reshape(-1, 3),
            spin=system.frame_rate_at(params),
            value=value,
            gradient=gradient,
            force=force,
            forced=system.forced,
            damped=system.damped,
            covector=linear["covector"],
            covector_slope=linear["slope"],
            covector_rate=linear["rate"],
            linear=bool(system.linear_nodes),
            varies=system.linear_varies,
            data=data,
            index=index,
            table=table,
        )

    @cached_property
    def potential(self) -> tuple[Kernel, Kernel]:
        """Value and gradient."""
        system = self.system
        if callable(system.potential_given):
            assert system.gradient_given is not None
            return wrapped_potential(
                system.potential_given, system.gradient_given, system.n, len(system.params)
            )
        return potential_kernels(self.writer, system.to_node(system.potential_expression), system.R_nodes)

    @cached_property
    def linear(self) -> dict[str, Kernel]:
        """covector, slope, rate."""
        return linear_kernels(self.writer, self.system.linear_nodes, self.system.R_nodes)

    @cached_property
    def force(self) -> Kernel:
        """Body moments, the inputs read from a table or set by the law."""
        law = self.system.law
        return self._force if law is None else closed(self._force, law, tuple(self.system.params))

    @cached_property
    def _force(self) -> Kernel:
        system, n = self.system, self.system.n
        if not system.forced:
            return _no_force()
        if callable(system.forces_given):
            m = len(system.driven_labels)
            return given_force(system.forces_given, (n, 3, 3), m, len(system.params))
        places = list(zip(system.R_nodes, components("q", 3 * n), strict=True))
        places += zip(system.Omega_nodes, components("w", n), strict=True)
        return written_force(
            self.writer, [*places, (system.time_node, "t")], system.input_nodes, system.force_nodes
        )
