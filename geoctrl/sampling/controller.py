"""A law that is evaluated at times of its own and held in between."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import (
    file_path,
    finite_array,
    made_folder,
    named_parameters,
    nearest,
    quantity,
    sampling_rate,
    user_level,
)
from geoctrl._printing.markup import fact_card
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl._scalars.text.c_text import identifier, write_pair
from geoctrl.errors import InputError, LabelError, LawWarning
from geoctrl.sampling.controller_in_c import controller_files
from geoctrl.sampling.feedback import Feedback
from geoctrl.systems.contract.torque_speed import TorqueSpeed, worked_rate

__all__ = ["MOST_LATE", "Controls", "SampledController", "holds_of_delay", "warn_of_slow"]

MOST_LATE = 10_000
"""Holds that a delay may last: each is a command that waits."""

_FAST = 1e-12
"""Part of a hold below which an actuator's lag is refused: its mode is lost in the rounding of the others."""

_WHOLE = 1e-9
"""Part of a hold below which a delay is one of whole holds."""


_SLOW = 20 * math.pi
"""Hold by the time of the fastest mode from which on a rate is taken to be a period: ten turns of it."""


def warn_of_slow(rate: float, fastest: float) -> None:
    """A `LawWarning` where a hold lasts many times as long as the fastest mode (1/s)."""
    if fastest > _SLOW * rate:
        warnings.warn(
            LawWarning(
                f"rate={rate:g} is in Hz: a hold of {1 / rate:g} s, beside a mode of {fastest:.3g} 1/s. If "
                f"{rate:g} is the period in s, give rate={1 / rate:g}"
            ),
            stacklevel=user_level(),
        )


def holds_of_delay(delay: float, rate: float) -> tuple[int, float]:
    """A delay (s) in holds of a rate (Hz): a whole number and a part of one."""
    late = delay * rate
    whole = int(late + _WHOLE)
    part = late - whole
    return whole, part if part > _WHOLE else 0.0


class Controls(ABC):
    """What can be run as a controller: every law."""

    pace: float = 0.0
    """Largest rate of the loop and its plant (1/s), zero where it is not known."""

    @property
    def file_limits(self) -> Mapping[str, tuple[float, float]]:
        """Limits of the law's inputs, of the model file that its plant is read from; empty without one."""
        return {}

    @property
    def units(self) -> Mapping[str, str]:
        """Units by label of what the law measures and sets, as far as its plant tells them."""
        return {}

    @abstractmethod
    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law with numbers, in the states of its plant and states of its own.

        Parameters
        ----------
        params : dict, optional
            Of the law's model and of the gains, by name.

        Raises
        ------
        ParameterError
            For an unknown parameter, or one without a value.
        """

    def held_feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law as `sampled` runs it: `feedback`, or with what a computer keeps from sample to sample."""
        return self.feedback(params)

    @property
    def computed(self) -> Mapping[str, sp.Expr]:
        """The law by input label as doubles compute it, where that is not what `feedback` says exactly."""
        return {}

    def sampled(
        self,
        rate: float = 100.0,
        delay: float = 0.0,
        limits: Mapping[str, Any] | None = None,
        noise: Mapping[str, float] | None = None,
        rng: np.random.Generator | None = None,
        params: Mapping[str, float] | None = None,
        *,
        rate_limits: Mapping[str, float] | None = None,
        quantisation: Mapping[str, float] | None = None,
        lag: float = 0.0,
        start: Mapping[str, float] | None = None,
        offset: Mapping[str, float] | None = None,
    ) -> SampledController:
        r"""The law as a computer runs it, with a zero-order hold.

        At :math:`t_k = t_0 + k h`, in this order: the measured signals with offset and noise, rounded to
        their quantisation; the law; its torque rounded, clipped to what the rate allows from the torque
        before, and to the limits; the controller's states by :math:`z_{k+1} = z_k + h\,g(y_k, z_k, u_k)`. The
        torque acts from :math:`t_k` + delay on, by an actuator that may lag.

        Parameters
        ----------
        rate : float
            1/h (Hz).
        delay : float
            From measurement to torque (s).
        limits : dict of input label -> number, (low, high) or TorqueSpeed, optional
            A number stands for both signs. A torque-speed line bounds by the speed that is measured at the
            sample; the torque is held while the speed goes on. By default those of the model file that the
            plant is read from; ``{}`` is none.
        noise : dict of signal label -> float, optional
            Standard deviations, one normal number a sample.
        rng : numpy.random.Generator, optional
            Of the noise; every run draws from it, one block before it begins.
        params : dict, optional
            Of the law's model and the gains; the plant has its own.
        rate_limits : dict of input label -> float, optional
            Largest change in a second.
        quantisation : dict of state or input label -> float, optional
            Steps to which the measurement, or the torque, is rounded.
        lag : float
            Time constant of the actuator (s).
        start : dict of input label -> float, optional
            Torque before the first sample acts, that at rest by default.
        offset : dict of signal label -> float, optional
            Constant errors of what is measured.

        Returns
        -------
        SampledController

        Raises
        ------
        InputError
            If the rate is not positive, delay or lag are negative, the delay is longer than 10000 holds, a
            limit is empty or does not hold the torque at the start, noise has no generator or a generator no
            noise, or a number is out of range; True and False are no numbers here.
        LabelError
            For a label that the law neither measures nor sets.
        ParameterError
            As `feedback`.

        Warns
        -----
        LawWarning
            Of a linear law, if a hold lasts ten turns of the fastest mode: rates are in Hz.

        Examples
        --------
        >>> import geoctrl as gc
        >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6)
        >>> law.with_damping(k=8).sampled(rate=100, delay=4e-3, limits={"u_theta": 8})
        <SampledController of u_theta: 100 Hz, delay 0.004 s>
          limits u_theta in [-8, 8] N m
        """
        warn_of_slow(sampling_rate(rate), self.pace)
        return SampledController(
            self.held_feedback(params),
            rate,
            delay,
            self.file_limits if limits is None else with_rates(limits, getattr(self, "mechanism", None)),
            noise,
            rng,
            rate_limits,
            quantisation,
            lag,
            start,
            offset,
            self.units,
        )


@dataclass(frozen=True, eq=False, repr=False)
class SampledController:
    """A law with a zero-order hold; made by ``law.sampled``, where the order of operations is.

    Attributes
    ----------
    feedback : Feedback
    rate, delay, lag : float
    limits : dict of input label -> (low, high) or TorqueSpeed
    noise, rate_limits, quantisation, start, offset : dict of label -> float
    rng : Generator or None
    units : dict of label -> str
        Of measured signals and inputs, where they are known: what is printed behind their numbers.

    Raises
    ------
    InputError, LabelError
        As ``law.sampled``.
    TypeError
        If ``feedback`` is none.
    """

    feedback: Feedback
    rate: float = 100.0
    delay: float = 0.0
    limits: Any = field(default=None)
    noise: Any = None
    rng: np.random.Generator | None = None
    rate_limits: Any = None
    quantisation: Any = None
    lag: float = 0.0
    start: Any = None
    offset: Any = None
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.feedback, Feedback):
            raise TypeError(
                f"a sampled controller is made by law.sampled(...), not of {shown(self.feedback)}"
            )
        law = self.feedback
        if speeds := _speeds(self.limits):
            law = replace(law, beside=tuple(sorted({*law.beside, *speeds})))
            object.__setattr__(self, "feedback", law)
        rate = sampling_rate(self.rate)
        delay, lag = (quantity(k, getattr(self, k)) for k in ("delay", "lag"))
        for name, value in (("delay", delay), ("lag", lag)):
            if not value >= 0:
                raise InputError(f"{name} must not be negative, in seconds, got {shown(value)}")
        if delay * rate > MOST_LATE:
            raise InputError(
                f"a delay of {delay:g} s is {delay * rate:.6g} holds of {1 / rate:g} s, and at most "
                f"{MOST_LATE} commands may wait: delay is in seconds; lower it, or the rate"
            )
        if 0 < lag < _FAST / rate:
            raise InputError(
                f"a lag of {lag:g} s is nothing beside a hold of {1 / rate:g} s; leave it out for an "
                "actuator that follows at once"
            )
        limits = _by_label("limits", self.limits, law.inputs, "input that the law sets", _interval)
        noise = _by_label("noise", self.noise, law.signals, "state that the law measures", _size)
        offset = _by_label("offset", self.offset, law.signals, "state that the law measures", _number)
        rates = _by_label("rate_limits", self.rate_limits, law.inputs, "input that the law sets", _size)
        known = (*law.signals, *law.inputs)
        steps = _by_label("quantisation", self.quantisation, known, "signal of the law", _size)
        rest = {label: law.rest.get(label, 0.0) for label in law.inputs}
        start = rest | _by_label("start", self.start, law.inputs, "input that the law sets", _number)
        for label, (low, high) in self._intervals(limits):
            if not low <= start[label] <= high:
                raise InputError(
                    f"limits {label!r} = [{low:g}, {high:g}] cannot hold the torque at the start, "
                    f"{start[label]:g}; widen them, or give another start={{{label!r}: ...}}"
                )
        if noise and not isinstance(self.rng, np.random.Generator):
            raise InputError("noise needs its generator, rng=numpy.random.default_rng(seed)")
        if self.rng is not None and not noise:
            raise InputError(
                f"rng={shown(self.rng)} was given without noise, which alone draws from it: give "
                "noise={label: standard deviation}, or leave rng out"
            )
        read: dict[str, Any] = {"rate": rate, "delay": delay, "lag": lag, "limits": limits, "noise": noise}
        read |= {"rate_limits": rates, "quantisation": steps, "start": start, "offset": offset}
        for name, value in read.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def _intervals(limits: Mapping[str, Any]) -> Iterator[tuple[str, tuple[float, float]]]:
        """Bounds of inputs by label, those of lines at rest."""
        for label, bound in limits.items():
            yield label, bound.interval(0.0) if isinstance(bound, TorqueSpeed) else bound

    @property
    def hold(self) -> float:
        """h = 1/rate (s)."""
        return 1 / self.rate

    @property
    def holds_late(self) -> tuple[int, float]:
        """The delay in holds: a whole number d and a part f < 1."""
        return holds_of_delay(self.delay, self.rate)

    def to_c(self, folder: Any, name: str | None = None) -> tuple[Path, Path]:
        """Write what a computer does at a sample as C99: ``NAME.h`` and ``NAME.c``, which allocate nothing.

        - ``NAME_state`` holds the controller's states and the inputs set last; ``NAME_init(&s)`` before the
          first sample.
        - ``int NAME_step(&s, y, u)``, every 1/rate seconds, takes what is measured, in the order of the
          header, to the inputs: the law, what `rate_limits` allow, the `limits`, then the states of the
          controller. Where a signal or the law is nan or infinite the inputs are zero, the state stays and
          the value is 1.

        The doubles are those of a run with this controller, bit by bit but for sin, cos and the like, as long
        as the compiler neither contracts nor reorders (gcc: ``-std=c99``). Noise, offset, quantisation, delay
        and lag are those of sensors and actuators, and left out.

        Parameters
        ----------
        folder : path
            Made where it is not there; files of these names are replaced.
        name : str, optional
            A C identifier, "controller" by default.

        Returns
        -------
        (Path, Path)
            The header and the source.

        Raises
        ------
        InputError
            For a folder that cannot be made, or a name that is no identifier.
        ExpressionError
            If C has no such function.
        TypeError
            If ``folder`` is no path.
        """
        chosen, law = identifier(name, "controller"), self.feedback
        states = [label for label in law.signals if label not in law.sensor_labels]
        signals, target = law.measured_labels(states), file_path(folder)
        texts = controller_files(chosen, law, signals, self.hold, self.start, self.rate_limits, self.limits)
        return write_pair(made_folder(target), chosen, texts)

    def require_plant(self, states: Sequence[str], inputs: Sequence[str]) -> None:
        """Refuse a plant without the states that are measured or the inputs that are set.

        Raises
        ------
        LabelError
        """
        self.feedback.measured_labels(states)
        for label in self.feedback.inputs:
            if label not in inputs:
                raise LabelError(
                    f"the law sets {label!r}, which is no input of this plant{nearest(label, inputs)}; take "
                    "the mechanism's own system, mech.reduce(), and not a closed loop"
                )

    def _lines(self) -> list[str]:
        late = {"delay": self.delay, "lag": self.lag}
        clock = [f"{self.rate:g} Hz", *(f"{name} {value:g} s" for name, value in late.items() if value)]
        parts = [f"limits {k} {_bound_words(bound, self._unit(k))}" for k, bound in self.limits.items()]
        parts += [f"rate limits {k}: {v:g}{self._unit(k, '/s')}" for k, v in self.rate_limits.items()]
        for name in ("noise", "offset", "quantisation"):
            parts += [f"{name} {k}: {v:g}{self._unit(k)}" for k, v in getattr(self, name).items()]
        title = f"<SampledController of {', '.join(self.feedback.inputs)}: {', '.join(clock)}>"
        return [title, *(f"  {part}" for part in parts)]

    def _unit(self, label: str, further: str = "") -> str:
        """The unit of a signal behind a number of it, nothing where it is not known."""
        return f" {self.units[label]}{further}" if label in self.units else ""

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        return fact_card(self._lines())


def _by_label(option: str, given: Any, known: Sequence[str], what: str, read: Any) -> dict[str, Any]:
    """Values by label, each read by ``read(value, words)``."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{option} must be a dict by label, got {shown(given)}")
    found = {}
    for label, value in named_parameters(given).items():
        if label not in known:
            raise LabelError(f"{option}: {label!r} is no {what}{nearest(label, known)}")
        found[label] = read(value, f"{option} {label!r}")
    return found


def _number(value: Any, what: str) -> float:
    return quantity(what, finite_array(what, value, ()) if np.ndim(value) else value)


def _size(value: Any, what: str) -> float:
    number = _number(value, what)
    if not number > 0:
        raise InputError(f"{what} must be positive, got {shown(value)}; leave it out for none")
    return number


def _bound_words(bound: Any, unit: str) -> str:
    """A bound in words, with the unit of what is bounded."""
    if isinstance(bound, TorqueSpeed):
        return f"+ {bound.slope:g} {bound.rate} in [{-bound.stall:g}, {bound.stall:g}]{unit}"
    return f"in [{bound[0]:g}, {bound[1]:g}]{unit}"


def _speeds(limits: Any) -> list[str]:
    """States that torque-speed lines ask for."""
    given = limits.values() if isinstance(limits, Mapping) else ()
    lines = [bound for bound in given if isinstance(bound, TorqueSpeed)]
    if any(line.rate is None for line in lines):
        raise InputError("which speed does the torque-speed line fall with? Give gc.TorqueSpeed(..., rate=)")
    return [line.rate for line in lines if line.rate is not None]


def with_rates(limits: Any, mechanism: Any) -> Any:
    """Limits with the states that torque-speed lines fall with, as the plant of a law tells them."""
    if mechanism is None or not isinstance(limits, Mapping):
        return limits
    found = dict(limits)
    for label, bound in limits.items():
        if isinstance(bound, TorqueSpeed) and bound.rate is None:
            rate = worked_rate(mechanism, label)
            if not rate.is_Symbol:
                raise InputError(
                    f"the torque-speed line of {label!r} falls with {rate}, which is no state: a controller "
                    "measures states; give gc.TorqueSpeed(..., rate=) one of them"
                )
            found[label] = replace(bound, rate=rate.name)
    return found


def _interval(value: Any, what: str) -> Any:
    if isinstance(value, TorqueSpeed):
        return value
    if np.ndim(value) == 0:
        size = _size(value, what)
        return -size, size
    bounds = finite_array(what, value)
    if bounds.shape != (2,) or not bounds[0] < bounds[1]:
        raise InputError(
            f"{what} must be a positive number, or (low, high) with low < high, got {shown(value)}"
        )
    return float(bounds[0]), float(bounds[1])
