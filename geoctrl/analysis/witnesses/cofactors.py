"""Cofactors: how the rate of a function that is kept is a sum of multiples of what vanishes.

Division by the relations, in one order or the other, leaves nothing of the rate of such a function; its
quotients are the cofactors, written behind the problem's table as functions of states and unknowns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.checker.polynomials import Ratio

__all__ = ["Cofactors"]

Cofactor = list[str | int]
"""A relation of the leaf by its name, that of a function by its place, that of the k-th root of numbers as
-k; and the place of what it is multiplied by.
"""


class Cofactors:
    """Cofactors of the functions of a question.

    Parameters
    ----------
    question : checker.Question
    table : Appended
        Where they are written.
    """

    def __init__(self, question: checker.Question, table: Appended) -> None:
        self._question, self._table = question, table
        self._writer = RatioWriter(question, table)

    def of_rate(self, name: str) -> list[Cofactor]:
        """Those of the rate of a function; NotSolved where division leaves something."""
        q = self._question
        place = (q.problem["leaf"] | q.problem["invariants"])[name]
        rate = q.rate([place, *q.problem["weights"].get(name, [])])
        for relations in (q.functions.relations, q.functions.relations[::-1]):
            rest, quotients = _division(rate.top, relations)
            if not rest:
                found = [self._rows(relation, quotient, rate) for relation, quotient in quotients]
                return [row for rows in found for row in rows]
        raise NotSolved

    def _rows(self, relation: Any, quotient: Any, rate: Ratio) -> list[Cofactor]:
        """The cofactors of relations of which one is made, quotient * relation being a part of the numerator
        of a rate.
        """
        rows, vanishing = next((rows, made) for rows, made in self._vanishing() if made.top == relation)
        multiple = Ratio(rate.field, quotient, rate.below, 0) * self._writer.denominator(vanishing)
        place = self._writer(multiple)
        return [
            [key, place if beside is None else self._table.product((place, 1), (beside, 1))]
            for key, beside in rows
        ]

    def _vanishing(self) -> Iterator[tuple[list[tuple[str | int, int | None]], Ratio]]:
        """What vanishes: of which relations it is the sum, times what stands at places."""
        q, F = self._question, self._question.functions
        for name, place in q.problem["leaf"].items():
            yield [(name, None)], q.ratios([place])[0]
        for row in q.problem.get("consequences", []):
            terms = (q.ratios([p])[0] * q.ratios([q.problem["leaf"][name]])[0] for name, p in row.items())
            yield list(row.items()), sum(terms, F.number(fmpq(0)))
        for i, (name, arguments) in F.made.items():
            y = Ratio(F, F.gens[i], {}, 1)
            if name == "sqrt":
                yield [(self._writer.root(i), None)], y * y - arguments[0]
            elif name in ("sin", "cos"):
                z = F.function("cos" if name == "sin" else "sin", arguments[0])
                yield [(self._writer.function(i), None)], y * y + z * z - 1


def _division(top: Any, relations: Sequence[Any]) -> tuple[Any, list[tuple[Any, Any]]]:
    """What repeated division leaves, and relations with their quotients."""
    before = None
    quotients: dict[int, Any] = {}
    while top and top != before:
        before = top
        for k, relation in enumerate(relations):
            quotient, top = divmod(top, relation)
            quotients[k] = quotients[k] + quotient if k in quotients else quotient
    return top, [(relations[k], quotient) for k, quotient in quotients.items() if quotient]
