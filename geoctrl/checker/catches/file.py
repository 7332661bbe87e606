r"""A catch: from a box of starts one law brings motions into a set from which another lets them tend to rest.

With the first law in place of the inputs the flow of the plant is enclosed from each box to the time T. With
:math:`d = e + A s`, e what the motion from the middle is off, A the derivatives by the starts over the whole
box and :math:`|s_j| \le r_j`, motions end at :math:`m + d` (mean value theorem), and

.. math:: V(m + d) \le V(m) + \sum_k |g D|_k + \sum_{kl} |D^T Y^T P Y D|_{kl}, \qquad g = 2\, y(m)^T P\, Y,

with Y the slopes of what V is made of over the box of ends, and D the columns of A times r and those of e.
Where this is below a level of the set, each motion comes to {V <= entry} for a first time at some t <= T;
from there on the theorem of the set speaks, the second law having taken over. Inputs are bounded along the
tubes up to T, and in the set by its limits.

Both loops are of one plant, by identities: the equations of the set are those of the plant with the second
law put in. Nothing changes in the plant where whole turns are added to its angles, with its inputs as they
are, so that the set may be that of any upright position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.catches.loops import loop, one_table, with_table
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.cells import constants
from geoctrl.checker.enclosures.sets import above_zero
from geoctrl.checker.enclosures.turns import is_turned
from geoctrl.checker.flows.flow import FLOW, STEPS, Bundle, Tube, flow
from geoctrl.checker.flows.series import Motion, value_at
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import ball, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import EQUATIONS, WITNESS, conform, label, place
from geoctrl.checker.slopes.file import THEOREMS as SLOPES
from geoctrl.checker.squares.file import THEOREMS as SQUARES
from geoctrl.checker.verdicts import Found
from geoctrl.checker.words.claims import assigned, point_words, size_words, system_words
from geoctrl.checker.words.texts import Expressions, decimal, interval, listed, told

SETS = SLOPES | SQUARES
METHOD = "flow in balls into a set"
SHARES = 8
"""Parts of a step, over which inputs are bounded."""


def not_below_zero(value: Any) -> fmpq | None:
    """A rational that is not negative."""
    read = rational(value)
    return read if read is not None and read >= 0 else None


def _theorem_of_set(value: Any) -> Any:
    """What a set is given, by its own theorem."""
    name = value.get("name") if isinstance(value, dict) else None
    return conform(value, SETS[name][0]["theorem"], "theorem.region.theorem") if name in SETS else None


CATCH = FLOW | {
    "name": label,
    "laws": {...: place},
    "caught": {...: place},
    "region": {"problem": EQUATIONS, "witness": WITNESS, "theorem": _theorem_of_set},
    "turned": [label],
    "entry": above_zero,
    "limits": {...: above_zero},
    "domain": [place],
    "time": above_zero,
    "boxes": [{"start": [rational], "radii": [not_below_zero], "steps": STEPS}],
}
"""``laws`` are the inputs up to the catch, ``caught`` those from then on; ``turned`` are angles that are
taken from the nearest whole turn. ``entry`` is a level of the set. Boxes are of states in the units of the
problem; ``units`` are exponents of two of the sizes of the states and of T."""


class Plant:
    """The plant of a file, with both laws.

    Attributes
    ----------
    problem : dict
        With inputs as symbols.
    swing : Question
        With the first law in place of the inputs.
    laws, domain : list of int
        Places of inputs and margins in its table.
    finding : Attraction or SlopesSet
        The set.
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        self.problem, self.given = problem, given
        self.labels, self._witness = list(problem["states"]), witness | {"roots": [], "cofactors": {}}
        if problem["leaf"] or not given["boxes"]:
            raise Refusal("starts are boxes where there is no leaf, and one is needed", "theorem.boxes")
        closed, where = loop(problem, given["laws"])
        self.swing = self._question(closed)
        self.laws = [where[p] for p in given["laws"].values()]
        self.domain = [where[p] for p in given["domain"]]
        region = given["region"]
        self.region = region["problem"]
        found = SETS[region["theorem"]["name"]][1](self.region, region["witness"], region["theorem"])
        require(found.verdict == "PROVED_ATTRACTED", "nothing is attracted in the set", "theorem.region")
        self.finding, self.own = found.told["region"], region["theorem"]
        self._require_one_plant()
        self._require_whole_turns()

    def _question(self, problem: dict[str, Any]) -> Question:
        return Question(problem, self._witness, Balls([fmpq(0)] * len(self.labels)))

    def _require_one_plant(self) -> None:
        """The equations of the set are those of the plant, with the second law in place of the inputs."""
        one, other, given = self.problem, self.region, self.given
        shared = one["parameters"].keys() & other["parameters"].keys()
        lists = ("states", "unknowns")
        fit = (
            all(list(one[k]) == list(other[k]) for k in lists)
            and all(one["parameters"][k] == other["parameters"][k] for k in shared)
            and not (other["inputs"] or other["leaf"] or self.own.get("levels"))
        )
        require(fit, "the set is not one of this plant, by its states or numbers", "theorem.region")
        table, moved = one_table(one, other)
        laws = given["caught"]
        both = one | {"nodes": table, "parameters": one["parameters"] | other["parameters"]}
        closed, where = loop(both, laws)
        its = with_table(other, closed["nodes"], {i: where[p] for i, p in enumerate(moved)})
        q = self._question(closed)
        pairs = [
            (where[p], where[moved[r]]) for p, r in zip(given["domain"], self.own["domain"], strict=True)
        ]
        for k in given["limits"]:
            require(
                k in self.own["limits"] and self.own["limits"][k]["bound"] <= given["limits"][k],
                f"in the set {k[:80]!r} is not within that limit",
                "theorem.limits",
            )
            pairs.append((where[laws[k]], where[moved[self.own["limits"][k]["input"]]]))
        cells = [{(i, j): p for i, j, p in of["matrix"]} for of in (closed, its)]
        require(
            cells[0].keys() == cells[1].keys(),
            "the set is not one of this plant, by its masses",
            "theorem.region",
        )
        pairs += [(cells[0][k], cells[1][k]) for k in cells[0]]
        for part in ("right", "field"):
            pairs += zip(closed[part], its[part], strict=True)
        first, second = (q.still.ratios([pair[i] for pair in pairs]) for i in (0, 1))
        require(
            all(a == b for a, b in zip(first, second, strict=True)),
            "the set is not one of this plant with that law",
            "theorem.region",
        )

    def _require_whole_turns(self) -> None:
        """Whole turns change nothing of the plant, and the set lies within half a turn."""
        q, extent = self._question(self.problem), self.finding.extent()
        used = [*(p for *_, p in self.problem["matrix"]), *self.problem["right"], *self.problem["field"]]
        for k in self.given["turned"]:
            i = self.labels.index(k)
            require(
                is_turned(q, i, [*used, *self.given["domain"]]),
                f"the plant does not hold {k[:80]!r} up to whole turns",
                "theorem.turned",
            )
            if k in extent:
                low, high = extent[k]
                point = ball(self.region["states"][k])
                require(
                    point - low < arb.pi() and high - point < arb.pi(),
                    "the set goes round by more than half a turn",
                    "theorem.turned",
                )

    # -- one box ------------------------------------------------------------------------------------

    def motion(self) -> Motion:
        """Motions under the first law."""
        return Motion(self.swing, self.given["units"], self.given["degree"])

    def start_and_radii(self, motion: Motion, box: dict[str, Any]) -> tuple[list[arb], list[fmpq]]:
        """Start and radii of a box over the sizes, with T behind."""
        sizes = [d.fmpq() for d in motion.sizes]
        require(
            len(box["start"]) == len(box["radii"]) == len(self.labels),
            "a box has a side for each state",
            "theorem.boxes",
        )
        start = [*box["start"], self.given["time"]]
        radii = [r / d for r, d in zip(box["radii"], sizes, strict=False)]
        return [arb(x / d) for x, d in zip(start, sizes, strict=True)], [*radii, fmpq(0)]

    def largest(self, motion: Motion, tube: Tube) -> list[arb]:
        """Bounds of the inputs along a step; refused where the model does not hold in its box."""
        self._require_domain(motion, tube.box)
        near = motion.functions(self.laws, tube.near)
        last = [row[-1] for row in motion.functions(self.laws, tube.over)]
        found = []
        for row, left in zip(near, last, strict=True):
            top = arb(0)
            for j in range(SHARES):
                t = tube.length * (arb(fmpq(2 * j + 1, 2 * SHARES)) + arb(0, 1) / (2 * SHARES))
                top = top.max(abs(value_at([*row, left], t)).upper())
            require(top.is_finite(), "an input is not bounded along the motion", "theorem.limits")
            found.append(top)
        return found

    def _require_domain(self, motion: Motion, box: list[arb]) -> None:
        q = self.swing
        known = constants(q, 0)
        for p, x, d in zip(q.states, box, motion.sizes, strict=False):
            known[p] = Jet({(): x * d}, 0)
        require(
            all(jet.value > 0 for jet in evaluate(q.table, self.domain, known, Balls(order=0))),
            "motions are not shown to stay where the model holds",
            "theorem.domain",
        )

    def bound_of_ends(self, motion: Motion, bundle: Bundle, radii: list[fmpq]) -> arb:
        """A bound of V over the ends."""
        n, d = len(self.labels), motion.sizes
        middle, turns = [], []
        for i, k in enumerate(self.labels):
            x = bundle.middle[i] * d[i]
            turn = arb(0)
            if k in self.given["turned"]:
                away = x.mid() - ball(self.region["states"][k])
                turn = 2 * arb.pi() * round(float(away / (2 * arb.pi())))
            middle.append(x - turn)
            turns.append(turn)
        box = [x * d[i] - turns[i] for i, x in enumerate(bundle.box[:n])]
        for k in self.given["turned"]:
            away = box[self.labels.index(k)] - ball(self.region["states"][k])
            require(abs(away) < arb.pi(), "motions do not end next to one upright position", "theorem.turned")
        at = [x.mid() for x in middle]
        box = [x.union(m) for x, m in zip(box, at, strict=True)]
        columns = [
            [bundle.total[i, j] * radii[j] * d[i] for j in range(n)]
            + [(middle[i] - at[i]).abs_upper() * (i == j) for j in range(n)]
            for i in range(n)
        ]
        D, P = arb_mat(columns), arb_mat([[ball(c) for c in row] for row in self.finding.matrix])
        y = arb_mat([[v] for v, _ in self._deviations(at)])
        Y = arb_mat([[slopes.get(k, arb(0)) for k in self.labels] for _, slopes in self._deviations(box)])
        W = Y * D
        line, form = 2 * (y.transpose() * P * W), W.transpose() * P * W
        total = (y.transpose() * P * y)[0, 0]
        for c in (*line.entries(), *form.entries()):
            total += c.abs_upper()
        return total

    def _deviations(self, states: list[arb]) -> list[tuple[arb, dict[str, arb]]]:
        found = self.finding.deviations_with_slopes(dict(zip(self.labels, states, strict=True)))
        if any(v is None for v in found):
            raise Refusal("the function of the set depends on what is no state", "theorem.region")
        return found


class Catch(NamedTuple):
    """What is proved: the plant with its laws, and bounds of inputs along the tubes by their labels."""

    plant: Plant
    largest: dict[str, arb]
    ends: list[list[arb]]

    def claim(self, system: str) -> str:
        """What its file claims."""
        plant = self.plant
        given, problem, region = plant.given, plant.problem, plant.region
        values = assigned(problem["parameters"])
        written = Expressions(problem["nodes"])
        laws = ", ".join(f"{told(k)} = {written(p)}" for k, p in given["laws"].items())
        caught = ", ".join(f"{told(k)} = {written(p)}" for k, p in given["caught"].items())
        boxes, labels = given["boxes"], plant.labels
        if len(boxes) == 1:
            (box,) = boxes
            rows = zip(labels, box["start"], box["radii"], strict=True)
            where = "with " + ", ".join(
                f"{told(k)} within {size_words(r)} of {decimal(a)}" if r else f"{told(k)} = {decimal(a)}"
                for k, a, r in rows
            )
        else:
            hull = ", ".join(
                f"{told(k)} in {interval(a, b)}" for k, (a, b) in zip(labels, self._hull(), strict=True)
            )
            where = f"in one of the {len(boxes)} boxes of the file, which lie within {hull}"
        turns = f", {listed(given['turned'])} taken from the nearest whole turn" if given["turned"] else ""
        bounds = " and ".join(f"|{told(k)}| <= {decimal(b)}" for k, b in given["limits"].items())
        model = ", where the model holds" if given["domain"] else ""
        edge = "<" if plant.own.get("open") else "<="
        point = f"{point_words(region['states']) or 'x = 0'}{' up to whole turns' if given['turned'] else ''}"
        return (
            f"Motions of {system_words(system)}{f' with {values}' if values else ''} that begin {where}, "
            f"under the law {laws}, come at some time up to {decimal(given['time'])} s to the set V <= "
            f"{decimal(given['entry'])}{turns}, V a positive definite {plant.finding.kind} the deviations "
            f"of {', '.join(plant.finding.names)}; with the law {caught}{turns}, from the first such time "
            f"on, they stay in the set V {edge} {decimal(plant.own['level'])} for ever{model} and tend to "
            f"the equilibrium {point}"
            f"{f'; all along {bounds}' if bounds else ''}. Laws act continuously: nothing is claimed of a "
            "sampled loop, nor of other starts."
        )

    def _hull(self) -> list[tuple[fmpq, fmpq]]:
        """Intervals around all boxes."""
        boxes = self.plant.given["boxes"]
        return [
            (
                min(b["start"][i] - b["radii"][i] for b in boxes),
                max(b["start"][i] + b["radii"][i] for b in boxes),
            )
            for i in range(len(self.plant.labels))
        ]

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given = self.plant.given
        steps = sum(len(b["steps"]) for b in given["boxes"])
        return (
            *self.plant.finding.checks(),
            "the equations of the set are those of the plant with the second law as its inputs, identically",
            f"{steps} steps of the flow in balls, from {len(given['boxes'])} boxes, stay in their boxes",
            f"V is below {decimal(given['entry'])} over all ends",
            *(
                [f"along the steps and in the set within its limit: {listed(given['limits'])}"]
                if given["limits"]
                else []
            ),
            *(
                [f"whole turns change nothing of the plant: {listed(given['turned'])}"]
                if given["turned"]
                else []
            ),
        )


def catch_of_boxes(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where all boxes are brought into the set."""
    with ctx.workprec(given["bits"]):
        plant = Plant(problem, witness, given)
        if given["entry"] > plant.own["level"] or (
            plant.own.get("open") and given["entry"] == plant.own["level"]
        ):
            raise Refusal("the level of entry is not one of the set", "theorem.entry")
        motion, top, ends = plant.motion(), [arb(0)] * len(plant.laws), []
        for box in given["boxes"]:
            start, radii = plant.start_and_radii(motion, box)

            def watch(tube: Tube) -> None:
                found = plant.largest(motion, tube)
                top[:] = [a.max(b) for a, b in zip(top, found, strict=True)]

            bundle = flow(motion, start, radii, box["steps"], watch)
            require(
                plant.bound_of_ends(motion, bundle, radii) < given["entry"],
                "motions are not shown to end in the set",
                "theorem.boxes",
            )
            ends.append([x * d for x, d in zip(bundle.box[:-1], motion.sizes, strict=False)])
        largest = dict(zip(given["laws"], top, strict=True))
        for k, bound in given["limits"].items():
            require(
                largest[k] <= bound,
                f"{k[:80]!r} is not shown to stay within its limit until the catch",
                "theorem.limits",
            )
    return Found("PROVED_ATTRACTED", METHOD, {"region": Catch(plant, largest, ends)})


THEOREMS = {"catch": ({"theorem": CATCH}, catch_of_boxes)}
