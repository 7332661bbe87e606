"""Cofactors: how a function that vanishes is a sum of multiples of what is known to.

Division by the relations, in one order or the other, leaves nothing of such a function; its quotients are the
cofactors, written behind the problem's table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.ratio_writer import RatioWriter, length_in_factors
from geoctrl.decisions.functions.identities_by_division import Ratio

__all__ = ["Cofactor", "cofactors_of_rate", "cofactors_of_zero", "relations_of_leaf"]

Cofactor = list[str | int]
"""A relation of the leaf by its name, that of a function by its place, that of the k-th root of numbers as
-k; and the place of what it is multiplied by.
"""
Vanishing = tuple[list[tuple[str | int, int | None]], Ratio]
"""What vanishes: of which relations it is the sum, times what stands at places."""


def cofactors_of_rate(question: decisions.Question, table: Appended, name: str) -> list[Cofactor]:
    """Those of the rate of a function that the motion keeps; NotSolved where it is not seen to."""
    q = question
    place = (q.problem["leaf"] | q.problem["invariants"])[name]
    rate = q.rate([place, *q.problem["weights"].get(name, [])])
    return cofactors_of_zero(RatioWriter.of(q, table), table, rate, relations_of_leaf(q)) if rate else []


def cofactors_of_zero(
    writer: RatioWriter,
    table: Appended,
    zero: Ratio,
    further: Sequence[Vanishing] = (),
    on_leaf_alone: bool = False,
) -> list[Cofactor]:
    """Those of a function that vanishes; NotSolved where division leaves something of it.

    With ``on_leaf_alone``, those of relations of functions are left out: their squares are put in at once.
    """
    F = zero.field
    divided = [_division(zero.top, relations) for relations in (F.relations, F.relations[::-1])]
    exact = [quotients for rest, quotients in divided if not rest]
    if not exact:
        raise NotSolved
    known = [made.top for _, made in further]
    if on_leaf_alone:
        exact = [[row for row in rows if row[0] in known] for rows in exact]
    quotients = min(exact, key=lambda rows: sum(length_in_factors(quotient) for _, quotient in rows))
    vanishing = [*further, *_relations_of_functions(writer, F)] if quotients else []
    found: list[Cofactor] = []
    for relation, quotient in quotients:
        rows, made = next((rows, made) for rows, made in vanishing if made.top == relation)
        place = writer(Ratio(F, quotient, zero.below, 0) * writer.denominator(made))
        found += [[key, place if p is None else table.product((place, 1), (p, 1))] for key, p in rows]
    return found


def relations_of_leaf(q: decisions.Question) -> list[Vanishing]:
    """What vanishes on the leaf."""
    F, leaf = q.functions, q.problem["leaf"]
    found: list[Vanishing] = [([(name, None)], q.ratios([place])[0]) for name, place in leaf.items()]
    for row in q.problem.get("consequences", []):
        terms = (q.ratios([p])[0] * q.ratios([leaf[name]])[0] for name, p in row.items())
        found.append((list(row.items()), sum(terms, F.number(fmpq(0)))))
    return found


def _relations_of_functions(writer: RatioWriter, F: Any) -> Iterator[Vanishing]:
    for i, (name, arguments) in list(F.made.items()):
        y = Ratio(F, F.gens[i], {}, 1)
        if name == "sqrt":
            yield [(writer.root(i), None)], y * y - arguments[0]
        elif name in ("sin", "cos"):
            z = F.function("cos" if name == "sin" else "sin", arguments[0])
            yield [(writer.function(i), None)], y * y + z * z - 1


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
