"""The description of a system on rotations: inertias, linear terms, the rate of the frame, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import Node
from geoctrl.manifolds.calculus import rational
from geoctrl.manifolds.checking import check_description
from geoctrl.manifolds.factors import Attitude
from geoctrl.manifolds.kinetic import Kinetic
from geoctrl.manifolds.reading import number_of_bodies, read_vectors
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.rotations.given import checked_inertias, read_inertias
from geoctrl.systems import Family, Parameter

__all__ = ["RotationDescription"]


class RotationDescription(ManifoldSystem):
    """What a `RotationSystem` is given, read and checked, and the graph nodes of its expressions."""

    pair = ("R", "Omega")
    inertia_varies = False

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
        n = len(self.inertias)
        self.shape, self.space = (n, 3, 3), f"SO(3)^{n}"
        super().__init__(
            [Attitude(f"R{i}") for i in number_of_bodies(n)],
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
        self.linear = None if linear is None else read_vectors("linear", linear, self.n)
        self.frame_rate = None if frame_rate is None else read_vectors("frame_rate", frame_rate, 1)[0]
        check_description(self)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        own = {"inertias": self.inertias, "linear": self.linear, "frame_rate": self.frame_rate}
        return {**super().arguments, **own}

    @cached_property
    def R(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the attitudes."""
        return tuple(f.z for f in self.product.factors)

    @cached_property
    def Omega(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the angular velocities."""
        return tuple(f.velocity for f in self.product.factors)

    @cached_property
    def covector_nodes(self) -> list[Node]:
        """Nodes of the linear terms, body by body; none without any."""
        return [self.to_node(e) for a in self.linear or () for e in a]

    @cached_property
    def kinetic(self) -> Kinetic:
        """That of the bodies, D = tr(J) I / 2 - J for each row of R, and the linear terms."""
        G: dict[tuple[int, int], sp.Expr] = {}
        A: list[sp.Expr] = []
        for i, (R, J) in enumerate(zip(self.R, self.inertias, strict=True)):
            D = rational(J).trace() / 2 * sp.eye(3) - rational(J)
            for row in range(9 * i, 9 * i + 9, 3):
                G |= {(row + j, row + k): D[j, k] for j in range(3) for k in range(3)}
            A += list(R * self.linear[i].hat() / 2) if self.linear else []
        return Kinetic(self.product, G, A or None, self.linear)

    @property
    def shape_functions(self) -> list[Node]:
        """Nodes of the potential and of the linear terms."""
        return [self.to_node(self.potential_expression), *self.covector_nodes]

    @property
    def written_rest(self) -> bool:
        """No: bodies are not coupled by inertia."""
        return False

    def own_inertia_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The inertias (n, 3, 3)."""
        return self.inertias_at(params)

    def inertias_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The inertias (n, 3, 3); InputError unless they are symmetric positive definite."""
        return checked_inertias(np.array([self._numbers("inertias", J, params) for J in self.inertias]))

    @property
    def lagrangian_given(self) -> dict[str, tuple[Sequence[Any], set[Any]]]:
        """Inertias, rate of the frame, linear terms."""
        return {
            "inertias": (self.inertias, set()),
            "frame_rate": ([] if self.frame_rate is None else [self.frame_rate], set()),
            "linear": (self.linear or (), self.configuration_symbols if self.linear else set()),
        }

    def check_inertia(self, params: Mapping[str, float]) -> None:
        """InputError unless all inertias are symmetric positive definite."""
        self.inertias_at(params)
