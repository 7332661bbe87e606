"""The description of a system on spheres: inertia, potentials as sums, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl._scalars import STATE, FromSympy, Node
from geoctrl._scalars.numbers import shown
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.reading import positive_definite, read_scalar
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.spheres.potentials import Pairs, Sites, symbols
from geoctrl.spheres.start import project
from geoctrl.systems import Family, Parameter

__all__ = ["SphereDescription"]

_TERMS = 2000
"""Sums of more terms than this are not written out for symbolic analysis."""


class SphereDescription(ManifoldSystem):
    """What `SphereSystem` is made of, in symbols and as nodes of a graph; see there."""

    entries = (3,)
    pair = ("q", "omega")
    space = "(S^2)^{n}"
    written_limits = "at most 16 bodies and 2000 terms, no cutoff"

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
        self.q, self.omega = symbols(_count(mass))
        super().__init__(
            self.q,
            self.omega,
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
        self.potential_terms = [] if self.computed else _read_terms(potential, self.n)
        self._check()

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        return {**super().arguments, "mass": self.mass_given}

    def term_nodes(self, term: Sites | Pairs) -> tuple[list[list[Node]], list[Node], Node]:
        """Nodes of the vectors, data and value of the small expression of a term."""
        kind = type(term).__name__
        nodes = {s: self.graph.symbol(f"{kind} {s}", STATE) for v in (*term.vectors, term.data) for s in v}
        table = nodes | {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        energy = FromSympy(self.graph, table)(term.expr)
        return [[nodes[s] for s in v] for v in term.vectors], [nodes[s] for s in term.data], energy

    @property
    def inertia_varies(self) -> bool:
        """Whether the inertia depends on the configuration."""
        return self.mass_nodes is not None

    @property
    def coupled(self) -> int:
        """All directions, unless the inertia is diagonal."""
        return 1 if self.mass_expression.is_diagonal() else self.n

    @cached_property
    def mass_nodes(self) -> list[list[Node]] | None:
        """Nodes of the inertia where it depends on q; else None."""
        if self._numeric_mass is not None or not self.mass_given.free_symbols & self.configuration_symbols:
            return None
        return [[self.to_node(self.mass_given[i, j]) for j in range(self.n)] for i in range(self.n)]

    @property
    def obstacles(self) -> list[str]:
        """What stands against writing the system out, in words."""
        terms = sum(t.terms(self.n) for t in self.potential_terms if isinstance(t, (Sites, Pairs)))
        near = any(isinstance(t, Pairs) and t.cutoff is not None for t in self.potential_terms)
        found = super().obstacles
        found += [f"its potential has {terms} terms"] if terms > _TERMS else []
        return found + (["its potential has a cutoff"] if near else [])

    @cached_property
    def potential_expression(self) -> sp.Expr:
        """The potential written out in q and parameters."""
        return sp.Add(*(t if isinstance(t, sp.Expr) else t.expanded(self.q) for t in self.potential_terms))

    @property
    def term_symbols(self) -> set[sp.Symbol]:
        """Symbols of the vectors in Sites and Pairs."""
        terms = [t for t in self.potential_terms if isinstance(t, (Sites, Pairs))]
        return {s for t in terms for v in t.vectors for s in v}

    @property
    def shape_functions(self) -> list[Node]:
        """Nodes of the potential and of the inertia where it varies."""
        return [self.to_node(self.potential_expression), *(e for row in self.mass_nodes or () for e in row)]

    @cached_property
    def mass_expression(self) -> sp.Matrix:
        """The inertia as a sympy matrix."""
        return sp.Matrix(self._numeric_mass) if self._numeric_mass is not None else sp.Matrix(self.mass_given)

    def constant_mass(self, params: Mapping[str, float]) -> np.ndarray | None:
        """The inertia (n, n) where it does not depend on q.

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
        return positive_definite("mass", np.array(self.mass_given.xreplace(numbers), dtype=float))

    def __repr__(self) -> str:
        mass = "constant" if self.mass_nodes is None else "configuration-dependent"
        title, *rest = super().__repr__().split("\n")
        return "\n".join([title, f"  inertia: {mass}", *rest])

    def _check(self) -> None:
        self._check_terms()
        self._check_expressions()
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

    def _check_terms(self) -> None:
        for term in self.potential_terms:
            if isinstance(term, (Sites, Pairs)):
                own = {s for v in (*term.vectors, term.data) for s in v}
                self.require(type(term).__name__, [term.expr], own | self.parameter_symbols)
                self.term_nodes(term)

    def _check_expressions(self) -> None:
        place = self.parameter_symbols | self.configuration_symbols
        terms = [t for t in self.potential_terms if isinstance(t, sp.Expr)]
        mass = [] if self._numeric_mass is not None else list(self.mass_given)
        self.require("potential", terms, place)
        self.require("mass", mass, place)
        self.check_forces()
        self.check_invariants()
        for expr in (*terms, *mass):
            self.to_node(expr)


def _count(mass: Any) -> int:
    shape = mass.shape if isinstance(mass, sp.MatrixBase) else shape_of(mass)
    if shape is None or len(shape) not in (1, 2) or not shape[0] or shape[0] != shape[-1]:
        raise DescriptionError(f"mass must have shape (n,) or (n, n), got {shape or shown(mass)}")
    return int(shape[0])


def _read_mass(mass: Any) -> np.ndarray | None:
    """The inertia (n, n) where it is given in numbers."""
    if isinstance(mass, sp.MatrixBase):
        if mass.free_symbols:
            if mass != mass.T:
                raise InputError("mass must be symmetric")
            return None
        mass = np.array(mass.tolist(), dtype=object)
    array = finite_array("mass", mass)
    return positive_definite("mass", np.diag(array) if array.ndim == 1 else array)


def _read_terms(potential: Any, n: int) -> list[Any]:
    """Terms of the potential."""
    if potential is None:
        return [sp.S.Zero]
    terms = list(potential) if isinstance(potential, (list, tuple)) else [potential]
    for term in terms:
        if isinstance(term, (Sites, Pairs)):
            term.check(n)
    kinds = "an expression, Sites, Pairs or callable"
    found = [t if isinstance(t, (Sites, Pairs)) else read_scalar("potential", t, kinds) for t in terms]
    return found or [sp.S.Zero]
