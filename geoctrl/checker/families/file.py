"""Files of sets from which motions tend to members of a family of points of rest: their schema, and what is
confirmed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.enclosures.sets import above_zero, leaf_dimension
from geoctrl.checker.families.across_family import FamilyPiece, RestingFamily
from geoctrl.checker.slopes.fall import Cell, SlopesFall
from geoctrl.checker.slopes.field import BITS, Field
from geoctrl.checker.slopes.file import PIECES, SLOPES, SlopesSet, parts_of
from geoctrl.checker.theorems.family import FAMILY
from geoctrl.checker.verdicts import Found
from geoctrl.checker.words.claims import leaf_at, limit_phrase, system_at
from geoctrl.checker.words.texts import Expressions, decimal, interval, listed, told

BESIDE = {key: shape for key, shape in SLOPES.items() if key != "levels?"} | {
    "family": FAMILY,
    "widths": [above_zero],
    "rate": above_zero,
}
"""The family with the widths of its symbols, in turn of the states that they are, and a."""


class FamilySet(NamedTuple):
    """What is proved: the set of a function about a family, of which a piece is."""

    own: SlopesSet
    members: RestingFamily
    piece: FamilyPiece

    def claim(self, system: str) -> str:
        """What a file claims."""
        fall, field, problem = self.own.fall, self.own.fall.field, self.own.problem
        extent = ", ".join(f"{told(k)} in {interval(a, b)}" for k, (a, b) in self.extent().items())
        turns = f", {' and '.join(map(told, field.turned))} up to whole turns" if field.turned else ""
        free = " and ".join(told(field.question.labels[i]) for i in field.free)
        same = listed(self.symbols)
        return (
            f"Motions of {system_at(system, problem)} that begin on {leaf_at(problem)}, with sqrt(V) + "
            f"{self.distance()} <= 1 and V <= {decimal(fall.level)}, V a positive definite {self.own.kind} "
            f"the deviations of {listed(self.names)} from the point of rest with the same {same}, stay so "
            f"for ever{', where the model holds' if problem['domain'] else ''}, within {extent}; V falls at "
            f"least like exp(-{decimal(2 * self.piece.rate)} t), and each motion tends to one of the points "
            f"of rest {self.members_in_words()}, one with {same} of its own for which {self.distance()} <= 1"
            f"{turns}"
            f"{f', whatever {free} may be' if free else ''}{limit_phrase(problem)}."
        )

    @property
    def matrix(self) -> list[list[fmpq]]:
        """P."""
        return self.own.matrix

    @property
    def names(self) -> list[str]:
        """Of what is measured."""
        return self.own.names

    @property
    def powers(self) -> list[dict[int, int]]:
        """What V is made of."""
        return self.own.powers

    def holds(self, state: list[fmpq | arb], slack: fmpq) -> bool:
        """Whether a state is proved to be in the set."""
        return self.own.holds(state, slack)

    @property
    def symbols(self) -> list[str]:
        """States that are symbols of the family."""
        return [self.own.fall.field.question.labels[i] for i in self.members.along]

    def distance(self) -> str:
        """The length of sigma in words."""
        states, parts = self.own.problem["states"], list[str]()
        for k, w in zip(self.symbols, self.piece.widths, strict=True):
            moved = f"{told(k)} - {decimal(states[k])}" if states[k] else told(k)
            width = decimal(w)
            parts.append(f"|{moved}|/{f'({width})' if '/' in width else width}")
        return parts[0] if len(parts) == 1 else f"sqrt({' + '.join(f'({part})^2' for part in parts)})"

    def members_in_words(self) -> str:
        """The points of rest, by their symbols; what is always zero is left out."""
        written = Expressions(self.own.problem["nodes"])
        rows = zip(self.own.problem["states"], self.members.places, strict=True)
        return ", ".join(f"{told(k)} = {written(p)}" for k, p in rows if written(p) != "0")

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        along = listed(self.symbols)
        return (
            f"members with any {along} rest on the leaf, identically",
            *self.own.checks(),
            f"over these cells V falls faster than {along} moves",
        )

    def extent(self) -> dict[str, tuple[fmpq, fmpq]]:
        """Intervals in which states of the set are, by their names."""
        with ctx.workprec(BITS):
            box = self._box(self.own.fall.whole)
            return {k: (a.fmpq(), b.fmpq()) for k, (a, b) in box.items()}

    def cells(self, pieces: int | None) -> list[dict[str, tuple[arb, arb]]]:
        """Intervals of states, box by box, with so many pieces of what is first along the family and of what
        is first beside it: the set lies in their union.
        """
        fall = self.own.fall
        cells = [fall.whole]
        with ctx.workprec(BITS):
            for k in (0, len(self.names)):
                cells = [part for cell in cells for part in parts_of(cell, k, pieces or PIECES)]
            return [self._box(cell) for cell in cells if not fall.is_outside(cell)]

    def _box(self, cell: Cell) -> dict[str, tuple[arb, arb]]:
        """Intervals of states over a cell."""
        field = self.own.fall.field
        at, labels = field.at(cell.balls(), 1), field.question.labels
        found = {i: at[field.question.states[i]].value for i in sorted(field.sides)}
        return {labels[i]: (x.lower(), x.upper()) for i, x in found.items()}


def attraction_to_family(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """The set of a function that falls beside a family; Refusal where something is not proved."""
    field = Field(problem, witness, given, lambda field: RestingFamily(field, given["family"]))
    everywhere = {"rows": [], "free": field.question.labels, "inverse": []}
    dimension = leaf_dimension(field.question, given.get("leaf", everywhere))
    members = field.beside
    assert isinstance(members, RestingFamily)
    piece = FamilyPiece(given["widths"], given["rate"], len(members.along))
    fall = SlopesFall(field, given["function"], given["level"], given.get("multipliers", []), piece)
    region = FamilySet(SlopesSet(fall, fall.require(given["cells"]), dimension), members, piece)
    return Found("PROVED_ATTRACTED_TO_FAMILY", "slopes beside a family", {"region": region})


THEOREMS = {"slopes beside a family": ({"theorem": BESIDE}, attraction_to_family)}
