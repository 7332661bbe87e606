r"""A periodic orbit: one in a box, by Krawczyk's test, and its stability, by its multipliers.

Rows are all relations g of the leaf and some conserved functions C, with gradients D; the states that they
leave free are counted as f. One of these, a, is held at its number in the file, which crosses the motion.
Unknowns are the other states and the period T:

.. math::

    \varphi_T(x)_i = x_i \ (i \in f), \qquad g(x) = 0, \qquad C(x) = C(\bar x),

with the numbers :math:`\bar x` of the file. Krawczyk's test shows that they have one solution in the box. As
g and C have equal values at both ends, D (y - x) = 0 for D at states between them (mean value theorem), and
where the columns of D at the other states have an inverse over a box that holds both ends, y = x: the orbit
closes. What is conserved is shown to be by identities, all parts of which have values all along. Where angles
go round, by whole turns :math:`2\pi k` that the file gives, y is the end less these; that equations, g, C and
the model's domain are the same after a turn is shown by their nodes.

The derivative :math:`\Phi` over the period maps tangents W of the level to such, and keeps the direction of
the motion; M is what it does to tangents beside that. All eigenvalues of M lie inside the unit circle where
P > 0 and :math:`P - M^T P M > 0`: near motions on the level come to the orbit (Poincare's map contracts), and
near levels, by the implicit function theorem, have orbits beside this one that do the same. Where nothing is
beside the motion, the orbit is what there is of its level near by. With m > 1,
:math:`M^T P M - m^2 P > 0` and v.P v > 0 one lies outside, and the orbit as a set is unstable.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.definite import Rows
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.sets import above_zero
from geoctrl.checker.enclosures.turns import WINDING, is_turned, up_to_turns
from geoctrl.checker.flows.flow import FLOW, STEPS, Box, Bundle, flow
from geoctrl.checker.flows.model import functions_over, require_model
from geoctrl.checker.flows.series import Motion, terms_of_series
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label, place
from geoctrl.checker.theorems.boxes import require_zero
from geoctrl.checker.theorems.family import reduced_matrix
from geoctrl.checker.theorems.held_loop import require_inside, require_outside
from geoctrl.checker.verdicts import BASIS, Found, kernel
from geoctrl.checker.words.claims import functions_of, point_words, system_at
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import listed, told

METHOD = "multipliers of a periodic orbit"
ORBIT = (
    BASIS
    | FLOW
    | {
        "across": label,
        "start": [rational],
        "radius": above_zero,
        "Y": [[rational]],
        "steps": STEPS,
        "domain": [place],
        "winding?": WINDING,
        "P": [[rational]],
    }
)
"""``units`` are exponents of two of the sizes of the states and of the period, ``start`` the states and the
period over these, of which all but that ``across`` are known up to the radius. Functions of the ``domain``
are positive where the model holds; ``winding`` are whole turns by states."""
DIGITS = 40
"""Of balls in words, at most: python-flint writes those that are certain, and how far they may be off."""
ALONE = (
    "is Lyapunov stable as a set: it is all there is of its level near by, and near levels have closed "
    "curves of their own"
)
BESIDE = (
    "is Lyapunov stable as a set, and motions from near starts on its level come to it, those on another "
    "level to one beside it: all multipliers beside the motion lie inside the unit circle{multiplier}"
)
INSIDE = (
    "is asymptotically stable as a set within the leaf: all multipliers beside the motion lie inside the "
    "unit circle{multiplier}"
)
OUTSIDE = "is unstable as a set: a multiplier lies outside the unit circle{multiplier}"


class Orbit:
    """A periodic orbit that is looked for in the box of a file.

    Attributes
    ----------
    question : Question
    given : dict
    motion : Motion
    kept : list of str
        Conserved functions of which the level is held.
    free, held : list of int and int
        Numbers of the states that the rows leave free, and of the one across the motion.
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        self.question = q = Question(problem, witness, Balls([fmpq(0)] * len(problem["states"])))
        self.given, self._n = given, len(q.labels)
        self.motion = Motion(q, given["units"], given["degree"])
        self.free, self.held = [q.labels.index(k) for k in given["free"]], q.labels.index(given["across"])
        require(
            {*problem["leaf"]} <= {*given["rows"]} and self.held in self.free,
            "a relation of the leaf is missing, or the state across is not free",
            "theorem.rows",
        )
        self.kept = [k for k in given["rows"] if k not in problem["leaf"]]
        q.require_kept(given["rows"])
        self.radii = [fmpq(0) if i == self.held else given["radius"] for i in range(self._n + 1)]
        self.start = [arb(x) for x in given["start"]]
        self.box = [x + arb(0, r) for x, r in zip(self.start, self.radii, strict=True)]
        self.point = [arb(v) / d for v, d in zip(problem["states"].values(), self.motion.sizes, strict=False)]
        require(
            given["start"][self.held] * self.motion.sizes[self.held].fmpq()
            == problem["states"][given["across"]],
            "the state across the motion is not the one of the point",
            "theorem.start",
        )
        require(self.box[-1] > 0, "the period is not positive", "theorem.start")
        self.turns: dict[str, int] = given.get("winding", {})
        used = [*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"]), *given["domain"]]
        used += [q.functions_by_name[k] for k in given["rows"]]
        require(
            all(k in q.labels and is_turned(q, q.labels.index(k), used) for k in self.turns),
            "the motion is not shown to be the same after a turn",
            "theorem.winding",
        )

    def _less_turns(self, end: Box) -> Box:
        """States and period after it, less the whole turns of angles."""
        away = [2 * self.turns.get(k, 0) * arb.pi() for k in self.question.labels]
        return [x - a / d for x, a, d in zip(end, [*away, arb(0)], self.motion.sizes, strict=True)]

    @cached_property
    def _flow(self) -> Bundle:
        """The flow over the period, along which all is as it has to be."""
        steps, domain = self.given["steps"], self.given["domain"]
        first = [a.union(b) for a, b in zip(self.point, self.box, strict=False)]
        require_model(self.motion, first, domain)
        return flow(
            self.motion,
            self.start,
            self.radii,
            steps,
            lambda tube: require_model(self.motion, tube.box, domain),
        )

    @cached_property
    def _level(self) -> tuple[Rows, Rows]:
        """D over states between both ends, and a basis of its kernel."""
        both = [a.union(b) for a, b in zip(self.box, self._less_turns(self._flow.box), strict=True)]
        D = [jet.gradient(self._n) for jet in self._functions(both)]
        return D, kernel(self.question, D, self.given)

    def equations(self) -> tuple[list[arb], Rows]:
        """Values at the start, and derivatives over the box by the unknowns."""
        end, total = self._less_turns(self._flow.middle), self._flow.total
        pairs = zip(self.given["rows"], self._functions(self.start), self._functions(self.point), strict=True)
        values = [end[i] - self.start[i] for i in self.free]
        values += [x.value - (y.value if k in self.kept else 0) for k, x, y in pairs]
        rows = [[total[i, j] - (i == j) for j in range(self._n + 1)] for i in self.free]
        rows += [[*row, arb(0)] for row in self._level[0]]
        return values, [[c for j, c in enumerate(row) if j != self.held] for row in rows]

    def require_one(self) -> None:
        """Refused unless there is one orbit in the box."""
        require_zero(
            {"Y": self.given["Y"], "radii": self.radii[: self.held] + self.radii[self.held + 1 :]},
            *self.equations(),
        )

    @cached_property
    def multipliers(self) -> Rows:
        """M, over the box."""
        n, place, total = self._n, self.free.index(self.held), self._flow.total
        Phi = arb_mat(n, n, [total[i, j] for i in range(n) for j in range(n)])
        image = (Phi * arb_mat(self._level[1])).tolist()
        with terms_of_series(1):
            rates = self.motion.rates(self.box)[0][0].entries()
        require(
            rates[self.held] > 0 or rates[self.held] < 0,
            "the motion is not shown to cross at the start",
            "theorem.across",
        )
        along, inverse = [[rates[i]] for i in self.free], [[1 / rates[self.held]]]
        return reduced_matrix([image[i] for i in self.free], along, inverse, [place])

    # -- values over boxes of states over their sizes -----------------------------------------------

    def _functions(self, box: Box) -> list[Jet]:
        """Relations and conserved functions of the rows."""
        places = [self.question.functions_by_name[k] for k in self.given["rows"]]
        return functions_over(self.motion, places, box)


class OrbitWords(NamedTuple):
    """What is proved of an orbit, in words."""

    orbit: Orbit
    predicate: str

    def claim(self, system: str) -> str:
        """What its file claims."""
        orbit, problem = self.orbit, self.orbit.question.problem
        dimension = Dimension(len(problem["states"]) - len(problem["leaf"]), True)
        leaf = leaf_words(relations(problem), dimension, " along it")
        there = point_words(problem["states"]) or "x = 0"
        level = f", with the values of {functions_of(problem, orbit.kept)} at {there}" if orbit.kept else ""
        with ctx.workprec(orbit.given["bits"]):
            *states, period = (
                (x * d).str(DIGITS) for x, d in zip(orbit.box, orbit.motion.sizes, strict=True)
            )
            multiplier = f", {orbit.multipliers[0][0].str(DIGITS)}" if len(orbit.multipliers) == 1 else ""
        place = ", ".join(f"{told(k)} = {x}" for k, x in zip(problem["states"], states, strict=True))
        return (
            f"A periodic orbit of {system_at(system, problem)}, on {leaf}"
            f"{level}, that closes after T = {period} s{up_to_turns(orbit.turns)}, through {place}, the only "
            f"one there (Krawczyk), {self.predicate.format(multiplier=multiplier)}."
        )

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given, domain = self.orbit.given, self.orbit.given["domain"]
        return (
            f"kept by the motion, identically: {listed(given['rows']) or 'nothing'}",
            f"{len(given['steps'])} steps of the flow in balls stay in their boxes, over which all parts of "
            "the equations and of identities have values",
            f"the equations of closing have one solution in the box (Krawczyk), {told(given['across'])} held",
            *([f"where the model holds, in all of {len(domain)} conditions"] if domain else []),
            *(f"all of it is the same after a whole turn of {told(name)}" for name in self.orbit.turns),
            "a quadratic form grows over the period, and is positive somewhere"
            if "m" in given
            else "a quadratic form is positive and falls over the period, beside the motion",
        )


def periodic_orbit(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where all multipliers beside the motion lie inside, or there are none; or where, by a number m
    that is given, one lies outside.
    """
    with ctx.workprec(given["bits"]):
        orbit = Orbit(problem, witness, given)
        orbit.require_one()
        M = orbit.multipliers
    if "m" in given:
        require_outside(M, given)
        return Found("PROVED_UNSTABLE", METHOD, {"region": OrbitWords(orbit, OUTSIDE)})
    require_inside(M, given["P"])
    words = ALONE if not M else BESIDE if orbit.kept else INSIDE
    verdict = "PROVED_ASYMPTOTICALLY_STABLE" if words is INSIDE else "PROVED_STABLE"
    return Found(verdict, METHOD, {"region": OrbitWords(orbit, words)})


THEOREMS = {
    "periodic orbit that attracts": ({"theorem": ORBIT}, periodic_orbit),
    "periodic orbit that repels": ({"theorem": ORBIT | {"m": rational, "v": [rational]}}, periodic_orbit),
}
