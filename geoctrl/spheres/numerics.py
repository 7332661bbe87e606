"""The compiled side of a system on spheres: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from geoctrl.spheres import field as equations
from geoctrl.spheres import stepper
from geoctrl.spheres.kernels import MASS, SLOPE, Sum, mass_kernels, potential_kernels
from geoctrl.spheres.potentials import Pairs, Sites
from geoctrl.stepping.compiled import Kernel, compile_function, is_compiled
from geoctrl.stepping.drive import read_drive
from geoctrl.stepping.forces import (
    FORCE,
    GRADIENT,
    VALUE,
    closed,
    driven,
    given_force,
    nothing,
    written_force,
)
from geoctrl.stepping.writer import KernelWriter, components

if TYPE_CHECKING:
    from geoctrl.spheres.system import SphereSystem

__all__ = ["Numerics", "Run", "compiled"]


_LOOPS: dict[str, tuple[Any, Any]] = {
    "explicit": (stepper.explicit, stepper.EXPLICIT),
    "implicit": (stepper.implicit, stepper.IMPLICIT),
    "runge_kutta": (equations.runge_kutta, equations.RUNGE_KUTTA),
}


@cache
def compiled(name: str) -> Callable:
    """A loop of `stepper` or `field`, compiled to its signature when first used, then kept on disk."""
    function, signature = _LOOPS[name]
    return njit(signature, cache=True, error_model="numpy")(function)


@cache
def _nothing() -> dict[str, Kernel]:
    """Kernels of what a system does not have."""
    heads = {
        "mass": ("mass(q, data, index, out)", MASS),
        "mass_gradient": ("mass_gradient(q, gram, data, index, out)", SLOPE),
        "mass_rate": ("mass_rate(q, v, data, index, out)", SLOPE),
        "force": ("force(t, q, w, table, data, index, out)", FORCE),
    }
    return {name: nothing(head, signature) for name, (head, signature) in heads.items()}


@dataclass(frozen=True, eq=False)
class Run:
    """Numbers and kernels of one run, in the order in which the loops take them.

    Attributes
    ----------
    M : ndarray (n, n)
        The inertia, where it depends on q a workspace.
    """

    M: np.ndarray
    diagonal: bool
    varies: bool
    gradient: Kernel
    value: Kernel
    force: Kernel
    mass: tuple[Kernel, Kernel, Kernel]
    forced: bool
    damped: bool
    data: np.ndarray
    index: np.ndarray
    table: np.ndarray

    @property
    def engine(self) -> str:
        """The word "numba", or "python" where a function of the user's could not be compiled."""
        kernels = (self.gradient, self.value, self.force)
        return "numba" if all(map(is_compiled, kernels)) else "python"

    def loop(self, name: str) -> Callable:
        """A loop in the form that can call these kernels."""
        if self.engine == "numba":
            return compiled(name)
        if name == "implicit":
            stepper.settle()
        return _LOOPS[name][0]

    @property
    def system_arguments(self) -> tuple:
        """M, diagonal, varies, the kernels of the inertia."""
        return self.M, self.diagonal, self.varies, *self.mass

    @property
    def kernel_arguments(self) -> tuple:
        """gradient, force, forced, data, index, table."""
        return self.gradient, self.force, self.forced, self.data, self.index, self.table

    def at(self, q: np.ndarray) -> np.ndarray:
        """The inertia (n, n) at q."""
        if self.varies:
            self.mass[0](q, self.data, self.index, self.M)
        return self.M

    def slope(self, q: np.ndarray) -> np.ndarray:
        """dV/dq (n, 3)."""
        out = np.zeros_like(q)
        self.gradient(q, self.data, self.index, out)
        return out

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

    def forces(self, t: float, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Generalised forces (n, 3)."""
        out = np.zeros_like(q)
        if self.forced:
            self.force(t, q, w, self.table, self.data, self.index, out)
        return out

    def field(self, t: float, q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """qdot and omegadot, (n, 3) each; LinAlgError where the inertia is not positive definite."""
        v, a, gram = np.zeros_like(q), np.zeros_like(q), np.zeros((len(q), len(q)))
        equations.velocities(q, w, v)
        equations.products(w, v, gram)
        F = self.forces(t, q, w) - self.slope(q) + self.inertia_slope(q, gram)
        change = self.inertia_rate(q, v)
        if not equations.accelerations(q, w, v, F, self.at(q), change, self.diagonal, a):
            raise np.linalg.LinAlgError("the inertia is not positive definite at this configuration")
        return v, a

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate (6n,) of a state (6n,)."""
        rows = np.ascontiguousarray(x).reshape(2, -1, 3)
        v, a = self.field(t, rows[0], rows[1])
        return np.concatenate([v, a]).ravel()

    def mechanics(self, q: np.ndarray, w: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Kinetic and potential energy, and the spatial momenta q_i x p_i."""
        L = np.zeros_like(q)
        kinetic = equations.momenta(q, w, self.at(q), L)
        return kinetic, float(self.value(q, self.data, self.index)), L


class Numerics:
    """Kernels of one system, made when first used."""

    def __init__(self, system: SphereSystem) -> None:
        self.system = system
        self.writer = KernelWriter(system.graph, system.parameter_nodes)
        self._driven: tuple[Callable, Kernel] | None = None

    def run(self, params: Mapping[str, float], inputs: Any = None) -> Run:
        """Numbers and kernels for parameters and inputs."""
        system = self.system
        table, drive = read_drive(inputs, system.input_labels)
        value, gradient = self.potential
        force = self.force if drive is None else self.driven(drive)
        mass = self.mass
        data, index = self.writer.fill(params)
        M = system.constant_mass(params)
        return Run(
            M=np.zeros((system.n, system.n)) if M is None else M,
            diagonal=M is not None and not np.any(M - np.diag(np.diag(M))),
            varies=M is None,
            gradient=gradient,
            value=value,
            force=force,
            mass=(mass["mass"], mass["mass_gradient"], mass["mass_rate"]),
            forced=system.forced,
            damped=system.damped,
            data=data,
            index=index,
            table=table,
        )

    @cached_property
    def potential(self) -> tuple[Kernel, Kernel]:
        """Value and gradient."""
        system, count = self.system, len(self.system.params)
        if callable(system.potential_given):
            V, dV = system.potential_given, system.gradient_given

            def value(f):
                return lambda q, data, _index: f(q, data[:count])

            def slope(f):
                def gradient(q, data, _index, out):
                    out[:] = f(q, data[:count])

                return gradient

            assert dV is not None
            return compile_function(V, value, VALUE), compile_function(dV, slope, GRADIENT)
        return potential_kernels([self._part(term) for term in system.potential_terms])

    def _part(self, term: Any) -> tuple[str, str]:
        writer, system, n = self.writer, self.system, self.system.n
        if not isinstance(term, (Sites, Pairs)):
            q = [system.q_nodes[3 * i : 3 * i + 3] for i in range(n)]
            return Sum(writer, system.to_node(term), q, []).whole(n)
        vectors, data, energy = system.term_nodes(term)
        loops = Sum(writer, energy, vectors, data)
        width = len(data)
        place = 0 if term.c is None else writer.numbers(term.c)
        if isinstance(term, Sites):
            return loops.sites(n, width, place)
        if term.pairs is not None:
            return loops.listed(len(term.pairs), writer.indices(term.pairs), width, place)
        if term.cutoff is not None:
            return loops.near_pairs(writer, n, term.cutoff)
        return loops.all_pairs(n)

    @cached_property
    def mass(self) -> dict[str, Kernel]:
        """mass, mass_gradient, mass_rate."""
        system = self.system
        if system.mass_nodes is None:
            return _nothing()
        return mass_kernels(self.writer, system.mass_nodes, system.q_nodes)

    @cached_property
    def force(self) -> Kernel:
        """Generalised forces, the inputs read from a table or set by the law."""
        system = self.system
        return self._force if system.law is None else closed(self._force, system.law, tuple(system.params))

    def driven(self, inputs: Callable) -> Kernel:
        """The forces under inputs that are a function of time; the last one stays compiled."""
        if self._driven is None or self._driven[0] is not inputs:
            self._driven = inputs, driven(self._force, inputs)
        return self._driven[1]

    @cached_property
    def _force(self) -> Kernel:
        system, n = self.system, self.system.n
        if not system.forced:
            return _nothing()["force"]
        if callable(system.forces_given):
            return given_force(system.forces_given, (n, 3), len(system.driven_labels), len(system.params))
        names = [*components("q", n), *components("w", n), "t"]
        places = list(zip([*system.state_nodes, system.time_node], names, strict=True))
        return written_force(self.writer, places, system.input_nodes, system.force_nodes)
