r"""A Hopf point in balls: Krawczyk's test on the equilibrium together with its pair of roots.

Unknowns are the arguments X of the curve of equilibria (states, and the parameter that it goes along),
:math:`\omega` and the real and imaginary parts of the vector :math:`q = a + i b`. The equations are

.. math::

    F(X) = 0, \qquad A a + \omega b = 0, \qquad A b - \omega a = 0, \qquad q_k = 1,

where F are rates, relations of the leaf and states that are held, as many as choose a curve. Rates that are
left out vanish with the others: along relations and conserved functions with gradients D no motion goes,
:math:`D f = 0`, and D has an inverse in the states of these rates. The derivative has a kernel exactly if
:math:`i\omega` is no simple root of A, or does not leave the axis along the curve (its speed across is
:math:`\mathrm{Re}\,\langle p, (dA/ds)\,q\rangle`): Krawczyk's test proves that it is simple and does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import acb, arb, arb_mat

from geoctrl._scalars.arithmetic.ball_matrices import ball_identity, middles
from geoctrl.analysis.linear.subspaces import pivot_columns
from geoctrl.continuation.normal_forms.field_series import Column, FieldSeries
from geoctrl.errors import EquilibriumError
from geoctrl.orbits.enclosures.expressions_in_balls import UnprovedError

__all__ = [
    "CurveEquations",
    "HopfPair",
    "enclosed_pair",
    "motion_on_level",
    "pair_in_middles",
    "rows_of_length_one",
]

_STEPS, _GAIN = 12, 0.5
"""Newton's steps at most, and the part of the step before that each is at most; they end where they gain
nothing."""
_SMALL = 2.0**-100
"""Length of a step, in sizes of the unknowns, from which on they end."""
_REACH = 48
"""Exponent of the radius of the box, in sizes of the unknowns."""
_NEAR = 1e-4
"""Distance from the start, in sizes of the unknowns, up to which a point is the one that is meant."""


@dataclass(frozen=True, eq=False)
class CurveEquations:
    """Equations that choose a curve of equilibria, in sizes of its arguments.

    Attributes
    ----------
    field : FieldSeries
        Rates of n states, then `relations` relations of the leaf and conserved functions.
    n, relations, functions : int
        How many states, relations of the leaf, and functions in all.
    index : int
        Place of what the curve goes along among the arguments.
    held : tuple of int
        Places of states that are held.
    omitted : tuple of int
        Places of rates that vanish with the others.
    """

    field: FieldSeries
    n: int
    relations: int
    functions: int
    index: int
    held: tuple[int, ...]
    omitted: tuple[int, ...]

    @cached_property
    def rows(self) -> list[int]:
        """Places of the functions that are equations: rates that are not left out, and relations."""
        rates = [i for i in range(self.n) if i not in self.omitted]
        return [*rates, *range(self.n, self.n + self.relations)]

    def slopes(self, J: arb_mat) -> list[list[arb]]:
        """Rows of the equations' derivative, from that of the functions."""
        table, count = J.tolist(), J.ncols()
        return [table[i] for i in self.rows] + [[arb(j == i) for j in range(count)] for i in self.held]

    def tangent(self, J: arb_mat) -> Column:
        """The direction of the curve, with the rate one of what it goes along."""
        rows = self.slopes(J)
        rows.append([arb(j == self.index) for j in range(J.ncols())])
        right = arb_mat(len(rows), 1, [0] * (len(rows) - 1) + [1])
        return arb_mat(rows).solve(right).entries()

    def require_omitted_follow(self, J: arb_mat) -> None:
        """Refuse rates that are left out where nothing shows that they vanish."""
        if self.omitted:
            table = J.tolist()[self.n :]
            arb_mat(
                [[row[i] for i in self.omitted] for row in table]
            ).inv()  # ZeroDivisionError if it may not


@dataclass(frozen=True, eq=False)
class HopfPair:
    """Arguments X, frequency and vector q = a + i b, in sizes; ``k`` is the place of the entry one of q."""

    X: Column
    omega: arb
    a: Column
    b: Column
    k: int

    @classmethod
    def of_unknowns(cls, z: Sequence[arb], n: int, k: int) -> HopfPair:
        """From all unknowns in their order."""
        m = len(z) - 1 - 2 * n
        return cls(list(z[:m]), z[m], list(z[m + 1 : m + 1 + n]), list(z[m + 1 + n :]), k)

    @property
    def unknowns(self) -> Column:
        """All of them, in their order."""
        return [*self.X, self.omega, *self.a, *self.b]

    @property
    def vector(self) -> list[acb]:
        """q."""
        return [acb(u, v) for u, v in zip(self.a, self.b, strict=True)]


def _defects(curve: CurveEquations, start: Sequence[arb], at: HopfPair) -> arb_mat:
    """Values of the equations at numbers."""
    values, J = curve.field.values(at.X), curve.field.jacobian(at.X).tolist()[: curve.n]

    def rates_of(v: Sequence[arb]) -> Column:
        return [sum((c * e for c, e in zip(row, v, strict=False)), arb(0)) for row in J]

    found = [values[i] for i in curve.rows] + [at.X[i] - start[i] for i in curve.held]
    found += [c + at.omega * e for c, e in zip(rates_of(at.a), at.b, strict=True)]
    found += [c - at.omega * e for c, e in zip(rates_of(at.b), at.a, strict=True)]
    found += [at.a[at.k] - 1, at.b[at.k]]
    return arb_mat(len(found), 1, found)


def _slopes(curve: CurveEquations, at: HopfPair) -> arb_mat:
    """Derivative of the equations, over balls where the unknowns are such."""
    n, m = curve.n, len(at.X)
    J = curve.field.jacobian(at.X)
    A, still = [row[:n] for row in J.tolist()[:n]], [arb(0)] * (m - n)
    found = [[*row, *[arb(0)] * (1 + 2 * n)] for row in curve.slopes(J)]
    units = [[arb(i == j) for i in range(m)] for j in range(m)]
    by_a, by_b = (
        [curve.field.second(at.X, unit, [*part, *still])[:n] for unit in units] for part in (at.a, at.b)
    )
    for i in range(n):
        turning = [at.omega * (i == j) for j in range(n)]
        found.append([*(column[i] for column in by_a), at.b[i], *A[i], *turning])
    for i in range(n):
        turning = [-at.omega * (i == j) for j in range(n)]
        found.append([*(column[i] for column in by_b), -at.a[i], *turning, *A[i]])
    for shift in (at.k, n + at.k):
        found.append([arb(j == m + 1 + shift) for j in range(m + 1 + 2 * n)])
    return arb_mat(found)


def pair_in_middles(curve: CurveEquations, start: HopfPair) -> HopfPair:
    """Newton's steps from floats; EquilibriumError where they come to nothing, or to another point."""
    held, z, last = start.X, start.unknowns, np.inf
    for _ in range(_STEPS):
        at = HopfPair.of_unknowns(z, curve.n, start.k)
        try:
            step = _slopes(curve, at).mid().solve(_defects(curve, held, at).mid()).mid().entries()
        except (UnprovedError, ZeroDivisionError):
            break
        z = [(c - d).mid() for c, d in zip(z, step, strict=True)]
        size = max(float(abs(d)) for d in step)
        if size < _SMALL:
            if max(float(abs(c - d)) for c, d in zip(z, start.unknowns, strict=True)) > _NEAR:
                break
            return HopfPair.of_unknowns(z, curve.n, start.k)
        if not size < _GAIN * last:
            break
        last = size
    raise EquilibriumError(
        "no Hopf point is found near this one by Newton's steps: the pair is not simple, does not cross the "
        "axis, or the equations are not differentiable there"
    )


def enclosed_pair(curve: CurveEquations, middle: HopfPair) -> HopfPair:
    """A box with one Hopf point, by Krawczyk's test; UnprovedError where it does not tell."""
    z, radius = middle.unknowns, arb(2) ** -_REACH
    size = len(z)
    defects = _defects(curve, middle.X, middle)
    for _ in range(2):  # once more over the image, which is far smaller
        box = HopfPair.of_unknowns([c + arb(0, radius) for c in z], curve.n, middle.k)
        J = _slopes(curve, box)
        Y = J.mid().inv().mid()
        spread = arb_mat(size, 1, [arb(0, radius)] * size)
        image = (ball_identity(size) - Y * J) * spread - Y * defects
        if not all(arb(0, radius).contains_interior(v) for v in image.entries()):
            raise UnprovedError("Krawczyk's test does not find one Hopf point")
        found = [c + v for c, v in zip(z, image.entries(), strict=True)]
        radius = max((v.abs_upper() for v in image.entries()), key=float) * 2
        if not radius > 0:
            break
    curve.require_omitted_follow(curve.field.jacobian(found[: len(middle.X)]))
    return HopfPair.of_unknowns(found, curve.n, middle.k)


def motion_on_level(curve: CurveEquations, J: arb_mat) -> arb_mat:
    """The linearisation between tangent vectors of the level, by the states that are free on it."""
    n, table = curve.n, J.tolist()
    A, D = [row[:n] for row in table[:n]], [row[:n] for row in table[n:]]
    if not D:
        return arb_mat(A)
    bound = pivot_columns(rows_of_length_one(middles(D)))
    free = [i for i in range(n) if i not in bound]
    left = arb_mat([[row[i] for i in bound] for row in D])
    others = left.solve(arb_mat([[-row[i] for i in free] for row in D])).tolist()
    basis = [[arb(0)] * len(free) for _ in range(n)]
    for j, i in enumerate(free):
        basis[i][j] = arb(1)
    for row, i in zip(others, bound, strict=True):
        basis[i] = row
    return arb_mat([A[i] for i in free]) * arb_mat(basis)


def rows_of_length_one(rows: np.ndarray) -> np.ndarray:
    """Rows over their lengths, those of zero as they are."""
    lengths: Any = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
