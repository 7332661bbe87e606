"""Families that a description declares, as families of equilibria through a point.

At the point the symbols of a family are solved for, one after the other. That it rests is proved by the
checker, as of any family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy as sp
from flint import fmpq

from geoctrl import decisions
from geoctrl._scalars import exact
from geoctrl.analysis.proofs.equilibrium_family import given_family
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.systems import Family

__all__ = ["declared_families"]


def declared_families(
    problem: Problem, stored: Stored, question: decisions.Question, dimension: int
) -> Iterator[Stored]:
    """Problems with the families of a dimension that are declared and go through their point."""
    for family in problem.families:
        if len(family.symbols) == dimension and not family.inputs and not family.relations:
            try:
                yield _with_family(problem, stored, question, family)
            except (NotSolved, decisions.Refusal):
                continue


def _with_family(problem: Problem, stored: Stored, q: decisions.Question, family: Family) -> Stored:
    states = [_rational(family.states.get(label, sp.S.Zero)) for label in problem.motion.states]
    values = _symbols_at_point(problem, states, family.symbols)
    table = Appended(stored)
    named = [table.symbol(s.name, "family") for s in family.symbols]
    places = {s.name: place for s, (_, place) in zip(family.symbols, named, strict=True)}
    places |= {node[1]: i for i, node in enumerate(table.rows) if node[0] == "sym" and node[2] == "parameter"}
    return given_family(table, q, named, values, [_place_of(table, e, places) for e in states])


def _rational(e: sp.Expr) -> sp.Expr:
    return e.xreplace({c: sp.Rational(exact(c)) for c in e.atoms(sp.Float)})


def _symbols_at_point(
    problem: Problem, states: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]
) -> list[fmpq]:
    """Values of the symbols at the point; NotSolved where they are not rational, or not known one by one."""
    numbers = {s: sp.Rational(problem.numbers[s.name]) for e in states for s in e.free_symbols
               if s.name in problem.numbers}  # fmt: skip
    left = [e.xreplace(numbers) - sp.Rational(q) for e, q in zip(states, problem.point, strict=True)]
    found: dict[sp.Symbol, sp.Rational] = {}
    while len(found) < len(symbols):
        left = [sp.numer(sp.together(e.xreplace(found))) for e in left]
        single = [e for e in left if len(e.free_symbols) == 1]
        if not single:
            raise NotSolved
        equation = min(single, key=sp.count_ops)
        (symbol,) = equation.free_symbols
        roots = sp.roots(equation, symbol, filter="Q")
        if len(roots) != 1:
            raise NotSolved
        found[symbol] = next(iter(roots))
    return [fmpq(int(found[s].p), int(found[s].q)) for s in symbols]


def _place_of(table: Appended, e: sp.Expr, places: Mapping[str, int]) -> int:
    """The place of a rational function of symbols and parameters; NotSolved for any other."""
    if isinstance(e, sp.Rational):
        return table.multiple(fmpq(int(e.p), int(e.q)), [])
    if isinstance(e, sp.Symbol) and e.name in places:
        return places[e.name]
    if isinstance(e, sp.Add):
        return table.total([(fmpq(1), _place_of(table, part, places)) for part in e.args])
    if isinstance(e, sp.Mul | sp.Pow):
        powers = [part.as_base_exp() for part in sp.Mul.make_args(e)]
        if all(power.is_Integer for _, power in powers):
            return table.product(*((_place_of(table, base, places), int(power)) for base, power in powers))
    raise NotSolved
