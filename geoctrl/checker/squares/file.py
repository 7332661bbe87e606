"""Files of sets from which motions tend to an equilibrium: their schema, and what is confirmed of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.kinds import numbered
from geoctrl.checker.reading import EQUATIONS, VERSION, Refusal, conform, label, one_of, sentence
from geoctrl.checker.squares.identity import DEGREE, MONOMIALS, Fall
from geoctrl.checker.squares.regular import BITS, Parts
from geoctrl.checker.squares.setting import Setting
from geoctrl.checker.surds import middle
from geoctrl.checker.words.claims import (
    assigned,
    functions_of,
    leaf_at,
    limit_phrase,
    point_words,
    require_claim,
    system_words,
)
from geoctrl.checker.words.leaf import dimension
from geoctrl.checker.words.texts import decimal, interval, listed, told

SQUARES_FORMAT, ATTRACTED = "geoctrl-attraction", "PROVED_ATTRACTED"

_schema: Any = EQUATIONS
_place, _rational = (_schema[part][...] for part in ("leaf", "parameters"))
PIECES, FEW = {0: 1, 1: 64, 2: 20}, 6
"""Cells of a side for bounds of states, by the number of sides."""
BOXES = 8
"""The same of boxes, with more sides."""


def _positive(value: Any) -> Any:
    read = _rational(value)
    return read if read is not None and read > 0 else None


def _upto(high: int) -> Any:
    return lambda value: value if type(value) is int and 0 <= value <= high else None


_monomial = [(_upto(MONOMIALS), _upto(DEGREE))]
SQUARES = {key: EQUATIONS[key] for key in (*list(EQUATIONS)[1:13], "consequences?")} | {
    "kind": one_of("attraction"),
    "domain": [_place],
    "levels": [label],
    "limits": {...: {"input": _place, "bound": _positive}},
}
PROPOSAL = {
    "measured": [label],
    "function": [[_rational]],
    "level": _positive,
    "squares": [{"times": label, "monomials": [_monomial], "matrix": [[_rational]]}],
    "multipliers": [[(_monomial, _rational)]],
}
"""Of ``squares`` each is a sum of squares by the lower triangle of its matrix, times "level", a bound by
its number, or nothing ("rest").
"""
FILE = {
    "format": one_of(SQUARES_FORMAT),
    "version": one_of(VERSION),
    "software": label,
    "system": label,
    "verdict": one_of(ATTRACTED),
    "claim": sentence,
    "problem": SQUARES,
    "proof": PROPOSAL,
    "digest": label,
}


def read_attraction(problem: Any) -> dict[str, Any]:
    """A problem as data, with its numbers read; Refusal where it is none."""
    return numbered(conform(problem, SQUARES, "problem"))


class Attraction(NamedTuple):
    """What is proved: the function with its level, the parts of its box, and how many of these there are."""

    fall: Fall
    parts: Parts
    number: int

    @property
    def matrix(self) -> list[list[fmpq]]:
        """P."""
        return self.fall.matrix

    def claim(self, system: str) -> str:
        """What a file claims."""
        fall = self.fall
        setting, problem = fall.setting, fall.setting.problem
        point = point_words({k: v for k, v in problem["states"].items() if k not in setting.free})
        values = assigned({**problem["parameters"], **problem["inputs"]})
        levels = problem["levels"]
        held = (
            f" and with {listed(levels)} as at the equilibrium ({functions_of(problem, levels)})"
            if levels
            else ""
        )
        sides = {k: (a, b) for k, (a, b) in self.extent().items() if a < b}
        extent = ", ".join(f"{told(k)} in {interval(a, b)}" for k, (a, b) in sides.items())
        turns = f", {' and '.join(map(told, setting.turned))} up to whole turns" if setting.turned else ""
        free = f", whatever {' and '.join(map(told, setting.free))} may be" if setting.free else ""
        model = ", where the model holds" if problem["domain"] else ""
        return (
            f"Motions of {system_words(system)}{f' with {values}' if values else ''} that begin on "
            f"{leaf_at(problem)},{held} with V <= {decimal(fall.level)}, V a positive definite quadratic "
            f"function of the deviations of {', '.join(measured_words(setting))}, stay so for "
            f"ever{model}, within {extent}, and tend to the equilibrium "
            f"{point or 'x = 0'}{turns}{free}{limit_phrase(problem)}."
        )

    def extent(self) -> dict[str, tuple[fmpq, fmpq]]:
        """Intervals in which states of the set are, by their names."""
        cells = self.parts.cells(PIECES.get(self.parts.curved, FEW))
        return {
            k: (min(middle(cell[k][0]) for cell in cells), max(middle(cell[k][1]) for cell in cells))
            for k in cells[0]
        }

    def cells(self, pieces: int | None) -> list[dict[str, tuple[arb, arb]]]:
        """Intervals of states, box by box, with so many pieces of a side: the set lies in their union."""
        return self.parts.cells(PIECES.get(self.parts.curved, BOXES) if pieces is None else pieces)

    def holds(self, state: list[fmpq | arb], slack: fmpq) -> bool:
        """Whether a state is proved to be in the set, relations and levels holding up to a slack."""
        fall, q = self.fall, self.parts.question
        with ctx.workprec(BITS):
            values = {k: arb(v) for k, v in zip(q.labels, state, strict=True)}
            try:
                on_leaf, levels = self.parts.on_leaf(values), self.parts.levels(values)
            except Refusal:
                return False
            y = [c for c in self.parts.deviations(values) if c is not None]
            column = arb_mat(len(y), 1, y)
            P = arb_mat(len(y), len(y), [arb(c) for row in fall.matrix for c in row])
            V = (column.transpose() * P * column)[0, 0]
            near = all(abs(v) <= arb(slack) for v in [*on_leaf, *levels])
            return bool(near and arb(fall.level) >= V)


def judge_attraction(problem: dict[str, Any], proposal: Any) -> Attraction:
    """The set that a problem as read has by a proposal; Refusal where something is not proved."""
    read = conform(proposal, PROPOSAL, "proof")
    if not dimension(problem).most:
        raise Refusal("the leaf is the point alone: there is nothing to attract", "problem.leaf")
    fall = Fall(Setting(problem), read)
    if read["measured"] != measured_words(fall.setting):
        raise Refusal("what is measured is named otherwise", "proof.measured")
    fall.require_limits()
    parts = Parts(fall)
    return Attraction(fall, parts, parts.require())


def check_attraction(data: Any) -> tuple[str, str, tuple[str, ...]]:
    """Verdict, claim and what was confirmed."""
    conform(data, FILE)
    found = judge_attraction(read_attraction(data["problem"]), data["proof"])
    words = found.claim(str(data["system"]))
    require_claim(data, words)
    problem, setting = found.fall.setting.problem, found.fall.setting
    kept = [*problem["leaf"], *problem["levels"]]
    squares = data["proof"]["squares"]
    checks = [
        "field and leaf relations vanish exactly at the point",
        f"kept by the motion, identically: {listed(kept) or 'nothing'}",
        f"a quadratic function of {', '.join(measured_words(setting))}, positive definite, which below the "
        f"level falls, by an identity of polynomials with {len(squares)} sums of squares",
        f"{found.number} parts of a box around the set, over which rates have values, accelerations are "
        "determined, and the model holds",
    ]
    if limits := problem["limits"]:
        checks.append(f"below the level within its limit: {listed(limits)}")
    return ATTRACTED, words, tuple(checks)


def measured_words(setting: Setting) -> list[str]:
    """Names of what is measured."""
    return [setting.names[setting.variables.index(i)] for i in setting.measured]
