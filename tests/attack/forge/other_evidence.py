"""Other evidence in proofs, and other proofs of what is kept: weights, consequences, relations.

Each change is made in place and says what it did, as in `other_equations`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl.analysis.witnesses.theorem_witnesses import THEOREMS as METHODS
from tests.attack.forge.mutations import Mutator, at, pick, places
from tests.attack.forge.other_equations import append, away, power, some_node, symbol, total, vanishing

VERDICTS = (
    "PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_STABLE_MODULO", "PROVED_UNSTABLE",
)  # fmt: skip


# -- what proves identities -------------------------------------------------------------------------------


def change_weights(data: dict, rng: np.random.Generator) -> str:
    """Weights of a relation or an invariant: others, with poles, those of another name, too few, none."""
    problem = data["problem"]
    weights = problem["weights"]
    names = [*problem["leaf"], *problem["invariants"]]
    style = pick(rng, ("other", "pole", "exchanged", "short", "none", "unknown", "factor"))
    name = pick(rng, weights if weights and style != "other" else names)
    row = weights.setdefault(name, [some_node(problem, rng) for _ in problem["unknowns"]])
    i = int(rng.integers(len(row)))
    if style == "other":
        row[i] = some_node(problem, rng)
    elif style == "pole":
        row[i] = power(problem, (row[i], 1), (vanishing(problem, rng), -1))
    elif style == "exchanged":
        weights[pick(rng, names)] = list(row)
    elif style == "short":
        del row[i]
    elif style == "none":
        del weights[name]
    elif style == "unknown":
        row[i] = symbol(problem, pick(rng, problem["unknowns"]))
    else:
        row[i] = total(problem, ("1", row[i]), ("1", vanishing(problem, rng)))
    return f"weights of {name}: {style}"


def add_consequence(data: dict, rng: np.random.Generator) -> str:
    """Combinations of relations: with any coefficients, with poles, of what is no relation, in any number."""
    problem = data["problem"]
    names = list(problem["leaf"]) or ["none"]
    style = pick(rng, ("any", "pole", "inverse", "no relation", "many"))
    rows = problem.setdefault("consequences", [])
    name = pick(rng, names)
    if style == "any":
        rows.append({name: some_node(problem, rng)})
    elif style == "pole":
        rows.append({name: power(problem, (vanishing(problem, rng), -1))})
    elif style == "inverse":  # times the inverse of the relation: a state less its value would vanish
        inverse = (problem["leaf"][name], -1)
        rows.append({name: power(problem, inverse, (vanishing(problem, rng), 1))})
    elif style == "no relation":
        rows.append({pick(rng, [*problem["invariants"], *problem["states"]]): some_node(problem, rng)})
    else:
        rows += [{k: some_node(problem, rng) for k in names} for _ in range(30)]
    return f"consequence: {style}"


def add_relation(data: dict, rng: np.random.Generator) -> str:
    """A relation that freezes a state, its powers, a level of an invariant, one that holds already."""
    problem = data["problem"]
    style = pick(rng, ("freeze", "square", "cube", "level", "again", "multiple", "fixed"))
    label = pick(rng, problem["states"])
    if style == "level":
        name = pick(rng, problem["invariants"])
        # A level of an energy, as far as it vanishes at the point; else no equilibrium lies on it.
        node = problem["invariants"].pop(name) if rng.random() < 0.5 else problem["invariants"][name]
        problem["leaf"][f"level of {name}"] = node
        if name in problem["weights"]:
            problem["weights"][f"level of {name}"] = list(problem["weights"][name])
        return f"relation: level of {name}"
    if style in ("again", "multiple"):
        name = pick(rng, problem["leaf"])
        factor = (some_node(problem, rng), 1) if style == "multiple" else (problem["leaf"][name], 1)
        node = power(problem, (problem["leaf"][name], 1), factor)
    elif style == "fixed":  # a state that does not move
        still = [
            k
            for k, p in zip(problem["states"], problem["field"], strict=True)
            if problem["nodes"][p][:2] == ["num", "0"]
        ]
        node = away(problem, pick(rng, still))
    else:
        node = power(problem, (away(problem, label), {"freeze": 1, "square": 2, "cube": 3}[style]))
    problem["leaf"][f"{label}, {style}"] = node
    return f"relation: {style} {label}"


def add_invariant(data: dict, rng: np.random.Generator) -> str:
    """Any node called an invariant and used, or a square of a conserved one, or a relation."""
    problem = data["problem"]
    node = some_node(problem, rng)
    if problem["invariants"] and rng.random() < 0.5:
        name = pick(rng, problem["invariants"])
        node = power(problem, (problem["invariants"][name], 2))
        if name in problem["weights"]:
            doubled = problem["invariants"][name]
            problem["weights"]["forged"] = [
                append(problem, "prod", "2", [[doubled, 1], [w, 1]]) for w in problem["weights"][name]
            ]
    problem["invariants"]["forged"] = node
    data["evidence"]["conserved"].append("forged")
    return "an invariant bound to some node"


def forge_shape(data: dict, rng: np.random.Generator) -> str:
    """A structure of integrals over a shape: entries changed, or claimed for equations without one."""
    problem = data["problem"]
    shape = problem.get("shape")
    labels = list(problem["states"])
    if shape is None:
        rng.shuffle(labels)
        cut = int(rng.integers(1, len(labels)))
        slopes, moving = labels[1 : cut + 1], labels[cut + 1 :]
        shape = problem["shape"] = {
            "velocity": labels[0],
            "slopes": {k: some_node(problem, rng) for k in slopes},
            "rates": {k: [some_node(problem, rng) for _ in moving] for k in moving},
        }
        data["evidence"]["shape_integrals"] = [f"integral of {k}" for k in moving]
        return "a shape claimed"
    rows = [*shape["rates"].values(), shape["slopes"]]
    row = pick(rng, rows)
    key = pick(rng, row) if isinstance(row, dict) else int(rng.integers(len(row)))
    style = pick(rng, ("other", "factor", "velocity"))
    if style == "velocity":
        shape["velocity"] = pick(rng, labels)
    elif style == "other":
        row[key] = some_node(problem, rng)
    else:
        row[key] = total(problem, ("1", row[key]), ("1", vanishing(problem, rng)))
    return f"shape: {style}"


# -- evidence ---------------------------------------------------------------------------------------------


def flip_verdict(data: dict, rng: np.random.Generator) -> str:
    data["verdict"] = pick(rng, [v for v in VERDICTS if v != data["verdict"]])
    if rng.random() < 0.5:
        data["method"] = pick(rng, list(METHODS))
    return f"verdict {data['verdict']}, method {data['method']!r}"


def flip_method(data: dict, rng: np.random.Generator) -> str:
    data["method"] = pick(rng, list(METHODS))
    return f"method {data['method']!r}"


def change_multipliers(data: dict, rng: np.random.Generator) -> str:
    multipliers = data["evidence"][pick(rng, [k for k in data["evidence"] if k.endswith("multipliers")])]
    style = pick(rng, ("scale", "negate", "change", "zero", "exchange", "delete", "order"))
    names = list(multipliers)
    a, b = pick(rng, names), pick(rng, names)
    if style in ("scale", "negate", "zero"):
        factor = {"scale": Fraction(7, 3), "negate": Fraction(-1), "zero": Fraction(0)}[style]
        multipliers |= {k: str(factor * Fraction(v)) for k, v in multipliers.items()}
    elif style == "change":
        multipliers[a] = pick(rng, ("0", "1", "-1", "1/1000000000000000000"))
    elif style == "exchange":
        multipliers[a], multipliers[b] = multipliers[b], multipliers[a]
    elif style == "delete":
        del multipliers[a]
    else:
        multipliers[a] = multipliers.pop(a)
    return f"multipliers: {style}"


def move_digits(data: dict, rng: np.random.Generator) -> str:
    """A number of the evidence in the problem, or the other way round."""
    here, there = ("evidence", "problem") if rng.random() < 0.5 else ("problem", "evidence")

    def numbers(part: str) -> list:
        return [p for p in places(data[part]) if isinstance(v := at(data[part], p), str) and v[-1:].isdigit()]

    source, goal = pick(rng, numbers(here)), pick(rng, numbers(there))
    at(data[there], goal[:-1])[goal[-1]] = at(data[here], source)
    return f"{here} {source} put at {there} {goal}"


def forge_evidence(data: dict, rng: np.random.Generator) -> str:
    """Evidence of the right shape that says what one would like."""
    evidence = data["evidence"]
    key = pick(rng, [*evidence, "zero_modes", "growth", "hessian"])
    choices: tuple[Any, ...] = ("definite", [], {}, ["energy"], 1e299, ["1"], ["1", "1"], [1, 0, 0], 0, "0")
    evidence[key] = pick(rng, choices)
    return f"evidence {key}: {evidence[key]!r}"


IDENTITIES: tuple[Mutator, ...] = (
    change_weights, change_weights, add_consequence, add_relation, add_relation, add_invariant, forge_shape,
)  # fmt: skip
EVIDENCE: tuple[Mutator, ...] = (
    flip_verdict, flip_method, change_multipliers, move_digits, forge_evidence,
)  # fmt: skip
