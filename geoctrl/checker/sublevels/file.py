"""Files of regions that motions do not leave: their schema, and what is confirmed of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.boxes import require_rest
from geoctrl.checker.jets import NotExact
from geoctrl.checker.kinds import numbered
from geoctrl.checker.question import Question
from geoctrl.checker.reading import EQUATIONS, VERSION, Refusal, conform, label, one_of, sentence
from geoctrl.checker.sublevels.cover import CELLS, Cells, CoverNode, read_tree
from geoctrl.checker.sublevels.energy import BITS, Energy, in_balls
from geoctrl.checker.sublevels.limits import require_limits
from geoctrl.checker.theorems.falling import require_fall
from geoctrl.checker.words.claims import (
    assigned,
    functions_of,
    leaf_at,
    limit_phrase,
    place_words,
    require_claim,
    system_words,
)
from geoctrl.checker.words.texts import combination, decimal, interval, listed, symbol, told

SUBLEVEL_FORMAT, INVARIANT = "geoctrl-sublevel", "PROVED_INVARIANT"

_schema: Any = EQUATIONS
_place, _rational = (_schema[part][...] for part in ("leaf", "parameters"))


def _positive(value: Any) -> Any:
    read = _rational(value)
    return read if read is not None and read > 0 else None


def _tree(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isascii() and 0 < len(value) <= CELLS else None


SUBLEVEL = {key: EQUATIONS[key] for key in (*list(EQUATIONS)[1:13], "consequences?", "box?")} | {
    "kind": one_of("sublevel"),
    "domain": [_place],
    "falling?": {
        "function": _place,
        "weights": [_place],
        "sense": one_of(1, -1),
        "squares": [{"factor": _place, "square": _place}],
    },
    "sublevel": {
        "energy": label,
        "sense": one_of(1, -1),
        "multipliers": {...: _rational},
        "function": _place,
        "held": {...: {"function": _place, "width": _positive}},
        "velocities": [label],
        "box": {...: (_rational, _rational)},
    },
    "limits": {...: {"input": _place, "bound": _positive}},
}
"""The problem: ``function`` is sense * energy + sum multiplier * invariant, and the function of what is held
that invariant, written so that they are evaluated well."""
FILE = {
    "format": one_of(SUBLEVEL_FORMAT),
    "version": one_of(VERSION),
    "software": label,
    "system": label,
    "verdict": one_of(INVARIANT),
    "claim": sentence,
    "problem": SUBLEVEL,
    "level": _rational,
    "cells": _tree,
    "digest": label,
}


def read_sublevel(problem: Any) -> dict[str, Any]:
    """A problem as data, with its numbers read; Refusal where it is none."""
    return numbered(conform(problem, SUBLEVEL, "problem"))


class SublevelRegion(NamedTuple):
    """What is proved: the function, the cells of K, and the level."""

    energy: Energy
    inside: list[CoverNode]
    level: fmpq

    def claim(self, system: str) -> str:
        """What its file claims."""
        problem = self.energy.question.problem
        given = problem["sublevel"]
        values = assigned({**problem["parameters"], **problem["inputs"]})
        there = "the middle of the box below" if "box" in problem else "the equilibrium"
        held = "".join(
            f", {told(k)} within {decimal(row['width'])} of its value at {there}"
            for k, row in given["held"].items()
        )
        used = [given["energy"], *(k for k, m in given["multipliers"].items() if m), *given["held"]]
        extent = ", ".join(f"{told(k)} in {interval(a, b)}" for k, (a, b) in self.extent().items())
        model = ", where the model holds" if problem["domain"] else ""
        tend = limit_words(problem)
        return (
            f"Motions of {system_words(system)}{f' with {values}' if values else ''} that begin on "
            f"{leaf_at(problem)}, with {function_words(problem)} <= {decimal(self.level)}{held}, where "
            f"{functions_of(problem, used)}, over {len(self.inside)} cells about the equilibrium "
            f"{place_words(problem)} that lie within {extent}, stay so for "
            f"ever{model}{f', and tend to {tend}' if tend else ''}{limit_phrase(problem)}."
        )

    def extent(self) -> dict[str, tuple[fmpq, fmpq]]:
        """Intervals in which the cells of K lie, by the names of shapes."""
        labels = [self.energy.question.labels[i] for i in self.energy.shapes]
        sides = zip(*(node.cell for node in self.inside), strict=True)
        return {k: (min(a for a, _ in s), max(b for _, b in s)) for k, s in zip(labels, sides, strict=True)}

    def holds(self, state: list[fmpq | arb], slack: fmpq) -> bool:
        """Whether a state is proved to be in the region, relations of the leaf holding up to a slack."""
        energy = self.energy
        shape: list[Any] = [state[i] for i in energy.shapes]
        velocities = [state[i] for i in energy.velocities]
        if not any(
            all(a <= x <= b for x, (a, b) in zip(shape, node.cell, strict=True)) for node in self.inside
        ):
            return False
        with ctx.workprec(BITS):
            try:
                V, held, relations, _ = energy.jets([(x, x) for x in shape], velocities, order=1)
            except Refusal:
                return False
            on_leaf = all(abs(g.value) <= slack for g in relations)
            levels = zip(held, energy.levels, energy.widths, strict=True)
            return bool(
                on_leaf and all(abs(C.value - c) <= w for C, c, w in levels) and V.value <= arb(self.level)
            )


def judge_sublevel(problem: dict[str, Any], given: Any, letters: str) -> SublevelRegion:
    """The region that a problem as read has at a level; Refusal where something is not proved."""
    energy, level = Energy(problem), conform(given, _rational, "level")
    require_equations(energy)
    cells = Cells(energy)
    if not energy.value_at_point < level:
        raise Refusal("the level is not above the value at the point", "level")
    inside = cells.cover(level, read_tree(cells.top, letters))
    require_limits(energy, inside, level)
    return SublevelRegion(energy, inside, level)


def require_equations(energy: Energy) -> None:
    """The point is an equilibrium, what is held is conserved, V does not grow, and is what it is said to
    be.
    """
    q, given = energy.question, energy.given
    known, falling = q.problem["invariants"], q.problem.get("falling")
    names = [*given["held"], *given["multipliers"], given["energy"]]
    if len(set(names)) != len(names):
        raise Refusal("an invariant is named twice", "problem.sublevel")
    if "box" in q.problem:
        require_rest(q.problem, names[:-1])
    else:
        q.require_equilibrium()
    if falling is None:
        q = keeping(q, names)
    else:
        q.require_kept(names[:-1])
        if falling["function"] != known[given["energy"]] or falling["sense"] != given["sense"]:
            raise Refusal("what falls is not the energy in its sense", "problem.falling")
        require_fall(q, falling)
    F = q.functions
    V = q.ratios([known[given["energy"]]])[0] * fmpq(given["sense"])
    for name, factor in given["multipliers"].items():
        V = V + q.ratios([known[name]])[0] * factor
    pairs = [(V, energy.function)]
    pairs += [(q.ratios([known[k]])[0], row["function"]) for k, row in given["held"].items()]
    for expected, place in pairs:
        if F.remainder(q.ratios([place])[0] - expected):
            raise Refusal("a function is not what it is said to be", "problem.sublevel")


def keeping(q: Question, names: list[str]) -> Question:
    """The question in which invariants are proved to be kept: where their values at the point are not exact
    numbers, in balls.
    """
    try:
        with ctx.workprec(BITS):
            q.require_kept(names)
        return q
    except NotExact:
        near = in_balls(q.problem)
        with ctx.workprec(BITS):
            near.require_kept(names)
        return near


def check_sublevel(data: Any) -> tuple[str, str, tuple[str, ...]]:
    """Verdict, claim and what was confirmed."""
    read = conform(data, FILE)
    problem = numbered(read["problem"])
    region = judge_sublevel(problem, data["level"], read["cells"])
    words = region.claim(read["system"])
    require_claim(data, words)
    given = problem["sublevel"]
    kept = [*problem["leaf"], *given["held"], *given["multipliers"]]
    checks = [
        "an equilibrium lies in the box"
        if "box" in problem
        else "field and leaf relations vanish exactly at the point",
        f"kept by the motion, identically: {listed(kept) or 'nothing'}",
        f"{'falls' if 'falling' in problem else 'conserved'}, identically: {function_words(problem)}",
        f"{len(region.inside)} cells of shapes, around which the function lies above the level; over them "
        "the rates have values, and the model holds",
    ]
    if limits := problem["limits"]:
        checks.append(f"over these cells below the level within its limit: {listed(limits)}")
    return INVARIANT, words, tuple(checks)


def function_words(problem: dict[str, Any]) -> str:
    """V by the names of its parts."""
    given = problem["sublevel"]
    terms = [(fmpq(given["sense"]), given["energy"])]
    terms += [(m, k) for k, m in given["multipliers"].items() if m]
    return combination([(c, [symbol(k)]) for c, k in terms])


def limit_words(problem: dict[str, Any]) -> str:
    r"""What motions of the region tend to, where V falls; empty where it is conserved (LaSalle 1960).

    The region is compact, motions do not leave it, and :math:`\dot V = -\sum_k d_k l_k^2` with all
    :math:`d_k \ge 0` over it: all limit points of a motion lie in the largest set of whole motions on which V
    keeps its value. Whether that is the point alone is not asked.
    """
    if "falling" not in problem:
        return ""
    return f"the largest invariant set in it on which {function_words(problem)} does not change"
