r"""The Hamiltonian form of a system on rotations: states (R, Pi) in place of (R, Omega).

.. math::

    \dot r_k = r_k \times \frac{\partial H}{\partial \Pi}, \qquad
    \dot\Pi = \Pi \times \frac{\partial H}{\partial \Pi}
    + \sum_k r_k \times \frac{\partial H}{\partial r_k} + f, \qquad
    H = \tfrac12 (\Pi - a) \cdot J^{-1} (\Pi - a) + U - w \cdot R \Pi

[LLM17, Eqs. 6.10, 6.11] for each body, with the linear terms a(R) and the ``frame_rate`` w.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl._scalars import STATE, FromSympy, Graph, Node, Program
from geoctrl.errors import DescriptionError
from geoctrl.rotations.analysis import callable_law
from geoctrl.rotations.attitudes import initial_values
from geoctrl.rotations.trajectory import RotationTrajectory, conserved_names
from geoctrl.stepping.drive import law_terms, signals
from geoctrl.systems import time

if TYPE_CHECKING:
    from geoctrl.rotations.numerics import Run
    from geoctrl.rotations.system import RotationSystem

__all__ = ["FORMS", "FormTrajectory", "RotationForm", "converted"]

FORMS = ("Omega", "Pi")


def converted(
    system: RotationSystem, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    r"""States of the form ``source`` as states of the form ``target``; :math:`\Pi = J \Omega + a(R)`.

    Raises
    ------
    ValueError
        For an unknown form or a wrong shape.
    """
    for form in (source, target):
        _check(form)
    R, v, single = system.columns(x)
    if source != target:
        run = system.run(params)
        n = system.n
        J, K = run.J.reshape(n, 3, 3), run.K.reshape(n, 3, 3)
        a = np.array([run.covectors(attitudes) for attitudes in R])
        v = np.einsum("iab,tib->tia", J, v) + a if target == "Pi" else np.einsum("iab,tib->tia", K, v - a)
    return system.pack(R[0], v[0]) if single else system.pack(R, v)


def _check(form: str) -> None:
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r}{nearest(str(form), FORMS)}")


class RotationForm:
    """A system on rotations with states of a form: a system like any other.

    Parameters
    ----------
    system : RotationSystem
    form : {"Omega", "Pi"}

    Attributes
    ----------
    n, states, state_labels, inputs, input_labels, params
        As of the system; the labels of the momenta are Pi1_1, Pi1_2, ...

    Raises
    ------
    ValueError
        For an unknown form.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = gc.rotations.free_body([1.0, 2.0, 3.0])
    >>> body.in_form("Pi").rhs(0.0, [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3])[9:].round(3)
    array([-1.,  2., -1.])
    """

    def __init__(self, system: RotationSystem, form: str) -> None:
        _check(form)
        self.system, self.form = system, form
        self.n, self.params = system.n, system.params
        self.inputs, self.input_labels = system.inputs, system.input_labels
        rest = system.states[9 * self.n :]
        if form == "Pi":
            rest = tuple(type(s)(s.name.replace("Omega", "Pi"), real=True) for s in rest)
        self.states = (*system.states[: 9 * self.n], *rest)
        self.state_labels = tuple(map(str, self.states))
        self.pack, self.unpack, self.parameters_at = system.pack, system.unpack, system.parameters_at

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States of one form as states of another."""
        return converted(self.system, x, source, target, params)

    def _velocities(self, x: Any, params: Mapping[str, float] | None) -> np.ndarray:
        return converted(self.system, x, self.form, "Omega", params)

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Energy (J), float or (nt,): the Hamiltonian in the form "Pi"."""
        return self.system.energy(self._velocities(x, params), params)

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Momentum map of rotations: (3,) or (3, nt)."""
        return self.system.momentum(self._velocities(x, params), params)

    def rhs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Raises
        ------
        ValueError
            For a wrong shape.
        ParameterError
            For an unknown or missing parameter.
        """
        if self.form == "Omega":
            return self.system.rhs(t, x, u, params)
        flow = self.run(params)
        columns = np.atleast_2d(self.pack(*self.unpack(x)).T)
        found = []
        for (t_k, u_k), y in zip(signals(self.input_labels, t, u, len(columns)), columns, strict=True):
            flow.run.table[3 : 3 + u_k.size] = u_k
            found.append(flow.rate(t_k, y))
        return np.array(found).T.reshape(np.shape(x))

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        r"""Derivative (12n, 12n) of `rhs` by the state, in all ambient directions.

        By the chain rule from that of (R, Omega), with the second derivative of a(R) along the motion.
        """
        system = self.system
        x = self._velocities(x, params)
        A = system.jacobian(t, x, u, params)
        if self.form == "Omega":
            return A
        n, values = system.n, system.parameters_at(params)
        T, change = np.eye(12 * n), np.zeros((12 * n, 12 * n))
        for i, J in enumerate(system.inertias_at(values)):
            rows = slice(9 * n + 3 * i, 9 * n + 3 * i + 3)
            T[rows, rows] = J
        if system.linear_varies:
            graph, R = system.graph, system.R_nodes
            V = [graph.symbol(f"V{i}", STATE) for i in range(9 * n)]
            slope = [e for row in graph.jacobian(system.linear_nodes, R) for e in row]
            rate = graph.push_forward(system.linear_nodes, dict(zip(R, V, strict=True)))
            curvature = [e for row in graph.jacobian(rate, R) for e in row]
            program = Program(graph, [*R, *V], system.parameter_nodes, [*slope, *curvature])
            speed = system.rhs(t, x, u, params)[: 9 * n]
            numbers = program([*x[: 9 * n], *speed], values).reshape(2, 3 * n, 9 * n)
            T[9 * n :, : 9 * n], change[9 * n :, : 9 * n] = numbers
        return (T @ A + change) @ np.linalg.inv(T)

    def closed_loop(self, law: Any) -> RotationForm:
        """The form with its inputs set by a law in its states, without inputs.

        Raises
        ------
        DescriptionError
            As `RotationSystem.closed_loop`.
        """
        law = getattr(law, "expr", law)
        function = law if callable(law) else callable_law(self, law_terms(law, self.input_labels))

        def carried(t: float, x: np.ndarray, params: Mapping[str, float]) -> Any:
            return function(t, self.convert(x, "Omega", self.form, params), params)

        return RotationForm(self.system.closed_loop(carried), self.form)

    # -- what `geoctrl.simulate` asks for -----------------------------------------------------------

    def run(self, params: Mapping[str, float] | None, inputs: Any = None) -> FormRun:
        """The field with the numbers of one run."""
        return FormRun(self.system.run(params, inputs), self.form)

    def start(self, x0: Any) -> np.ndarray:
        """Initial state (12n,) from a pair (R0, y0) or a state, rotations to rounding.

        Raises
        ------
        ConstraintError, ValueError
            As `geoctrl.rotations.attitudes.initial_values`.
        """
        pair = x0 if isinstance(x0, tuple) and len(x0) == 2 else self.unpack(x0)
        return self.pack(*initial_values(self.system, *pair))

    def trajectory(self, time: np.ndarray, states: np.ndarray, driven: bool, **rest: Any) -> FormTrajectory:
        """Trajectory of states (12n, nt); nothing is counted as conserved in a ``driven`` run."""
        conserved = () if driven else conserved_names(self.system, rest["params"])
        return FormTrajectory(self, time, states, conserved=conserved, **rest)

    def view(self, _spin: Any = None) -> None:
        """Only the system itself is seen as reduced equations: DescriptionError."""
        raise DescriptionError("this takes the system in (R, Omega); it is the attribute system of the form")

    @property
    def local(self) -> None:
        """Only the system itself is linearised and certified: DescriptionError."""
        return self.view()

    @property
    def graph(self) -> Graph:
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
        """The equations of motion as a `control.NonlinearIOSystem` with 12n states, all of them outputs."""
        from geoctrl import interop

        return interop.nonlinear_system(
            lambda t, x, u, p: self.rhs(t, x, u, p),
            lambda t, x, u, p: x,
            states=self.state_labels,
            inputs=self.input_labels,
            outputs=self.state_labels,
            params=self.params,
            name=name or self.system.name or "rotations",
        )

    def __repr__(self) -> str:
        return f"<RotationForm (R, {self.form}) of {self.system.name or 'unnamed'} on SO(3)^{self.n}>"


class FormRun:
    """The field of a form with the numbers of one run."""

    def __init__(self, run: Run, form: str) -> None:
        self.run, self._form = run, form

    @property
    def engine(self) -> str:
        """Either "numba" or "python": how potential and forces are evaluated."""
        return self.run.engine

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate (12n,) of a state (12n,)."""
        if self._form == "Omega":
            return self.run.rate(t, x)
        run, n = self.run, x.size // 12
        R, Pi = np.ascontiguousarray(x[: 9 * n]).reshape(n, 3, 3), x[9 * n :].reshape(n, 3)
        Omega = np.einsum("iab,ib->ia", run.K.reshape(n, 3, 3), Pi - run.covectors(R))
        frame = np.swapaxes(R, 1, 2) @ run.spin
        xi = Omega - frame  # dH/dPi
        moments, forces = run.moments(t, R, Omega)  # of U - a.Omega; the frame's are Pi x R^T w
        change = np.cross(Pi, xi) + np.cross(Pi, frame) + moments + forces
        return np.concatenate([np.cross(R, xi[:, None, :]).ravel(), change.ravel()])


class FormTrajectory(RotationTrajectory):
    """The trajectory of a form: as that of the system, with the states of the form.

    Attributes
    ----------
    states : ndarray (12n, nt)
    """

    def __init__(self, form: RotationForm, time: np.ndarray, states: np.ndarray, **rest: Any) -> None:
        x = form.convert(states, form.form, "Omega", rest["params"])
        super().__init__(form.system, time, *form.unpack(x), **rest)
        self._form, self._states = form, states

    @property
    def states(self) -> np.ndarray:
        """States (12n, nt) of the form."""
        return self._states

    @property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states of the form."""
        return self._form.state_labels
