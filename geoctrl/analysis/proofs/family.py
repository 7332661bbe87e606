r"""The search for a family of equilibria through a point.

What rests is a solution of the field's, the leaf's and the unknowns' equations, polynomials in states,
unknowns and functions. They are solved one after the other for variables that they hold to the first power,
with a coefficient that does not vanish at the point; what is left free are the symbols of the family.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from geoctrl import checker
from geoctrl.analysis.question.appended import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.analysis.question.motion import Stored

__all__ = ["Solved", "family_through"]

TERMS, PRODUCTS, SECONDS = 3000, 1_000_000, 3.0
"""Terms of an equation, products of terms in a multiplication, and time from which on the search ends without
a family."""


def family_through(stored: Stored, question: checker.Question, dimension: int) -> Stored:
    """The problem with a family of some dimension through its point; NotSolved where none is found."""
    q = question
    equations = [ratio.top for ratio in [*q.ratios(q.problem["field"]), *q.defects]]
    q.require_kept([])  # relations are known from here
    generators = Generators.of(q)
    equations += [relation for relation in q.functions.relations if relation not in generators.circles]
    solved = Solved(generators, [e for e in equations if e])
    if len(solved.free) != dimension:
        raise NotSolved
    return solved.written(stored)


class Solved:
    """Equations solved one by one.

    Attributes
    ----------
    steps : list of (generator, numerator, denominator)
        Each holds generators that are solved for later, or free.
    free : list of states left free
    """

    def __init__(self, rest: Generators, equations: list[Any]) -> None:
        self._rest, self.steps = rest, list[tuple[int, Any, Any]]()
        self._deadline = monotonic() + SECONDS
        self._equations = sorted(equations, key=len)
        while self._equations:
            self._eliminate(*self._solvable())
        solved = {i for i, *_ in self.steps}
        self.free = [i for i in rest.states if i not in solved]
        if any(i not in solved for i in rest.unknowns):
            raise NotSolved

    def _solvable(self) -> tuple[int, Any, Any]:
        """A generator, and numerator and denominator of what an equation says of it."""
        for split in (False, True):
            for equation in self._equations:
                if len(equation) > TERMS or monotonic() > self._deadline:
                    raise NotSolved
                parts = self._vanishing(equation) if split else [equation]
                if len(parts) == 1 and (found := self._linear(parts[0])):
                    return found
        raise NotSolved

    def _vanishing(self, equation: Any) -> list[Any]:
        """Factors that vanish at the point."""
        factors = [p for p, _ in equation.factor()[1] if self._rest.vanishes(p)]
        if not factors:
            raise NotSolved
        return factors

    def _linear(self, p: Any) -> tuple[int, Any, Any] | None:
        """The same of one equation: functions and unknowns first, then states, the last ones first."""
        degrees, rest = p.degrees(), self._rest
        held = [i for i, degree in enumerate(degrees) if degree]
        if len(held) == 1 and held[0] in rest.angles:  # an angle whose sine or cosine is a number is one
            state = rest.angles[held[0]][1]
            return state, rest.point[state] * rest.one, rest.one
        moving = [*rest.unknowns, *reversed(rest.states)]
        others = [i for i in rest.places if i not in moving and i not in rest.angles.keys() | rest.constants]
        for i in [*others, *moving]:
            if degrees[i] == 1:
                slope = p.derivative(i)
                if not rest.vanishes(slope):
                    return i, slope * rest.gens[i] - p, slope
        return None

    def _eliminate(self, i: int, top: Any, below: Any) -> None:
        self.steps.append((i, top, below))
        gone = [(i, top, below)]
        if top.is_constant():
            one = self._rest.one
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
                raise NotSolved
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
                "symbols": {name: str(rest.point[i]) for i, (name, _) in zip(self.free, named, strict=True)},
                "states": [known[i] for i in rest.states],
                "unknowns": [known[i] for i in rest.unknowns],
            }
        )


def _substituted(p: Any, i: int, top: Any, below: Any) -> Any:
    """The numerator of p with top/below in place of its generator i, powers of below left out.

    NotSolved where a product is too large: a single one may take longer than all the time there is.
    """
    degree = p.degrees()[i]
    parts: dict[int, dict] = {}
    for exponents, c in p.terms():
        rest = list(exponents)
        e, rest[i] = int(rest[i]), 0
        parts.setdefault(e, {})[tuple(map(int, rest))] = c
    ring = p.context()
    tops, belows = [ring.constant(1)], [ring.constant(1)]
    for _ in range(int(degree)):
        tops.append(_product(tops[-1], top))
        belows.append(_product(belows[-1], below))
    total = ring.constant(0)
    for e, terms in parts.items():
        total += _product(_product(ring.from_dict(terms), tops[e]), belows[int(degree) - e])
    if not below.is_constant():
        while total:
            quotient, remainder = divmod(total, below)
            if remainder:
                break
            total = quotient
    return total


def _product(a: Any, b: Any) -> Any:
    """a b, where it has not too many terms to be waited for."""
    if len(a) * len(b) > PRODUCTS:
        raise NotSolved
    return a * b
