"""Pendulum that carries a wheel, by which it is held upright."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate
from geoctrl.systems import EulerPoincare, Family, Parameter, Rotors
from geoctrl.systems.picture import Disk, Rod, Solid

__all__ = ["inertia_wheel_pendulum"]


def inertia_wheel_pendulum() -> EulerPoincare:
    r"""Pendulum in a vertical plane with a wheel driven by the torque u_theta; phi is zero upright.

    .. math::
        L = \tfrac12 I \dot\phi^2 + \tfrac12 J (\dot\phi + \dot\theta)^2 - m g l \cos\phi

    theta_dot is the rate of the wheel relative to the pendulum; I is the moment of inertia about the pivot,
    the wheel's mass at its centre included, its own moment J excluded. The momentum of a free wheel, "wheel",
    is conserved. Families "upright" and "hanging", the wheel at rest.

    The law ``u_theta = k m g l sin(phi)`` leaves ``I phiddot = (1 - k) m g l sin(phi)``: upright is stable
    for k > 1.
    """
    phi = Coordinate("phi", angle=True, description="angle of the pendulum from the upward vertical")
    parameters = (
        Parameter("m", 0.42, "kg", "mass of pendulum and wheel", positive=True),
        Parameter("l", 0.117, "m", "distance from the pivot to their centre of mass", positive=True),
        Parameter("I", 0.0073, "kg m^2", "moment of inertia about the pivot, J excluded", positive=True),
        Parameter("J", 0.00045, "kg m^2", "moment of inertia of the wheel about its axis", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, l, inertia, J, g = (p.symbol for p in parameters)  # noqa: E741 - the length's name
    wheel = Rotors(coupling=[J], inertia=J, names=["theta"])
    return EulerPoincare(
        shape=[phi],
        inertia=[[inertia + J]],
        potential=m * g * l * sp.cos(phi.symbol),
        rotors=wheel,
        invariants={"wheel": J * (phi.rate + wheel.rates[0])},
        equilibria={
            "upright": Family({}),
            "hanging": Family({"phi": sp.pi}),
        },
        parameters=parameters,
        source=(
            "M. W. Spong, P. Corke and R. Lozano, Nonlinear control of the reaction wheel pendulum, "
            "Automatica 37 (2001)"
        ),
        picture=(
            Solid("pendulum", [Rod((0, 0, 0), (0, 0, l))], of=None, turns=[((0, 1, 0), phi.symbol)]),
            Solid(
                "wheel",
                [Disk(l / 2, axis=(0, 1, 0))],
                of=None,
                place=(l * sp.sin(phi.symbol), 0, l * sp.cos(phi.symbol)),
                turns=[((0, 1, 0), phi.symbol), ((0, 1, 0), "theta")],
            ),
        ),
        name="inertia-wheel-pendulum",
    )
