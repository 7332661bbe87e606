"""The largest of each imperfection that a loop tolerates, by runs of the held loop."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import is_under_way, paced_call, under_way
from geoctrl._checks import entries, finite_array, nearest, require_choice, user_level
from geoctrl._scalars import shown
from geoctrl.errors import GeoctrlError, InputError, LabelError, WorkerError
from geoctrl.runs.part_rows import PartsFound
from geoctrl.runs.part_runner import Members, Task, TimeIsUpError, run_parts
from geoctrl.sampling import Controls, SampledController
from geoctrl.simulation.run import simulate
from geoctrl.simulation.trajectory import Trajectory
from geoctrl.systems import EulerPoincare, System, as_system
from geoctrl.systems.states.tilted_system import tilted_states
from geoctrl.trials.imperfections import (
    CHECKS,
    UPSIDE_DOWN,
    Case,
    Trial,
    at_the_end,
    driven_velocities,
    mechanism_of,
)
from geoctrl.trials.report import RobustnessReport, RobustnessRow
from geoctrl.trials.shared import Shared

__all__ = ["robustness"]

_SCAN = 12
_HALVINGS = 14
_NEAR = 0.1
"""Distance, in the size of a state, that always counts as back where nothing else is asked for."""
_Job = tuple[Case, str, int]
_ROW = "row"
"""Name of the array of a row's text."""

_ALWAYS = tuple(name for name in CHECKS if name not in ("friction", "motor friction", "tilt"))
"""Those that every plant has."""


@paced_call
def robustness(
    plant: System,
    law: Controls | SampledController,
    x0: Any,
    timepts: Any,
    checks: Sequence[str] = _ALWAYS,
    rng: int = 0,
    executor: Any = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    *,
    params: Mapping[str, float] | None = None,
    stays: Mapping[str, Any] | None = None,
    returns: Mapping[str, Any] | None = None,
    uncertain: Sequence[str] | None = None,
    rubbing: Sequence[str] | None = None,
    seconds: float | None = None,  # noqa: ARG001
) -> RobustnessReport:
    """Find what a sampled loop tolerates, one imperfection at a time.

    For each check values from the easy to the hard end are tried: twelve, by equal factors, up to the first
    with which a run is not good, and then fourteen halvings. A value counts as tolerated if the run reaches
    its end within the plant's domain and meets what is asked; good values need not be an interval.

    Where neither ``stays`` nor ``returns`` is given, advected components and coordinates have to be, over the
    last tenth, no further from the run without imperfection than that run ever was from its end, or a tenth
    of their sizes there (`System.scales`: 0.1 rad of angles).

    Limits, noise and friction are one number for all inputs, signals or velocities where these have one unit,
    or units that the description does not tell; else they are told in the size of each: the largest input of
    the run without imperfection, the size of a state, the inertia over the duration of the run.

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
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    stays, returns : dict of label -> number or (low, high), optional
        Bounds of a state, along the whole run and over its last tenth.
    uncertain : sequence of str, optional
        Parameters of the corners; by default all of the plant.
    rubbing : sequence of str, optional
        Velocities of the body that friction acts against; by default all.
    seconds : float, optional
        Time for the checks; `RobustnessReport.missing` names those that are not reached.

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
    WorkerError
        If a worker of the executor dies.
    TypeError
        If ``law`` is none, or ``plant`` no reduced system.

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
    system = as_system(plant, "robustness", recorded=True)
    controller = law.sampled() if isinstance(law, Controls) else law
    if not isinstance(controller, SampledController):
        raise TypeError(f"law must be a law or law.sampled(...), got {shown(law)}")
    names = entries("checks", checks)
    for name in names:
        require_choice("check", name, CHECKS)
    if not isinstance(rng, int | np.integer) or isinstance(rng, bool) or rng < 0:
        raise InputError(f"rng must be the seed of the report, a whole number, got {shown(rng)}")
    values = system.parameters_at(params)
    known = [k for k, v in values.items() if v]
    unsure = tuple(known) if uncertain is None else entries("uncertain", uncertain)
    for name in unsure:
        if name not in known:
            raise LabelError(f"uncertain: no parameter {shown(name)}{nearest(str(name), known)}")
    rubs = _rubbing(system, rubbing) if "friction" in names else ()
    if "motor friction" in names and not driven_velocities(mechanism_of(system)):
        raise InputError("motor friction: no input drives a velocity of this system")
    times = finite_array("timepts", timepts)
    along, end = _bounds("stays", stays, system), _bounds("returns", returns, system)
    good = simulate(system, times, x0, params=values, controller=controller, throw=False)
    if stays is None and returns is None:
        end = _default(system, good, at_the_end(times)) if good.success else {}
    limits, noises = _peaks(system, good, good.samples), _signals(system, good, good.samples)
    case = Case(system, controller, x0, times, values, along, end, unsure, rubs, int(rng), limits, noises)
    if "tilt" in names:
        tilted_states(system, system.start(x0, values), UPSIDE_DOWN, values)
    if fault := case.fault(controller):
        raise InputError(f"the run is not good even without any imperfection: {fault}")
    return _report(case, names, executor)


def _report(case: Case, names: tuple[str, ...], executor: Any) -> RobustnessReport:
    """Rows of the checks, in their order; those that are done where something ends the others."""

    def report_of(found: PartsFound) -> RobustnessReport:
        rows = {i: _row_of_text(arrays[_ROW]) for i, arrays in found}
        missing = tuple(name for i, name in enumerate(names) if i not in rows)
        return RobustnessReport(tuple(rows.values()), case.seed, missing)

    if not names:
        return RobustnessReport((), case.seed)
    task = Task(_row_as_text, (case, names), len(names), {}, noun="check", is_strict=True)
    try:
        return report_of(run_parts(task, under_way(), executor, part=1, retries=0, words=_words))
    except WorkerError as error:
        error.result = report_of(error.result)
        raise
    except KeyboardInterrupt as interrupt:
        found: PartsFound = interrupt.result  # type: ignore[attr-defined]
        warnings.warn(
            f"interrupted: the report has {len(found)} of {len(names)} checks, .missing names the others",
            RuntimeWarning,
            stacklevel=user_level(),
        )
        return report_of(found)


def _row_as_text(shared: tuple[Case, tuple[str, ...]], check: Members) -> dict[str, np.ndarray]:
    """A part of the report, which is one row."""
    case, names = shared

    def report(part: float) -> None:
        # In the thread of the call alone: a worker cannot tell how far it is.
        if is_under_way():
            call, done = under_way(), check.first + part
            call.tell(f"check {check.first + 1} of {len(names)}", call.report.best, done / len(names))
            if call.is_over:
                raise TimeIsUpError

    row = _row((case, names[check.first], check.first), report)
    return {_ROW: np.array([json.dumps(asdict(row))])}


def _row_of_text(text: np.ndarray) -> RobustnessRow:
    given = json.loads(str(text[0]))
    return RobustnessRow(**{**given, "tried": tuple(given["tried"])})


def _words(arrays: Mapping[str, np.ndarray]) -> str:
    return f"{_row_of_text(arrays[_ROW]).check} done"


def _rubbing(system: System, given: Sequence[str] | None) -> tuple[str, ...]:
    labels = mechanism_of(system).algebra.labels
    if given is None:
        return tuple(labels)
    for label in (chosen := entries("rubbing", given)):
        if label not in labels:
            raise LabelError(f"rubbing: no velocity {shown(label)}{nearest(str(label), labels)}")
    return chosen


def _peaks(system: System, good: Trajectory, record: Any) -> Shared:
    """About the largest inputs of a run; where an input does nothing, its size at the start."""
    sizes = dict(zip(system.input_labels, _scales(system, good, 0).input, strict=True))
    largest = zip(record.inputs, np.max(np.abs(record.applied), axis=1, initial=0.0), strict=True)
    return Shared.of(system, {label: float(v) or float(sizes.get(label, 0.0)) for label, v in largest})


def _signals(system: System, good: Trajectory, record: Any) -> Shared:
    """About the sizes of measured states at the start, of other signals about their largest values."""
    sizes = dict(zip(system.state_labels, _scales(system, good, 0).state, strict=True))
    largest = zip(record.signals, np.max(np.abs(record.measured), axis=1, initial=0.0), strict=True)
    return Shared.of(system, {label: float(sizes.get(label, 0.0)) or float(v) for label, v in largest})


def _scales(system: System, run: Trajectory, k: int) -> Any:
    """Sizes at a sample of a run."""
    return system.scales(run.states[:, k], params=run.params)


def _default(system: System, good: Trajectory, last: np.ndarray) -> dict[str, tuple[Any, Any]]:
    """Where the configuration has to be at the last samples: beside the run without imperfection."""
    labels = system.state_labels
    if isinstance(getattr(system, "mechanism", None), EulerPoincare):
        mechanism = mechanism_of(system)
        labels = tuple(str(s) for s in mechanism.configuration_symbols if str(s) in labels)
    found, sizes = {}, dict(zip(system.state_labels, _scales(system, good, -1).state, strict=True))
    for label in labels:
        way = good[label]
        far = max(float(np.abs(way - way[-1]).max()), _NEAR * sizes[label])
        found[label] = way[last] - far, way[last] + far
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


def _fault(trial: Trial, value: float) -> str:
    """The fault of a trial; one that cannot be run at all is none that is good."""
    try:
        return trial(value)
    except GeoctrlError as error:
        return f"no run: {error}"


def _row(job: _Job, told: Callable[[float], object] = lambda part: None) -> RobustnessRow:
    """One row: a scan from the good end, then halvings between the last good value and the next."""
    case, name, row = job
    trial, easy, hard, unit = CHECKS[name](case, row)
    runs, good, bad, fault = 0, None, None, ""
    for value in np.geomspace(easy, hard, _SCAN).tolist():
        runs += 1
        if fault := _fault(trial, value):
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
        if found := _fault(trial, middle):
            bad, fault = middle, found
        else:
            good = middle
    return RobustnessRow(name, good, bad, unit, fault, runs, case.seed, (easy, hard))
