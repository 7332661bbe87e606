"""Quadratic functions that fall or grow at a rate along a linear field, and the roots that tell the rate."""

from __future__ import annotations

from collections.abc import Sequence

from flint import acb_mat, arb, arb_mat, ctx, fmpq

from geoctrl.checker.matrices import ball_solved
from geoctrl.checker.surds import ball, middle
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression_jets import Rows
from geoctrl.rocq.witnesses.rounding import BITS, dyadic, exponent

DIGITS = (20, 48, 80)
"""Of the entries of a form: the first that are enough are taken."""
SWEEPS = 30
"""Of rows and columns in balancing."""


def real_parts(A: Rows) -> list[arb]:
    """Real parts of the eigenvalues, the largest first, to so many digits as nobody needs."""
    with ctx.workprec(BITS):
        near = acb_mat([[ball(q) for q in row] for row in A])
        found = [root.real.mid() for root in near.eig(algorithm="approx")]
    return sorted(found, key=lambda x: middle(x), reverse=True)


def lyapunov_form(A: Rows, shift: fmpq, sign: int, digits: int) -> Rows | None:
    """P with B'P + PB = sign T^-2 for B = A + shift, its largest entry next to one; T balances A.

    None where the equation is singular.
    """
    n = len(A)
    with ctx.workprec(BITS):
        own = [[ball(A[i][j]) + (arb(shift) if i == j else 0) for j in range(n)] for i in range(n)]
        scale = _balance(own)
        B = [[own[i][j] * scale[j] / scale[i] for j in range(n)] for i in range(n)]
        pairs = [(i, j) for i in range(n) for j in range(i, n)]
        place = {pair: k for k, pair in enumerate(pairs)}
        matrix = arb_mat(len(pairs), len(pairs))
        for k, (i, j) in enumerate(pairs):
            for m in range(n):  # (B'P + PB)_ij = sum B_mi P_mj + P_im B_mj
                for other, factor in (((m, j), B[m][i]), ((i, m), B[m][j])):
                    at = place[min(other), max(other)]
                    matrix[k, at] = matrix[k, at] + factor
        right = arb_mat(len(pairs), 1, [arb(sign if i == j else 0) for i, j in pairs])
        try:
            solved = ball_solved(matrix, right)
        except ZeroDivisionError:
            return None
        form = {p: solved[k, 0] / (scale[p[0]] * scale[p[1]]) for p, k in place.items()}
        most = max((exponent(x) for x in form.values() if x.mid() != 0), default=0)
        return [
            [dyadic(form[min(i, j), max(i, j)].mid() * arb(2) ** -most, digits) for j in range(n)]
            for i in range(n)
        ]


def _balance(A: Sequence[Sequence[arb]]) -> list[arb]:
    """Powers of two t for which rows and columns of A_ij t_j / t_i are of one size (Osborne)."""
    n = len(A)
    t = [0] * n
    sizes = [[exponent(x) if x.mid() != 0 else None for x in row] for row in A]
    for _ in range(SWEEPS):
        moved = False
        for i in range(n):
            row = [s + t[j] - t[i] for j, s in enumerate(sizes[i]) if s is not None and j != i]
            column = [s + t[i] - t[j] for j, s in enumerate(r[i] for r in sizes) if s is not None and j != i]
            if row and column and (step := (max(row) - max(column)) // 2):
                t[i] += step
                moved = True
        if not moved:
            break
    return [arb(2) ** e for e in t]


def positive_direction(P: Rows) -> list[fmpq] | None:
    """A direction in which a form is positive, in a few digits; None where none is found."""
    n = len(P)
    with ctx.workprec(BITS):
        values, vectors = acb_mat([[arb(q) for q in row] for row in P]).eig(right=True, algorithm="approx")
        best = max(range(n), key=lambda k: middle(values[k].real.mid()))
        if not middle(values[best].real.mid()) > 0:
            return None
        found = [vectors[i, best].real.mid() for i in range(n)]
    largest = max(found, key=lambda x: abs(middle(x)))
    with ctx.workprec(BITS):
        ratios = [(x / largest).mid() for x in found]
    return [dyadic(x, 8) if abs(middle(x)) > fmpq(1, 1000) else fmpq(0) for x in ratios]


def number_between(low: arb, high: arb, part: fmpq) -> fmpq:
    """A short number between two."""
    with ctx.workprec(BITS):
        target = low + arb(part) * (high - low)
        for digits in (3, 6, 12, 24, 48):
            found = dyadic(target.mid(), digits)
            if middle(low) < found < middle(high):
                return found
    raise CertificateError("two roots lie too close to each other for a rate between them")
