"""The description of a system on rotations: what it is given, its symbols and their nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import resolve_parameters
from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node
from geoctrl.errors import DescriptionError
from geoctrl.rotations.attitudes import symbols
from geoctrl.rotations.given import (
    check_gradient,
    checked_inertias,
    read_forces,
    read_inertias,
    read_potential,
    read_vectors,
)
from geoctrl.systems import Parameter, time

__all__ = ["RotationDescription"]

_BODIES = 16
"""Systems of more bodies than this are not written out for symbolic analysis."""


class RotationDescription:
    """What a `RotationSystem` is given, read and checked, and the graph nodes of its expressions."""

    def __init__(
        self,
        *,
        inertias: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        linear: Any = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        frame_rate: Any = None,
        parameters: Sequence[Parameter] = (),
        name: str = "",
        source: str = "",
    ) -> None:
        self.potential_given, self.gradient_given = potential, gradient
        self.name, self.source = name, source
        self.law: Callable | None = None
        self.parameters = tuple(parameters)
        self.params = {p.name: p.default for p in self.parameters}
        self.inputs = tuple(sp.Symbol(u, real=True) if isinstance(u, str) else u for u in inputs)
        self.input_labels = self.driven_labels = tuple(map(str, self.inputs))
        self.inertias = read_inertias(inertias)
        self.n = len(self.inertias)
        self.R, self.Omega = symbols(self.n)
        self.states = tuple(s for M in (*self.R, *self.Omega) for s in M)
        self.state_labels = tuple(map(str, self.states))
        self.potential_expression = read_potential(potential, gradient)
        self.linear = None if linear is None else read_vectors("linear", linear, self.n)
        self.frame_rate = None if frame_rate is None else read_vectors("frame_rate", frame_rate, 1)[0]
        self.forces_given = read_forces(forces, self.inputs, self.n)
        self.graph = Graph()
        self._check()

    # -- symbols and nodes ----------------------------------------------------------------------

    @cached_property
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""
        return {p.name: self.graph.symbol(p.name, PARAMETER) for p in self.parameters}

    @cached_property
    def R_nodes(self) -> list[Node]:
        """Nodes of R, row by row of each body."""
        return [self.graph.symbol(str(s), STATE) for M in self.R for s in M]

    @cached_property
    def Omega_nodes(self) -> list[Node]:
        """Nodes of Omega, body by body."""
        return [self.graph.symbol(str(s), STATE) for v in self.Omega for s in v]

    @property
    def state_nodes(self) -> list[Node]:
        """Nodes of the states."""
        return [*self.R_nodes, *self.Omega_nodes]

    @cached_property
    def time_node(self) -> Node:
        """Node of the time."""
        return self.graph.symbol("t", STATE)

    @cached_property
    def input_nodes(self) -> list[Node]:
        """Nodes of the inputs."""
        return [self.graph.symbol(f"input {u}", STATE) for u in self.driven_labels]

    @cached_property
    def to_node(self) -> FromSympy:
        """Converter of expressions in R, Omega, inputs, time and parameters."""
        table: dict[Any, Node] = dict(zip(self.states, [*self.R_nodes, *self.Omega_nodes], strict=True))
        table |= {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        table |= dict(zip(self.inputs, self.input_nodes, strict=True))
        return FromSympy(self.graph, table | {time: self.time_node})

    @cached_property
    def linear_nodes(self) -> list[Node]:
        """Nodes of the linear terms, body by body; none without any."""
        return [self.to_node(e) for a in self.linear or () for e in a]

    @property
    def linear_varies(self) -> bool:
        """Whether the linear terms depend on attitudes."""
        return bool(set(self.graph.symbols(self.linear_nodes)) & set(self.R_nodes))

    @cached_property
    def force_nodes(self) -> list[Node]:
        """Nodes of the moments, body by body."""
        return [self.to_node(e) for f in self.forces_given for e in f]

    @property
    def forced(self) -> bool:
        """Whether there are moments other than those of the potential."""
        return self.forces_given is not None

    @cached_property
    def damped(self) -> bool:
        """Whether the moments may depend on velocities."""
        if not self.forced:
            return False
        if self.law is not None or callable(self.forces_given):
            return True
        return bool(set(self.graph.symbols(self.force_nodes)) & set(self.Omega_nodes))

    @property
    def written(self) -> bool:
        """Whether everything is given by expressions."""
        return not any(map(callable, (self.law, self.potential_given, self.forces_given)))

    @property
    def symbolic(self) -> bool:
        """Whether everything is given by expressions, few enough to be written out as reduced equations."""
        return self.written and self.n <= _BODIES

    # -- numbers --------------------------------------------------------------------------------

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for unknown, missing, non-positive values."""
        positive = {p.name for p in self.parameters if p.positive}
        values = resolve_parameters(self.params, params, positive)
        return {k: float(v) for k, v in values.items()}

    def inertias_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The inertias (n, 3, 3); ValueError unless they are symmetric positive definite."""
        return checked_inertias(np.array([self._numbers(J, params) for J in self.inertias]))

    def frame_rate_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The frame's rate (3,), zero where the frame does not turn."""
        return np.zeros(3) if self.frame_rate is None else self._numbers(self.frame_rate, params).ravel()

    def _numbers(self, M: sp.Matrix, params: Mapping[str, float]) -> np.ndarray:
        table = {p.symbol: params[p.name] for p in self.parameters}
        return np.array(M.xreplace(table) if M.free_symbols else M, dtype=float)

    # -- checks ---------------------------------------------------------------------------------

    def _check(self) -> None:
        """Unknown symbols; inertias and gradient at the defaults, where there are any."""
        known = {p.symbol for p in self.parameters}
        for name, matrices in (("inertias", self.inertias), ("frame_rate", [self.frame_rate or sp.Matrix()])):
            unknown = set().union(*(M.free_symbols for M in matrices)) - known
            if unknown:
                raise DescriptionError(f"{name} may hold parameters only, got {sorted(map(str, unknown))}")
        allowed = known | {s for M in self.R for s in M}
        for name, terms in (("potential", [self.potential_expression]), ("linear", self.linear or ())):
            unknown = set().union(*(e.free_symbols for e in terms)) - allowed
            if unknown:
                raise DescriptionError(
                    f"{name} may hold R and parameters only, got {sorted(map(str, unknown))}"
                )
        if self.forced and not callable(self.forces_given):
            assert len(self.force_nodes) == 3 * self.n
        self.to_node(self.potential_expression)
        if all(v is not None for v in self.params.values()):
            params = self.parameters_at(None)
            self.inertias_at(params)
            if callable(self.potential_given):
                check_gradient(self, np.array(list(params.values()), dtype=float))
