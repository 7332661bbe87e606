"""Problems of sublevel sets, as the data that their files hold: which function, and what is held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from geoctrl import checker, decisions
from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.certificates.same_equations import (
    compare_problems,
    motion_of_labels,
    require_same_problem,
)
from geoctrl.analysis.proofs.energy_casimir import exact_multipliers
from geoctrl.analysis.proofs.falling_function import falling_functions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.regions.set_question import ENERGY, SetQuestion
from geoctrl.analysis.regions.sublevel import Sublevel
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls, sublevel_content
from geoctrl.checker.limits import Refusal
from geoctrl.checker.reader import FORMAT
from geoctrl.decisions.arithmetic.eliminations import independent
from geoctrl.decisions.functions.derivatives import reachable, to_float
from geoctrl.decisions.functions.identities_by_division import Ratio
from geoctrl.errors import CertificateError
from geoctrl.systems import ReducedSystem

__all__ = ["SublevelQuestions", "require_same_sublevel"]

_PARTS = ("domain", "limits", "levels")
_WIDTH = Fraction(1, 2**24)
"""Of the levels of what is held, beside the size of the function at the point."""


class SublevelQuestions:
    """Problems with the functions that may have a sublevel set about an equilibrium, the best ones first.

    With the invariants that are linear in the velocities held, where these are independent of each other at
    the point; then with their multipliers in the function.
    """

    def __init__(self, question: SetQuestion) -> None:
        self._asked, self._conserved = question, question.invariants
        problem, stored = question.at_rest
        self._velocities = [
            k for k, node in problem.motion.states.items() if node in problem.motion.velocities
        ]
        self._stored, self._parts, self._friction = question.with_sides(problem, stored)

    @property
    def _kept_names(self) -> list[str]:
        return [k for k in self._conserved.names if k != ENERGY]

    def __iter__(self) -> Iterator[Sublevel]:
        exact = self._conserved.exact
        for stored, energy, sense in self._functions():
            q = decisions.Question(stored.read, exact=True) if exact else in_balls(stored.read)
            for held, multipliers in self._levels_and_multipliers(q, energy, sense):
                given = {
                    "energy": energy,
                    "sense": sense,
                    "multipliers": {k: str(v) for k, v in multipliers.items()},
                    "velocities": self._velocities,
                }
                yield self._sublevel(q, stored, given, held)

    def _functions(self) -> Iterator[tuple[Stored, str, int]]:
        """Problems with the name of a function and the sense in which it does not grow: the energy where it
        is conserved, else what falls, with the squares that show it.
        """
        stored, conserved = self._stored, self._conserved.names
        if ENERGY in conserved:
            yield stored, ENERGY, 1
            yield stored, ENERGY, -1
            return
        seen = set()
        names = [k for k in stored.read["invariants"] if k not in conserved]
        for name in names if self._friction else ():
            if (found := self._falling_by_friction(name)) is not None:
                yield found, name, 1
                return
        for name in names:
            for found, _ in falling_functions(stored, self._kept_names, [name], apart=True):
                falling = found.data["falling"]
                if (name, falling["sense"]) in seen:
                    continue
                seen.add((name, falling["sense"]))
                squares = [{k: row[k] for k in ("factor", "square")} for row in falling["squares"]]
                falling = {k: falling[k] for k in ("function", "weights", "sense")} | {"squares": squares}
                yield found.with_parts(falling=falling), name, falling["sense"]

    def _falling_by_friction(self, name: str) -> Stored | None:
        """The problem with a function of which friction takes all that it loses; None where it does not."""
        stored, q = self._stored, in_balls(self._stored.read)
        place, weights = stored.read["invariants"][name], stored.read["weights"].get(name, [])
        try:
            q.require_kept([])
            pairs = (q.ratios([row["factor"], row["square"]]) for row in self._friction)
            lost = sum((factor * square * square for factor, square in pairs), q.functions.number(fmpq(0)))
            if q.functions.remainder(q.rate([place, *weights]) + lost):
                return None
        except checker.Refusal:
            return None
        return stored.with_parts(
            falling={"function": place, "weights": list(weights), "sense": 1, "squares": self._friction}
        )

    def _levels_and_multipliers(
        self, q: decisions.Question, energy: str, sense: int
    ) -> Iterator[tuple[list[str], dict[str, fmpq]]]:
        """Invariants to be held, and multipliers of others."""
        kept, exact = self._kept_names, self._conserved.exact
        linear = [k for k in kept if self._is_linear(q, k)]
        places = [q.labels.index(k) for k in self._velocities]
        rows: list[list] = []
        for name in linear:
            row = [q.function(name)[1][i] for i in places]
            if not exact:  # the checker asks again, over cells
                row = [c.mid().fmpq() if isinstance(c, arb) else c for c in row]
            if independent(rows, row):
                rows.append(row)
        if len(rows) == len(linear):
            yield linear, {}
        if not exact:
            return
        functions = [q.function_at(energy, q.problem["invariants"][energy]), *map(q.function, kept)]
        functions += map(q.function, q.problem["leaf"])
        found = exact_multipliers(functions)
        if found is not None and found[0] and kept:
            yield [], {k: sense * c / found[0] for k, c in zip(kept, found[1:], strict=False)}

    def _is_linear(self, q: decisions.Question, name: str) -> bool:
        """Whether second derivatives by velocities vanish at the point, and not all first ones."""
        _, gradient, second = q.function(name)
        places = {q.labels.index(k) for k in self._velocities}
        return any(gradient[i] for i in places) and not any(
            c for pair, c in second.items() if places.issuperset(pair)
        )

    def _sublevel(
        self, q: decisions.Question, stored: Stored, given: dict[str, Any], held: Sequence[str]
    ) -> Sublevel:
        """The problem with its functions written as polynomials, in which terms cancel that do."""
        sizes, widths = self._asked.sizes, self._asked.widths
        table, known = Appended(stored), stored.read["invariants"]
        V = q.ratios([known[given["energy"]]])[0] * fmpq(given["sense"])
        for name, factor in given["multipliers"].items():
            V = V + q.ratios([known[name]])[0] * fmpq(factor)
        writer = RatioWriter.of(q, table)
        function = writer(_shorter(V))
        functions = {name: writer(_shorter(q.ratios([known[name]])[0])) for name in held}
        levels = {name: widths.get(name) or _WIDTH * sizes.functions[name] for name in held}
        given = given | {
            "function": function,
            "held": {k: {"function": p, "width": str(levels[k])} for k, p in functions.items()},
        }
        problem = table.with_parts().data
        fall = {"fall": problem["falling"]} if "falling" in problem else {}
        try:
            head = heading(FORMAT, self._asked.system.name)
            content = sublevel_content(head, problem, given | self._parts | fall)
        except NotSolved:
            raise Refusal("what is kept is not shown to be by the relations of the leaf") from None
        related = {k for p in stored.data["leaf"].values() for k in _symbols(stored.read["nodes"], p)}
        at = {k: v for k, v in stored.read["states"].items() if k in related}
        size = sum((float(v) ** 2 for v in at.values()), 0.0) ** 0.5
        bound = Fraction(f"{size:.3g}")
        shapes = {k: bound if k in related else None for k in q.labels if k not in given["velocities"]}
        middles = {
            k: Fraction(to_float(v)) if isinstance(v, decisions.Surd) else Fraction(str(v))
            for k, v in stored.read["states"].items()
        }
        step, omitted = sizes.functions[given["energy"]], self._conserved.omitted
        return Sublevel(content, shapes, middles, sizes.states, step, omitted)


def require_same_sublevel(system: ReducedSystem, stored: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Compare the problem of a set's file, and the domain that is asked for, with those of a system."""
    sides = [side.margin for side in system.domain.values()]
    if asked["limits"]:
        raise CertificateError("outputs within limits are those of a law, which a file does not hold")
    if len(asked["domain"]) != len(sides):
        raise CertificateError("the domain of the file has other sides than that of the system")
    own = {k: v for k, v in stored.items() if k not in _PARTS} | {"kind": "equations"}
    require_same_problem(system, own)
    # Sides of the domain are compared like invariants, as functions.
    named = {f"side {k}": place for k, place in enumerate(asked["domain"])}
    point = decisions.read_problem(own | {"invariants": named, "weights": {}})
    motion = motion_of_labels(EquationsOfMotion.of(system), stored["states"])
    functions = {f"side {k}": motion.image(system.expression(margin)) for k, margin in enumerate(sides)}
    numbers = {k: Fraction(v) for part in ("states", "inputs", "parameters") for k, v in stored[part].items()}
    compare_problems(point, motion.question(numbers, functions).read, len(motion.states))


def _symbols(nodes: Sequence[tuple], place: int) -> set[str]:
    return {nodes[i][1] for i in reachable(nodes, [place]) if nodes[i][0] == "sym"}


def _shorter(ratio: Ratio) -> Ratio:
    """A function, divided by the relations where that makes it shorter."""
    rest = ratio.field.divided(ratio.top)
    return Ratio(ratio.field, rest, ratio.below, ratio.bits) if 0 < len(rest) < len(ratio.top) else ratio
