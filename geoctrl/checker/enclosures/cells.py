"""Functions over cells of states, in balls: what no state changes, and what is solved for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from flint import arb_mat, ctx

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import BITS
from geoctrl.checker.question import Question
from geoctrl.checker.reader import children

BITS_OF_A_ROW = 10


def constants(q: Question, order: int) -> dict[int, Jet]:
    """Nodes that hold no state, and have a value."""
    numbers = Balls(order=order)
    found = {p: Jet({(): numbers.number(v)}, order) for p, v in q.values.items() if p not in q.states}
    for i, node in enumerate(q.table):
        if node[0] != "sym" and all(j in found for j in children(node)):
            with suppress(Refusal):  # told where it is wanted
                evaluate(q.table, [i], found, numbers)
    return found


def matrix(rows: Sequence[Sequence[Any]], columns: int) -> arb_mat:
    """Balls by rows."""
    return arb_mat(len(rows), columns, [x for row in rows for x in row])


def matrix_of(q: Question, entries: Sequence[Any]) -> arb_mat:
    """K, from the values of its entries."""
    K = arb_mat(len(q.unknowns), len(q.unknowns))
    for (i, j, _), value in zip(q.problem["matrix"], entries, strict=True):
        K[i, j] = value
    return K


def require_regular(q: Question, entries: Sequence[Any]) -> None:
    """Refused where K may be singular."""
    solution(matrix_of(q, entries), arb_mat(len(q.unknowns), 1))


def solution(A: arb_mat, right: arb_mat) -> arb_mat:
    """X of A X = right, both multiplied by what is next to the inverse of A; refused where A may be
    singular.

    With so many bits as `BITS_OF_A_ROW` for each row flint divides by pivots, whatever the units of unknowns
    are; with fewer its bounds hold for all unknowns alike, and of unlike sizes say little.
    """
    try:
        with ctx.workprec(max(ctx.prec, BITS_OF_A_ROW * (A.nrows() + 1))):
            near = A.mid().inv().mid()
            found = (near * A).solve(near * right)
    except ZeroDivisionError:
        raise Refusal("a matrix may be singular in the cell") from None
    require(all(c.is_finite() for c in found.entries()), "a matrix may be singular in the cell")
    return found


def inverse(A: arb_mat) -> arb_mat:
    """Of a matrix, with the bits of the core, which tell rows of unlike units apart."""
    with ctx.workprec(BITS):
        return A.inv()
