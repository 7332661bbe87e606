r"""Inputs that are held from one command to the next, through an actuator that may lag.

With a lag T the actuator follows a command u by :math:`\dot a = (u - a)/T`: from the value a that it has when
the command comes, the input is :math:`u + (a - u)\,e^{-(t - t_0)/T}`, an exact function of the time.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from geoctrl._scalars import STATE, Node
from geoctrl.stepping.drive.drive import Drive
from geoctrl.systems import System

__all__ = ["Applied"]


class Applied(Drive):
    """Commands as they come, one after the other; what they were is known when the run is over.

    Parameters
    ----------
    labels : tuple of str
        Inputs of the system.
    t0 : float
        When the first command holds.
    lag : float
        T (s), zero for an actuator that follows at once.
    obstacle : str, optional
        Why recorded equations cannot hold them.
    """

    outside = True
    controls = True

    def __init__(
        self,
        labels: tuple[str, ...],
        t0: float,
        first: Sequence[float],
        lag: float = 0.0,
        obstacle: str | None = None,
    ) -> None:
        self.labels, self._lag, self._piece, self._obstacle = labels, lag, 0, obstacle
        self._begin, self._command, self._value = [t0], [tuple(first)], [tuple(first)]

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold u from t on, which is not before the last command."""
        if t == self._begin[-1]:
            self._command[-1] = tuple(u)
        else:
            if self._lag:
                self._value.append(tuple(self._follow(len(self._begin) - 1, t)))
            self._begin.append(t)
            self._command.append(tuple(u))
        self._piece = len(self._begin) - 1

    def _follow(self, piece: int, t: float) -> list[float]:
        """Inputs at a time within a piece."""
        u = self._command[piece]
        if not self._lag:
            return list(u)
        left = math.exp(-(t - self._begin[piece]) / self._lag)
        return [v + (a - v) * left for v, a in zip(u, self._value[piece], strict=True)]

    # -- as a drive -----------------------------------------------------------------------------

    @property
    def times(self) -> np.ndarray:  # type: ignore[override]
        """When the commands came."""
        return np.array(self._begin)

    @property
    def samples(self) -> np.ndarray:  # type: ignore[override]
        """The commands (m, k)."""
        return np.array(self._command, dtype=float).T.reshape(len(self.labels), len(self._begin))

    @property
    def obstacle(self) -> str | None:
        """Why recorded equations cannot hold them, or None."""
        return self._obstacle

    @property
    def breaks(self) -> np.ndarray:
        """Times of the commands."""
        return self.times

    def begin(self, t: float) -> None:
        """Enter the piece that begins at t, or in which t is: at its end no other command acts."""
        self._piece = max(bisect_right(self._begin, t) - 1, 0)

    def inputs_at(self, t: float, _x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m,) at a time of the piece entered last."""
        return np.array(self._follow(self._piece, t))

    def values(self, time: np.ndarray, _states: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m, nt), at a command those that act from then on."""
        pieces = np.maximum(np.searchsorted(self.times, time, side="right") - 1, 0)
        rows = [self._follow(int(k), float(t)) for k, t in zip(pieces, time, strict=True)]
        return np.array(rows, dtype=float).T.reshape(len(self.labels), time.size)

    def images(self, system: System) -> tuple[list[Node], list[Node]]:
        """A symbol for each input; with a lag the exponential between the value and the command."""
        g = system.graph
        held = [g.symbol(f"command {u}", STATE) for u in self.labels]
        if not self._lag:
            return held, held
        begun = [g.symbol(f"value {u}", STATE) for u in self.labels]
        since, rate = g.symbol("time of the command", STATE), g.symbol("rate of the actuator", STATE)
        left = g.fun("exp", rate * (since - system.time_node))
        images = [u + (a - u) * left for u, a in zip(held, begun, strict=True)]
        return images, [*held, *begun, since, rate]

    def extra(self, t: float) -> list[float]:
        """Numbers of these in the piece that begins at t."""
        self.begin(t)
        u = [*self._command[self._piece]]
        if not self._lag:
            return u
        return [*u, *self._value[self._piece], self._begin[self._piece], 1 / self._lag]
