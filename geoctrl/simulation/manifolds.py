"""Simulation of systems on manifolds: their compiled field in DOP853, or their equations in heyoka."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from geoctrl._checks import require_choice, time_grid
from geoctrl.errors import DescriptionError, InputError, SingularMassError
from geoctrl.simulation import scipy_engine
from geoctrl.simulation.checks import read_tolerance
from geoctrl.simulation.events import EventLog
from geoctrl.simulation.execution import execute
from geoctrl.simulation.manifold_inputs import (
    Switch,
    Switches,
    closed,
    is_feedback,
    read_switches,
    with_times,
)
from geoctrl.stepping import Progress
from geoctrl.stepping.applied import Applied

__all__ = ["simulate_manifold"]

_ENGINES = ("auto", "heyoka", "scipy")


@dataclass(frozen=True, eq=False)
class _Flow:
    """An initial value problem as the scipy engine sees it."""

    x0: np.ndarray
    times: np.ndarray
    rtol: float | None
    events: tuple[Switch, ...]
    breaks: np.ndarray
    log: EventLog = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "log", EventLog(float(self.times[0])))

    def pieces(self) -> Iterator[tuple[np.ndarray, None]]:
        """Time grids between the kinks of the inputs, which no step may cross."""
        inner = self.breaks[(self.breaks > self.times[0]) & (self.breaks < self.times[-1])]
        edges = np.concatenate([self.times[:1], inner, self.times[-1:]])
        for low, high in pairwise(edges):
            within = self.times[(self.times > low) & (self.times < high)]
            yield np.concatenate([[low], within, [high]]), None


class _Functions:
    """Field and events of the numbers t, x; what cannot be evaluated is NaN."""

    def __init__(self, run: Any, switches: Switches | None, params: Mapping[str, float]) -> None:
        self._run, self._switches, self._params = run, switches, params

    def begin(self, t: float) -> None:
        """Nothing is kept from piece to piece."""

    def field(self, t: float, x: np.ndarray) -> np.ndarray:
        try:
            return self._run.rate(float(t), x)
        except SingularMassError:
            return np.full_like(x, np.nan)

    def events(self, t: float, x: np.ndarray) -> tuple:
        assert self._switches is not None
        return tuple(self._switches([*x, t], self._params))


def simulate_manifold(
    system: Any,
    timepts: Any,
    x0: Any,
    params: Mapping[str, float] | None,
    *,
    inputs: Any,
    engine: str,
    rtol: float | None,
    events: Mapping[str, Any] | None,
    progress: Any,
    throw: bool,
) -> Any:
    """`simulate` for systems that have a compiled field instead of recorded equations."""
    require_choice("engine", engine, _ENGINES)
    tolerance = read_tolerance(rtol)
    times = time_grid(timepts).copy()
    report = Progress(progress)
    values = system.parameters_at(params)
    start = system.start(x0)
    if is_feedback(inputs):
        system, events, applied = closed(system, inputs, events)
        inputs = None
    else:
        inputs = with_times(inputs, system.input_labels, times)
        applied = Applied.of(inputs, system.input_labels)
    if engine == "heyoka":
        return _by_reduction(system, times, start, params, inputs, rtol, events, progress, throw, applied)
    run = system.run(values, inputs)
    switches, program = read_switches(system, events, inputs)
    breaks = np.asarray(inputs[0], dtype=float) if isinstance(inputs, tuple) else np.zeros(0)
    flow = _Flow(x0=start, times=times, rtol=tolerance, events=switches, breaks=breaks)
    functions = _Functions(run, program, values)
    if not np.all(np.isfinite(functions.field(float(times[0]), start))):
        raise InputError(f"the equations are not finite at x0 and t = {times[0]:.9g}")
    name = f"{scipy_engine.describe(flow)} on a field in {run.engine}"

    def made(time: np.ndarray, states: np.ndarray, **rest: Any) -> Any:
        asked = np.isin(time, times)
        asked[-1] = True
        return system.trajectory(
            time[asked], states[:, asked], params=values, engine=name, applied=applied, **rest
        )

    return execute(flow, scipy_engine.run(flow, functions), made, report, throw)


def _by_reduction(
    system: Any, times: np.ndarray, start: np.ndarray, params: Any, inputs: Any, rtol: Any, events: Any,
    progress: Any, throw: bool, applied: Applied,
) -> Any:  # fmt: skip
    """The run of the reduced equations on heyoka, seen as one of this system."""
    from geoctrl.simulation.run import simulate

    if inputs is not None or events:
        raise DescriptionError(
            "engine='heyoka' runs systems on manifolds without inputs and events; take 'auto'"
        )
    view, values = system.view(), system.parameters_at(params)
    run = simulate(
        view.reduced,
        times,
        view.into(start, values),
        params,
        engine="heyoka",
        rtol=rtol,
        progress=progress,
        throw=throw,
    )
    states = np.array([view.out_of(y, values) for y in run.states.T]).T
    return system.trajectory(
        run.time, states, params=run.params, engine=run.engine, applied=applied, status=run.status,
        success=run.success, events=run.events,
    )  # fmt: skip
