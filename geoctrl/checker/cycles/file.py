r"""A motion that closes under laws which a computer sets in turn, and its stability with the clock.

States are those of the plant x and the commands c, which rest between samples, :math:`\dot c = 0`. At the
sample k = 0, ..., N - 1 of a period the file gives numbers :math:`\hat u_k, K_k, \hat x_k`, and

.. math:: c = \hat u_k - K_k (x - \hat x_k)

is held for h. One period is a map of x; with the flow over a hold, :math:`(\varphi_h(x, c), c)`, its
derivative is the product of the :math:`\partial_x \varphi - \partial_c \varphi\, K_k`.

Rows are all relations g of the leaf and some conserved functions C, with gradients D; neither holds a
command, and both are kept whatever these are, by identities. States of the plant that the rows leave free are
counted as f. Krawczyk's test shows that the equations

.. math:: x_{N,i} = x_{0,i} \ (i \in f), \qquad g(x_0) = 0, \qquad C(x_0) = C(\bar x),

with the numbers :math:`\bar x` of the file, have one solution in the box; and as of `orbits`
the motion closes: both ends have equal values of the rows, of which the columns at the other states have an
inverse.

M is what the period does to tangents of the level. All multipliers lie inside the unit circle where P > 0 and
:math:`P - M^T P M > 0`: then motions from near starts at a sample 0 come to this one, in step with it; near
levels have motions of their own that do the same (implicit function theorem). With m > 1,
:math:`M^T P M - m^2 P > 0` and v.P v > 0 it is unstable.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.definite import Rows
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.sets import above_zero
from geoctrl.checker.flows.flow import FLOW, STEPS, Box, flow
from geoctrl.checker.flows.model import functions_over, require_model
from geoctrl.checker.flows.series import Motion
from geoctrl.checker.jets import Jet, reachable
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label, place
from geoctrl.checker.theorems.boxes import require_zero
from geoctrl.checker.theorems.held_loop import require_inside, require_outside
from geoctrl.checker.verdicts import BASIS, Found, kernel
from geoctrl.checker.words.claims import functions_of, point_words, system_at
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import decimal, listed, told

METHOD = "multipliers of a period of holds"
HOLD = {"inputs": [rational], "gain": [[rational]], "states": [rational], "steps": STEPS}
CYCLE = (
    BASIS
    | FLOW
    | {
        "commands": [label],
        "hold": above_zero,
        "start": [rational],
        "radius": above_zero,
        "Y": [[rational]],
        "holds": [HOLD],
        "domain": [place],
        "P": [[rational]],
    }
)
"""``units`` are exponents of two of the sizes of the states, of the commands and of the time; ``start`` the
states of the plant over theirs, known up to the radius. Laws and the hold are in the units of the problem.
Functions of the ``domain`` are positive where the model holds."""
DIGITS = 20
"""Of balls in words, at most."""
INSIDE = "is asymptotically stable within the leaf"
BESIDE = (
    "is Lyapunov stable within the leaf, and motions from near starts on its level come to it, those on "
    "another level to one beside it"
)
OUTSIDE = "is unstable"


class HeldCycle:
    """A motion of the loop that is looked for in the box of a file.

    Attributes
    ----------
    question : Question
    given : dict
    motion : Motion
    kept : list of str
        Conserved functions of which the level is held.
    free : list of int
        Numbers of the states of the plant that the rows leave free.
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        self.question = q = Question(problem, witness, Balls([fmpq(0)] * len(problem["states"])))
        self.given, self.n = given, len(q.labels) - len(given["commands"])
        require(
            given["commands"] == q.labels[self.n :] and given["commands"] and given["holds"],
            "commands are the last of the states, and holds are needed",
            "theorem.commands",
        )
        self._require_at_rest()
        self.motion = Motion(q, given["units"], given["degree"])
        require({*problem["leaf"]} <= {*given["rows"]}, "a relation of the leaf is missing", "theorem.rows")
        self.kept = [k for k in given["rows"] if k not in problem["leaf"]]
        q.require_kept(given["rows"])
        self.free = [i for i, k in enumerate(q.labels[: self.n]) if k in given["free"]]
        require(self.free, "nothing of the plant is free to move", "theorem.free")
        require(len(given["start"]) == self.n, "a start has a number for each state", "theorem.start")
        self.start = [arb(x) for x in given["start"]]
        self._radii = arb_mat([[arb(0, given["radius"])]] * self.n)
        self._sizes = [d.fmpq() for d in self.motion.sizes]
        self._time = arb(given["hold"] / self._sizes[-1])
        self._point = [arb(v / d) for v, d in zip(problem["states"].values(), self._sizes, strict=False)]

    def _require_at_rest(self) -> None:
        """Commands rest between samples, and nothing that is kept depends on them."""
        q, problem = self.question, self.question.problem
        rates = q.still.ratios(problem["field"][self.n :])
        require(all(rate == 0 for rate in rates), "commands must rest between samples", "problem.field")
        held = {*q.states[self.n :]} & {*reachable(q.table, q.functions_by_name.values())}
        require(not held, "leaf and invariants must not depend on commands", "problem")

    def _law(self, hold: dict[str, Any]) -> tuple[arb_mat, arb_mat]:
        """b and G with c = b - G x over sizes."""
        K, states, inputs, n = hold["gain"], hold["states"], hold["inputs"], self.n
        require(
            len(states) == n
            and len(K) == len(inputs) == len(self.given["commands"])
            and all(len(row) == n for row in K),
            "a law has a number for each command, and a gain for each of the states",
            "theorem.holds",
        )
        sizes, own = self._sizes[:n], self._sizes[n:]
        pairs = zip(K, inputs, own, strict=False)
        b = [(u + sum((k * x for k, x in zip(row, states, strict=True)), fmpq(0))) / d for row, u, d in pairs]
        G = [
            [arb(k * s / d) for k, s in zip(row, sizes, strict=True)] for row, d in zip(K, own, strict=False)
        ]
        return arb_mat([[arb(c)] for c in b]), arb_mat(G)

    @cached_property
    def _period(self) -> tuple[Box, arb_mat, Box]:
        """End of the motion from the start; the derivative by the start, over all of them; and their ends."""
        n, domain, last = self.n, self.given["domain"], self._point
        x, moved = arb_mat([[c] for c in self.start]), arb_mat(n, n, 1)
        for hold in self.given["holds"]:
            b, G = self._law(hold)
            away = moved * self._radii
            start = [*x.entries(), *(b - G * x).entries(), self._time]
            spread = [*away.entries(), *((G * moved) * self._radii).entries(), arb(0)]
            radii = [c.abs_upper().fmpq() for c in spread]
            box = [c + arb(0, r) for c, r in zip(start, radii, strict=True)]
            # What is shown by signs at the point holds all along a path of states that joins it to these.
            require_model(self.motion, [a.union(c) for a, c in zip(last, box, strict=False)], domain)
            bundle = flow(
                self.motion,
                start,
                radii,
                hold["steps"],
                lambda tube: require_model(self.motion, tube.box, domain),
            )
            x, last = arb_mat([[c] for c in bundle.middle[:n]]), bundle.box[:-1]
            total = bundle.total.tolist()
            by_states = arb_mat([row[:n] for row in total[:n]])
            moved = (by_states - arb_mat([row[n:-1] for row in total[:n]]) * G) * moved
        return x.entries(), moved, (x + moved * self._radii).entries()

    def _functions(self, x: Box) -> list[Jet]:
        """Relations and conserved functions of the rows."""
        places = [self.question.functions_by_name[k] for k in self.given["rows"]]
        return functions_over(self.motion, places, x)

    @cached_property
    def _level(self) -> tuple[Rows, Rows]:
        """D over states between both ends, and a basis of its kernel."""
        around = [c + r for c, r in zip(self.start, self._radii.entries(), strict=True)]
        both = [a.union(b) for a, b in zip(around, self._period[2], strict=True)]
        D = [jet.gradient(len(self.question.labels)) for jet in self._functions(both)]
        return D, kernel(self.question, D, self.given)

    def equations(self) -> tuple[list[arb], Rows]:
        """Values at the start, and derivatives over the box by the states of the plant."""
        end, moved, _ = self._period
        start, point = self._functions(self.start), self._functions(self._point)
        pairs = zip(self.given["rows"], start, point, strict=True)
        values = [end[i] - self.start[i] for i in self.free]
        values += [x.value - (y.value if k in self.kept else 0) for k, x, y in pairs]
        rows: Rows = [[moved[i, j] - (i == j) for j in range(self.n)] for i in self.free]
        return values, rows + [row[: self.n] for row in self._level[0]]

    def require_one(self) -> None:
        """Refused unless there is one motion that closes in the box."""
        radii = [self.given["radius"]] * self.n
        require_zero({"Y": self.given["Y"], "radii": radii}, *self.equations())

    @cached_property
    def multipliers(self) -> Rows:
        """M, over the box."""
        W = self._level[1][: self.n]
        columns = [j for j, k in enumerate(self.given["free"]) if k not in self.given["commands"]]
        image = (self._period[1] * arb_mat([[arb(row[j]) for j in columns] for row in W])).tolist()
        order = [self.question.labels.index(self.given["free"][j]) for j in columns]
        return [image[i] for i in order]


class HeldCycleWords(NamedTuple):
    """What is proved of the motion, in words."""

    cycle: HeldCycle
    predicate: str

    def claim(self, system: str) -> str:
        """What its file claims."""
        cycle, problem = self.cycle, self.cycle.question.problem
        given, n = cycle.given, cycle.n
        dimension = Dimension(n - len(problem["leaf"]), True)
        leaf = leaf_words(relations(problem), dimension, " along it")
        plant = dict([*problem["states"].items()][:n])
        there = point_words(plant) or "x = 0"
        level = f", with the values of {functions_of(problem, cycle.kept)} at {there}" if cycle.kept else ""
        with ctx.workprec(given["bits"]):
            radius = arb(0, given["radius"])
            pairs = zip(cycle.start, cycle.motion.sizes, strict=False)
            states = [((x + radius) * d).str(DIGITS) for x, d in pairs]
        at = ", ".join(f"{told(k)} = {x}" for k, x in zip(plant, states, strict=True))
        count, hold = len(given["holds"]), given["hold"]
        return (
            f"The loop of {system_at(system, problem)}, on {leaf}{level}, which sets "
            f"{listed(given['commands'])} every {decimal(hold)} s by the {count} affine laws of the file in "
            "turn, as real numbers, at once, and holds what it sets, without limits, rounding or noise, has "
            f"a motion that closes after {count} holds and is at {at} as the "
            "first law is set, the only one "
            f"there (Krawczyk); in step with the clock it {self.predicate}: "
            f"{'a multiplier' if self.predicate == OUTSIDE else 'all multipliers'} of a period "
            f"{'lies outside' if self.predicate == OUTSIDE else 'lie inside'} the unit circle."
        )

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given = self.cycle.given
        steps = sum(len(hold["steps"]) for hold in given["holds"])
        return (
            "kept by the motion under every constant command, identically: "
            f"{listed(given['rows']) or 'nothing'}",
            f"{steps} steps of the flow in balls, over {len(given['holds'])} holds, stay in boxes, over "
            "which all parts of the equations and of identities have values",
            "the equations of closing have one solution in the box (Krawczyk)",
            *(
                [f"where the model holds, in all of {len(given['domain'])} conditions"]
                if given["domain"]
                else []
            ),
            "a quadratic form grows over the period, and is positive somewhere"
            if "m" in given
            else "a quadratic form is positive and falls over the period",
        )


def held_cycle(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where all multipliers lie inside; or where, by a number m that is given, one lies outside."""
    with ctx.workprec(given["bits"]):
        cycle = HeldCycle(problem, witness, given)
        cycle.require_one()
        M = cycle.multipliers
    if "m" in given:
        require_outside(M, given)
        return Found("PROVED_UNSTABLE", METHOD, {"region": HeldCycleWords(cycle, OUTSIDE)})
    require_inside(M, given["P"])
    verdict = "PROVED_STABLE" if cycle.kept else "PROVED_ASYMPTOTICALLY_STABLE"
    return Found(verdict, METHOD, {"region": HeldCycleWords(cycle, BESIDE if cycle.kept else INSIDE)})


THEOREMS = {
    "held cycle that attracts": ({"theorem": CYCLE}, held_cycle),
    "held cycle that repels": ({"theorem": CYCLE | {"m": rational, "v": [rational]}}, held_cycle),
}
