"""Matrices: products, inverses that are given, and those that are certainly positive definite."""

from __future__ import annotations

from flint import arb, ctx, fmpq

from geoctrl.checker.limits import Refusal, spend
from geoctrl.checker.numbers import BITS, Number, ball

Rows = list[list[Number]]


def product(a: Rows, b: Rows) -> Rows:
    """a b, without the terms that are zero."""
    spend()
    if any(len(row) != len(b) for row in a):
        raise Refusal("matrices do not fit each other")
    return [
        [sum((p * q for p, q in zip(row, c, strict=True) if p and q), fmpq(0)) for c in transpose(b)]
        for row in a
    ]


def transpose(a: Rows) -> Rows:
    """Rows as columns."""
    return [list(column) for column in zip(*a, strict=True)]


def require_inverse(a: Rows, given: Rows, size: int, path: str) -> Rows:
    """What is given as the inverse of a square matrix with so many columns, refused where it is none."""
    if len(a) != size or product(given, a) != [[fmpq(i == j) for j in range(size)] for i in range(size)]:
        raise Refusal("it is not the inverse of the matrix", path)
    return given


def positive_definite(a: Rows) -> bool:
    """Whether all pivots of a symmetric matrix are certainly positive."""
    with ctx.workprec(BITS):
        rows: list[list[arb]] = [[ball(q) for q in row] for row in a]
        while rows and rows[0][0] > 0:
            spend()
            (pivot, *first), *others = rows
            rows = [[c - row[0] / pivot * q for c, q in zip(row[1:], first, strict=True)] for row in others]
        return not rows
