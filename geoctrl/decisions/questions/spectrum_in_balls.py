r"""The side of the axis on which the roots of a matrix of balls lie, in three ways, each of which is certain.

The first column of Routh's table, of the characteristic polynomial, is what exact matrices are asked for. Its
quotients widen with the degree: from about eighteen states on they may hold zero where the matrix is known to
thirty digits. Roots are enclosed then, one by one (R. S. Lehmer and others; F. Johansson, Arb, 2017). Where
they meet in a cluster, of which no digit is known for small radii, a form with :math:`P > 0` and
:math:`P A + A^T P < 0` says the same of all of them (Lyapunov).

All of it is asked in units, powers of two, in which rows and columns are of one size: no unit of the states
enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp
from typing import Any

from flint import acb, acb_mat, acb_poly, arb, arb_mat

from geoctrl.decisions.arithmetic.eliminations import left_of_axis
from geoctrl.decisions.arithmetic.tower import middle
from geoctrl.decisions.functions.derivatives import to_float
from geoctrl.decisions.reading.clock import require_time
from geoctrl.decisions.reading.problem_reader import Refusal

SWEEPS = 8
"""Through the states, while units are looked for."""


def grows(A: arb_mat, proposal: dict[str, Any], findings: dict[str, Any]) -> bool:
    """Whether the root next to the one that is proposed lies to the right; without a proposal False, where
    all roots lie to the left. Refusal where neither is certain.
    """
    polynomial = A.charpoly().coeffs()
    findings["rounded_polynomial"] = [to_float(middle(c)) for c in polynomial[::-1]]
    if "root" in proposal:
        findings["root"] = proposal["root"]
        if not (_has_root_to_the_right(polynomial, proposal["root"]) or _is_near_root(A, proposal["root"])):
            raise Refusal("it is not proved that a root lies to the right of the axis", "evidence.root")
        return True
    if not (left_of_axis(polynomial[::-1]) or _is_left_of_axis(A)):
        raise Refusal("it is not proved that all roots lie to the left of the axis", "evidence")
    return False


def positive(R: arb_mat) -> bool:
    """Whether a symmetric matrix is certainly positive definite: all pivots are."""
    rows = R.tolist()
    while rows:
        (pivot, *first), *rest = rows
        if not pivot > 0:
            return False
        rows = [[c - row[0] / pivot * b for c, b in zip(row[1:], first, strict=True)] for row in rest]
    return True


def _has_root_to_the_right(polynomial: list[arb], near: Sequence[float]) -> bool:
    """Within d |p/p'| of any number lies a root of p, of the degree d."""
    p, at = acb_poly(polynomial), acb(*near)
    distance = (len(polynomial) - 1) * abs(p(at)) / abs(p.derivative()(at))
    return bool(at.real - distance > 0)


def _is_near_root(A: arb_mat, near: Sequence[float]) -> bool:
    """Whether a number is nearer to a root to the right than that to the axis."""
    return any(root.real > 0 and abs(root - acb(*near)) < root.real for root in _roots(A))


def _is_left_of_axis(A: arb_mat) -> bool:
    """By all roots one by one, or by a form that falls."""
    if found := _roots(A):
        return all(root.real < 0 for root in found)
    return _falls(_in_even_units(A))


def _roots(A: arb_mat) -> list[acb]:
    """All of them, enclosed; none where they cannot be told from each other."""
    try:
        return list(acb_mat(_in_even_units(A)).eig(multiple=False))
    except ValueError:
        return []


def _in_even_units(A: arb_mat) -> arb_mat:
    """The matrix in units in which each row is, beside its diagonal, about as long as its column."""
    n = A.nrows()
    size = [[abs(A[i, j].mid()) if i != j else arb(0) for j in range(n)] for i in range(n)]
    unit = [0] * n
    for _ in range(SWEEPS):
        for i in range(n):
            row = sum((size[i][j] * arb(2) ** (unit[j] - unit[i]) for j in range(n)), arb(0))
            column = sum((size[j][i] * arb(2) ** (unit[i] - unit[j]) for j in range(n)), arb(0))
            if row > 0 and column > 0:
                unit[i] += frexp(to_float(middle((2 * row / column).sqrt())))[1] - 1
    return arb_mat(n, n, [A[i, j] * arb(2) ** (unit[j] - unit[i]) for i in range(n) for j in range(n)])


def _falls(A: arb_mat) -> bool:
    """Whether a form is found that falls: P A + A'P = -1 at the middle of A."""
    n, M = A.nrows(), A.mid()
    pairs = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(n) for j in range(i + 1))}
    place = {pair: pairs[max(pair), min(pair)] for pair in ((i, j) for i in range(n) for j in range(n))}
    K, right = arb_mat(len(pairs), len(pairs)), arb_mat(len(pairs), 1)
    for (i, j), row in pairs.items():
        right[row, 0] = arb(-int(i == j))
        for k in range(n):  # (P A)_ij + (A'P)_ij
            K[row, place[i, k]] += M[k, j]
            K[row, place[k, j]] += M[k, i]
    require_time()
    try:
        found = K.solve(right).mid()
    except ZeroDivisionError:
        return False
    P = arb_mat(n, n, [found[place[i, j], 0] for i in range(n) for j in range(n)])
    rate = P * A
    return positive(P) and positive(-(rate + rate.transpose()))
