"""Global dynamics on products of places, directions and attitudes."""

from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.manifolds.integrate import integrate
from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.potentials import Pairs, Sites
from geoctrl.manifolds.products import ProductSystem
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.trajectory import ManifoldTrajectory

__all__ = [
    "Attitude",
    "Direction",
    "ManifoldModel",
    "ManifoldSystem",
    "ManifoldTrajectory",
    "Pairs",
    "Place",
    "ProductSystem",
    "Sites",
    "integrate",
]
