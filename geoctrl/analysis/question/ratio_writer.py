"""Rational functions of a question, written as nodes behind its table."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker.polynomials import Ratio

__all__ = ["RatioWriter"]

_PARTNER = {"sin": "cos", "cos": "sin"}


class RatioWriter:
    """Writes what a question knows as rational functions of generators, these by the nodes that they stand
    for.

    Parameters
    ----------
    question : checker.Question
    table : Appended
    """

    def __init__(self, question: checker.Question, table: Appended) -> None:
        self._question, self._table = question, table
        F = question.functions
        self._numbers = {str(g): i for i, g in enumerate(F.gens)}
        moving = (self._numbers[str(x.top)] for x in F.variables)
        self._places: dict[int, int] = dict(zip(moving, question.moving_places, strict=True))
        self._multiples: dict[int, tuple[fmpq, int]] = {}
        for place, node in enumerate(question.table):
            if node[0] == "fun" and node[1] != "select":
                with suppress(checker.Refusal):
                    self._meet(place)

    def _meet(self, place: int) -> None:
        """Note the generator that a function is, or is a multiple of."""
        (result,) = self._question.ratios([place])
        if result.below or len(result.top) != 1:
            return
        ((exponents, c),) = result.top.terms()
        if sum(map(int, exponents)) == 1:
            i = next(i for i, e in enumerate(exponents) if e)
            self._multiples.setdefault(i, (c, place))
            if c == 1:
                self._places.setdefault(i, place)

    def __call__(self, ratio: Ratio) -> int:
        """The place of a function."""
        factors = self._question.functions.factors
        below = [(self.polynomial(factors[k].top), -e) for k, e in ratio.below.items()]
        return self._table.product((self.polynomial(ratio.top), 1), *below)

    def polynomial(self, p: Any) -> int:
        """The place of a polynomial; NotSolved where a generator stands for no node."""
        for i in {i for exponents, _ in p.terms() for i, e in enumerate(exponents) if e}:
            self.function(i)
        return self._table.polynomial(p, self._places)

    def function(self, i: int) -> int:
        """The place of a generator."""
        if i not in self._places:
            self._places[i] = self._node(i)
        return self._places[i]

    def root(self, i: int) -> int:
        """The place of the node of which a root is a multiple; of the k-th root of numbers -k."""
        if i in self._multiples:
            return self._multiples[i][1]
        return -1 - self._turn(i)

    def denominator(self, ratio: Ratio) -> Ratio:
        """The denominator of a function, as one."""
        F = self._question.functions
        return F.scaled(F.number(fmpq(1)), ratio.below)

    def _node(self, i: int) -> int:
        """A generator that no node is: one of which a node is a multiple, or whose partner one is; a root."""
        if i in self._multiples:
            c, place = self._multiples[i]
            return self._table.total([(1 / c, place)])
        F = self._question.functions
        name, arguments = F.made.get(i, ("", ()))
        if name in _PARTNER:
            beside = F.function(_PARTNER[name], arguments[0])
            partner = self._places.get(self._numbers[str(beside.top)])
            if partner is None:
                raise NotSolved
            return self._table.function(name, self._question.table[partner][2][0])
        return self._table.root(self._turn(i))

    def _turn(self, i: int) -> int:
        """Which of the roots of numbers a generator is."""
        q, (name, arguments) = self._question, self._question.functions.made.get(i, ("", ()))
        for turn, root in enumerate(q.problem["roots"].roots):
            if name == "sqrt" and not (q.functions.number(root.radicand) - arguments[0]).top:
                return turn
        raise NotSolved
