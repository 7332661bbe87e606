r"""The same system on a manifold in other states: momenta in place of velocities, rates in place of both.

The momenta are in the components of the velocities, :math:`\pi = \partial L / \partial w = I w + a + P^T K_u`
with the terms of `geoctrl.manifolds.numerics.tangent`: linear momenta of places (along what holds them),
:math:`q \times p` of directions [LLM15, Eq. 32], :math:`\Pi` in the body of attitudes. They move by

.. math::

    \dot \pi = Q f - \Omega \times (I w + a) + P^T \partial (a \cdot w) + \dot P^T K_u
        - P^T (F K_u - K_z + \partial V)

([LLM15, Eqs. 35, 36], [LLM17, Eqs. 6.10, 6.11]). Directions have their rates too,
:math:`\dot q = \omega \times q`, and the momenta conjugate to these, :math:`\mu = \pi \times q`
[LLM15, Eq. 19].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import require_choice
from geoctrl.errors import ConvergenceError, SingularMassError
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.numerics.tangent import covector_values, own_terms, rest_momenta

__all__ = ["Second", "converted_states", "momenta_of", "velocities_of"]

_ITERATIONS, _CONVERGED = 50, 1e-13


@dataclass(frozen=True)
class Second:
    """What the second part of the states of a form is.

    Attributes
    ----------
    conjugate : bool
        Whether it is a momentum.
    rate : bool
        Whether it is that of the rates of directions, a product with q.
    """

    conjugate: bool = False
    rate: bool = False


def converted_states(
    system: Any, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    """States of the form ``source`` as states of the form ``target``, (size,) or (size, nt)."""
    for form in (source, target):
        require_choice("form", form, system.forms)
    z, y, single = system.columns(x)
    if source != target:
        values, (start, end) = system.parameters_at(params), (system.forms[k] for k in (source, target))
        y = np.array([_other(system.description, *row, start, end, values) for row in zip(z, y, strict=True)])
    rows = system.product.state(z, y.reshape(len(z), -1, 3))
    return rows[0] if single else rows.T.copy()


def _other(
    system: Description,
    z: np.ndarray,
    y: np.ndarray,
    source: Second,
    target: Second,
    params: Mapping[str, float],
) -> np.ndarray:
    """The second part of one state in another form."""
    if source.rate:
        y = np.cross(z, y)
    if source.conjugate and not target.conjugate:
        y = velocities_of(system, z, y, params)
    elif target.conjugate and not source.conjugate:
        y = momenta_of(system, z, y, params)
    return np.cross(y, z) if target.rate else y


def momenta_of(system: Description, z: np.ndarray, w: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Momenta (n, 3) of velocities."""
    product = system.product
    p = rest_momenta(system, z, product.rates(z, w).ravel(), params)[1]
    own = own_terms(system, w, params)[0] @ w.ravel() + covector_values(system, z, params)[0]
    return product.along_axes(own.reshape(-1, 3) + product.moments(z, p.reshape(-1, 3)))


def velocities_of(
    system: Description, z: np.ndarray, pi: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Velocities (n, 3) of momenta, by Newton's iteration; of one step where the energy is quadratic."""
    product, w = system.product, np.zeros_like(pi)
    P, turns = product.by_velocity(z), product.turns(z)
    y = np.zeros(turns.shape[1])
    for _ in range(_ITERATIONS):
        G = rest_momenta(system, z, product.rates(z, w).ravel(), params)[3]
        inertia = turns.T @ (own_terms(system, w, params)[0] + P.T @ G @ P) @ turns
        missing = turns.T @ (pi - momenta_of(system, z, w, params)).ravel()
        try:
            change = np.linalg.solve(inertia, missing)
        except np.linalg.LinAlgError:
            raise SingularMassError("the inertia is singular at this configuration") from None
        y = y + change
        w = (turns @ y).reshape(w.shape)
        if change @ inertia @ change <= _CONVERGED**2 * (y @ inertia @ y):  # of unlike units, as energies
            return w
    raise ConvergenceError("no velocities were found that have these momenta")
