r"""The Hamiltonian form of a system on rotations: states (R, Pi) in place of (R, Omega).

.. math::

    \dot r_k = r_k \times \frac{\partial H}{\partial \Pi}, \qquad
    \dot\Pi = \Pi \times \frac{\partial H}{\partial \Pi}
    + \sum_k r_k \times \frac{\partial H}{\partial r_k} + f, \qquad
    H = \tfrac12 (\Pi - a) \cdot J^{-1} (\Pi - a) + U - w \cdot R \Pi

[LLM17, Eqs. 6.10, 6.11] for each body, with the linear terms a(R) and the ``frame_rate`` w.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Program
from geoctrl.manifolds.forms import ManifoldForm, check_form
from geoctrl.rotations.attitudes import initial_values
from geoctrl.rotations.description import RotationDescription
from geoctrl.rotations.numerics import Run

__all__ = ["FORMS", "RotationForm", "converted"]

FORMS = ("Omega", "Pi")


def converted(
    system: RotationDescription, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    r"""States of the form ``source`` as states of the form ``target``; :math:`\Pi = J \Omega + a(R)`.

    Raises
    ------
    InputError
        For an unknown form or a wrong shape.
    """
    for form in (source, target):
        check_form(form, FORMS)
    R, v, single = system.columns(x)
    if source != target:
        run = system.run(params)
        J = run.J
        a = np.array([run.covectors(attitudes) for attitudes in R])
        if target == "Pi":
            v = np.einsum("iab,tib->tia", J, v) + a
        else:
            v = np.linalg.solve(J, (v - a)[..., None])[..., 0]
    x = system.product.state(R, v)
    return x[0] if single else x.T.copy()


class RotationForm(ManifoldForm):
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
    InputError
        For an unknown form.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = gc.rotations.free_body([1.0, 2.0, 3.0])
    >>> body.in_form("Pi").rhs(0.0, [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3])[9:].round(3)
    array([-1.,  2., -1.])
    """

    system: RotationDescription

    forms = FORMS

    def read_start(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """The two parts of a pair, checked."""
        first, second = given
        return initial_values(self.product, first, second, self.form)

    def rates(self, run: Run, t: float, first: np.ndarray, second: np.ndarray) -> Sequence[np.ndarray]:
        """Rates of attitudes, row by row, and of the second part (n, 3)."""
        if self.form == "Omega":
            return run.field(t, first, second)
        R, Pi = first.reshape(-1, 3, 3), second
        Omega = np.linalg.solve(run.J, (Pi - run.covectors(first))[..., None])[..., 0]
        frame = np.swapaxes(R, 1, 2) @ run.spin
        xi = Omega - frame  # dH/dPi
        moments, forces = run.moments(t, first, Omega)  # of U - a.Omega; the frame's are Pi x R^T w
        change = np.cross(Pi, xi) + np.cross(Pi, frame) + moments + forces
        return np.cross(R, xi[:, None, :]), change

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        r"""Derivative (12n, 12n) of `rhs` by the state, in all ambient directions.

        By the chain rule from that of (R, Omega), with the second derivative of a(R) along the motion.
        """
        system = self.system
        x = self.velocities(x, params)
        A = system.jacobian(t, x, u, params)
        if self.form == "Omega":
            return A
        n, values = system.n, system.parameters_at(params)
        T, change = np.eye(12 * n), np.zeros((12 * n, 12 * n))
        for i, J in enumerate(system.inertias_at(values)):
            rows = slice(9 * n + 3 * i, 9 * n + 3 * i + 3)
            T[rows, rows] = J
        if system.linear_varies:
            graph, R = system.graph, system.configuration_nodes
            V = [graph.symbol(f"V{i}", STATE) for i in range(9 * n)]
            slope = [e for row in graph.jacobian(system.linear_nodes, R) for e in row]
            rate = graph.push_forward(system.linear_nodes, dict(zip(R, V, strict=True)))
            curvature = [e for row in graph.jacobian(rate, R) for e in row]
            program = Program(graph, [*R, *V], system.parameter_nodes, [*slope, *curvature])
            speed = system.rhs(t, x, u, params)[: 9 * n]
            numbers = program([*x[: 9 * n], *speed], values).reshape(2, 3 * n, 9 * n)
            T[9 * n :, : 9 * n], change[9 * n :, : 9 * n] = numbers
        return (T @ A + change) @ np.linalg.inv(T)
