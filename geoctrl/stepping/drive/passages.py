"""Passages of a run through the surfaces of its events, and on which side of each surface it is.

An engine may lose a zero: the isolation of roots of a long step sees nothing nearer to its beginning than
about 1e-10 of the step, and where a step begins on a surface it takes the zero there for the next one. So the
sign of each event's function is compared, wherever a stretch of the run ends, with the passages found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from geoctrl.runs import EventRecord, Events
from geoctrl.stepping.drive.events import LocatedEvent

__all__ = ["RELATIVE_ROUNDING", "Passages", "Surfaces", "early_times", "stop_words"]

RELATIVE_ROUNDING = 64 * np.finfo(float).eps
"""Relative rounding of a state or a time: a value below what that changes has no sign."""

_AGAIN = 16.0
"""Times that rounding within which a passage without a zero counts as found: windows grow fourfold."""

_EARLY = 50
"""Windows that grow fourfold up to a whole run: the first is 1e-30 of it."""


class Surfaces(NamedTuple):
    """Functions of the events at a state, k of each."""

    values: Sequence[float]
    rounding: Sequence[float]
    """What relative rounding of state, time and inputs changes in each."""
    rates: Sequence[float]
    """Rates along the motion; nan where inputs that change enter."""

    def limits(self, resolution: float) -> list[float]:
        """Values up to which there is no sign, be it for the rounding of the time."""
        moved = (abs(rate) * resolution for rate in self.rates)
        return [far if far > near else near for near, far in zip(self.rounding, moved, strict=True)]


class Mark(NamedTuple):
    """What is known at a point of the run, to go back to."""

    found: int
    sides: tuple[int, ...]
    leaving: dict[int, int]
    last: dict[int, float]
    grazed: dict[int, float]


class Passages:
    """Passages in the order in which an engine finds them.

    Parameters
    ----------
    start : float
        Initial time; a zero there does not count.
    look : callable
        ``look(t, x) -> Surfaces``.
    values : callable
        ``values(t, x)``, those of the functions alone, which cost a tenth.

    Attributes
    ----------
    entries : list of (index, time, state)
    stopped : int or None
        Index of the terminal event that ended the run, at `end`.
    grazed : dict of index -> time
        Events of which it cannot be told whether the run passed their surface.
    doubtful : bool
        Whether a surface was passed twice in one direction, so that a passage between them was lost.
    """

    def __init__(
        self,
        start: float,
        events: Sequence[LocatedEvent],
        look: Callable[[float, np.ndarray], Surfaces],
        values: Callable[[float, np.ndarray | list[float]], Sequence[float]],
    ) -> None:
        self.start, self._events, self._look, self._values = start, events, look, values
        self.entries: list[tuple[int, float, np.ndarray]] = []
        self.stopped: int | None = None
        self.end: tuple[float, np.ndarray] | None = None
        self.grazed: dict[int, float] = {}
        self.doubtful = False
        self._of_inputs = [i for i, event in enumerate(events) if event.of_inputs]
        self._sides = [0] * len(events)
        self._last: dict[int, float] = {}
        self._leaving: dict[int, int] = {}
        self._mark: Mark | None = None

    # -- where the run is ---------------------------------------------------------------------------

    def side(self, index: int) -> int:
        """Sign of an event's function by what is known, 0 where nothing is."""
        return 0 if index in self._leaving else self._sides[index]

    def leaves(self, index: int) -> bool:
        """Whether the run began on the surface and has not left it yet."""
        return index in self._leaving

    @property
    def unwatched_count(self) -> int:
        """How many events the run began on the surface of, and has not left it yet."""
        return len(self._leaving)

    def begin(self, t: float, x: np.ndarray) -> None:
        """Take up the sides at the initial state."""
        self._mark = None
        at = self._look(t, x)
        for i, (value, rounding, rate) in enumerate(zip(*at, strict=True)):
            if abs(value) > rounding:
                self._sides[i] = _sign(value)
            else:
                # At rest on the surface the sign that the motion takes by itself decides.
                self._leaving[i] = _sign(rate)

    def again(self, t: float, x: np.ndarray | list[float]) -> None:
        """Take up the sides of events in inputs, where these may jump."""
        held = [i for i in self._of_inputs if i not in self._leaving]
        if held:
            self._mark = None
            at = self._look(t, np.asarray(x))
            for i in held:
                self._sides[i] = _sign(at.values[i]) if abs(at.values[i]) > at.rounding[i] else 0

    def settle(self, t: float, x: np.ndarray) -> list[int]:
        """Take up the sides at the end of a stretch; the events of which a passage was not found."""
        if not self._leaving and self._agree(self._values(t, x)):
            return []
        self._mark = None
        at, lost = self._look(t, x), []
        for i, (value, limit) in enumerate(zip(at.values, at.limits(self._resolution(t)), strict=True)):
            if i == self.stopped or not abs(value) > limit:
                continue
            side = _sign(value)
            if i in self._leaving:
                if self._leaving.pop(i) == -side:
                    self.grazed[i] = t
                self._sides[i] = side
            elif self._sides[i] == -side:
                lost.append(i)
            else:
                self._sides[i] = side
        return lost

    def quiet(self, t: float, x: np.ndarray | list[float]) -> bool:
        """Whether nothing speaks against what is known at the end of a stretch: all functions have the signs
        that are known, as nearly always, and rounding matters not then.
        """
        if self._leaving or self.doubtful or self.grazed or self.stopped is not None:
            return False
        return self._agree(self._values(t, x))

    def _agree(self, values: Sequence[float]) -> bool:
        """Whether values have the signs that are known."""
        return all(value * side > 0 for value, side in zip(values, self._sides, strict=True))

    def give_up(self, lost: Sequence[int], t: float, x: np.ndarray) -> None:
        """Passages that no step shows: counted here if they are nearer than rounding tells, else grazed."""
        self._mark = None
        at = self._look(t, x)
        limits = at.limits(self._resolution(t))
        for i in lost:
            side = _sign(at.values[i])
            if not abs(at.values[i]) <= _AGAIN * limits[i]:
                self.grazed[i], self._sides[i] = t, side
            elif self.meets(i, t, side):
                self.add(i, t, x)

    # -- what an engine finds -------------------------------------------------------------------------

    def meets(self, index: int, t: float, slope: int) -> bool:
        """Whether a zero with a sign of the rate there counts; it is none at the start, or found twice."""
        self._mark = None
        if index in self._leaving or abs(t - self.start) <= self._resolution(self.start):
            return False
        if slope and slope == self._sides[index]:
            last = self._last.get(index)
            if last is not None and abs(t - last) <= self._resolution(t):
                return False
            self.doubtful = True
        self._last[index] = t
        self._sides[index] = slope or self._sides[index]
        return self._events[index].direction in (0, slope)

    def add(self, index: int, t: float, x: np.ndarray) -> None:
        """Record a passage that counts; a terminal one ends the run."""
        self._mark = None
        self.entries.append((index, t, x))
        if self._events[index].terminal:
            self.stopped, self.end = index, (t, x)

    def conclude(self, t: float, x: np.ndarray) -> None:
        """At the end of a run: passages at its time, which engines drop, and surfaces never left."""
        self._mark = None
        at = self._look(t, x)
        for i, (value, limit) in enumerate(zip(at.values, at.limits(self._resolution(t)), strict=True)):
            if i in self._leaving:
                self.grazed.setdefault(i, self.start)
            elif i != self.stopped and abs(value) <= limit:
                slope = _sign(at.rates[i])
                if slope and self._sides[i] == -slope and self.meets(i, t, slope):
                    self.entries.append((i, t, x))

    @property
    def stuck(self) -> int | None:
        """A terminal event that grazes: whether the run may go on is not known."""
        return next((i for i in self.grazed if self._events[i].terminal), None)

    @property
    def is_over(self) -> bool:
        """Whether the run ends here."""
        return self.stopped is not None or self.stuck is not None

    def ending_words(self) -> tuple[str, bool]:
        """What to say of a run that did not fail, by its events; whether it did what was asked."""
        words = "completed"
        if self.stopped is not None and self.end is not None:
            event = self._events[self.stopped]
            words = stop_words(event, self.end[0])
            if event.edge is not None:
                return words, False
        grazing = [
            f"grazes {self._events[i].name!r} at t = {t:.12g}: doubles do not resolve whether it passes"
            for i, t in self.grazed.items()
        ]
        stuck = self.stuck is not None and self.stopped is None
        return "; ".join([*([] if stuck else [words]), *grazing]), not stuck

    def _resolution(self, t: float) -> float:
        """Rounding of a time."""
        return RELATIVE_ROUNDING * max(abs(t), abs(self.start))

    # -- stretches that are run again -------------------------------------------------------------------

    def mark(self) -> Mark:
        """What is known now; the one before where nothing has changed since, as mostly."""
        self.doubtful = False
        if self._mark is None:
            leaving, last = dict(self._leaving), dict(self._last)
            self._mark = Mark(len(self.entries), tuple(self._sides), leaving, last, dict(self.grazed))
        return self._mark

    def back_to(self, mark: Mark) -> None:
        """Forget what was found since a mark."""
        self._mark = None
        del self.entries[mark.found :]
        self._sides, self._leaving, self._last = list(mark.sides), dict(mark.leaving), dict(mark.last)
        self.grazed = dict(mark.grazed)
        self.stopped, self.end, self.doubtful = None, None, False

    def rewind(self, t: float, x: np.ndarray) -> None:
        """Go back to a state of the run, to find again what comes after it."""
        if not self._events:
            return
        self.forget_after(t)
        self.stopped, self.end, self.doubtful = None, None, False
        self._last = {i: s for i, s in self._last.items() if s <= t}
        at = self._look(t, x)
        for i, (value, rounding) in enumerate(zip(at.values, at.rounding, strict=True)):
            self._sides[i] = _sign(value) if abs(value) > rounding else 0

    def forget_after(self, t: float) -> None:
        """Drop what was found later: the run counts up to `t`."""
        self._mark = None
        self.entries = [entry for entry in self.entries if entry[1] <= t]

    def records(self, n: int) -> Events:
        """One record for each event that was asked for, empty where it did not happen."""
        found = Events()
        for i, name in ((i, event.name) for i, event in enumerate(self._events) if event.edge is None):
            mine = sorted(((t, x) for index, t, x in self.entries if index == i), key=lambda entry: entry[0])
            time = np.array([t for t, _ in mine])
            states = np.array([x for _, x in mine]).T if mine else np.zeros((n, 0))
            found[name] = EventRecord(time, states)
        return found


def stop_words(event: LocatedEvent, t: float | None = None) -> str:
    """What to say of a run that an event has ended, with the time or without."""
    at = "" if t is None else f" at t = {t:.12g}"
    if event.edge is None:
        return f"stopped by the event {event.name!r}{at}"
    left = f"left the domain {event.name!r}, {event.edge.words}{',' * bool(at)}{at}"
    return f"{left}: the model does not hold beyond; domain=False goes on"


def early_times(t: float, end: float, first: float = 0.0) -> np.ndarray:
    """Times from t to the end whose distances from t grow fourfold, as far as doubles tell them from t; and
    from ``first`` after it on.
    """
    times = t + (end - t) * 0.25 ** np.arange(_EARLY, 0, -1)
    return np.unique(times[times - t > max(RELATIVE_ROUNDING * abs(t), first)])


def _sign(value: float) -> int:
    return int(value > 0) - int(value < 0)
