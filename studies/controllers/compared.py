"""What the studies of controllers have in common: laws held from one start, in a table, in figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

LEANS = 120
"""Deviations that are asked to be proved."""
REACHED = 8
"""Halvings of the way to the largest deviation at the start."""


@dataclass(frozen=True)
class Law:
    """A law of the table, as it is run."""

    name: str
    controller: Any
    """Sampled, without limits."""
    proved_on: tuple[gc.ReducedSystem, Any] | None = None
    """A plant, and its equilibrium, with the states that the law reads: the task's, unless it has others."""
    loop: tuple[gc.ReducedSystem, Any] | None = None
    """Without a hold, at its equilibrium, where starts are asked to be proved."""
    begin: Callable[[float], dict[str, float]] = lambda size: {}
    """States of its own at a start, by what that deviates by."""


@dataclass(frozen=True)
class Signal:
    """What is drawn of a run; of signals with a limit the largest size is in the table."""

    title: str
    unit: str
    of: Callable[[gc.Trajectory], np.ndarray]
    limit: float | None = None
    """What the hardware can do, in the unit."""


@dataclass(frozen=True)
class Task:
    """A plant at an equilibrium and what its laws are asked."""

    plant: gc.ReducedSystem
    equilibrium: Any
    start: np.ndarray
    rate: float
    """Commands a second."""
    span: float
    signals: tuple[Signal, ...]
    settled: dict[Callable[[gc.Trajectory], np.ndarray], float]
    """What has to come to rest, and the distance from its end that counts as settled."""
    stays: dict[str, float]
    """Bounds of states beyond which it has fallen."""
    returns: dict[str, float]
    """Bounds of states at the end of the runs with a wrong model."""
    uncertain: tuple[str, ...]
    """Parameters of the plant that may be wrong."""
    starts: Callable[[float], np.ndarray]
    """Starts like the one above, by what they deviate by."""
    farthest: tuple[float, str]
    """The largest deviation that is tried, and its unit."""
    leans: Callable[[float], dict[str, float]]
    """Of a start, the states that deviate."""

    @property
    def measured(self) -> tuple[Signal, ...]:
        """Signals with a limit."""
        return tuple(s for s in self.signals if s.limit is not None)


@dataclass(frozen=True)
class Line:
    """What a law asks and tolerates."""

    name: str
    peaks: tuple[float, ...]
    settling: float
    hold: float
    region: float
    """The largest deviation at the start from which it comes to rest."""
    proved: float
    """That up to which starts on the equilibrium's levels are proved; NaN where nothing is or was asked."""
    error: float
    falls: bool


def held(task: Task, law: Law, span: float | None = None) -> gc.Trajectory:
    """A run from the start, to where it falls if it does."""
    end = span or task.span
    grid = np.linspace(0.0, end, round(end * task.rate) + 1)
    return gc.simulate(task.plant, grid, task.start, controller=law.controller, throw=False)


def standing(task: Task, run: gc.Trajectory) -> int:
    """Number of samples before it falls."""
    fallen = np.zeros(run.time.size, dtype=bool)
    for label, bound in task.stays.items():
        fallen |= np.abs(run[label]) > bound
    return int(np.argmax(fallen)) if fallen.any() else fallen.size


def measured(task: Task, law: Law, horizon: float = 10.0) -> Line:
    """The line of a law: a run without limits, the largest hold by the linear loop, starts and corners of
    parameters by bisection.
    """
    run = held(task, law)
    stood = standing(task, run)
    falls = not run.success or stood < run.time.size
    last, settles = 0.0, not falls
    for signal, distance in task.settled.items():
        values = signal(run)
        far = np.flatnonzero(np.abs(values - values[-1]) > distance)
        last = max(last, float(run.time[far[-1]]) if far.size else 0.0)
        # What swings to the end of the run has not settled.
        settles = settles and np.ptp(values[-len(values) // 10 :]) < distance
    loop = gc.linearize_held(task.plant, law.controller, task.equilibrium)
    error = region = 0.0
    if not falls:
        report = gc.robustness(
            task.plant,
            law.controller,
            task.start,
            np.linspace(0, horizon, round(10 * horizon) + 1),
            checks=["corners"],
            stays=task.stays,
            returns=task.returns if settles else None,
            uncertain=task.uncertain,
        )
        error, region = float(report["corners"].tolerated or 0.0), reach(task, law)
    peaks = tuple(float(np.abs(signal.of(run)[:stood]).max()) for signal in task.measured)
    hold = float(loop.largest_hold(longest=1.0)[0])
    settling = last if settles else np.nan
    return Line(law.name, peaks, settling, hold, region, proved_reach(task, law), error, falls)


def reach(task: Task, law: Law) -> float:
    """The largest deviation at the start from which a law comes to rest in time, found by bisection."""
    grid = np.linspace(0, task.span, round(10 * task.span) + 1)

    def rests(size: float) -> bool:
        run = gc.simulate(task.plant, grid, task.starts(size), controller=law.controller, throw=False)
        ends = [np.ptp(of(run)[-len(grid) // 10 :]) < near for of, near in task.settled.items()]
        return bool(run.success and standing(task, run) == run.time.size and all(ends))

    low, high = 0.0, task.farthest[0]
    for _ in range(REACHED):
        middle = (low + high) / 2
        low, high = (middle, high) if rests(middle) else (low, middle)
    return low


def proved_reach(task: Task, law: Law) -> float:
    """The deviation up to which starts of the loop without a hold are in its region of attraction, with
    velocities such that what the loop conserves has its value at the equilibrium.
    """
    if law.loop is None:
        return np.nan
    loop, eq = law.loop
    try:
        region = gc.region_of_attraction(loop, eq)
    except gc.CertificateError as error:
        print(f"{law.name}: {error}")
        return np.nan
    values = loop.invariants(eq.x)
    levels = {name: values[name] for name in region.levels}

    def inside(size: float) -> bool:
        x = eq.x.copy()
        for label, value in (task.leans(size) | law.begin(size)).items():
            x[loop.state_labels.index(label)] = value
        return bool(region.contains(loop.on_levels(x, levels)))

    sizes = np.linspace(0, task.farthest[0], LEANS + 1)
    within = [inside(size) for size in sizes]
    return float(sizes[-1] if all(within) else sizes[within.index(False) - 1])


def table(task: Task, lines: list[Line]) -> str:
    """The table as text."""
    columns = [*((s.title, s.unit) for s in task.measured), ("settled", "s"), ("hold", "s")]
    columns += [("region", task.farthest[1]), ("proved", task.farthest[1]), ("error", "%")]
    head = f"{'law':<26}" + "".join(f"{title:>14}" for title, _ in columns)
    rows = [head, " " * 26 + "".join(f"{unit:>14}" for _, unit in columns), "-" * len(head)]
    for line in lines:
        settled = "falls" if line.falls else "-" if np.isnan(line.settling) else f"{line.settling:.1f}"
        hold = "none" if line.hold == 0 else ">= 1" if line.hold >= 1 else f"{line.hold:.3f}"
        cells = [*(f"{peak:.3g}" for peak in line.peaks), settled, hold]
        proved = "-" if np.isnan(line.proved) else f"{line.proved:.2f}"
        cells += [f"{line.region:.2f}", proved, f"{100 * line.error:.0f}"]
        rows.append(f"{line.name:<26}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(rows)


def draw(task: Task, runs: dict[str, gc.Trajectory], title: str) -> Figure:
    """The signals of runs until they fall, with what the hardware can do."""
    figure = Figure(figsize=(7.2, 6.4), layout="constrained")
    axes = figure.subplots(len(task.signals), 1, sharex=True)
    for colour, (name, run) in zip(COLOURS, runs.items(), strict=False):
        stood = standing(task, run)
        for ax, signal in zip(axes, task.signals, strict=True):
            ax.plot(run.time[:stood], signal.of(run)[:stood], color=colour, linewidth=1.2, label=name)
    for ax, signal in zip(axes, task.signals, strict=True):
        for side in () if signal.limit is None else (-signal.limit, signal.limit):
            ax.axhline(side, color="black", linewidth=0.8, linestyle="--")
        quiet(ax, ylabel=f"{signal.title} ({signal.unit})", xlabel="time (s)" if ax is axes[-1] else "")
    axes[0].legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0)
    figure.suptitle(title)
    return figure


def report(task: Task, chosen: list[Law], figures: dict[str, Figure], out: Path) -> None:
    """Verdicts, figures and the table, printed and in a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for law in chosen:
        plant, equilibrium = law.proved_on or (task.plant, task.equilibrium)
        verdict = gc.certify(plant, equilibrium, controller=law.controller).verdict
        print(f"{law.name:<26}{verdict} at {task.rate:g} Hz")
    for name, figure in figures.items():
        figure.savefig(out / f"{name}.png", dpi=150)
    lines = []
    for law in chosen:
        print(f"... {law.name}", flush=True)
        lines.append(measured(task, law))
    text = table(task, lines)
    (out / "table.txt").write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"figures in {out}")
