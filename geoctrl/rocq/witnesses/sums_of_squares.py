"""Witnesses of a positive form: S + K (squares of linear forms) = 2 c |x|^2 + sum d l^2 + a small rest.

The rest has coefficients of absolute values that add up to c at most, so that K, c, d and l are short dyadic
numbers: the exact ones would cost Rocq most of its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.numbers import ball
from geoctrl.rocq.terms.expression_jets import Row, Rows
from geoctrl.rocq.witnesses.rounding import BITS, dyadic, exponent, power_of_two_below

DIGITS = (6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256)
"""Of the numbers in squares, until the rest is small enough."""
POWERS = range(-10, 80)
"""Of two, for the weight of the linear forms."""
LEAST = 1e-40
"""Eigenvalue of a form with a unit diagonal from which it is worth a try."""


class Squares(NamedTuple):
    """Weight of the linear forms, slack, and squares: weights with rows."""

    weight: fmpq
    slack: fmpq
    squares: list[tuple[fmpq, list[fmpq]]]


def sum_of_squares(S: Rows, forms: Sequence[Row]) -> Squares | None:
    """Squares for a symmetric matrix that is positive where linear forms vanish; None where it is not."""
    n, forms = len(S), [row for row in forms if any(row)]
    with ctx.workprec(BITS):
        near = arb_mat([[ball(q) for q in row] for row in S])
        rows = [[ball(q) for q in row] for row in forms]
        bound = arb_mat(n, n, [sum((r[i] * r[j] for r in rows), arb(0)) for i in range(n) for j in range(n)])
        weights = [fmpq(0), *(fmpq(2) ** k for k in POWERS)] if forms else [fmpq(0)]
        # One step further than the first is better conditioned.
        found = [(K, least) for K in weights if (least := _least(near + bound * arb(K))) is not None][:2]
        for K, least in reversed(found):
            slack = power_of_two_below(least / 8)
            form = near + bound * arb(K) - _unit(n, 2 * arb(slack))
            if (pivots := _pivots(form)) is not None and (
                made := _rounded_squares(S, forms, K, slack, pivots)
            ):
                return made
    return None


def _unit(n: int, size: arb) -> arb_mat:
    return arb_mat(n, n, [size if i == j else arb(0) for i in range(n) for j in range(n)])


def _least(A: arb_mat) -> arb | None:
    """A bound of the least eigenvalue from below, None where it is not well above zero."""
    n = A.nrows()
    if not all(A[i, i] > 0 for i in range(n)):
        return None
    scale = [arb(2) ** -(exponent(A[i, i]) // 2) for i in range(n)]
    scaled = arb_mat(n, n, [A[i, j] * scale[i] * scale[j] for i in range(n) for j in range(n)])
    if _pivots(scaled) is None:
        return None
    least = 1 / scaled.inv().trace()  # the trace of the inverse bounds its largest eigenvalue
    if not least > LEAST:
        return None
    widest = max(scale, key=lambda s: exponent(s))
    return least / (widest * widest)


def _pivots(A: arb_mat) -> list[tuple[arb, list[arb]]] | None:
    """A = sum d l l^T with d > 0, None where it is not certainly positive definite."""
    n, rows, found = A.nrows(), A.tolist(), []
    for k in range(n):
        d = rows[k][k]
        if not d > 0:
            return None
        row = [arb(0)] * k + [rows[k][j] / d for j in range(k, n)]
        for i in range(k + 1, n):
            for j in range(k, n):
                rows[i][j] = rows[i][j] - d * row[i] * row[j]
        found.append((d, row))
    return found


def _rounded_squares(
    S: Rows, forms: Sequence[Row], K: fmpq, slack: fmpq, pivots: list[tuple[arb, list[arb]]]
) -> Squares | None:
    """Squares of as few digits as leave a rest that the slack takes up for certain."""
    n = len(S)
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    exact = {}
    for i, j in pairs:
        linear = sum((r[i] * r[j] for r in forms if r[i] and r[j]), fmpq(0)) if K else fmpq(0)
        exact[i, j] = S[i][j] + K * linear - (2 * slack if i == j else 0)
    for digits in DIGITS:
        squares = [(dyadic(d, digits), [dyadic(v, digits) for v in row]) for d, row in pivots]
        rest = arb(0)
        for i, j in pairs:
            own = sum((d * row[i] * row[j] for d, row in squares if row[i] and row[j]), fmpq(0))
            rest += abs(ball(exact[i, j] - own)) * (1 if i == j else 2)
        if rest <= slack and all(d >= 0 for d, _ in squares):
            return Squares(K, slack, squares)
    return None
