"""Systems on products of rotation groups: equations of motion, energy and momenta, loops, other views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl.errors import DescriptionError
from geoctrl.rotations.description import RotationDescription
from geoctrl.stepping.drive import law_terms, signals

if TYPE_CHECKING:
    from geoctrl.rotations.analysis import ReducedView
    from geoctrl.rotations.forms import RotationForm
    from geoctrl.rotations.local import LocalAnalysis
    from geoctrl.rotations.numerics import Numerics, Run
    from geoctrl.rotations.trajectory import RotationTrajectory
    from geoctrl.systems import EulerPoincare, ReducedSystem

__all__ = ["RotationSystem"]


class RotationSystem(RotationDescription):
    r"""Mechanical system on :math:`SO(3)^n`, angular velocities in body components.

    .. math::

        L = \sum_i \bigl(\tfrac12 \Omega_i \cdot J_i \Omega_i + a_i(R) \cdot \Omega_i\bigr) - U(R), \qquad
        \dot R_i = R_i \hat\xi_i, \quad \xi_i = \Omega_i - R_i^T w, \qquad
        \delta W = \sum_i f_i \cdot \eta_i, \quad \delta R_i = R_i \hat\eta_i

    ([LLM17, Eq. 6.7 and problem 6.18]). R takes body to reference components. A reference frame that turns
    has the constant rate w, in its own axes; :math:`\Omega_i` is the inertial angular velocity all the same.
    The equations of motion are those of `geoctrl.rotations.field`.

    Parameters
    ----------
    inertias : array (3, 3) or (n, 3, 3), or sympy matrices in parameter symbols
        kg m^2; symmetric positive definite.
    potential : expression in R, callable or None
        A callable is ``U(R, p) -> float`` with R (n, 3, 3) and p (n_params,), compiled by numba if it can be.
    gradient : callable, optional
        Only with a callable potential, and needed there: ``dU(R, p) -> (n, 3, 3)``, ambient.
    linear : (n, 3) numbers or n sympy 3-vectors in R and parameters, optional
        :math:`a_i` (kg m^2/s): in the momentum, not in the kinetic energy.
    forces : n sympy 3-vectors or callable, optional
        Moments in body components (N m) in R, Omega, ``geoctrl.time``, inputs and parameters; or
        ``f(t, R, Omega, u, p) -> (n, 3)``.
    inputs : sequence of symbols or names
    frame_rate : (3,), optional
        w (rad/s), numbers or expressions in parameters.
    parameters : sequence of Parameter
    name, source : str

    Attributes
    ----------
    n : int
        Number of bodies.
    states, state_labels, inputs, input_labels
        x = (R row by row of each body, Omega of each body), (12n,).
    params : dict
        Defaults by name.

    Raises
    ------
    DescriptionError
        If a shape is wrong, a symbol unknown, or potential and gradient do not go together.
    ValueError
        If an inertia is not symmetric positive definite.
    GradientError
        If a given gradient is not that of the potential.

    Examples
    --------
    >>> import geoctrl as gc
    >>> R, Omega = gc.rotations.symbols(1)
    >>> top = gc.rotations.RotationSystem(inertias=np.diag([2.0, 2.0, 1.0]), potential=9.81 * R[0][2, 2])
    >>> top.rhs(0.0, top.pack(np.eye(3)[None], [[0.0, 1.0, 3.0]]))[9:] + 0.0
    array([1.5, 0. , 0. ])
    """

    @cached_property
    def numerics(self) -> Numerics:
        """Compiled kernels."""
        from geoctrl.rotations.numerics import Numerics

        return Numerics(self)

    def run(self, params: Mapping[str, float] | None, inputs: Any = None) -> Run:
        """Kernels with the numbers of one run."""
        return self.numerics.run(self.parameters_at(params), inputs)

    def start(self, x0: Any) -> np.ndarray:
        """Initial state (12n,) from a pair (R0, Omega0), a state or an equilibrium, rotations to rounding.

        Raises
        ------
        ConstraintError, ValueError
            As `initial_values`.
        """
        from geoctrl.rotations.attitudes import initial_values

        pair = x0 if isinstance(x0, tuple) and len(x0) == 2 else self.unpack(getattr(x0, "x", x0))
        return self.pack(*initial_values(self, *pair))

    def trajectory(
        self, time: np.ndarray, states: np.ndarray, driven: bool, **rest: Any
    ) -> RotationTrajectory:
        """Trajectory of states (12n, nt); nothing is counted as conserved in a ``driven`` run."""
        from geoctrl.rotations.trajectory import RotationTrajectory, conserved_names

        conserved = () if driven else conserved_names(self, rest["params"])
        return RotationTrajectory(self, time, *self.unpack(states), conserved=conserved, **rest)

    def view(self, spin: Any = None) -> ReducedView:
        """The system as reduced equations, in axes that turn with a constant ``spin``, and the way back."""
        from geoctrl.rotations.analysis import ReducedView

        key = None if spin is None or not np.any(spin) else tuple(map(float, spin))
        if key not in self._views:
            self._views[key] = ReducedView(self, key)
        return self._views[key]

    @cached_property
    def _views(self) -> dict[Any, ReducedView]:
        return {}

    def pack(self, R: Any, Omega: Any) -> np.ndarray:
        """States: (n, 3, 3), (n, 3) -> (12n,), and (nt, n, 3, 3), (nt, n, 3) -> (12n, nt)."""
        R, Omega = np.asarray(R, dtype=float), np.asarray(Omega, dtype=float)
        n = self.n
        if R.shape != (*Omega.shape, 3) or Omega.ndim not in (2, 3) or Omega.shape[-2:] != (n, 3):
            raise ValueError(
                f"R and Omega must have shapes ({n}, 3, 3), ({n}, 3) or (nt, {n}, 3, 3), (nt, {n}, 3), "
                f"got {R.shape}, {Omega.shape}"
            )
        outer = Omega.shape[:-2]
        return np.concatenate([R.reshape(*outer, 9 * n), Omega.reshape(*outer, 3 * n)], axis=-1).T.copy()

    def unpack(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and angular velocities of states: inverse of `pack`."""
        x, n = np.asarray(x, dtype=float), self.n
        if x.ndim not in (1, 2) or x.shape[0] != 12 * n:
            raise ValueError(f"x must have shape ({12 * n},) or ({12 * n}, nt), got {x.shape}")
        rows, outer = np.ascontiguousarray(x.T), x.shape[1:]
        R, Omega = rows[..., : 9 * n].reshape(*outer, n, 3, 3), rows[..., 9 * n :].reshape(*outer, n, 3)
        return np.ascontiguousarray(R), np.ascontiguousarray(Omega)

    def columns(self, x: Any) -> tuple[np.ndarray, np.ndarray, bool]:
        """Attitudes (nt, n, 3, 3), angular velocities (nt, n, 3), and whether x was a single state."""
        R, Omega = self.unpack(x)
        single = Omega.ndim == 2
        return (R[None], Omega[None], True) if single else (R, Omega, False)

    def rhs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Raises
        ------
        ValueError
            For a wrong shape.
        ParameterError
            For an unknown or missing parameter.
        """
        R, Omega, single = self.columns(x)
        run = self.run(params)
        found = []
        for k, (t_k, u_k) in enumerate(signals(self.input_labels, t, u, len(R))):
            run.table[3 : 3 + u_k.size] = u_k
            V, a = run.field(t_k, R[k], Omega[k])
            found.append(np.concatenate([V.ravel(), a.ravel()]))
        return found[0] if single else np.array(found).T

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative (12n, 12n) of `rhs` by the state, in all ambient directions.

        Exact where the system is given by expressions; else central differences.
        """
        x = finite_array("x", x, (12 * self.n,))
        m = len(self.input_labels)
        u = np.zeros(m) if u is None else finite_array("u", u, (m,))
        return self.local.jacobians(t, x, u, self.parameters_at(params))[0]

    @cached_property
    def local(self) -> LocalAnalysis:
        """Derivatives, tangent spaces, rest positions: what the analysis of equilibria needs."""
        from geoctrl.rotations.local import LocalAnalysis

        return LocalAnalysis(self)

    @cached_property
    def programs(self) -> dict[str, Any]:
        """Programs of derivatives, made when first used."""
        return {}

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        r"""Energy (J), float or (nt,).

        .. math:: \sum \tfrac12 \Omega \cdot J\Omega + U - w \cdot \sum R\, (J\Omega + a)

        With a ``frame_rate`` w this is the Jacobi integral, which a potential constant in that frame keeps.
        """
        R, Omega, single = self.columns(x)
        run = self.run(params)
        kinetic, potential, momenta = run.mechanics(R, Omega)
        values = kinetic + potential - momenta.sum(axis=1) @ run.spin
        return float(values[0]) if single else values

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        r"""Momentum map of rotations, :math:`\sum R_i (J_i \Omega_i + a_i)`: (3,) or (3, nt)."""
        R, Omega, single = self.columns(x)
        values = self.run(params).mechanics(R, Omega)[2].sum(axis=1)
        return values[0] if single else values.T

    def potential(self, R: Any, params: Mapping[str, float] | None = None) -> float:
        """Potential energy (J) at attitudes R (n, 3, 3)."""
        run = self.run(params)
        return float(run.value(self._attitudes(R).reshape(-1, 3), run.data, run.index))

    def gradient(self, R: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Ambient gradient dU/dR_i (n, 3, 3) at attitudes R (n, 3, 3)."""
        return self.run(params).potential_slope(self._attitudes(R))

    def _attitudes(self, R: Any) -> np.ndarray:
        return np.ascontiguousarray(finite_array("R", R, (self.n, 3, 3)))

    pair = ("R", "Omega")
    """Names of the two parts of the state."""

    # -- loops ----------------------------------------------------------------------------------

    def closed_loop(self, law: Any) -> RotationSystem:
        """The system with its inputs set by a law: again a system on rotations, without inputs.

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
        if callable(law):
            loop = object.__new__(RotationSystem)
            loop.__dict__.update({k: v for k, v in self.__dict__.items() if k not in _DERIVED})
            loop.law, loop.inputs, loop.input_labels = law, (), ()
            return loop
        terms = law_terms(law, self.input_labels)
        if callable(self.forces_given):
            from geoctrl.rotations.analysis import callable_law

            return self.closed_loop(callable_law(self, terms))
        table = dict(zip(self.inputs, terms, strict=True))
        return self.replace(forces=[f.xreplace(table) for f in self.forces_given], inputs=())

    def replace(self, **changes: Any) -> RotationSystem:
        """The description with some arguments changed."""
        given = {
            "inertias": self.inertias,
            "potential": self.potential_given,
            "gradient": self.gradient_given,
            "linear": self.linear,
            "forces": self.forces_given,
            "inputs": self.inputs,
            "frame_rate": self.frame_rate,
            "parameters": self.parameters,
            "name": self.name,
            "source": self.source,
        }
        return RotationSystem(**(given | changes))

    # -- other views ----------------------------------------------------------------------------

    def euler_poincare(self, spin: Sequence[float] | None = None) -> EulerPoincare:
        """The same mechanism as Euler-Poincare equations, the rows of R as three advected vectors a body."""
        from geoctrl.rotations.analysis import description

        return description(self, spin)

    @cached_property
    def reduced(self) -> ReducedSystem:
        """`euler_poincare`, reduced: states xi = Omega - R^T w, then R."""
        return self.view().reduced

    def in_form(self, form: str) -> RotationForm:
        """The same system with states (R, "Omega") or (R, "Pi"), the momenta in body components."""
        from geoctrl.rotations.forms import RotationForm

        return RotationForm(self, form)

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States of one form, "Omega" or "Pi", as states of another."""
        from geoctrl.rotations.forms import converted

        return converted(self, x, source, target, params)

    def to_control(self, name: str | None = None):
        """The equations of motion as a `control.NonlinearIOSystem` with 12n states, all of them outputs."""
        from geoctrl import interop

        return interop.nonlinear_system(
            lambda t, x, u, p: self.rhs(t, x, u, p),
            lambda t, x, u, p: x,
            states=self.state_labels,
            inputs=self.input_labels,
            outputs=self.state_labels,
            params=self.params,
            name=name or self.name or "rotations",
        )

    def __repr__(self) -> str:
        lines = [f"<RotationSystem {self.name or 'unnamed'} on SO(3)^{self.n}>"]
        lines.append(f"  inputs: {', '.join(self.input_labels) or '-'}")
        lines.append(f"  parameters: {', '.join(f'{k}={v}' for k, v in self.params.items()) or '-'}")
        return "\n".join(lines)


_DERIVED = ("numerics", "damped", "reduced", "local", "_views", "programs")
"""Cached properties that a closed loop does not share."""
