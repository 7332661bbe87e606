"""What a row measures: costs of programs in turn, and costs at equal errors."""

from __future__ import annotations

import importlib.util
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

LEAST_SECONDS = 0.02
"""Of a measurement: what is shorter is called several times."""
LONG_SECONDS, COMPILED_SECONDS = 2.0, 20.0
"""A program that takes as long is run twice, or once."""


class Program(NamedTuple):
    """A program at one setting.

    Attributes
    ----------
    who : str
        "geoctrl", or what else it is; settings of one program have one name.
    setting : str
    run : callable
        Without arguments; what it returns is compared with the truth.
    kind : str
        "ours", "by hand" or "peer".
    parts : float
        What the seconds are divided by: steps, runs or pairs.
    seconds : callable or None
        In place of the time that ``run`` takes: what it returned told in seconds (of other processes).
    """

    who: str
    setting: str
    run: Callable[[], Any]
    kind: str = "ours"
    parts: float = 1.0
    seconds: Callable[[Any], float] | None = None


class Cost(NamedTuple):
    """Seconds of a program at one setting, and its error; None where nothing is compared."""

    who: str
    kind: str
    setting: str
    seconds: float
    error: float | None = None


@dataclass
class Row:
    """A row of the report.

    Attributes
    ----------
    key, title : str
    unit : str
        "s", "ms", "us" or "ns", of what the seconds are divided by.
    costs : list of Cost
        The first is ours.
    floor : float
        Errors below are rounding: they count as equal.
    notes : list of str
    missing : list of str
        Peers that did not run, and why.
    load : float
        Of the machine while it was measured: processes that wait for one of its processors.
    """

    key: str
    title: str
    unit: str
    costs: list[Cost] = field(default_factory=list)
    floor: float = 0.0
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    load: float = 0.0

    @property
    def ours(self) -> Cost:
        return self.costs[0]

    def others(self) -> dict[str, list[Cost]]:
        """Costs of the others by name, all settings."""
        found: dict[str, list[Cost]] = {}
        for cost in self.costs:
            if cost.who != self.ours.who:
                found.setdefault(cost.who, []).append(cost)
        return found


class Ratio(NamedTuple):
    """A cost in terms of ours: "=" at equal error, ">" or "<" a bound, "" not compared."""

    sign: str
    value: float = math.nan

    def __str__(self) -> str:
        if not self.sign:
            return "errors differ"
        return f"{self.sign if self.sign != '=' else ''}{' ' * (self.sign != '=')}{shown(self.value)}"


def shown(value: float) -> str:
    """A number in two or three digits."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio(ours: Cost, others: Sequence[Cost], floor: float = 0.0) -> Ratio:
    """The cost of another program in terms of ours, at our error.

    Costs at two settings are joined by a power of the error. A program that is less exact at its best and
    dearer all the same costs more than that; one that is more exact and cheaper costs less. Else nothing is
    said: programs with different errors do different work.
    """
    if ours.error is None or any(cost.error is None for cost in others):
        return Ratio("=", min(cost.seconds for cost in others) / ours.seconds)
    target = max(ours.error, floor)
    points = sorted((max(cost.error, floor), cost.seconds) for cost in others)  # type: ignore[type-var]
    close = [seconds for error, seconds in points if target / 2 <= error <= 2 * target]
    if close:
        return Ratio("=", min(close) / ours.seconds)
    better, worse = [p for p in points if p[0] < target], [p for p in points if p[0] > target]
    if better and worse:
        (e0, s0), (e1, s1) = better[-1], worse[0]
        part = math.log(target / e0) / math.log(e1 / e0)
        return Ratio("=", math.exp((1 - part) * math.log(s0) + part * math.log(s1)) / ours.seconds)
    if worse and worse[0][1] >= ours.seconds:
        return Ratio(">", worse[0][1] / ours.seconds)
    if better and min(seconds for _, seconds in better) <= ours.seconds:
        return Ratio("<", min(seconds for _, seconds in better) / ours.seconds)
    return Ratio("")


def costs(
    programs: Sequence[Program], repeat: int, error: Callable[[Any], float] | None = None
) -> list[Cost]:
    """Least processor seconds of each program; all in turn, those that take long once."""
    found, calls = [], []
    errors: list[float | None] = []
    for program in programs:
        results, seconds = timed(program, 1)
        if seconds < COMPILED_SECONDS:  # the first call may have compiled
            results, seconds = timed(program, 1)
        errors.append(None if error is None else error(results))
        calls.append(max(1, math.ceil(LEAST_SECONDS / max(seconds, 1e-7))))
        found.append(seconds)
    for _ in range(repeat):
        for i, program in enumerate(programs):
            if found[i] < LONG_SECONDS:
                found[i] = min(found[i], timed(program, calls[i])[1])
    return [
        Cost(p.who, p.kind, p.setting, seconds / p.parts, e)
        for p, seconds, e in zip(programs, found, errors, strict=True)
    ]


def timed(program: Program, calls: int) -> tuple[Any, float]:
    """What a program returns, and processor seconds of a call."""
    begun = time.process_time()
    for _ in range(calls):
        result = program.run()
    seconds = (time.process_time() - begun) / calls
    return result, seconds if program.seconds is None else program.seconds(result)


def largest_from(truth: np.ndarray) -> Callable[[Any], float]:
    """Largest deviation of a result of the same shape."""
    return lambda result: float(np.abs(np.asarray(result) - truth).max())


def load() -> float:
    return os.getloadavg()[0]


@dataclass
class Bench:
    """What was asked for.

    Attributes
    ----------
    peers : bool
    repeat : int
    """

    peers: bool = False
    repeat: int = 5

    def peer(self, row: Row, module: str, package: str, made: Callable[[], list[Program]]) -> list[Program]:
        """Programs of a peer; where it was not asked for or is not installed, the row says so."""
        name = package.partition("[")[0]
        if not self.peers:
            row.missing.append(f"{name}: not asked for (--peers)")
        elif importlib.util.find_spec(module) is None:
            row.missing.append(f"{name}: not installed (pip install geoctrl[bench])")
        else:
            return made()
        return []

    def fill(self, row: Row, programs: Sequence[Program], error: Callable[[Any], float] | None = None) -> Row:
        """Measure the programs of a row."""
        before = load()
        row.costs = costs(programs, self.repeat, error)
        row.load = max(before, load())
        return row
