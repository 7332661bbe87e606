"""Systems on products of spheres: description, equations of motion, energy and momenta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.errors import DescriptionError
from geoctrl.spheres.description import SphereDescription
from geoctrl.stepping.drive import law_terms, signals

if TYPE_CHECKING:
    from geoctrl.spheres.analysis import ReducedView
    from geoctrl.spheres.forms import SphereForm
    from geoctrl.spheres.local import LocalAnalysis
    from geoctrl.spheres.numerics import Numerics, Run
    from geoctrl.spheres.trajectory import SphereTrajectory
    from geoctrl.systems import EulerPoincare, ReducedSystem

__all__ = ["SphereSystem"]


class SphereSystem(SphereDescription):
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
    array([0.  , 1.  , 0.  , 0.  , 9.81, 0.  ])
    """

    pair = ("q", "omega")
    """Names of the two parts of the state."""

    # -- numbers --------------------------------------------------------------------------------

    @cached_property
    def numerics(self) -> Numerics:
        """Compiled kernels."""
        from geoctrl.spheres.numerics import Numerics

        return Numerics(self)

    def run(self, params: Mapping[str, float] | None, inputs: Any = None) -> Run:
        """Kernels with the numbers of one run."""
        return self.numerics.run(self.parameters_at(params), inputs)

    def start(self, x0: Any) -> np.ndarray:
        """Initial state (6n,) of a pair (q0, omega0), a state or an equilibrium, on the spheres to rounding.

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
        """The system as reduced equations, in axes that turn with the rate ``spin``, and the way back."""
        from geoctrl.spheres.analysis import ReducedView

        key = None if spin is None or not np.any(spin) else tuple(map(float, spin))
        if key not in self._views:
            self._views[key] = ReducedView(self, key)
        return self._views[key]

    @cached_property
    def _views(self) -> dict[Any, ReducedView]:
        return {}

    def pack(self, q: Any, omega: Any) -> np.ndarray:
        """States of directions and angular velocities: (n, 3) -> (6n,), (nt, n, 3) -> (6n, nt)."""
        q, omega = np.asarray(q, dtype=float), np.asarray(omega, dtype=float)
        if q.shape != omega.shape or q.ndim not in (2, 3) or q.shape[-2:] != (self.n, 3):
            raise ValueError(
                f"q and omega must have shape ({self.n}, 3) or (nt, {self.n}, 3), "
                f"got {q.shape} and {omega.shape}"
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
        run = self.run(params)
        found = []
        for k, (t_k, u_k) in enumerate(signals(self.input_labels, t, u, len(q))):
            run.table[3 : 3 + u_k.size] = u_k
            found.append(np.concatenate(run.field(t_k, q[k], omega[k])).ravel())
        return found[0] if single else np.array(found).T

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative (6n, 6n) of `rhs` by the state, in all ambient directions.

        Exact where the system can be written out in symbols; else central differences.
        """
        x = finite_array("x", x, (6 * self.n,))
        m = len(self.input_labels)
        u = np.zeros(m) if u is None else finite_array("u", u, (m,))
        return self.local.jacobians(t, x, u, self.parameters_at(params))[0]

    @cached_property
    def local(self) -> LocalAnalysis:
        """Derivatives, tangent spaces, rest positions: what the analysis of equilibria needs."""
        from geoctrl.spheres.local import LocalAnalysis

        return LocalAnalysis(self)

    @cached_property
    def programs(self) -> dict[Any, Any]:
        """Programs of second derivatives and of the forces' derivatives, made when first used."""
        return {}

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

    def closed_loop(self, law: Any) -> SphereSystem:
        """The system with its inputs set by a law: again a system on spheres, without inputs.

        Parameters
        ----------
        law : callable, sequence of expressions or FeedbackLaw
            ``law(t, x, params) -> u``; expressions in states, time and parameters, one for each input, in
            their order or by name; or an object with ``.expr``.

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
        terms = law_terms(law, self.input_labels)
        if callable(self.forces_given):
            from geoctrl.spheres.analysis import callable_law

            return self.closed_loop(callable_law(self, terms))
        table = dict(zip(self.inputs, terms, strict=True))
        forces = [sp.Matrix(f).xreplace(table) for f in self.forces_given]
        return self.replace(forces=forces, inputs=())

    # -- forms ----------------------------------------------------------------------------------

    def in_form(self, form: str) -> SphereForm:
        """The same system with states (q, "qdot"), (q, "omega"), (q, "mu") or (q, "pi")."""
        from geoctrl.spheres.forms import SphereForm

        return SphereForm(self, form)

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States (6n,) or (6n, nt) of one form as states of another."""
        from geoctrl.spheres.forms import converted

        return converted(self, x, source, target, params)

    # -- other views ----------------------------------------------------------------------------

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


_DERIVED = ("numerics", "damped", "reduced", "local", "_views", "programs")
"""Cached properties that a closed loop does not share."""
