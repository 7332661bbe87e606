"""Global dynamics on products of places, directions and attitudes."""

from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.manifolds.integrate import integrate
from geoctrl.manifolds.potentials import Pairs, Sites
from geoctrl.manifolds.product_trajectory import ProductTrajectory
from geoctrl.manifolds.products import ProductSystem

__all__ = [
    "Attitude",
    "Direction",
    "Pairs",
    "Place",
    "ProductSystem",
    "ProductTrajectory",
    "Sites",
    "integrate",
]
