r"""What may be added to a controlled Lagrangian without a new matching: functions of what w leaves alone.

With the positions z, :math:`w[z] = 0`, any Lagrangian of them,

.. math:: \tfrac12\, \dot z^T N(z)\, \dot z - F(z),

keeps the conditions: :math:`i_w (N \dot z \dot z) = 0`, :math:`L_w (N \dot z \dot z) = 0` and
:math:`w[F] = 0`. The same fields w and the same gyroscopic force go with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from geoctrl._scalars import expression, read_matrix
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.controlled import Controlled
from geoctrl.synthesis.shaping.plant import Plant

__all__ = ["NOTHING", "Further"]


@dataclass(frozen=True)
class Further:
    """A potential and an inertia of the positions, both in `Controlled.position_symbols` and parameters.

    Attributes
    ----------
    potential : expression
        F(z), without a slope at home; also of the plant's configuration, as far as w leaves it alone.
    inertia : sympy matrix, s x s, or None
        N(z), symmetric.
    """

    potential: sp.Expr = sp.S.Zero
    inertia: sp.ImmutableMatrix | None = None

    @classmethod
    def of(cls, potential: Any, inertia: Any) -> Further:
        """What a user gave: an expression; None, an expression for one position, or a matrix."""
        F = expression(potential, "the potential", MatchingError)
        return cls(F, None if inertia is None else _symmetric(inertia))

    def added_to(self, made: Controlled) -> Controlled:
        """The controlled Lagrangian with both."""
        if self == NOTHING:
            return made
        symbols = made.position_symbols
        self._require_known(made.plant, symbols)
        home = dict.fromkeys(symbols, 0)
        if any(sp.simplify(sp.diff(self.potential, z).subs(home)) != 0 for z in symbols):
            raise MatchingError(
                f"the potential {self.potential} has a slope at home, where it is to hold the positions"
            )
        places = dict(zip(symbols, made.positions, strict=True))
        potential = made.potential + self.potential.subs(places, simultaneous=True)
        return replace(made, potential=potential, inertia=self._inertia(made, places))

    def _require_known(self, plant: Plant, symbols: tuple[sp.Symbol, ...]) -> None:
        """Symbols of the positions and parameters; in a potential those of the configuration too."""
        m, names = plant.mechanism, ", ".join(map(str, symbols))
        constants = {p.symbol for p in m.parameters}
        positions = (
            f"of {names}, real symbols," if symbols else "of positions, of which the law holds none, or"
        )
        carried = ", ".join(map(str, m.configuration_symbols))
        other = self.potential.free_symbols - constants - {*symbols, *m.configuration_symbols}
        if other:
            raise MatchingError(
                f"the potential holds {_listed(other)}; it is a function {positions} of parameters of the "
                f"plant or of what the fields w leave alone of {carried}{'' if symbols else _BOTH}"
            )
        if self.inertia is None:
            return
        if not symbols:
            raise MatchingError(f"the law holds no positions, of which an inertia could be{_BOTH}")
        if self.inertia.rows != len(symbols):
            raise MatchingError(
                f"the inertia of the positions {names} is {len(symbols)} x {len(symbols)}, got "
                f"{self.inertia.rows} x {self.inertia.cols}"
            )
        other = self.inertia.free_symbols - constants - set(symbols)
        if other:
            raise MatchingError(
                f"the inertia of the positions holds {_listed(other)}; it is a function {positions} and of "
                "parameters of the plant"
            )

    def _inertia(self, made: Controlled, places: dict[sp.Symbol, sp.Expr]) -> sp.ImmutableMatrix:
        """Gc + Z^T N Z, with zdot = Z xi."""
        if self.inertia is None:
            return made.inertia
        around = Plant(made.mechanism, made.plant.drive)
        Z = sp.Matrix([around.along(z) for z in made.positions])
        N = self.inertia.subs(places, simultaneous=True)
        return sp.ImmutableMatrix(sp.Matrix(made.inertia) + Z.T * N * Z)


NOTHING = Further()
_BOTH = '; take shaping="both"'


def _listed(symbols: set[sp.Symbol]) -> str:
    return ", ".join(sorted(map(str, symbols)))


def _symmetric(given: Any) -> sp.ImmutableMatrix:
    """A matrix of expressions; one expression stands for its only entry."""
    what = "the inertia of the positions"
    single = not hasattr(given, "__len__") or isinstance(given, str)
    matrix = read_matrix(what, [[given]] if single else given, MatchingError)
    if matrix.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
        raise MatchingError(f"{what} must be finite and real, got {matrix.tolist()}")
    if matrix.rows != matrix.cols or not (matrix - matrix.T).applyfunc(sp.expand).is_zero_matrix:
        raise MatchingError(f"{what} must be a symmetric matrix, got {matrix.tolist()}")
    return matrix
