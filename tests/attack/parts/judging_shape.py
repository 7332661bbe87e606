"""What geoctrl says of a mechanism beside its verdict: forces of constraints, and where the model ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

import geoctrl as gc
from tests.attack.build.building import Built, condition, order_of, rows_at, turned
from tests.attack.build.building_shape import as_state
from tests.attack.draw.mechanism import Mechanism
from tests.attack.oracle.oracle import Oracle
from tests.attack.oracle.polynomials import specialise, value

SPAN = 2.0
"""Seconds of the runs that look for the edge of a domain."""
STEP, MOST = 0.02, 3000
"""Longest step and most evaluations of the oracle's runs."""
CLEAR = 1e-3
"""Size of a margin, and of its slope at an edge, beyond which both must see the same."""


def against_reactions(m: Mechanism, built: Built, oracle: Oracle, rng: np.random.Generator) -> str:
    """Forces of the rows, by name, and along the velocities asked for, against the oracle's multipliers."""
    state = turned(m, oracle, rng)
    exact = oracle.reactions_at(state)
    rows = rows_at(oracle, state)
    theirs = {f"row{a + 1}": v for a, v in enumerate(exact)}
    theirs |= {
        f"along{k + 1}": float(exact @ rows @ [float(c) for c in eta]) for k, eta in enumerate(m.along)
    }
    params = {name: float(v) for name, v, _ in m.parameters}
    order = order_of(m, built)
    ours = built.system.reactions(as_state(m, order, state), params=params)
    if ours.keys() != theirs.keys():
        return f"reactions {sorted(ours)} in place of {sorted(theirs)}"
    # The forces are what accelerations leave over of the loads: they are as wrong as these terms are.
    inertial = np.abs(oracle.mass(state)) @ np.abs(oracle.rate_at(state)[: m.n + m.s])
    size = max(1.0, float(np.max(inertial)), *map(abs, theirs.values()))
    lost = condition(oracle, state, [i for i in order if i < m.n]) + np.linalg.cond(rows) ** 2
    allowed = (1e-9 + np.finfo(float).eps * lost) * size * max(1.0, 1 / np.linalg.svd(rows)[1][-1])
    worst = max(theirs, key=lambda k: abs(theirs[k] - ours[k]))
    apart = abs(theirs[worst] - ours[worst])
    if not apart <= allowed:
        return f"the reaction {worst} is {ours[worst]:.9g}, of the oracle {theirs[worst]:.9g}"
    return ""


def margins(m: Mechanism, oracle: Oracle) -> Callable[[Any], np.ndarray]:
    """Sides of the domain, positive within, at states of the oracle's in floats."""
    sides = [oracle.floats.polynomial(side, m.values) for side in m.sides]
    return lambda x: np.array([value(side, x, 0.0) for side in sides])


def outside(m: Mechanism) -> bool:
    """Whether the point is outside its domain."""
    table = dict(enumerate(m.point)) | m.values
    return any(not specialise(side, table).get((), 0) > 0 for side in m.sides)


def against_edges(m: Mechanism, built: Built, oracle: Oracle, rng: np.random.Generator) -> str:
    """A run of geoctrl's ends where one of the oracle's from the same state does, and only there."""
    within = margins(m, oracle)
    for size in (0.3, 0.1, 0.03, 0.01):
        start = oracle.nearby(m.point, size, rng)
        if np.all(within(start) > CLEAR) and oracle.off_leaf(start) < 1e-12:
            break
    else:
        return ""
    seen = followed(oracle, start, within)
    if seen is None:
        return ""
    params = {name: float(v) for name, v, _ in m.parameters}
    x0 = as_state(m, order_of(m, built), start)
    end = SPAN if seen.left is None else min(SPAN, seen.left + STEP)
    run = gc.simulate(built.system, [0.0, end], x0, params, engine="scipy", rtol=1e-10, throw=False)
    left, ended = "left the domain" in run.status, float(run.time[-1])
    if not (left or run.success):
        return ""  # off the leaf, or singular: said in words
    if seen.left is None:
        return (
            f"{run.status}, but the oracle stays {seen.least:.2g} within"
            if left and seen.least > CLEAR
            else ""
        )
    if abs(seen.slope) < CLEAR:
        return ""
    if not left:
        return f"the run {run.status}, but the oracle leaves the domain at t = {seen.left:.9g}"
    apart = abs(ended - seen.left)
    return "" if apart < 1e-5 else f"the run ended at t = {ended:.9g}, of the oracle at {seen.left:.9g}"


@dataclass
class Seen:
    """Where the oracle's run left the domain, how fast, and the least margin of one that did not."""

    left: float | None
    slope: float
    least: float


def followed(oracle: Oracle, start: np.ndarray, within: Callable[[Any], np.ndarray]) -> Seen | None:
    """A run of the oracle until it leaves the domain; None where it takes too long."""
    run = DOP853(
        lambda _, x: oracle.rate_in_floats(x), 0.0, start, SPAN, rtol=1e-11, atol=1e-13, max_step=STEP
    )
    least = float(np.min(within(start)))
    while run.status == "running":
        try:
            run.step()
        except (OverflowError, ZeroDivisionError):  # it goes to infinity, or through a singular state
            return None
        if run.nfev > MOST or run.status == "failed":
            return None
        here = float(np.min(within(run.y)))
        if here <= 0:
            return _left(run, within)
        least = min(least, here)
    return Seen(None, 0.0, least)


def _left(run: DOP853, within: Callable[[Any], np.ndarray]) -> Seen:
    path = run.dense_output()

    def margin(t: float) -> float:
        return float(np.min(within(path(t))))

    left = brentq(margin, run.t_old, run.t, xtol=1e-13)
    return Seen(left, (margin(left + 1e-6) - margin(left - 1e-6)) / 2e-6, 0.0)
