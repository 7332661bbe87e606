r"""Controlled Lagrangians along fields that are given, for several unactuated velocities.

With :math:`w_a = \eta_a + U d_a`, U the actuated velocities, and constant symmetric gains m for these

.. math::

    G_{c,ff} = m, \qquad G_{c,fb} = G_{fb} - m d, \qquad G_{c,bb} = G_{bb} - G_{bf} d + d^T m\, d

solves :math:`G_c w = G\eta` if :math:`G(w_a, \eta_b)` is symmetric. With
:math:`B_a = \tfrac12 (L_{w_a} G_c - L_{\eta_a} G)` and :math:`v = w_s + U t` what the quadratic terms leave
is the force

.. math::

    F_f = -\bigl(B_s (v + w_s)\bigr)_f, \qquad F_b = (v^T B_a v)_a - d^T F_f ,

gyroscopic if and only if :math:`w_s^T B_s w_s = 0` for all constant s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._checks import require_declared
from geoctrl._scalars import read_matrix
from geoctrl.errors import DescriptionError, MatchingError
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.gain_matrices import entries_of, matrix_of
from geoctrl.synthesis.shaping.matching_class import KINETIC, Gain, Shaping
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.shaping.primitives import as_fraction
from geoctrl.systems import Parameter

__all__ = ["GivenFields"]

_INERTIA = Gain("m", "", "inertia of the actuated velocities in the controlled Lagrangian")


class GivenFields(Shaping):
    """The class of a plant with fields that a user gives, several of its velocities unactuated.

    Parameters
    ----------
    plant : Plant
        Without constraints and frame: its velocities are those of the group.
    kind : {"kinetic"}
    direction : m x n_u matrix
        d: row by row for the actuated velocities, what is added to each unactuated one, in the configuration
        and parameters.
    """

    title = "fields that were given"

    def __init__(self, plant: Plant, kind: str, direction: Any) -> None:
        self.plant, self.kind = plant, kind
        m = plant.mechanism
        if kind != KINETIC:
            raise MatchingError(
                f'fields that are given for several velocities shape the inertia alone, shaping="{KINETIC}"'
            )
        if m.frame is not None or m.constraints is not None:
            raise MatchingError("fields are given in velocities of the group, without constraints or a frame")
        if m.gyroscopic is not None and any(m.gyroscopic):
            raise MatchingError("fields are given for a Lagrangian without a term linear in the velocities")
        self.d = self._read(direction)
        unlike = (self._coupling.T * self.d - self.d.T * self._coupling).applyfunc(sp.simplify)
        if not unlike.is_zero_matrix:
            raise MatchingError(f"G(w_a, eta_b) is not symmetric along this direction: {unlike.tolist()}")
        self.require_free(self.gains)

    def _read(self, direction: Any) -> sp.Matrix:
        plant, m = self.plant, self.plant.mechanism
        found = sp.Matrix(read_matrix("direction=", direction, MatchingError))
        labels, shape = m.algebra.labels, (len(plant.driven), len(plant.undriven))
        if found.shape != shape:
            raise MatchingError(
                f"direction= needs a row for each of {', '.join(labels[i] for i in plant.driven)} and a "
                f"column for each of {', '.join(labels[i] for i in plant.undriven)}, got {found.rows} x "
                f"{found.cols}"
            )
        known = {*m.configuration_symbols, *(p.symbol for p in m.parameters)}
        try:
            require_declared("direction=", list(found), known, "take parameter.symbol and vector.symbols")
        except DescriptionError as error:
            raise MatchingError(str(error)) from None
        return found.xreplace({q: sp.Rational(q) for q in found.atoms(sp.Float)})

    @property
    def _coupling(self) -> sp.Matrix:
        """G_fb."""
        plant = self.plant
        return sp.Matrix(plant.mechanism.inertia).extract(list(plant.driven), list(plant.undriven))

    @property
    def gains(self) -> Sequence[Gain]:
        """Entries of m."""
        return entries_of(_INERTIA, len(self.plant.driven), diagonal=False)

    @property
    def matrices(self) -> Mapping[str, sp.ImmutableMatrix]:
        """m whole."""
        known = {g.name: g.symbol for g in self.gains}
        return {_INERTIA.name: sp.ImmutableMatrix(matrix_of(_INERTIA.name, known, len(self.plant.driven)))}

    @cached_property
    def w(self) -> sp.Matrix:
        """w (n x n_u)."""
        return self._rows_in_place({"b": sp.eye(len(self.plant.undriven)), "f": self.d})

    def _rows_in_place(self, rows: Mapping[str, sp.Matrix]) -> sp.Matrix:
        """Rows of the unactuated velocities and of the actuated ones where they belong."""
        plant = self.plant
        found = sp.zeros(plant.mechanism.algebra.n, rows["b"].cols)
        for places, part in ((plant.undriven, rows["b"]), (plant.driven, rows["f"])):
            for place, row in zip(places, part.tolist(), strict=True):
                found[place, :] = sp.Matrix([row])
        return found

    def controlled(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """L_c for the gains."""
        plant = self.plant
        G = sp.Matrix(plant.mechanism.inertia)
        m = matrix_of(_INERTIA.name, values, len(plant.driven))
        b, mixed = list(plant.undriven), self._coupling - m * self.d
        inner = G.extract(b, b) - self._coupling.T * self.d + self.d.T * m * self.d
        left = self._rows_in_place({"b": inner, "f": mixed})
        right = self._rows_in_place({"b": mixed.T, "f": m})
        places = [*plant.undriven, *plant.driven]
        order = [places.index(i) for i in range(G.rows)]
        Gc = sp.Matrix.hstack(left, right)[:, order].applyfunc(as_fraction)
        Gc = sp.Matrix(G.rows, G.rows, lambda i, j: Gc[min(i, j), max(i, j)])  # not only equal but alike
        return Controlled(
            plant=plant,
            inertia=sp.ImmutableMatrix(Gc),
            potential=plant.mechanism.potential,
            fields=sp.ImmutableMatrix(self.w),
            gains=parameters,
            force=self._force(Gc),
        )

    def _force(self, Gc: sp.Matrix) -> sp.ImmutableMatrix | None:
        """F (n), None where it vanishes as it stands."""
        plant, G = self.plant, sp.Matrix(self.plant.mechanism.inertia)
        eta = self._rows_in_place({"b": sp.eye(self.w.cols), "f": sp.zeros(self.d.rows, self.w.cols)})
        forms = [
            (
                (_lie_derivative(plant, self.w.col(a), Gc) - _lie_derivative(plant, eta.col(a), G)) / 2
            ).applyfunc(as_fraction)
            for a in range(self.w.cols)
        ]
        if all(B.is_zero_matrix for B in forms):
            return None
        v = sp.Matrix(plant.mechanism.algebra.xi)
        s = [v[i] for i in plant.undriven]
        B_s = sum((c * B for c, B in zip(s, forms, strict=True)), sp.zeros(*G.shape))
        pushed = -(B_s * (v + self.w * sp.Matrix(s)))
        fibre = sp.Matrix([pushed[i] for i in plant.driven])
        base = sp.Matrix([(v.T * B * v)[0] for B in forms]) - self.d.T * fibre
        return sp.ImmutableMatrix(self._rows_in_place({"b": base, "f": fibre}).applyfunc(sp.expand))


def _lie_derivative(plant: Plant, w: sp.Matrix, G: sp.Matrix) -> sp.Matrix:
    """L_w G (n x n), with [w, e_i] = w^p [e_p, e_i] - e_i[w]."""
    n = G.rows
    slopes = [plant.along(e) for e in w]
    turning = sp.Matrix(n, n, lambda r, i: -slopes[r][i])
    for p, q, r, value in plant.mechanism.algebra.brackets:
        turning[r, q] += sp.Rational(value.numerator, value.denominator) * w[p]
    moved = G.applyfunc(lambda e: sp.Matrix([plant.along(e)]).dot(w))
    return moved - turning.T * G - G * turning
