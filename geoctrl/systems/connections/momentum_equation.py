r"""The momentum equation of a mechanism with symmetry.

.. math::

    \dot p_a = \langle \mu, [\xi, e_a] + \partial_i e_a\,\dot r^i\rangle + F \cdot e_a, \qquad
    \mu = \frac{\partial\ell}{\partial\xi}

for momenta along the columns of e(r), with the forces F on the group.
"""

from __future__ import annotations

import sympy as sp

from geoctrl.systems.equations.mechanism import Mechanism

__all__ = ["momentum_rates"]


def momentum_rates(m: Mechanism, e: sp.ImmutableMatrix, xi: sp.Matrix) -> list[sp.Expr]:
    """Rates of the momenta along the columns of e at a group velocity."""
    n = e.rows
    rates = sp.Matrix([c.rate for c in m.shape])
    mu = _momentum(m, n, xi, rates)
    forces = sp.zeros(n, 1)
    if m.acting is not None:
        whole = dict(zip(m.algebra.xi, [*xi, *rates], strict=True))
        forces = sp.Matrix(m.acting)[:n, :].xreplace(whole)
    found = []
    for a in range(e.cols):
        moved = [sp.Integer(0)] * n
        for i, j, k, value in m.algebra.brackets:
            moved[k] += sp.Rational(value.numerator, value.denominator) * xi[i] * e[j, a]
        turned = e[:, a].jacobian(sp.Matrix([c.symbol for c in m.shape])) * rates
        found.append(mu.dot(sp.Matrix(moved) + turned) + forces.dot(e[:, a]))
    return found


def _momentum(m: Mechanism, n: int, xi: sp.Matrix, rates: sp.Matrix) -> sp.Matrix:
    """mu of the group."""
    mu = m.inertia[:n, :n] * xi + m.inertia[:n, n:] * rates
    return sp.Matrix(mu if m.gyroscopic is None else mu + m.gyroscopic[:n, :])
