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
    pairs = [[zip(row, column, strict=True) for column in zip(*b, strict=True)] for row in a]
    return [[sum((p * q for p, q in pair if p and q), fmpq(0)) for pair in row] for row in pairs]


def transpose(a: Rows) -> Rows:
    """Rows as columns."""
    return [list(column) for column in zip(*a, strict=True)]


def require_inverse(a: Rows, given: Rows, size: int, path: str) -> Rows:
    """What is given as the inverse of a square matrix with so many columns, refused where it is none."""
    unit = [[fmpq(i == j) for j in range(size)] for i in range(size)]
    if len(a) != size or product(given, a) != unit:
        raise Refusal("it is not the inverse of the matrix", path)
    return given


def positive_definite(a: Rows) -> bool:
    """Whether all pivots of a symmetric matrix are certainly positive."""
    with ctx.workprec(BITS):
        rows: list[list[arb]] = [[ball(q) for q in row] for row in a]
        while rows:
            spend()
            (pivot, *first), *others = rows
            if not pivot > 0:
                return False
            rows = [[c - row[0] / pivot * q for c, q in zip(row[1:], first, strict=True)] for row in others]
        return True
