"""Quadratic functions of a certificate in numbers of few digits, and the rates at which they fall or grow."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb_mat, ctx, fmpq

from geoctrl.checker.definite import Rows, positive_definite, product
from geoctrl.checker.numbers import Number, ball
from geoctrl.checker.verdicts import rate
from geoctrl.errors import CertificateError
from geoctrl.rocq.witnesses.rounding import BITS, dyadic, exponent

DIGITS = (20, 48, 80)
"""Of the entries of a form: the first that are enough are taken, and all where none are."""
HALVINGS = 400
"""Of a rate until the function falls at it."""


def shorter_tables(*tables: Rows) -> Iterator[list[Rows]]:
    """Tables next to some, of few digits first, at last these."""
    for digits in DIGITS:
        yield [[[dyadic(q, digits) for q in row] for row in rows] for rows in tables]
    yield list(tables)


def scale(rows: Rows) -> fmpq:
    """The power of two with which the largest entry is next to one."""
    return fmpq(2) ** -max((exponent(ball(q)) for row in rows for q in row if q), default=0)


def scaled_rows(rows: Rows) -> Rows:
    """Rows times one power of two, with which their largest entry is next to one."""
    unit = scale(rows)
    return [[unit * q for q in row] for row in rows]


def falling_rate(P: Rows, B: Rows) -> fmpq:
    """A short a > 0 at which a form falls with room to spare, -(P B + B'P) > 2 a P."""
    fall = [[-c for c in row] for row in rate(P, B, fmpq(0))]
    a = min((dyadic(ball(row[i]) / ball(P[i][i]), 3) for i, row in enumerate(fall)), default=fmpq(0))
    for _ in range(HALVINGS if a > 0 else 0):
        less = [[c - 2 * a * p for c, p in zip(*rows, strict=True)] for rows in zip(fall, P, strict=True)]
        if positive_definite(less):
            return a
        a = a / 2
    raise CertificateError("the quadratic function is not seen to fall at a rate")


def weights_of_levels(P: Rows, B: Rows, E: Rows, m: Number) -> list[fmpq]:
    """w for which y.P y - sum w c^2 grows as y.P y does, where y' = B y + E c and c' = 0.

    With G = P (B - m) + (B - m)'P > 0 that is [[G, P E], [E'P, 2 m w]] > 0, which holds where each 2 m w
    exceeds its entry of the diagonal of E'P G^-1 P E times their number.
    """
    with ctx.workprec(BITS):
        G, image = (
            arb_mat([[ball(c) for c in row] for row in rows]) for rows in (rate(P, B, m), product(P, E))
        )
        try:
            needed = image.transpose() * G.solve(image)
        except ZeroDivisionError:
            raise CertificateError("the function is not seen to grow at a rate") from None
        bounds = [needed[j, j] * needed.nrows() / ball(m) for j in range(needed.nrows())]
        return [fmpq(2) ** max(exponent(bound) + 1, 0) if bound.mid() != 0 else fmpq(1) for bound in bounds]
