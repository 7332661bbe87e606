r"""The same system in other states: velocities, angular velocities, or the momenta conjugate to either.

The Legendre transformations are

.. math::

    \mu_i = m_{ii} \dot q_i + (I - q_i q_i^T) \sum_{j \ne i} m_{ij} \dot q_j, \qquad
    \pi_i = m_{ii} \omega_i + \sum_{j \ne i} S(q_i)^T m_{ij} S(q_j)\, \omega_j

[LLM15, Eqs. 19, 32], and :math:`\dot q_i = \omega_i \times q_i`, :math:`\omega_i = q_i \times \dot q_i`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl.manifolds.forms import ManifoldForm, check_form
from geoctrl.spheres.corollaries import EQUATIONS, angular_legendre, legendre
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.numerics import Run
from geoctrl.spheres.start import initial_values

__all__ = ["FORMS", "SphereForm", "converted"]

FORMS = tuple(EQUATIONS)

_STEPS = (8e-3, 4e-3, 2e-3)
"""Of differences extrapolated twice: their error is about 1e-12 of the field."""


def converted(
    system: SphereDescription, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    """States (6n,) or (6n, nt) of the form ``source`` as states of the form ``target``.

    Raises
    ------
    InputError
        For an unknown form or a wrong shape.
    SingularMassError
        Where the inertia is singular.
    """
    for form in (source, target):
        check_form(form, FORMS)
    q, y, single = system.columns(x)
    if source != target:
        run = system.run(params)
        rows = [_converted(run, *row, source, target) for row in zip(q, y, strict=True)]
        y = np.array(rows).reshape(q.shape)
    x = system.product.state(q, y)
    return x[0] if single else x.T.copy()


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


class SphereForm(ManifoldForm):
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
    InputError
        For an unknown form.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pendulum = gc.spheres.chain_pendulum([2.0], [0.5], gravity=(0, 0, -10)).in_form("mu")
    >>> pendulum.rhs(0.0, [1, 0, 0, 0, 0.5, 0]).round(3) + 0.0
    array([  0. ,   1. ,   0. ,  -0.5,   0. , -10. ])
    """

    system: SphereDescription

    forms = FORMS

    def read_start(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """The two parts of a pair, checked."""
        first, second = given
        return initial_values(self.product, first, second, self.form)

    def rates(self, run: Run, t: float, first: np.ndarray, second: np.ndarray) -> Sequence[np.ndarray]:
        """Rates (n, 3) of the two parts, by the corollary of the form."""
        return EQUATIONS[self.form](run, t, first, second)

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
        for column in np.atleast_2d(self._rows(x)):
            q, y = run.parts(column)
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
