r"""The Hamiltonian form of a system on a product: states of momenta in place of velocities.

The momenta are in the components of the velocities, :math:`\pi = \partial L / \partial w = I w + P^T K_u`:
linear momenta of places (along what holds them), :math:`q \times p` of directions, :math:`\Pi` in the body of
attitudes. They move by

.. math::

    \dot \pi = Q f - \Omega \times I w + \dot P^T K_u - P^T (F K_u - K_z + \partial V) .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.errors import ConvergenceError
from geoctrl.manifolds.description import ManifoldDescription
from geoctrl.manifolds.forms import ManifoldForm, check_form
from geoctrl.manifolds.general import Run
from geoctrl.manifolds.tangent import own_terms, rest_momenta, speeds

__all__ = ["FORMS", "ProductForm", "converted"]

FORMS = ("velocity", "momentum")

_ITERATIONS, _CONVERGED = 50, 1e-13


def converted(
    system: Any, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    """States of the form ``source`` as states of the form ``target``.

    Raises
    ------
    InputError
        For an unknown form or a wrong shape.
    ConvergenceError
        If no velocities are found that have some momenta.
    """
    for form in (source, target):
        check_form(form, FORMS)
    z, y, single = system.columns(x)
    if source != target:
        values = system.parameters_at(params)
        change = _momenta if target == "momentum" else _velocities
        y = np.array([change(system, *row, values) for row in zip(z, y, strict=True)]).reshape(y.shape)
    rows = system.product.state(z, y)
    return rows[0] if single else rows.T.copy()


def _momenta(
    system: ManifoldDescription, z: np.ndarray, w: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    product = system.product
    p = rest_momenta(system, z, product.rates(z, w).ravel(), params)[1]
    own = (own_terms(system, w, params)[0] @ w.ravel()).reshape(-1, 3)
    return product.along_axes(own + product.moments(z, p.reshape(-1, 3)))


def _velocities(
    system: ManifoldDescription, z: np.ndarray, pi: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Newton's iteration, of one step where the kinetic energy is quadratic."""
    product, w = system.product, np.zeros_like(pi)
    P, turns = product.by_velocity(z), product.turns(z)
    for _ in range(_ITERATIONS):
        G = rest_momenta(system, z, product.rates(z, w).ravel(), params)[3]
        inertia = own_terms(system, w, params)[0] + P.T @ G @ P
        missing = turns.T @ (pi - _momenta(system, z, w, params)).ravel()
        change = turns @ np.linalg.solve(turns.T @ inertia @ turns, missing)
        w = w + change.reshape(w.shape)
        if np.max(np.abs(change)) <= _CONVERGED * max(1.0, float(np.max(np.abs(w)))):
            return w
    raise ConvergenceError("no velocities were found that have these momenta")


class ProductForm(ManifoldForm):
    """A system on a product with states of a form: a system like any other.

    Parameters
    ----------
    system : ProductSystem
    form : {"velocity", "momentum"}

    Raises
    ------
    InputError
        For an unknown form.
    """

    forms = FORMS
    own = "velocity"

    @cached_property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states: of momenta by the names of their factors."""
        if self.form == self.own:
            return tuple(self.system.state_labels)
        names = [f"momentum_{f.name}_{k}" for f in self.product.factors for k in (1, 2, 3)]
        return *self.system.state_labels[: self.split], *names

    def read_start(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and momenta of a start by name, on the manifold to rounding."""
        return self.system.read_start(given)

    def rates(self, run: Run, t: float, first: np.ndarray, second: np.ndarray) -> Sequence[np.ndarray]:
        """Rates of configuration and momenta."""
        if self.form == "velocity":
            return run.field(t, first, second)
        system, product, params = run.system, run.system.product, run.params
        w = _velocities(system, first, second, params)
        zdot, _ = speeds(system, first, w, params)
        slope, p, _, _ = rest_momenta(system, first, product.rates(first, w).ravel(), params)
        carried = product.turn(system.frame_rate_at(params)) @ p - slope + run.slope(first).ravel()
        change = product.work(first) @ run.forces(t, first, w).ravel() - own_terms(system, w, params)[1]
        change += product.carried_by(zdot.reshape(-1, 3)).T @ p - product.by_velocity(first).T @ carried
        return zdot.reshape(first.shape), product.along_axes(change.reshape(w.shape))
