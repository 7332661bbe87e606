"""Maps of stability: cells of axes, each with what is proved of all members in it.

A map is a tree: a box is one cell, or it is halved along all axes. In preorder, first axis slowest, ``+`` is
a box that is halved, ``.`` a cell of which nothing is proved, and a letter one of the proofs of the file.
A proof is a set of signs of rational functions of the axes; cells are closed, and a sign holds on all of one.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from time import monotonic
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.clock import SECONDS, require_time
from geoctrl.checker.jets import evaluate
from geoctrl.checker.maps.bernstein import AxesBox, Region, Side
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.quotients import MapQuotient, Quotients, hermite, hurwitz, pivots
from geoctrl.checker.reading import Refusal

LETTERS = string.ascii_letters
"""Of proofs, by their number."""
AXES, DEPTH = 6, 24
"""Axes, and halvings of an axis."""
CLASSES = ("stable", "unstable", "spectrum")

Cell = tuple[tuple[Side, ...], str]


class Condition(NamedTuple):
    """``sense * product of factors > 0``, these by number, with exponents; with sense 0, that none of them
    vanishes.
    """

    sense: int
    factors: tuple[tuple[int, int], ...]

    def holds(self, signs: dict[int, int]) -> bool | None:
        """Whether it holds by the signs of its factors, None where a sign is open."""
        total = self.sense
        for k, exponent in self.factors:
            if not (sign := signs.get(k, 0)):
                return None
            total *= sign**exponent
        return total >= 0 if self.sense == 0 else total > 0


class Proof(NamedTuple):
    """What holds where some conditions do."""

    verdict: str
    conditions: tuple[Condition, ...]

    def holds(self, signs: dict[int, int]) -> bool | None:
        """Whether all conditions do; None where that is open, and none fails."""
        found = [c.holds(signs) for c in self.conditions]
        return False if False in found else None if None in found else True


class Proofs:
    """Proofs about the members of a family, from proposals that are not believed."""

    def __init__(self, members: Members) -> None:
        self.members, self.field = members, members.field
        members.require_members()
        members.linearisation  # noqa: B018 - poles of the field are known from then on
        self.factors: list[Any] = []
        self._places: dict[str, int] = {}
        self._factored: dict[str, tuple[int, tuple[tuple[int, int], ...]]] = {}

    def of(self, proposal: dict[str, Any]) -> Proof:
        """The proof that a proposal names; Refusal where it is none."""
        by = {"energy": self._energy, "growth": self._growth, "roots": self._roots}
        verdict, found = by[proposal["by"]](proposal)
        if verdict != proposal["verdict"]:
            raise Refusal(f"it shows {verdict!r}, not {proposal['verdict']!r}", "proofs")
        members = self.members
        members.require_values([*proposal["rows"], *proposal.get("multipliers", ())])
        always = [self.nonzero(q) for q in members.field.poles]
        always += [self.positive(q) for q in [*self.field.positive, *members.domain]]
        return Proof(verdict, tuple(dict.fromkeys(c for c in [*always, *found] if c is not None)))

    # -- signs ----------------------------------------------------------------------------------

    def positive(self, q: MapQuotient, sense: int = 1) -> Condition | None:
        """``sense * q > 0``; None where that is no condition, Refusal where it never holds."""
        sign, factors = self._signed(q)
        if not factors and sense * sign < 0:
            raise Refusal("a sign is claimed that is another one everywhere", "proofs")
        return Condition(sense * sign, factors) if factors else None

    def nonzero(self, q: MapQuotient) -> Condition | None:
        """That a quotient has no zero and no pole; None where that is no condition."""
        _, factors = self._signed(q)
        return Condition(0, factors) if factors else None

    def _signed(self, q: MapQuotient) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The sign of the constant, and the factors above and below the line."""
        if not q:
            raise Refusal("a sign is claimed of what vanishes everywhere", "proofs")
        (a, above), (b, below) = map(self._factors, (q.top, q.below))
        return a * b, above + below

    def _factors(self, p: Any) -> tuple[int, tuple[tuple[int, int], ...]]:
        if (key := str(p)) not in self._factored:
            c, parts = p.factor()
            found = tuple((self._place(f), int(e)) for f, e in parts)
            self._factored[key] = (1 if c > 0 else -1), found
        return self._factored[key]

    def _place(self, factor: Any) -> int:
        if (key := str(factor)) not in self._places:
            self._places[key] = len(self.factors)
            self.factors.append(factor)
        return self._places[key]

    # -- proofs ---------------------------------------------------------------------------------

    def kernel(self, proposal: dict[str, Any], leaf: bool) -> tuple[Any, list[Condition | None]]:
        """The kernel of the gradients named, of which those of the leaf are all where it has to be."""
        members, names = self.members, proposal["rows"]
        if leaf and not set(members.leaf) <= set(names):
            raise Refusal("the gradients of the leaf are not all there", "proofs")
        if not set(proposal["omitted"]) <= set(members.labels) or len(set(names)) != len(names):
            raise Refusal("states omitted are none, or a function is named twice", "proofs")
        omitted = [members.labels.index(k) for k in proposal["omitted"]]
        kernel = members.kernel(members.gradients(names), omitted)
        return kernel, [self.nonzero(kernel.minor)]

    def _energy(self, proposal: dict[str, Any]) -> tuple[str, list[Condition | None]]:
        """A critical combination of what is kept, definite on a space that holds the common kernel."""
        members, sense = self.members, proposal["sense"]
        kernel, found = self.kernel(proposal, leaf=False)
        before = len(self.field.poles)
        known = members.symbols_as(members.question.place, self.field, members.axes())
        places = list(proposal["multipliers"].values())
        if any(p >= len(members.table) for p in places):
            raise Refusal("a node is referred to that does not exist", "proofs")
        values = [self.field.of(jet.value) for jet in evaluate(members.table, places, known, self.field, 1)]
        found += [self.nonzero(q) for q in self.field.poles[before:]]
        del self.field.poles[before:]
        multipliers = dict(zip(proposal["multipliers"], values, strict=True))
        R = members.restricted(members.critical(multipliers), kernel)
        if (diagonal := pivots(R)) is None:
            raise Refusal("the second variation is definite nowhere", "proofs")
        return "stable", [*found, *(self.positive(q, sense) for q in diagonal)]

    def _growth(self, proposal: dict[str, Any]) -> tuple[str, list[Condition | None]]:
        """A root to the right of the axis, by one sign."""
        kernel, found = self.kernel(proposal, leaf=True)
        block, kind, k = proposal["test"]
        polynomials = self.polynomials(kernel, proposal)
        if block >= len(polynomials):
            raise Refusal("there is no such block", "proofs")
        tests = growth_tests(self.field, polynomials[block]).get(kind, [])
        if k >= len(tests):
            raise Refusal("there is no such test", "proofs")
        return "unstable", [*found, self.positive(tests[k], -1)]

    def _roots(self, proposal: dict[str, Any]) -> tuple[str, list[Condition | None]]:
        """All roots left of the axis but zeros that are accounted for, or none right of it."""
        kernel, found = self.kernel(proposal, leaf=True)
        zeros, turning = 0, False
        for p in self.polynomials(kernel, proposal):
            short = without_zeros(p)
            zeros += len(p) - len(short)
            if len(short) == 1:
                continue
            half = short[::2] if len(short) % 2 and not any(short[1::2]) else None
            turning = turning or half is not None
            tests = hurwitz(self.field, short) if half is None else [*half[1:], *hermite(self.field, half)]
            found += [self.positive(q) for q in tests]
        if turning:
            return "spectrum", found
        if zeros:
            tangents = self.members.family_tangents()
            extra = len(proposal["rows"]) - len(self.members.leaf)
            if len(tangents) != zeros + extra:
                return "spectrum", found
            columns = [self.members.labels.index(k) for k in proposal.get("tangents", ())]
            found.append(self.nonzero(self.members.kernel(tangents, columns).minor))
        return "stable", found

    def polynomials(self, kernel: Any, _: dict[str, Any]) -> list[list[MapQuotient]]:
        """Characteristic polynomials of the linearisation's blocks on a kernel."""
        return self.members.polynomials(kernel)


def without_zeros(p: Sequence[MapQuotient]) -> list[MapQuotient]:
    """A polynomial divided by the power of its variable that divides it."""
    last = max(i for i, c in enumerate(p) if c)
    return list(p[: last + 1])


def growth_tests(field: Quotients, polynomial: Sequence[MapQuotient]) -> dict[str, list[MapQuotient]]:
    """Functions of which none is negative where no root lies to the right of the axis, by kind."""
    p = without_zeros(polynomial)
    if len(p) == 1:
        return {}
    if len(p) % 2 and not any(p[1::2]):
        return {"coefficient": p[2::2], "hermite": hermite(field, p[::2])}
    return {"coefficient": p[1:], "hurwitz": hurwitz(field, p)}


# -- trees ------------------------------------------------------------------------------------------------


def halves(sides: Sequence[Side]) -> Iterator[tuple[Side, ...]]:
    """The boxes that a box is halved into along all axes, the first one slowest."""
    middles = [((a, (a + b) / 2), ((a + b) / 2, b)) for a, b in sides]
    return product(*middles)


class Signs:
    """Signs of polynomials on boxes: what is decided on a box holds in all that it is halved into.

    Parameters
    ----------
    region : Region
    factors : polynomials by number
    wanted : numbers of those asked for
    """

    def __init__(self, region: Region, factors: Sequence[Any], wanted: Iterable[int]) -> None:
        self._region, self._wanted = region, {k: region.form(factors[k]) for k in wanted}

    def on(self, sides: Sequence[Side], known: dict[int, int]) -> dict[int, int]:
        """Signs on a box, from those on one around it."""
        box, found = AxesBox(self._region, sides), dict(known)
        for k, form in self._wanted.items():
            if k not in found:
                try:
                    sign = box.sign(form)
                except Refusal:  # a function has no value everywhere in the box
                    sign = 0
                if sign:
                    found[k] = sign
        return found


def factors_of(proofs: Iterable[Proof]) -> list[int]:
    """Numbers of all factors that proofs ask of."""
    return sorted({k for proof in proofs for c in proof.conditions for k, _ in c.factors})


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


def judge_region(problem: dict[str, Any], proposals: list[dict[str, Any]], cells: str) -> dict[str, fmpq]:
    """Parts of the area by class; Refusal where a cell's proof does not hold on it."""
    sides = tuple(problem["axes"].values())
    if not 0 < len(sides) <= AXES or any(low >= high for low, high in sides):
        raise Refusal(f"axes are one to {AXES} intervals", "problem.axes")
    members = Members(problem)
    proving = Proofs(members)
    if len(proposals) > len(LETTERS):
        raise Refusal(f"more than {len(LETTERS)} proofs", "proofs")
    proofs = [proving.of(p) for p in proposals]
    text = iter(cells)
    area = dict.fromkeys((*CLASSES, "undecided"), fmpq(0))

    def read(_: dict, level: int) -> str:
        letter = next(text, "")
        if not letter or (letter == "+" and level >= DEPTH) or (letter not in "+." and letter not in LETTERS):
            raise Refusal("the cells are no tree", "cells")
        return letter

    region = Region(members.field, sides)
    signs = Signs(region, proving.factors, factors_of(proofs))
    require_analytic = analytic(region)
    deadline = monotonic() + SECONDS
    for box, letter, here in walk(whole(len(sides)), signs.on, read, {}):
        require_time(deadline)
        if letter == "+":
            continue
        part = fmpq(1)
        for a, b in box:
            part *= b - a
        if letter == ".":
            area["undecided"] += part
            continue
        k = LETTERS.index(letter)
        if k >= len(proofs) or not proofs[k].holds(here):
            raise Refusal(f"a proof does not hold on all of the cell {_words(problem, box)}", "cells")
        require_analytic(box)
        area[proofs[k].verdict] += part
    if next(text, None) is not None:
        raise Refusal("the cells are no tree", "cells")
    return area


def whole(axes: int) -> tuple[Side, ...]:
    """All of a region, in coordinates that run from zero to one."""
    return ((fmpq(0), fmpq(1)),) * axes


def _words(problem: dict[str, Any], box: Sequence[Side]) -> str:
    parts = []
    for (name, (low, high)), side in zip(problem["axes"].items(), box, strict=True):
        a, b = (low + (high - low) * t for t in side)
        parts.append(f"{name} in [{a}, {b}]")
    return ", ".join(parts)[:200]


def analytic(region: Region) -> Callable[[Sequence[Side]], None]:
    """Refuses boxes in which something that was divided by may vanish everywhere.

    Polynomials do not. With generators, what is divided by must differ from zero at the middle of a box
    about which all functions are analytic: of the whole region, or of the cell.
    """
    field, form = region.field, region.form
    divisors = [p for p in field.divisors.values() if any(p.degrees()[k] for k in field.generators)]

    def require(sides: Sequence[Side]) -> None:
        box, middle = AxesBox(region, sides), AxesBox(region, [((a + b) / 2,) * 2 for a, b in sides])
        for place in field.generators:
            box.side(place)
        if any(box.sign(form(q.top)) * box.sign(form(q.below)) < 1 for q in field.positive):
            raise Refusal("a root may vanish in the cell", "cells")
        if not all(middle.sign(form(p)) for p in divisors):
            raise Refusal("a divisor may vanish in the cell", "cells")

    try:
        require(whole(len(region.sides)))
    except Refusal:
        return require
    return lambda _: None
