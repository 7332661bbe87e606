"""The description of a system on spheres: inertia, potentials as sums, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl._scalars import Node
from geoctrl._scalars.numbers import shown
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.reading import positive_definite
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.spheres.start import project, symbols
from geoctrl.systems import Family, Parameter

__all__ = ["SphereDescription"]


class SphereDescription(ManifoldSystem):
    """What `SphereSystem` is made of, in symbols and as nodes of a graph; see there."""

    entries = (3,)
    pair = ("q", "omega")
    space = "(S^2)^{n}"
    kind = "direction"

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
        super().__init__(
            _count(mass),
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
        self._check()

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        return {**super().arguments, "mass": self.mass_given}

    @cached_property
    def q(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the directions."""
        return symbols(self.n)[0]

    @cached_property
    def omega(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the angular velocities."""
        return symbols(self.n)[1]

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

    def _check(self) -> None:
        self.check_potential()
        self._check_mass()
        self.check_forces()
        self.check_invariants()
        self.check_numbers()

    def check_inertia(self, params: Mapping[str, float]) -> None:
        """InputError unless a constant mass is symmetric positive definite."""
        self.constant_mass(params)

    def generic_state(self, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
        """Directions (n, 3) and angular velocities (n, 3) of no particular kind."""
        rng = np.random.default_rng(seed)
        return project(rng.normal(size=(self.n, 3)), rng.normal(size=(self.n, 3)))

    def motion(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Rates omega_i x q_i of the directions."""
        return np.cross(second, first)

    def _check_mass(self) -> None:
        if self._numeric_mass is None:
            self.require("mass", list(self.mass_given), self.parameter_symbols | self.configuration_symbols)
            for expr in self.mass_given:
                self.to_node(expr)


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
