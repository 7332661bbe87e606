r"""Coefficients of the third order at a Hopf point, over a box of it.

See `geoctrl.continuation.normal_forms.hopf_normal_form` for what they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import acb, acb_mat, arb, arb_mat

from geoctrl._scalars.arithmetic.ball_matrices import middles
from geoctrl.analysis.linear.subspaces import pivot_columns
from geoctrl.continuation.normal_forms.field_series import Column
from geoctrl.continuation.normal_forms.hopf_point import CurveEquations, HopfPair, rows_of_length_one
from geoctrl.orbits.enclosures.expressions_in_balls import UnprovedError
from geoctrl.systems.contract.tolerances import INDEPENDENT

__all__ = ["HopfCoefficients"]


class HopfCoefficients:
    """G and mu, with the left vector p and the tangent of the curve.

    Parameters
    ----------
    curve : CurveEquations
    pair : HopfPair
        A box of it, or its middle.
    """

    def __init__(self, curve: CurveEquations, pair: HopfPair) -> None:
        self._field, self._x, self._n = curve.field, pair.X, curve.n
        self._J = curve.field.jacobian(pair.X)
        self._q, self._omega = pair.vector, pair.omega
        self._A = acb_mat([[acb(c) for c in row[: curve.n]] for row in self._J.tolist()[: curve.n]])
        self.tangent = curve.tangent(self._J)
        self.p = self._adjoint()
        self.mu = self._along_curve(pair.a, pair.b)
        self.G = self._third_order(pair.a, pair.b)

    def _along_curve(self, a: Column, b: Column) -> acb:
        """mu: the second derivative along the curve and in the directions of q."""
        moved = [self._field.second(self._x, self.tangent, self._whole(part)) for part in (a, b)]
        return self._adjoint_product([acb(u, v) for u, v in zip(*moved, strict=True)])

    def _third_order(self, a: Column, b: Column) -> acb:
        n = self._n
        aa, bb, ab = self._second(a, a), self._second(b, b), self._second(a, b)
        h11 = self._mean([-u - v for u, v in zip(aa, bb, strict=True)])
        twice = [acb(u - v, 2 * w) for u, v, w in zip(aa, bb, ab, strict=True)][:n]
        shift = acb_mat([[acb(0, 2 * self._omega * (i == j)) for j in range(n)] for i in range(n)])
        h20 = (shift - self._A).solve(acb_mat(n, 1, twice)).entries()
        c, d = [z.real for z in h20], [z.imag for z in h20]
        by_mean = zip(self._second(a, h11), self._second(b, h11), strict=True)
        ac, bd, ad, bc = (self._second(u, v) for u, v in ((a, c), (b, d), (a, d), (b, c)))
        # C(q, q, conj q) = C(q, a, a) + C(q, b, b) for q = a + i b.
        aaa, abb, baa, bbb = (self._third(u, v) for u, v in ((a, a), (a, b), (b, a), (b, b)))
        sums = [acb(aaa[i] + abb[i], baa[i] + bbb[i]) for i in range(n)]
        sums = [s + 2 * acb(u, v) for s, (u, v) in zip(sums, by_mean, strict=False)]
        return self._adjoint_product([s + acb(ac[i] + bd[i], ad[i] - bc[i]) for i, s in enumerate(sums)])

    def _whole(self, v: Sequence[arb]) -> Column:
        """A direction of states as one of all arguments."""
        return [*v, *[arb(0)] * (len(self._x) - len(v))]

    def _second(self, u: Sequence[arb], v: Sequence[arb]) -> Column:
        return self._field.second(self._x, self._whole(u), self._whole(v))

    def _third(self, u: Sequence[arb], v: Sequence[arb]) -> Column:
        return self._field.third(self._x, self._whole(u), self._whole(v))

    def _adjoint_product(self, v: Sequence[acb]) -> acb:
        """<p, v> of rates."""
        return sum((c.conjugate() * e for c, e in zip(self.p, v, strict=False)), acb(0))

    def _adjoint(self) -> list[acb]:
        """The left vector with <p, q> = 1, by a matrix with a border: it is simple."""
        n, A = self._n, self._A
        shifted = [[A[j, i] + acb(0, self._omega * (i == j)) for j in range(n)] for i in range(n)]
        last = np.linalg.svd(np.array([[complex(c) for c in row] for row in shifted]))[2][-1]
        rows = [[*row, z.mid()] for row, z in zip(shifted, self._q, strict=True)]
        rows.append([*(acb(c.real, c.imag) for c in last.tolist()), acb(0)])
        p = acb_mat(rows).solve(acb_mat(n + 1, 1, [acb(0)] * n + [acb(1)])).entries()[:n]
        scale = sum((c.conjugate() * e for c, e in zip(p, self._q, strict=True)), acb(0))
        return [c / scale.conjugate() for c in p]

    def _mean(self, right: Column) -> Column:
        """h_11: of consistent equations, as many as determine it."""
        n = self._n
        rows = [row[:n] for row in self._J.tolist()]
        floats = rows_of_length_one(middles(rows))
        if np.linalg.matrix_rank(floats, tol=INDEPENDENT) < n:
            raise UnprovedError("a root zero is left on the level")
        chosen = sorted(_first_independent(floats, n))
        return arb_mat([rows[i] for i in chosen]).solve(arb_mat(n, 1, [right[i] for i in chosen])).entries()


def _first_independent(rows: np.ndarray, count: int) -> list[int]:
    """Places of as many rows, each the farthest from the span of those before."""
    columns = np.linalg.qr(rows, mode="reduced")[0].T
    return pivot_columns(columns[:count])
