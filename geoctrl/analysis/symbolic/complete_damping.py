r"""Stability under complete damping is that of the energy (Kelvin, Tait, Chetaev).

In velocities v and displacements q on the level set of the invariants, let the linearisation be

.. math:: \dot q = T v, \qquad M \dot v = -(D + G)\,v - T^T K q,

with T invertible, M and D symmetric and positive definite, G skew, K symmetric: the energy
:math:`(v^T M v + q^T K q)/2` falls at the rate :math:`v^T D v`. Then it decays where K is positive definite:
nothing but zero stays where v = 0. Where K has a negative direction it grows: without growth no root is
imaginary but zero (D), zero is no double root of a chain (:math:`K q = 0`, :math:`\dot v = 0` and
:math:`\dot q = q_0` would need :math:`v^T D v = 0`), so that all motions would converge to points at which K
vanishes, and the energy of none could begin below zero.

That the linearisation is of this form is an identity of rational functions, which is computed: with S the
energy's Hessian, :math:`S = \mathrm{diag}(M, K)` and :math:`S A + A^T S = -\mathrm{diag}(2 D, 0)`.
"""

from __future__ import annotations

from geoctrl.analysis.symbolic.definite_pencils import blocks_of, leading_minors, positive_definite
from geoctrl.analysis.symbolic.formulas import Formula
from geoctrl.analysis.symbolic.rational_functions import RationalFunction
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns
from geoctrl.analysis.symbolic.spectra_in_symbols import characteristic

__all__ = ["damping_conditions"]

Rows = list[list[RationalFunction]]


def damping_conditions(
    signs: KnownSigns, A: Rows, S: Rows, count: int
) -> tuple[Formula, Formula, Formula] | None:
    """Where the linearisation decays, where it grows, and what is presumed; None unless all hypotheses hold.

    Parameters
    ----------
    A : rows
        The linearisation on the level set, the ``count`` velocities first.
    S : rows
        The energy's Hessian there.
    """
    n = len(A)
    if not count or n != 2 * count:
        return None
    first, last = range(count), range(count, n)
    mixed = [S[i][j] for i in first for j in last]
    if any(mixed) or any(A[i][j] for i in last for j in last):
        return None
    rate = _rate(signs, A, S)
    if any(rate[i][j] for i in range(n) for j in last):
        return None
    M, D = ([[R[i][j] for j in first] for i in first] for R in (S, rate))
    if positive_definite(signs, M) is not True or positive_definite(signs, D) is not True:
        return None
    K = [[S[i][j] for j in last] for i in last]
    if not characteristic(K)[-1]:  # never definite: a manifold of equilibria may attract
        return None
    turned = characteristic([[A[i][j] for j in first] for i in last])[-1]
    return positive_definite(signs, K), _negative_somewhere(signs, K), signs.nonzero(turned)


def _rate(signs: KnownSigns, A: Rows, S: Rows) -> Rows:
    """-(S A + A^T S)."""
    field, n = signs.field, range(len(A))
    columns = [list(column) for column in zip(*A, strict=True)]
    half = [[field.dot(row, column) for column in columns] for row in S]
    return [[-half[i][j] - half[j][i] for j in n] for i in n]


def _negative_somewhere(signs: KnownSigns, K: Rows) -> Formula:
    """A principal minor, of those that say when K is definite and those of one row, is negative."""
    blocks = [[[K[i][j] for j in b] for i in b] for b in blocks_of([K])]
    minors = [m for block in blocks for m in leading_minors(block)]
    return signs.either(map(signs.negative, [*minors, *(K[i][i] for i in range(len(K)))]))
