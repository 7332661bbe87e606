"""The compiled side of a system on a manifold: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.errors import InputError, SingularMassError
from geoctrl.manifolds.checking import check_gradients
from geoctrl.manifolds.functions import examine
from geoctrl.manifolds.kernels import Lines, potential_kernels
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.stepping.compiled import Kernel, compile_function, is_compiled, loop_code
from geoctrl.stepping.drive import Drive, Held
from geoctrl.stepping.forces import (
    GRADIENT,
    VALUE,
    closed,
    driven,
    given_force,
    no_force,
    written_force,
)
from geoctrl.stepping.runge_kutta import move, turn_back
from geoctrl.stepping.table import table
from geoctrl.stepping.variational import Numbers, Solver, no_kinetics
from geoctrl.stepping.writer import KernelWriter, components
from geoctrl.systems.field import Field

__all__ = ["Numerics", "Run"]

_SEEDS = (7, 8, 9)
"""Of the generic states at which gradients are compared."""


@dataclass(frozen=True, eq=False)
class Run(Field):
    """Numbers and kernels of one run.

    Attributes
    ----------
    data, index : ndarray
        Numbers that the kernels read.
    table : ndarray
        Samples of the inputs (`geoctrl.stepping.table`).
    params : dict
    """

    value: Kernel
    gradient: Kernel
    force: Kernel
    forced: bool
    damped: bool
    data: np.ndarray
    index: np.ndarray
    table: np.ndarray
    params: Mapping[str, float]

    @property
    def engine(self) -> str:
        """Either "numba", or "python" where a function of the user's could not be compiled."""
        return "numba" if all(map(is_compiled, (self.value, self.gradient, self.force))) else "python"

    def loop(self, function: Callable, signature: Any) -> Callable:
        """A loop in the form that can call these kernels: machine code, or as Python runs it."""
        return loop_code(function, signature) if self.engine == "numba" else function

    @property
    @abstractmethod
    def bodies(self) -> np.ndarray:
        """Kind and first row of each body (`geoctrl.stepping.bodies`)."""

    @property
    def spin(self) -> np.ndarray:
        """Rate of the frame (rad/s), in its own axes."""
        return np.zeros(3)

    @property
    @abstractmethod
    def solver(self) -> Solver:
        """Who solves for steps and accelerations."""

    @abstractmethod
    def solved(self, stages: int = 1) -> Any:
        """The system that the solver takes, for a method of ``stages`` substeps."""

    @cached_property
    def _solved(self) -> Any:
        return self.solved()

    @property
    def kinetics(self) -> tuple[Kernel, Kernel]:
        """The kernels of a kinetic energy that solvers call."""
        return no_kinetics(), no_kinetics()

    @property
    def numbers(self) -> Numbers:
        """What the kernels of a loop read."""
        return Numbers(self.data, self.index, self.table, self.forced, self.damped)

    def potential(self, first: np.ndarray) -> float:
        """Potential energy of a configuration (N, 3)."""
        return float(self.value(first.reshape(-1, 3), self.data, self.index))

    def slope(self, first: np.ndarray) -> np.ndarray:
        """Ambient gradient of the potential, with the shape of the configuration."""
        out = np.zeros((first.size // 3, 3))
        self.gradient(np.ascontiguousarray(first.reshape(-1, 3)), self.data, self.index, out)
        return out.reshape(first.shape)

    def forces(self, t: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Generalised forces (n, 3)."""
        out = np.zeros_like(second)
        if self.forced:
            self.force(t, first.reshape(-1, 3), second, self.table, self.data, self.index, out)
        return out

    def field(self, t: float, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of configurations and velocities; SingularMassError where there are no accelerations."""
        z, w = np.ascontiguousarray(first).reshape(-1, 3), np.ascontiguousarray(second)
        dz, dw = np.empty_like(z), np.empty_like(w)
        move(self.bodies, self.spin, z, w, dz)
        acting = (self.slope(first).reshape(-1, 3), self.forces(t, first, w), self._solved)
        if not self.solver.accelerator()(z, w, dz, *acting, *self.kinetics, self.data, self.index, dw):
            raise SingularMassError("the inertia is not positive definite at this configuration")
        turn_back(self.bodies, self.spin, w, dw)
        return dz.reshape(first.shape), dw

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate of a state."""
        return np.concatenate([part.ravel() for part in self.field(t, *self.parts(x))])

    def hold(self, u: np.ndarray) -> None:
        """Set the inputs (m,), which must not vary in this run."""
        self.table[3 : 3 + u.size] = u

    @abstractmethod
    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and velocities of a state."""

    @abstractmethod
    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,) and spatial momenta (nt, n, 3) of nt states."""

    @abstractmethod
    def moment(
        self, axis: np.ndarray, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moments about an axis of the reference by kind of force, and their terms' sizes, (k,) each."""

    @abstractmethod
    def power_and_moments(
        self, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the energy and the three momenta by kind of force, and their terms' sizes, (k, 4) each."""

    def momenta(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Momenta of a state that steps carry on, (n, 3): of places, of directions and attitudes in space."""
        return self.mechanics(first[None], second[None])[2][0].copy()

    def energies(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Energies (nt,) of nt states."""
        kinetic, potential, _ = self.mechanics(first, second)
        return kinetic + potential


class Numerics(ABC):
    """Kernels of one system, made when first used."""

    def __init__(self, system: ManifoldSystem) -> None:
        self.system = system
        self.writer = KernelWriter(system.graph, system.parameter_nodes)
        self._driven: tuple[Callable, Kernel] | None = None
        self._examined = False
        self._compared = not system.computed

    @abstractmethod
    def run(self, params: Mapping[str, float], drive: Drive | None = None) -> Run:
        """Numbers and kernels for parameters, and for inputs that are no feedback."""

    def common(self, params: Mapping[str, float], drive: Drive | None) -> dict[str, Any]:
        """The fields of `Run`; to be called when all kernels are made, of which it fills the numbers in.

        Functions of the user's are examined with the numbers of the first run.
        """
        system = self.system
        drive = Held(system.input_labels) if drive is None else drive
        if not self._examined:
            examine(system, params)
            self._examined = True
        value, gradient = self.potential
        force = self.force if drive.of_time is None else self.driven(drive)
        data, index = self.writer.fill(params)
        if not self._compared:
            self._compared = self._compare(value, gradient, data, index)
        return {
            "value": value,
            "gradient": gradient,
            "force": force,
            "forced": system.forced,
            "damped": system.damped,
            "data": data,
            "index": index,
            "table": table(drive),
            "params": params,
        }

    def _compare(self, value: Kernel, gradient: Kernel, data: np.ndarray, index: np.ndarray) -> bool:
        """Whether a given gradient could be compared with its potential at these numbers, and is its own."""

        def slope(place: np.ndarray) -> np.ndarray:
            out = np.zeros((place.size // 3, 3))
            gradient(place.reshape(-1, 3), data, index, out)
            return out.reshape(place.shape)

        return check_gradients(
            self.system, lambda place: value(place.reshape(-1, 3), data, index), slope, seeds=_SEEDS
        )

    @cached_property
    def potential(self) -> tuple[Kernel, Kernel]:
        """Value and gradient."""
        system = self.system
        if not system.computed:
            return potential_kernels(self._terms)
        shape, count = system.shape, len(system.params)

        def value(f):
            return lambda q, data, _index: f(q.reshape(shape), data[:count])

        def slope(f):
            def gradient(q, data, _index, out):
                out.reshape(shape)[:] = f(q.reshape(shape), data[:count])

            return gradient

        return (
            compile_function(system.potential_given, value, VALUE),
            compile_function(system.gradient_given, slope, GRADIENT),
        )

    @cached_property
    def _terms(self) -> list[Lines]:
        """Source of the terms of a potential that is no function."""
        return [term.source(self.system, self.writer) for term in self.system.potential_terms]

    @cached_property
    def _on_threads(self) -> tuple[Kernel, Kernel]:
        """Value and gradient that share sums over all pairs among threads."""
        if not any(lines.shared for lines in self._terms):
            raise InputError(
                "threads share the sums over all pairs of bodies, and this potential has none "
                "(Pairs without pairs= and cutoff=): take threads=1"
            )
        return potential_kernels(self._terms, parallel=True)

    def parallel(self, run: Any) -> Any:
        """A run with its potential on threads; InputError for a potential that has nothing to share."""
        if self.system.computed:
            raise InputError("threads share sums over all pairs of bodies, and this potential is a function")
        value, gradient = self._on_threads
        return replace(run, value=value, gradient=gradient)

    @cached_property
    def force(self) -> Kernel:
        """Generalised forces, the inputs read from a table or set by the law."""
        law = self.system.law
        return (
            self._force
            if law is None
            else closed(self._force, law, len(self.system.driven), tuple(self.system.params))
        )

    def driven(self, drive: Drive) -> Kernel:
        """The forces under inputs that are a function of time; the last one stays compiled.

        It is called once before: compiled code broadcasts what has a wrong shape.
        """
        inputs: Any = drive.of_time
        if self._driven is None or self._driven[0] is not inputs:
            drive.at(0.0, np.zeros(self.system.size), {})
            self._driven = inputs, driven(self._force, inputs, len(self.system.driven))
        return self._driven[1]

    @cached_property
    def _force(self) -> Kernel:
        system, n = self.system, self.system.n
        if not system.forced:
            return no_force()
        if callable(system.forces_given):
            return given_force(system.forces_given, system.shape, len(system.driven), len(system.params))
        names = [*components("q", system.split // 3), *components("w", n), "t"]
        places = list(zip([*system.state_nodes, system.time_node], names, strict=True))
        return written_force(self.writer, places, system.driven_nodes, system.force_nodes)
