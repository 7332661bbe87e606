"""Families that are guessed flat: states along tangents, unknowns solved for along them.

Equations are looked at along the guess alone, where they are short however long they are elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.proofs.family import Solved
from geoctrl.analysis.question.appended import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.analysis.question.motion import Stored
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.polynomials import Functions

__all__ = ["flat_family"]


def flat_family(stored: Stored, q: checker.Question, tangents: Sequence[Sequence[fmpq]]) -> Stored:
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
    F = Functions(k + len(q.problem["unknowns"]), q.count_of_functions, q.sign, q.numbers.deadline)
    symbols, z = F.variables[:k], F.variables[k:]
    states = [
        sum(
            (s * row[i] - row[i] * e[j] for s, row, j in zip(symbols, tangents, free, strict=True)),
            F.number(e[i]),
        )
        for i in range(n)
    ]
    jets = {p: Jet(F.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
    jets |= {p: Jet(value) for p, value in zip(q.moving_places, [*states, *z], strict=True)}

    def values(nodes: Sequence[int]) -> list[Any]:
        return [jet.value for jet in evaluate(q.table, list(nodes), jets, F, 1)]

    equations = [*values(q.problem["field"]), *values(list(q.problem["leaf"].values()))]
    defects = values(q.problem["right"])
    for i, j, p in q.problem["matrix"]:
        defects[i] = defects[i] - values([p])[0] * z[j]
    number = {str(g): i for i, g in enumerate(F.gens)}
    at_symbols = [number[str(s.top)] for s in symbols]
    unknowns = [number[str(x.top)] for x in z]
    point = dict(zip(at_symbols, (e[j] for j in free), strict=True))
    point |= dict(zip(unknowns, q.values_at_point()[n:], strict=True))
    places = _constants(q, jets, number)
    point |= {i: q.jets([p])[0].value for i, p in places.items()}
    g = Generators(F.gens, places, point, at_symbols, [], unknowns, {}, F.relations, frozenset(places))
    tops = [F.remainder(ratio) for ratio in [*equations, *defects]]
    return _written(
        stored, g, [top for top in tops if top], list(zip(at_symbols, free, strict=True)), tangents
    )


def _constants(q: checker.Question, jets: dict[int, Jet], number: dict[str, int]) -> dict[int, int]:
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


def _written(
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
    solved = Solved(g, equations)
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
