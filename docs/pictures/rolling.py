"""Bodies that roll without slipping."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FILL, FORCE, PALE, SPACE, Sketch, rotation, unit

CONTACT = "#B45309"


def _way(s: Sketch, points: np.ndarray) -> None:
    """The trace of the contact on the ground."""
    s.line(*points, colour=CONTACT, width=1.1, dash=(0, (4, 2)))


def _ball(s: Sketch, centre: np.ndarray, radius: float, fill: str = FILL) -> None:
    s.ellipsoid(centre, radius * np.eye(3), fill=fill, girdle=None)


def _upward(s: Sketch, at: np.ndarray, length: float = 0.6) -> None:
    s.arrow(at, length * E3, r"$\Gamma$", SPACE)


def rolling_disk() -> Figure:
    s = Sketch(azimuth=-48)
    frame = rotation(E2, 66) @ rotation(E3, 40)
    normal, radius = frame[:, 2], 0.8
    lowest = -radius * unit(E3 - normal * normal[2])
    centre = -lowest
    s.plane((0, 0.1, 0), (1.0, 1.5))
    _way(s, np.array([[-0.5 * t**2, -1.35 * t, 0] for t in np.linspace(0, 1, 30)]))
    s.cylinder(centre - 0.025 * normal, centre + 0.025 * normal, radius)
    s.axes(centre, frame, (0.62, 0.62, 0.7))
    s.centre(centre)
    s.dimension(centre, centre + lowest, "$a$", offset=(-9, 0))
    s.mass(0 * E3, "$s$", (4, -11), 30)
    _upward(s, np.array([0.4, 1.15, 0.0]), 0.8)
    s.gravity((0.4, 1.35, 0.8))
    s.spin(centre + 0.5 * normal, normal, 0.16, r"$\Omega_3$", offset=(4, -26))
    return s.finish()


def vertical_rolling_disk() -> Figure:
    s = Sketch(azimuth=-35)
    heading, radius = unit((0.25, 1, 0)), 0.75
    axle, centre = np.cross(E3, heading), 0.75 * E3
    s.plane((0, 0.1, 0), (1.0, 1.5))
    _way(s, np.array([-1.3 * t * heading + 0.35 * t**2 * axle for t in np.linspace(0, 1, 30)]))
    s.cylinder(centre - 0.03 * axle, centre + 0.03 * axle, radius)
    s.axes(centre, np.stack([heading, axle, E3], axis=1), (0.0, 0.65, 1.15), (None, "", ""))
    s.arrow(0 * E3, 1.0 * heading, "$Y_1$", BODY)
    s.centre(centre)
    s.dimension(0 * E3, centre, "$R$", offset=(-9, 0))
    s.spin(centre + 0.45 * axle, axle, 0.14, "rolling", offset=(-20, 20))
    s.spin(1.65 * E3, E3, 0.14, "heading", offset=(38, 0))
    s.mass(0 * E3, size=30)
    s.gravity((0.4, 1.2, 0.9))
    return s.finish()


def chaplygin_sphere() -> Figure:
    s = Sketch()
    frame, centre = s.leaning(24, 20), 0.8 * E3
    s.plane(half=(1.2, 1.35))
    _way(s, np.array([[0.9 * t, -1.1 * t + 0.4 * t * t, 0] for t in np.linspace(0, 1, 30)]))
    _ball(s, centre, 0.8)
    s.ellipsoid(centre, frame * np.array([0.5, 0.36, 0.2]), fill="#c6d5e4", colour=PALE)
    s.axes(centre, frame, 1.05)
    s.centre(centre)
    s.dimension(centre, 0 * E3, "$a$", offset=(-9, -6))
    s.mass(0 * E3, "$s$", (10, -8), 30)
    _upward(s, centre, 1.25)
    s.gravity(-1.2 * s.right + 1.4 * E3)
    return s.finish()


def top_on_sphere() -> Figure:
    s = Sketch()
    frame, centre = s.leaning(30), 0.8 * E3
    axis = frame[:, 2]
    s.plane(half=(1.1, 1.3))
    _ball(s, centre, 0.8)
    s.ellipsoid(centre + 0.1 * axis, frame * np.array([0.5, 0.5, 0.3]), fill="#c6d5e4", colour=PALE)
    s.line(centre - 0.95 * axis, centre, colour=PALE, dash="-.", width=1.0)
    mass = centre + 0.34 * axis
    s.axes(mass, frame, (0.75, 0.75, 0.85))
    s.centre(mass)
    s.mass(centre, size=22)
    s.dimension(centre, mass, "$b$", aside=-0.2)
    s.dimension(0 * E3, centre, "$a$", aside=0.0, offset=(-9, 0))
    s.arrow(mass, -mass, "$s$", CONTACT, offset=(9, 26))
    s.mass(0 * E3, size=30)
    s.spin(mass + 0.66 * axis, axis, 0.13, r"$\Omega_3$", offset=(24, -8))
    _upward(s, np.array([0.55, -0.75, 0.0]), 0.7)
    s.gravity(-1.2 * s.right + 1.5 * E3)
    return s.finish()


def rattleback() -> Figure:
    s = Sketch(azimuth=25, elevation=24)
    centre = 0.34 * E3
    s.plane(half=(0.9, 1.5))
    a, b, c = 1.25, 0.45, 0.34
    angle = np.linspace(0, 2 * np.pi, 60)
    rim = centre + np.stack([b * np.cos(angle), a * np.sin(angle), 0 * angle], axis=1)
    shells = [centre + (rim - centre) * np.cos(t) - c * np.sin(t) * E3 for t in np.linspace(0, np.pi / 2, 20)]
    s.hull(*shells)
    s.face(*rim, fill="#f3f7fa")
    skew = rotation(E3, 20)
    s.line(*(centre + side * 0.95 * skew[:, 1] for side in (-1, 1)), colour=ACCENT, dash="-.", width=1.0)
    s.line(*(centre + side * 0.5 * skew[:, 0] for side in (-1, 1)), colour=ACCENT, dash="-.", width=1.0)
    s.axes(centre, np.stack([E2, -E1, E3], axis=1), (1.5, 0.75, 0.8))
    s.arc(centre, E2, skew[:, 1], 0.8, r"$\delta$", ACCENT)
    s.centre(centre)
    s.arrow(centre, -centre, "$s$", CONTACT, offset=(-11, 8))
    s.mass(0 * E3, size=30)
    s.spin(centre + 0.62 * E3, E3, 0.15, r"$\Omega_3$", offset=(22, 2))
    _upward(s, np.array([0.6, -1.2, 0.0]), 0.6)
    return s.finish()


def unicycle_with_rotor() -> Figure:
    s = Sketch(azimuth=-38)
    heading, radius = unit((0.25, 1, 0)), 0.55
    up = unit(E3 + 0.28 * np.cross(heading, E3))
    axle, centre = np.cross(up, heading), 0.55 * up
    s.plane((0, 0.1, 0), (1.0, 1.4))
    s.line(0 * E3, 1.9 * E3, colour=PALE, dash="--", width=0.9)
    s.cylinder(centre - 0.03 * axle, centre + 0.03 * axle, radius)
    s.rod(centre, 1.75 * up)
    s.cylinder(1.75 * up - 0.04 * heading, 1.75 * up + 0.04 * heading, 0.3, fill="#dfe7ee")
    s.arc(0 * E3, E3, up, 1.4, r"$\theta$", ACCENT)
    s.spin(1.75 * up + 0.1 * heading, heading, 0.38, r"$u_\chi$", FORCE, offset=(44, 8))
    s.arrow(0 * E3, 1.0 * heading, "$Y_1$", BODY)
    s.dimension(0 * E3, centre, "$R$", offset=(-9, 0))
    s.spin(centre + 0.4 * axle, axle, 0.14, r"$\psi$", offset=(20, -14))
    s.mass(0 * E3, size=30)
    s.gravity((0.5, 1.25, 1.2))
    return s.finish()


def whipple_bicycle() -> Figure:
    s = Sketch(azimuth=-72, elevation=14)
    rear, front, rider, fork = (
        np.array([x, 0.0, z]) for x, z in ((0, 0.3), (1.02, 0.35), (0.3, 0.9), (0.9, 0.7))
    )
    backwards = np.array([-np.sin(np.pi / 10), 0.0, np.cos(np.pi / 10)])
    foot, head, top = (np.array([1.1, 0.0, 0.0]) + t * backwards for t in (0.0, 0.66, 0.98))
    s.plane((0.5, 0, 0), (1.0, 0.55))
    for centre, radius in ((rear, 0.3), (front, 0.35)):
        s.cylinder(centre - 0.012 * E2, centre + 0.012 * E2, radius)
        s.mass(centre, size=16)
    s.line(foot, top, colour=PALE, dash="-.", width=1.0)
    for ends in ((rear, rider), (rear, head), (rider, head)):
        s.rod(*ends)
    s.rod(front, head)
    s.rod(head, top)
    s.rod(top - 0.18 * E2, top + 0.18 * E2)
    s.centre(rider, "B", (-14, 6))
    s.centre(fork, "H", (9, 2))
    s.label(rear + 0.17 * E1, "R", offset=(0, -12))
    s.label(front + 0.2 * E1, "F", offset=(0, -12))
    s.line(foot, foot + 1.15 * E3, colour=PALE, dash="-.", width=1.0)
    s.arc(foot, E3, backwards, 1.05, r"$\lambda$", PALE)
    s.dimension(-0.42 * E2, -0.42 * E2 + 1.02 * E1, "$w$", offset=(0, -9))
    s.mass(0 * E3, size=30)
    s.arrow(0 * E3, 0.42 * E1, "$v$", BODY, offset=(2, -10))
    s.spin(top + 0.16 * backwards, -backwards, 0.13, r"$\delta$", offset=(-22, 6))
    s.spin(-0.42 * E1 + 0.02 * E3, E1, 0.13, r"$\varphi$", offset=(-6, 16))
    s.gravity((1.55, 0.0, 1.0))
    return s.finish()


def getz_bicycle() -> Figure:
    s = Sketch(azimuth=-62, elevation=20)
    lean, steer = rotation(E1, 16), rotation(E3, 24)
    rear, front = 0 * E3, 1.05 * E1
    mass = 0.42 * E1 + lean @ (0.95 * E3)
    s.plane((0.45, 0, 0), (1.0, 0.75))
    _way(s, np.array([[-1.0 * t, 0.25 * t**2, 0] for t in np.linspace(0, 0.5, 20)]))
    for contact, turn in ((rear, np.eye(3)), (front, steer)):
        axle, up = turn @ lean @ E2, turn @ lean @ E3
        s.cylinder(contact + 0.22 * up - 0.01 * axle, contact + 0.22 * up + 0.01 * axle, 0.22)
        s.mass(contact, size=26)
    s.line(rear, front, colour=PALE, dash="-.", width=1.0)
    s.line(0.42 * E1, 0.42 * E1 + 1.0 * E3, colour=PALE, dash="-.", width=1.0)
    s.rod(0.42 * E1, mass)
    s.mass(mass, "$m$", (-12, 6))
    s.arc(0.42 * E1, E3, lean @ E3, 0.6, r"$\alpha$", ACCENT)
    s.dimension(0.42 * E1, mass, "$p$", offset=(10, 0))
    s.dimension(-0.5 * E2, -0.5 * E2 + 0.42 * E1, "$c$", offset=(0, -9))
    s.arrow(rear, 0.36 * E1, "$Y_1$", BODY, offset=(-12, 9))
    s.arc(front, E1, steer @ E1, 0.42, "steering", ACCENT)
    s.gravity((1.5, 0.0, 0.95))
    return s.finish()
