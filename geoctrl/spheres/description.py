"""The description of a system on spheres: data, symbols, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, resolve_parameters
from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node
from geoctrl.errors import DescriptionError, GradientError
from geoctrl.spheres.potentials import Pairs, Sites, symbols
from geoctrl.systems import Parameter, time

__all__ = ["SphereDescription"]

_TERMS = 2000
"""Sums of more terms than this are not written out for symbolic analysis."""
_BODIES = 16


class SphereDescription:
    """What `SphereSystem` is made of, in symbols and as nodes of a graph; see there."""

    def __init__(
        self,
        *,
        mass: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        self.mass_given, self.potential_given, self.gradient_given = mass, potential, gradient
        self.forces_given, self.name, self.source = forces, name, source
        self.law: Callable | None = None
        self.parameters = tuple(parameters)
        self.params = {p.name: p.default for p in self.parameters}
        self.inputs = tuple(sp.Symbol(u, real=True) if isinstance(u, str) else u for u in inputs)
        self.input_labels = self.driven_labels = tuple(map(str, self.inputs))
        self.n = _count(mass)
        self.q, self.omega = symbols(self.n)
        self.states = tuple(s for v in (*self.q, *self.omega) for s in v)
        self.state_labels = tuple(map(str, self.states))
        self.invariants_given = {k: sp.sympify(e) for k, e in (invariants or {}).items()}
        self.graph = Graph()
        self._numeric_mass = _read_mass(mass)
        self.potential_terms = _read_potential(potential, gradient, self.n)
        self._check_forces()
        for expr in self._expressions():
            self.to_node(expr)
        self._check_numbers()

    # -- symbols and nodes ----------------------------------------------------------------------

    @cached_property
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""
        return {p.name: self.graph.symbol(p.name, PARAMETER) for p in self.parameters}

    @cached_property
    def q_nodes(self) -> list[Node]:
        """Nodes of q, row by row."""
        return [self.graph.symbol(str(s), STATE) for v in self.q for s in v]

    @cached_property
    def omega_nodes(self) -> list[Node]:
        """Nodes of omega, row by row."""
        return [self.graph.symbol(str(s), STATE) for v in self.omega for s in v]

    @property
    def state_nodes(self) -> list[Node]:
        """Nodes of the states."""
        return [*self.q_nodes, *self.omega_nodes]

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
        """Converter of expressions in q, omega, inputs, time and parameters."""
        table: dict[Any, Node] = dict(zip(self.states, [*self.q_nodes, *self.omega_nodes], strict=True))
        table |= {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        table |= dict(zip(self.inputs, self.input_nodes, strict=True))
        return FromSympy(self.graph, table | {time: self.time_node})

    def term_nodes(self, term: Sites | Pairs) -> tuple[list[list[Node]], list[Node], Node]:
        """Nodes of the vectors, data and value of the small expression of a term."""
        kind = type(term).__name__
        nodes = {s: self.graph.symbol(f"{kind} {s}", STATE) for v in (*term.vectors, term.data) for s in v}
        table = nodes | {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        energy = FromSympy(self.graph, table)(term.expr)
        return [[nodes[s] for s in v] for v in term.vectors], [nodes[s] for s in term.data], energy

    @cached_property
    def mass_nodes(self) -> list[list[Node]] | None:
        """Nodes of the inertia where it depends on q; else None."""
        if self._numeric_mass is not None or not self.mass_given.free_symbols & set(self.states):
            return None
        return [[self.to_node(self.mass_given[i, j]) for j in range(self.n)] for i in range(self.n)]

    @cached_property
    def force_nodes(self) -> list[Node]:
        """Nodes of the generalised forces, row by row."""
        return [self.to_node(e) for f in self.forces_given for e in f]

    def _expressions(self) -> list[sp.Expr]:
        found = [] if self._numeric_mass is not None else list(self.mass_given)
        found += [t for t in self.potential_terms if isinstance(t, sp.Expr)]
        if self.forced and not callable(self.forces_given):
            found += [e for f in self.forces_given for e in f]
        return [*found, *self.invariants_given.values()]

    # -- what it is -----------------------------------------------------------------------------

    @property
    def forced(self) -> bool:
        """Whether there are generalised forces."""
        return self.forces_given is not None

    @cached_property
    def damped(self) -> bool:
        """Whether the forces may depend on velocities."""
        if not self.forced:
            return False
        if self.law is not None or callable(self.forces_given):
            return True
        return bool(set(self.graph.symbols(self.force_nodes)) & set(self.omega_nodes))

    @property
    def symbolic(self) -> bool:
        """Whether everything is given by expressions, few enough to be written out."""
        if self.law is not None or callable(self.potential_given) or callable(self.forces_given):
            return False
        terms = sum(t.terms(self.n) for t in self.potential_terms if isinstance(t, (Sites, Pairs)))
        near = any(isinstance(t, Pairs) and t.cutoff is not None for t in self.potential_terms)
        return not near and terms <= _TERMS and self.n <= _BODIES

    @cached_property
    def potential_expression(self) -> sp.Expr:
        """The potential written out in q and parameters."""
        return sp.Add(*(t if isinstance(t, sp.Expr) else t.expanded(self.q) for t in self.potential_terms))

    @cached_property
    def mass_expression(self) -> sp.Matrix:
        """The inertia as a sympy matrix."""
        return sp.Matrix(self._numeric_mass) if self._numeric_mass is not None else sp.Matrix(self.mass_given)

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for unknown, missing, non-positive values."""
        positive = {p.name for p in self.parameters if p.positive}
        values = resolve_parameters(self.params, params, positive)
        return {k: float(v) for k, v in values.items()}

    def constant_mass(self, params: Mapping[str, float]) -> np.ndarray | None:
        """The inertia (n, n) where it does not depend on q.

        Raises
        ------
        ValueError
            If it is not symmetric positive definite.
        """
        if self._numeric_mass is not None:
            return self._numeric_mass.copy()
        if self.mass_nodes is not None:
            return None
        numbers = {p.symbol: params[p.name] for p in self.parameters}
        return _checked_mass(np.array(self.mass_given.xreplace(numbers), dtype=float))

    def replace(self, **changes: Any) -> Self:
        """The description with some arguments changed."""
        given = {
            "mass": self.mass_given,
            "potential": self.potential_given,
            "gradient": self.gradient_given,
            "forces": self.forces_given,
            "inputs": self.inputs,
            "parameters": self.parameters,
            "invariants": self.invariants_given,
            "name": self.name,
            "source": self.source,
        }
        return type(self)(**(given | changes))

    def __repr__(self) -> str:
        mass = "constant" if self.mass_nodes is None else "configuration-dependent"
        lines = [f"<SphereSystem {self.name or 'unnamed'} on (S^2)^{self.n}>", f"  inertia: {mass}"]
        lines.append(f"  inputs: {', '.join(self.input_labels) or '-'}")
        lines.append(f"  parameters: {', '.join(f'{k}={v}' for k, v in self.params.items()) or '-'}")
        return "\n".join(lines)

    # -- checks ---------------------------------------------------------------------------------

    def _check_forces(self) -> None:
        if self.forces_given is None:
            if self.inputs:
                raise DescriptionError("inputs act through forces; give forces, or leave inputs out")
            return
        if callable(self.forces_given):
            return
        rows = [sp.Matrix(f) for f in self.forces_given]
        if len(rows) != self.n or any(len(f) != 3 for f in rows):
            raise DescriptionError(
                f"forces must be {self.n} vectors of 3 expressions, got {self.forces_given!r}"
            )
        self.forces_given = tuple(rows)

    def _check_numbers(self) -> None:
        """Mass and gradient at the defaults, where there are any."""
        if any(v is None for v in self.params.values()):
            return
        params = self.parameters_at(None)
        self.constant_mass(params)
        if callable(self.potential_given):
            _check_gradient(self, np.array(list(params.values()), dtype=float))


def _count(mass: Any) -> int:
    shape = mass.shape if isinstance(mass, sp.MatrixBase) else np.shape(mass)
    if len(shape) not in (1, 2) or not shape[0] or (len(shape) == 2 and shape[0] != shape[1]):
        raise DescriptionError(f"mass must have shape (n,) or (n, n), got {shape}")
    return int(shape[0])


def _read_mass(mass: Any) -> np.ndarray | None:
    """The inertia (n, n) where it is given in numbers."""
    if isinstance(mass, sp.MatrixBase):
        if mass.free_symbols:
            if mass != mass.T:
                raise ValueError("mass must be symmetric")
            return None
        mass = np.array(mass, dtype=float)
    array = finite_array("mass", mass)
    return _checked_mass(np.diag(array) if array.ndim == 1 else array)


def _checked_mass(M: np.ndarray) -> np.ndarray:
    if np.max(np.abs(M - M.T)) > 1e-12 * np.max(np.abs(M)):
        raise ValueError("mass must be symmetric")
    least = float(np.min(np.linalg.eigvalsh(M)))
    if not least > 0:
        raise ValueError(f"mass must be positive definite, its least eigenvalue is {least:.3g}")
    return np.ascontiguousarray((M + M.T) / 2)


def _read_potential(potential: Any, gradient: Callable | None, n: int) -> list[Any]:
    """Terms of the potential; none for a callable."""
    if callable(potential):
        if not callable(gradient):
            raise DescriptionError("a callable potential needs gradient=dV(q, p) -> (n, 3)")
        return []
    if gradient is not None:
        raise DescriptionError("gradient goes with a callable potential; it is derived for any other")
    if potential is None:
        return [sp.S.Zero]
    terms = list(potential) if isinstance(potential, (list, tuple)) else [potential]
    terms = [t if isinstance(t, (Sites, Pairs)) else sp.sympify(t) for t in terms]
    for term in terms:
        if isinstance(term, (Sites, Pairs)):
            term.check(n)
        elif isinstance(term, sp.MatrixBase) or not isinstance(term, sp.Expr):
            raise DescriptionError(f"potential must be an expression, Sites, Pairs or callable, got {term!r}")
    return terms or [sp.S.Zero]


def _check_gradient(system: SphereDescription, p: np.ndarray) -> None:
    """Compare a given gradient with a central difference of the potential along one direction."""
    rng = np.random.default_rng(7)
    q = rng.normal(size=(system.n, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    v = np.cross(rng.normal(size=(system.n, 3)), q)
    V, dV = system.potential_given, system.gradient_given
    assert dV is not None
    value, slope = V(q, p), np.asarray(dV(q, p))
    if np.ndim(value) != 0 or slope.shape != (system.n, 3):
        raise DescriptionError(
            f"potential must return a number and gradient an array ({system.n}, 3), "
            f"got shapes {np.shape(value)} and {slope.shape}"
        )
    h = 1e-5
    expected = (V(q + h * v, p) - V(q - h * v, p)) / (2 * h)
    found = float(np.sum(slope * v))
    scale = max(abs(expected), float(np.linalg.norm(slope)) * 1e-3, 1e-12)
    if not abs(found - expected) <= 1e-4 * scale:
        raise GradientError(
            f"gradient gives {found:.8g} along a direction in which the potential changes by {expected:.8g}; "
            "it must be the ambient gradient dV/dq (n, 3)"
        )
