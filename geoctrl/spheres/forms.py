r"""The same system in other states: velocities, angular velocities, or the momenta conjugate to either.

The Legendre transformations are

.. math::

    \mu_i = m_{ii} \dot q_i + (I - q_i q_i^T) \sum_{j \ne i} m_{ij} \dot q_j, \qquad
    \pi_i = m_{ii} \omega_i + \sum_{j \ne i} S(q_i)^T m_{ij} S(q_j)\, \omega_j

[LLM15, Eqs. 19, 32], and :math:`\dot q_i = \omega_i \times q_i`, :math:`\omega_i = q_i \times \dot q_i`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, nearest
from geoctrl._scalars import STATE, FromSympy, Node
from geoctrl.errors import DescriptionError
from geoctrl.spheres.analysis import callable_law
from geoctrl.spheres.corollaries import EQUATIONS, angular_legendre, legendre
from geoctrl.spheres.start import initial_values
from geoctrl.spheres.trajectory import SphereTrajectory, conserved_names
from geoctrl.stepping.drive import law_terms, signals
from geoctrl.systems import time

if TYPE_CHECKING:
    from geoctrl.spheres.numerics import Run
    from geoctrl.spheres.system import SphereSystem

__all__ = ["FORMS", "FormTrajectory", "SphereForm", "converted"]

FORMS = tuple(EQUATIONS)

_STEPS = (8e-3, 4e-3, 2e-3)
"""Of differences extrapolated twice: their error is about 1e-12 of the field."""


def converted(
    system: SphereSystem, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    """States (6n,) or (6n, nt) of the form ``source`` as states of the form ``target``.

    Raises
    ------
    ValueError
        For an unknown form or a wrong shape.
    LinAlgError
        Where the inertia is singular.
    """
    for form in (source, target):
        _check(form)
    q, y = system.unpack(x)
    if source == target:
        return system.pack(q, y)
    run = system.run(params)
    if q.ndim == 2:
        return system.pack(q, _converted(run, q, y, source, target))
    rows = [_converted(run, *row, source, target) for row in zip(q, y, strict=True)]
    return system.pack(q, np.array(rows).reshape(q.shape))


def _converted(run: Run, q: np.ndarray, y: np.ndarray, source: str, target: str) -> np.ndarray:
    """Second half (n, 3) of one state; by way of qdot, or omega where the momentum is conjugate to it."""
    M = run.at(q)
    if source == "mu":
        source, y = "qdot", np.linalg.solve(legendre(q, M), y.ravel()).reshape(q.shape)
    elif source == "pi":
        source, y = "omega", np.linalg.solve(angular_legendre(q, M), y.ravel()).reshape(q.shape)
    if source == "omega" and target in ("qdot", "mu"):
        y = np.cross(y, q)
    elif source == "qdot" and target in ("omega", "pi"):
        y = np.cross(q, y)
    if target == "mu":
        return (legendre(q, M) @ y.ravel()).reshape(q.shape)
    return (angular_legendre(q, M) @ y.ravel()).reshape(q.shape) if target == "pi" else y


def _check(form: str) -> None:
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r}{nearest(str(form), FORMS)}")


class SphereForm:
    """A system on spheres with states (q, y), y one of "qdot", "omega", "mu", "pi": a system like any other.

    Its equations are those of its corollary (`geoctrl.spheres.corollaries`), not those of `SphereSystem.rhs`
    in other coordinates. Equilibria are found, linearised and certified on ``system`` itself.

    Parameters
    ----------
    system : SphereSystem
    form : {"qdot", "omega", "mu", "pi"}

    Attributes
    ----------
    n, inputs, input_labels, params
        As of the system.
    states, state_labels
        x = (q row by row, y row by row), (6n,), with labels qdot1_1, omega1_1, mu1_1, pi1_1, ...

    Raises
    ------
    ValueError
        For an unknown form.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pendulum = gc.spheres.chain_pendulum([2.0], [0.5], gravity=(0, 0, -10)).in_form("mu")
    >>> pendulum.rhs(0.0, [1, 0, 0, 0, 0.5, 0]).round(3) + 0.0
    array([  0. ,   1. ,   0. ,  -0.5,   0. , -10. ])
    """

    def __init__(self, system: SphereSystem, form: str) -> None:
        _check(form)
        self.system, self.form = system, form
        self.n, self.params = system.n, system.params
        self.inputs, self.input_labels = system.inputs, system.input_labels
        second = [sp.Symbol(str(s).replace("omega", form), real=True) for v in system.omega for s in v]
        self.states = (*(s for v in system.q for s in v), *second)
        self.state_labels = tuple(map(str, self.states))
        self.pack, self.unpack, self.parameters_at = system.pack, system.unpack, system.parameters_at

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States of one form as states of another: `SphereSystem.convert`."""
        return converted(self.system, x, source, target, params)

    def rhs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Raises
        ------
        ValueError
            For a wrong shape.
        ParameterError
            For an unknown or missing parameter.
        LinAlgError
            Where the inertia is singular.
        """
        flow = self.run(params)
        columns = self._columns(x)
        found = []
        for (t_k, u_k), y in zip(signals(self.input_labels, t, u, len(columns)), columns, strict=True):
            flow.run.table[3 : 3 + u_k.size] = u_k
            found.append(flow.rate(t_k, y))
        return np.array(found).T.reshape(np.shape(x))

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative (6n, 6n) of `rhs` by the state, in all ambient directions; extrapolated differences."""
        x = finite_array("x", x, (6 * self.n,))
        columns = []
        for e in np.eye(x.size):
            points = np.array([x + s * h * e for h in _STEPS for s in (1, -1)]).T
            rates = self.rhs(t, points, u, params)
            first = [(rates[:, 2 * k] - rates[:, 2 * k + 1]) / (2 * h) for k, h in enumerate(_STEPS)]
            second = [(4 * first[1] - first[0]) / 3, (4 * first[2] - first[1]) / 3]
            columns.append((16 * second[1] - second[0]) / 15)
        return np.array(columns).T

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        r"""Kinetic plus potential energy (J), float or (nt,); in the momenta the Hamiltonian.

        Of velocities [LLM15, Eqs. 11, 17], of momenta :math:`\tfrac12 \mu \cdot m^I \mu + U`, likewise of pi.
        """
        run = self.system.run(params)
        values = []
        for column in self._columns(x):
            q, y = column.reshape(2, self.n, 3)
            M = run.at(q)
            A = angular_legendre(q, M) if self.form in ("omega", "pi") else legendre(q, M)
            flat = y.ravel()
            dual = A @ flat if self.form in ("qdot", "omega") else np.linalg.solve(A, flat)
            values.append(flat @ dual / 2 + run.value(q, run.data, run.index))
        return float(values[0]) if np.ndim(x) == 1 else np.array(values)

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        r"""Momentum map of rotations, :math:`\sum q_i \times \mu_i = \sum \pi_i`: (3,), or (3, nt)."""
        if self.form in ("mu", "pi"):
            q, p = self.unpack(x)
            return (np.cross(q, p) if self.form == "mu" else p).sum(axis=-2).T
        return self.system.momentum(self.convert(x, self.form, "omega", params), params)

    def _columns(self, x: Any) -> np.ndarray:
        """States as rows (nt, 6n)."""
        return np.ascontiguousarray(np.atleast_2d(self.pack(*self.unpack(x)).T))

    def closed_loop(self, law: Any) -> SphereForm:
        """The form with its inputs set by a law in its states: see `SphereSystem.closed_loop`.

        Raises
        ------
        DescriptionError
            As `SphereSystem.closed_loop`.
        """
        law = getattr(law, "expr", law)
        function = law if callable(law) else callable_law(self, law_terms(law, self.input_labels))

        def carried(t: float, x: np.ndarray, params: Mapping[str, float]) -> Any:
            return function(t, self.convert(x, "omega", self.form, params), params)

        return SphereForm(self.system.closed_loop(carried), self.form)

    # -- what `geoctrl.simulate` asks for -----------------------------------------------------------

    def run(self, params: Mapping[str, float] | None, inputs: Any = None) -> FormRun:
        """The field with the numbers of one run."""
        return FormRun(self.system.run(params, inputs), self.form)

    def start(self, x0: Any) -> np.ndarray:
        """Initial state (6n,) from a pair (q0, y0) or a state, on the cotangent bundle to rounding.

        Raises
        ------
        ConstraintError, ValueError
            As `geoctrl.spheres.start.initial_values`.
        """
        pair = x0 if isinstance(x0, tuple) and len(x0) == 2 else self.unpack(x0)
        q, y = pair
        return self.pack(*initial_values(self.system, q, y, name=self.form))

    def trajectory(self, time: np.ndarray, states: np.ndarray, driven: bool, **rest: Any) -> FormTrajectory:
        """Trajectory of states (6n, nt); nothing is counted as conserved in a ``driven`` run."""
        conserved = () if driven else conserved_names(self.system, rest["params"])
        return FormTrajectory(self, time, states, conserved=conserved, **rest)

    def view(self, spin: Any = None) -> None:
        """Only the system itself is seen as reduced equations: DescriptionError."""
        axes = "" if spin is None else " in turning axes"
        raise DescriptionError(f"this takes the system in (q, omega){axes}: the attribute system of the form")

    @property
    def local(self) -> None:
        """Only the system itself is linearised and certified: DescriptionError."""
        return self.view()

    @property
    def graph(self):
        """The system's graph of expressions."""
        return self.system.graph

    @property
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""
        return self.system.parameter_nodes

    @property
    def time_node(self) -> Node:
        """Node of the time."""
        return self.system.time_node

    @cached_property
    def state_nodes(self) -> list[Node]:
        """Nodes of the states."""
        return [self.graph.symbol(label, STATE) for label in self.state_labels]

    @cached_property
    def to_node(self) -> FromSympy:
        """Converter of expressions in states, time and parameters."""
        table: dict[Any, Node] = dict(zip(self.states, self.state_nodes, strict=True))
        table |= {p.symbol: self.parameter_nodes[p.name] for p in self.system.parameters}
        return FromSympy(self.graph, table | {time: self.time_node})

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
            name=name or self.system.name or "spheres",
        )

    def __repr__(self) -> str:
        return f"<SphereForm (q, {self.form}) of {self.system.name or 'unnamed'} on (S^2)^{self.n}>"


class FormRun:
    """The field of a form with the numbers of one run."""

    def __init__(self, run: Run, form: str) -> None:
        self.run, self._equations = run, EQUATIONS[form]

    @property
    def engine(self) -> str:
        """How potential, forces and inertia are evaluated: "numba" or "python"."""
        return self.run.engine

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate (6n,) of a state (6n,)."""
        q, y = np.ascontiguousarray(x).reshape(2, -1, 3)
        return np.concatenate(self._equations(self.run, t, q, y)).ravel()


class FormTrajectory(SphereTrajectory):
    """The trajectory of a form: as that of the system, with the states of the form.

    Attributes
    ----------
    states : ndarray (6n, nt)
    """

    def __init__(self, form: SphereForm, time: np.ndarray, states: np.ndarray, **rest: Any) -> None:
        x = form.convert(states, form.form, "omega", rest["params"])
        super().__init__(form.system, time, *form.unpack(x), **rest)
        self._form, self._states = form, states

    @property
    def states(self) -> np.ndarray:
        """States (6n, nt) of the form."""
        return self._states

    @property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states of the form."""
        return self._form.state_labels
