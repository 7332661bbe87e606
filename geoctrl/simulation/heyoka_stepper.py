"""Taylor integration from one command to the next, on the integrators of `heyoka_engine`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from geoctrl.simulation.heyoka_engine import taken
from geoctrl.stepping.flow import EndedError, Ending, Flow
from geoctrl.systems.singularity import breaks_down

__all__ = ["Stepper"]

_MOST = 1000
"""Steps up to one time at most; without a bound a run that blows up does not come back."""

_MANY = 100
"""Steps up to one time that make one look whether the equations break down there."""


class Stepper:
    """A flow from time to time, under commands that come in between; used as a context."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._compiled, self._give = taken(flow)
        ta = self._compiled.integrator
        self._propagate, self._state, self._pars = ta.propagate_until, ta.state, ta.pars
        self._reached, self._count = self._compiled.time_limit, self._compiled.n_constants
        # Without a lag the further numbers of the equations are the commands.
        self._whole = len(flow.drive.extra(float(flow.times[0]))) == len(flow.drive.labels)
        self._pars[self._count :] = flow.drive.extra(float(flow.times[0]))
        self._at = float(flow.times[0]), flow.x0.tolist()

    def __enter__(self) -> Stepper:
        return self

    def __exit__(self, error: object, *_more: object) -> None:
        # An integrator that an exception or an interrupt has left half way is dropped.
        if error is None:
            self._give()

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on, which is where the flow is."""
        drive = self._flow.drive
        drive.command(t, u)
        self._pars[self._count :] = u if self._whole else drive.extra(t)

    def advance(self, t: float) -> list[float]:
        """State at a later time; `EndedError` if the run does not reach it."""
        outcome, _, _, steps, *_ = self._propagate(t, max_steps=_MOST)
        x = self._state.tolist()
        if outcome != self._reached or steps > _MANY or not isfinite(sum(x)):
            x = self._looked_at(outcome, steps, t)
        self._at = t, x
        return x

    def _looked_at(self, outcome: object, steps: int, t: float) -> list[float]:
        """The state, where a piece that was no ordinary one is good after all."""
        compiled, flow = self._compiled, self._flow
        system: Any = flow.system
        ta, log = compiled.integrator, flow.log
        while True:
            x = ta.state.copy()
            if outcome == compiled.not_finite or not np.isfinite(x).all():
                raise EndedError(Ending(self._at[0], "the state is no longer finite", np.array(self._at[1])))
            if steps > _MANY and breaks_down(system, ta.time, x, flow.params):
                raise EndedError(Ending(ta.time, "the equations break down", x))
            if outcome == self._reached:
                return x.tolist()
            if outcome == compiled.step_limit:
                raise EndedError(Ending(ta.time, "the step size collapsed", x))
            # What is left is the number of a terminal event; it is negative where the event stops the run.
            if not log.at_start(ta.time):
                code = int(outcome)  # type: ignore[call-overload]
                index = compiled.terminal[code if code >= 0 else -1 - code]
                log.add(index, float(ta.time), x)
                log.stopped = index
                raise EndedError(Ending(ta.time))
            outcome, _, _, steps, *_ = self._propagate(t, max_steps=_MOST)
