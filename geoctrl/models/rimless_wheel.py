"""The rimless wheel: a hub on spokes that rolls down a slope from spoke to spoke."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, rn
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.systems import EulerPoincare, Family, Impact, Parameter
from geoctrl.systems.picture import Block, Disk, Rod, Solid

__all__ = ["rimless_wheel"]


def rimless_wheel() -> EulerPoincare:
    r"""Spokes of length l, 2 a apart, on a slope, in the plane of axis 1, ahead, and axis 2, up.

    The angle theta is that of the spoke on the ground to the vertical; the group is the velocity of its foot,
    which two rows hold until the next spoke strikes.

    .. math::
        L = \tfrac12 m |Y + l\dot\theta (\cos\theta, -\sin\theta)|^2 + \tfrac12 I \dot\theta^2
        - m g l \cos\theta - m g\,z

    What a strike leaves of the rate is :math:`\mu = (I + m l^2 \cos 2a)/(I + m l^2)`; on a slope
    gamma the gait has :math:`\dot\theta_+^2 = \mu^2 c/(1 - \mu^2)`,
    :math:`c = 4 m g l \sin\gamma \sin a/(I + m l^2)`, and the multiplier :math:`\mu^2`.

    Family "standing": the spoke on the ground upright.
    """
    spoke = Coordinate(
        "theta", angle=True, description="angle of the spoke on the ground, clockwise from the vertical"
    )
    parameters = (
        Parameter("m", 1.3, "kg", "mass", positive=True),
        Parameter("I", 0.05, "kg m^2", "moment of inertia about the hub", positive=True),
        Parameter("l", 0.7, "m", "length of a spoke", positive=True),
        Parameter("a", 0.4, "rad", "half the angle between two spokes", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("slope", 0.18, "rad", "angle of the slope, downwards"),
    )
    m, inertia, l, a, g, slope = (p.symbol for p in parameters)  # noqa: E741 - the length's name
    th, w, plane = spoke.symbol, spoke.rate, rn(2)
    foot = sp.Matrix(plane.xi)

    def leg(angle: sp.Expr) -> sp.Matrix:
        return l * sp.Matrix([sp.sin(angle), sp.cos(angle)])

    hub, step = leg(th), leg(th) - leg(th - 2 * a)
    strikes = foot + step.diff(th) * w
    square = foot.dot(foot) + 2 * w * foot.dot(hub.diff(th)) + l**2 * w**2
    strike = Impact(
        "spoke",
        when=th - slope - a,
        direction=1,
        rows=strikes.jacobian(sp.Matrix([*plane.xi, w])),
        releases=["foot x", "foot z"],
        relabel={"theta": th - 2 * a},
        step=step,
    )
    down = (0, 0, -1)
    return EulerPoincare(
        algebra=plane,
        shape=[spoke],
        lagrangian=(m * square + inertia * w**2) / 2 - m * g * hub[1],
        forces=[0, -m * g, 0],
        constraints={"foot x": [1, 0, 0], "foot z": [0, 1, 0]},
        equilibria={"standing": Family({})},
        parameters=parameters,
        jumps=[strike],
        source=(
            "T. McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990); M. J. Coleman, "
            "A. Chatterjee and A. Ruina, Motions of a rimless spoked wheel: a simple 3D system with impacts, "
            "Dynamics and Stability of Systems 12 (1997)"
        ),
        picture=[
            Solid(
                "ground",
                [Block((3 * l, l / 50, l / 2), at=(0, -l / 100, 0))],
                turns=[(down, slope)],
                colour=DARK,
                up=(0, 1, 0),
            ),
            Solid("hub", [Disk(l / 8, thickness=l / 8)], place=(hub[0], hub[1], 0), turns=[(down, th)]),
            *(
                Solid(
                    name,
                    [Rod((0, 0, 0), (0, -l, 0), l / 50)],
                    place=(hub[0], hub[1], 0),
                    turns=[(down, th + 2 * k * a)],
                    colour=ACCENT if k == 0 else None,
                )
                for name, k in (("spoke before", 1), ("spoke on the ground", 0), ("next spoke", -1))
            ),
        ],
        name="rimless-wheel",
    )
