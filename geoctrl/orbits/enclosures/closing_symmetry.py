r"""Symmetries up to which an orbit closes, exactly: proved to be such, and in balls."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, arb_mat

from geoctrl._scalars import exact
from geoctrl._scalars.arithmetic.ball_matrices import ball_identity
from geoctrl.errors import InputError
from geoctrl.orbits.enclosures.expressions_in_balls import UnprovedError, ball
from geoctrl.orbits.enclosures.orbit_symmetries import Closing

__all__ = ["Returning"]

_ORDER = 24
"""Largest order of a symmetry that is not of the turns about an axis."""
_DENOMINATOR, _ROUNDED = 1000, 1e-12
"""Of entries of the generator, and how far they may be from those in floats."""


class Returning:
    r"""S and d of :math:`x(T) = S\,x(0) + d`: S is a matrix of finite order, or :math:`e^{\phi A}` with an
    angle, and d are whole turns of states that are angles.

    Parameters
    ----------
    orbit : PeriodicOrbit
    sizes : powers of two (n,)
        Over which states are that it is applied to.

    Attributes
    ----------
    turns : bool
        Whether there is an angle.
    order : int
        After how many times S is the identity; zero where there is an angle.
    trivial : bool
        Whether S is the identity.
    offset : arb_mat (n, 1)
        d, over sizes.
    winding : dict of label -> int
        Turns after ``order`` times, with which the whole orbit closes.
    """

    def __init__(self, orbit: Any, sizes: Sequence[arb]) -> None:
        self._orbit, self._n, self._sizes = orbit, len(orbit.x), sizes
        self.turns = orbit.angle is not None
        if self.turns:
            given = Closing(None, orbit.system).generator()
            A = sp.Matrix(self._n, self._n, lambda i, j: _rational(_short_fraction(given[i, j])))
            if np.max(np.abs(np.array(A, dtype=float) - given)) > _ROUNDED or A**3 != -A:
                raise InputError("turns about an axis that is not rational are not enclosed")
            self._matrix, self.order = A, 0
        else:
            self._matrix = sp.Matrix(self._n, self._n, lambda i, j: _rational(exact(float(orbit.S[i, j]))))
            powers = (k for k in range(1, _ORDER + 1) if self._matrix**k == sp.eye(self._n))
            self.order = next(powers, 0)
            if not self.order:
                raise InputError(
                    f"a symmetry that is not the identity after {_ORDER} times or fewer is not enclosed"
                )
        self.trivial = self.order == 1
        self._balls = self._over_sizes(self._matrix)
        labels = orbit.system.state_labels
        self._turns = sp.Matrix([orbit.winding.get(k, 0) for k in labels])
        self.offset = arb_mat(
            [[2 * int(k) * arb.pi() / size] for k, size in zip(self._turns, sizes, strict=True)]
        )
        whole = sum((self._matrix**j * self._turns for j in range(self.order)), sp.zeros(self._n, 1))
        self.winding = {k: int(count) for k, count in zip(labels, whole, strict=True) if count}

    def __call__(self, angle: arb) -> arb_mat:
        """S at an angle."""
        if not self.turns:
            return self._balls
        A, one = self._balls, ball_identity(self._n)
        # A^3 = -A.
        return one + A * angle.sin() + A * A * (1 - angle.cos())

    def back(self, angle: arb) -> arb_mat:
        """The inverse of S."""
        return self(-angle) if self.turns else self._over_sizes(self._matrix.inv())

    def _over_sizes(self, matrix: sp.Matrix) -> arb_mat:
        """A matrix of states as one of states over their sizes."""
        d = self._sizes
        rows = range(self._n)
        entries = [ball(Fraction(int(matrix[i, j].p), int(matrix[i, j].q))) for i in rows for j in rows]
        return arb_mat(
            self._n, self._n, [e * d[k % self._n] / d[k // self._n] for k, e in enumerate(entries)]
        )

    @property
    def orientation(self) -> int:
        """det S, which is 1 or -1."""
        return 1 if self.turns else int(self._matrix.det())

    def turn_directions(self, x: Sequence[arb]) -> list[list[arb]]:
        """Directions of the turns, A x."""
        return [(self._balls * arb_mat(self._n, 1, list(x))).entries()] if self.turns else []

    def require(self, functions: Sequence[Any]) -> None:
        """Refuse what is a symmetry of the rates and of functions (nodes) in floats alone.

        Shown are f(S x + d) = S f(x) and g(S x + d) = g(x), or A f = Df A x and Dg A x = 0 beside these with
        the identity in the place of S, as identities.
        """
        moved = 2 * sp.pi * self._turns
        if self.trivial and moved.is_zero_matrix:
            return
        system, orbit, S = self._orbit.system, self._orbit, self._matrix
        numbers = {node: orbit.params[name] for name, node in system.assembly.parameters.items()}
        numbers |= dict(zip(system.assembly.inputs, orbit.u, strict=True))
        values = {system.symbols[node]: _rational(exact(v)) for node, v in numbers.items()}
        count, nodes = self._n, [*system.field_nodes, *functions]
        written = sp.Matrix([e.xreplace(values) for e in system.to_sympy(nodes)])
        x = sp.Matrix([system.symbols[node] for node in system.state_nodes])
        rates, kept = written[:count, :], written[count:, :]
        left: list[sp.Expr] = []
        if self.turns:
            left += [*(S * rates - rates.jacobian(x) * S * x), *(kept.jacobian(x) * S * x if kept else [])]
            S = sp.eye(count)
        there = dict(zip(x, S * x + moved, strict=True))
        left += [*(rates.xreplace(there) - S * rates), *(kept.xreplace(there) - kept)]
        if any(sp.expand(sp.together(e).as_numer_denom()[0]) != 0 for e in left):
            raise UnprovedError("that the motion is the same after the symmetry is not proved")


def _short_fraction(value: Any) -> Fraction:
    return Fraction(float(value)).limit_denominator(_DENOMINATOR)


def _rational(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)
