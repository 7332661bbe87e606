r"""Forged regions: a function that is conserved about the point, and not all over the cells of the file.

Each is an oscillator :math:`\dot x = 0`, :math:`\dot q = v`, :math:`\dot v = -k q + g(x)\, v` with the energy
B, and a function that is B about the point:

two sheets   on the leaf (x - a)(x - b) = 0 it is (x - b) B/(x - b), and g vanishes where x = a alone;
root         with r = sqrt(x^2) it is (r + x) B/(r + x), and g vanishes where x > 0 alone;
choice       it is B or a multiple of -B, by a choice of q;
choice of x  it is B or a multiple of -B, by a choice of x.

Where the box holds the point's side alone the first two are regions, which have to be confirmed; all that is
confirmed is held against runs that begin at the edge.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.set_witnesses.sublevel_witnesses import sublevel_content
from geoctrl.checker import Refusal, prove
from geoctrl.checker.reader import FORMAT, VERSION
from geoctrl.checker.sublevels.file import SublevelRegion
from tests.attack.draw.dice import Dice
from tests.attack.oracle.tables import Table
from tests.attack.outcome import Outcome, raw

STREAM = 88451
KINDS = ("two sheets", "root", "choice", "choice of x")
HALVINGS, FEW = 10, 4
"""Of the box; so few that a cell holds both sides."""
STARTS, LONG, SLACK, DRAWS, FAST = 8, 6.0, 1e-6, 400, 10.0
"""Runs of a file that is confirmed, their time, by how much a level may be passed, draws of starts, and the
velocity where none brings them to the level."""


def case(seed: int, index: int) -> Outcome:
    """One file, asked of the checker, and runs from the edge of its set where that is confirmed."""
    dice = Dice(seed + STREAM, index)
    return judged(dice, dice.pick(KINDS), dice.chance(0.6))


def judged(dice: Dice, kind: str, wide: bool) -> Outcome:
    """A file of some kind, of which the box reaches the other side or not."""
    told = f"forged region: {kind}, {'both sides' if wide else 'one side'}"
    data = drawn(dice, kind, wide)
    begun = time.process_time()
    try:
        region = confirmed(data)
    except (gc.CertificateError, Refusal) as error:
        genuine = not wide and not kind.startswith("choice")
        result, note = ("contradiction", "a region is refused: ") if genuine else ("refused", "")
        return Outcome(told, result, f"{note}{str(error)[:200]}", time.process_time() - begun)
    except Exception as error:
        return raw(told, error)
    seconds = time.process_time() - begun
    problem = broken(data, region, dice)
    return Outcome(told, "contradiction" if problem else "proved", problem, seconds)


def drawn(dice: Dice, kind: str, wide: bool) -> dict[str, Any]:
    """A file's content; its box and its set reach the other side, or not."""
    k, c, a, level = (dice.positive() for _ in range(4))
    b = -a * dice.positive()
    nodes = Nodes("x", "q", "v")
    x, q, v = range(3)
    squares = nodes.total((k / 2, nodes.product((q, 2))), ("1/2", nodes.product((v, 2))))
    away = nodes.total((1, x), (-a, nodes.number(1)))
    other = nodes.total((1, x), (-b, nodes.number(1)))
    rest, leaf, reach = nodes.number(0), {}, (5 * (a - b) if wide else a / 2)
    if kind == "two sheets":
        slope, leaf = nodes.product((away, 1), factor=-c), {"sheets": nodes.product((away, 1), (other, 1))}
        energy = nodes.product((other, 1), (squares, 1), (other, -1))
    elif kind == "root":
        root = nodes.function("sqrt", nodes.product((x, 2)))
        slope, twice = nodes.total((c, root), (-c, x)), nodes.total((1, root), (1, x))
        energy = nodes.product((twice, 1), (squares, 1), (twice, -1))
    else:
        less = nodes.product((squares, 1), factor=-10 * (1 + c))
        side = x if kind == "choice of x" else nodes.total((a, nodes.number(1)), (-1, q))
        slope, energy = rest, nodes.function("select", side, squares, less)
    # Where no leaf holds x, its square keeps it within half of the reach.
    hill = nodes.product((away, 2), factor=4 * level / reach**2)
    field = [rest, v, nodes.total((-k, q), (1, nodes.product((slope, 1), (v, 1))))]
    coarse = wide and dice.chance(0.7)
    edge = (8 if coarse else 2) * (1 + int((2 * level / k) ** 0.5))
    return content(
        nodes,
        {"x": str(a), "q": "0", "v": "0"},
        field,
        {"energy": energy, "hill": hill},
        function=nodes.total((1, squares), (1, hill)),
        sides={"x": [str(a - reach), str(a + reach)], "q": [str(-edge), str(edge)]},
        level=str(level),
        cells=tree(FEW if coarse else HALVINGS),
        leaf=leaf,
    )


def content(
    nodes: Nodes,
    states: dict[str, str],
    field: list[int],
    invariants: dict[str, int],
    function: int,
    sides: dict[str, list[str]],
    level: str,
    cells: str,
    leaf: dict[str, int] | None = None,
) -> dict[str, Any]:
    """The content of a file with the velocity v and the energy first among the invariants, all of which count
    once; with the cofactors that there are.
    """
    energy, *others = invariants
    problem: dict[str, Any] = {
        "nodes": nodes.rows,
        "states": states,
        "inputs": {},
        "parameters": {},
        "unknowns": [],
        "matrix": [],
        "right": [],
        "field": field,
        "leaf": leaf or {},
        "invariants": invariants,
        "weights": {},
    }
    asked = {
        "energy": energy,
        "sense": 1,
        "multipliers": dict.fromkeys(others, "1"),
        "function": function,
        "held": {},
        "domain": [],
        "limits": {},
        "velocities": ["v"],
    }
    head = {"format": FORMAT, "version": VERSION, "software": "", "system": "oscillator"}
    try:
        found = sublevel_content(head, problem | {"kind": "equations"}, asked)
    except (NotSolved, checker.Refusal):
        basis = {"rows": [], "free": list(states), "inverse": []}
        witness = {"roots": [], "inverse": [], "cofactors": {}}
        theorem = asked | {"name": "sublevel", "leaf": basis, "cofactors": []}
        found = head | {"problem": problem, "witness": witness, "theorem": theorem}
    found["theorem"] |= {"sides": sides, "level": level, "cells": cells}
    return found


def confirmed(data: dict[str, Any]) -> SublevelRegion:
    """The region of a file; refused where the checker refuses it."""
    data["digest"] = checker.digest_of(data)
    found: SublevelRegion = prove(data).told["region"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "region.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        gc.verify(path)
    return found


def tree(halvings: int) -> str:
    """The letters of a box that is halved so often everywhere."""
    return "." if not halvings else "+" + 2 * tree(halvings - 1)


class Nodes:
    """A table of nodes, the states first."""

    def __init__(self, *states: str) -> None:
        self.rows: list[list] = [["sym", name, "state"] for name in states]

    def _add(self, *row: Any) -> int:
        self.rows.append(list(row))
        return len(self.rows) - 1

    def number(self, q: Any) -> int:
        return self._add("num", str(q))

    def product(self, *powers: tuple[int, int], factor: Any = 1) -> int:
        return self._add("prod", str(factor), [list(power) for power in powers])

    def total(self, *terms: tuple[Any, int]) -> int:
        return self._add("sum", [[self.number(c), place] for c, place in terms])

    def function(self, name: str, *arguments: int) -> int:
        return self._add("fun", name, list(arguments))


# -- runs ---------------------------------------------------------------------------------------------------


def broken(data: dict[str, Any], region: SublevelRegion, dice: Dice) -> str:
    """What a run from the edge of a set does that it must not do."""
    table, level = Table(data["problem"]), _value(data["theorem"]["level"])
    function, field = Function(data, table), data["problem"]["field"]
    sides = [[tuple(map(_value, side)) for side in node.cell] for node in region.inside]
    for start in starts(data, table, function, sides, level, dice):
        run = solve_ivp(lambda _, x: table.in_floats(field, x), (0, LONG), start, rtol=1e-8, atol=1e-10)
        for x in run.y.T:
            within = any(all(a <= c <= b for c, (a, b) in zip(x, cell, strict=False)) for cell in sides)
            if not within or function(x) > level * (1 + SLACK):
                return f"from {start.tolist()} it leaves: {x.tolist()}, {function(x)} of {level}"
    return ""


class Function:
    """The function that a file tells; where its invariants divide by zero, as it is written besides."""

    def __init__(self, data: dict[str, Any], table: Table) -> None:
        self._table, self._other = table, [data["theorem"]["function"]]
        self._told = list(data["problem"]["invariants"].values())

    def __call__(self, x: Any) -> float:
        try:
            return float(sum(self._table.in_floats(self._told, x)))
        except ZeroDivisionError:
            return float(sum(self._table.in_floats(self._other, x)))


def starts(
    data: dict[str, Any], table: Table, function: Function, sides: list, level: float, dice: Dice
) -> Iterator[np.ndarray]:
    """States on the leaf over cells, with a velocity that brings them to the level."""
    leaf, made = list(data["problem"]["leaf"].values()), 0
    for _ in range(DRAWS):
        cell = dice.pick(sides)
        x, q = (float(dice.rng.uniform(a, b)) for a, b in cell)
        if leaf:
            if not (found := list(_roots(table, leaf[0], cell[0]))):
                continue
            x = dice.pick(found)
        if (rest := function([x, q, 0.0])) > level:
            continue
        unit = function([x, q, 1.0]) - rest
        room = (level - rest) / unit if unit > 0 else FAST**2
        yield np.array([x, q, dice.pick([-1, 1]) * room**0.5 * (1 - SLACK)])
        made += 1
        if made == STARTS:
            return


def _roots(table: Table, place: int, side: tuple[float, float]) -> Iterator[float]:
    """Zeros of a quadratic relation in x within an interval."""
    y = [float(table.in_floats([place], [x, 0.0, 0.0])[0]) for x in (-1.0, 0.0, 1.0)]
    roots = np.roots([(y[2] + y[0]) / 2 - y[1], (y[2] - y[0]) / 2, y[1]])
    return (float(r.real) for r in roots if side[0] <= r.real <= side[1])


def _value(q: Any) -> float:
    return float(Fraction(str(q)))
