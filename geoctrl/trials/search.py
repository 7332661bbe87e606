"""The largest of each imperfection that a loop tolerates, by runs of the held loop."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from geoctrl._checks import entries, finite_array, nearest, require_choice, user_level
from geoctrl._scalars import shown
from geoctrl.errors import GeoctrlError, InputError, LabelError
from geoctrl.sampling import Controls, SampledController
from geoctrl.simulation import Trajectory, simulate
from geoctrl.stepping import Progress
from geoctrl.systems import EulerPoincare, Friction, Parameter, System, as_system
from geoctrl.systems.rotor_velocities import with_rotor_velocities
from geoctrl.systems.tilt import tilted
from geoctrl.trials.report import RobustnessReport, RobustnessRow

__all__ = ["robustness"]

_SCAN = 12
_HALVINGS = 14
_SEEDS = 5
"""Blocks of noise of each trial, the worst of which counts."""

_ALL_CORNERS = 6
_UPSIDE_DOWN = 3.1
"""Largest tilt that is tried, rad."""
_DRAWN = 64
"""Corners drawn where there are more parameters than these."""

_LAST = 0.1
"""Part of a run at its end over which it has to have come back."""
_NEAR = 0.1
"""Distance (rad, m) that always counts as back where nothing else is asked for."""
_RUBBING = "robustness_friction"
"""Parameter of the plant with friction."""


@dataclass(frozen=True, eq=False)
class _Case:
    """What all runs of a report share."""

    plant: System
    controller: SampledController
    x0: Any
    times: np.ndarray
    params: Mapping[str, float]
    stays: Mapping[str, tuple[float, float]]
    returns: Mapping[str, tuple[float, float]]
    uncertain: tuple[str, ...]
    rubbing: tuple[str, ...]
    seed: int
    peak: float
    """Largest torque of the run without imperfections."""

    def fault(
        self,
        controller: SampledController,
        params: Mapping[str, float] | None = None,
        plant: System | None = None,
        x0: Any = None,
    ) -> str:
        """The criterion that a run does not meet, "" where it meets all."""
        run = simulate(
            self.plant if plant is None else plant,
            self.times,
            self.x0 if x0 is None else x0,
            params={**self.params, **(params or {})},
            controller=controller,
            throw=False,
        )
        if not run.success:
            return run.status
        last = run.time >= self.times[-1] - _LAST * (self.times[-1] - self.times[0])
        for words, bounds, when in (
            ("leaves", self.stays, slice(None)),
            ("does not return to", self.returns, last),
        ):
            for label, (low, high) in bounds.items():
                values = run[label][when]
                if not (low <= values.min() and values.max() <= high):
                    return f"{label} {words} [{low:g}, {high:g}]"
        return ""


Trial = Callable[[float], str]
_Job = tuple[_Case, str, int]


def _limit(case: _Case, _row: int) -> tuple[Trial, float, float]:
    inputs = case.controller.feedback.inputs

    def trial(value: float) -> str:
        return case.fault(replace(case.controller, limits=dict.fromkeys(inputs, value)))

    return trial, 2 * case.peak, 1e-3 * case.peak


def _rate(case: _Case, _row: int) -> tuple[Trial, float, float]:
    inputs, fastest = case.controller.feedback.inputs, 2 * case.peak / case.controller.hold

    def trial(value: float) -> str:
        return case.fault(replace(case.controller, rate_limits=dict.fromkeys(inputs, value)))

    return trial, fastest, 1e-5 * fastest


def _hold(case: _Case, _row: int) -> tuple[Trial, float, float]:
    def trial(value: float) -> str:
        return case.fault(replace(case.controller, rate=1 / value))

    return trial, case.controller.hold, float(case.times[-1] - case.times[0]) / 4


def _delay(case: _Case, _row: int) -> tuple[Trial, float, float]:
    def trial(value: float) -> str:
        return case.fault(replace(case.controller, delay=value))

    return trial, case.controller.hold / 10, float(case.times[-1] - case.times[0]) / 4


def _noise(case: _Case, row: int) -> tuple[Trial, float, float]:
    signals = case.controller.feedback.signals

    def trial(value: float) -> str:
        for i in range(_SEEDS):
            rng = np.random.default_rng([case.seed, row, i])
            noisy = replace(case.controller, noise=dict.fromkeys(signals, value), rng=rng)
            if found := case.fault(noisy):
                return found
        return ""

    return trial, 1e-5, 10.0


def _corners(case: _Case, row: int) -> tuple[Trial, float, float]:
    names = case.uncertain
    if len(names) <= _ALL_CORNERS:
        corners = list(product((-1, 1), repeat=len(names)))
    else:
        rng = np.random.default_rng([case.seed, row])
        corners = [tuple(c) for c in rng.choice((-1, 1), size=(_DRAWN, len(names))).tolist()]

    def trial(value: float) -> str:
        for place, corner in enumerate(corners):
            changed = {
                name: case.params[name] * (1 + sign * value) for name, sign in zip(names, corner, strict=True)
            }
            if found := case.fault(case.controller, changed):
                corners.insert(0, corners.pop(place))  # the worst corner decides the next value too
                return found
        return ""

    return trial, 1e-3, 0.9


def _friction(case: _Case, _row: int) -> tuple[Trial, float, float]:
    return _rubbed(case, _described(case.plant), case.rubbing)


def _motor_friction(case: _Case, _row: int) -> tuple[Trial, float, float]:
    mechanism = _described(case.plant)
    return _rubbed(case, with_rotor_velocities(mechanism), _driven(mechanism))


def _rubbed(case: _Case, mechanism: EulerPoincare, velocities: Sequence[str]) -> tuple[Trial, float, float]:
    """Trials of the mechanism with viscous friction against some of its velocities."""
    labels = mechanism.algebra.labels
    coefficient = Parameter(_RUBBING, 0.0, "N m s or N s/m")
    rows = [[int(label == name) for label in labels] for name in velocities]
    rubbed = mechanism.replace(
        friction=[*mechanism.friction, Friction(rows, viscous=coefficient.symbol)],
        parameters=[*mechanism.parameters, coefficient],
        parameter_sets={},
    ).reduce()
    start = dict(zip(case.plant.state_labels, case.plant.start(case.x0, case.params), strict=True))
    x0 = np.array([start[label] for label in rubbed.state_labels])

    def trial(value: float) -> str:
        return case.fault(case.controller, {_RUBBING: value}, rubbed, x0)

    return trial, 1e-4, 1e2


def _driven(mechanism: EulerPoincare) -> tuple[str, ...]:
    """Velocities in whose rows inputs stand, rates of rotors among them."""
    inputs = set(mechanism.inputs)
    pushed = zip(mechanism.algebra.labels, mechanism.forces or (), strict=False)
    found = [label for label, force in pushed if force.free_symbols & inputs]
    return (*found, *(mechanism.rotors.rate_labels if mechanism.rotors else ()))


def _tilt(case: _Case, _row: int) -> tuple[Trial, float, float]:
    x0 = case.plant.start(case.x0, case.params)

    def trial(value: float) -> str:
        for beside in tilted(case.plant, x0, value, case.params):
            if found := case.fault(case.controller, x0=beside):
                return found
        return ""

    return trial, 1e-3, _UPSIDE_DOWN


def _described(plant: System) -> EulerPoincare:
    if not isinstance(getattr(plant, "mechanism", None), EulerPoincare):
        raise InputError(
            "friction is tried on systems of the general description, gc.EulerPoincare(...).reduce()"
        )
    return plant.mechanism  # type: ignore[attr-defined]


_CHECKS: dict[str, tuple[Callable, str]] = {
    "limit": (_limit, "units of the input"),
    "rate limit": (_rate, "units of the input a second"),
    "hold": (_hold, "s"),
    "delay": (_delay, "s"),
    "noise": (_noise, "standard deviation of every signal"),
    "corners": (_corners, "relative error of the plant's parameters"),
    "friction": (_friction, "viscous, of each velocity of the body"),
    "motor friction": (_motor_friction, "viscous, of each velocity that an input drives"),
    "tilt": (_tilt, "rad from the start, to both sides"),
}

_ALWAYS = tuple(name for name in _CHECKS if name not in ("friction", "motor friction", "tilt"))
"""Those that every plant has."""


def robustness(
    plant: System,
    law: Controls | SampledController,
    x0: Any,
    timepts: Any,
    checks: Sequence[str] = _ALWAYS,
    rng: int = 0,
    executor: Any = None,
    progress: bool | Callable[[float], object] = False,
    *,
    params: Mapping[str, float] | None = None,
    stays: Mapping[str, Any] | None = None,
    returns: Mapping[str, Any] | None = None,
    uncertain: Sequence[str] | None = None,
    rubbing: Sequence[str] | None = None,
) -> RobustnessReport:
    """Find what a sampled loop tolerates, one imperfection at a time.

    For each check values from the easy to the hard end are tried: twelve, by equal factors, up to the first
    with which a run is not good, and then fourteen halvings. A value counts as tolerated if the run reaches
    its end within the plant's domain and meets what is asked; good values need not be an interval.

    Where neither ``stays`` nor ``returns`` is given, advected components and coordinates have to be, over the
    last tenth, no further from where the run without imperfection ends than that run ever was, or 0.1.

    Parameters
    ----------
    plant : ReducedSystem
    law : law or SampledController
        A law is sampled at 100 Hz.
    x0, timepts, params
        As in `simulate`.
    checks : sequence of str
        Of "limit", "rate limit", "hold", "delay", "noise" (on every signal, five blocks each, the worst) and
        "corners" (the plant's parameters off by a factor 1 +- value: all corners up to six parameters, 64
        drawn ones beyond), these by default; "friction" (viscous, with one coefficient for the velocities of
        ``rubbing``), "motor friction" (the same for those that inputs drive), and "tilt" (the start moved
        along the leaf to either side, where the configuration has one direction to move in: with an
        equilibrium as x0 the largest lean from which it comes back).
    rng : int
        Seed of the report, from which every block of noise and every corner follows.
    executor : concurrent.futures.Executor, optional
        Runs the checks, in threads or processes.
    progress : bool or callable
        As in `simulate`; without an executor it moves with each trial.
    stays, returns : dict of label -> number or (low, high), optional
        Bounds of a state, along the whole run and over its last tenth.
    uncertain : sequence of str, optional
        Parameters of the corners; by default all of the plant.
    rubbing : sequence of str, optional
        Velocities of the body that friction acts against; by default all.

    Returns
    -------
    RobustnessReport
        Where the keyboard interrupts the checks, of those that were done, with a RuntimeWarning.

    Raises
    ------
    InputError
        For an unknown check, bounds that are none, a seed that is none, a run that is not good without any
        imperfection, or friction and tilt of a plant that has no such.
    LabelError
        For an unknown state, velocity or parameter, or a controller that does not fit.
    TypeError
        If ``law`` is none, or ``plant`` no system.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> mech = gc.models.get("pendulum-skate-rotor")()
    >>> law, plant = gc.match(mech).law(sigma=-5e-6).with_damping(k=8), mech.reduce()
    >>> start = plant.project([0, 0, 0, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})
    >>> report = gc.robustness(plant, law, start, np.linspace(0, 10, 101), checks=["hold"])
    >>> 0.3 < report["hold"].tolerated < 0.5
    True
    """
    system = as_system(plant, "robustness")
    controller = law.sampled() if isinstance(law, Controls) else law
    if not isinstance(controller, SampledController):
        raise TypeError(f"law must be a law or law.sampled(...), got {shown(law)}")
    names = entries("checks", checks)
    for name in names:
        require_choice("check", name, _CHECKS)
    if not isinstance(rng, int | np.integer) or isinstance(rng, bool) or rng < 0:
        raise InputError(f"rng must be the seed of the report, a whole number, got {shown(rng)}")
    values = system.parameters_at(params)
    known = [k for k, v in values.items() if v]
    unsure = tuple(known) if uncertain is None else entries("uncertain", uncertain)
    for name in unsure:
        if name not in known:
            raise LabelError(f"uncertain: no parameter {shown(name)}{nearest(str(name), known)}")
    rubs = _rubbing(system, rubbing) if "friction" in names else ()
    if "motor friction" in names and not _driven(_described(system)):
        raise InputError("motor friction: no input drives a velocity of this system")
    times = finite_array("timepts", timepts)
    along, end = _bounds("stays", stays, system), _bounds("returns", returns, system)
    good = simulate(system, times, x0, params=values, controller=controller, throw=False)
    if stays is None and returns is None:
        end = _default(system, good)
    case = _Case(system, controller, x0, times, values, along, end, unsure, rubs, int(rng), 0.0)
    if "tilt" in names:
        tilted(system, system.start(x0, values), _UPSIDE_DOWN, values)
    if fault := case.fault(controller):
        raise InputError(f"the run is not good even without any imperfection: {fault}")
    case = replace(case, peak=max(float(np.abs(good.samples.applied).max()), 1e-12))
    jobs = [(case, name, row) for row, name in enumerate(names)]
    found = _rows(jobs, executor, Progress(progress))
    return RobustnessReport(tuple(found), int(rng), names[len(found) :])


def _rows(jobs: Sequence[_Job], executor: Any, report: Progress) -> list[RobustnessRow]:
    """Rows of the jobs, in their order; those that are done where the keyboard interrupts the others."""
    found: list[RobustnessRow] = []

    def told(part: float) -> None:
        report((len(found) + part) / len(jobs))

    try:
        # An executor may run a job in another process, which cannot tell how far it is.
        rows = (_searched(job, told) for job in jobs) if executor is None else executor.map(_searched, jobs)
        for row in rows:
            found.append(row)
            told(0.0)
    except KeyboardInterrupt:
        warnings.warn(
            f"interrupted: the report has {len(found)} of {len(jobs)} checks, .missing names the others",
            RuntimeWarning,
            stacklevel=user_level(),
        )
    else:
        report.finish(1.0)
    report.close()
    return found


def _rubbing(system: System, given: Sequence[str] | None) -> tuple[str, ...]:
    labels = _described(system).algebra.labels
    if given is None:
        return tuple(labels)
    for label in (chosen := entries("rubbing", given)):
        if label not in labels:
            raise LabelError(f"rubbing: no velocity {shown(label)}{nearest(str(label), labels)}")
    return chosen


def _default(system: System, good: Trajectory) -> dict[str, tuple[float, float]]:
    """Where the configuration has to be at the end, from the run without imperfection."""
    labels = system.state_labels
    if isinstance(getattr(system, "mechanism", None), EulerPoincare):
        mechanism = _described(system)
        labels = tuple(str(s) for s in mechanism.configuration_symbols if str(s) in labels)
    found = {}
    for label in labels:
        end = float(good[label][-1])
        far = max(float(np.abs(good[label] - end).max()), _NEAR)
        found[label] = end - far, end + far
    return found


def _bounds(what: str, given: Mapping[str, Any] | None, system: System) -> dict[str, tuple[float, float]]:
    found = {}
    for label, value in (given or {}).items():
        if label not in system.state_labels:
            raise LabelError(f"{what}: no state {shown(label)}{nearest(str(label), system.state_labels)}")
        pair = finite_array(f"{what} {label!r}", value)
        low, high = (-float(pair), float(pair)) if pair.shape == () else (*pair.tolist(), None)[:2]
        if high is None or pair.size > 2 or not low < high:
            raise InputError(f"{what} {label!r} must be a positive number or (low, high), got {shown(value)}")
        found[label] = (low, high)
    return found


def _tried(trial: Trial, value: float) -> str:
    """The fault of a trial; one that cannot be run at all is none that is good."""
    try:
        return trial(value)
    except GeoctrlError as error:
        return f"no run: {error}"


def _searched(job: _Job, told: Callable[[float], object] = lambda part: None) -> RobustnessRow:
    """One row: a scan from the good end, then halvings between the last good value and the next."""
    case, name, row = job
    make, unit = _CHECKS[name]
    trial, easy, hard = make(case, row)
    runs, good, bad, fault = 0, None, None, ""
    for value in np.geomspace(easy, hard, _SCAN).tolist():
        runs += 1
        if fault := _tried(trial, value):
            bad = value
            break
        good = value
        told(runs / (_SCAN + _HALVINGS))
    if bad is None:
        return RobustnessRow(
            name, good, None, unit, f"none found up to {hard:.4g}", runs, case.seed, (easy, hard)
        )
    if good is None:
        return RobustnessRow(
            name, None, bad, unit, f"not even at {bad:.4g}: {fault}", runs, case.seed, (easy, hard)
        )
    for i in range(_HALVINGS):
        told((_SCAN + i) / (_SCAN + _HALVINGS))
        runs += 1
        middle = float(np.sqrt(good * bad))
        if found := _tried(trial, middle):
            bad, fault = middle, found
        else:
            good = middle
    return RobustnessRow(name, good, bad, unit, fault, runs, case.seed, (easy, hard))
