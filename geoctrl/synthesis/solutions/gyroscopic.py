r"""The gyroscopic force that one unactuated direction leaves to the loop.

With :math:`l = G\eta/G(w,\eta)`, :math:`v' = v - l(v)\,w` and the symmetric form
:math:`b = \tfrac12 (L_w G_c - L_\eta G)`, for which :math:`b(w, w) = 0`, and the one-form
:math:`\beta = i_w da - i_\eta da` with :math:`\beta(w) = 0`

.. math::

    F = \mu(v)\, l - l(v)\, \mu, \qquad \mu = 2\, l(v)\, b(w, \cdot) + b(v', \cdot) + \beta

has :math:`v \cdot F = 0` and :math:`w \cdot F = \mu(v) - l(v)\,\mu(w) = b(v, v) + \beta(v)`.
"""

from __future__ import annotations

import sympy as sp

from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.chart import Chart
from geoctrl.synthesis.shaping.factoring import factored

__all__ = ["gyroscopic_force"]


def gyroscopic_force(chart: Chart, Gc: sp.Matrix, w: sp.Matrix) -> sp.ImmutableMatrix | None:
    """F (n), None where it vanishes as it stands."""
    (base,) = chart.plant.base
    G = sp.Matrix(chart.plant.mechanism.inertia)
    v = sp.Matrix(chart.plant.mechanism.algebra.xi)
    b, beta = _quadratic(chart, G, Gc, w), _linear(chart, w)
    if b.is_zero_matrix and beta.is_zero_matrix:
        return None
    l = G[:, base] / factored((G[base, :] * w)[0])  # noqa: E741 - the form's name
    lv = (l.T * v)[0]
    mu = 2 * lv * b * w + b * (v - lv * w) + beta
    return sp.ImmutableMatrix([_turned(l, mu, v, i) for i in range(v.rows)])


def _turned(l: sp.Matrix, mu: sp.Matrix, v: sp.Matrix, i: int) -> sp.Expr:  # noqa: E741 - the form's name
    """F_i, each pair of components by the same number, so that v.F cancels to the last digit."""
    below = sum(((l[j] * mu[i] - l[i] * mu[j]) * v[j] for j in range(i)), sp.Integer(0))
    above = sum(((l[i] * mu[j] - l[j] * mu[i]) * v[j] for j in range(i + 1, v.rows)), sp.Integer(0))
    return above - below


def _quadratic(chart: Chart, G: sp.Matrix, Gc: sp.Matrix, w: sp.Matrix) -> sp.Matrix:
    """b (n x n): half of L_w Gc - L_eta G."""
    (base,) = chart.plant.base
    n = G.rows
    slopes = sp.Matrix([chart.gradient(e) for e in w])  # slopes[i, k] = e_k[w^i]
    turned = Gc * slopes
    moved = sp.Matrix(n, n, lambda i, j: chart.along(list(w), Gc[i, j]) - chart.gradient(G[i, j])[base])
    return (moved + turned + turned.T).applyfunc(lambda e: e / 2)


def _linear(chart: Chart, w: sp.Matrix) -> sp.Matrix:
    """beta (n)."""
    m, (base,) = chart.plant.mechanism, chart.plant.base
    n = m.algebra.n
    if m.gyroscopic is None:
        return sp.zeros(n, 1)
    slopes = [chart.gradient(e) for e in m.gyroscopic]
    da = sp.Matrix(n, n, lambda i, j: slopes[j][i] - slopes[i][j])
    if sp.simplify((da[base, :] * w)[0]) != 0:
        raise MatchingError(
            "the linear term of the Lagrangian acts between the unactuated direction and that of shaping, "
            "which no gyroscopic force makes up for; take another direction"
        )
    return (da.T * w - da.T[:, base]).applyfunc(factored)
