r"""The search for a family of equilibria through a point.

What rests is a solution of the field's, the leaf's and the unknowns' equations, polynomials in states,
unknowns and functions. They are solved one after the other for variables that they hold to the first power,
with a coefficient that does not vanish at the point; what is left free are the symbols of the family. A guess
comes first: that the family is flat, along the kernel of the linearisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.appended import Appended
from geoctrl.analysis.motion import Stored
from geoctrl.checker.matrices import nullspace

__all__ = ["family_through"]

TERMS, SECONDS = 3000, 3.0
"""Terms of an equation and time from which on the search ends without a family."""


class NoFamily(Exception):  # noqa: N818 - an answer rather than a failure
    """The equations were not solved."""


def family_through(stored: Stored, question: checker.Question, dimension: int) -> list[Stored]:
    """The problem with families of some dimension through its point, in the order in which to try them."""
    rest = _Rest.of(question)
    found = []
    for guess in (rest.flat(dimension), []):
        try:
            solved = _Solved(rest, guess)
        except NoFamily:
            continue
        if len(solved.free) == dimension:
            found.append(solved.written(stored))
    return found


@dataclass
class _Rest:
    """The equations of rest.

    Attributes
    ----------
    question : checker.Question
    gens : all generators of the ring
    places : place in the table of each generator that has one
    point : value of each of these
    states, unknowns : numbers of their generators
    angles : name and state of each generator that is the sine or cosine of a state
    circles : squares of sine and cosine of a state less one, which vanish everywhere
    equations : polynomials that vanish at rest
    """

    question: checker.Question
    gens: Sequence[Any]
    places: dict[int, int]
    point: dict[int, fmpq]
    states: list[int]
    unknowns: list[int]
    angles: dict[int, tuple[str, int]]
    circles: list[Any]
    equations: list[Any]

    @classmethod
    def of(cls, q: checker.Question) -> _Rest:
        F = q.functions
        equations = [ratio.top for ratio in [*q.ratios(q.problem["field"]), *q.defects]]
        q.require_kept([])  # relations are known from here
        gens = F.gens
        number = {str(g): i for i, g in enumerate(gens)}
        moving = [number[str(x.top)] for x in F.variables]
        places = dict(zip(moving, q.moving_places, strict=True))
        angles: dict[int, tuple[str, int]] = {}
        for place, node in enumerate(q.table):
            if node[0] == "fun" and node[1] not in ("select", "quadrature"):
                result, argument = q.ratios([place, node[2][0]])
                if result.below or str(result.top) not in number:
                    continue
                i = number[str(result.top)]
                places.setdefault(i, place)
                if node[1] in ("sin", "cos") and str(argument.top) in number and not argument.below:
                    angles[i] = node[1], number[str(argument.top)]
        circles = [
            gens[i] ** 2 + gens[j] ** 2 - 1 for i in angles for j in angles if i < j and angles[i][1] == angles[j][1]
        ]
        equations += [relation for relation in F.relations if relation not in circles]
        values = {i: jet.value for i, jet in zip(places, q.jets(list(places.values())), strict=True)}
        n = len(q.labels)
        point = {i: v for i, v in values.items() if v is not None}
        return cls(q, gens, places, point, moving[:n], moving[n:], angles, circles, [e for e in equations if e])

    def at(self, polynomial: Any) -> fmpq:
        """Its value at the point; NoFamily where it holds what has no rational value there."""
        total = fmpq(0)
        for exponents, c in polynomial.terms():
            for i, e in enumerate(exponents):
                if e:
                    if i not in self.point:
                        raise NoFamily
                    c *= self.point[i] ** int(e)
            total += c
        return total

    def flat(self, dimension: int) -> list[tuple[int, Any, Any]]:
        """States along the kernel of the linearisation, as solutions (generator, numerator, denominator).

        Empty where it has another dimension.
        """
        q = self.question
        rows = [*q.linearisation, *q.leaf[0]]
        kernel = nullspace(rows, len(q.labels))
        if len(kernel) != dimension:
            return []
        free = [next(j for j in range(len(w)) if w[j] == 1 and not any(v[j] for v in kernel if v is not w))
                for w in kernel]
        one = self.gens[0] ** 0
        steps = [self.gens[self.states[j]] - self.point[self.states[j]] * one for j in free]
        return [
            (
                self.states[i],
                sum((w[i] * s for w, s in zip(kernel, steps, strict=True)), self.point[self.states[i]] * one),
                one,
            )
            for i in range(len(q.labels))
            if i not in free
        ]


class _Solved:
    """Equations solved one by one.

    Attributes
    ----------
    steps : list of (generator, numerator, denominator)
        Each holds generators that are solved for later, or free.
    free : list of states left free
    """

    def __init__(self, rest: _Rest, guess: list[tuple[int, Any, Any]]) -> None:
        self._rest, self.steps = rest, []
        self._deadline = monotonic() + SECONDS
        self._equations = sorted(rest.equations, key=len)
        for step in guess:
            self._eliminate(*step)
        while self._equations:
            self._eliminate(*self._solvable())
        solved = {i for i, *_ in self.steps}
        self.free = [i for i in rest.states if i not in solved]
        if any(i not in solved for i in rest.unknowns):
            raise NoFamily

    def _solvable(self) -> tuple[int, Any, Any]:
        """A generator, and numerator and denominator of what an equation says of it."""
        for split in (False, True):
            for equation in self._equations:
                if len(equation) > TERMS or monotonic() > self._deadline:
                    raise NoFamily
                parts = self._vanishing(equation) if split else [equation]
                if len(parts) == 1 and (found := self._linear(parts[0])):
                    return found
        raise NoFamily

    def _vanishing(self, equation: Any) -> list[Any]:
        """Factors that vanish at the point."""
        factors = [p for p, _ in equation.factor()[1] if not self._rest.at(p)]
        if not factors:
            raise NoFamily
        return factors

    def _linear(self, p: Any) -> tuple[int, Any, Any] | None:
        """The same of one equation: functions and unknowns first, then states, the last ones first."""
        degrees, rest = p.degrees(), self._rest
        held = [i for i, degree in enumerate(degrees) if degree]
        if len(held) == 1 and held[0] in rest.angles:  # an angle whose sine or cosine is a number is one
            state = rest.angles[held[0]][1]
            one = rest.gens[0] ** 0
            return state, rest.point[state] * one, one
        moving = [*rest.unknowns, *reversed(rest.states)]
        others = [i for i in rest.places if i not in moving and i not in rest.angles]
        for i in [*others, *moving]:
            if degrees[i] == 1:
                slope = p.derivative(i)
                if rest.at(slope):
                    return i, slope * rest.gens[i] - p, slope
        return None

    def _eliminate(self, i: int, top: Any, below: Any) -> None:
        self.steps.append((i, top, below))
        gone = [(i, top, below)]
        if top.is_constant():
            one = self._rest.gens[0] ** 0
            gone += [(j, self._rest.point[j] * one, one) for j, (_, k) in self._rest.angles.items() if k == i]
        left = []
        for equation in self._equations:
            for step in gone:
                if equation.degrees()[step[0]]:
                    equation = _substituted(equation, *step)
            for circle in self._rest.circles:
                equation = divmod(equation, circle)[1]
            if not equation:
                continue
            if equation.is_constant() or len(equation) > TERMS or monotonic() > self._deadline:
                raise NoFamily
            left.append(equation)
        self._equations = sorted(left, key=len)

    def written(self, stored: Stored) -> Stored:
        """The problem with this family."""
        rest, table = self._rest, Appended(stored)
        named = [table.symbol(f"s{k}", "family") for k in range(1, len(self.free) + 1)]
        known = {i: place for i, (_, place) in zip(self.free, named, strict=True)}
        for i, top, below in reversed(self.steps):
            for j, (name, state) in rest.angles.items():
                if j not in known and state in known:
                    known[j] = table.function(name, known[state])
            over = table.polynomial(below, known)
            known[i] = table.product((table.polynomial(top, known), 1), (over, -1))
        return table.with_parts(
            family={
                "symbols": {
                    name: str(rest.point[i]) for i, (name, _) in zip(self.free, named, strict=True)
                },
                "states": [known[i] for i in rest.states],
                "unknowns": [known[i] for i in rest.unknowns],
            }
        )


def _substituted(p: Any, i: int, top: Any, below: Any) -> Any:
    """The numerator of p with top/below in place of its generator i, powers of below left out."""
    degree = p.degrees()[i]
    parts: dict[int, dict] = {}
    for exponents, c in p.terms():
        rest = list(exponents)
        e, rest[i] = int(rest[i]), 0
        parts.setdefault(e, {})[tuple(map(int, rest))] = c
    ring = p.context()
    tops, belows = [ring.constant(1)], [ring.constant(1)]
    for _ in range(int(degree)):
        tops.append(tops[-1] * top)
        belows.append(belows[-1] * below)
    total = ring.constant(0)
    for e, terms in parts.items():
        total += ring.from_dict(terms) * tops[e] * belows[int(degree) - e]
    if not below.is_constant():
        while total:
            quotient, remainder = divmod(total, below)
            if remainder:
                break
            total = quotient
    return total
