"""A quadrotor with a load on a cable, and two bodies with a joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, whole_number
from geoctrl.manifolds.factors import Attitude, Place
from geoctrl.manifolds.mechanisms.parts import (
    EARTH,
    MOST_LINKS,
    directions,
    exactly,
    finite_vector,
    inertia_tensor,
    is_vertical,
    kinetic_energy,
    link_ends,
    positive_numbers,
    turning_energy,
    two_inertias,
    values_of,
    weight_energy,
)
from geoctrl.manifolds.mechanisms.solids_of_links import ACCENT, arm, link_solids
from geoctrl.manifolds.products import ProductSystem
from geoctrl.manifolds.vectors.entries import vector
from geoctrl.systems import Family
from geoctrl.systems.picture import Block, Disk, Rod, Shape, Solid

__all__ = ["bodies_with_joint", "quadrotor_with_cable"]


def quadrotor_with_cable(
    links: int = 1,
    mass: float = 0.5,
    inertia: Any = (0.00557, 0.00557, 0.0105),
    link_masses: Any = 0.1,
    link_lengths: Any = 0.4,
    attachment: Sequence[float] = (0.0, 0.0, 0.0),
    gravity: Sequence[float] = EARTH,
) -> ProductSystem:
    r"""A quadrotor from which a cable of rigid links hangs, on :math:`R^3 \times SO(3) \times (S^2)^n`.

    .. math::

        r_0 = x, \qquad r_i = x + R \rho + \sum_{j \le i} l_j q_j, \qquad
        V = -\sum_{i \ge 0} m_i\, g \cdot r_i, \qquad f_x = f R e_3

    The last mass is the load. Inputs: thrust f along the third body axis (N), M_1..3, moment in the body
    (N m). Family "hover" at the symbols x0, y0, z0 (m), where gravity is along the third axis and the
    attachment too: upright, the cable hanging, the thrust the whole weight.

    Parameters
    ----------
    links : int
        n.
    mass : float
        Of the quadrotor (kg).
    inertia : array (3, 3), or (3,) the principal moments
        About its centre of mass (kg m^2).
    link_masses, link_lengths : float or (n,)
        Mass at the lower end of each link (kg), its length (m).
    attachment : (3,)
        rho, from the centre of mass to where the cable begins, in the body (m).
    gravity : (3,)
        Acceleration (m/s^2).

    Raises
    ------
    InputError
        If masses and lengths are no positive numbers, one or n of them; if the inertia is not symmetric
        positive definite.

    Examples
    --------
    >>> drone = quadrotor_with_cable(links=2)
    >>> drone.input_labels
    ('thrust', 'M_1', 'M_2', 'M_3')
    >>> drone.equilibrium("hover", x0=0, y0=0, z0=1).u.round(3)
    array([6.867, 0.   , 0.   , 0.   ])
    """
    count = whole_number("links", links, 1, MOST_LINKS)
    m = np.concatenate(
        [positive_numbers("mass", mass, 1), positive_numbers("link_masses", link_masses, count)]
    )
    length = positive_numbers("link_lengths", link_lengths, count)
    arm, g = finite_vector("attachment", attachment), finite_vector("gravity", gravity)
    x, R, rho = Place("x"), Attitude("R"), exactly(arm)
    q = directions(count)
    positions = [x.z, *link_ends(x.z + R.z * rho, [d.z for d in q], length)]
    rates = [x.rate, *link_ends(x.rate + R.rate * rho, [d.rate for d in q], length)]
    thrust, moment = sp.Symbol("thrust", real=True), vector("M")
    families = {}
    if is_vertical(g) and is_vertical(arm) and g[2] < 0:
        away = [sp.Symbol(name, real=True) for name in ("x0", "y0", "z0")]
        states = values_of(x, away) | values_of(R, sp.eye(3))
        for d in q:
            states |= values_of(d, (0, 0, -1))
        weight = sum(exactly(m)) * -exactly(g)[2]
        families["hover"] = Family(states, symbols=away, inputs={"thrust": weight})
    return ProductSystem(
        [x, R, *q],
        kinetic=kinetic_energy(m, rates) + turning_energy(R, inertia_tensor(inertia)),
        potential=weight_energy(m, positions, g),
        forces={"x": thrust * R.z[:, 2], "R": moment},
        inputs=[thrust, *moment],
        equilibria=families,
        picture=[
            Solid("quadrotor", _cross(float(length[0]) / 2), of=2, place=R.z.T * x.z),
            *link_solids(x.z + R.z * rho, [d.z for d in q], length),
        ],
        name="quadrotor-with-cable",
        source="F. A. Goodarzi, D. Lee, T. Lee, Int. J. Control, Automation and Systems 13 (2015) 1486-1498",
    )


def bodies_with_joint(
    masses: Sequence[float] = (1.0, 0.8),
    inertias: Any = ((0.06, 0.05, 0.03), (0.04, 0.05, 0.02)),
    arms: Any = ((0.0, 0.0, 0.4), (0.0, 0.1, -0.3)),
) -> ProductSystem:
    r"""Two rigid bodies joined by a ball joint, flying freely, on :math:`R^3 \times SO(3)^2`.

    .. math:: r_1 = x, \qquad r_2 = x + R_1 d_1 - R_2 d_2, \qquad V = 0

    Linear and angular momentum are kept. Inputs: tau_1..3, moment in space on the second body, its opposite
    on the first (N m). Family "resting": both attitudes the identity.

    Parameters
    ----------
    masses : (2,)
        kg.
    inertias : two arrays (3, 3) or (3,)
        About the centres of mass (kg m^2).
    arms : (2, 3)
        d_1 and d_2, from the centres of mass to the joint, each in its body (m).

    Raises
    ------
    InputError
        If masses are not positive, or an inertia is not symmetric positive definite.

    Examples
    --------
    >>> bodies_with_joint().conserved()[:4]
    ('energy', 'momentum1', 'momentum2', 'momentum3')
    """
    m = positive_numbers("masses", masses, 2)
    J = two_inertias(inertias)
    d1, d2 = (exactly(arm) for arm in finite_array("arms", arms, (2, 3)))
    x, R1, R2 = Place("x"), Attitude("R1"), Attitude("R2")
    rates = [x.rate, x.rate + R1.rate * d1 - R2.rate * d2]
    tau = vector("tau")
    return ProductSystem(
        [x, R1, R2],
        kinetic=kinetic_energy(m, rates) + turning_energy(R1, J[0]) + turning_energy(R2, J[1]),
        forces={"R1": -R1.z.T * tau, "R2": R2.z.T * tau},
        inputs=list(tau),
        equilibria={"resting": Family(values_of(R1, sp.eye(3)) | values_of(R2, sp.eye(3)))},
        picture=[
            Solid("first body", _block_with_arm(d1), of=2, place=R1.z.T * x.z),
            Solid(
                "second body", _block_with_arm(d2), of=3, place=R2.z.T * (x.z + R1.z * d1) - d2, colour=ACCENT
            ),
        ],
        name="bodies-with-joint",
        source="P. S. Krishnaprasad, J. E. Marsden, Arch. Rational Mech. Anal. 98 (1987) 71-93",
    )


def _cross(size: float) -> list[Shape]:
    """Four rotors on two rods."""
    tips = [(size, 0, 0), (0, size, 0), (-size, 0, 0), (0, -size, 0)]
    rods: list[Shape] = [Rod((0, 0, 0), tip, size / 30) for tip in tips]
    return [*rods, *(Disk(2 * size / 5, at=tip, thickness=size / 30, opacity=0.5) for tip in tips)]


def _block_with_arm(d: sp.Matrix) -> list[Shape]:
    """A block about the centre of mass, with an arm to the joint."""
    size = float(d.norm()) or 1.0
    return [Block((size / 2, size / 3, size / 4)), *arm(d, size / 6)]
