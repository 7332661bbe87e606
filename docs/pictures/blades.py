"""Bodies on an edge that slides along its direction and never sideways."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import E1, E2, E3, FILL, PALE, SPACE, Sketch, rotation

ICE = "#e8f1f6"
TRACE = "#B45309"


def _trace(s: Sketch, back: np.ndarray, side: np.ndarray, bend: float = 0.25) -> None:
    """Where the edge has been."""
    s.line(*(t * back + bend * t * t * side for t in np.linspace(0, 1, 30)), colour=TRACE, dash=(0, (4, 2)))


def _skater(s: Sketch, lean: float = 20.0) -> np.ndarray:
    """Blade along axis 1 of space, the rod leaning sideways; the body frame."""
    frame = rotation(E1, -lean)
    s.plane((0.2, 0, 0), (1.6, 1.0), fill=ICE)
    _trace(s, -1.3 * E1, E2)
    up = frame[:, 2]
    s.face(-0.5 * E1, 0.55 * E1, 0.68 * E1 + 0.12 * up, -0.55 * E1 + 0.12 * up, fill="#b8c4ce")
    return frame


def _pendulum(s: Sketch, frame: np.ndarray, place: np.ndarray) -> None:
    s.rod(0.12 * frame[:, 2], place)
    s.ellipsoid(place, frame * np.array([0.2, 0.2, 0.3]), girdle=2)


def pendulum_skate() -> Figure:
    s = Sketch(azimuth=58)
    frame = _skater(s)
    place = 1.15 * frame[:, 2]
    _pendulum(s, frame, place)
    s.axes(0 * E3, frame, (1.05, 0.75, 1.75))
    s.centre(place)
    s.arrow(0 * E3, 1.55 * E3, r"$\Gamma$", SPACE)
    s.arc(0 * E3, E3, frame[:, 2], 0.62, r"$\varphi$")
    s.dimension(0 * E3, place, "$l$", aside=-0.42)
    s.gravity(-1.0 * s.right + 1.3 * E3)
    return s.finish()


def pendulum_skate_rotor() -> Figure:
    s = Sketch(azimuth=58)
    frame = _skater(s)
    place = 1.15 * frame[:, 2]
    s.rod(0.12 * frame[:, 2], place)
    s.cylinder(place - 0.06 * E1, place + 0.06 * E1, 0.3)
    s.axes(0 * E3, frame, (1.05, 0.75, 1.8))
    s.centre(place)
    s.spin(place + 0.35 * E1, E1, 0.16, r"$\theta,\ u$", offset=(-30, 12))
    s.line(place, place + 0.5 * E1, colour=PALE, dash="-.", width=1.0)
    s.arrow(0 * E3, 1.55 * E3, r"$\Gamma$", SPACE)
    s.dimension(0 * E3, place, "$l$", aside=-0.52)
    s.gravity(-1.0 * s.right + 1.3 * E3)
    return s.finish()


def pendulum_skate_offset() -> Figure:
    s = Sketch(azimuth=58)
    frame = _skater(s)
    place = 0.4 * E1 + 1.15 * frame[:, 2]
    _pendulum(s, frame, place)
    s.axes(0 * E3, frame, (1.05, 0.75, 1.6))
    s.centre(place)
    s.dimension(1.15 * frame[:, 2], place, "$b$", aside=-0.42)
    s.dimension(0 * E3, 1.15 * frame[:, 2], "$l$", aside=-0.5)
    s.arrow(0 * E3, 1.5 * E3, r"$\Gamma$", SPACE)
    s.gravity(-1.0 * s.right + 1.3 * E3)
    return s.finish()


def chaplygin_sleigh() -> Figure:
    s = Sketch(azimuth=-60, elevation=38)
    frame = rotation(E3, 24)
    ahead, side = frame[:, 0], frame[:, 1]
    s.plane((0.1, 0.05, 0), (1.5, 1.0))
    _trace(s, -1.1 * ahead, side, -0.35)
    corners = [-0.25 * ahead - 0.16 * side, 1.0 * ahead - 0.42 * side, 1.2 * ahead, 1.0 * ahead + 0.42 * side]
    corners.append(-0.25 * ahead + 0.16 * side)
    s.face(*corners, fill=FILL)
    s.line(-0.2 * ahead, 0.2 * ahead, width=4.5)
    s.axes(0 * E3, frame, (1.0, 0.85, 0.0), ("$E_1$", "$E_2$", None))
    s.centre(0.62 * ahead)
    s.dimension(0 * E3, 0.62 * ahead, "$a$", aside=-0.3)
    s.spin(0.02 * E3, E3, 0.34, r"$\Omega$", sweep=(140, 250), offset=(-34, 14))
    for foot in (0.85 * ahead - 0.3 * side, 0.85 * ahead + 0.3 * side):
        s.mass(foot, size=16)
    return s.finish()


def _wheelset(s: Sketch, place: np.ndarray, heading: np.ndarray) -> None:
    """An axle with a wheel at either end."""
    axle = np.cross(E3, heading)
    s.rod(place - 0.26 * axle + 0.1 * E3, place + 0.26 * axle + 0.1 * E3)
    for end in (-0.26, 0.26):
        wheel = place + end * axle + 0.1 * E3
        s.cylinder(wheel - 0.02 * axle, wheel + 0.02 * axle, 0.1)


def snakeboard() -> Figure:
    s = Sketch(azimuth=-62, elevation=34)
    frame = rotation(E3, 14)
    ahead = frame[:, 0]
    s.plane((0, 0, 0), (1.7, 1.1))
    for end, turn in ((-1.0, 24.0), (1.0, -24.0)):
        place = end * ahead
        heading = rotation(E3, 14 + turn)[:, 0]
        _wheelset(s, place, heading)
        s.line(place, place + 0.5 * heading, colour=PALE, dash="-.", width=1.0)
        s.arc(place, ahead, heading, 0.42, r"$\phi$" if end < 0 else r"$-\phi$")
    s.rod(-1.0 * ahead + 0.16 * E3, 1.0 * ahead + 0.16 * E3)
    s.cylinder(0.2 * E3, 0.26 * E3, 0.34, fill="#dfe7ee")
    s.spin(0.32 * E3, E3, 0.42, r"$\psi$", sweep=(140, 260), offset=(-30, 12))
    s.axes(0 * E3, frame, (0.7, 0.7, 0.0), ("$E_1$", "$E_2$", None))
    s.dimension(0 * E3, ahead, "$l$", aside=-0.4)
    return s.finish()


def roller_racer() -> Figure:
    s = Sketch(azimuth=-62, elevation=34)
    frame = rotation(E3, 10)
    ahead = frame[:, 0]
    s.plane((0.3, 0, 0), (1.5, 1.0))
    hinge, steered = 1.0 * ahead, rotation(E3, 10 + 32)[:, 0]
    _wheelset(s, 0 * E3, ahead)
    _wheelset(s, hinge - 0.4 * steered, steered)
    s.rod(0.1 * E3, hinge + 0.1 * E3)
    s.rod(hinge + 0.1 * E3, hinge - 0.4 * steered + 0.1 * E3)
    s.mass(hinge + 0.1 * E3, size=22)
    s.arc(hinge, ahead, steered, 0.5, r"$\phi,\ u$")
    s.line(hinge, hinge + 0.6 * steered, colour=PALE, dash="-.", width=1.0)
    s.axes(0 * E3, frame, (0.7, 0.7, 0.0), ("$E_1$", "$E_2$", None))
    s.dimension(0 * E3, hinge, "$d_1$", aside=-0.45)
    s.dimension(hinge - 0.4 * steered, hinge, "$d_2$", aside=0.4)
    return s.finish()
