"""Other families, falls, chains, symmetries and orders in proofs: what theorems are told.

Each change is made in place and says what it did, as in `other_equations`.
"""

from __future__ import annotations

import copy
from fractions import Fraction

import numpy as np

from tests.attack.forge.mutations import Mutator, pick
from tests.attack.forge.other_equations import append, power, some_node, total, vanishing


def _other(problem: dict, rng: np.random.Generator, place: int) -> tuple[int, str]:
    """Something else in the place of a function, in words too."""
    style = pick(rng, ("any", "pole", "vanishing", "negative", "square", "more"))
    if style == "any":
        return some_node(problem, rng), style
    if style == "pole":
        return power(problem, (place, 1), (vanishing(problem, rng), -1)), style
    if style == "vanishing":
        return power(problem, (place, 1), (vanishing(problem, rng), 1)), style
    if style == "negative":
        return append(problem, "prod", "-1", [[place, 1]]), style
    if style == "square":
        return power(problem, (place, 2)), style
    return total(problem, ("1", place), ("1", vanishing(problem, rng))), style


def change_family(data: dict, rng: np.random.Generator) -> str:
    """Other states or rates, a symbol more or less, at another value, or read as a state of the equations."""
    problem = data["problem"]
    family = problem["family"]
    style = pick(rng, ("states", "rates", "symbol", "value", "without", "field", "curve", "exchanged"))
    names = list(family["symbols"])
    row = family["states"]
    i = int(rng.integers(len(row)))
    if style == "states":
        row[i], style = _other(problem, rng, row[i])
    elif style == "rates" and family.get("rates"):
        k = int(rng.integers(len(family["rates"])))
        family["rates"][k], style = _other(problem, rng, family["rates"][k])
    elif style == "rates":
        family["rates"] = [append(problem, "num", pick(rng, ("0", "1"))) for _ in names]
    elif style == "symbol":  # one that moves nothing, or a state
        family["symbols"]["another"] = "0"
        place = append(problem, "sym", "another", "family")
        if rng.random() < 0.5:
            row[i] = total(problem, ("1", row[i]), ("1", place))
    elif style == "value":
        name = pick(rng, names)
        family["symbols"][name] = str(Fraction(family["symbols"][name]) + 1)
    elif style == "without":
        del family["symbols"][pick(rng, names)]
    elif style == "exchanged":
        j = int(rng.integers(len(row)))
        row[i], row[j] = row[j], row[i]
    else:
        symbols = [k for k, node in enumerate(problem["nodes"]) if node[0] == "sym" and node[2] == "family"]
        place = pick(rng, symbols)
        if style == "field":
            problem["field"][int(rng.integers(len(problem["field"])))] = place
        else:
            row[i] = total(problem, ("1", row[i]), ("1", power(problem, (place, 2))))
    return f"family: {style}"


def change_drift(data: dict, rng: np.random.Generator) -> str:
    problem = data["problem"]
    drift = problem["drift"]
    style = pick(rng, ("power", "slope", "exchanged", "one"))
    if style == "power":
        drift["power"] = pick(rng, (1, 2, 3))
    elif style == "slope":
        drift["slope"], style = _other(problem, rng, drift["slope"])
    elif style == "exchanged":
        drift["constant"], drift["drifting"] = drift["drifting"], drift["constant"]
    else:
        drift["constant"] = drift["drifting"] = pick(rng, problem["family"]["symbols"])
    return f"drift: {style}"


def change_fall(data: dict, rng: np.random.Generator) -> str:
    """Another function or sense; squares of others, with other factors, roots, powers; fewer or more."""
    problem = data["problem"]
    falling = problem["falling"]
    style = pick(rng, ("function", "sense", "square", "square", "square", "fewer", "more", "roots"))
    squares = falling["squares"]
    if style == "function":
        falling["function"], style = _other(problem, rng, falling["function"])
    elif style == "sense":
        falling["sense"] *= -1
    elif style == "fewer":
        del squares[int(rng.integers(len(squares)))]
    elif style == "more":  # zero times whatever one would like to be seen
        zero = append(problem, "num", "0")
        row = {"factor": append(problem, "num", "1"), "square": zero}
        if rng.random() < 0.5:
            row |= {"root": some_node(problem, rng), "power": pick(rng, (1, 2, 3)), "cofactor": zero}
        else:
            part = vanishing(problem, rng)
            row["parts"] = [{"factor": row["factor"], "square": p} for p in (part, zero)]
        squares.append(row)
    else:
        row = pick(rng, squares)
        if style == "roots":
            row |= {"root": vanishing(problem, rng), "power": pick(rng, (1, 2)), "cofactor": row["factor"]}
        else:
            key = pick(rng, row)
            if key == "parts":
                row["parts"].append({"factor": row["factor"], "square": vanishing(problem, rng)})
            elif key == "power":
                row["power"] = pick(rng, (1, 2, 3, 4))
            else:
                row[key], style = _other(problem, rng, row[key])
                style = f"{key}, {style}"
    return f"fall: {style}"


def change_chain(data: dict, rng: np.random.Generator) -> str:
    """Steps of other functions, powers, units, references; in another order, fewer, made up."""
    problem = data["problem"]
    steps = problem["falling"].setdefault("chain", [])
    style = pick(rng, ("part", "part", "fewer", "order", "made up", "reference"))
    if style == "made up":
        squares = problem["falling"]["squares"]
        step = {"function": vanishing(problem, rng), "weights": [], "power": 1}
        terms = [[int(rng.integers(len(squares) + 1)), some_node(problem, rng)]]
        steps.append(step | {"unit": some_node(problem, rng), "terms": terms, "rates": []})
    elif style == "fewer":
        del steps[int(rng.integers(len(steps)))]
    elif style == "order":
        rng.shuffle(steps)
    else:
        step = pick(rng, steps)
        if style == "reference":
            row = pick(rng, [r for r in (step["terms"], step["rates"]) if r])
            pick(rng, row)[0] = int(rng.integers(len(steps) + len(problem["falling"]["squares"]) + 1))
        else:
            key = pick(rng, ("function", "unit", "power", "terms", "rates"))
            if key == "power":
                step["power"] = pick(rng, (1, 2, 3))
            elif key in ("terms", "rates"):
                entry = pick(rng, step[key])
                entry[1], style = _other(problem, rng, entry[1])
            else:
                step[key], style = _other(problem, rng, step[key])
    return f"chain: {style}"


def change_symmetries(data: dict, rng: np.random.Generator) -> str:
    """Turns that are not skew, of others, at another rate; shifts; more fields, fewer, their sums."""
    problem = data["problem"]
    fields, labels = problem["symmetries"], list(problem["states"])
    style = pick(rng, ("turn", "fewer turns", "rate", "plane", "shift", "another", "fewer", "sum"))
    a, b = (labels[int(k)] for k in rng.choice(len(labels), size=2, replace=False))
    one = pick(rng, fields)
    if style == "turn":
        pick(rng, one["turns"])[int(rng.integers(2))] = a
    elif style == "fewer turns":
        del one["turns"][int(rng.integers(len(one["turns"])))]
    elif style == "rate":
        x, y, _ = pick(rng, one["turns"])
        factor = pick(rng, (2, -1, Fraction(1, 3)))
        for turn in one["turns"]:
            if {turn[0], turn[1]} == {x, y}:
                turn[2] = str(Fraction(turn[2]) * factor)
    elif style == "plane":
        one["turns"] += [[a, b, "1"], [b, a, "-1"]]
    elif style == "shift":
        one["shifts"][a] = pick(rng, ("1", "-1/2"))
    elif style == "another":
        fields.append({"turns": [[a, b, "1"], [b, a, "-1"]], "shifts": {}})
    elif style == "fewer":
        fields.remove(one)
    else:
        one["turns"] = one["turns"] + copy.deepcopy(pick(rng, fields)["turns"])
    return f"symmetries: {style}"


def change_order(data: dict, rng: np.random.Generator) -> str:
    """A series to another order, of the other theorem, or asked of any problem."""
    problem = data["problem"]
    name = pick(rng, ("degenerate", "critical"))
    for part in ("degenerate", "critical"):
        problem.pop(part, None)
    problem[name] = int(rng.integers(2, 13))
    return f"{name} to order {problem[name]}"


def change_box(data: dict, rng: np.random.Generator) -> str:
    """Other states held, idle or left out, or rates of others; another size; what is idle made up."""
    problem = data["problem"]
    box, labels = problem["box"], [*problem["states"], *problem["leaf"]]
    lists = [box["held"], box["omitted"], *(problem[k][key] for k, key in IN_BALLS if k in problem)]
    style = pick(rng, ("size", "idle", "more", "fewer", "other"))
    if style == "size":
        by = pick(rng, (-60, -8, 8, 400))
        box["bits"] = [b + by for b in box["bits"]] if isinstance(box["bits"], list) else box["bits"] + by
    elif style == "idle":
        held, dropped = (labels[int(k)] for k in rng.choice(len(labels), size=2))
        box["held"], problem["idle"] = [held], {"dropped": [dropped]}
    elif style == "more":
        for names in lists if rng.random() < 0.5 else [pick(rng, lists)]:
            names.append(pick(rng, labels))
    else:
        names = pick(rng, [names for names in lists if names])
        del names[int(rng.integers(len(names)))]
        if style == "other":
            names.append(pick(rng, labels))
    return f"box: {style}"


def drop_theorem(data: dict, rng: np.random.Generator) -> str:
    """Without one of the parts that theorems are told: another of them may be asked."""
    problem = data["problem"]
    part = pick(rng, [k for k in PARTS if k in problem])
    del problem[part]
    return f"without {part}"


IN_BALLS = (("idle", "dropped"), ("enclosed", "omitted"))
"""Parts that are asked about a point in a box, and what each of them names."""
PARTS = ("symmetries", "drift", "family", "falling", "degenerate", "critical", *(k for k, _ in IN_BALLS))
THEOREMS: tuple[Mutator, ...] = (
    change_family, change_family, change_drift, change_fall, change_fall, change_chain, change_symmetries,
    change_symmetries, change_order, change_box, drop_theorem,
)  # fmt: skip
