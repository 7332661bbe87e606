"""Lie algebras of mechanisms: standard ones and products, their matrix groups, and advected parameters."""

from __future__ import annotations

from geoctrl.algebra.advected import AdvectedParameter, AdvectedVector, momentum_map
from geoctrl.algebra.coordinate import Coordinate, Quasicoordinate
from geoctrl.algebra.groups import product, rn, se2, se3, so2, so3
from geoctrl.algebra.height import Height
from geoctrl.algebra.lie import AlgebraFactor, LieAlgebra
from geoctrl.algebra.steady_frame import SteadyFrame

__all__ = [
    "AdvectedParameter",
    "AdvectedVector",
    "AlgebraFactor",
    "Coordinate",
    "Height",
    "LieAlgebra",
    "Quasicoordinate",
    "SteadyFrame",
    "momentum_map",
    "product",
    "rn",
    "se2",
    "se3",
    "so2",
    "so3",
]
