r"""The search for a family of equilibria through a point.

What rests is a solution of the field's, the leaf's and the unknowns' equations, polynomials in states,
unknowns and functions. They are solved one after the other for variables that they hold to the first power,
with a coefficient that does not vanish at the point; what is left free are the symbols of the family. A guess
comes first: that the family is flat, along the kernel of the linearisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

from geoctrl import checker
from geoctrl.analysis.appended import Appended
from geoctrl.analysis.generators import Generators, NotSolved
from geoctrl.analysis.motion import Stored
from geoctrl.checker.matrices import nullspace

__all__ = ["family_through"]

TERMS, SECONDS = 3000, 3.0
"""Terms of an equation and time from which on the search ends without a family."""


def family_through(stored: Stored, question: checker.Question, dimension: int) -> list[Stored]:
    """The problem with families of some dimension through its point, in the order in which to try them."""
    q = question
    equations = [ratio.top for ratio in [*q.ratios(q.problem["field"]), *q.defects]]
    q.require_kept([])  # relations are known from here
    generators = Generators.of(q)
    equations += [relation for relation in q.functions.relations if relation not in generators.circles]
    found = []
    for guess in (_flat(q, generators, dimension), []):
        try:
            solved = _Solved(generators, [e for e in equations if e], guess)
        except NotSolved:
            continue
        if len(solved.free) == dimension:
            found.append(solved.written(stored))
    return found


def _flat(q: checker.Question, g: Generators, dimension: int) -> list[tuple[int, Any, Any]]:
    """States along the kernel of the linearisation, as solutions (generator, numerator, denominator).

    Empty where it has another dimension.
    """
    rows = [*q.linearisation, *q.leaf[0]]
    kernel = nullspace(rows, len(q.labels))
    if len(kernel) != dimension:
        return []
    free = [
        next(j for j in range(len(w)) if w[j] == 1 and not any(v[j] for v in kernel if v is not w))
        for w in kernel
    ]
    one = g.one
    steps = [g.gens[g.states[j]] - g.point[g.states[j]] * one for j in free]
    return [
        (
            g.states[i],
            sum((w[i] * s for w, s in zip(kernel, steps, strict=True)), g.point[g.states[i]] * one),
            one,
        )
        for i in range(len(q.labels))
        if i not in free
    ]


def written_family(
    stored: Stored,
    g: Generators,
    equations: list[Any],
    free: Sequence[tuple[int, int]],
    tangents: Sequence[Sequence[Any]],
) -> Stored:
    """The problem with a flat family, its unknowns solved for along it; NotSolved where they are not.

    Parameters
    ----------
    g : the symbols of the family for states, and the unknowns
    equations : of rest along the family
    free : generator of each symbol, and the state that it is
    tangents : of the family, by row
    """
    solved = _Solved(g, equations, [])
    if any(i in g.states for i, *_ in solved.steps):
        raise NotSolved  # the family is not flat
    table, e = Appended(stored), list(stored.read["states"].values())
    named = [table.symbol(f"s{k}", "family") for k in range(1, len(free) + 1)]
    known = dict(g.places) | {i: place for (i, _), (_, place) in zip(free, named, strict=True)}
    for i, top, below in reversed(solved.steps):
        known[i] = table.product((table.polynomial(top, known), 1), (table.polynomial(below, known), -1))
    states = []
    for i, start in enumerate(e):
        shift = start - sum((row[i] * e[j] for row, (_, j) in zip(tangents, free, strict=True)), start * 0)
        terms = [(row[i], place) for row, (_, place) in zip(tangents, named, strict=True) if row[i]]
        states.append(table.total([(shift, table.product()), *terms]))
    return table.with_parts(
        family={
            "symbols": {name: str(e[j]) for (_, j), (name, _) in zip(free, named, strict=True)},
            "states": states,
            "unknowns": [known[i] for i in g.unknowns],
        }
    )


class _Solved:
    """Equations solved one by one.

    Attributes
    ----------
    steps : list of (generator, numerator, denominator)
        Each holds generators that are solved for later, or free.
    free : list of states left free
    """

    def __init__(self, rest: Generators, equations: list[Any], guess: list[tuple[int, Any, Any]]) -> None:
        self._rest, self.steps = rest, list[tuple[int, Any, Any]]()
        self._deadline = monotonic() + SECONDS
        self._equations = sorted(equations, key=len)
        for step in guess:
            self._eliminate(*step)
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
