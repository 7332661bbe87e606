"""The theorem about the members of a family: what a map's file holds, and what it claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from flint import fmpq

from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.maps.bernstein import Side
from geoctrl.checker.maps.charts import CHART
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import LETTERS, Proof, Proofs, Signs, analytic, walk, whole
from geoctrl.checker.reader import EQUATIONS, WITNESS, label, place, rational
from geoctrl.checker.theorems.shape import SHAPE
from geoctrl.checker.verdicts import BASIS, Found
from geoctrl.checker.words.claims import assigned, system_words
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import below, decimal, listed, quoted, told

BY_CELLS, OPEN = "PROVED_BY_CELLS", "undecided"
CLASSES = ("stable", "unstable", "spectrum")
WORDS = {
    "stable": "are Lyapunov stable within the leaf",
    "unstable": "are unstable",
    "spectrum": "have no eigenvalue with a positive real part, nonlinear stability open",
}
AXES, DEPTH, CELLS = 12, 24, 3_000_000
"""Axes, halvings of an axis, and letters of a tree, at most."""

PROBLEM = EQUATIONS | {"states": {...: place}, "inputs": {...: place}}
"""States and inputs are places of functions of the axes."""
MAP_WITNESS = WITNESS | {"roots": [(place, place)], "inverse": [[place]]}
"""The value of a root, and the inverse of K, are places of functions of the axes."""
MAP = {
    "name": label,
    "family": label,
    "axes": {...: (rational, rational)},
    "symbols": {...: rational},
    "moving?": {...: rational},
    "domain": [place],
    "leaf": {key: BASIS[key] for key in ("rows", "free", "inverse")},
    "shape?": SHAPE,
    "coordinates?": (label, label),
    "divisors": [place],
    "charts": [CHART],
    "proofs": [lambda value: value if isinstance(value, dict) else None],
    "cells": lambda value: (
        value if isinstance(value, str) and value.isascii() and len(value) <= CELLS else None
    ),
}
"""``symbols`` of the family have numbers, about which those move that are ``moving``; ``domain`` is positive
within the domain of the model; ``leaf`` has independent gradients at the middle of the axes; ``coordinates``
are those of drifts, the constant one and the one that drifts."""


class MapRegion:
    """Cells of axes with what is proved of all members in each; Refusal where something is not.

    Attributes
    ----------
    area : dict
        Parts of the area by class.
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        self._problem, self._given, axes = members.problem, given, given["axes"]
        require(
            0 < len(axes) <= AXES and not any(low >= high for low, high in axes.values()),
            f"axes are one to {AXES} intervals",
            "theorem.axes",
        )
        proving = Proofs(members, given)
        proofs = [proving.of(proof) for _, proof in zip(LETTERS, given["proofs"], strict=False)]
        self.area = self._areas(proofs, members, iter(given["cells"]))
        if given["leaf"]["rows"]:
            members.require_regular(given["leaf"])

    def _areas(self, proofs: list[Proof], members: Members, text: Iterator[str]) -> dict[str, fmpq]:
        def read(_: dict, level: int) -> str:
            letter = next(text, " ")
            require(
                {"+": level < DEPTH, ".": True}.get(letter, letter in LETTERS[: len(proofs)]),
                "the cells are no tree",
                "theorem.cells",
            )
            return letter

        area, region = dict.fromkeys((*CLASSES, OPEN), fmpq(0)), members.region
        demand, signs = analytic(region, members.field.positive), Signs(region, proofs)
        for box, letter, here in walk(whole(len(self._given["axes"])), signs.on, read, {}):
            spend()
            if letter == "+":
                continue
            proof = None if letter == "." else proofs[LETTERS.index(letter)]
            if proof:
                if not proof.holds(here):
                    raise Refusal(
                        f"a proof does not hold on all of the cell {self._words(box)}", "theorem.cells"
                    )
                demand(box)
            area[proof.verdict if proof else OPEN] += prod((b - a for a, b in box), start=fmpq(1))
        require(next(text, None) is None, "the cells are no tree", "theorem.cells")
        return area

    def _words(self, box: Sequence[Side]) -> str:
        sides = zip(self._given["axes"].items(), box, strict=True)
        parts = (f"{k} in [{a + (b - a) * s}, {a + (b - a) * t}]" for (k, (a, b)), (s, t) in sides)
        return ", ".join(parts)[:200]

    def claim(self, system: str) -> str:
        """What is claimed."""
        return claim_of_map(system, self._problem, self._given, self.area)

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        count, proofs = sum(letter not in "+." for letter in self._given["cells"]), len(self._given["proofs"])
        return (
            "members are equilibria on the leaf, identically in the axes",
            f"kept by the motion, identically: {listed(self._problem['leaf']) or 'no leaf relations'}",
            f"{count} cells, each closed one by the signs of one of {proofs} proofs on all of it",
        )


def stability_map(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """What is proved of the members of a family over a box of axes."""
    return Found(BY_CELLS, "cells", {"region": MapRegion(Members(problem, witness, given), given)})


def claim_of_map(
    system: str,
    problem: dict[str, Any],
    given: dict[str, Any],
    area: dict[str, fmpq],
    words: Mapping[str, str] = WORDS,
    regular: str = " at the middle of the axes",
) -> str:
    """What a map claims, with words for what is proved of members, and for where the leaf is regular."""
    axes = ", ".join(f"{told(k)} in [{decimal(a)}, {decimal(b)}]" for k, (a, b) in given["axes"].items())
    values = assigned({**problem["parameters"], **given["symbols"], **given.get("moving", {})})
    parts = [f"on {below(100 * area[k])} percent of the area they {words[k]}" for k in CLASSES if area[k]]
    rows, states = given["leaf"]["rows"], problem["states"]
    dimension = Dimension(len(states) - len(rows), set(rows) == set(problem["leaf"]))
    leaf = leaf_words(relations(problem), dimension, regular)
    return (
        f"Members of the family {quoted(given['family'])} of {system_words(system)} with {axes}"
        f"{f' and {values}' if values else ''}, on {leaf}: "
        f"{'; '.join(parts) or 'nothing is proved of them'}; by cells, each with its own proof."
    )


THEOREMS = {"map": ({"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": MAP}, stability_map)}
