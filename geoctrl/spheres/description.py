"""The description of a system on spheres: inertia, potentials as sums, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl._scalars import Node, Program
from geoctrl._scalars.numbers import shown
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.checking import check_description
from geoctrl.manifolds.factors import Direction
from geoctrl.manifolds.kinetic import Kinetic
from geoctrl.manifolds.reading import number_of_bodies, positive_definite
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.systems import Family, Parameter

__all__ = ["SphereDescription"]


class SphereDescription(ManifoldSystem):
    """What `SphereSystem` is made of, in symbols and as nodes of a graph; see there."""

    pair = ("q", "omega")

    def __init__(
        self,
        *,
        mass: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        law: Callable | None = None,
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        n = _count(mass)
        self.shape, self.space = (n, 3), f"(S^2)^{n}"
        super().__init__(
            [Direction(f"q{i}") for i in number_of_bodies(n)],
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
        self.mass_given = mass
        self._numeric_mass = _read_mass(mass)
        check_description(self)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        return {**super().arguments, "mass": self.mass_given}

    @cached_property
    def q(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the directions."""
        return tuple(f.z for f in self.product.factors)

    @cached_property
    def omega(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the angular velocities."""
        return tuple(f.velocity for f in self.product.factors)

    @property
    def inertia_varies(self) -> bool:
        """Whether the inertia depends on the configuration."""
        return self.mass_nodes is not None

    @cached_property
    def mass_nodes(self) -> list[list[Node]] | None:
        """Nodes of the inertia where it depends on q; else None."""
        if self._numeric_mass is not None or not self.mass_given.free_symbols & self.configuration_symbols:
            return None
        return [[self.to_node(self.mass_given[i, j]) for j in range(self.n)] for i in range(self.n)]

    @property
    def shape_functions(self) -> list[Node]:
        """Nodes of the potential and of the inertia where it varies."""
        return [self.to_node(self.potential_expression), *(e for row in self.mass_nodes or () for e in row)]

    @cached_property
    def mass_expression(self) -> sp.Matrix:
        """The inertia (n, n) as a sympy matrix."""
        M = self._numeric_mass
        if M is None:
            return sp.Matrix(self.mass_given)
        return sp.Matrix(np.diag(M) if M.ndim == 1 else M)

    @cached_property
    def kinetic(self) -> Kinetic:
        """The inertia, for each component."""
        M, n = self.mass_expression, self.n
        places = [(i, j, k) for i in range(n) for j in range(n) for k in range(3)]
        return Kinetic(self.product, {(3 * i + k, 3 * j + k): M[i, j] for i, j, k in places})

    def mass_at(self, q: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The inertia (n, n) at directions q (n, 3)."""
        M = self.constant_mass(params)
        if M is not None:
            return np.diag(M) if M.ndim == 1 else M
        if "mass" not in self.programs:
            nodes = [e for row in self.mass_nodes or () for e in row]
            places = self.configuration_nodes
            self.programs["mass"] = Program(self.graph, places, self.parameter_nodes, nodes)
        return self.programs["mass"](list(q.ravel()), params).reshape(self.n, self.n)

    def own_inertia_at(self, params: Mapping[str, float]) -> np.ndarray:
        """A constant inertia that couples no bodies, for each (n, 3, 3); zeros where it couples some."""
        M = self.constant_mass(params)
        if M is None:
            return super().own_inertia_at(params)
        return (M if M.ndim == 1 else np.zeros(self.n))[:, None, None] * np.eye(3)

    def coupling_at(self, params: Mapping[str, float]) -> np.ndarray | None:
        """A constant inertia that couples bodies, (3n, 3n); None where it couples none."""
        M = self.constant_mass(params)
        if M is None:
            return super().coupling_at(params)
        return None if M.ndim == 1 else np.kron(M, np.eye(3))

    @property
    def written_rest(self) -> bool:
        """Whether the inertia depends on the configuration."""
        return self.inertia_varies

    def constant_mass(self, params: Mapping[str, float]) -> np.ndarray | None:
        """The inertia where it does not depend on q: (n, n), or (n,) where it couples no bodies.

        Raises
        ------
        InputError
            If it is not symmetric positive definite.
        """
        if self._numeric_mass is not None:
            return self._numeric_mass.copy()
        if self.mass_nodes is not None:
            return None
        numbers = {p.symbol: params[p.name] for p in self.parameters}
        return _checked(np.array(self.mass_given.xreplace(numbers), dtype=float))

    def __repr__(self) -> str:
        mass = "constant" if self.mass_nodes is None else "configuration-dependent"
        title, *rest = super().__repr__().split("\n")
        return "\n".join([title, f"  inertia: {mass}", *rest])

    @property
    def lagrangian_given(self) -> dict[str, tuple[Sequence[Any], set[Any]]]:
        """The inertia, where it is given by expressions."""
        given = [] if self._numeric_mass is not None else list(self.mass_given)
        return {"mass": (given, self.configuration_symbols if given else set())}

    def check_inertia(self, params: Mapping[str, float]) -> None:
        """InputError unless a constant mass is symmetric positive definite."""
        self.constant_mass(params)


def _count(mass: Any) -> int:
    shape = mass.shape if isinstance(mass, sp.MatrixBase) else shape_of(mass)
    if shape is None or len(shape) not in (1, 2) or not shape[0] or shape[0] != shape[-1]:
        raise DescriptionError(f"mass must have shape (n,) or (n, n), got {shape or shown(mass)}")
    return int(shape[0])


def _read_mass(mass: Any) -> np.ndarray | None:
    """The inertia where it is given in numbers: (n, n), or (n,) where it couples no bodies."""
    if isinstance(mass, sp.MatrixBase):
        if mass.free_symbols:
            if mass != mass.T:
                raise InputError("mass must be symmetric")
            return None
        mass = np.array(mass.tolist(), dtype=object)
    return _checked(finite_array("mass", mass))


def _checked(mass: np.ndarray) -> np.ndarray:
    """The inertia (n, n), or (n,) where it couples no bodies; InputError unless it is positive definite.

    Of a diagonal the least entry says so: many bodies need no array (n, n).
    """
    if mass.ndim == 1:
        if not np.min(mass) > 0:
            raise InputError(f"mass must be positive definite, its least entry is {np.min(mass):.3g}")
        return mass.copy()
    diagonal = np.diag(mass)
    if np.count_nonzero(mass) == np.count_nonzero(diagonal):
        return _checked(diagonal)
    return positive_definite("mass", mass)
