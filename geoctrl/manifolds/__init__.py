"""Global dynamics on products of places, directions and attitudes."""

from geoctrl.manifolds import propositions as propositions
from geoctrl.manifolds.energies.potentials import Pairs, Sites
from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.manifolds.integrate import integrate
from geoctrl.manifolds.mechanisms import (
    bodies_with_joint,
    chain_on_cart,
    pendulum_on_cart,
    pendulum_on_puck,
    quadrotor_with_cable,
    tethered_satellites,
)
from geoctrl.manifolds.products import ProductSystem, ProductTrajectory

__all__ = [
    "Attitude",
    "Direction",
    "Pairs",
    "Place",
    "ProductSystem",
    "ProductTrajectory",
    "Sites",
    "bodies_with_joint",
    "chain_on_cart",
    "integrate",
    "pendulum_on_cart",
    "pendulum_on_puck",
    "quadrotor_with_cable",
    "tethered_satellites",
]
