"""Claims read back: leaf, law, point and numbers from the words alone, against the nodes at random
numbers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.reader import EQUATIONS, conform, label
from geoctrl.checker.theorems.boxes import BOX
from geoctrl.checker.theorems.held_loop import LOOP
from geoctrl.checker.verdicts import Found
from geoctrl.checker.words.point_words import claim_of_point
from tests.attack.build.building import build, parameters_of
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import draw
from tests.attack.oracle.claim_reading import (
    LONG,
    Long,
    Reader,
    UnreadError,
    digest,
    evaluate,
    functions,
    leaf,
    point_claim,
)
from tests.attack.oracle.tables import Roots
from tests.attack.outcome import Outcome, refusal

CLAIMS = 770071
"""A stream of their own."""
WRITTEN, DRAWN = 0.8, 0.12
"""Shares of tables that are written at random, and of systems that are drawn; the rest are the
catalogue's."""
TRIES = 20
"""Numbers that are tried until nothing is divided by zero."""
NAMES = (
    "x", "y2", "v_dot", "a b", "x = 0 of 'top', on the leaf y", "1", "2*x", "sin", "double", "q^-1", "phi)",
    "it's", 'say "x"', "back\\slash", "γ", "x - y", "phi - atan2(3, 4)", "phi - 3*pi/2", "phi - pi + pi",
    "theta of the controller", "w" * 300, "two words" * 40,
)  # fmt: skip


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + CLAIMS, index)
    draw_ = float(dice.rng.random())
    kind = "tables" if draw_ < WRITTEN else "systems" if draw_ < WRITTEN + DRAWN else "catalogue"
    begun = time.process_time()
    try:
        data = MAKERS[kind](seed, index, dice)
        fault = at_odds(data, dice.rng)
        outcome = Outcome(kind, "contradiction" if fault else "held", fault)
        if fault:
            outcome.detail["claim"] = data["claim"]
    except Exception as error:
        outcome = refusal(kind, error)
    outcome.seconds = time.process_time() - begun
    return outcome


# -- claims -------------------------------------------------------------------------------------------------


def written(seed: int, index: int, dice: Dice) -> dict[str, Any]:
    """A claim about a table of random nodes, which nobody has to prove."""
    del seed, index
    rng = dice.rng
    labels = [str(n) for n in rng.choice(NAMES, int(rng.integers(2, 6)), replace=False)]
    nodes: list[list[Any]] = [["sym", label, "state"] for label in labels]
    for _ in range(int(rng.integers(3, 25))):
        nodes.append(_node(len(nodes), dice))
    problem: dict[str, Any] = {
        "nodes": nodes,
        "states": {k: _number(dice) for k in labels},
        "inputs": {},
        "parameters": {},
        "unknowns": [],
        "matrix": [],
        "right": [],
        "field": [0] * len(labels),
        "leaf": {f"g{i}": int(rng.integers(len(nodes))) for i in range(int(rng.integers(0, 3)))},
        "invariants": {},
        "weights": {},
    }
    theorem: dict[str, Any] = {"rows": [k for k in problem["leaf"] if dice.chance(0.7)]}
    if dice.chance(0.3):
        commands, own = labels[:1], labels[1:] if dice.chance(0.3) else []
        law = {k: int(rng.integers(len(nodes))) for k in (*commands, *own)}
        theorem["loop"] = {
            "hold": dice.pick(["1/100", str(Fraction(0.01)), "1/3"]),
            "late": int(rng.integers(3)),
            "part": dice.pick(["0", "1/4"]),
            "commands": {k: law[k] for k in commands},
            "own": {k: law[k] for k in own},
            "units": [],
            "cofactors": [],
        }
        found: tuple[str, str] = ("PROVED_ASYMPTOTICALLY_STABLE", "multipliers of one hold")
        told: dict[str, Any] = {}
    else:
        found, told = ("PROVED_STABLE", "energy-Casimir"), {}
        if dice.chance(0.3):
            names = ["energy", "of motion, is unstable", "p = 2"][: int(rng.integers(1, 4))]
            problem["invariants"] = {k: int(rng.integers(len(nodes))) for k in names}
            found = "PROVED_STABLE", "spectrum on the level sets of the invariants"
            told = {"zero_modes": [*names, *(["J1"] if dice.chance(0.2) else [])]}
        if dice.chance(0.3):
            sizes = [dice.pick(SIZES) for _ in labels[1:]]
            radii = sizes if dice.chance(0.5) else sizes[:1] * len(sizes)
            theorem["box"] = {"held": labels[:1], "radii": radii, "Y": []}
            problem["states"][labels[-1]] = dice.pick(["1/2", "-1/1000000000000000000000000000000000000"])
    system = dice.pick(["body", "it's", 'a "b"', "top, on the leaf x = 0, is stable", ""])
    data = {"system": system, "problem": problem, "theorem": theorem}
    read = data | {"problem": conform(problem, EQUATIONS), "theorem": conform(theorem, SAID)}
    return data | {"claim": claim_of_point(read, Found(*found, told))}


def _node(count: int, dice: Dice) -> list[Any]:
    rng = dice.rng

    def place() -> int:
        return int(rng.integers(max(0, count - 8), count))

    kind = dice.pick(["num", "prod", "prod", "prod", "sum", "sum", "sum", "fun"])
    if kind == "num":
        return ["num", _number(dice)]
    if kind == "prod":
        factors = [[place(), int(rng.choice([-3, -2, -1, 1, 1, 2, 3]))] for _ in range(int(rng.integers(4)))]
        return ["prod", dice.pick(["1", "1", "-1", _number(dice)]), factors]
    if kind == "sum":
        return ["sum", [[place(), place()] for _ in range(int(rng.integers(4)))]]
    name, arity = dice.pick([("sin", 1), ("sqrt", 1), ("atan", 1), ("select", 3)])
    return ["fun", name, [place() for _ in range(arity)]]


def _number(dice: Dice) -> str:
    """A rational as a file has it: whole, a fraction, a double, with either sign."""
    near = float(dice.rng.normal())
    return str(
        dice.pick([dice.small(), Fraction(near), Fraction(round(near, 2)), Fraction(1, 3), Fraction(-2)])
    )


def drawn(seed: int, index: int, dice: Dice) -> dict[str, Any]:
    del dice
    mechanism = draw(seed + CLAIMS, index)
    built, params = build(mechanism), parameters_of(mechanism)
    return gc.certify(built.system, built.place(params), params).to_dict()


def catalogue(seed: int, index: int, dice: Dice) -> dict[str, Any]:
    del seed, index
    system: Any = None
    while system is None or not system.families:
        mechanism = gc.models.get(dice.pick(gc.models.names()))()
        if len(getattr(mechanism, "modes", None) or ()) > 1:  # and no families
            continue
        system = mechanism.reduce() if hasattr(mechanism, "reduce") else mechanism
    family = dice.pick(list(system.families))
    names = system.families[family].names
    point = system.equilibrium(family, **{name: float(dice.positive()) for name in names})
    return gc.certify(system, point).to_dict()


SIZES = ("1/1000000", str(Fraction(0.1)), "1/3", "2", *(str(Fraction(1, 2**bits)) for bits in (20, 60, 99)))
"""Radii of boxes."""
SAID = {"rows": [label], "loop?": LOOP, "box?": BOX}
"""What claims tell of a theorem."""
MAKERS = {"tables": written, "systems": drawn, "catalogue": catalogue}


# -- what they say ------------------------------------------------------------------------------------------


def at_odds(data: Mapping[str, Any], rng: np.random.Generator, claim: str = "") -> str:
    """What a claim about a point says that its file does not; empty if there is nothing.

    The claim is the one that the checker returns, where none is given.
    """
    problem, text = data["problem"], claim or data.get("claim") or checker.check(data).claim
    symbols = [node[1] for node in problem.get("nodes", []) if node[0] == "sym"]
    for _ in range(TRIES):
        numbers = {k: Fraction(int(rng.integers(1, 90)), int(rng.integers(1, 60))) for k in symbols}
        try:
            values = evaluate(problem.get("nodes", []), numbers)
            said = point_claim(text, numbers)
        except ZeroDivisionError:
            continue
        except UnreadError as error:
            return f"not read: {error}"
        return _compared(data, said, values)
    return ""


def leaf_of_set_at_odds(data: Mapping[str, Any], text: str, rng: np.random.Generator) -> str:
    """What the claim of a map, a region or an attracted set says of its leaf that is not so."""
    problem = data["problem"]
    symbols = [node[1] for node in problem["nodes"] if node[0] == "sym"]
    for _ in range(TRIES):
        numbers = {k: Fraction(int(rng.integers(1, 90)), int(rng.integers(1, 60))) for k in symbols}
        reader = Reader(text, numbers)
        reader.at = text.index("on the leaf ") + 3
        try:
            values, said = evaluate(problem["nodes"], numbers), leaf(reader)
            about_region = data.get("theorem", {}).get("name") == "sublevel"
            if (place := text.find(", where ", reader.at)) >= 0 and about_region:
                reader.at = place + len(", where ")
                if fault := functions_at_odds(problem, functions(reader), values):
                    return fault
            return leaf_at_odds(problem, said, values)
        except ZeroDivisionError:
            continue
    return ""


def functions_at_odds(
    problem: Mapping[str, Any], said: Mapping[str, Fraction | Long | None], values: list[Fraction]
) -> str:
    """Conserved functions that are said to be what they are not."""
    for name, told in said.items():
        place = problem["invariants"].get(name)
        # An integral over a shape has no formula in the file.
        if (place is None) != (told is None) or (told and not same(told, problem["nodes"], place, values)):
            return f"{name} is another function"
    return ""


def _compared(data: Mapping[str, Any], said: dict[str, Any], values: list[Fraction]) -> str:
    problem, theorem, roots = data["problem"], data.get("theorem", {}), Roots(data.get("roots", []))
    table, loop = problem.get("nodes", []), theorem.get("loop") or problem.get("held")
    if said["system"] != data.get("system", ""):
        return f"the system is {said['system']!r}"
    for part in ("parameters", "inputs"):
        if list(said.get(part, {})) != list(problem.get(part, {})):
            return f"{part} are {list(said.get(part, {}))}"
        for k, v in said.get(part, {}).items():
            if not roots.agree(problem[part][k], v):
                return f"{k} is {v}"
    if fault := _place_at_odds(problem["states"], theorem.get("box", {}), said, roots):
        return fault
    if loop:
        law = {k: (False, p) for k, p in loop["commands"].items()}
        law |= {k: (True, p) for k, p in loop["own"].items()}
        late = str(loop["late"] + Fraction(loop["part"]))
        hold = roots.agree(loop["hold"], said["hold"]) and roots.agree(late, said["late"])
        if list(law) != list(said["law"]) or not hold:
            return "the loop is another"
        for k, (rate, told) in said["law"].items():
            if rate != law[k][0] or not same(told, table, law[k][1], values):
                return f"the law of {k} is another"
    if fault := functions_at_odds(problem, said.get("functions", {}), values):
        return fault
    if "leaf" not in problem:
        return "" if "leaf" not in said else "there is no leaf"
    return leaf_at_odds(problem | ({"held": loop} if loop else {}), said["leaf"], values)


def _place_at_odds(
    states: Mapping[str, str], box: Mapping[str, Any], said: Mapping[str, Any], roots: Roots
) -> str:
    """What is said of the point, or of the box in which it lies, that is not so."""
    held = box.get("held", list(states))
    radii = dict(zip([k for k in states if k not in held], box.get("radii", []), strict=False))
    each, told = len({Fraction(r) for r in radii.values()}) > 1, said["point"]
    if (box.get("held") or []) != said.get("held", []) or each != ("radii" in said):
        return "the box is another"
    if unknown := [k for k in told if k not in states]:
        return f"there is no {unknown[0]}"
    nearly = {k for k, r in radii.items() if 0 < abs(roots.number(states[k])) < Fraction(r)}
    if not each and nearly != {*said.get("nearly", [])}:
        return f"near to zero are {said.get('nearly')}"
    for k, r in radii.items():
        size = str(Fraction(r) * (2 if k in nearly else 1))
        plain = said.get("radius") if k not in nearly else said.get("nearly_radius")
        if not roots.agree(size, said["radii"][k] if each else plain):
            return f"the radius of {k} is another"
    for k, v in states.items():
        if not roots.agree("0" if k in nearly else v, told.get(k, Fraction(0))):
            return f"{k} is {told.get(k, 0)}"
    return ""


def leaf_at_odds(problem: Mapping[str, Any], said: dict[str, Any], values: list[Fraction]) -> str:
    """What words say of a leaf that is not so."""
    table, places = problem["nodes"], list(problem["leaf"].values())
    if len(places) != len(said["relations"]):
        return f"the leaf has {len(places)} relations"
    for told, place in zip(said["relations"], places, strict=True):
        kind, *parts = table[place]
        inner = (
            [parts[1][0][0]]
            if kind == "prod" and [e for _, e in parts[1]] == [1] and Fraction(parts[0])
            else []
        )
        if not any(same(told, table, p, values) for p in (place, *inner)):
            return "a relation is another"
    held = problem.get("held", {})
    size = len(problem["states"]) - len(held.get("commands", ())) - len(held.get("own", ()))
    least = max(0, size - len(places))
    if not least <= said["dimension"] <= size or said["alone"] != (said["dimension"] == 0 and bool(places)):
        return f"the leaf has not the dimension {said['dimension']}"
    if said["exact"] and said["dimension"] and said["dimension"] != least:
        return "the dimension is told as exact"
    return ""


def same(told: Fraction | Long, table: list[Any], place: int, values: list[Fraction]) -> bool:
    """Whether what was read is a node: its number, or its digest."""
    if isinstance(told, Fraction):
        return told == values[place]
    return len(told[0]) == LONG and digest(table, place).startswith(told[1])
