"""Files of catches judged without geoctrl, in floats: starts in their boxes are run with both laws."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from tests.attack.oracle.tables import NotJudgedError, Table

SLACK, BESIDE = 1e-6, 1e-9
"""By how much a level or a limit may be passed, relative to it; and a time."""
LONG, FEWEST = 10.0, 1e-2
"""Times that of a file, after which V is such a part of the level where a motion tends to the point."""
SAMPLES, BOXES, RATES = 100, 4, 6000
"""Of a run; boxes that are looked at; and rates after which a run ends."""


def catch_falsehood(content: Mapping[str, Any], verdict: str) -> str:
    """What is false in what is said of a file's starts; nothing where all runs do what is said.

    Raises
    ------
    NotJudgedError
        For a problem or a set that is not understood here, and where runs do not end.
    """
    table, theorem = Table(content["problem"], content.get("roots", [])), content["theorem"]
    if verdict != "PROVED_ATTRACTED":
        return f"{verdict} of a catch"
    if not table.honest:
        return "states, inputs, parameters and unknowns are not distinct symbols"
    if theorem["region"]["theorem"]["name"] != "slopes":
        raise NotJudgedError("a set whose function is another one than of the states")
    try:
        caught = _Catch(table, theorem)
        boxes = theorem["boxes"]
        if not boxes:
            return "no start"
        return next((fault for x in _starts(boxes) if (fault := caught.fault_from(x))), "")
    except (OverflowError, ZeroDivisionError, np.linalg.LinAlgError) as error:
        raise NotJudgedError(str(error)) from error


def _starts(boxes: list[Mapping[str, Any]]) -> list[np.ndarray]:
    """Middles and corners of some of the boxes."""
    found = []
    for box in boxes[:: max(1, len(boxes) // BOXES)]:
        middle, radii = (np.array([float(Fraction(q)) for q in box[k]]) for k in ("start", "radii"))
        corners = product(*[(-1, 1)] * len(radii)) if len(radii) <= 4 else ()
        found += [middle, *(middle + radii * signs for signs in corners)]
    return found


class _Catch:
    """A plant with two laws and the function of a set."""

    def __init__(self, table: Table, theorem: Mapping[str, Any]) -> None:
        self._table, self._theorem = table, theorem
        own = theorem["region"]["theorem"]
        rows = own["function"]
        n = len(rows)
        self._P = np.zeros((n, n))
        for i, row in enumerate(rows):
            for j, c in enumerate(row):
                self._P[i, j] = self._P[j, i] = float(Fraction(c))
        region = theorem["region"]["problem"]
        labels = list(table.problem["states"])
        if n != len(labels) or region["leaf"]:
            raise NotJudgedError("a function of other numbers than the states")
        self._point = np.array([float(Fraction(region["states"][k])) for k in labels])
        self._turned = {labels.index(k) for k in theorem["turned"]}
        self._entry, self._level = (float(Fraction(q)) for q in (theorem["entry"], own["level"]))

    def _next(self, x: np.ndarray) -> np.ndarray:
        """A state with angles next to the point."""
        found = x.copy()
        for i in self._turned:
            found[i] -= 2 * np.pi * np.round((x[i] - self._point[i]) / (2 * np.pi))
        return found

    def _value(self, x: np.ndarray) -> float:
        y = self._next(x) - self._point
        return float(y @ self._P @ y)

    def _inputs(self, part: str, x: np.ndarray) -> dict[str, float]:
        laws = self._theorem[part]
        at = self._next(x) if part == "caught" else x
        asked = self._table.with_inputs(dict.fromkeys(laws, np.nan))
        return dict(zip(laws, asked.in_floats(list(laws.values()), at), strict=True))

    def _run(self, part: str, x: np.ndarray, time: float) -> np.ndarray:
        """States along a run, which ends where it is far out of the set that it is caught in."""
        field = self._table.problem["field"]

        asked = 0

        def rates(_: float, y: np.ndarray) -> np.ndarray:
            nonlocal asked
            if (asked := asked + 1) > RATES:
                raise NotJudgedError("a run that is too long")
            return self._table.with_inputs(self._inputs(part, y)).in_floats(field, y)

        def left(_: float, y: np.ndarray) -> float:
            return self._value(y) - 2 * self._level

        left.terminal = part == "caught"  # type: ignore[attr-defined]
        at = np.linspace(0, time, SAMPLES)
        run = solve_ivp(rates, (0, time), x, "DOP853", at, events=left, rtol=1e-8, atol=1e-10)
        if not run.success:
            raise NotJudgedError("a run that does not end")
        ends = [e[-1:] for e in run.y_events if part == "caught" and len(e)]
        return np.vstack([run.y.T, *ends])

    def _beyond(self, part: str, states: np.ndarray) -> str:
        for k, bound in self._theorem["limits"].items():
            most = max(abs(self._inputs(part, x)[k]) for x in states)
            if most > float(Fraction(bound)) * (1 + SLACK):
                return f"{k} is {most:.6g}, beyond its limit"
        if any(np.min(self._table.in_floats(self._theorem["domain"], x), initial=1.0) <= 0 for x in states):
            return "a motion goes where the model does not hold"
        return ""

    def fault_from(self, x: np.ndarray) -> str:
        """What is not as said of the motion from a start."""
        if any(np.isnan(v) for part in ("laws", "caught") for v in self._inputs(part, x).values()):
            return "a law depends on an input"
        time = float(Fraction(self._theorem["time"])) * (1 + BESIDE)
        states = self._run("laws", x, time)
        below = [k for k, y in enumerate(states) if self._value(y) <= self._entry * (1 + SLACK)]
        if not below:
            return "a motion does not come to the set"
        first = below[0]
        if fault := self._beyond("laws", states[:first]):
            return fault
        after = self._run("caught", states[first], LONG * time)
        values = [self._value(y) for y in after]
        if max(values) > max(self._level, values[0]) * (1 + SLACK):
            return "a motion leaves the set"
        if fault := self._beyond("caught", after):
            return fault
        if values[-1] > FEWEST * self._level:
            raise NotJudgedError("a run that has not come to the point")
        return ""
