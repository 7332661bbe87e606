r"""The discrete mechanics behind the variational method on spheres with numpy: two-step map, Legendre maps.

The discrete Lagrangian is of trapezoidal type,

.. math:: L_d(q, q') = \frac1{2h} \sum_{ij} \tfrac12 (m_{ij} + m'_{ij})\, (q'_i - q_i) \cdot (q'_j - q_j)
    - \tfrac h2 V(q) - \tfrac h2 V(q'),

[LLM09, Eq. 3.1], here for inertia m(q) too. With

.. math:: S_i(q, q') = \sum_j \tfrac12 (m_{ij} + m'_{ij}) (q'_j - q_j)
    - \tfrac14 \partial_{q_i} \sum_{jk} m_{jk} (q'_j - q_j) \cdot (q'_k - q_k)

its derivatives are :math:`-\tfrac1h S(q, q') - \tfrac h2 \partial V(q)` and :math:`-\tfrac1h S(q', q) -
\tfrac h2 \partial V(q')`. All of this is for systems without forces. The steps of `geoctrl.spheres.integrate`
are other, compiled code (`geoctrl.stepping.methods.variational`); what they compute has the `residual` zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl.manifolds.numerics.momenta import momenta_of, velocities_of
from geoctrl.manifolds.numerics.numbers_of_a_run import Run
from geoctrl.manifolds.numerics.tangent import rest_slopes
from geoctrl.spheres.sphere_systems import SphereSystem
from geoctrl.stepping.compiled.vectors import frames

__all__ = ["discrete_lagrangian", "legendre_left", "legendre_right", "residual", "two_step"]

Params = Mapping[str, float] | None

_CONVERGED = 1e-14
"""Newton's corrections, relative to the step, that count as rounding."""
_ITERATIONS = 30


def discrete_lagrangian(system: SphereSystem, q0: Any, q1: Any, h: float, params: Params = None) -> float:
    """L_d(q0, q1) [LLM09, Eq. 3.1], for directions (n, 3) and a step h (s); in J s."""
    run, q0, q1 = _read(system, params, q0, q1)
    d = q1 - q0
    M = (system.mass_at(q0, run.params) + system.mass_at(q1, run.params)) / 2
    potential = run.value(q0, run.data, run.index) + run.value(q1, run.data, run.index)
    return float(np.sum(M * (d @ d.T)) / (2 * h) - h / 2 * potential)


def legendre_left(system: SphereSystem, q0: Any, q1: Any, h: float, params: Params = None) -> np.ndarray:
    r"""Angular velocities (n, 3) at q0 of the discrete motion q0, q1 [LLM09, Eq. 3.8].

    .. math:: \pi_i(q, \omega) = \tfrac1h\, q_i \times S_i(q, q') + \tfrac h2\, q_i \times \partial_{q_i} V(q)
    """
    run, q0, q1 = _read(system, params, q0, q1)
    return velocities_of(system.description, q0, _moment(run, q0, q1, h), run.params)


def legendre_right(system: SphereSystem, q0: Any, q1: Any, h: float, params: Params = None) -> np.ndarray:
    r"""Angular velocities (n, 3) at q1 of the discrete motion q0, q1 [LLM09, Eq. 3.9].

    .. math:: \pi_i(q', \omega') = -\tfrac1h\, q'_i \times S_i(q', q)
        - \tfrac h2\, q'_i \times \partial_{q_i} V(q')

    Along a motion it is what `legendre_left` says of the next two: the discrete Euler-Lagrange equations.
    """
    run, q0, q1 = _read(system, params, q0, q1)
    return velocities_of(system.description, q1, -_moment(run, q1, q0, h), run.params)


def residual(
    system: SphereSystem, q: Any, omega: Any, q_next: Any, h: float, params: Params = None
) -> np.ndarray:
    """Momenta pi of (q, omega) less those of the discrete motion q, q_next, (n, 3): zero for a step.

    [LLM09, Eq. 3.10], divided by h; what Newton's iteration of the implicit method makes zero.
    """
    run, q, q_next = _read(system, params, q, q_next)
    pi = momenta_of(system.description, q, np.asarray(omega), run.params)
    return pi - _moment(run, q, q_next, h)


def two_step(system: SphereSystem, q0: Any, q1: Any, h: float, params: Params = None) -> np.ndarray:
    r"""Directions q2 (n, 3) that follow q0, q1 in the discrete motion [LLM09, Eqs. 3.6, 3.7].

    .. math:: q_i^1 \times \bigl( S_i(q^1, q^2) + S_i(q^1, q^0) + h^2 \partial_{q_i} V(q^1) \bigr) = 0
    """
    run, q0, q1 = _read(system, params, q0, q1)
    given = _slope(run, q1, q0) + h**2 * run.slope(q1)
    return _follow(q1, q1 - q0, lambda q2: _slope(run, q1, q2) + given)


def _read(system: SphereSystem, params: Params, *directions: Any) -> tuple[Run, np.ndarray, np.ndarray]:
    assert not system.description.has_forces
    q0, q1 = (np.array(q, dtype=float) for q in directions)
    return system.run(params), q0, q1


def _slope(run: Run, q: np.ndarray, q_next: np.ndarray) -> np.ndarray:
    """S(q, q'): of the bodies' own inertias, and 1/2 (K_u + K_u' - K_q) of the rest of the kinetic energy."""
    d = q_next - q
    found = run.own[:, 0, :1] * d
    rest = rest_slopes(run.system, np.array([q, q_next]), np.array([d, d]), run.params)
    return found if rest is None else found + (rest[2].sum(axis=0) - rest[1][0]) / 2


def _moment(run: Run, q: np.ndarray, other: np.ndarray, h: float) -> np.ndarray:
    return np.cross(q, _slope(run, q, other) / h + h / 2 * run.slope(q))


def _follow(q: np.ndarray, guess: np.ndarray, function: Callable) -> np.ndarray:
    """q' near q + guess where the parts of ``function(q')`` tangent at q vanish; Newton's iteration.

    Unknown are the tangent coordinates of z, with q' = ((1 - z.z) q + 2 z) / (1 + z.z) [LLM09, Eq. 3.15].
    """
    B = np.empty((len(q), 2, 3))
    frames(q, B)

    def place(y: np.ndarray) -> np.ndarray:
        z = np.einsum("irk,ir->ik", B, y.reshape(-1, 2))
        size = np.sum(z * z, axis=1)[:, None]
        return ((1 - size) * q + 2 * z) / (1 + size)

    def tangent(y: np.ndarray) -> np.ndarray:
        return np.einsum("irk,ik->ir", B, function(place(y))).ravel()

    y = np.einsum("irk,ik->ir", B, guess).ravel() / 2
    step = 1e-6
    for _ in range(_ITERATIONS):
        J = np.array([tangent(y + e) - tangent(y - e) for e in step * np.eye(y.size)]).T / (2 * step)
        change = np.linalg.solve(J, tangent(y))
        y = y - change
        if np.max(np.abs(change)) <= _CONVERGED * max(np.max(np.abs(y)), step):
            return place(y)
    raise ArithmeticError("Newton's iteration for the next directions does not converge")
