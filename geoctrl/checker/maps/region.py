"""Maps of stability: cells of axes, each with what is proved of all members in it.

A map is a tree: a box is one cell, or it is halved along all axes. In preorder, first axis slowest, ``+`` is
a box that is halved, ``.`` a cell of which nothing is proved, and a letter one of the proofs of the file.
A proof is a set of signs of functions of the axes; cells are closed, and a sign holds on all of one.

What is signed is given as a product of polynomials that equals what the equations give, as functions of the
axes: both are continuous where what they divide by does not vanish, and so equal on all of the cell.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.maps.axes import Condition, Powers
from geoctrl.checker.maps.bernstein import AxesBox, Region, Side
from geoctrl.checker.maps.charts import MapChart, leading_minors
from geoctrl.checker.maps.drift import DRIFT, drift
from geoctrl.checker.maps.members import Members
from geoctrl.checker.reader import conform, integer, label, one_of, place
from geoctrl.checker.verdicts import second_variation

LETTERS = string.ascii_letters
"""Of proofs, by their number."""

_CHART = integer(0, len(LETTERS))
PROOFS: dict[str, Any] = {
    "energy": {
        "by": label,
        "chart": _CHART,
        "multipliers": {...: place},
        "sense": one_of(1, -1),
        "pivots": [place],
    },
    "growth": {
        "by": label,
        "chart": _CHART,
        "block": place,
        "negative": (one_of("coefficients", "minors"), place),
    },
    "roots": {"by": label, "chart": _CHART, "family?": {"along": [label], "inverse": [[place]]}},
    "drift": DRIFT,
}
"""Multipliers of a critical combination, and pivots of its second variation on the kernel; a coefficient or a
minor that is negative; states by which derivatives of the members are inverted. A drift needs no chart."""


class Proof(NamedTuple):
    """What holds where some conditions do."""

    verdict: str
    conditions: tuple[Condition, ...]

    def holds(self, signs: dict[int, int]) -> bool | None:
        """Whether all conditions do; None where that is open, and none fails."""
        found = [c.holds(signs) for c in self.conditions]
        return False if False in found else None if None in found else True


class Proofs:
    """Proofs about the members of a family.

    Parameters
    ----------
    members : Members
    given : dict
        ``charts``, and ``divisors``: products of polynomials that are divided by.
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        F = self.field = members.field
        self.members = members
        self._parts: dict[int, Powers] = {}
        for node in given["divisors"]:
            sign, powers = F.sign_and_powers(F.values([node])[0])
            own, parts = F.sign_and_powers_of_node(node)
            require(
                len(powers) == 1 and own == sign,
                "a divisor is no polynomial of the sign of its parts",
                "theorem.divisors",
            )
            self._parts[powers[0][0]] = parts
        self._charts = [F.noting(partial(MapChart, members, c)) for c in given["charts"]]

    def of(self, given: dict[str, Any]) -> Proof:
        """The proof that is given; Refusal where it is none."""
        proofs: dict[str, Callable[[Any, dict], tuple[str, list[Condition]]]] = {
            "energy": self._energy,
            "growth": self._growth,
            "roots": self._roots,
            "drift": lambda _, read: drift(self.members, read),
        }
        read = conform(given, PROOFS[given["by"]], "theorem.proofs")
        chart, of_chart = self._charts[read["chart"]] if "chart" in read else (None, [])
        (verdict, signs), noted = self.field.noting(lambda: proofs[read["by"]](chart, read))
        conditions = [*self.members.conditions, *of_chart, *noted, *signs]
        return Proof(verdict, tuple(dict.fromkeys(map(self._in_parts, conditions))))

    def _in_parts(self, condition: Condition) -> Condition:
        """The condition with factors that are products of others as such: they have the same sign."""
        parts = ((i, e * d) for k, e in condition.factors for i, d in self._parts.get(k, ((k, 1),)))
        return Condition(condition.sense, tuple(parts))

    def _sign(self, node: int, sense: int) -> Condition:
        sign, powers = self.field.sign_and_powers_of_node(node)
        return Condition(sense * sign, powers)

    def _energy(self, chart: MapChart, given: dict[str, Any]) -> tuple[str, list[Condition]]:
        """A critical combination of what is kept, definite on the common kernel of some gradients: with
        squares of these functions added it has a strict minimum or maximum (Finsler), and it is conserved.
        """
        F, q = self.field, self.members.question
        pivots = F.values(given["pivots"])
        multipliers = F.values(list(given["multipliers"].values()))
        terms = [(y, q.function(name)) for y, name in zip(multipliers, given["multipliers"], strict=True)]
        R = second_variation(q, terms, chart.tangents)
        before: Any = fmpq(1)
        for minor, pivot in zip(leading_minors(R, len(R)), pivots, strict=True):
            require(
                minor == before * pivot, "they are not the pivots of the second variation", "theorem.proofs"
            )
            before = minor
        return "stable", [self._sign(node, given["sense"]) for node in given["pivots"]]

    def _growth(self, chart: MapChart, given: dict[str, Any]) -> tuple[str, list[Condition]]:
        """A root to the right of the axis, by one sign."""
        block, (kind, turn) = chart.blocks[given["block"]], given["negative"]
        return "unstable", [self._sign(getattr(block, kind)[turn], -1)]

    def _roots(self, chart: MapChart, given: dict[str, Any]) -> tuple[str, list[Condition]]:
        """All roots left of the axis but zeros that are accounted for, or none right of it.

        As many zeros as the family has dimensions are those of its tangents: near motions converge to
        members (Lyapunov, Malkin).
        """
        positive, turning = list[int](), False
        for block in chart.blocks:
            left = block.coefficients[1::2] if block.even else block.coefficients
            require(len(block.minors) == len(left), "a minor is not given", "theorem.charts")
            turning = turning or bool(block.even and left)
            positive += [*(left if block.even else ()), *block.minors]
        zeros = sum(block.zeros for block in chart.blocks)
        if zeros and not turning:
            turning = (
                "family" not in given or self.members.family_dimension(given["family"]) != zeros + chart.extra
            )
        return "spectrum" if turning else "stable", [self._sign(node, 1) for node in positive]


# -- trees ------------------------------------------------------------------------------------------------


def halves(sides: Sequence[Side]) -> Iterator[tuple[Side, ...]]:
    """The boxes that a box is halved into along all axes, the first one slowest."""
    return product(*(((a, (a + b) / 2), ((a + b) / 2, b)) for a, b in sides))


class Signs:
    """Signs of polynomials on boxes: what is decided on a box holds in all that it is halved into.

    Parameters
    ----------
    region : Region
    proofs : iterable of Proof
        Which ask for these polynomials.
    """

    def __init__(self, region: Region, proofs: Iterable[Proof]) -> None:
        wanted = sorted({k for proof in proofs for c in proof.conditions for k, _ in c.factors})
        self._region, self._wanted = region, {k: region.form(region.field.factors[k]) for k in wanted}

    def on(self, sides: Sequence[Side], known: dict[int, int]) -> dict[int, int]:
        """Signs on a box, from those on one around it."""
        box, found = AxesBox(self._region, sides), dict(known)
        for k, form in self._wanted.items():
            if k not in found and (sign := box.sign(form)):
                found[k] = sign
        return found


def walk(
    sides: tuple[Side, ...],
    signs: Callable[[tuple[Side, ...], dict], dict],
    choose: Callable[[dict, int], str],
    known: dict[Any, int],
    level: int = 0,
) -> Iterator[tuple[tuple[Side, ...], str, dict]]:
    """The nodes of a tree in preorder: box, letter as chosen from the signs there, and those signs."""
    here = signs(sides, known)
    letter = choose(here, level)
    yield sides, letter, here
    if letter == "+":
        for part in halves(sides):
            yield from walk(part, signs, choose, here, level + 1)


def whole(axes: int) -> tuple[Side, ...]:
    """All of a region, in coordinates that run from zero to one."""
    return ((fmpq(0), fmpq(1)),) * axes


def analytic(region: Region, positive: Iterable[Condition]) -> Callable[[Sequence[Side]], None]:
    """Refuses boxes in which something that was divided by may vanish everywhere.

    Polynomials do not. With generators, what is divided by must differ from zero at the middle of a box
    about which all functions are analytic: of the whole region, or of the cell.
    """
    field, made = region.field, region.field.made
    divisors = [k for k in set(field.divided) if any(field.factors[k].degrees()[i] for i in made)]
    positive = positive if made else ()
    used = {*divisors, *(k for c in positive for k, _ in c.factors)}
    forms = {k: region.form(field.factors[k]) for k in used}

    def demand(sides: Sequence[Side]) -> None:
        box, middle = AxesBox(region, sides), AxesBox(region, [((a + b) / 2,) * 2 for a, b in sides])
        for generator in made:
            box.side(generator)
        signs = {k: box.sign(forms[k]) for c in positive for k, _ in c.factors}
        require(all(c.holds(signs) for c in positive), "a root may vanish in the cell", "theorem.cells")
        require(
            all(middle.sign(forms[k]) for k in divisors), "a divisor may vanish in the cell", "theorem.cells"
        )

    try:
        demand(whole(len(region.sides)))
    except Refusal:
        return demand
    return lambda _: None
