r"""A periodic orbit through jumps: one in a box, by Krawczyk's test, and its stability, by its return map.

Unknowns are for each phase i the state :math:`x_i` after the last jump and its time :math:`T_i`:

.. math::

    R_i(\varphi_{T_i}(x_i)) = x_{i+1}, \qquad h_i(\varphi_{T_i}(x_i)) = 0,

as many equations as unknowns. Rows are all relations g of the leaf and some conserved functions C, with
gradients D; motions keep them, and so do resets on the guards, by identities. Of the last of the first kind
of equations the states f that the rows leave free are left, and

.. math::

    g(x_0) = 0, \qquad C(x_0) = C(\bar x)

are added, :math:`\bar x` being numbers of the file. As the rows have equal values at :math:`x_0` and at what
the last reset makes, and the columns of D at the other states have an inverse over a box that holds both, the
orbit closes (mean value theorem). Where angles go round, by whole turns that the file gives, what the last
reset makes is taken less these; that modes, guards, resets and rows are the same after a turn is shown by
their nodes, and resets leave these angles as they are. That motions meet no other jump and none before is
shown in `phase`.

The strike is crossed: :math:`dh_i f_i` has the sign of the direction. By the implicit function theorem the
map of states near :math:`x_0` to those after a round is analytic, with the derivative

.. math::

    DP = \prod_i DR_i \Bigl(I - \frac{f_i\, dh_i}{dh_i f_i}\Bigr) \Phi_i

(Hiskens and Pai 2000). It keeps tangents W of the level, and M is what it does to them by the free states.
All eigenvalues of M lie inside the unit circle where P > 0 and :math:`P - M^T P M > 0`. With m > 1,
:math:`M^T P M - m^2 P > 0` and v.P v > 0 one lies outside, and motions grow away in the image of the map.

**Starts.** What is said of near motions is said of those that begin just after a jump, in the image of its
reset, or during a phase apart from its ends: there they meet the same jumps in the same order, since all that
is asked of guards is open but for zeros at a start, and these are identities of the reset. Where h vanishes
after it, a start a little beyond the guard strikes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx

from geoctrl.checker.definite import Rows
from geoctrl.checker.enclosures.sets import above_zero
from geoctrl.checker.enclosures.turns import WINDING, up_to_turns
from geoctrl.checker.flows.flow import FLOW
from geoctrl.checker.hybrid_orbits.phase import MODE, PHASE, PIECES, Mode, Phase
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import rational
from geoctrl.checker.theorems.boxes import require_zero
from geoctrl.checker.theorems.held_loop import require_inside, require_outside
from geoctrl.checker.verdicts import BASIS, Found, kernel
from geoctrl.checker.words.claims import functions_of, point_words, system_at
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import Expressions, listed, told

METHOD = "multipliers of a periodic orbit through jumps"
HYBRID = BASIS | {
    "bits": FLOW["bits"],
    "degree": FLOW["degree"],
    "modes": {...: MODE},
    "phases": [PHASE],
    "winding?": WINDING,
    "radius": above_zero,
    "Y": [[rational]],
    "P": [[rational]],
}
"""``radius``: of states and times over their sizes; ``winding`` are whole turns by states."""
DIGITS = 40
"""Of balls in words, at most."""
STARTS = "just after a jump, in the image of its reset, or during a phase apart from its ends"
INSIDE = (
    f"is asymptotically stable as a set within the leaf: motions that begin near it {STARTS} come to it, as "
    "all multipliers of the return map lie inside the unit circle"
)
BESIDE = (
    f"is Lyapunov stable as a set: motions that begin near it on its level {STARTS} come to it, and those on "
    "another level to an orbit beside it, as all multipliers of the return map on the level lie inside the "
    "unit circle"
)
OUTSIDE = (
    "is unstable as a set: motions that begin as near to it as one likes, just after a jump and in the image "
    "of its reset, go away from it, as a multiplier of the return map lies outside the unit circle"
)
PASSED = {1: "rises through", -1: "falls through", 0: "passes"}


class HybridOrbit:
    """A periodic orbit through jumps that is looked for in the box of a file.

    Attributes
    ----------
    problem, given : dict
    kept : list of str
        Conserved functions of which the level is held.
    numbers : dict
        Parameters and inputs of all modes.
    modes : dict of name -> Mode
    phases : list of Phase
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        self.problem, self.given, self.numbers = problem, given, dict[str, dict[str, Any]]()
        self.turns: dict[str, int] = given.get("winding", {})
        self.modes = {name: Mode(problem, witness, part) for name, part in given["modes"].items()}
        self.kept = [k for k in given["rows"] if k not in problem["leaf"]]
        for mode in self.modes.values():
            self._require_same(mode.question.problem)
            mode.question.require_kept(given["rows"])
        self.phases = [
            Phase(self.modes[part["mode"]], part, given["degree"], given["radius"])
            for part in given["phases"]
        ]
        require(
            self.phases and self.phases[0].mode.question.problem is problem,
            "the orbit does not begin in the mode of the problem",
            "theorem.phases",
        )
        self._first = self.phases[0].mode.question
        self._free = [self._first.labels.index(k) for k in given["free"]]
        for phase, after in self._pairs():
            self._require_jump(phase, after)
        found = [self._states_after(phase, after, phase.ends) for phase, after in self._pairs()]
        self._slopes = [slopes for _, slopes in found]
        both = [a.union(b) for a, b in zip(self.phases[0].box, found[-1][0][1:], strict=False)]
        self._D = self._rows(both)[1]
        self._W = kernel(self._first, self._D, given)

    def _require_same(self, problem: dict[str, Any]) -> None:
        """All modes have relations of the same names, all rows, and numbers of one name the same value."""
        for part in ("parameters", "inputs"):
            known = self.numbers.setdefault(part, {})
            same = all(known.setdefault(k, v) == v for k, v in problem[part].items())
            require(same, "modes differ in their numbers", "theorem.modes")
        require(
            problem["leaf"].keys() == self.problem["leaf"].keys()
            and {*problem["leaf"]} <= {*self.given["rows"]},
            "modes differ in their relations, or a relation of the leaf is missing",
            "theorem.modes",
        )

    def _pairs(self) -> list[tuple[Phase, Phase]]:
        """Phases with those after them, the first after the last."""
        return list(zip(self.phases, [*self.phases[1:], self.phases[0]], strict=True))

    def _require_jump(self, phase: Phase, after: Phase) -> None:
        """A jump leads into the phase after it, keeps the rows, and is the first; see `Phase`."""
        mode, there = phase.mode, after.mode
        jump = mode.jumps[phase.name]
        require(self.modes[jump["to"]] is there, "a jump leads to another mode", "theorem.phases")
        for k in self.given["rows"]:
            function = there.question.functions_by_name[k]
            mode.require_image(phase.name, "rows", k, there.question, function)
        for k in jump["guards"]:
            mode.require_image(phase.name, "guards", k, there.question, there.jumps[k]["guard"])
        mode.require_same_after_turns(phase.name, self.turns, self.given["rows"], there.question)
        after.require_first(jump["guards"].keys())

    def _rows(self, x: list[arb]) -> tuple[list[arb], Rows]:
        """Relations and conserved functions of the rows at states over their sizes, and gradients."""
        places = [self._first.functions_by_name[k] for k in self.given["rows"]]
        values, slopes = self.phases[0].with_slopes(places, x)
        return values, slopes.tolist()

    def _states_after(self, phase: Phase, after: Phase, x: list[arb]) -> tuple[list[arb], arb_mat]:
        """Guard and states after the jump, less whole turns at the end of a round, with derivatives, all
        states over the sizes of their phase.
        """
        values, slopes = phase.strike_and_reset(x)
        turns = self.turns if after is self.phases[0] else {}
        away = [arb(0), *(2 * turns.get(k, 0) * arb.pi() for k in after.mode.question.labels)]
        sizes = [arb(1), *after.motion.sizes[:-1]]
        rows = [[c / d for c in row] for row, d in zip(slopes.tolist(), sizes, strict=True)]
        return [(v - a) / d for v, a, d in zip(values, away, sizes, strict=True)], arb_mat(rows)

    def values(self) -> list[arb]:
        """Of the equations at the starts: of each phase guard and closing, then of the rows."""
        found = list[arb]()
        for phase, after in self._pairs():
            h, *x = self._states_after(phase, after, phase.middle)[0]
            away = [a - b for a, b in zip(x, after.start, strict=False)]
            found += [h, *(away[k] for k in self._closing(after))]
        first = self.phases[0]
        pairs = zip(self.given["rows"], self._rows(first.start)[0], self._rows(first.point)[0], strict=True)
        return found + [x - (y if k in self.kept else 0) for k, x, y in pairs]

    def slopes(self) -> Rows:
        """Their derivatives over the box by all states and times."""
        counts = [len(phase.start) for phase in self.phases]
        places = {id(phase): sum(counts[:i]) for i, phase in enumerate(self.phases)}
        zeros, rows = [arb(0)] * sum(counts), list[list[arb]]()
        for (phase, after), slopes in zip(self._pairs(), self._slopes, strict=True):
            here, there, change = places[id(phase)], places[id(after)], (slopes * phase.total).tolist()
            for k in (-1, *self._closing(after)):
                row = [*zeros]
                row[here : here + len(phase.start)] = change[k + 1]
                row[there + k] -= k >= 0
                rows.append(row)
        return rows + [[*row, *zeros[len(row) :]] for row in self._D]

    def _closing(self, after: Phase) -> Sequence[int]:
        """States of a phase that have to be those after the jump before: in the first one those left free."""
        return self._free if after is self.phases[0] else range(len(after.start) - 1)

    def require_one(self) -> None:
        """Refused unless there is one orbit in the box."""
        rows = self.slopes()
        radii = [self.given["radius"]] * len(rows)
        require_zero({"Y": self.given["Y"], "radii": radii}, self.values(), rows)

    @cached_property
    def multipliers(self) -> Rows:
        """M, over the box."""
        moved = arb_mat(self._W)
        for phase, slopes in zip(self.phases, self._slopes, strict=True):
            n = slopes.ncols()
            moved = arb_mat([row[:n] for row in phase.total.tolist()]) * moved
            dh, DR = arb_mat(slopes.tolist()[:1]), arb_mat(slopes.tolist()[1:])
            f = arb_mat([[v] for v in phase.rates(phase.ends)])
            moved = DR * (moved - f * (dh * moved) / (dh * f)[0, 0])
        return [moved.tolist()[i] for i in self._free]


class HybridWords(NamedTuple):
    """What is proved of an orbit through jumps, in words."""

    orbit: HybridOrbit
    predicate: str

    def claim(self, system: str) -> str:
        """What its file claims."""
        orbit, problem = self.orbit, self.orbit.problem
        dimension = Dimension(len(problem["states"]) - len(problem["leaf"]), True)
        leaf = leaf_words(relations(problem), dimension, " along it")
        there = point_words(problem["states"]) or "x = 0"
        level = f", with the values of {functions_of(problem, orbit.kept)} at {there}" if orbit.kept else ""
        with ctx.workprec(orbit.given["bits"]):
            time = sum((phase.box[-1] * phase.motion.sizes[-1] for phase in orbit.phases), arb(0)).str(DIGITS)
            phases = "; then ".join(map(_phase_words, orbit.phases))
        guards = ", ".join(
            _guard_words(k, mode, name) for k, mode in orbit.modes.items() for name in mode.jumps
        )
        kept, asked = self._positive()
        told_of = [f"all along, or up to its fall as a guard, what the file calls {listed(kept)}"] * bool(
            kept
        )
        told_of += [f"at its jumps {listed(asked)}"] * bool(asked)
        positive = f" Positive are {', and '.join(told_of)}." if told_of else ""
        against = sum(phase.against for phase in orbit.phases)
        return (
            f"A periodic orbit through jumps of {system_at(system, problem | orbit.numbers)}, on {leaf}"
            f"{level}, that closes after T = {time} s{up_to_turns(orbit.turns)}: {phases}. It is the only "
            "one there with these jumps in this order (Krawczyk), crosses the guards at their ends, and "
            f"meets none before, of {guards}.{positive} It {self.predicate}. Resets are functions of the "
            "file. A guard that vanishes at a start is not struck there; of starts a little beyond it "
            f"nothing is said. Passages against a direction, of which there are {against} at most, are no "
            "jumps. Nothing is said of what no guard tells, as of feet that scrape or slip."
        )

    def _positive(self) -> tuple[list[str], list[str]]:
        """Names of what is positive along the orbit, and at its jumps."""
        phases = self.orbit.phases
        kept = dict.fromkeys(k for phase in phases for k in phase.mode.kept)
        asked = dict.fromkeys(k for phase in phases for k in phase.mode.jumps[phase.name]["asked"])
        return [*kept], [*asked]

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given, phases = self.orbit.given, self.orbit.phases
        kept, asked = self._positive()
        return (
            f"kept by motions and resets, identically: {listed(given['rows']) or 'nothing'}",
            f"{sum(len(part['steps']) for part in given['phases'])} steps of the flow in balls stay in their "
            "boxes, over which the equations have values",
            "the equations of closing and of guards have one solution in the box (Krawczyk)",
            f"crossed at the ends, with a rate of one sign: {listed(dict.fromkeys(p.name for p in phases))}",
            f"no guard is met before, on {PIECES} pieces of each step; zero at a start by identities: "
            f"{listed({k: 0 for p in phases for k in p.mode.jumps[p.name]['guards']}) or 'none'}",
            f"positive on all pieces, or the first of a guard that falls: {listed(kept) or 'nothing'}",
            f"positive over all ends: {listed(asked) or 'nothing'}",
            "resets and their derivatives have values over all ends",
            *(f"all of it is the same after a whole turn of {told(name)}" for name in self.orbit.turns),
            "a quadratic form grows over a round, and is positive somewhere"
            if "m" in given
            else "a quadratic form is positive and falls over a round",
        )


def _phase_words(phase: Phase) -> str:
    """A phase with its start, its time and the jump at its end."""
    *states, time = ((x * d).str(DIGITS) for x, d in zip(phase.box, phase.motion.sizes, strict=True))
    labels = phase.mode.question.labels
    start = ", ".join(f"{told(k)} = {x}" for k, x in zip(labels, states, strict=True))
    return f"from {start} in {time} s to {told(phase.name)}"


def _guard_words(label: str, mode: Mode, name: str) -> str:
    """From which mode and when a jump takes place."""
    jump = mode.jumps[name]
    guard = Expressions(mode.question.table)(jump["guard"])
    return f"{told(name)} from {told(label)} where {guard} {PASSED[jump['direction']]} 0"


def hybrid_orbit(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where all multipliers of the return map lie inside; or where, by a number m that is given, one
    lies outside.
    """
    with ctx.workprec(given["bits"]):
        orbit = HybridOrbit(problem, witness, given)
        orbit.require_one()
        M = orbit.multipliers
    if "m" in given:
        require_outside(M, given)
        return Found("PROVED_UNSTABLE", METHOD, {"region": HybridWords(orbit, OUTSIDE)})
    require_inside(M, given["P"])
    verdict = "PROVED_STABLE" if orbit.kept else "PROVED_ASYMPTOTICALLY_STABLE"
    return Found(verdict, METHOD, {"region": HybridWords(orbit, BESIDE if orbit.kept else INSIDE)})


THEOREMS = {
    "hybrid orbit that attracts": ({"theorem": HYBRID}, hybrid_orbit),
    "hybrid orbit that repels": ({"theorem": HYBRID | {"m": rational, "v": [rational]}}, hybrid_orbit),
}
