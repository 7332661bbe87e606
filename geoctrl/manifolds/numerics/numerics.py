"""The compiled side of a system on a manifold: kernels made once, numbers filled in for every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import shown
from geoctrl.errors import InputError
from geoctrl.manifolds.description.checking import check_gradients
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.functions import examine
from geoctrl.manifolds.energies.kernels import Lines, potential_kernels
from geoctrl.manifolds.numerics.numbers_of_a_run import Made, Run
from geoctrl.stepping.compiled.compiled import Maker, compile_function, put
from geoctrl.stepping.compiled.forces import (
    GRADIENT,
    VALUE,
    forces_under_inputs,
    forces_under_law,
    given_force,
    no_force,
    table,
    written_force,
)
from geoctrl.stepping.compiled.writer import KernelWriter, components
from geoctrl.stepping.drive.drive import Drive, Held
from geoctrl.stepping.methods.variational import kinetic_kernels, linear_kernels, no_kinetics

__all__ = ["Numerics"]

_SEEDS = (7, 8, 9)
"""Of the generic states at which gradients are compared."""


class Numerics:
    """Kernels of one system: numbers have places from the first run on, kernels are compiled when called."""

    def __init__(self, system: Description) -> None:
        self.system = system
        self.writer = KernelWriter(system.graph, system.parameter_nodes)
        self._driven: tuple[Callable, Maker] | None = None
        self._examined = False
        self._compared = not system.computed

    def run(self, params: Mapping[str, float], drive: Drive | None = None) -> Run:
        """Numbers and kernels for parameters, and for inputs that are no feedback.

        Without a ``drive`` the inputs are zero until a caller holds them at something else. Functions of the
        user's are examined with the numbers of the first run.
        """
        system, told = self.system, drive is not None
        drive = Held(system.input_labels) if drive is None else drive
        if not isinstance(drive, Drive):
            raise TypeError(f"drive must be inputs as a run reads them, a Drive, got {shown(drive)}")
        idle = told and drive.off and system.force_free
        if not self._examined:
            examine(system, params)
            self._examined = True
        value, gradient = self.potential
        force = no_force if idle else self.force if drive.of_time is None else self.driven_forces(drive)
        made = Made(value, gradient, force, self.kinetics)
        data, index = self.writer.fill(params)  # after all kernels have places for their numbers
        if not self._compared:
            self._compared = self._compare(value, gradient, data, index)
        return Run(
            system=system,
            made=made,
            forced=system.has_forces and not idle,
            damped=system.has_damping and not idle,
            data=data,
            index=index,
            table=table(drive),
            params=params,
        )

    @cached_property
    def kinetics(self) -> tuple[Maker, Maker]:
        """What solvers ask of a kinetic energy: that of the rest where it varies, else linear terms."""
        system, places = self.system, self.system.configuration_nodes
        if system.inertia_varies:
            return kinetic_kernels(self.writer, system.rest_node, places, system.rate_nodes)
        if system.covector_nodes:
            return linear_kernels(self.writer, system.covector_nodes, places)
        return no_kinetics, no_kinetics

    def _compare(self, value: Maker, gradient: Maker, data: np.ndarray, index: np.ndarray) -> bool:
        """Whether a given gradient could be compared with its potential at these numbers, and is its own."""

        def slope(place: np.ndarray) -> np.ndarray:
            out = np.zeros((place.size // 3, 3))
            gradient()(place.reshape(-1, 3), data, index, out)
            return out.reshape(place.shape)

        return check_gradients(
            self.system, lambda place: value()(place.reshape(-1, 3), data, index), slope, seeds=_SEEDS
        )

    @cached_property
    def potential(self) -> tuple[Maker, Maker]:
        """Value and gradient."""
        system = self.system
        if not system.computed:
            return potential_kernels(self._terms)
        shape, count = system.shape, len(system.params)

        def value(f):
            return lambda q, data, _index: f(q.reshape(shape), data[:count])

        def slope(f):
            def gradient(q, data, _index, out):
                put(f(q.reshape(shape), data[:count]), out.reshape(shape))

            return gradient

        return (
            cache(lambda: compile_function(system.potential_given, value, VALUE)),
            cache(lambda: compile_function(system.gradient_given, slope, GRADIENT)),
        )

    @cached_property
    def _terms(self) -> list[Lines]:
        """Source of the terms of a potential that is no function."""
        return [term.source(self.system, self.writer) for term in self.system.potential_terms]

    @cached_property
    def _on_threads(self) -> tuple[Maker, Maker]:
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
        return replace(run, made=run.made._replace(value=value, gradient=gradient))

    @cached_property
    def force(self) -> Maker:
        """Generalised forces, the inputs read from a table or set by the law."""
        law, given = self.system.law, self._force
        if law is None:
            return given
        m, names = len(self.system.driven), tuple(self.system.params)
        return cache(lambda: forces_under_law(given(), law, m, names))

    def driven_forces(self, drive: Drive) -> Maker:
        """The forces under inputs that are a function of time; the last one stays compiled.

        It is called once before: compiled code broadcasts what has a wrong shape.
        """
        inputs: Any = drive.of_time
        if self._driven is None or self._driven[0] is not inputs:
            drive.inputs_at(0.0, np.zeros(self.system.product.size), {})
            given, m = self._force, len(self.system.driven)
            self._driven = inputs, cache(lambda: forces_under_inputs(given(), inputs, m))
        return self._driven[1]

    @cached_property
    def _force(self) -> Maker:
        system, n = self.system, self.system.n
        if not system.has_forces:
            return no_force
        if callable(system.forces_given):
            sizes = system.shape, len(system.driven), len(system.params)
            return cache(lambda: given_force(system.forces_given, *sizes))
        names = [*components("q", system.split // 3), *components("w", n), "t"]
        places = list(zip([*system.state_nodes, system.time_node], names, strict=True))
        return written_force(self.writer, places, system.driven_nodes, system.force_nodes)
