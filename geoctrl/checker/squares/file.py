"""The theorem of sets from which motions tend to an equilibrium, by sums of squares: its shape in a file, and
what is said of a set.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.enclosures.cells import matrix
from geoctrl.checker.enclosures.sets import OVER_A_SET, above_zero, leaf_dimension, levels_phrase
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import rational
from geoctrl.checker.reader import integer, label, one_of, place
from geoctrl.checker.squares.identity import Fall
from geoctrl.checker.squares.polynomial_motion import PolynomialMotion
from geoctrl.checker.squares.regular import BITS, Parts
from geoctrl.checker.verdicts import LEAF, Found
from geoctrl.checker.words.claims import (
    leaf_at,
    limit_phrase,
    point_words,
    system_at,
)
from geoctrl.checker.words.leaf import Dimension
from geoctrl.checker.words.texts import decimal, interval, listed, told

VARIABLES, DEGREE, RELATIONS = 512, 8, 1024
PIECES, FEW = {0: 1, 1: 64, 2: 20}, 6
"""Cells of a side for bounds of states, by the number of sides."""
BOXES = 8
"""The same of boxes, with more sides."""

_monomial: Any = [(integer(0, VARIABLES), integer(0, DEGREE))]
_polynomial: Any = [(_monomial, rational)]
_combination: Any = [(integer(0, RELATIONS), _polynomial)]
SQUARES = OVER_A_SET | {
    "leaf": LEAF,
    "levels": [label],
    "variables": [place],
    "still": [{"variable": integer(0, VARIABLES), "cofactor": _polynomial, "terms": _combination}],
    "monomials?": [_monomial],
    "function": [[rational]],
    "open?": one_of(True),
    "level": above_zero,
    "squares": [{"times": label, "monomials": [_monomial], "matrix": [[rational]]}],
    "relations": [{"terms": _combination, "times": _polynomial}],
}
"""Polynomials are those of ``variables``, which are states, unknowns, sines, cosines, quadratures. The
function is one of ``monomials``, or without these of what is measured; its set is ``open``, or has its edge.
Of ``squares`` each is a sum of squares by the lower triangle of its matrix, times "level", times a bound by
its number, or alone ("rest"); ``relations`` are combinations of what vanishes, and what they are multiplied
with."""


class Attraction(NamedTuple):
    """What is proved: the function with its level, the parts of its box, how many of these there are, and the
    dimension of the leaf.
    """

    fall: Fall
    parts: Parts
    number: int
    dimension: Dimension

    @property
    def matrix(self) -> list[list[fmpq]]:
        """P."""
        return self.fall.matrix

    @property
    def powers(self) -> list[dict[int, int]]:
        """u, by the numbers of what is measured."""
        return self.fall.powers

    @property
    def is_open(self) -> bool:
        """Whether V is below the level in the set, not at it."""
        return self.fall.is_open

    @property
    def names(self) -> list[str]:
        """Of what is measured."""
        return self.fall.motion.names

    @property
    def problem(self) -> dict[str, Any]:
        """The equations, with the domain, the limits of outputs and the dimension of the leaf."""
        motion = self.fall.motion
        problem = motion.question.problem
        return problem | motion.given | {"leaf": problem["leaf"], "dimension": self.dimension}

    def claim(self, system: str) -> str:
        """What a file claims."""
        fall, problem = self.fall, self.problem
        motion, held = fall.motion, levels_phrase(problem, problem["levels"])
        point = point_words({k: v for k, v in problem["states"].items() if k not in motion.free})
        sides = {k: (a, b) for k, (a, b) in self.extent().items() if a < b}
        extent = ", ".join(f"{told(k)} in {interval(a, b)}" for k, (a, b) in sides.items())
        turns = f", {' and '.join(map(told, motion.turned))} up to whole turns" if motion.turned else ""
        free = f", whatever {' and '.join(map(told, motion.free))} may be" if motion.free else ""
        model = ", where the model holds" if problem["domain"] else ""
        return (
            f"Motions of {system_at(system, problem)} that begin on "
            f"{leaf_at(problem)},{held} with V {'<' if self.is_open else '<='} {decimal(fall.level)}, V a "
            f"positive definite {self.kind} the deviations of {', '.join(self.names)}, stay so for "
            f"ever{model}, within {extent}, and tend to the equilibrium "
            f"{point or 'x = 0'}{turns}{free}{limit_phrase(problem)}."
        )

    @property
    def kind(self) -> str:
        """What V is."""
        if self.fall.is_quadratic:
            return "quadratic function of"
        return f"polynomial of degree {self.fall.degree} in"

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        problem = self.problem
        kept = [*problem["leaf"], *problem["levels"]]
        checks = [
            "field and leaf relations vanish exactly at the point",
            f"kept by the motion, identically: {listed(kept) or 'nothing'}",
            f"a {self.kind} {', '.join(self.names)}, positive definite, which below the "
            f"level falls, by an identity of polynomials with {len(problem['squares'])} sums of squares",
            f"{self.number} part{'s' * (self.number != 1)} of a box around the set, over which rates have "
            "values, accelerations are determined, and the model holds",
        ]
        if limits := problem["limits"]:
            checks.append(f"below the level within its limit: {listed(limits)}")
        return tuple(checks)

    def extent(self) -> dict[str, tuple[fmpq, fmpq]]:
        """Intervals in which states of the set are, by their names."""
        cells = self.parts.cells(PIECES.get(len(self.parts.curved), FEW))
        return {k: (min(c[k][0].fmpq() for c in cells), max(c[k][1].fmpq() for c in cells)) for k in cells[0]}

    def cells(self, pieces: int | None) -> list[dict[str, tuple[arb, arb]]]:
        """Intervals of states, box by box, with so many pieces of a side: the set lies in their union."""
        return self.parts.cells(PIECES.get(len(self.parts.curved), BOXES) if pieces is None else pieces)

    def ingredients(self) -> list[tuple[str, list[tuple[fmpq, list[int]]]]]:
        """What is measured: a sine, a cosine, or nothing of the kind, of a polynomial in the states, told by
        coefficients with exponents.
        """
        motion, found = self.fall.motion, []
        for i in motion.measured:
            name, (p,) = motion.made.get(i, ("", [motion.gens[i]]))
            terms = [(c, [int(e) for e in m[: len(motion.question.labels)]]) for m, c in p.terms()]
            found.append((name, terms))
        return found

    def deviations_with_slopes(self, states: dict[str, arb]) -> list[tuple[arb, dict[str, arb]] | None]:
        """What V is made of at balls of states, with its slopes along these."""
        return self.parts.deviations_with_slopes(states)

    def holds(self, state: list[fmpq | arb], slack: fmpq) -> bool:
        """Whether a state is proved to be in the set, relations and levels holding up to a slack."""
        with ctx.workprec(BITS):
            values = {k: arb(v) for k, v in zip(self.fall.motion.question.labels, state, strict=True)}
            try:
                near = self.parts.is_on_leaf(values, arb(slack))
            except Refusal:
                return False
            y = matrix([[c] for c in self.parts.deviations(values) if c is not None], 1)
            V = (y.transpose() * matrix(self.matrix, len(self.matrix)) * y)[0, 0]
            return bool(near and (self.fall.level > V if self.is_open else self.fall.level >= V))


def attraction_by_squares(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """The set of a function that falls by sums of squares; Refusal where something is not proved."""
    motion = PolynomialMotion(problem, witness, given)
    dimension = leaf_dimension(motion.question, given["leaf"])
    fall = Fall(motion, given)
    fall.require_limits()
    parts = Parts(fall)
    found = Attraction(fall, parts, parts.require(), dimension)
    return Found("PROVED_ATTRACTED", "squares", {"region": found})


THEOREMS = {"squares": ({"theorem": SQUARES}, attraction_by_squares)}
