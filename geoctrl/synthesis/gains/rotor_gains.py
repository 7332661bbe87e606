r"""Linear held loops of one rotor, for many gains at a time.

Near an equilibrium the plant is :math:`\delta\dot x = A\,\delta x + B\,\delta u`, whatever the gains are;
they enter through the derivative of the law alone, :math:`\delta u = K\,(\delta x, z)` with the law's own
states z. Held for h, one step is

.. math::

    \delta x_{k+1} = e^{Ah}\,\delta x_k + \int_0^h e^{As}\,ds\,B\,\delta u_k, \qquad
    z_{k+1} = z_k + h\,G\,(\delta x_k, z_k) .
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from geoctrl.synthesis.contract.law import Law
from geoctrl.synthesis.export.law_outputs import slopes
from geoctrl.systems import Equilibrium

__all__ = ["HeldLoops", "Peaks", "spread"]

_OSCILLATES = 1e-6
"""Imaginary part, relative to the largest eigenvalue, that is no rounding of a real one."""
_END = 0.1
"""Part of a run at its end over which the torque has to have died down."""
_GAINS = 60
"""Gains of an interval that are looked at."""


def spread(low: float, high: float, unit: float) -> np.ndarray:
    """Gains inside an interval; from its only end, at distances from 1e-6 to 1e3 units."""
    if np.isfinite([low, high]).all():
        return np.linspace(low, high, _GAINS + 2)[1:-1]
    far = unit * np.geomspace(1e-6, 1e3, _GAINS)
    return low + far if np.isfinite(low) else high - far


@dataclass(frozen=True)
class Peaks:
    """What runs of several loops (N) ask of the motor, the worst of their starts.

    Attributes
    ----------
    torque, speed : ndarray (N,)
        Largest absolute values.
    left : ndarray (N,)
        Largest torque over the last tenth of the run, relative to `torque`.
    """

    torque: np.ndarray
    speed: np.ndarray
    left: np.ndarray


class HeldLoops:
    """The loops of a law with its gains as parameters, held at one rate.

    Parameters
    ----------
    law : Law
        Of one rotor.
    rotor : str
        Label of its rate.
    A, B : ndarray, (n, n) and (n, 1)
        Of the plant at the equilibrium, in its states.
    point : Equilibrium
        Of the plant.
    hold : float
        Seconds.
    """

    def __init__(
        self, law: Law, rotor: str, A: np.ndarray, B: np.ndarray, point: Equilibrium, hold: float
    ) -> None:
        self._A, self._B, self._point, self._h = A, B, point, hold
        self._loop = loop = law.full
        n, own = len(A), loop.state_labels[len(A) :]
        self._own, self._program = len(own), slopes(loop, law.input_labels, own)
        self._rotor = point.labels.index(rotor)
        block = np.zeros((n + 1, n + 1))
        block[:n, :n], block[:n, n:] = A * hold, B * hold
        moved = scipy.linalg.expm(block)
        self._phi, self._push = moved[:n, :n], moved[:n, n]

    def derivatives(self, gains: Mapping[str, float]) -> np.ndarray:
        """K and below it the rows of G, (1 + q, n + q)."""
        values = self._loop.parameters({**self._point.params, **gains})
        x = np.append(self._point.x, np.zeros(self._own))
        return self._program([*x, 0.0], values).reshape(1 + self._own, x.size)

    def damping(self, gains: Mapping[str, float], k: str) -> tuple[float, float] | None:
        r"""Frequency :math:`\omega` of the oscillation on which a gain k acts most, and what it does to it.

        At k = 0 and without a hold: :math:`d\,\mathrm{Re}\lambda/dk = l B\,\partial_k K\,r / (l\,r)` with the
        eigenvectors of :math:`\lambda`. None where nothing oscillates.
        """
        n = len(self._A)
        still = self.derivatives({**gains, k: 0.0})[0, :n]
        change = self.derivatives({**gains, k: 1.0})[0, :n] - still
        values, right = np.linalg.eig(self._A + self._B @ still[None, :])
        swings = np.flatnonzero(values.imag > _OSCILLATES * np.max(np.abs(values)))
        found = []
        for i in swings:
            left = np.linalg.svd(self._A + self._B @ still[None, :] - values[i] * np.eye(n))[0][:, -1].conj()
            moved = (left @ self._B[:, 0]) * (change @ right[:, i]) / (left @ right[:, i])
            found.append((float(values[i].imag), float(moved.real)))
        return max(found, key=lambda pair: abs(pair[1]), default=None)

    def peaks(self, rows: np.ndarray, starts: np.ndarray, steps: int, slope: float = 0.0) -> Peaks:
        """Runs of the loops with `derivatives` (N, 1 + q, n + q) from deviations (S, n); torques with a slope
        times the rotor's rate.
        """
        n, size = len(self._A), rows.shape[-1]
        M = np.zeros((len(rows), size, size))
        M[:, :n, :n] = self._phi
        M[:, n:, n:] = np.eye(self._own)
        M[:, :n] += self._push[:, None] * rows[:, :1]
        M[:, n:] += self._h * rows[:, 1:]
        x = np.zeros((len(rows), size, len(starts)))
        x[:, :n] = starts.T
        largest = np.zeros((3, len(rows)))
        with np.errstate(over="ignore", invalid="ignore"):
            for step in range(steps):
                rate = x[:, self._rotor] + self._point.x[self._rotor]
                u = (rows[:, :1] @ x)[:, 0] + self._point.u[0]
                asked, plain, speed = (np.abs(v).max(axis=1) for v in (u + slope * rate, u, rate))
                late = plain if step >= (1 - _END) * steps else 0.0 * plain
                largest = np.maximum(largest, np.array([asked, speed, late]))
                x = M @ x
            torque, speed, late = np.nan_to_num(largest, nan=np.inf, posinf=np.inf)
            left = np.where(np.isfinite(torque), late / np.maximum(torque, np.finfo(float).tiny), np.inf)
        return Peaks(torque, speed, left)
