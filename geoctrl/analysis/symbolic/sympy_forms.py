"""Formulas and rational functions as what a person reads: sympy relations and expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._scalars import Node, to_sympy
from geoctrl.analysis.symbolic.formulas import All, Either, Formula, Nonzero, Polynomial, Positive
from geoctrl.analysis.symbolic.rational_functions import RationalField, RationalFunction
from geoctrl.analysis.symbolic.sign_arrays import Generator
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns

__all__ = ["Reader", "consistent_conditions", "size", "undecided_where"]

DIGITS = 17
"""Of a whole number that is written as it is; a double shows as many."""


def size(formula: Formula) -> int:
    """Number of terms in a formula."""
    if isinstance(formula, bool):
        return 0
    if isinstance(formula, All | Either):
        return sum(map(size, formula.parts))
    factors = formula.factors if isinstance(formula, Positive) else (formula.factor,)
    return sum(len(p.terms) for p in factors)


def _of_readable_size(p: Polynomial) -> Polynomial:
    """A polynomial of the same sign: without the content of its coefficients and, where these are longer than
    a double shows, over a power of ten that makes the largest of them a few units.
    """
    numbers = [c for _, c in p.terms]
    above, below = gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers))
    size = Fraction(above, below)
    if (digits := len(str(max(abs(c / size).numerator for c in numbers))) - 1) > DIGITS:
        size *= 10**digits
    return Polynomial(tuple((exponents, c / size) for exponents, c in p.terms))


class Reader:
    """Expressions of a field in sympy symbols.

    Parameters
    ----------
    names : dict of symbol node -> sympy.Symbol
    sorted_by : symbols by which sums are collected
    """

    def __init__(
        self, field: RationalField, names: Mapping[Node, sp.Symbol], sorted_by: Sequence[sp.Symbol]
    ) -> None:
        self.field, self._names, self._sorted_by = field, names, list(sorted_by)
        self._generators = to_sympy(field.generators, names)
        self._signs = KnownSigns(field)

    def polynomial(self, p: Polynomial) -> sp.Expr:
        """A polynomial, expanded."""
        terms = (
            sp.Mul(sp.Rational(c.numerator, c.denominator), *(x**e for x, e in self._powers(exponents)))
            for exponents, c in p.terms
        )
        return sp.Add(*terms)

    def _powers(self, exponents: Sequence[int]) -> list[tuple[sp.Expr, int]]:
        return [(x, e) for x, e in zip(self._generators, exponents, strict=False) if e]

    def quotient(self, q: RationalFunction) -> sp.Expr:
        """A rational function, in factors."""
        return self._factorisation(q.top) / self._factorisation(q.below)

    def _factorisation(self, p: Any) -> sp.Expr:
        if not p:
            return sp.Integer(0)
        constant, factors = p.factor()
        powers = (self.polynomial(self._signs.polynomial(f)) ** int(k) for f, k in factors)
        return sp.Mul(sp.Rational(int(constant.p), int(constant.q)), *powers)

    def collected_expression(self, p: Polynomial) -> sp.Expr:
        """A polynomial sorted by the symbols that a reader looks for."""
        return sp.collect(self.polynomial(p), self._sorted_by)

    def relation(self, formula: Formula, turned: bool = False) -> Boolean:
        """A formula as a relation, or relations joined by "and" and "or".

        Parameters
        ----------
        turned : bool
            Collect the negative of what is positive, which is what must be positive elsewhere.
        """
        if isinstance(formula, bool):
            return sp.true if formula else sp.false
        if isinstance(formula, All):
            return sp.And(*(self.relation(p, turned) for p in formula.parts))
        if isinstance(formula, Either):
            return sp.Or(*(self.relation(p, turned) for p in formula.parts))
        if isinstance(formula, Nonzero):
            return sp.Ne(self.collected_expression(formula.factor), 0)
        return _positive(self._product(formula, turned))

    def _product(self, p: Positive, turned: bool) -> sp.Expr:
        factors = [_of_readable_size(factor) for factor in p.factors]
        if len(factors) > 1:
            return sp.Mul(p.sense, *map(self.collected_expression, factors))
        sense = -p.sense if turned else p.sense
        expr = sp.collect(sp.expand(sense * self.polynomial(factors[0])), self._sorted_by)
        return -expr if turned else expr

    def relations(self, formula: Formula, turned: bool = False) -> list[Boolean]:
        """A formula as relations that hold together, without those that are seen to hold of numbers."""
        parts = formula.parts if isinstance(formula, All) else (formula,)
        found = [self.relation(p, turned) for p in parts]
        return [r for r in found if r != sp.true] or [sp.true]

    def generators(self) -> tuple[Generator, ...]:
        """What the generators of the field stand for."""
        found = []
        for i, node in enumerate(self.field.generators):
            square = self.field.squares.get(i)
            name = node.payload if node.kind == "sym" else ""
            function, arguments = self.field.functions.get(i, ("", []))
            found.append(
                Generator(
                    name=name,
                    square=None if square is None else self._pair(square),
                    function="" if node.kind == "sym" or square is not None else function or node.payload[0],
                    arguments=tuple(map(self._pair, arguments)),
                )
            )
        return tuple(found)

    def _pair(self, q: RationalFunction) -> tuple[Polynomial, Polynomial]:
        return self._signs.polynomial(q.top), self._signs.polynomial(q.below)


def _positive(essential: sp.Expr) -> Boolean:
    """``essential > 0``, turned round where the expression starts with a minus sign."""
    return -essential < 0 if essential.could_extract_minus_sign() and essential.is_Mul else essential > 0


def consistent_conditions(unstable: Sequence[Boolean], stable: Sequence[Boolean]) -> list[Boolean]:
    """Conditions for instability without those that can never hold, since the family is stable throughout.

    Each is a strict inequality of continuous functions of the symbols, and would hold on an open set. There
    the family would be stable as well, but for a set without inner points on which a factor vanishes that
    was divided by.
    """
    return [] if list(stable) == [sp.S.true] else list(unstable)


def undecided_where(stable: Sequence[Boolean], unstable: Sequence[Boolean]) -> list[Boolean]:
    """What is neither stable nor unstable: relations that hold together, none where there is no such place.

    One of the conditions for stability fails, and so do all of those for instability.
    """
    if sp.S.true in unstable or list(stable) == [sp.S.true]:
        return []
    failing = sp.Or(*map(_negation, stable)) if stable else sp.S.true
    clauses = dict.fromkeys(c for c in (failing, *map(_negation, unstable)) if c != sp.S.true)
    found: list[Boolean] = []
    for clause in clauses:
        bound = _not_negative(clause)
        other = next((c for c in found if bound is not None and _not_negative(c) == sp.expand(-bound)), None)
        if other is None:
            found.append(clause)
        else:
            # e >= 0 and e <= 0
            found[found.index(other)] = sp.Eq(other.lhs - other.rhs, 0)
    return found or [sp.S.true]


def _negation(condition: Boolean) -> Boolean:
    """The contrary, in relations joined by "and" and "or"."""
    if isinstance(condition, (sp.And, sp.Or)):
        other = sp.Or if isinstance(condition, sp.And) else sp.And
        return other(*map(_negation, condition.args))
    return sp.Not(condition)


def _not_negative(clause: Boolean) -> sp.Expr | None:
    """The expression that a relation says not to be negative, expanded."""
    if not isinstance(clause, (sp.GreaterThan, sp.LessThan)):
        return None
    return sp.expand(clause.gts - clause.lts)
