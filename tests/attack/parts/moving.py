"""Files about equilibria that a parameter moves, with other numbers, nodes and cells.

What is confirmed of one is judged without geoctrl, in floats at points of its range: by differences of the
field on the leaf, and of the members by the parameter.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from scipy.linalg import eigh

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.schedules.moving_bound import bound_over_pieces
from tests.attack.forge.mutations import ANYWHERE, Mutator, pick
from tests.attack.forge.other_witnesses import move_number, other_node, scale_block, scale_number
from tests.attack.oracle.tables import NotJudgedError, Table
from tests.attack.outcome import Outcome, raw
from tests.attack.parts.certificates import words

STREAM, POINTS, STEP, SLACK = 50021, 40, 1e-5, 1e-5
"""Of the dice; places in the range; of differences; what these leave of an inequality."""


def other_cells(data: dict, rng: np.random.Generator) -> str:
    """A larger cell, a smaller one, or no tree."""
    cells = data["theorem"]["cells"]
    other = pick(rng, (".", f"+{cells}.", cells[1:], f"{cells}.", "+..", "", "+", "x"))
    data["theorem"]["cells"] = other
    return f"cells {other}"


def other_range(data: dict, rng: np.random.Generator) -> str:
    """The parameter within another interval, at another rate."""
    theorem = data["theorem"]
    low, high = (Fraction(q) for q in theorem["axes"][theorem["moves"]])
    width = high - low
    theorem["axes"][theorem["moves"]] = pick(
        rng,
        [[str(low - width / 5), str(high)], [str(high), str(low)], [str(low), str(low + width / 2)]],
    )
    return f"range {theorem['axes']}"


def other_piece(data: dict, rng: np.random.Generator) -> str:
    """A further piece that is not there, comes twice or first, or has another form, place or number."""
    further = data["theorem"]["further"]
    own = further[int(rng.integers(len(further)))]["theorem"]
    change = pick(rng, ("none", "twice", "first", "form", "place", "decay", "axis"))
    if change == "none":
        further.pop()
    elif change == "twice":
        further.append(copy.deepcopy(further[-1]))
    elif change == "first":
        mine = data["theorem"] | {"cells": own["cells"]}
        further[0]["theorem"] = {k: v for k, v in mine.items() if k != "further"}
    elif change == "form":
        entry = own["P"][0][0]
        entry[0] = str(Fraction(entry[0]) * Fraction(101, 100))
    elif change == "place":
        own["axes"][own["moves"]] = [str(Fraction(q) + Fraction(1, 8)) for q in own["axes"][own["moves"]]]
    elif change == "decay":
        own["decay"] = str(Fraction(own["decay"]) * Fraction(9, 10))
    else:
        problem = further[0]["problem"]
        problem["states"] = dict(zip(problem["states"], [*problem["states"].values()][::-1], strict=True))
    return f"piece {change}"


CHANGES: tuple[Mutator, ...] = (
    scale_number, scale_number, scale_number, scale_block, move_number, other_node, other_cells, other_range,
    other_piece, *ANYWHERE,
)  # fmt: skip


@cache
def pulled(time: int = 1, damping: int = 2) -> gc.ReducedSystem:
    """A mass on a spring with a damper, of which the far end s is moved: e'' + 2 e' + 2 e = -s''.

    ``time`` is the unit of time in seconds; ``damping`` may be another one.
    """
    x, s = gc.Coordinate("x"), gc.Parameter("s", 0.0)
    return gc.EulerPoincare(
        name="pulled", shape=[x], inertia=[[1]], parameters=[s],
        potential=time**2 * (x.symbol - s.symbol) ** 2, forces=[-damping * time * x.rate],
        equilibria={"pulled": gc.Family({"x": s.symbol})},
    ).reduce()  # fmt: skip


@cache
def compass() -> gc.ReducedSystem:
    """A needle on the leaf |Gamma| = 1 that is drawn to the direction (sin s, cos s)."""
    plane, s = gc.so2(), gc.Parameter("s", 0.0)
    needle = gc.AdvectedVector("Gamma", reference=(0, 1))
    a, b = needle.symbols
    direction = {"Gamma1": sp.sin(s.symbol), "Gamma2": sp.cos(s.symbol)}
    return gc.EulerPoincare(
        name="compass", algebra=plane, advected=[needle], inertia=[[1]], parameters=[s],
        forces=[-2 * plane.xi[0] - 2 * (a * direction["Gamma2"] - b * direction["Gamma1"])],
        equilibria={"drawn": gc.Family(direction)},
    ).reduce()  # fmt: skip


@cache
def genuine() -> list[dict[str, Any]]:
    """Files to begin with."""
    found = [
        gc.bound_while_moving(pulled(), "pulled", "s", (-1, 2), 0.5),
        gc.bound_while_moving(compass(), "drawn", "s", (-0.5, 0.5), 0.25),
        bound_over_pieces([(pulled(), (-1, 0.5)), (pulled(damping=3), (0.5, 2))], "pulled", "s", 0.5),
    ]
    return [bound.to_dict() for bound in found]


def falsehood(content: Mapping[str, Any], rng: np.random.Generator) -> str:
    """What is false in the bound of a file; nothing where it is true as far as numbers tell.

    Raises
    ------
    NotJudgedError
        For a problem that is not understood here.
    """
    pieces = [(content["problem"], content["theorem"])]
    pieces += [(piece["problem"], piece["theorem"]) for piece in content["theorem"].get("further", ())]
    for problem, theorem in pieces:
        if problem["inputs"]:
            return "a loop with inputs"
        for _ in range(POINTS):
            values = _numbers(problem, theorem)
            for k, (low, high) in theorem["axes"].items():
                values[k] = float(Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(rng.random()))
            if fault := _fault_at(problem, theorem, values):
                return f"{fault} at {values}"
    return next(filter(None, (_fault_between(*pair) for pair in pairwise(pieces))), "")


def _numbers(problem: Mapping[str, Any], theorem: Mapping[str, Any]) -> dict[str, float]:
    return {k: float(Fraction(q)) for k, q in {**problem["parameters"], **theorem["symbols"]}.items()}


def _fault_between(first: tuple, second: tuple) -> str:
    """What is false where two pieces should meet, in the middle of axes that stand still."""
    (_, one), (_, other) = first, second
    s, ends = (
        one["moves"],
        [[Fraction(q) for q in theorem["axes"][theorem["moves"]]] for theorem in (one, other)],
    )
    if ends[0][1] != ends[1][0] or any(one[k] != other[k] for k in ("rate", "decay", "reach", "within")):
        return "pieces that do not follow each other with one bound"
    found = []
    for (problem, theorem), t in zip((first, second), (1.0, -1.0), strict=True):
        middles = {k: float(Fraction(a) + Fraction(b)) / 2 for k, (a, b) in theorem["axes"].items()}
        values = _numbers(problem, theorem) | middles | {s: float(ends[0][1])}
        found.append((_form(theorem, t, 1.0)[0], _members(problem, values)))
    (P, x), (Q, y) = found
    if np.max(np.abs(P - Q)) > SLACK * np.max(np.abs(P)) or np.max(np.abs(x - y)) > SLACK:
        return "forms or members that jump where pieces meet"
    return ""


def _table(problem: Mapping[str, Any], values: Mapping[str, float]) -> Table:
    nodes = [[*node[:2], "parameter"] if node[0] == "sym" and node[2] == "family" else node
             for node in problem["nodes"]]  # fmt: skip
    held = {k: Fraction(v) for k, v in values.items()}
    return Table({**problem, "nodes": nodes, "parameters": held})


def _members(problem: Mapping[str, Any], values: Mapping[str, float]) -> np.ndarray:
    table = _table({**problem, "states": {}, "unknowns": []}, values)
    return table.in_floats([*problem["states"].values()], [])


def _fault_at(problem: Mapping[str, Any], theorem: Mapping[str, Any], values: dict[str, float]) -> str:
    labels, free, s = [*problem["states"]], theorem["chart"]["free"], theorem["moves"]
    x = _members(problem, values)
    table = _table({**problem, "states": dict.fromkeys(labels, "0")}, values)
    field, leaf = (lambda y: table.in_floats(problem["field"], y)), [*problem["leaf"].values()]
    n, fixed = len(labels), [i for i, k in enumerate(labels) if k not in free]
    turns = [labels.index(k) for k in free]
    steps = STEP * np.eye(n)
    if np.max(np.abs(field(x))) > SLACK:
        return "a member that moves by itself"
    J = np.array([(field(x + h) - field(x - h)) / (2 * STEP) for h in steps]).T
    W = np.zeros((n, len(free)))
    W[turns] = np.eye(len(free))
    if leaf:
        g = lambda y: table.in_floats(leaf, y)  # noqa: E731
        D = np.array([(g(x + h) - g(x - h)) / (2 * STEP) for h in steps]).T
        other = _table({**problem, "states": dict.fromkeys(labels, "0")}, values | {s: values[s] + 0.1})
        if np.max(np.abs(g(x))) > SLACK or np.max(np.abs(other.in_floats(leaf, x) - g(x))) > SLACK:
            return "a member off the leaf, or a leaf that moves"
        W[fixed] = -np.linalg.solve(D[:, fixed], D[:, turns])
    B = (J @ W)[turns]
    ends = [_members(problem, values | {s: values[s] + h}) for h in (STEP, -STEP)]
    v = (ends[0] - ends[1])[turns] / (2 * STEP)
    low, high = (float(Fraction(q)) for q in theorem["axes"][s])
    P, slope = _form(theorem, (values[s] - (low + high) / 2) / ((high - low) / 2), (high - low) / 2)
    a, r, c = (float(Fraction(theorem[k])) for k in ("decay", "rate", "reach"))
    if np.min(np.linalg.eigvalsh(P)) <= 0:
        return "a form that is not positive"
    for sense in (1, -1):
        if np.min(eigh(-(P @ B + B.T @ P) - 2 * a * P - sense * r * slope, P)[0]) < -SLACK * (1 + a):
            return "a form that does not fall"
    if v @ P @ v > c * c * (1 + SLACK):
        return "a member that moves farther"
    spread = np.diag(np.linalg.inv(P))
    wide = [k for k, w in theorem["within"].items()
            if spread[free.index(k)] > float(Fraction(w)) ** 2 * (1 + SLACK)]  # fmt: skip
    return f"wider deviations of {', '.join(wide)}" if wide else ""


def _form(theorem: Mapping[str, Any], t: float, half: float) -> tuple[np.ndarray, np.ndarray]:
    n = len(theorem["P"])
    P, slope = np.zeros((n, n)), np.zeros((n, n))
    for i, row in enumerate(theorem["P"]):
        for j, c in enumerate(row):
            numbers = [float(Fraction(q)) for q in c]
            P[i, j] = P[j, i] = sum(q * t**k for k, q in enumerate(numbers))
            slope[i, j] = slope[j, i] = sum(k * q * t ** (k - 1) for k, q in enumerate(numbers) if k) / half
    return P, slope


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return len(genuine())


def case(seed: int, index: int, options: dict[str, Any] | None = None) -> Outcome:
    """One file with one to three changes."""
    del options
    rng = np.random.default_rng([seed + STREAM, index])
    data, told = copy.deepcopy(genuine()[index % len(genuine())]), []
    for _ in range(int(rng.integers(1, 4))):
        try:
            told.append(pick(rng, CHANGES)(data, rng))
        except (LookupError, AttributeError, StopIteration, TypeError, ValueError, ZeroDivisionError):
            continue  # there is nothing of the kind
    kind, note, begun = "moving members", "; ".join(told)[:200], time.process_time()
    try:
        data["digest"] = checker.digest_of(data)
        report = checker.check(data)
    except (TypeError, ValueError, RecursionError):
        return Outcome(kind, "refused", f"{note} -> no content of a file")
    except checker.Refusal as refusal:
        seconds = time.process_time() - begun
        return Outcome(
            kind, "refused", f"{note} -> {refusal}"[:300], seconds, detail={"words": words(str(refusal))}
        )
    except Exception as error:
        return raw(kind, error)
    seconds = time.process_time() - begun
    if data["theorem"]["name"] != "moving member":
        return Outcome(kind, "unjudged", f"{note} -> {report.verdict}", seconds)
    try:
        wrong = falsehood(data, rng)
    except (NotJudgedError, ArithmeticError, KeyError, np.linalg.LinAlgError) as error:
        return Outcome(kind, "unjudged", f"{note} -> {error}", seconds)
    return Outcome(
        kind, "contradiction" if wrong else "held", f"{note} -> {wrong or report.verdict}", seconds
    )
