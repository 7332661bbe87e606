r"""Mechanisms on products of places, directions and attitudes, each made from its masses and lengths.

Positions r of all masses are linear in the configuration, and their rates the same combinations of its rates,
so that every kinetic energy here is quadratic with constant coefficients,

.. math::

    K = \tfrac12 \sum_k m_k |\dot r_k|^2 + \tfrac12 \sum_b \Omega_b \cdot J_b \Omega_b,

with J about the centre of mass.
"""

from geoctrl.manifolds.mechanisms.carts import chain_on_cart, pendulum_on_cart, pendulum_on_puck
from geoctrl.manifolds.mechanisms.flying import bodies_with_joint, quadrotor_with_cable
from geoctrl.manifolds.mechanisms.orbiting import tethered_satellites

__all__ = [
    "bodies_with_joint",
    "chain_on_cart",
    "pendulum_on_cart",
    "pendulum_on_puck",
    "quadrotor_with_cable",
    "tethered_satellites",
]
