"""The theorem about one box of constants: all members of a family in it have one verdict.

The proofs are those of maps, signs of functions of the axes. A box that no proof covers whole is halved along
one axis, so that many axes do not make many parts: in preorder, k >= 0 halves a box along axis k, and -1 - j
is a closed part on all of which the j-th proof holds. No part is left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.maps.bernstein import Side
from geoctrl.checker.maps.file import MAP, MAP_WITNESS, PROBLEM
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import LETTERS, Proofs, Signs, analytic, whole
from geoctrl.checker.reader import integer
from geoctrl.checker.verdicts import Found
from geoctrl.checker.words.claims import assigned, system_words
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import decimal, listed, quoted, told

AXES, DEPTH = 32, 400
"""Axes, and halvings on the way to a part, at most."""
OVER = {**MAP, "parts": [integer(-len(LETTERS), AXES - 1)]}
del OVER["cells"]
ATTRACTS, STABLE, UNSTABLE = "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_STABLE", "PROVED_UNSTABLE"
WORDS = {
    ATTRACTS: "is asymptotically stable within the leaf, exponentially",
    STABLE: "is Lyapunov stable within the leaf",
    UNSTABLE: "is unstable",
}


class BoxOfMembers:
    """A box of axes on all of which members have one verdict; Refusal where that is not shown.

    Attributes
    ----------
    verdict : str
    parts : int
        How many parts it was proved on.
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        axes = given["axes"]
        require(
            0 < len(axes) <= AXES and not any(low >= high for low, high in axes.values()),
            f"axes are one to {AXES} intervals",
            "theorem.axes",
        )
        self._problem, self._given, self._members = members.problem, given, members
        proving = Proofs(members, given)
        self._proofs = [proving.of(proof) for _, proof in zip(LETTERS, given["proofs"], strict=False)]
        self._signs = Signs(members.region, self._proofs)
        self._require = analytic(members.region, members.field.positive)
        text, used = iter(given["parts"]), list[int]()
        self._read(text, whole(len(axes)), {}, used, 0)
        require(next(text, None) is None, "the parts are no tree", "theorem.parts")
        self.parts, self.verdict = len(used), self._common_verdict(used)
        if given["leaf"]["rows"]:
            members.require_regular(given["leaf"])

    def _read(
        self, text: Iterator[int], box: tuple[Side, ...], known: dict, used: list[int], level: int
    ) -> None:
        """One box of the tree and what it is halved into, each part covered by its proof."""
        spend()
        here, turn = self._signs.on(box, known), next(text, None)
        if turn is None or turn >= len(box) or level > DEPTH or -turn > len(self._proofs):
            raise Refusal("the parts are no tree", "theorem.parts")
        if turn >= 0:
            low, high = box[turn]
            for half in ((low, (low + high) / 2), ((low + high) / 2, high)):
                self._read(text, (*box[:turn], half, *box[turn + 1 :]), here, used, level + 1)
            return
        proof = self._proofs[-1 - turn]
        require(proof.holds(here), "a proof does not hold on all of a part", "theorem.parts")
        self._require(box)
        used.append(-1 - turn)

    def _common_verdict(self, used: list[int]) -> str:
        """The one verdict that proofs of the parts come to; Refusal where there is none."""
        kinds = {self._proofs[k].verdict for k in used}
        if kinds == {"unstable"}:
            return UNSTABLE
        require(kinds == {"stable"}, "the parts of the box have no verdict in common", "theorem.parts")
        return ATTRACTS if all(map(self._decays, used)) else STABLE

    def _decays(self, turn: int) -> bool:
        """Whether a proof of stability says that all roots on the leaf lie left of the axis: none is zero,
        and the kernel is of gradients of relations of the leaf alone, so that it holds the leaf's tangents.
        """
        proof = self._given["proofs"][turn]
        chart = self._given["charts"][proof["chart"]]
        whole_blocks = all(len(block["states"]) == len(block["coefficients"]) for block in chart["blocks"])
        return proof["by"] == "roots" and whole_blocks and {*chart["rows"]} <= {*self._problem["leaf"]}

    def claim(self, system: str) -> str:
        """What is claimed."""
        return claim_over(system, self._problem, self._given, self.verdict)

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        return (
            "members are equilibria on the leaf, identically in the axes",
            f"kept by the motion, identically: {listed(self._problem['leaf']) or 'no leaf relations'}",
            f"closed parts that are the whole box ({self.parts}), each by the signs of one of the proofs "
            f"({len(self._proofs)}) on all of it",
        )


def claim_over(system: str, problem: dict[str, Any], given: dict[str, Any], verdict: str) -> str:
    """What is claimed of a box."""
    axes = ", ".join(f"{told(k)} in [{decimal(a)}, {decimal(b)}]" for k, (a, b) in given["axes"].items())
    values = assigned({**problem["parameters"], **given["symbols"], **given.get("moving", {})})
    rows = given["leaf"]["rows"]
    dimension = Dimension(len(problem["states"]) - len(rows), set(rows) == set(problem["leaf"]))
    leaf = leaf_words(relations(problem), dimension, " at the middle of the box")
    held = ", held by constant inputs of its own" if problem["inputs"] else ""
    return (
        f"For each choice of constants {axes}{f', with {values}' if values else ''}, the member of the "
        f"family {quoted(given['family'])} of {system_words(system)}{held}, on {leaf}, {WORDS[verdict]}. "
        "Of constants that vary in time nothing is said."
    )


def verdict_over_box(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """What is proved of all members of a family over a box of axes."""
    box = BoxOfMembers(Members(problem, witness, given), given)
    return Found(box.verdict, "signs over a box", {"region": box})


THEOREMS = {"over": ({"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": OVER}, verdict_over_box)}
