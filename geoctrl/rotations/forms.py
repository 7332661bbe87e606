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
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl._scalars import STATE, Program
from geoctrl.stepping.drive import signals

if TYPE_CHECKING:
    from geoctrl.rotations.system import RotationSystem

__all__ = ["FORMS", "RotationForm", "converted"]

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
        self.pack, self.unpack = system.pack, system.unpack

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
        R, Pi, single = self.system.columns(x)
        run = self.system.run(params)
        K = run.K.reshape(-1, 3, 3)
        found = []
        for k, (t_k, u_k) in enumerate(signals(self.input_labels, t, u, len(R))):
            run.table[3 : 3 + u_k.size] = u_k
            Omega = np.einsum("iab,ib->ia", K, Pi[k] - run.covectors(R[k]))
            moments, forces = run.moments(t_k, R[k], Omega)
            xi = Omega - np.swapaxes(R[k], 1, 2) @ run.spin  # dH/dPi
            # r_k x dH/dr_k: the moments of U - a.Omega, and Pi x R^T w of the frame.
            turn = np.cross(Pi[k], np.swapaxes(R[k], 1, 2) @ run.spin)
            found.append(
                np.concatenate(
                    [
                        np.cross(R[k], xi[:, None, :]).ravel(),
                        (np.cross(Pi[k], xi) + turn + moments + forces).ravel(),
                    ]
                )
            )
        return found[0] if single else np.array(found).T

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
