r"""The theorem about equilibria that move with a parameter: what its file holds, and what it claims.

Members :math:`x_e(s)` of a family are equilibria of equations in which s is a parameter. Near each of them
the leaf is a graph over states y that are free; as s moves, the linear part of the motion of their deviations
is

.. math:: \dot e = B(s)\, e - y_e'(s)\, \dot s.

If on all of an interval of s, for both signs,

.. math:: P > 0, \qquad -(P B + B^T P) - 2 a P \pm r P' > 0, \qquad y_e'^T P\, y_e' < c^2,

then, since the second is affine in :math:`\dot s`, :math:`V = e^T P(s)\, e` obeys
:math:`\dot V \le -2 a V + 2 c r \sqrt V` as long as s is in the interval and :math:`|\dot s| \le r`:

.. math:: |e(t)|_P \le e^{-a t}\, |e(0)|_P + c r/a.

Where :math:`w^2 P - E_{ii} > 0`, with a one at i alone, :math:`|e_i| \le w |e|_P`. A range in pieces, each
with equations of its own, has one bound where members and P agree at their ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, product, transpose
from geoctrl.checker.enclosures.sets import above_zero
from geoctrl.checker.identities import Ratio
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.maps.bernstein import AxesBox, Side
from geoctrl.checker.maps.charts import CHART
from geoctrl.checker.maps.file import AXES, DEPTH, MAP, MAP_WITNESS, PROBLEM
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import Proof, Signs, analytic, walk, whole
from geoctrl.checker.numbers import rational
from geoctrl.checker.reader import label
from geoctrl.checker.schedules.forms import MatrixOverBoxes
from geoctrl.checker.schedules.pieces import Piece, require_junction
from geoctrl.checker.verdicts import Found, form, rate, tangent_motion
from geoctrl.checker.words.claims import assigned, system_words
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import above, below, decimal, listed, quoted, told

HALVED, SHOWN = "+", "."
"""Letters of a tree: a box that is halved, and one on all of which everything is shown."""
PIECE = {
    "name": label,
    **{key: MAP[key] for key in ("family", "axes", "symbols", "domain", "cells")},
    "chart": {key: CHART[key] for key in ("rows", "free", "inverse")},
    "moves": label,
    "P": [[[rational]]],
    **dict.fromkeys(("rate", "decay"), above_zero),
    "reach": lambda value: fmpq(0) if value == "0" else above_zero(value),
    "within": {...: above_zero},
}
MOVING = PIECE | {"further?": [{"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": PIECE}]}
"""``moves`` is the axis s. P is a lower triangle of polynomials, each by its coefficients in
(s - middle)/(half of the length) of that axis; ``reach`` is c, ``within`` are w by states. ``further`` are
pieces of the range that follow, each with its own equations."""


class MovingLinearPart:
    """What has to hold on all of a region for the bound; Refusal where the question is none.

    Parameters
    ----------
    members : Members
    given : dict
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        self._members, self._given, problem = members, given, members.problem
        axes, roles = given["axes"], {x[1]: x[2] for x in problem["nodes"] if x[0] == "sym"}
        require(
            0 < len(axes) <= AXES and not any(low >= high for low, high in axes.values()),
            f"axes are one to {AXES} intervals",
            "theorem.axes",
        )
        require(
            given["moves"] in axes and roles[given["moves"]] == "parameter",
            "what moves is a parameter of the equations, and an axis",
            "theorem.moves",
        )
        if problem["inputs"]:
            raise Refusal("a loop has no inputs", "problem.inputs")
        known = (problem["nodes"][i] for i in reachable(problem["nodes"], problem["leaf"].values()))
        if any(x[0] == "sym" and x[1] == given["moves"] for x in known):
            raise Refusal("the leaf must not move", "problem.leaf")
        require(
            {*given["chart"]["rows"]} == {*problem["leaf"]} and given["chart"]["free"],
            "deviations are those of all states that the leaf leaves free",
            "theorem.chart",
        )
        matrices, noted = members.field.noting(self._matrices)
        self._forms = [MatrixOverBoxes(members.region, rows) for rows in matrices]
        self._proof = Proof("", tuple(dict.fromkeys([*members.conditions, *noted])))
        self._signs = Signs(members.region, [self._proof])
        self._require_analytic = analytic(members.region, members.field.positive)

    def _matrices(self) -> list[Rows]:
        """All that have to be positive definite; that the members' speed is within reach is noted."""
        F, given, problem = self._members.field, self._given, self._members.problem
        n, (low, high) = len(given["chart"]["free"]), given["axes"][given["moves"]]
        require(
            [*map(len, given["P"])] == [*range(1, n + 1)],
            "it is not the lower triangle of a form of the deviations",
            "theorem.P",
        )
        place = next(i for i, x in enumerate(F.table) if x[0] == "sym" and x[1] == given["moves"])
        s, half = F.symbols[place].value, (high - low) / 2
        t = (s - (low + high) / 2) * (1 / half)
        P = form([[_polynomial(c, t, F.number(0)) for c in row] for row in given["P"]], n)
        slopes = [[[c * k / half for k, c in enumerate(e)][1:] for e in row] for row in given["P"]]
        slope = form([[_polynomial(c, t, F.number(0)) for c in row] for row in slopes], n)
        chart = given["chart"] | {"inverse": [F.values(row) for row in given["chart"]["inverse"]]}
        growth = rate(P, tangent_motion(self._members.question, chart), -given["decay"])
        near = F.symbols | {place: Jet({(): s, (0,): F.number(1)}, 2)}
        states = [problem["states"][k] for k in chart["free"]]
        moved = [[jet.terms.get((0,), fmpq(0))] for jet in evaluate(F.table, states, near, F)]
        ((square,),) = product(transpose(moved), product(P, moved))
        if square != 0:  # where members do not move there is nothing to reach
            F.require_positive(F.number(given["reach"] ** 2) - square)
        found = [P]
        for sense in (1, -1):
            found.append(
                [
                    [-g - sense * given["rate"] * d for g, d in zip(*rows, strict=True)]
                    for rows in zip(growth, slope, strict=True)
                ]
            )
        for k, w in given["within"].items():
            i = chart["free"].index(k)
            found.append([[w * w * c - (a == b == i) for b, c in enumerate(row)] for a, row in enumerate(P)])
        return found

    def holds_on(self, sides: tuple[Side, ...]) -> bool:
        """Whether all of it is shown on all of a box, in coordinates from zero to one."""
        spend()
        if not self._proof.holds(self._signs.on(sides, {})):
            return False
        self._require_analytic(sides)
        box = AxesBox(self._members.region, sides)
        return all(rows.is_positive_on(box) for rows in self._forms)


def _polynomial(coefficients: Sequence[fmpq], t: Ratio, zero: Ratio) -> Ratio:
    """A polynomial by its coefficients, the first of which is that of one."""
    found = zero
    for c in reversed(coefficients):
        found = found * t + c
    return found


class MovingWords:
    """The bound in words, and how many parts of the region it was shown on."""

    def __init__(self, pieces: Sequence[Piece], parts: int) -> None:
        self._problem, _, self._given = pieces[0]
        self._intervals, self._parts = [piece.interval for piece in pieces], parts

    def claim(self, system: str) -> str:
        """What is claimed."""
        given, problem = self._given, self._problem
        s, free = told(given["moves"]), given["chart"]["free"]
        r, a, c = given["rate"], given["decay"], given["reach"]
        still = {k: v for k, v in given["axes"].items() if k != given["moves"]}
        beside = "".join(
            f", {told(k)} in [{decimal(low)}, {decimal(high)}] standing still"
            for k, (low, high) in still.items()
        )
        values = assigned({**problem["parameters"], **given["symbols"]})
        leaf = leaf_words(relations(problem), Dimension(len(free), True), " at each of them")
        low, high = decimal(self._intervals[0][0]), decimal(self._intervals[-1][1])
        several = len(self._intervals) > 1
        each = ", ".join(f"[{decimal(a)}, {decimal(b)}]" for a, b in self._intervals)
        own = f", with equations of its own on each of {each}" if several else ""
        at = f"{f' with {values}' if values else ''}{own}, on {leaf}"
        form_of = f"P({s}), continuous and a polynomial on each" if several else f"polynomial P({s})"
        widths = "".join(
            f"{', ' if turn else '; '}that of {told(k)} at most {above(w)} |e|_P"
            for turn, (k, w) in enumerate(given["within"].items())
        )
        return (
            f"While {s} moves within [{low}, {high}] at |d{s}/dt| <= {decimal(r)}{beside}, the deviations e "
            f"of {listed(free)} from the equilibrium of the family {quoted(given['family'])} of "
            f"{system_words(system)} at {s}{at}, obey in the linear "
            f"part of the motion, de/dt = A({s}) e - x_e'({s}) d{s}/dt, |e(t)|_P <= exp(-{below(a)} "
            f"t) |e(0)|_P + {above(c * r / a)}, |e|_P^2 = e.P({s}) e with a positive definite "
            f"{form_of}, |x_e'|_P <= {above(c)}{widths}. Of the motion itself nothing is said."
        )

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given = self._given
        return (
            "members are equilibria on the leaf, identically in the axes",
            f"kept by the motion, identically: {listed(self._problem['leaf']) or 'no leaf relations'}",
            f"{self._parts} parts, on all of each of which a quadratic form is positive and falls along the "
            f"linearisation at twice the rate {below(given['decay'])}, while {told(given['moves'])} moves "
            "either way at its largest rate",
            *self._junction_words(),
        )

    def _junction_words(self) -> list[str]:
        """What was confirmed of several pieces."""
        several = len(self._intervals) > 1
        words = f"{len(self._intervals)} pieces with one leaf, the same members, and forms that agree where"
        return [f"{words} they meet"] if several else []


def _parts_shown(piece: Piece) -> int:
    """On how many cells the bound of a piece is shown, which are all of it."""
    part = MovingLinearPart(Members(*piece), piece.given)
    text, parts = iter(piece.given["cells"]), 0

    def read(_: dict, level: int) -> str:
        letter = next(text, " ")
        if letter != SHOWN and not (letter == HALVED and level < DEPTH):
            raise Refusal("the cells are no tree", "theorem.cells")
        return letter

    for box, letter, _ in walk(whole(len(piece.given["axes"])), lambda *_: {}, read, {}):
        if letter == SHOWN:
            parts += 1
            require(part.holds_on(box), "the bound is not shown on all of a cell", "theorem.cells")
    require(next(text, None) is None, "the cells are no tree", "theorem.cells")
    return parts


def bound_of_moving_members(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """The bound of the linear part while a parameter moves; Refusal where something is not proved."""
    further = (Piece(p["problem"], p["witness"], p["theorem"]) for p in given.get("further", []))
    pieces = [Piece(problem, witness, given), *further]
    parts = sum(map(_parts_shown, pieces))
    for first, second in pairwise(pieces):
        require_junction(first, second)
    return Found("PROVED_BOUNDED", "cells", {"region": MovingWords(pieces, parts)})


THEOREMS = {
    "moving member": (
        {"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": MOVING},
        bound_of_moving_members,
    )
}
