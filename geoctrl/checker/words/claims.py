"""Claims in words: verdict, equilibrium, system, numbers and leaf, as text that says all that is claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from geoctrl.checker.numbers import ball
from geoctrl.checker.words.leaf import leaf_words, relations
from geoctrl.checker.words.texts import Expressions, decimal, listed, quoted, told

CLAIMS = {
    "PROVED_STABLE": "is Lyapunov stable within the leaf",
    "PROVED_ASYMPTOTICALLY_STABLE": "is asymptotically stable within the leaf",
    "PROVED_STABLE_MODULO": (
        "is Lyapunov stable within the leaf modulo a group of symmetries: near motions stay, as long as they "
        "exist, near its orbit, which moves {orbit}"
    ),
    "PROVED_UNSTABLE": "is unstable: its linearisation has an eigenvalue with a positive real part",
}
_ON_LEVELS = (
    "is Lyapunov stable within the leaf, and near motions converge to the equilibrium of their own level set "
    "of {zero_modes}"
)
BY_THEOREM = {
    ("PROVED_STABLE", "spectrum and a family of equilibria"): (
        "is Lyapunov stable within the leaf, and near motions converge to members of its family of "
        "equilibria of dimension {family_dimension}"
    ),
    ("PROVED_STABLE", "spectrum and a family of equilibria in balls"): (
        "is Lyapunov stable within the leaf, and near motions converge to members of its family of "
        "equilibria of dimension {family_dimension}"
    ),
    ("PROVED_STABLE", "spectrum on the level sets of the invariants"): _ON_LEVELS,
    ("PROVED_STABLE", "spectrum in balls on the level sets of the invariants"): _ON_LEVELS,
    ("PROVED_STABLE", "falling energy on the level sets of the invariants"): (
        "is Lyapunov stable within the leaf, and near motions converge to the equilibrium of their own level "
        "set of {conserved}"
    ),
    ("PROVED_UNSTABLE", "spectrum modulo a group"): (
        "is unstable, and so is its orbit under a group of isometries, which moves {orbit}: its "
        "linearisation has an eigenvalue with a positive real part"
    ),
    ("PROVED_UNSTABLE", "spectrum and a series"): (
        "is unstable: along its one zero root the field begins with a power of {power}, which does not "
        "attract"
    ),
    ("PROVED_UNSTABLE", "a weak focus"): (
        "is unstable: near motions turn away from it on a surface, at a rate of the order {order}"
    ),
    ("PROVED_UNSTABLE", "a growing function"): (
        "is unstable: along motions that begin as near to it as one likes a function grows beyond all bounds "
        "as long as they stay near"
    ),
    ("PROVED_UNSTABLE", "drift"): (
        "is unstable: motions that begin as near to it as one likes drift away in {drifting}"
    ),
    ("PROVED_ASYMPTOTICALLY_STABLE", "multipliers of one hold"): (
        "is asymptotically stable within the leaf as a fixed point of this loop: all multipliers of one hold "
        "are inside the unit circle"
    ),
    ("PROVED_STABLE", "multipliers of one hold on the level sets of the invariants"): (
        "is Lyapunov stable within the leaf as a fixed point of this loop, and near motions converge to the "
        "fixed point of their own level set of {conserved}"
    ),
    ("PROVED_STABLE", "multipliers of one hold and a family of fixed points"): (
        "is Lyapunov stable within the leaf as a fixed point of this loop, and near motions converge to "
        "members of its family of fixed points of dimension {fixed_dimension}: as many multipliers of "
        "one hold are one, and all others inside the unit circle"
    ),
    ("PROVED_UNSTABLE", "multipliers of one hold"): (
        "is unstable as a fixed point of this loop: a multiplier of one hold is outside the unit circle"
    ),
    ("PROVED_UNSTABLE", "falling energy"): (
        "is unstable: a function falls along the motion that has no minimum there, and nothing but the point "
        "stays where it rests"
    ),
}
"""What some theorems claim besides, or in place of that, by verdict and method."""


def claim(system: str, problem: dict[str, Any], verdict: str, method: str, findings: dict[str, Any]) -> str:
    """What a certificate claims."""
    predicate = BY_THEOREM.get((verdict, method), CLAIMS[verdict])
    named = {k: findings.get(k, []) for k in ("conserved", "zero_modes") if f"{{{k}}}" in predicate}
    told_of = {
        "family_dimension": findings.get("family_dimension"),
        "fixed_dimension": findings.get("fixed_dimension"),
        "power": findings.get("lowest_power"),
        "order": findings.get("order"),
        "orbit": listed(findings.get("orbit_directions", [])),
        "drifting": listed(findings.get("drifting", [])),
    }
    told_of |= {k: functions_of(problem, names) for k, names in named.items()}
    return about_point(system, problem, predicate.format(**told_of))


def about_point(system: str, problem: dict[str, Any], predicate: str, circumstances: str = "") -> str:
    """A sentence about the point of a problem: under which circumstances what is said of it holds."""
    values, inputs, spin = (problem.get(k, {}) for k in ("parameters", "inputs", "spin"))
    held = problem.get("box", {}).get("held")
    phrases = {
        f"The equilibrium {place_words(problem)} of {system_words(system)}": True,
        f"with the same {listed(held or [])}": held,
        f"with {assigned(values)}": values,
        f"held by the inputs {assigned(inputs)}": inputs,
        circumstances: circumstances,
        f"turning with ({', '.join(map(decimal, spin))}) rad/s": any(spin),
        _loop(problem): "held" in problem,
        _leaf(problem): "leaf" in problem,
    }
    parts = [words for words, holds in phrases.items() if holds]
    return f"{', '.join(parts)}, {predicate}." if len(parts) > 1 else f"{parts[0]} {predicate}."


def system_words(system: str) -> str:
    """The name of a system, as a name."""
    return quoted(system) if system else "the system"


def system_at(system: str, problem: dict[str, Any]) -> str:
    """The name of a system, with its numbers."""
    values = assigned({**problem["parameters"], **problem["inputs"]})
    return f"{system_words(system)}{f' with {values}' if values else ''}"


def functions_of(problem: dict[str, Any], wanted: Sequence[str]) -> str:
    """Conserved functions by their names, with what these stand for."""
    invariants, written = problem.get("invariants", {}), Expressions(problem.get("nodes", []))
    known = [f"{told(k)} = {written(invariants[k])}" for k in wanted if k in invariants]
    others = [f"{told(k)}, an integral over the shape" for k in wanted if k not in invariants]
    return ", ".join([*known, *others])


def assigned(table: dict[str, Any]) -> str:
    """Numbers by their names."""
    return ", ".join(f"{told(k)} = {decimal(q)}" for k, q in table.items())


def point_words(states: dict[str, Any]) -> str:
    """The states of a point that are not zero.

    A label that is no name says where it is measured from, and is told at zero as well.
    """
    return assigned({k: q for k, q in states.items() if q or not k.isidentifier()})


def leaf_at(problem: dict[str, Any]) -> str:
    """The leaf on which motions about a point go, with its dimension there."""
    return leaf_words(relations(problem), problem["dimension"], " at the equilibrium")


def limit_phrase(problem: dict[str, Any]) -> str:
    """What is limited, with what it stands for."""
    written = Expressions(problem["nodes"])
    rows = [
        f"|{told(k)}| <= {decimal(row['bound'])}, {told(k)} = {written(row['input'])}"
        for k, row in problem["limits"].items()
    ]
    return f"; there {' and '.join(rows)}" if rows else ""


def place_words(problem: dict[str, Any]) -> str:
    """The point, or the box in which it lies; what rounding has left in place of a zero is told as one."""
    states, radii = problem["states"], radii_of(problem)
    if not radii:
        return point_words(states) or "x = 0"
    if len(set(radii.values())) > 1:
        return _near(states, radii)
    (radius,) = set(radii.values())
    nearly = [k for k in radii if states[k] != 0 and abs(ball(states[k])) < radius]
    others = point_words({k: q for k, q in states.items() if k not in nearly}) or "x = 0"
    zeros = f", and in {listed(nearly)} within {size_words(2 * radius)} of 0," if nearly else ""
    return f"that lies, in each state, within {size_words(radius)} of {others}{zeros}"


def _near(states: dict[str, Any], radii: dict[str, fmpq]) -> str:
    """The box in which a point lies, with the radius of each state."""
    rows = []
    for name, radius in radii.items():
        zero = states[name] != 0 and abs(ball(states[name])) < radius
        around = size_words(radius * (1 + zero))
        rows.append(f"{around} of {told(name)} = {decimal(fmpq(0) if zero else states[name])}")
    held = assigned({k: q for k, q in states.items() if k not in radii})
    return f"that lies within {', '.join(rows)}{f' and at {held}' if held else ''}"


def radii_of(problem: dict[str, Any]) -> dict[str, fmpq]:
    """Radii of the box in which a point lies, by the states that are not held."""
    box = problem.get("box", {"held": problem["states"], "radii": []})
    free = [k for k in problem["states"] if k not in box["held"]]
    return dict(zip(free, box["radii"], strict=False))


def size_words(radius: fmpq) -> str:
    """A radius, as a power of two where it is one."""
    p, q = int(radius.p), int(radius.q)
    power = p.bit_length() - q.bit_length()
    return f"2^{power}" if fmpq(2) ** power == radius else decimal(radius)


def _leaf(problem: dict[str, Any]) -> str:
    """The leaf, where there are equations that keep it."""
    return f"on {leaf_words(relations(problem), problem['dimension'])}" if "leaf" in problem else ""


def _loop(problem: dict[str, Any]) -> str:
    """What a controller does from hold to hold, where there is one."""
    held = problem.get("held")
    if held is None:
        return ""
    written = Expressions(problem["nodes"])
    rows = [f"{told(label)} = {written(place)}" for label, place in held["commands"].items()]
    rows += [f"{told(label)} growing in a second by {written(place)}" for label, place in held["own"].items()]
    late = held["late"] + held["part"]
    return (
        f"in a loop that computes {', '.join(rows)} every {decimal(held['hold'])} s, "
        + (f"sets it {decimal(late)} holds later " if late else "sets it at once ")
        + "and holds it, without limits, rounding or noise"
    )
