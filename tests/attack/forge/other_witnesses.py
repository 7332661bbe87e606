"""Other witnesses and theorems in certificate files: what is given besides the equations.

Each change is made in place and says what it did, as in `other_equations`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl.checker import THEOREMS
from tests.attack.forge.mutations import ANYWHERE, Mutator, at, pick, places, put, remove
from tests.attack.forge.other_equations import append, power, some_node, vanishing

SCALES = ("0", "-1", "1/1000", "1001/1000", "2", "-1/2", "1000")
"""By which numbers are multiplied."""
CURVES = ("periodic orbit that attracts", "periodic orbit that repels", "turning point")
SETS = (
    "sublevel", "squares", "slopes", "map", "over", "moving member", "attraction over cells", "catch",
    "hybrid orbit that attracts", "hybrid orbit that repels", "slopes beside a family", "forms over cells",
)  # fmt: skip
NAMES = tuple(name for name in THEOREMS if name not in SETS)
PLAIN = ("power", "late", "half", "sense", "units", "series", "levels", "steps", "bits", "degree")
"""Keys below which whole numbers are no nodes."""


def is_number(value: Any) -> bool:
    """Whether it is a rational of a length that Python takes."""
    return isinstance(value, str) and bool(re.fullmatch(r"-?[0-9]{1,999}(/[1-9][0-9]{0,999})?", value))


def _given(data: dict, wanted: Any) -> list[tuple]:
    """Paths within witness and theorem at which there is something wanted."""
    paths = [(part, *path) for part in ("witness", "theorem") for path in places(data[part])]
    return [path for path in paths if wanted(at(data, path))]


def scale_number(data: dict, rng: np.random.Generator) -> str:
    path, scale = pick(rng, _given(data, is_number)), pick(rng, SCALES)
    put(data, path, str(Fraction(at(data, path)) * Fraction(scale)))
    return f"{path} times {scale}"


def scale_block(data: dict, rng: np.random.Generator) -> str:
    """All numbers of one matrix, table or list, such as a form or the multipliers."""
    holders = _given(data, lambda v: isinstance(v, (list, dict)))
    holder, scale = pick(rng, holders), Fraction(pick(rng, SCALES))
    for path in places(at(data, holder)):
        if is_number(old := at(at(data, holder), path)):
            put(at(data, holder), path, str(scale * Fraction(old)))
    return f"all of {holder} times {scale}"


def move_number(data: dict, rng: np.random.Generator) -> str:
    """A number of the file in the place of another one, or of the equations' values."""
    numbers = _given(data, is_number)
    values = [("problem", part, k) for part in ("states", "parameters") for k in data["problem"][part]]
    source, goal = pick(rng, [*numbers, *values]), pick(rng, numbers)
    put(data, goal, at(data, source))
    return f"{source} put at {goal}"


def other_node(data: dict, rng: np.random.Generator) -> str:
    """In place of a node any other one, its negative or square, one with a pole or one that vanishes."""
    problem = data["problem"]
    whole = _given(data, lambda v: type(v) is int)
    path = pick(rng, [p for p in whole if not {*p} & {*PLAIN}])
    place = at(data, path)
    style = pick(rng, ("any", "negative", "square", "pole", "vanishing", "none"))
    made = {
        "any": lambda: some_node(problem, rng),
        "negative": lambda: append(problem, "prod", "-1", [[place, 1]]),
        "square": lambda: power(problem, (place, 2)),
        "pole": lambda: power(problem, (place, 1), (vanishing(problem, rng), -1)),
        "vanishing": lambda: power(problem, (place, 1), (vanishing(problem, rng), 1)),
        "none": lambda: append(problem, "num", "0"),
    }[style]
    put(data, path, made())
    return f"{style} node at {path}"


def other_whole_number(data: dict, rng: np.random.Generator) -> str:
    """Powers, orders, senses, units, delays."""
    path = pick(rng, _given(data, lambda v: type(v) is int))
    put(data, path, pick(rng, (-1, 0, 1, 2, 3, -2, at(data, path) + 1, at(data, path) - 1)))
    return f"{at(data, path)} at {path}"


def other_cofactor(data: dict, rng: np.random.Generator) -> str:
    """Relations that are none, of other functions, of roots of numbers; fewer, more, twice."""
    rows = _given(
        data,
        lambda v: isinstance(v, list) and bool(v) and all(isinstance(r, list) and len(r) == 2 for r in v),
    )
    path = pick(rng, [p for p in rows if "cofactors" in p])
    row = at(data, path)
    style = pick(rng, ("relation", "root", "fewer", "twice", "more"))
    one = pick(rng, row)
    names = [*data["problem"]["leaf"], *data["problem"]["invariants"], *data["problem"]["states"]]
    if style == "relation":
        one[0] = pick(rng, [*names, int(rng.integers(len(data["problem"]["nodes"])))])
    elif style == "root":
        one[0] = -int(rng.integers(1, 5))
    elif style == "fewer":
        row.remove(one)
    elif style == "twice":
        row.append(copy.deepcopy(one))
    else:
        row.append([pick(rng, names), some_node(data["problem"], rng)])
    return f"cofactor at {path}: {style}"


def other_rows(data: dict, rng: np.random.Generator) -> str:
    """Rows and free states: fewer with an inverse that fits, more, exchanged, of what is not kept."""
    theorem, problem = data["theorem"], data["problem"]
    basis = theorem.get("leaf", theorem)
    rows, free, inverse = basis["rows"], basis["free"], basis["inverse"]
    fixed = [k for k in problem["states"] if k not in free]
    style = pick(rng, ("fewer", "more", "function", "exchange", "order"))
    if style == "fewer":
        i, j = int(rng.integers(len(rows))), int(rng.integers(len(fixed)))
        del rows[i], inverse[j]
        for row in inverse:
            del row[i]
        free.append(fixed[j])
    elif style == "more":
        rows.append(pick(rng, [*problem["invariants"], *problem["leaf"], *problem["states"]]))
        fixed = free.pop(int(rng.integers(len(free))))
        size = len(rows)
        inverse[:] = [[*row, "0"] for row in inverse] + [["0"] * (size - 1) + ["1"]]
    elif style == "function":
        rows[int(rng.integers(len(rows)))] = pick(rng, [*problem["invariants"], *problem["states"]])
    elif style == "exchange":
        i, j = int(rng.integers(len(fixed))), int(rng.integers(len(free)))
        free[j] = fixed[i]
    else:
        rng.shuffle(pick(rng, (rows, free, inverse)))
    return f"rows: {style}"


def other_multipliers(data: dict, rng: np.random.Generator) -> str:
    """Fewer, more, exchanged, of other functions."""
    multipliers, problem = data["theorem"]["multipliers"], data["problem"]
    style = pick(rng, ("fewer", "more", "exchange", "function"))
    names = list(multipliers)
    a, b = pick(rng, names), pick(rng, names)
    if style == "fewer":
        del multipliers[a]
    elif style == "more":
        multipliers[pick(rng, [*problem["invariants"], *problem["leaf"]])] = pick(rng, ("1", "-1"))
    elif style == "exchange":
        multipliers[a], multipliers[b] = multipliers[b], multipliers[a]
    else:
        multipliers[pick(rng, [*problem["invariants"], *problem["leaf"]])] = multipliers.pop(a)
    return f"multipliers: {style}"


def other_name(data: dict, rng: np.random.Generator) -> str:
    """Another theorem by the same parts; growth made of attraction and back, with the form's sign turned."""
    theorem = data["theorem"]
    old = theorem["name"]
    other = (
        old.replace("attraction", "growth") if "attraction" in old else old.replace("growth", "attraction")
    )
    style = pick(rng, ("any", "turned", "part"))
    if style == "turned" and other != old and "P" in theorem:
        theorem["name"] = other
        theorem["P"] = [[str(-Fraction(c)) for c in row] for row in theorem["P"]]
        grows = {"m": pick(rng, ("1/1000000000", "1")), "v": ["1", *["0"] * (len(theorem["P"]) - 1)]}
        for key in grows:
            theorem.pop(key, None)
        theorem |= grows if "growth" in other else {}
    elif style == "part":
        for key in [k for k in ("family", "box", "shape", "loop", "seen", "below", "steps") if k in theorem]:
            if rng.random() < 0.5:
                del theorem[key]
        theorem["name"] = pick(rng, NAMES)
    else:
        theorem["name"] = pick(rng, NAMES)
    return f"{old} called {theorem['name']}"


def other_roots(data: dict, rng: np.random.Generator) -> str:
    """Roots of nodes with another sign or value, of other nodes, none; other radicands; another spin."""
    roots = data["witness"]["roots"]
    style = pick(rng, ("sign", "value", "node", "none", "radicand", "spin"))
    if style == "spin":
        data["spin"] = [str(Fraction(v)) for v in rng.normal(size=3)]
    elif style == "radicand":
        radicands = data.setdefault("roots", [])
        if radicands and rng.random() < 0.5:
            radicands[int(rng.integers(len(radicands)))] = pick(rng, ("2", "4", "1/2", "3 + 1*r1", "0"))
        else:
            radicands.append(pick(rng, ("2", "4", "1", "2 + 1*r1")))
    elif style == "none":
        del roots[int(rng.integers(len(roots)))]
    elif style == "sign":
        one = pick(rng, roots)
        one[1] = one[1][1:] if one[1].startswith("-") else f"-{one[1]}"
    elif style == "value":
        pick(rng, roots)[1] = pick(rng, ("0", "1", "1/2", "1*r1"))
    else:
        pick(rng, roots)[0] = int(rng.integers(len(data["problem"]["nodes"])))
    return f"roots: {style}"


def other_label(data: dict, rng: np.random.Generator) -> str:
    """Names of states and functions within a theorem: others, fewer, twice."""
    problem = data["problem"]
    names = [*problem["states"], *problem["leaf"], *problem["invariants"], *problem["unknowns"]]
    paths = _given(data, lambda v: isinstance(v, str) and v in names)
    path = pick(rng, [p for p in paths if p[-1] != "name"])
    style = pick(rng, ("other", "fewer", "twice"))
    if style == "other":
        put(data, path, pick(rng, names))
    elif style == "fewer":
        remove(data, path)
    else:
        at(data, path[:-1]).append(at(data, path))
    return f"{style} name at {path}"


def other_catch(data: dict, rng: np.random.Generator) -> str:
    """Of a catch: laws exchanged, another time with its steps, wider starts or boxes, angles, levels."""
    theorem = data["theorem"]
    box, factor = pick(rng, theorem["boxes"]), Fraction(pick(rng, ("1/2", "11/10", "2", "16", "1024")))
    style = pick(rng, ("laws", "time", "radii", "sides", "turned", "levels", "limits"))
    if style == "laws":
        theorem["laws"], theorem["caught"] = theorem["caught"], theorem["laws"]
    elif style == "time":
        theorem["time"] = str(Fraction(theorem["time"]) * factor)
        for step in box["steps"]:
            step[1] = [[int(a - abs(a - b) * factor), int(b + abs(a - b) * factor)] for a, b in step[1]]
    elif style == "radii":
        box["radii"] = [str(Fraction(r) * factor) for r in box["radii"]]
    elif style == "sides":
        step = pick(rng, box["steps"])
        step[1] = [[int(a * factor), int(b * factor)] for a, b in step[1]]
    elif style == "turned":
        theorem["turned"] = [k for k in data["problem"]["states"] if rng.random() < 0.5]
    elif style == "levels":
        theorem["entry"] = str(Fraction(theorem["entry"]) * factor)
        own = theorem["region"]["theorem"]
        own["level"] = str(Fraction(own["level"]) * factor)
    else:
        theorem["limits"] = {k: str(Fraction(q) / factor) for k, q in theorem["limits"].items()}
        own = theorem["region"]["theorem"]["limits"]
        own |= {k: row | {"bound": str(Fraction(row["bound"]) / factor)} for k, row in own.items()}
    return f"catch: {style} by {factor}"


def drop_part(data: dict, rng: np.random.Generator) -> str:
    """Without one of the parts of a theorem or of its parts, or one of a list."""
    path = pick(rng, _given(data, lambda v: isinstance(v, (list, dict))))
    remove(data, path)
    return f"without {path}"


def anything_within(data: dict, rng: np.random.Generator) -> str:
    """At any place of witness or theorem."""
    part, mutator = pick(rng, ("witness", "theorem", "theorem")), pick(rng, ANYWHERE)
    return f"{part}: {mutator(data[part], rng)}"


def graft(data: dict, other: Mapping[str, Any], rng: np.random.Generator) -> str:
    """The theorem of another file, with the names of these states, and places that there are."""
    theirs, ours = (list(d["problem"]["states"]) for d in (other, data))
    named = {k: ours[i % len(ours)] for i, k in enumerate(theirs)}
    count = len(data["problem"]["nodes"])

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {named.get(k, k): moved(v) for k, v in value.items()}
        if isinstance(value, list):
            return [moved(v) for v in value]
        return value % count if type(value) is int and value >= count else named.get(str(value), value)

    whole = rng.random() < 0.5
    given = moved(other["theorem"])
    data["theorem"] = given if whole else data["theorem"] | given
    return f"{'the theorem' if whole else 'with parts'} of another file: {given['name']}"


WITNESSES: tuple[Mutator, ...] = (
    scale_number, scale_number, scale_block, scale_block, move_number, other_node, other_node,
    other_whole_number, other_cofactor, other_rows, other_rows, other_multipliers, other_name, other_name,
    other_roots, other_label, other_catch, other_catch, drop_part, anything_within, anything_within,
)  # fmt: skip
