"""Files of periodic orbits and of turning points judged without geoctrl, in floats.

A motion is run over the period that is told: it has to close, to keep what it is said to keep, and, with
differences of runs from beside it, to attract or to repel. Along a curve of rest points are solved for on
both sides of where it is said to turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.integrate import DOP853
from scipy.linalg import null_space

from tests.attack.oracle.tables import NotJudgedError, Table

ORBITS = ("periodic orbit that attracts", "periodic orbit that repels")
FOLD = "turning point"
RADIUS = Fraction(1, 2**12)
"""Boxes of larger radii are more than what is run here."""
CLOSED, SLOPE, RATES = 1e-3, 1e-2, 6000
"""What floats, and the box, leave of a motion that closes and of a multiplier one; rates after which a run
ends."""
BESIDE = 1e-5
"""Of differences, in sizes of the states."""
AWAY = 1e-2
"""Along a curve of rest, in sizes of the states."""
SEEN = 1e-9
"""Change along it that is more than rounding."""


def curve_falsehood(content: Mapping[str, Any], verdict: str) -> str:
    """What is false in what is said of a file's orbit or fold; nothing where it is true.

    Raises
    ------
    NotJudgedError
        For a problem that is not understood here.
    """
    table, theorem = Table(content["problem"], content.get("roots", [])), content["theorem"]
    if not table.honest:
        return "states, inputs, parameters and unknowns are not distinct symbols"
    try:
        if theorem["name"] == FOLD:
            return _of_fold(table, theorem)
        return _of_orbit(table, theorem, verdict)
    except (OverflowError, ZeroDivisionError, np.linalg.LinAlgError) as error:
        raise NotJudgedError(str(error)) from error


# -- orbits -----------------------------------------------------------------------------------------------


def _end(table: Table, x: np.ndarray, time: float) -> np.ndarray:
    run = DOP853(
        lambda _, y: table.in_floats(table.problem["field"], y), 0.0, x, time, rtol=1e-10, atol=1e-12
    )
    while run.status == "running" and run.nfev < RATES:
        run.step()
    if run.status != "finished":
        raise NotJudgedError("a run that is too long")
    return run.y


def _of_orbit(table: Table, theorem: Mapping[str, Any], verdict: str) -> str:
    sizes = np.array([2.0**e for e in theorem["units"]])
    *x, time = sizes * [float(Fraction(q)) for q in theorem["start"]]
    x, sizes, n = np.array(x), sizes[:-1], len(x)
    if Fraction(theorem["radius"]) > RADIUS:
        raise NotJudgedError("the orbit is somewhere in a box that is no point in floats")
    if time <= 0:
        return "a period that is not positive"
    end = _end(table, x, time)
    if np.max(np.abs(end - x) / sizes) > CLOSED:
        return "the motion does not close"
    problem = table.problem
    places = [(problem["leaf"] | problem["invariants"])[k] for k in theorem["rows"]]
    if np.max(np.abs(table.in_floats(list(problem["leaf"].values()), x)), initial=0.0) > CLOSED:
        return "it is not on the leaf"
    moved = np.eye(n) * BESIDE * sizes
    pairs = [(_end(table, x + d, time), _end(table, x - d, time)) for d in moved]
    Phi = np.array([(a - b) / (2 * BESIDE) / sizes for a, b in pairs]).T  # of states over sizes
    slopes = [(table.in_floats(places, x + d) - table.in_floats(places, x - d)) / (2 * BESIDE) for d in moved]
    W = null_space(np.array(slopes).T, rcond=1e-6) if places else np.eye(n)
    f = W.T @ (table.in_floats(problem["field"], x) / sizes)
    across = null_space(f[None, :])
    found = np.abs(np.linalg.eigvals(across.T @ (W.T @ Phi @ W) @ across)) if len(f) > 1 else np.zeros(0)
    largest = float(np.max(found, initial=0.0))
    if verdict == "PROVED_UNSTABLE" and largest < 1 - SLOPE:
        return f"{verdict}, but the largest multiplier has the size {largest:.3g}"
    if verdict != "PROVED_UNSTABLE" and largest > 1 + SLOPE:
        return f"{verdict}, but a multiplier has the size {largest:.3g}"
    return ""


# -- folds ------------------------------------------------------------------------------------------------


def _of_fold(table: Table, theorem: Mapping[str, Any]) -> str:
    if any(Fraction(r) > RADIUS for r in theorem["radii"]):
        raise NotJudgedError("the fold is somewhere in a box that is no point in floats")
    problem, labels = table.problem, list(table.problem["states"])
    x = np.array([float(v) for v in table.point])
    places = [*problem["field"], *problem["leaf"].values()]
    free = [i for i, k in enumerate(labels) if k not in theorem["held"]]
    size = np.maximum(1.0, np.abs(x))
    if np.max(np.abs(table.in_floats(places, x))) > CLOSED:
        return "the point is no equilibrium on the leaf"
    J = _slopes(table, places, x, free, size)
    _, values, rows = np.linalg.svd(J)
    values = np.concatenate([values, np.zeros(len(free) - len(values))])
    if values[-1] > SLOPE * values[0] or (len(free) > 1 and values[-2] < 1e-6 * values[0]):
        return "rest is no curve"
    tangent, along = rows[-1], free.index(labels.index(theorem["along"]))
    if abs(tangent[along]) > 10 * CLOSED:
        return f"it goes on along {theorem['along']}"
    ends = [_rest(table, places, x, (free, tangent * step, size)) for step in (AWAY, -AWAY)]
    turned = [(end[free[along]] - x[free[along]]) / size[free[along]] for end in ends]
    if turned[0] * turned[1] <= 0 and max(map(abs, turned)) > SEEN:
        return f"{theorem['along']} goes on beyond it"
    return ""


def _slopes(table: Table, places: list[int], x: np.ndarray, free: list[int], size: np.ndarray) -> np.ndarray:
    columns = []
    for i in free:
        d = np.zeros(len(x))
        d[i] = BESIDE * size[i]
        columns.append((table.in_floats(places, x + d) - table.in_floats(places, x - d)) / (2 * BESIDE))
    return np.array(columns).T


def _rest(table: Table, places: list[int], x: np.ndarray, away: tuple) -> np.ndarray:
    """The point of rest in the plane across the curve at a step from a point."""
    free, step, size = away
    point = x.copy()
    point[free] += step * size[free]
    normal = step / np.linalg.norm(step)
    for _ in range(20):
        J = np.vstack([_slopes(table, places, point, free, size), normal])
        change = np.linalg.lstsq(J, np.append(table.in_floats(places, point), 0.0), rcond=1e-10)[0]
        point[free] -= change * size[free]
        if np.linalg.norm(change) < 1e-13:
            break
    return point
