"""Rational functions of generators, written as nodes behind a problem's table."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from flint import fmpq

from geoctrl import checker, decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.decisions.arithmetic.tower import Surds
from geoctrl.decisions.functions.derivatives import Jet
from geoctrl.decisions.functions.identities_by_division import Functions, Ratio

__all__ = ["RatioWriter", "length_in_factors"]


MOST_TERMS = 2_000
"""Of polynomials that are factored."""


class RatioWriter:
    """Writes functions by the nodes that variables and generators stand for.

    Parameters
    ----------
    table : Appended
    functions : Functions
    variables : sequence of int
        Places of its variables.
    known : mapping of place -> Jet
        Nodes as functions.
    roots : Surds
        Of the numbers.
    factored : bool
        Whether polynomials are written in factors.
    """

    def __init__(
        self,
        table: Appended,
        functions: Functions,
        variables: list[int],
        known: Mapping[int, Jet],
        roots: Surds,
        factored: bool = False,
    ) -> None:
        self._factored = factored
        self._table, self._functions, self._roots = table, functions, roots
        self._numbers = {str(g): i for i, g in enumerate(functions.gens)}
        of_variables = (self._numbers[str(x.top)] for x in functions.variables)
        self._places: dict[int, int] = dict(zip(of_variables, variables, strict=True))
        self._multiples: dict[int, tuple[fmpq, int]] = {}
        for place, jet in known.items():
            if table.rows[place][0] == "fun" and table.rows[place][1] != "select":
                self._note(place, jet.value)

    @classmethod
    def of(cls, question: decisions.Question, table: Appended) -> RatioWriter:
        """For functions of states and unknowns of a question."""
        for place, node in enumerate(question.table):
            if node[0] == "fun":
                with suppress(checker.Refusal):
                    question.ratios([place])
        F = question.functions
        return cls(table, F, question.moving_places, question.still, question.problem["roots"], factored=True)

    def _note(self, place: int, value: Any) -> None:
        """Note the generator that a node is, or is a multiple of."""
        if value.below or len(value.top) != 1:
            return
        ((exponents, c),) = value.top.terms()
        if sum(map(int, exponents)) == 1:
            i = next(i for i, e in enumerate(exponents) if e)
            self._multiples.setdefault(i, (c, place))
            if c == 1:
                self._places.setdefault(i, place)

    def __call__(self, ratio: Ratio) -> int:
        """The place of a function."""
        factors = self._functions.factors
        below = [(self.polynomial(factors[k].top), -e) for k, e in ratio.below.items()]
        return self._table.product((self.polynomial(ratio.top), 1), *below)

    def polynomial(self, p: Any) -> int:
        """The place of a polynomial; NotSolved where a generator stands for no node."""
        for i in {i for exponents, _ in p.terms() for i, e in enumerate(exponents) if e}:
            self.function(i)
        if not self._factored or not 1 < len(p) <= MOST_TERMS:
            return self._table.polynomial(p, self._places)
        c, factors = p.factor()
        return self._table.multiple(
            fmpq(c), [(self._table.polynomial(f, self._places), int(e)) for f, e in factors]
        )

    def function(self, i: int) -> int:
        """The place of a generator."""
        if i not in self._places:
            self._places[i] = self._node(i)
        return self._places[i]

    def function_node(self, i: int) -> int:
        """The place of a generator, written as the function that it is, not as a multiple of another node."""
        name, arguments = self._functions.made[i]
        return self._table.function(name, *map(self, arguments))

    def root(self, i: int) -> int:
        """The place of the node of which a root is a multiple; of the k-th root of numbers -k."""
        return self._multiples[i][1] if i in self._multiples else -1 - self._turn(i)

    def denominator(self, ratio: Ratio) -> Ratio:
        """The denominator of a function, as one."""
        F = self._functions
        return F.scaled(F.number(fmpq(1)), ratio.below)

    def _node(self, i: int) -> int:
        """A generator that no node is: one of which a node is a multiple, a function, a root of numbers."""
        if i in self._multiples:
            c, place = self._multiples[i]
            return self._table.total([(1 / c, place)])
        if self._functions.made.get(i, ("sqrt", ()))[0] == "sqrt":
            return self._table.root(self._turn(i))
        return self.function_node(i)

    def _turn(self, i: int) -> int:
        """Which of the roots of numbers a generator is."""
        _, arguments = self._functions.made.get(i, ("", ()))
        for turn, root in enumerate(self._roots.roots):
            if arguments and not (self._functions.number(root.radicand) - arguments[0]).top:
                return turn
        raise NotSolved


def length_in_factors(p: Any) -> int:
    """Terms of a polynomial in factors, as it is written."""
    return sum(len(f) for f, _ in p.factor()[1]) if 1 < len(p) <= MOST_TERMS else len(p)
