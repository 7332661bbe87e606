"""What is said of a point that a file is about: the claim, and what was checked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq

from geoctrl.checker.verdicts import Found
from geoctrl.checker.words.claims import claim
from geoctrl.checker.words.leaf import Dimension
from geoctrl.checker.words.texts import listed, short, told

CHECKS = {
    "attraction": "a quadratic form is positive and falls along the linearisation, on the tangents of {rows}",
    "growth": (
        "a quadratic form grows along the linearisation, on the tangents of {rows}, at twice the rate {m}, "
        "and is positive somewhere"
    ),
    "energy-Casimir": (
        "a combination of {multipliers} is critical, and its second variation definite on the common kernel "
        "of the gradients of {rows}"
    ),
    "family": (
        "a manifold of equilibria along {along} goes through the point; {beside} along the linearisation "
        "(Lyapunov, Malkin)"
    ),
    "drift": (
        "an invariant manifold goes through the point, on which {drifting} moves at a rate that {constant} "
        "sets, as small as one likes"
    ),
    "lowest form": (
        "a combination of {multipliers} begins with a positive form of the power {power} along {along} and a "
        "positive quadratic form beside, on the level set of {rows}"
    ),
    "falling lowest form": (
        "a function falls along the motion, less squares, identically; with multipliers it begins with a "
        "positive form of the power {power} along {along} and a positive quadratic form beside, on the level "
        "set of {rows}"
    ),
    "zero root": (
        "along the one zero root the field begins with the power {power}; {beside} along the linearisation"
    ),
    "falling": (
        "a function falls along the motion, less squares, identically; with multipliers it is critical at "
        "the point, and its second variation is {definite} on the tangents of {rows}"
    ),
    "weak focus": (
        "on the level set of {rows} the linearisation turns in a plane along {along}, and {beside}; on a "
        "surface that is kept up to the power {order} a function begins with a positive quadratic form, and "
        "its rate with a multiple of a power of that"
    ),
    "growing": (
        "the rate of a function is, identically, a factor that is positive at the point times powers of "
        "{rising}, and squares; these do not fall, and are positive along an arc on the leaf from the point"
    ),
    "orbit": (
        "isometries move the point along {along}; they keep the leaf, a combination of {multipliers} and the "
        "levels held, identically, and its second variation is definite across"
    ),
    "growth across an orbit": (
        "a quadratic form grows along the linearisation, which vanishes along the orbit, at twice the rate "
        "{m}"
    ),
    "loop that attracts": (
        "a quadratic form is positive and falls from hold to hold, by the derivative of one hold in balls"
    ),
    "loop that repels": (
        "a quadratic form grows from hold to hold, by more than the square of {m}, and is positive somewhere"
    ),
    "loop with fixed points": (
        "a manifold of fixed points along {along} goes through the point; a quadratic form is positive and "
        "falls from hold to hold beside it"
    ),
    "loop that rests on a manifold": (
        "the points at which the loop rests are a manifold along {along}; a quadratic form is positive and "
        "falls from hold to hold beside it"
    ),
    "attraction beside what is idle": (
        "nothing depends on {idle}; beside, a quadratic form is positive and falls along the linearisation, "
        "over the box"
    ),
    "growth beside what is idle": (
        "nothing depends on {idle}; beside, a quadratic form grows along the linearisation at twice the rate "
        "{m}, over the box, and is positive somewhere"
    ),
}
"""What a theorem asked for, by its name in a file without its `PLACES`."""
PLACES = " in a box", " in balls", " over a shape"


def problem_in_words(content: dict[str, Any]) -> dict[str, Any]:
    """The problem of a file as read, with what its theorem says of the point, the leaf and the loop."""
    problem, theorem = content["problem"], content["theorem"]
    parts = {"box": theorem.get("box"), "held": theorem.get("loop"), "spin": content.get("spin")}
    loop, relations = parts["held"] or {"commands": (), "own": ()}, {*problem["leaf"]}
    rows = relations & {*theorem.get("leaf", theorem).get("rows", ())}
    free = problem["states"].keys() - {*loop["commands"], *loop["own"]}
    dimension = Dimension(max(0, len(free) - len(rows)), rows == relations)
    return problem | {k: part for k, part in parts.items() if part} | {"dimension": dimension}


@dataclass(frozen=True)
class Report:
    """What a file proves: the verdict, by which method, the claim in words, and what was checked for it."""

    verdict: str
    method: str
    claim: str
    checks: tuple[str, ...]


def words_of(content: dict[str, Any], found: Found) -> tuple[str, tuple[str, ...]]:
    """The claim that a theorem has proved, and what was checked for it."""
    if region := found.told.get("region"):
        return region.claim(content["system"]), region.checks()
    return claim_of_point(content, found), _checks_of_point(content, found.told)


def claim_of_point(content: dict[str, Any], found: Found) -> str:
    """The claim that a theorem about a point has proved."""
    return claim(content["system"], problem_in_words(content), *found)


def _checks_of_point(content: dict[str, Any], told_of: dict[str, Any]) -> tuple[str, ...]:
    problem, theorem = content["problem"], content["theorem"]
    kept = [k for k in content["witness"]["cofactors"] if k not in problem["leaf"]]
    kept = [k for k in problem["invariants"] if k in (*kept, *_functions_in(theorem))]
    where = "at one point of the box" if "box" in theorem else "exactly at the point"
    done = {
        f"field and leaf relations vanish {where}": True,
        f"kept by the motion, identically: {listed(problem['leaf']) or 'no leaf relations'}": True,
        f"conserved on the leaf, identically: {listed(kept) or 'nothing'}": True,
        f"from the structure of the equations: {listed(told_of.get('shape_integrals', ()))}": told_of.get(
            "shape_integrals"
        ),
        _of_theorem(theorem): True,
    }
    return tuple(words for words, holds in done.items() if holds)


def _functions_in(theorem: dict[str, Any]) -> list[str]:
    """Functions by which a theorem argues."""
    energy = [theorem["energy"]] if "energy" in theorem else []
    rising = [k for row in theorem.get("rising", ()) for k in row.get("conserved", ())]
    return [*energy, *rising, *(k for part in ("multipliers", "rows", "held") for k in theorem.get(part, ()))]


def _rising(theorem: dict[str, Any]) -> str:
    """Of what the rate of a growing function is a product, but for its factor."""
    rows = theorem.get("rising", ())
    combinations = [listed(row["conserved"]) for row in rows if "conserved" in row]
    falling = ["a function that falls, with the other sign"] * any("fall" in row for row in rows)
    itself = ["the function itself"] * (theorem.get("self", 0) > 0)
    return " and of ".join([*combinations, *falling, *itself])


def _of_theorem(theorem: dict[str, Any]) -> str:
    """What a theorem asked for."""
    given = {"along": [], "multipliers": [], **theorem.get("family", {}), **theorem.get("rest", {})} | theorem
    along = [given["along"]] if isinstance(given["along"], str) else given["along"]
    stem = given["name"]
    for where in PLACES:
        stem = stem.removesuffix(where)
    return CHECKS[stem].format(
        rows=listed(given.get("rows", ())) or "the space of all states",
        multipliers=listed([*([given["energy"]] if "energy" in given else []), *given["multipliers"]]),
        along=listed(along),
        m=short(given.get("m", fmpq(0))),
        drifting=told(str(given.get("drifting"))),
        constant=told(str(given.get("constant"))),
        power=given.get("power", 2 * given.get("half", 0)),
        beside="a quadratic form is positive and falls beside it"
        if given.get("P")
        else "nothing is beside it",
        order=len(given.get("forms", ())),
        rising=_rising(given),
        definite="negative somewhere" if "below" in given else "positive",
        idle=listed(given.get("box", {"held": ()})["held"]),
    )
