"""The description of a system on rotations: inertias, linear terms, the rate of the frame, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import Node
from geoctrl.manifolds.reading import read_vectors
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.rotations.attitudes import exp, hat, symbols
from geoctrl.rotations.given import checked_inertias, read_inertias, read_potential
from geoctrl.systems import Family, Parameter

__all__ = ["RotationDescription"]


class RotationDescription(ManifoldSystem):
    """What a `RotationSystem` is given, read and checked, and the graph nodes of its expressions."""

    entries = (3, 3)
    pair = ("R", "Omega")
    space = "SO(3)^{n}"
    written_limits = "at most 16 bodies"
    inertia_varies = False
    coupled = 1

    def __init__(
        self,
        *,
        inertias: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        linear: Any = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        law: Callable | None = None,
        frame_rate: Any = None,
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        self.inertias = read_inertias(inertias)
        self.R, self.Omega = symbols(len(self.inertias))
        super().__init__(
            self.R,
            self.Omega,
            potential=potential,
            gradient=gradient,
            forces=forces,
            inputs=inputs,
            law=law,
            parameters=parameters,
            invariants=invariants,
            equilibria=equilibria,
            name=name,
            source=source,
        )
        self.potential_expression = sp.S.Zero if self.computed else read_potential(potential)
        self.linear = None if linear is None else read_vectors("linear", linear, self.n)
        self.frame_rate = None if frame_rate is None else read_vectors("frame_rate", frame_rate, 1)[0]
        self._check()

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        own = {"inertias": self.inertias, "linear": self.linear, "frame_rate": self.frame_rate}
        return {**super().arguments, **own}

    @cached_property
    def linear_nodes(self) -> list[Node]:
        """Nodes of the linear terms, body by body; none without any."""
        return [self.to_node(e) for a in self.linear or () for e in a]

    @property
    def shape_functions(self) -> list[Node]:
        """Nodes of the potential and of the linear terms."""
        return [self.to_node(self.potential_expression), *self.linear_nodes]

    @property
    def linear_varies(self) -> bool:
        """Whether the linear terms depend on attitudes."""
        return bool(set(self.graph.symbols(self.linear_nodes)) & set(self.configuration_nodes))

    def inertias_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The inertias (n, 3, 3); InputError unless they are symmetric positive definite."""
        return checked_inertias(np.array([self._numbers("inertias", J, params) for J in self.inertias]))

    def frame_rate_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The frame's rate (3,), zero where the frame does not turn."""
        if self.frame_rate is None:
            return np.zeros(3)
        return self._numbers("frame_rate", self.frame_rate, params).ravel()

    def _numbers(self, name: str, M: sp.Matrix, params: Mapping[str, float]) -> np.ndarray:
        table = {p.symbol: params[p.name] for p in self.parameters}
        return finite_array(name, M.xreplace(table) if M.free_symbols else M)

    def _check(self) -> None:
        place = self.parameter_symbols | self.configuration_symbols
        self.require("inertias", self.inertias, self.parameter_symbols)
        self.require("frame_rate", [self.frame_rate or sp.Matrix()], self.parameter_symbols)
        self.require("potential", [self.potential_expression], place)
        self.require("linear", self.linear or (), place)
        self.check_forces()
        self.check_invariants()
        for expr in (self.potential_expression, *(e for M in self.inertias for e in M)):
            self.to_node(expr)
        self.graph.symbols(self.linear_nodes)
        self.check_numbers()

    def check_inertia(self, params: Mapping[str, float]) -> None:
        """InputError unless all inertias are symmetric positive definite."""
        self.inertias_at(params)

    def generic_state(self, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes (n, 3, 3) and angular velocities (n, 3) of no particular kind."""
        rng = np.random.default_rng(seed)
        return exp(rng.normal(size=(self.n, 3))), rng.normal(size=(self.n, 3))

    def motion(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Rates R_i hat(Omega_i) of the attitudes, in a frame at rest."""
        return first @ hat(second)
