"""Rigid bodies about their centre of mass: free, constrained, pushed."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E3, FORCE, PALE, SPACE, Sketch, unit

ORIGIN = np.zeros(3)
SEMIAXES = np.array([0.85, 0.62, 0.42])


def _body(s: Sketch, lean: float = 16.0, turned: float = 12.0, semiaxes: np.ndarray = SEMIAXES) -> np.ndarray:
    """An ellipsoid with its principal axes; the body frame."""
    frame = s.leaning(lean, turned)
    s.ellipsoid(ORIGIN, frame * semiaxes)
    s.axes(ORIGIN, frame, (1.75, 1.1, 0.95))
    s.centre(ORIGIN)
    return frame


def free_rigid_body() -> Figure:
    s = Sketch()
    frame = _body(s)
    omega = frame @ np.array([0.25, 0.55, 0.75])
    s.arrow(ORIGIN, omega, r"$\Omega$", ACCENT)
    s.arrow(ORIGIN, 1.25 * unit(frame @ np.array([0.05, 0.3, 0.9])), r"$\Pi$", SPACE, offset=(-9, 4))
    return s.finish()


def veselova() -> Figure:
    s = Sketch()
    frame = s.leaning(16, 12)
    s.circle(ORIGIN, E3, 1.3, fill="#f3eef7", colour=PALE, dash="--")
    s.ellipsoid(ORIGIN, frame * SEMIAXES)
    s.axes(ORIGIN, frame, (1.6, 1.1, 0.9))
    s.centre(ORIGIN)
    s.arrow(ORIGIN, 1.3 * E3, r"$\Gamma$", SPACE, offset=(-9, 4))
    omega = 1.05 * unit(0.2 * s.right - 0.98 * np.cross(E3, s.right))
    s.arrow(ORIGIN, omega, r"$\Omega$", ACCENT)
    s.label(-1.05 * s.right - 0.45 * E3, r"$\Gamma \cdot \Omega = 0$", ACCENT, size=11)
    return s.finish()


def suslov() -> Figure:
    s = Sketch()
    frame = s.leaning(18, 15)
    s.ellipsoid(ORIGIN, frame * np.array([0.8, 0.65, 0.5]))
    s.circle(ORIGIN, frame[:, 2], 1.15, fill="#f3eef7", colour=PALE, dash="--", alpha=0.6)
    s.axes(ORIGIN, frame, (1.5, 1.35, 1.0))
    s.centre(ORIGIN)
    s.arrow(ORIGIN, 0.95 * unit(frame @ np.array([0.75, 0.9, 0])), r"$\Omega$", ACCENT)
    s.label(-1.0 * s.right - 0.6 * E3, r"$\Omega_3 = 0$", ACCENT, size=11)
    return s.finish()


def body_with_body_moment() -> Figure:
    s = Sketch()
    frame = _body(s)
    moment = frame @ np.array([0.15, 0.35, 0.85])
    s.arrow(ORIGIN, 1.15 * moment, "$M$", FORCE)
    s.spin(1.0 * moment, moment, 0.16, colour=FORCE)
    s.label(-1.1 * s.right + 0.95 * E3, "$M_1, M_2, M_3$ in the body", FORCE, size=10)
    return s.finish()


def body_with_spatial_moment() -> Figure:
    s = Sketch()
    _body(s)
    s.arrow(ORIGIN, 1.35 * E3, r"$M\,\Gamma$", SPACE, offset=(-14, 4))
    s.spin(1.15 * E3, E3, 0.17, colour=SPACE)
    s.label(-1.1 * s.right + 0.95 * E3, "fixed in space", SPACE, size=10)
    return s.finish()


def body_with_spatial_force() -> Figure:
    s = Sketch()
    frame = _body(s)
    point = frame @ (SEMIAXES * unit((0.25, 0.75, 0.62)))
    s.arrow(ORIGIN, point, "$r$", ACCENT, offset=(-2, -12))
    s.arrow(point, 0.8 * E3, r"$f\,\Gamma$", FORCE, offset=(16, 0))
    s.mass(point, size=30)
    s.arrow(-1.1 * s.right + 0.3 * E3, 0.7 * E3, r"$\Gamma$", SPACE)
    return s.finish()


def body_with_point_force() -> Figure:
    s = Sketch()
    frame = _body(s)
    point = frame @ (SEMIAXES * unit((0.25, 0.75, 0.62)))
    s.arrow(ORIGIN, point, "$r$", ACCENT, offset=(-2, -12))
    s.arrow(point, 0.6 * E3 + 0.45 * s.right, "$F$", FORCE)
    s.mass(point, size=30)
    s.axes(-1.25 * s.right - 0.75 * E3, None, 0.5, ("$e_1$", "$e_2$", "$e_3$"), SPACE)
    return s.finish()


def charged_body() -> Figure:
    s = Sketch()
    for x in (-1.35, -0.45, 0.45, 1.35):
        s.arrow(x * s.right + 1.25 * E3 + 0.5 * s.towards, -2.3 * E3, colour="#f0c9b4", width=1.0)
    frame = _body(s)
    for sign, place in ((1, (0.2, 0.7, 0.55)), (-1, (0.5, -0.7, -0.3)), (1, (-0.3, 0.55, -0.7))):
        point = frame @ (0.75 * SEMIAXES * unit(place))
        s.label(point, "$+$" if sign > 0 else "$-$", FORCE, size=13)
    s.arrow(ORIGIN, frame @ np.array([0.35, -0.55, 0.75]), "$d$", ACCENT)
    s.label(1.35 * s.right - 1.05 * E3 + 0.5 * s.towards, r"$-E\,\Gamma$", SPACE, (20, 4))
    s.arrow(-1.1 * s.right - 1.1 * E3, 0.75 * unit(0.9 * s.right + 0.2 * E3), "$B\\,b$", BODY)
    return s.finish()


def body_in_field() -> Figure:
    s = Sketch()
    for angle in np.radians(np.arange(0, 360, 30)):
        direction = np.cos(angle) * s.right + np.sin(angle) * s.up
        stretch = np.cos(angle) ** 2 - 0.8 * np.sin(angle) ** 2
        s.arrow(1.35 * direction, 0.32 * stretch * direction, colour="#e3a98b", width=1.0)
    frame = s.leaning(16, 12)
    for k, (size, reach) in enumerate(((40, 0.85), (60, 0.7), (80, 0.55))):
        ends = reach * frame[:, k], -reach * frame[:, k]
        s.line(*ends, width=2.0)
        for end in ends:
            s.mass(end, size=size)
    s.axes(ORIGIN, frame, (1.2, 1.0, 0.9))
    s.centre(ORIGIN)
    s.label(1.5 * s.right + 0.85 * E3, "$G(x)$", SPACE)
    return s.finish()
