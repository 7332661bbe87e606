"""Axes of space that turn and move steadily, and how what a body carries along changes as seen from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl.algebra.advected import AdvectedVector
from geoctrl.algebra.height import Height
from geoctrl.algebra.lie import LieAlgebra
from geoctrl.errors import DescriptionError

__all__ = ["SteadyFrame"]


@dataclass(frozen=True)
class SteadyFrame:
    r"""Axes that go on by a constant velocity :math:`(\omega_d, Y_d)` of so(3) or se(3), in these axes.

    With :math:`e = g_d^{-1} g`, of attitude E and place p, a vector :math:`\gamma` that stands still in the
    axes and a height along it are

    .. math::

        \Gamma = E^T \gamma, \quad \dot\Gamma = \Gamma \times \Omega + E^T (\omega_d \times \gamma), \qquad
        h = \gamma \cdot p, \quad
        \dot h = \Gamma \cdot Y + (\omega_d \times \gamma) \cdot p - \gamma \cdot Y_d,

    the rates by the body's velocity and, beside them, the drift.

    Attributes
    ----------
    rate, velocity : sympy.ImmutableMatrix, 3 x 1
        Numbers and expressions in parameters.
    of : int
        Factor of the group, from 1 on.

    Examples
    --------
    >>> from geoctrl.algebra import so3
    >>> frame = SteadyFrame(sp.ImmutableMatrix([0, 0, 2]), sp.ImmutableMatrix([0, 0, 0]))
    >>> rows = [AdvectedVector(f"r{k}", [int(i == k) for i in (1, 2, 3)]) for k in (1, 2, 3)]
    >>> frame.drift(rows, so3())
    {r11: 2*r21, r12: 2*r22, r13: 2*r23, r21: -2*r11, r22: -2*r12, r23: -2*r13}
    """

    rate: sp.ImmutableMatrix
    velocity: sp.ImmutableMatrix
    of: int = 1

    def drift(self, carried: Sequence[Any], algebra: LieAlgebra) -> dict[sp.Symbol, sp.Expr]:
        """Nonzero drift of the components of what is carried along.

        DescriptionError where it is along an axis of which no vector, or no height, is carried along.
        """
        vectors = self.vectors(carried, algebra)
        rows = self.axes(vectors)
        heights = {a.along: a for a in carried if isinstance(a, Height) and a.along in vectors}
        places = {k: heights[v] for k, v in rows.items() if v in heights}
        found: dict[sp.Symbol, sp.Expr] = {}
        for vector in vectors:
            turned = self.turning_rate(vector)
            found |= zip(vector.symbols, _sum_along(turned, rows, vector), strict=True)
        for height in (a for a in carried if isinstance(a, Height) and a.along in vectors):
            along = sp.Matrix(height.along.reference).dot(self.velocity)
            found[height.symbol] = _sum_along(self.turning_rate(height.along), places, height)[0] - along
        return {s: e for s, e in found.items() if e != 0}

    def vectors(self, carried: Sequence[Any], algebra: LieAlgebra) -> list[AdvectedVector]:
        """The vectors that the factor turns."""
        given = (a for a in carried if isinstance(a, AdvectedVector))
        return [v for v in given if v.factor_index(algebra) == self.of - 1]

    def turning_rate(self, vector: AdvectedVector) -> sp.ImmutableMatrix:
        """The rate at which the frame's turn leaves a vector behind that moves along, omega_d x gamma."""
        lacking = [0] * (3 - vector.dimension)
        return self.rate.cross(sp.Matrix([*vector.reference, *lacking])).expand()

    def by_label(self, algebra: LieAlgebra) -> dict[str, sp.Expr]:
        """The frame's velocities by the labels of those of the factor."""
        labels = algebra.labels[algebra.factors[self.of - 1].xi_slice]
        return dict(zip(labels, [*self.rate, *self.velocity], strict=False))

    def with_velocities(self, entries: Sequence[sp.Expr]) -> SteadyFrame:
        """The frame with other velocities, as `by_label` has them; those that are not given are zero."""
        rate, velocity = entries[:3], [*entries[3:], *[0] * (6 - len(entries))]
        return replace(self, rate=sp.ImmutableMatrix(rate), velocity=sp.ImmutableMatrix(velocity))

    @staticmethod
    def axes(vectors: Sequence[AdvectedVector]) -> dict[int, AdvectedVector]:
        """Vectors along axes of the frame, by the place of the axis."""
        found = {}
        for vector in vectors:
            held = [k for k, c in enumerate(vector.reference) if c]
            if len(held) == 1:
                found[held[0]] = vector
        return found

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def _sum_along(turned: sp.ImmutableMatrix, along: dict[int, Any], of: Any) -> list[sp.Expr]:
    """What is carried along for the axes of a vector in space, added up."""
    if missing := [str(k + 1) for k, c in enumerate(turned) if c != 0 and k not in along]:
        what = "heights" if isinstance(of, Height) else "vectors"
        raise DescriptionError(
            f"{of.name} changes as seen from a frame that moves, along the axes {', '.join(missing)}, of "
            f"which the mechanism advects no {what}: mech.configuration adds them"
        )
    parts = [[c * s / _length(along[k], k) for s in along[k].symbols] for k, c in enumerate(turned) if c != 0]
    return [sp.Add(*terms) for terms in zip(*parts, strict=True)] or [sp.S.Zero] * of.dimension


def _length(carried: Any, axis: int) -> sp.Rational:
    vector = carried.along if isinstance(carried, Height) else carried
    return sp.Rational(vector.reference[axis].numerator, vector.reference[axis].denominator)
