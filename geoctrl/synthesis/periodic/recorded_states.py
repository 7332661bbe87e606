r"""States of a plant as a function :math:`x = T y + t` of those of its recorded equations.

Of recorded plants they are the same. On a manifold entries of directions and attitudes are, a place has a
further entry that is one, and velocities y are those beside the frame, which adds to them what it carries
along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import exact
from geoctrl.errors import InputError

__all__ = ["RecordedStates"]

Laws = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class RecordedStates:
    """The states of a plant and of its recorded equations.

    Attributes
    ----------
    plant : System
    params : dict
        All parameters by name.
    T : ndarray (n, k)
        In Fractions.
    t : ndarray (n,)
        In Fractions.
    """

    plant: Any
    params: Mapping[str, float]
    T: np.ndarray
    t: np.ndarray

    @classmethod
    def of(cls, plant: Any, params: Mapping[str, float]) -> RecordedStates:
        """Those of a plant; InputError where its states are no affine function of the recorded ones."""
        n = plant.nstates
        if plant.recorded:
            return cls(plant, params, _fractions(np.eye(n)), _fractions(np.zeros(n)))
        view = plant.view()
        (y, _, T), (_, _, other) = (
            view.exact_change([Fraction(k * i) for i in range(n)], params) for k in (0, 1)
        )
        if not np.array_equal(T, other):
            raise InputError(
                "with holds= no direction may be seen from a frame that turns: what the frame adds to its "
                "velocity is quadratic in it, and the laws are affine; describe the plant without frame_rate"
            )
        return cls(plant, params, T, -(T @ y))

    @property
    def system(self) -> Any:
        """The recorded equations."""
        return self.plant.recording

    @cached_property
    def _floats(self) -> tuple[np.ndarray, np.ndarray]:
        return self.T.astype(float), self.t.astype(float)

    def plant_states(self, y: np.ndarray) -> np.ndarray:
        """States (..., n) of the plant."""
        T, t = self._floats
        return y @ T.T + t

    def sizes(self, recorded: np.ndarray) -> np.ndarray:
        """Of the states (n,) of the plant, of those of the recorded equations."""
        return recorded if self.plant.recorded else np.abs(self._floats[0]) @ recorded

    def recording_state(self, x: np.ndarray) -> np.ndarray:
        """A state (k,) of the recorded equations."""
        return np.asarray(x, dtype=float) if self.plant.recorded else self.plant.to_recording(x, self.params)

    def slopes(self, K: np.ndarray) -> np.ndarray:
        """Derivatives (..., k) by the recorded states, of those by the states of the plant."""
        return K @ self._floats[0]

    def gains(self, K: np.ndarray) -> np.ndarray:
        """Derivatives (..., n) by the states of the plant, zero across what y reaches, of recorded ones."""
        return K if self.plant.recorded else K @ np.linalg.pinv(self._floats[0])

    def weights(self, Q: np.ndarray) -> np.ndarray:
        """A quadratic form (k, k) of recorded states, of one of the states of the plant."""
        T, _ = self._floats
        return T.T @ Q @ T

    def extent(self, y: np.ndarray) -> np.ndarray:
        """How far states (n,) of the plant move along a motion (N, k): vectors of a manifold as a whole."""
        found = np.ptp(self.plant_states(y), axis=0)
        return found if self.plant.recorded else np.repeat(np.max(found.reshape(-1, 3), axis=1), 3)

    def laws(self, inputs: np.ndarray, states: np.ndarray, gains: np.ndarray) -> Laws:
        r"""The laws :math:`\hat u - K (x - \hat x)` of doubles in recorded states, in Fractions:
        inputs (N, m), states (N, k) and gains (N, m, k).
        """
        u, x, K = _fractions(inputs), _fractions(states), _fractions(gains)
        y = _fractions(np.array([self.recording_state(row) for row in states]))
        apart = y @ self.T.T + self.t - x  # what rounding leaves
        moved = np.array([row @ away for row, away in zip(K, apart, strict=True)], dtype=object)
        return u - moved.reshape(u.shape), y, K @ self.T


def _fractions(numbers: np.ndarray) -> np.ndarray:
    """Doubles as Fractions."""
    return np.array([exact(v) for v in np.ravel(numbers).tolist()], dtype=object).reshape(np.shape(numbers))
