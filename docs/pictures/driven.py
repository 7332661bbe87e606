"""Pendulums and links with fewer motors than ways to move."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FORCE, PALE, Sketch, unit

ORIGIN = np.zeros(3)


def _up(degrees: float) -> np.ndarray:
    """A direction of a flat drawing, at an angle to the upward vertical."""
    angle = np.radians(degrees)
    return np.array([np.sin(angle), 0, np.cos(angle)])


def _from_upright(s: Sketch, at: np.ndarray, way: np.ndarray, label: str, length: float = 0.95) -> None:
    """The angle of a link from the upward vertical."""
    s.line(at, at + length * E3, colour=PALE, dash="--", width=0.9)
    s.arc(at, E3, way, 0.55, label, ACCENT)


def cart_pendulum() -> Figure:
    s = Sketch.flat()
    way, joint = _up(24), 0.22 * E3
    s.hatch((-1.2, 0, -0.13), (1.2, 0, -0.13))
    s.block(0.0 * E3, (0.42, 0.1, 0.13))
    for side in (-0.26, 0.26):
        s.circle((side, 0, -0.08), E2, 0.06, fill="#dfe7ee")
    s.face((-0.07, 0, 0.13), (0.07, 0, 0.13), joint, fill="#c9d2da")
    _from_upright(s, joint, way, r"$\phi$")
    s.rod(joint, joint + 1.15 * way)
    s.mass(joint, size=18)
    s.mass(joint + 1.15 * way, "$m$", (15, 4), 120)
    s.dimension(joint, joint + 1.15 * way, "$l$", aside=-0.16)
    s.arrow((-1.05, 0, 0), 0.6 * E1, "$u$", FORCE, offset=(-22, 9))
    s.label(0.0 * E3, "$M$")
    s.gravity((-0.95, 0, 1.1), 0.5)
    return s.finish()


def spherical_pendulum_on_puck() -> Figure:
    s = Sketch(azimuth=-62, elevation=22)
    s.plane(-0.09 * E3, (1.35, 1.0))
    s.cylinder(-0.09 * E3, 0.09 * E3, 0.34)
    start, end = 0.09 * E3, 0.09 * E3 + 1.1 * unit((0.55, 0.4, 1.0))
    foot = np.array([*end[:2], -0.09])
    s.line(end, foot, colour=PALE, dash="--", width=0.9)
    s.rod(start, end)
    s.arrow(-0.09 * E3, foot + 0.09 * E3, "$r$", ACCENT, offset=(12, -2))
    s.mass(start, size=16)
    s.mass(end, "$m$", (15, 4), 120)
    s.dimension(start, end, "$l$", aside=0.14)
    s.arrow(0.34 * E1, 0.6 * E1, "$u_1$", FORCE)
    s.arrow(0.34 * E2, 0.6 * E2, "$u_2$", FORCE)
    s.gravity(-1.1 * s.right + 1.1 * E3)
    return s.finish()


def furuta_pendulum() -> Figure:
    s = Sketch(azimuth=-58, elevation=20)
    outward, sideways = unit((0.75, -0.65, 0)), unit((0.65, 0.75, 0))
    end = 0.95 * outward
    way = unit(E3 + 0.6 * sideways)
    s.pivot(-0.75 * E3)
    s.rod(-0.75 * E3, ORIGIN, 6.0)
    s.rod(ORIGIN, end)
    s.line(end, end + 0.95 * E3, colour=PALE, dash="--", width=0.9)
    s.arc(end, E3, way, 0.6, r"$\phi$", ACCENT)
    s.rod(end, end + 1.2 * way)
    s.centre(end + 0.6 * way)
    s.dimension(ORIGIN, end, "$R$", aside=0.14)
    s.dimension(end, end + 0.6 * way, "$l$", aside=0.16)
    s.spin(-0.6 * E3, E3, 0.2, "$u$", FORCE, offset=(28, -4))
    s.gravity(-0.9 * s.right + 0.9 * E3)
    return s.finish()


def ball_and_beam() -> Figure:
    s = Sketch.flat((5.0, 3.4))
    along = unit((1.0, 0, 0.22))
    across = np.array([-along[2], 0, along[0]])
    s.pivot(ORIGIN, 0.2)
    s.line((-0.2, 0, 0), (1.25, 0, 0), colour=PALE, dash="--", width=0.9)
    s.rod(-1.15 * along, 1.15 * along)
    s.circle(0.66 * along + 0.1 * across, E2, 0.1, fill="#dfe7ee")
    s.mass(0.66 * along + 0.1 * across, "$M$", (2, 17), 16)
    s.mass(ORIGIN, size=18)
    s.dimension(ORIGIN, 0.66 * along, "$r$", aside=0.34)
    s.arc(ORIGIN, E1, along, 1.05, r"$\theta$", ACCENT)
    s.spin(ORIGIN, (0, -1, 0), 0.22, r"$\tau$", FORCE, sweep=(60, 170), offset=(-22, 22))
    s.gravity((-1.0, 0, 0.75), 0.4)
    return s.finish()


def inertia_wheel_pendulum() -> Figure:
    s = Sketch.flat()
    way = _up(20)
    s.pivot(ORIGIN, 0.16)
    _from_upright(s, ORIGIN, way, r"$\phi$")
    s.rod(ORIGIN, 1.1 * way)
    s.circle(1.1 * way, E2, 0.34, fill="#dfe7ee")
    s.mass(1.1 * way, size=18)
    s.spin(1.1 * way, (0, 1, 0), 0.44, r"$u_\theta$", FORCE, sweep=(-60, 60), offset=(46, 4))
    s.arrow(1.1 * way, 0.3 * _up(75), r"$\theta$", BODY)
    s.mass(ORIGIN, size=18)
    s.gravity((-0.8, 0, 1.1), 0.5)
    return s.finish()


def acrobot() -> Figure:
    s = Sketch.flat((4.6, 4.2))
    first, second = _up(-22), _up(20)
    elbow = 0.95 * first
    s.pivot(ORIGIN, 0.16)
    _from_upright(s, ORIGIN, first, "$q_1$")
    s.rod(ORIGIN, elbow)
    s.line(elbow, elbow + 0.75 * first, colour=PALE, dash="--", width=0.9)
    s.arc(elbow, first, second, 0.5, "$q_2$", ACCENT)
    s.rod(elbow, elbow + 1.1 * second)
    s.centre(0.48 * first)
    s.centre(elbow + 0.6 * second)
    s.spin(elbow, (0, 1, 0), 0.16, r"$\tau$", FORCE, sweep=(60, 330), offset=(-24, -2))
    s.mass(elbow, size=26)
    s.mass(ORIGIN, size=18)
    s.dimension(ORIGIN, elbow, "$l_1$", aside=0.3)
    s.gravity((0.8, 0, 1.2), 0.5)
    return s.finish()
