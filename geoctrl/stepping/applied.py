"""The inputs that acted in a run, so that its samples can tell them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from geoctrl.stepping.drive import read_drive, sample

__all__ = ["Applied"]


@dataclass(frozen=True, eq=False)
class Applied:
    """Inputs of one run.

    Attributes
    ----------
    labels : tuple of str
        Of the system before a law closed it.
    driven : bool
        Whether something else than the states decided on them.
    """

    labels: tuple[str, ...]
    driven: bool
    _at: Callable[[float, np.ndarray, Mapping[str, float]], Any]

    @classmethod
    def none(cls, labels: tuple[str, ...]) -> Self:
        """All inputs zero."""
        return cls(labels, False, lambda t, x, params: np.zeros(len(labels)))

    @classmethod
    def of(cls, inputs: Any, labels: tuple[str, ...]) -> Self:
        """What `geoctrl.stepping.drive.read_drive` reads; None for no inputs."""
        if inputs is None:
            return cls.none(labels)
        table, function = read_drive(inputs, labels)

        if function is not None:
            return cls(labels, True, lambda t, x, params: function(t))
        return cls(labels, True, lambda t, x, params: [sample(table, t, j) for j in range(len(labels))])

    @classmethod
    def by_law(
        cls, law: Callable[[float, np.ndarray, Mapping[str, float]], Any], labels: tuple[str, ...]
    ) -> Self:
        """What a law ``law(t, x, params)`` gives."""
        return cls(labels, False, law)

    def values(self, time: np.ndarray, states: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m, nt) at times (nt,) and states (n, nt)."""
        if not self.labels:
            return np.zeros((0, time.size))
        rows = [np.ravel(self._at(float(t), x, params)) for t, x in zip(time, states.T, strict=True)]
        return np.array(rows, dtype=float).T.reshape(len(self.labels), time.size)
