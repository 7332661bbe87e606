"""Pendulums: in a plane, on a skew hinge, and about a pivot in space."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E3, PALE, SPACE, Sketch, rotation, unit

ORIGIN = np.zeros(3)


def _down(degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """Axes 1 and 2 of a link of a flat drawing, axis 1 hanging at an angle to the vertical."""
    angle = np.radians(degrees)
    along = np.array([np.sin(angle), 0, -np.cos(angle)])
    return along, np.array([np.cos(angle), 0, np.sin(angle)])


def planar_pendulum() -> Figure:
    s = Sketch.flat()
    along, across = _down(32)
    s.hatch((-0.6, 0, 0.16), (0.6, 0, 0.16), 0.09, E3)
    s.face((-0.09, 0, 0.16), (0.09, 0, 0.16), ORIGIN, fill="#c9d2da")
    s.ellipsoid(
        0.62 * along, np.stack([0.78 * along, 0.05 * np.array([0, 1, 0]), 0.2 * across], axis=1), girdle=None
    )
    s.line(ORIGIN, -1.35 * E3, colour=PALE, dash="--", width=0.9)
    s.arrow(ORIGIN, 1.62 * along, "$E_1$", BODY)
    s.arrow(ORIGIN, 0.6 * across, "$E_2$", BODY)
    s.arrow(ORIGIN - 0.75 * E1, -0.8 * E3, r"$\Gamma$", SPACE)
    s.gravity((-1.0, 0, 0.0), 0.5)
    s.centre(0.72 * along)
    s.dimension(ORIGIN, 0.72 * along, "$l$", aside=-0.34)
    s.spin(ORIGIN, (0, -1, 0), 0.32, r"$\Omega$", sweep=(-82, -20), offset=(30, -20))
    s.mass(ORIGIN, size=18)
    return s.finish()


def double_planar_pendulum() -> Figure:
    s = Sketch.flat((4.6, 4.2))
    first, _ = _down(28)
    second, _ = _down(62)
    joint = 0.9 * first
    end = joint + 0.75 * second
    s.hatch((-0.5, 0, 0.14), (0.5, 0, 0.14), 0.09, E3)
    s.face((-0.09, 0, 0.14), (0.09, 0, 0.14), ORIGIN, fill="#c9d2da")
    s.rod(ORIGIN, joint)
    s.rod(joint, end)
    s.arrow(joint, 0.42 * first, "$E_1$", BODY, offset=(-10, -6))
    s.arrow(end, 0.4 * second, "$E_1'$", BODY, offset=(12, -4))
    s.mass(joint, "$m_1$", (-17, 0), 110)
    s.mass(end, "$m_2$", (2, 15), 110)
    s.mass(ORIGIN, size=18)
    s.dimension(ORIGIN, joint, "$l_1$", aside=0.16)
    s.dimension(joint, end, "$l_2$", aside=0.16)
    s.arrow((-0.62, 0, 0.0), -0.7 * E3, r"$\Gamma,\ \Delta$", SPACE, offset=(0, -11))
    s.gravity((-0.9, 0, 0.0), 0.5)
    return s.finish()


def _body(s: Sketch, frame: np.ndarray, centre: np.ndarray, axes=(0.3, 0.42, 0.62), **style) -> None:
    s.ellipsoid(centre, frame * np.array(axes), **style)


def pendulum_3d() -> Figure:
    s = Sketch()
    frame = s.leaning(22, 25)
    rho = frame @ (-0.55 * unit((0.3, -0.25, 1.0)))
    s.hatch(-0.5 * s.right + 0.22 * E3, 0.5 * s.right + 0.22 * E3, 0.08, E3)
    s.line(0.22 * E3, ORIGIN, width=2.4)
    _body(s, frame, 0.9 * rho, (0.34, 0.46, 0.66))
    s.axes(ORIGIN, frame, (0.8, 0.75, 0.75))
    s.arrow(ORIGIN, rho, r"$\rho$", ACCENT, offset=(11, 3))
    s.centre(rho)
    s.arrow(ORIGIN - 0.95 * s.right - 0.6 * E3, 0.75 * E3, r"$\Gamma$", SPACE)
    s.gravity(-1.2 * s.right + 0.0 * E3, 0.5)
    s.mass(ORIGIN, size=26)
    return s.finish()


def rigid_body_planar_pendulum() -> Figure:
    s = Sketch(azimuth=-70, elevation=12)
    a = unit((3, 0, 4))
    frame = rotation(a, 70)
    rho = 0.62 * (frame @ unit((0.8, 0.45, -0.75)))
    circle = s.round(a * (a @ rho), a, np.linalg.norm(rho - a * (a @ rho)))
    s.line(-1.05 * a, 1.15 * a, colour=PALE, dash="-.", width=1.2)
    s.line(*circle, colour=PALE, dash=":", width=1.0)
    _body(s, frame @ rotation((0.3, 1, 0), 35), 0.85 * rho, (0.42, 0.3, 0.5))
    for end in (-0.8, 0.8):
        s.block(end * a, (0.07, 0.07, 0.12), rotation((0, 1, 0), 36.87))
    s.arrow(ORIGIN, 1.25 * a, "$a$", BODY)
    s.arrow(ORIGIN, rho, r"$\rho$", ACCENT, offset=(10, -4))
    s.centre(rho)
    s.mass(ORIGIN, size=26)
    s.spin(1.0 * a, a, 0.16, r"$\omega$", offset=(22, -8))
    s.arrow(-1.0 * E1 - 0.1 * E3, 0.7 * E3, r"$\Gamma$", SPACE)
    s.gravity(-0.75 * E1 + 0.6 * E3)
    return s.finish()
