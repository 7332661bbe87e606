r"""Riccati's equation with as many digits as it takes, for pairs in rational numbers.

The Hamiltonian matrix

.. math:: H = \begin{pmatrix} A & -B R^{-1} B^T \\ -Q & -A^T \end{pmatrix}

has the sign :math:`Z = \lim Z_k`, :math:`Z_{k+1} = (c_k Z_k + (c_k Z_k)^{-1})/2`, :math:`Z_0 = H`, and what
decays of its motions is the kernel of Z + 1, spanned by :math:`(1, S)` with the stabilising solution S
(Roberts, 1971). A mode that decays slowly beside the fastest costs digits and steps by the logarithm of their
ratio, and no more: in doubles nothing is left of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from geoctrl._calls.long_calls import tell
from geoctrl._scalars.arithmetic.ball_matrices import ball_identity
from geoctrl.analysis.linear.controllability import Controllability
from geoctrl.analysis.linear.subspaces import EXACT
from geoctrl.errors import ConvergenceError
from geoctrl.synthesis.linear.scaled_pair import PairUnits, without_chatter

__all__ = ["precise_gain", "precise_law"]

_BITS, _MOST_BITS = 512, 2048
"""Digits at first and at most: doubled while the equation is not solved."""
_STEPS = 40
"""Of the iteration; besides one for each two bits, as ratios of modes may be."""
_RESIDUAL = 2.0**-160
"""Relative to the largest term: the gain is then right in all digits of a double, unless something decays
2^100 times slower than the fastest."""

Matrix = np.ndarray
"""Of Fractions."""


def precise_law(reached: Controllability, Q: np.ndarray, R: np.ndarray, units: PairUnits) -> np.ndarray:
    """The gain (m, n) of deviations by weights of them and of inputs, to the last digits of doubles."""
    part = reached.part
    d = EXACT.numbers(part.sizes)
    A, B, basis, coordinates = map(EXACT.numbers, (part.A, reached.drive, part.basis, reached.share))
    basis, coordinates = d[:, None] * basis, coordinates / d
    Q, R = EXACT.numbers(Q), EXACT.numbers(R)
    K = precise_gain(A, B, basis.T @ Q @ basis, R) @ coordinates
    law = without_chatter(np.array(K, dtype=float), units.states)
    if not EXACT.hurwitz(A - B @ EXACT.numbers(law) @ basis):
        raise ConvergenceError(
            "the loop of the optimal gain, rounded to doubles, does not decay: something in it decays by "
            "less than 1e-16 of the fastest; leave out what is so slow, or give it a weight of its own"
        )
    return law


def precise_gain(A: Matrix, B: Matrix, Q: Matrix, R: Matrix) -> Matrix:
    r""":math:`K = R^{-1} B^T S` in Fractions: the pair can be stabilised, and Q sees what lasts."""
    bits = _BITS
    tell("Riccati's equation in exact numbers")
    while bits <= _MOST_BITS:
        with ctx.workprec(bits):
            found = _gain(*map(_balls, (A, B, Q, R)))
        if found is not None:
            return found
        bits *= 2
    raise ConvergenceError(
        f"Riccati's equation is not solved with {_MOST_BITS} bits: the weights are too far apart. Take those "
        "of comparable deviations, Q = {label: 1/largest**2} and R likewise"
    )


def _balls(matrix: Matrix) -> arb_mat:
    rows, columns = matrix.shape
    return arb_mat(rows, columns, [arb(fmpq(q.numerator, q.denominator)) for q in matrix.flat])


def _gain(A: arb_mat, B: arb_mat, Q: arb_mat, R: arb_mat) -> Matrix | None:
    """The gain in numbers of the precision at hand; None where they do not solve the equation."""
    n = A.nrows()
    try:
        to_gain = R.solve(B.transpose()).mid()
        H = _blocks(A, -(B * to_gain), -Q, -A.transpose()).mid()
        Z = _sign(H)
        if Z is None:
            return None
        one = ball_identity(2 * n)
        left, right = _columns(Z + one, n, 2 * n), _columns(Z + one, 0, n)
        S = (left.transpose() * left).mid().solve(-(left.transpose() * right)).mid()
    except ZeroDivisionError:
        return None
    S = ((S + S.transpose()) * arb(0.5)).mid()
    K = (to_gain * S).mid()
    terms = A.transpose() * S, S * A, -(S * B * K), Q
    residual, largest = _largest(sum(terms[1:], terms[0])), max(map(_largest, terms))
    if not residual <= _RESIDUAL * largest:
        return None
    return np.array([_fraction(q) for q in K.entries()], dtype=object).reshape(K.nrows(), n)


def _sign(H: arb_mat) -> arb_mat | None:
    """Its sign, scaled by determinants; None where the iteration does not end."""
    Z, n = H, H.nrows()
    for _ in range(_STEPS + ctx.prec // 2):
        size = abs(Z.det()).mid()
        if not size > 0:
            return None
        c = (-(size.log()) / n).exp().mid()
        scaled = (Z * c).mid()
        further = ((scaled + scaled.inv().mid()) * arb(0.5)).mid()
        step, Z = _largest(further - Z), further
        if step <= arb(2) ** (-ctx.prec // 3) * _largest(Z):
            return Z
    return None


def _blocks(a: arb_mat, b: arb_mat, c: arb_mat, d: arb_mat) -> arb_mat:
    rows = [x + y for pair in ((a, b), (c, d)) for x, y in zip(*(m.tolist() for m in pair), strict=True)]
    return arb_mat(rows)


def _columns(matrix: arb_mat, start: int, end: int) -> arb_mat:
    return arb_mat([row[start:end] for row in matrix.tolist()])


def _largest(matrix: arb_mat) -> Any:
    return max((abs(e).mid() for e in matrix.entries()), default=arb(0))


def _fraction(ball: arb) -> Fraction:
    q = ball.mid().fmpq()
    return Fraction(int(q.p), int(q.q))
