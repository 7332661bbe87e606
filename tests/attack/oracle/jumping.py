"""Impacts and runs through jumps without geoctrl: the saddle system in full velocities, and scipy's steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

from tests.attack.draw.drawing_jumps import Jumping, Struck

WORST = 1e6
"""Condition of a saddle system above which nothing is judged."""


class Matrices(NamedTuple):
    """Numbers of a struck mechanism at its coordinates."""

    inertia: np.ndarray
    rows: np.ndarray
    before: np.ndarray
    stay: np.ndarray


class Hit(NamedTuple):
    """An impact: velocities before and after, impulses, energy lost, velocities of the rows before."""

    before: np.ndarray
    after: np.ndarray
    impulse: np.ndarray
    lost: float
    approach: np.ndarray
    energy: float


class StruckNumbers:
    """A struck mechanism in floats."""

    def __init__(self, struck: Struck) -> None:
        parts = [struck.inertia, struck.rows, struck.before, struck.stay]
        self._shapes = [part.shape for part in parts]
        self._program = sp.lambdify([struck.coordinates], [list(part) for part in parts], modules="math")
        self.e = np.array([float(value) for value in struck.restitution])
        rest = list(struck.coordinates[1:])
        self._place = sp.lambdify([rest], struck.coordinates[0] - struck.guard, modules="math")
        slopes = [struck.guard.diff(s) for s in struck.coordinates]
        self.slopes = sp.lambdify([struck.coordinates], slopes, modules="math")

    def at(self, q: np.ndarray) -> Matrices:
        """Matrices at coordinates."""
        told = self._program(q.tolist())
        return Matrices(*(np.array(v, float).reshape(s) for v, s in zip(told, self._shapes, strict=True)))

    def on_guard(self, rest: np.ndarray) -> np.ndarray:
        """Coordinates at which the guard is zero."""
        return np.concatenate([[float(self._place(rest.tolist()))], rest])

    def saddle(self, found: Matrices) -> np.ndarray:
        """What velocities, impulses and multipliers are solved with."""
        held = np.vstack([found.rows, found.stay])
        return np.block([[found.inertia, -held.T], [held, np.zeros((len(held), len(held)))]])

    def hit(self, found: Matrices, xi: np.ndarray) -> Hit:
        """The impact from velocities before it."""
        M, J, (n, k) = found.inertia, found.rows, (len(xi), len(found.rows))
        y = J @ xi
        right = np.concatenate([M @ xi, -self.e * y, np.zeros(len(found.stay))])
        solved = np.linalg.solve(self.saddle(found), right)
        after, energy = solved[:n], xi @ M @ xi / 2
        return Hit(xi, after, solved[n : n + k], energy - after @ M @ after / 2, y, energy)

    def gain(self, found: Matrices) -> float:
        """Least eigenvalue of W - E W E over the largest of W; negative where energy may be gained."""
        held, k = np.vstack([found.rows, found.stay]), len(found.rows)
        loads = np.linalg.inv(held @ np.linalg.solve(found.inertia, held.T))[:k, :k]
        W = (loads + loads.T) / 2
        size = 1 / np.sqrt(np.diag(np.linalg.inv(W)))
        W = W / np.outer(size, size)
        E = np.diag(self.e)
        return float(np.linalg.eigvalsh(W - E @ W @ E)[0] / np.linalg.norm(W, 2))


def full_velocity(labels: list[str], rows: np.ndarray, known: dict[str, float]) -> np.ndarray | None:
    """All velocities from some of them and the rows in force; None where these do not tell the others."""
    xi = np.array([known.get(label, 0.0) for label in labels])
    others = [i for i, label in enumerate(labels) if label not in known]
    if others:
        part = rows[:, others]
        if len(others) > len(rows) or np.linalg.cond(part) > WORST**0.5:
            return None
        xi[others] = np.linalg.lstsq(part, -(rows @ xi), rcond=None)[0]
    return xi


# -- runs ------------------------------------------------------------------------------------------------

FINEST, LONGEST_STEP, OFF, SURE, NEAR = 1e-11, 0.05, 1e-5, 1e-2, 1e-3
"""Relative tolerance; longest step; how long a start on a guard is left alone; least rate of a guard that is
passed; and how near to zero a guard may turn."""


@dataclass
class Met:
    """Jumps of a run in order, as (time, name, state after); where it ends; why nothing is said beyond."""

    jumps: list[tuple[float, str, np.ndarray]]
    end: np.ndarray
    unsure: str = ""


class OwnRun:
    """A drawn field with jumps, run by scipy."""

    def __init__(self, drawn: Jumping) -> None:
        def made(e):
            return sp.lambdify([drawn.states], e, modules="math")

        self._fields = {name: made(field) for name, field in drawn.fields.items()}
        self._jumps = [
            (name, of, to, made(h), made([h.diff(s) for s in drawn.states]), way, made(reset))
            for name, of, to, h, way, reset in drawn.jumps
        ]

    def run(self, x: np.ndarray, span: float, most: int) -> Met:
        """Jumps until the time, or until it is not sure which comes next."""
        t, mode, met = 0.0, next(iter(self._fields)), Met([], x)
        while True:
            leaving = [jump for jump in self._jumps if jump[1] == mode]
            if fault := self._doubt_of_start(mode, leaving, x):
                met.unsure = fault
                return met
            t, x, first = self._piece(mode, leaving, t, x, span, met)
            if first is None or met.unsure:
                met.end = x
                return met
            if abs(self._rate(mode, first, x)) < SURE:
                met.unsure = f"{first[0]} grazes"
                return met
            x, mode = np.array(first[6](x.tolist()), float), first[2]
            met.jumps.append((t, first[0], x))
            times = [0.0, *(time for time, *_ in met.jumps)]
            if len(met.jumps) >= most or (len(times) > 2 and times[-1] - times[-2] < NEAR):
                met.unsure = "many jumps"
                return met

    def _rate(self, mode: str, jump: tuple, x: np.ndarray) -> float:
        return float(np.dot(jump[4](x.tolist()), self._fields[mode](x.tolist())))

    def _doubt_of_start(self, mode: str, leaving: list, x: np.ndarray) -> str:
        """Words where a guard is next to zero at a start, and not clearly on its way from there."""
        for jump in leaving:
            h = abs(jump[3](x.tolist()))
            if h < NEAR and (h > FINEST**0.9 or abs(self._rate(mode, jump, x)) < SURE):
                return f"{jump[0]} is next to its guard"
        return ""

    def _piece(self, mode: str, leaving: list, t: float, x: np.ndarray, span: float, met: Met) -> tuple:
        """Time and state at the first guard that is passed, or at the end."""
        field = self._fields[mode]

        def rates(_: float, y: np.ndarray) -> list[float]:
            return field(y.tolist())

        steps = {"method": "DOP853", "rtol": FINEST, "atol": 1e-13, "max_step": LONGEST_STEP}
        begun = min(OFF, (span - t) / 2)
        y = solve_ivp(rates, (t, t + begun), x, **steps).y[:, -1]
        events = []
        for jump in leaving:

            def event(_: float, z: np.ndarray, h=jump[3]) -> float:
                return h(z.tolist())

            event.terminal, event.direction = True, jump[5]  # type: ignore[attr-defined]
            events.append(event)
        run = solve_ivp(rates, (t + begun, span), y, events=events, dense_output=True, **steps)
        hits = [(float(times[0]), k) for k, times in enumerate(run.t_events or []) if len(times)]
        end = min(hits)[0] if hits else span
        met.unsure = self._doubt_between(run, leaving, t + begun, end, {k for _, k in hits})
        if not hits:
            return span, run.y[:, -1], None
        return end, run.sol(end), leaving[min(hits)[1]]

    def _doubt_between(self, run, leaving: list, t: float, end: float, passed: set[int]) -> str:
        """Words where a guard turns next to zero, or another one is next to zero at the end."""
        samples = run.sol(np.linspace(t, end, 2 + int((end - t) / LONGEST_STEP) * 2)).T
        for k, jump in enumerate(leaving):
            h = np.array([jump[3](z.tolist()) for z in samples])
            turns = np.flatnonzero((h[1:-1] - h[:-2]) * (h[2:] - h[1:-1]) <= 0) + 1
            if np.any(np.abs(h[turns]) < NEAR):
                return f"{jump[0]} turns next to its guard"
            if abs(h[-1]) < NEAR and k not in passed:
                return f"{jump[0]} is next to its guard at the end"
        return "two guards at one instant" if len(passed) > 1 else ""
