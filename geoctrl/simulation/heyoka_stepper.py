"""Taylor integration from one command to the next, on the integrators of `heyoka_compiled`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from geoctrl.simulation.heyoka_compiled import Taken
from geoctrl.simulation.recorded_flow import RecordedFlow
from geoctrl.stepping.drive.engine import EndedError, Ending
from geoctrl.stepping.drive.run_sizes import SMALL
from geoctrl.systems.states.singularity import breaks_down

__all__ = ["HeyokaStepper"]

_MOST = 1000
"""Steps up to one time at most; without a bound a run that blows up does not come back."""

_MANY = 100
"""Steps up to one time that make one look whether the equations break down there."""


class HeyokaStepper:
    """A flow from time to time, under commands that come in between; used as a context."""

    def __init__(self, recorded: RecordedFlow) -> None:
        self._flow = flow = recorded.flow
        flow.begin()
        self._taken = Taken(recorded)
        self._use()
        self._reached, self._tell = self._compiled.time_limit, flow.drive.command
        extra = flow.drive.extra(float(flow.times[0]))
        # Without a lag the further numbers of the equations are the commands.
        self._whole = len(extra) == len(flow.drive.labels)
        self._one = self._whole and len(extra) == 1
        self._held[:] = extra
        self._at = float(flow.times[0]), flow.x0.tolist()
        self._early = flow.opening.tolist()

    def _use(self) -> None:
        """Take up the integrator there is now."""
        self._compiled = compiled = self._taken.compiled
        ta = compiled.integrator
        self._ta, self._step, self._propagate, self._held = ta, ta.step, ta.propagate_until, compiled.held
        state = ta.state
        self._read = state.tolist if compiled.measured is None else lambda: ta.state.tolist()
        self._plain = compiled.measured is None
        self._unwatched = self._flow.log.unwatched_count

    def __enter__(self) -> HeyokaStepper:
        return self

    def __exit__(self, error: object, *_more: object) -> None:
        # An integrator that an exception or an interrupt has left half way is dropped.
        if error is None:
            self._taken.give()

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on, which is where the flow is."""
        self._tell(t, u)
        if self._one:
            self._held[0] = u[0]
        else:
            self._held[:] = u if self._whole else self._flow.drive.extra(t)

    def advance(self, t: float) -> list[float]:
        """State at a later time; `EndedError` if the run does not reach it."""
        if not self._flow.events:
            return self._reach(t)
        while self._early and self._early[0] < t:
            self._advance_once(self._early.pop(0))
        return self._advance_once(t)

    def _advance_once(self, t: float) -> list[float]:
        """State at a later time, the passages on the way compared with the sides of the surfaces."""
        log, (before, start) = self._flow.log, self._at
        if log.unwatched_count != self._unwatched:
            self._taken.exchange()
            self._use()
        mark = log.mark()
        log.again(before, start)
        x = self._reach(t)
        if not log.quiet(t, x):
            self._taken.look_again(before, np.array(start), mark)
            if log.is_over:
                raise EndedError(Ending(self._ta.time))
        return x

    def _reach(self, t: float) -> list[float]:
        """State at a later time."""
        self._taken.left -= 1
        if self._taken.left < 0:
            self._taken.optimise()
            self._use()
        measured = self._compiled.measured
        if measured is not None and measured.sizes.outgrown(np.array(self._at[1])):
            self._taken.resize(self._at[0], np.array(self._at[1]))
            self._use()
        # One step is enough for most holds, and costs less than to ask for a time: it is the same step, as
        # what is left is rounded as the integrator rounds it, which counts the time in two doubles.
        high, low = self._ta.dtime
        left = t - high
        if high <= t <= 2 * high:  # the difference is exact
            left -= low
        else:
            back = left - t
            left += ((t - (left - back)) - (high + back)) - low
        outcome, _ = self._step(left)
        x = self._read()
        if outcome != self._reached or not isfinite(sum(x)):
            x = self._further(outcome, t)
        elif self._plain and -SMALL < x[0] < SMALL and 0 < max(map(abs, x)) < SMALL:
            x = self._small(t, x)
        self._at = t, x
        return x

    def _small(self, t: float, x: list[float]) -> list[float]:
        """The state, once more in sizes of its own where it is small."""
        if self._flow.sizes_at(t, np.array(x), SMALL) is None:
            return x
        self._taken.resize(self._at[0], np.array(self._at[1]))
        self._use()
        return self._reach(t)

    def _further(self, outcome: object, t: float) -> list[float]:
        """The state at t, where the first step did not simply end there."""
        steps = 1
        if outcome == self._compiled.success or int(outcome) >= 0:  # type: ignore[call-overload]
            outcome, _, _, more, *_ = self._propagate(t, max_steps=_MOST - 1)
            steps += more
        x = self._read()
        if outcome == self._reached and steps <= _MANY and isfinite(sum(x)):
            return x
        return self._looked_at(outcome, steps)

    def _looked_at(self, outcome: object, steps: int) -> list[float]:
        """The state, where a piece that was no ordinary one is good after all."""
        compiled, flow = self._compiled, self._flow
        system: Any = flow.system
        ta = compiled.integrator
        x = ta.state.copy()
        if outcome == compiled.not_finite or not np.isfinite(x).all():
            raise EndedError(Ending(self._at[0], "the state is no longer finite", np.array(self._at[1])))
        if steps > _MANY and breaks_down(system, ta.time, x, flow.params):
            raise EndedError(Ending(ta.time, "the equations break down", x))
        if outcome == self._reached:
            return x.tolist()
        if outcome == compiled.step_limit:
            raise EndedError(Ending(ta.time, "the step size collapsed", x))
        # What is left is a terminal event that stops the run.
        raise EndedError(Ending(ta.time))
