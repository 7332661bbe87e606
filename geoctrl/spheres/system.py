"""Systems on products of spheres: description, equations of motion, energy and momenta."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, resolve_parameters
from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node
from geoctrl.errors import DescriptionError, GradientError
from geoctrl.spheres.potentials import Pairs, Sites, symbols
from geoctrl.systems import Parameter, time

if TYPE_CHECKING:
    from geoctrl.spheres.analysis import ReducedView
    from geoctrl.spheres.numerics import Numerics, Run
    from geoctrl.spheres.trajectory import SphereTrajectory
    from geoctrl.systems import EulerPoincare, ReducedSystem

__all__ = ["SphereSystem"]

_TERMS = 2000
"""Sums of more terms than this are not written out for symbolic analysis."""
_BODIES = 16


class SphereSystem:
    r"""Mechanical system on :math:`(S^2)^n`, with angular velocities :math:`\omega_i \perp q_i`.

    .. math::

        L = \tfrac12 \sum_{jk} m_{jk}(q)\, \dot q_j \cdot \dot q_k - V(q), \qquad
        \dot q_i = \omega_i \times q_i, \qquad \delta W = \sum_i f_i \cdot \delta q_i

    ([LLM09, Eq. 2.2], [LLM15]). The equations of motion are those of `geoctrl.spheres.field`.

    Parameters
    ----------
    mass : array (n,) or (n, n), or sympy Matrix (n, n)
        Diagonal; symmetric positive definite; in q and parameter symbols (kg m^2).
    potential : expression, `Sites`, `Pairs`, list of these, callable or None
        A callable is ``V(q, p) -> float`` with q (n, 3) and p (n_params,), compiled by numba if it can be.
    gradient : callable, optional
        Only with a callable potential, and needed there: ``dV(q, p) -> (n, 3)``.
    forces : n sympy 3-vectors or callable, optional
        In q, omega, ``geoctrl.time``, inputs and parameters; or ``f(t, q, omega, u, p) -> (n, 3)``.
    inputs : sequence of symbols or names
    parameters : sequence of Parameter
    invariants : dict of name -> expression, optional
        Quantities known to be conserved, in q and omega.
    name, source : str

    Attributes
    ----------
    n : int
        Number of spheres.
    states, state_labels, inputs, input_labels
        x = (q row by row, omega row by row), (6n,).
    params : dict
        Defaults by name.

    Raises
    ------
    DescriptionError
        If a shape is wrong, or potential and gradient do not go together.
    ExpressionError
        For a symbol or function that is not known.
    ValueError
        If the mass is not symmetric positive definite.
    GradientError
        If a given gradient is not that of the potential.

    Examples
    --------
    >>> import geoctrl as gc
    >>> q, omega = gc.spheres.symbols(1)
    >>> pendulum = gc.spheres.SphereSystem(mass=[2.0], potential=2.0 * 9.81 * q[0][2])
    >>> pendulum.rhs(0.0, [1, 0, 0, 0, 0, 1]).round(3) + 0.0
    array([0.   , 1.   , 0.   , 0.   , 9.81 , 0.   ])
    """

    pair = ("q", "omega")
    """Names of the two parts of the state."""

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
            self.convert(expr)
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

    @cached_property
    def time_node(self) -> Node:
        """Node of the time."""
        return self.graph.symbol("t", STATE)

    @cached_property
    def input_nodes(self) -> list[Node]:
        """Nodes of the inputs."""
        return [self.graph.symbol(f"input {u}", STATE) for u in self.driven_labels]

    @cached_property
    def convert(self) -> FromSympy:
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
        return [[self.convert(self.mass_given[i, j]) for j in range(self.n)] for i in range(self.n)]

    @cached_property
    def force_nodes(self) -> list[Node]:
        """Nodes of the generalised forces, row by row."""
        return [self.convert(e) for f in self.forces_given for e in f]

    def _expressions(self) -> list[sp.Expr]:
        found = [] if self._numeric_mass is not None else list(self.mass_given)
        found += [t for t in self.potential_terms if isinstance(t, sp.Expr)]
        if self.forced and not callable(self.forces_given):
            found += [e for f in self.forces_given for e in f]
        return [*found, *self.invariants_given.values()]

    # -- numbers --------------------------------------------------------------------------------

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

    @cached_property
    def numerics(self) -> Numerics:
        """Compiled kernels."""
        from geoctrl.spheres.numerics import Numerics

        return Numerics(self)

    def run(self, params: Mapping[str, float] | None, inputs: Any = None) -> Run:
        """Kernels with the numbers of one run."""
        return self.numerics.run(self.parameters_at(params), inputs)

    def start(self, x0: Any) -> np.ndarray:
        """Initial state (6n,) from a pair (q0, omega0), a state or an equilibrium, on the spheres to rounding.

        Raises
        ------
        ConstraintError, ValueError
            As `initial_values`.
        """
        from geoctrl.spheres.start import initial_values

        pair = x0 if isinstance(x0, tuple) and len(x0) == 2 else self.unpack(getattr(x0, "x", x0))
        return self.pack(*initial_values(self, *pair))

    def trajectory(self, time: np.ndarray, states: np.ndarray, driven: bool, **rest: Any) -> SphereTrajectory:
        """Trajectory of states (6n, nt); nothing is counted as conserved in a ``driven`` run."""
        from geoctrl.spheres.trajectory import SphereTrajectory, conserved_names

        conserved = () if driven else conserved_names(self, rest["params"])
        return SphereTrajectory(self, time, *self.unpack(states), conserved=conserved, **rest)

    def view(self, spin: Any = None) -> ReducedView:
        """The system as reduced equations, in axes that turn with a constant rate ``spin``, and the way back."""
        from geoctrl.spheres.analysis import ReducedView

        key = None if spin is None else tuple(map(float, spin))
        if key not in self._views:
            self._views[key] = ReducedView(self, key)
        return self._views[key]

    def natural(self, spin: Sequence[float]) -> dict[str, Any] | None:
        """Parts of the Lagrangian in turning axes, for exact proofs; None where there is none."""
        from geoctrl.spheres.analysis import natural

        return natural(self, spin)

    @cached_property
    def _views(self) -> dict[Any, ReducedView]:
        return {}

    @property
    def state_nodes(self) -> list[Node]:
        """Nodes of the states."""
        return [*self.q_nodes, *self.omega_nodes]

    def pack(self, q: Any, omega: Any) -> np.ndarray:
        """States of directions and angular velocities: (n, 3) -> (6n,), (nt, n, 3) -> (6n, nt)."""
        q, omega = np.asarray(q, dtype=float), np.asarray(omega, dtype=float)
        if q.shape != omega.shape or q.ndim not in (2, 3) or q.shape[-2:] != (self.n, 3):
            raise ValueError(
                f"q and omega must have shape ({self.n}, 3) or (nt, {self.n}, 3), got {q.shape}, {omega.shape}"
            )
        joined = np.concatenate([q, omega], axis=-2)
        return joined.reshape(*joined.shape[:-2], 6 * self.n).T.copy()

    def unpack(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """Directions and angular velocities of states: inverse of `pack`."""
        x = np.asarray(x, dtype=float)
        if x.ndim not in (1, 2) or x.shape[0] != 6 * self.n:
            raise ValueError(f"x must have shape ({6 * self.n},) or ({6 * self.n}, nt), got {x.shape}")
        rows = np.ascontiguousarray(x.T).reshape(*x.shape[1:], 2, self.n, 3)
        return np.ascontiguousarray(rows[..., 0, :, :]), np.ascontiguousarray(rows[..., 1, :, :])

    def _columns(self, x: Any) -> tuple[np.ndarray, np.ndarray, bool]:
        q, omega = self.unpack(x)
        single = q.ndim == 2
        return (q[None], omega[None], True) if single else (q, omega, False)

    def rhs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Raises
        ------
        ValueError
            For a wrong shape.
        ParameterError
            For an unknown or missing parameter.
        """
        q, omega, single = self._columns(x)
        m = len(self.input_labels)
        inputs = np.zeros(m) if u is None else np.atleast_1d(np.asarray(u, dtype=float))
        if inputs.shape[:1] != (m,):
            raise ValueError(f"u must have {m} entries ({', '.join(self.input_labels) or 'no input'})")
        times = np.broadcast_to(np.asarray(t, dtype=float), (len(q),))
        columns = np.broadcast_to(inputs.reshape(m, -1), (m, len(q))) if m else np.zeros((0, len(q)))
        run = self.run(params)
        found = []
        for k in range(len(q)):
            run.table[3 : 3 + m] = columns[:, k]
            v, a = run.field(float(times[k]), q[k], omega[k])
            found.append(np.concatenate([v.ravel(), a.ravel()]))
        return found[0] if single else np.array(found).T

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative (6n, 6n) of `rhs` by the state, in all ambient directions.

        Exact where the system can be written out in symbols; else central differences.
        """
        from geoctrl.spheres.analysis import jacobians

        return jacobians(self, t, x, u, params)[0]

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Kinetic plus potential energy (J): float, or (nt,)."""
        q, omega, single = self._columns(x)
        run = self.run(params)
        values = [sum(run.mechanics(a, b)[:2]) for a, b in zip(q, omega, strict=True)]
        return float(values[0]) if single else np.array(values)

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        r"""Momentum map of rotations, :math:`\sum q_i \times p_i`: (3,), or (3, nt)."""
        q, omega, single = self._columns(x)
        run = self.run(params)
        values = np.array([run.mechanics(a, b)[2].sum(axis=0) for a, b in zip(q, omega, strict=True)])
        return values[0] if single else values.T

    def mass_matrix(self, q: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inertia (n, n) at directions q (n, 3)."""
        return self.run(params).at(self._directions(q)).copy()

    def potential(self, q: Any, params: Mapping[str, float] | None = None) -> float:
        """Potential energy (J) at directions q (n, 3)."""
        run = self.run(params)
        return float(run.value(self._directions(q), run.data, run.index))

    def gradient(self, q: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Ambient gradient dV/dq_i (n, 3) at directions q (n, 3)."""
        return self.run(params).slope(self._directions(q))

    def _directions(self, q: Any) -> np.ndarray:
        return np.ascontiguousarray(finite_array("q", q, (self.n, 3)))

    # -- forces and loops -----------------------------------------------------------------------

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

    def closed_loop(self, law: Any) -> SphereSystem:
        """The system with its inputs set by a law: again a system on spheres, without inputs.

        Parameters
        ----------
        law : callable, sequence of expressions or FeedbackLaw
            ``law(t, x, params) -> u``; expressions, one for each input, in states, time and parameters; or an
            object with ``.expr``.

        Raises
        ------
        DescriptionError
            If there are no inputs, or not one expression for each.
        """
        if not self.inputs:
            raise DescriptionError("closed_loop needs a system with inputs; this one has none")
        law = getattr(law, "expr", law)
        loop = object.__new__(SphereSystem)
        if callable(law):
            loop.__dict__.update({k: v for k, v in self.__dict__.items() if k not in _DERIVED})
            loop.law, loop.inputs, loop.input_labels = law, (), ()
            return loop
        terms = list(law.values()) if isinstance(law, Mapping) else list(sp.Matrix([law]))
        if len(terms) != len(self.inputs):
            raise DescriptionError(f"the law must give {len(self.inputs)} inputs, got {len(terms)}")
        if callable(self.forces_given):
            from geoctrl.spheres.analysis import callable_law

            return self.closed_loop(callable_law(self, terms))
        table = dict(zip(self.inputs, map(sp.sympify, terms), strict=True))
        forces = [sp.Matrix(f).xreplace(table) for f in self.forces_given]
        return self.replace(forces=forces, inputs=())

    def replace(self, **changes: Any) -> SphereSystem:
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
        return SphereSystem(**(given | changes))

    # -- other views ----------------------------------------------------------------------------

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

    def euler_poincare(self, spin: Sequence[float] | None = None) -> EulerPoincare:
        """The same mechanism as Euler-Poincare equations with the directions as advected vectors."""
        from geoctrl.spheres.analysis import description

        return description(self, spin)

    @cached_property
    def reduced(self) -> ReducedSystem:
        """`euler_poincare`, reduced: states omega, then q."""
        return self.view().reduced

    def to_control(self, name: str | None = None):
        """The equations of motion as a `control.NonlinearIOSystem` with 6n states, all of them outputs."""
        from geoctrl import interop

        return interop.nonlinear_system(
            lambda t, x, u, p: self.rhs(t, x, u, p),
            lambda t, x, u, p: x,
            states=self.state_labels,
            inputs=self.input_labels,
            outputs=self.state_labels,
            params=self.params,
            name=name or self.name or "spheres",
        )

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


_DERIVED = ("numerics", "damped", "reduced", "_views")
"""Cached properties that a closed loop does not share."""


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


def _check_gradient(system: SphereSystem, p: np.ndarray) -> None:
    """Compare a given gradient with a central difference of the potential along one direction."""
    rng = np.random.default_rng(7)
    q = rng.normal(size=(system.n, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    v = np.cross(rng.normal(size=(system.n, 3)), q)
    V, dV = system.potential_given, system.gradient_given
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
