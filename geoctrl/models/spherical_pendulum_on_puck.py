"""Spherical pendulum on a puck that slides on a plane."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, rn
from geoctrl.models.catalogue_solids import DARK, pointer
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Solid

__all__ = ["spherical_pendulum_on_puck"]


def spherical_pendulum_on_puck() -> EulerPoincare:
    r"""Puck with the velocity Y, driven by the force (u1, u2), and a bob on a light rod of length l.

    s is the bob's direction, projected from the lowest point of its sphere: the rod leans by 2 arctan |s|
    towards s, and only the hanging pendulum is not covered. The bob is at r from the puck, seen from above,
    and at the height z,

    .. math::
        r = \frac{2 l s}{1 + s^2}, \qquad z = l\,\frac{1 - s^2}{1 + s^2}, \qquad
        L = \tfrac12 (M + m)|Y|^2 + m\, Y \cdot \dot r + \frac{2 m l^2 |\dot s|^2}{(1 + s^2)^2} - m g z

    The place of the puck is cyclic: Y is the velocity of a group. Its momentum (P1, P2) is conserved, and so
    is the angular momentum about the common centre of mass, "spin". Family "upright".
    """
    s1 = Coordinate("s1", description="direction of the bob, first component")
    s2 = Coordinate("s2", description="direction of the bob, second component")
    parameters = (
        Parameter("M", 0.6, "kg", "mass of the puck", positive=True),
        Parameter("m", 0.25, "kg", "mass of the bob", positive=True),
        Parameter("l", 0.45, "m", "length of the rod", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    M, m, l, g = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    algebra = rn(2)
    Y, P = algebra.xi, sp.Matrix(algebra.mu)
    s, turn = sp.Matrix([s1.symbol, s2.symbol]), sp.Matrix([s1.rate, s2.rate])
    wide = 1 + s.dot(s)
    r = 2 * l * s / wide
    swing = 2 * l * (turn / wide - 2 * s.dot(turn) * s / wide**2)
    kinetic = (M + m) * Y.dot(Y) / 2 + m * Y.dot(swing) + 2 * m * l**2 * turn.dot(turn) / wide**2
    p = sp.Matrix(sp.symbols("p_s1 p_s2", real=True))
    pull = m / (M + m) * P
    return EulerPoincare(
        algebra=algebra,
        shape=[s1, s2],
        lagrangian=kinetic - m * g * l * (1 - s.dot(s)) / wide,
        forces=[*sp.symbols("u1 u2", real=True), 0, 0],
        inputs=["u1", "u2"],
        invariants={"spin": s[0] * p[1] - s[1] * p[0] - r[0] * pull[1] + r[1] * pull[0]},
        equilibria={"upright": Family({})},
        parameters=parameters,
        source=(
            "A. M. Bloch, N. E. Leonard and J. E. Marsden, Controlled Lagrangians and the stabilization of "
            "mechanical systems I, IEEE Transactions on Automatic Control 45 (2000)"
        ),
        # Half a turn about the middle between two directions takes one to the other.
        picture=[
            Solid("puck", [Disk(l / 3, at=(0, 0, -l / 15), thickness=l / 8)], colour=DARK),
            Solid("bob", pointer((0, 0, l)), turns=[((*s, 1), sp.pi)]),
        ],
        name="spherical-pendulum-on-puck",
    )
