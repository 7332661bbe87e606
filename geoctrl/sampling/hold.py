"""One run of a sampled controller: what it decides from sample to sample."""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from operator import itemgetter

import numpy as np

from geoctrl._scalars import Program
from geoctrl.runs import SampleRecord
from geoctrl.sampling.controller import SampledController
from geoctrl.systems.contract.torque_speed import TorqueSpeed

__all__ = ["HeldCourse", "Hold"]


def picker(places: list[int]) -> Callable[[list[float]], Sequence[float]]:
    """What takes the entries at these places out of a list."""
    if len(places) < 2:  # itemgetter gives one entry without a sequence around it
        return lambda x: [x[i] for i in places]
    return itemgetter(*places)


def _step(program: Program) -> Callable[[list[float]], list[float]]:
    """A program of one list of numbers."""
    value, numbers = program.scalar, program.constants({})
    return lambda arguments: value(arguments, numbers)


class Hold:
    """A controller at work.

    Parameters
    ----------
    controller : SampledController
    states, inputs : sequence of str
        Labels of the plant.
    count : int
        Samples of the run at most.
    read : callable, optional
        Signals of the law's sensors at (t, x, u), u the inputs that act.

    Attributes
    ----------
    first : list of float (m,)
        Inputs of the plant before the first command.
    late : int
        Whole holds from a decision to its command.
    """

    def __init__(
        self,
        controller: SampledController,
        states: Sequence[str],
        inputs: Sequence[str],
        count: int,
        read: Callable[[float, list[float], Sequence[float]], Sequence[float]] | None = None,
    ) -> None:
        controller.require_plant(states, inputs)
        law = controller.feedback
        self._controller, self.hold, self._sensors = controller, controller.hold, law.sensor_labels
        self.late, self.part = controller.holds_late
        self._signals = law.measured_labels(states)
        self.measure_on(states, read)
        program = law.law(self._signals)
        self._law, self._numbers = program.scalar, program.constants({})
        self._step = _step(law.step(self._signals)) if law.own else None
        self._z = [law.begin.get(label, 0.0) for label in law.own]
        self._u = [controller.start[label] for label in law.inputs]
        # Drawn as one block before the run: no other option changes what is drawn.
        noisy = [label for label in self._signals if label in controller.noise]
        block = controller.rng.standard_normal((count, len(noisy))) if controller.rng and noisy else None
        self._noise = None
        if block is not None:
            self._noise = np.zeros((count, len(self._signals)))
            places = [self._signals.index(label) for label in noisy]
            self._noise[:, places] = block * [controller.noise[label] for label in noisy]
        offset = [controller.offset.get(label, 0.0) for label in self._signals]
        self._offset = offset if any(offset) else None
        self._seen_steps = self._steps(self._signals)
        self._sent_steps = self._steps(law.inputs)
        rates = [controller.rate_limits.get(label, math.inf) for label in law.inputs]
        self._change = [(i, r * self.hold) for i, r in enumerate(rates) if r < math.inf]
        self._bounds, self._lines = list[tuple[int, float, float]](), list[tuple[int, int, TorqueSpeed]]()
        for label, bound in controller.limits.items():
            if isinstance(bound, TorqueSpeed):
                self._lines.append((law.inputs.index(label), self._signals.index(bound.rate), bound))
            else:
                self._bounds.append((law.inputs.index(label), *bound))
        self._places = None if tuple(inputs) == law.inputs else [inputs.index(label) for label in law.inputs]
        self._width = len(inputs)
        self.first = self._spread(self._u)
        # Numbers one after the other: rows would be thousands of objects among which garbage is looked for.
        self._measured, self._wanted, self._applied, self._states = (array("d") for _ in range(4))
        self._limited, self._rate_limited = bytearray(), bytearray()
        self.decide: Callable[[list[float]], Sequence[float]] = self._plainly if self._plain else self._fully

    def measure_on(
        self,
        states: Sequence[str],
        read: Callable[[float, list[float], Sequence[float]], Sequence[float]] | None,
    ) -> None:
        """From now on measure a plant with these states, among which are all that the law measures."""
        self.read = read
        self._measure = picker([(*states, *self._sensors).index(label) for label in self._signals])

    @property
    def _plain(self) -> bool:
        """Whether a sample is the law and nothing else."""
        meets = (self._seen_steps, self._sent_steps, self._change, self._bounds, self._lines)
        return self._step is None and self._noise is None and self._offset is None and not any(meets)

    def _steps(self, labels: Sequence[str]) -> list[tuple[int, float]]:
        """Places and steps of what is rounded."""
        steps = self._controller.quantisation
        return [(i, steps[label]) for i, label in enumerate(labels) if label in steps]

    def _spread(self, u: Sequence[float]) -> Sequence[float]:
        """Inputs of the plant, zero where the law sets none."""
        if self._places is None:
            return u
        full = [0.0] * self._width
        for place, value in zip(self._places, u, strict=True):
            full[place] = value
        return full

    # -- a sample -------------------------------------------------------------------------------

    # A sample costs as much as a step of the integrator: both forms work on floats of Python, which for a
    # few signals are faster than arrays.

    def _plainly(self, x: list[float]) -> Sequence[float]:
        """`_fully` of a controller that has no state and meets nothing."""
        y = self._measure(x)
        u = self._law(y, self._numbers)
        self._measured.extend(y)
        self._applied.extend(u)
        return u if self._places is None else self._spread(u)

    def _fully(self, x: list[float]) -> Sequence[float]:
        """Inputs of the plant that a state and what sensors read lead to; the order is promised."""
        y = list(self._measure(x))
        if self._offset is not None:
            y = [v + e for v, e in zip(y, self._offset, strict=True)]
        if self._noise is not None:
            y = [v + e for v, e in zip(y, self._noise[len(self._limited)].tolist(), strict=True)]
        # To the nearest multiple of a step, halves to the even one.
        for i, q in self._seen_steps:
            y[i] = q * round(y[i] / q)
        z = self._z
        wanted = self._law([*y, *z] if z else y, self._numbers)
        u = list(wanted)
        for i, q in self._sent_steps:
            u[i] = q * round(u[i] / q)
        # Within bounds; nan stays nan, and is told as a law without a value.
        slow = short = False
        for i, r in self._change:
            v, w = u[i], self._u[i]
            if v < w - r:
                u[i], slow = w - r, True
            elif v > w + r:
                u[i], slow = w + r, True
        lines = [(i, *line.interval(y[k])) for i, k, line in self._lines]
        for i, low, high in [*self._bounds, *lines] if lines else self._bounds:
            v = u[i]
            if v < low:
                u[i], short = low, True
            elif v > high:
                u[i], short = high, True
        self._measured.extend(y)
        self._wanted.extend(wanted)
        self._applied.extend(u)
        self._states.extend(z)
        self._limited.append(short)
        self._rate_limited.append(slow)
        if self._step is not None:
            self._z = self._step([*y, *z, *u, self.hold])
        self._u = u
        return u if self._places is None else self._spread(u)

    # -- afterwards -----------------------------------------------------------------------------

    def record(self, t0: float) -> SampleRecord:
        """What was done so far, in a run that began at t0."""
        law, count = self._controller.feedback, len(self._applied) // len(self._controller.feedback.inputs)

        def table(numbers: array, width: int) -> np.ndarray:
            return np.array(numbers).reshape(count, width).T

        def flags(bits: bytearray) -> np.ndarray:
            return np.array(bits, dtype=bool) if bits else np.zeros(count, dtype=bool)

        return SampleRecord(
            time=t0 + self.hold * np.arange(count),
            signals=self._signals,
            inputs=law.inputs,
            own=law.own,
            measured=table(self._measured, len(self._signals)),
            wanted=table(self._applied if self._plain else self._wanted, len(law.inputs)),
            applied=table(self._applied, len(law.inputs)),
            states=table(self._states, len(law.own)),
            limited=flags(self._limited),
            rate_limited=flags(self._rate_limited),
        )


class HeldCourse:
    """How far a controller at work is: where one piece of a run ends, the next one goes on.

    Parameters
    ----------
    hold : Hold
    begun : float
        The time of its first sample.

    Attributes
    ----------
    number : int
        Holds that are over.
    decided : bool
        Whether the sample of this one was taken.
    waits : bool
        Whether the command for this one is still under way.
    sent : deque
        Commands under way.
    """

    def __init__(self, hold: Hold, begun: float) -> None:
        self.hold, self.begun = hold, begun
        self.number, self.decided, self.waits = 0, False, False
        self.sent = deque([hold.first] * hold.late)
