r"""A phase: motions of a mode from a box of starts and times up to a jump, and what the jump makes of them.

The equations of a mode are those of a problem. A jump has a guard h, a direction and a reset R, functions of
the states before it. Over each step of the flow motions are followed on equal pieces of its time, by the
polynomial from the box of starts with what it leaves out.

**First strike.** On a piece where h does not vanish, or where its rate dh f has certainly the sign against
the direction, no motion passes h in the direction. All other pieces may only be

- the last ones, for the jump at the end of the phase alone, all with dh f in the direction: there h grows in
  that sense, and vanishes at the end, and so nowhere before;
- the first ones, where h vanishes at the start, all with dh f in the direction: it does not vanish again
  there. That it vanishes at the start is an identity: h at the reset before is a combination of that
  guard and of relations of the leaf, with coefficients that have values at the strike.

A guard that is positive on the first piece, and falls through zero at the end, is positive before: on no
piece but the last ones it falls where it may vanish. So it is with the reaction of a contact that lets go.

A start is no strike: a motion jumps where it passes h at some time after the last jump.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import dropwhile, groupby
from typing import Any

from flint import arb, arb_mat, fmpq

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.sets import nodes_of_identities
from geoctrl.checker.enclosures.turns import is_turned
from geoctrl.checker.flows.flow import FLOW, STEPS, Box, Tube, flow
from geoctrl.checker.flows.series import Motion, coefficient, terms_of_series, value_at
from geoctrl.checker.identities import Along, Functions
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import COFACTORS, EQUATIONS, WITNESS, label, one_of, place

PIECES = 4
"""Of a step."""
JUMP = {
    "guard": place,
    "direction": one_of(-1, 0, 1),
    "to": label,
    "reset": [place],
    "asked": {...: place},
    "guards": {...: COFACTORS},
    "rows": {...: COFACTORS},
}
"""``reset`` are the states of the mode ``to``; what is ``asked`` is positive at the jump. By names of jumps
from that mode, whose ``guards`` vanish after the reset, and of ``rows``, which have the same values after it:
cofactors of relations of the leaf and, by the name of the jump, of its guard."""
MODE = {
    "problem?": EQUATIONS,
    "witness?": WITNESS,
    "kept": {...: place},
    "jumps": {...: JUMP},
}
"""Without a problem it is that of the file; what is ``kept`` is positive all along, up to the jump at the end
where it is its guard.
"""
PHASE = {"mode": label, "jump": label, "units": FLOW["units"], "start": [rational], "steps": STEPS}
"""``start`` are the states and the time over sizes with ``units`` as exponents of two."""


class Mode:
    """Equations with the jumps that leave them, as a file has them.

    Attributes
    ----------
    question : Question
    kept, jumps : dict
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        problem, witness = given.get("problem", problem), given.get("witness", witness)
        self.question = Question(problem, witness, Balls([fmpq(0)] * len(problem["states"])))
        self.kept, self.jumps = given["kept"], given["jumps"]

    def places_at(self, name: str) -> list[int]:
        """Whatever has to have values where a jump takes place: all that its identities are made of."""
        jump = self.jumps[name]
        cofactors = [row for part in ("guards", "rows") for rows in jump[part].values() for row in rows]
        relations = [r for r, _ in cofactors if isinstance(r, int) and r >= 0]
        rows = [self.question.functions_by_name[k] for k in jump["rows"]]
        return [*rows, *relations, *(p for _, p in cofactors)]

    def require_image(self, name: str, part: str, key: str, there: Question, function: int) -> None:
        """Refused unless a function of the states after a jump is, by its cofactors, zero or the row of the
        same name before.
        """
        q, jump = self.question, self.jumps[name]
        F = Functions(len(q.variables), [*q.table, *there.table], lambda *_: 0)
        here = Along(q.table, F, q.symbols_in(F), lambda _: None)
        known = {p: Jet({(): F.number(v)}, 1) for p, v in there.values.items() if p not in there.states}
        after, used = dict(zip(there.states, jump["reset"], strict=True)), reachable(there.table, [function])
        known |= {p: Jet({(): here.ratios([r])[0]}, 1) for p, r in after.items() if p in used}
        left = evaluate(there.table, [function], known, F)[0].value
        left -= here.ratios([q.functions_by_name[key]])[0] if part == "rows" else 0
        relations = q.problem["leaf"] | {name: jump["guard"]}
        require(
            left == here.combination(jump[part][key], relations),
            f"it is not proved that the reset of {name[:80]!r} keeps {key[:80]!r}",
            f"theorem.{part}",
        )

    def require_same_after_turns(
        self, name: str, turns: dict[str, int], rows: list[str], there: Question
    ) -> None:
        """Refused unless all is the same after whole turns of states, which a jump leaves as they are."""
        q, jump = self.question, self.jumps[name]
        after = dict(zip(there.labels, jump["reset"], strict=True))
        used = [
            *(*q.problem["field"], *q.problem["right"], *(p for *_, p in q.problem["matrix"])),
            *(*(q.functions_by_name[k] for k in rows), *self.kept.values(), *jump["asked"].values()),
            *(
                *(other["guard"] for other in self.jumps.values()),
                *(after[k] for k in after if k not in turns),
            ),
        ]
        require(
            all(after.get(k) == p for k, p in zip(q.labels, q.states, strict=True) if k in turns)
            and all(k in q.labels and is_turned(q, q.labels.index(k), used) for k in turns),
            "the motion is not shown to be the same after a turn",
            "theorem.winding",
        )


class Phase:
    """A phase from the box of its starts.

    Attributes
    ----------
    mode : Mode
    name : str
        Of the jump at the end.
    motion : Motion
    point, start, box : list of arb
        States of the problem; states and time, over sizes: the middle and all of them.
    middle, ends : list of arb
        Where the motion from the middle, and those from all starts, end.
    total : arb_mat (n, n + 1)
        Derivatives of the ends by states and time.
    """

    def __init__(self, mode: Mode, given: dict[str, Any], degree: int, radius: fmpq) -> None:
        self.mode, self.name, q = mode, given["jump"], mode.question
        self.motion, self._n = Motion(q, given["units"], degree), len(q.labels)
        self.start = [arb(x) for x in given["start"]]
        self.box = [x + arb(0, radius) for x in self.start]
        require(
            len(self.box) == len(given["units"]) == self._n + 1 and self.box[-1] > 0,
            "a phase has a state and a positive time",
            "theorem.phases",
        )
        self._senses: dict[str, list[int | None]] = {k: [] for k in mode.jumps}
        self.point = [
            arb(v) / d for v, d in zip(q.problem["states"].values(), self.motion.sizes, strict=False)
        ]
        self._values(nodes_of_identities(q), [a.union(b) for a, b in zip(self.point, self.box, strict=False)])
        radii = [radius] * (self._n + 1)
        found = flow(self.motion, self.start, radii, given["steps"], self._follow)
        self.middle, self.ends = found.middle[:-1], found.box[:-1]
        self.total = arb_mat(found.total.tolist()[:-1])
        self._require_jump()

    # -- along the phase ------------------------------------------------------------------------

    def _follow(self, tube: Tube) -> None:
        """What a step shows of the guards, piece by piece, over which all is as it has to be."""
        q, jumps = self.mode.question, self.mode.jumps
        guards, own = [jump["guard"] for jump in jumps.values()], jumps[self.name]
        for k in range(PIECES):
            t = tube.length * arb(fmpq(2 * k + 1, 2 * PIECES), fmpq(1, 2 * PIECES))
            z = value_at([*tube.near, tube.over[-1]], t).entries()
            places = [*guards, *self.mode.kept.values(), *nodes_of_identities(q)]
            values = self._values(places, z)
            falling = [own["guard"]] if own["direction"] == -1 and self._senses[self.name] else []
            kept = zip(self.mode.kept.values(), values[len(jumps) :], strict=False)
            require(
                all(v > 0 for place, v in kept if place not in falling),
                "the orbit is not shown to stay where the model holds",
                "theorem.modes",
            )
            for (name, jump), h in zip(jumps.items(), values, strict=False):
                self._senses[name].append(self._sense(jump, z) if h.contains(0) else None)

    def _sense(self, jump: dict[str, Any], z: Box) -> int:
        """That in which a guard moves over a box: 1 in the direction, -1 against it, 0 where not certain."""
        rate = self.rate_of(jump["guard"], z)
        onward = rate * jump["direction"] if jump["direction"] else abs(rate)
        return (onward > 0) - (onward < 0)

    def require_first(self, at_start: Container[str]) -> None:
        """Refused unless no motion strikes before the end, where some guards vanish at the start."""
        for name, senses in self._senses.items():
            left = [*dropwhile(lambda s: s == 1, senses)] if name in at_start else senses
            left = [*dropwhile(lambda s: s == 1, left[::-1])] if name == self.name else left
            require(
                not {0, 1} & {*left},
                f"the guard of {name[:80]!r} may be met before the end of a phase",
                "theorem.phases",
            )

    @property
    def against(self) -> int:
        """How often guards are passed against their directions, at most."""
        return sum(sense == -1 for senses in self._senses.values() for sense, _ in groupby(senses))

    # -- at its end -----------------------------------------------------------------------------

    def _require_jump(self) -> None:
        """Refused unless all that the jump asks for holds over the ends, and the guard is crossed there."""
        jump = self.mode.jumps[self.name]
        values = self._values([*jump["asked"].values(), *self.mode.places_at(self.name)], self.ends)
        require(
            all(v > 0 for v in values[: len(jump["asked"])]),
            f"what the jump {self.name[:80]!r} asks for is not shown to be positive",
            "theorem.asked",
        )
        require(
            self._sense(jump, self.ends) > 0,
            f"the motion is not shown to cross the guard of {self.name[:80]!r}",
            "theorem.guard",
        )

    def strike_and_reset(self, x: Box) -> tuple[list[arb], arb_mat]:
        """Guard and states after the jump, and their derivatives, the states before over their sizes."""
        jump = self.mode.jumps[self.name]
        return self.with_slopes([jump["guard"], *jump["reset"]], x)

    def rates(self, x: Box) -> list[arb]:
        """f by the unit of time, the states over their sizes."""
        field = self.mode.question.problem["field"]
        return [v / d for v, d in zip(self._values(field, x), self.motion.sizes, strict=False)]

    def rate_of(self, function: int, x: Box) -> arb:
        """Of a function of the states."""
        _, slopes = self.with_slopes([function], x)
        return sum((a * b for a, b in zip(slopes.entries(), self.rates(x), strict=True)), arb(0))

    # -- values over boxes of states over their sizes -----------------------------------------------

    def with_slopes(self, places: Sequence[int], x: Box) -> tuple[list[arb], arb_mat]:
        """Functions, and their derivatives by states over sizes."""
        with terms_of_series(1):
            jets = self.motion.jets(places, self.motion.symbols_at(x[: self._n]))
            slopes = [[coefficient(c, 0) for c in jet.gradient(self._n)] for jet in jets]
            return [coefficient(jet.value, 0) for jet in jets], arb_mat(slopes)

    def _values(self, places: Sequence[int], x: Box) -> list[arb]:
        with terms_of_series(1):
            at = self.motion.symbols_at(x[: self._n])
        known = {p: Jet({(): coefficient(jet.value, 0)}, 0) for p, jet in at.items()}
        return [jet.value for jet in evaluate(self.mode.question.table, places, known, Balls(order=0))]
