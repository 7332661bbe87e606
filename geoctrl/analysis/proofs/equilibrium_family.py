"""The search for a family of equilibria through a point.

What rests is a solution of the field's, the leaf's and the unknowns' equations, polynomials in states,
unknowns and functions. They are solved one after the other for variables that they hold to the first power,
with a coefficient that does not vanish at the point; what is left free are the symbols of the family.

Families that are guessed flat: states along tangents, unknowns solved for along them.

Equations are looked at along the guess alone, where they are short however long they are elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import nullspace
from geoctrl.decisions.functions.derivatives import Jet, evaluate, reachable
from geoctrl.decisions.functions.identities_by_division import Functions

__all__ = ["Solved", "family_of_rests", "family_through", "flat_family", "given_family"]


def flat_family(stored: Stored, q: decisions.Question, tangents: Sequence[Sequence[fmpq]]) -> Stored:
    """The problem with the flat family along its tangents; NotSolved or Refusal where it is none.

    Parameters
    ----------
    q : its question, exact or in balls
    tangents : by row, each with a one where the others have a zero
    """
    n, k = len(q.labels), len(tangents)
    e = list(q.problem["states"].values())
    free = [
        next(j for j in range(n) if row[j] == 1 and sum(bool(other[j]) for other in tangents) == 1)
        for row in tangents
    ]
    F = _functions_along(q, k)
    symbols = F.variables[:k]
    states = [
        sum(
            (s * row[i] - row[i] * e[j] for s, row, j in zip(symbols, tangents, free, strict=True)),
            F.number(e[i]),
        )
        for i in range(n)
    ]
    g, equations = _rest_along(q, F, states, [e[j] for j in free])
    return _family_problem(stored, g, equations, list(zip(g.states, free, strict=True)), tangents)


def given_family(
    table: Appended,
    q: decisions.Question,
    symbols: Sequence[tuple[str, int]],
    values: Sequence[fmpq],
    states: Sequence[int],
) -> Stored:
    """The problem with a family of which the states are written; NotSolved or Refusal where it is none.

    Parameters
    ----------
    table : of the problem, with symbols and states
    q : its question
    symbols : name and place of each
    values : of the symbols at the point
    states : their places
    """
    F = _functions_along(q, len(symbols))
    jets = _constant_jets(q, F)
    jets |= {place: Jet(x) for (_, place), x in zip(symbols, F.variables, strict=False)}
    along = evaluate(table.with_parts().read["nodes"], list(states), jets, F, 1)
    g, equations = _rest_along(q, F, [jet.value for jet in along], values)
    known = dict(g.places) | {i: place for i, (_, place) in zip(g.states, symbols, strict=True)}
    unknowns = _unknowns_along(table, g, equations, known)
    named = {name: str(v) for (name, _), v in zip(symbols, values, strict=True)}
    return table.with_parts(family={"symbols": named, "states": list(states), "unknowns": unknowns})


def _functions_along(q: decisions.Question, k: int) -> Functions:
    """Functions of the symbols of a family, and of the unknowns."""
    return Functions(k + len(q.problem["unknowns"]), q.count_of_functions, q.sign, q.numbers.deadline)


def _constant_jets(q: decisions.Question, F: Functions) -> dict[int, Jet]:
    return {p: Jet(F.number(v)) for p, v in q.numbers_of("input", "parameter").items()}


def _rest_along(
    q: decisions.Question, F: Functions, states: Sequence[Any], values: Sequence[fmpq]
) -> tuple[Generators, list[Any]]:
    """Symbols, with their values at the point, and unknowns as generators; what vanishes where states, which
    are functions of the symbols, rest.
    """
    n, k = len(q.labels), len(values)
    symbols, z = F.variables[:k], F.variables[k:]
    jets = _constant_jets(q, F)
    jets |= {p: Jet(value) for p, value in zip(q.moving_places, [*states, *z], strict=True)}

    def values_at(nodes: Sequence[int]) -> list[Any]:
        return [jet.value for jet in evaluate(q.table, list(nodes), jets, F, 1)]

    equations = [*values_at(q.problem["field"]), *values_at(list(q.problem["leaf"].values()))]
    defects = values_at(q.problem["right"])
    for i, j, p in q.problem["matrix"]:
        defects[i] = defects[i] - values_at([p])[0] * z[j]
    number = {str(g): i for i, g in enumerate(F.gens)}
    at_symbols = [number[str(s.top)] for s in symbols]
    unknowns = [number[str(x.top)] for x in z]
    point = dict(zip(at_symbols, values, strict=True))
    point |= dict(zip(unknowns, q.values_at_point()[n:], strict=True))
    places = _constants(q, jets, number)
    point |= {i: q.jets([p])[0].value for i, p in places.items()}
    g = Generators(F.gens, places, point, at_symbols, [], unknowns, {}, F.relations, frozenset(places))
    return g, [top for ratio in [*equations, *defects] if (top := F.remainder(ratio))]


def _constants(q: decisions.Question, jets: dict[int, Jet], number: dict[str, int]) -> dict[int, int]:
    """Places of the functions of parameters alone, by their generators."""
    moving = set(q.moving_places)
    found: dict[int, int] = {}
    for place, node in enumerate(q.table):
        if node[0] != "fun" or place not in jets or moving & set(reachable(q.table, [place])):
            continue
        ratio = jets[place].value
        if not ratio.below and str(ratio.top) in number:
            found.setdefault(number[str(ratio.top)], place)
    return found


def _family_problem(
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
    table, e = Appended(stored), list(stored.read["states"].values())
    named = [table.symbol(f"s{k}", "family") for k in range(1, len(free) + 1)]
    known = dict(g.places) | {i: place for (i, _), (_, place) in zip(free, named, strict=True)}
    unknowns = _unknowns_along(table, g, equations, known)
    own = {j: place for (_, j), (_, place) in zip(free, named, strict=True)}
    states = []
    for i, start in enumerate(e):
        if i in own:
            states.append(own[i])
            continue
        shift = start - sum((row[i] * e[j] for row, (_, j) in zip(tangents, free, strict=True)), start * 0)
        terms = [(row[i], place) for row, (_, place) in zip(tangents, named, strict=True) if row[i]]
        states.append(table.total([(shift, table.product()), *terms]))
    return table.with_parts(
        family={
            "symbols": {name: str(e[j]) for (_, j), (name, _) in zip(free, named, strict=True)},
            "states": states,
            "unknowns": unknowns,
        }
    )


def _unknowns_along(table: Appended, g: Generators, equations: list[Any], known: dict[int, int]) -> list[int]:
    """Places of the unknowns as they are along the family; NotSolved where states are not what rests."""
    solved = Solved(g, equations)
    if any(i in g.states for i, *_ in solved.steps):
        raise NotSolved
    for i, top, below in reversed(solved.steps):
        known[i] = table.product((table.polynomial(top, known), 1), (table.polynomial(below, known), -1))
    return [known[i] for i in g.unknowns]


TERMS, PRODUCTS, SECONDS = 3000, 1_000_000, 3.0
"""Terms of an equation, products of terms in a multiplication, and time from which on the search ends without
a family."""


def family_through(stored: Stored, question: decisions.Question, dimension: int) -> Stored:
    """The problem with a family of some dimension through its point; NotSolved where none is found."""
    q = question
    equations = [ratio.top for ratio in [*q.ratios(q.problem["field"]), *q.defects]]
    q.require_kept([])  # relations are known from here
    generators = Generators.of(q)
    equations += [relation for relation in q.functions.relations if relation not in generators.circles]
    solved = Solved(generators, [e for e in equations if e])
    if len(solved.free) != dimension:
        raise NotSolved
    return solved.family_problem(stored)


def family_of_rests(stored: Stored) -> Stored:
    """The problem with the family of points of rest to which the kernel of its linearisation is tangent, a
    flat one where it is; NotSolved or Refusal where none is found.
    """
    question = stored.exactly()
    kernel = nullspace([*question.linearisation, *question.leaf[0]], len(question.labels))
    try:
        return flat_family(stored, question, kernel)
    except (decisions.Refusal, NotSolved):
        return family_through(stored, question, len(kernel))


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
                    equation = _substitution(equation, *step)
            for circle in self._rest.circles:
                equation = divmod(equation, circle)[1]
            if not equation:
                continue
            if equation.is_constant() or len(equation) > TERMS or monotonic() > self._deadline:
                raise NotSolved
            left.append(equation)
        self._equations = sorted(left, key=len)

    def family_problem(self, stored: Stored) -> Stored:
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


def _substitution(p: Any, i: int, top: Any, below: Any) -> Any:
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
