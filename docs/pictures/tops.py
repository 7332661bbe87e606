"""Tops: bodies about a fixed point under gravity, and one whose pivot slides."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FORCE, SPACE, Sketch, rotation

ORIGIN = np.zeros(3)


def _top(sketch: Sketch, frame: np.ndarray, foot: np.ndarray) -> None:
    """A spinning top on its tip."""
    low, rim, lid, knob = (foot + s * frame[:, 2] for s in (0.02, 0.78, 0.92, 1.18))
    sketch.cylinder(lid, knob, 0.035, fill="#c9d2da")
    sketch.cylinder(low, rim, 0.02, end=0.46)
    sketch.cylinder(rim, lid, 0.46, end=0.40)


def heavy_top() -> Figure:
    s = Sketch()
    s.plane(half=(0.95, 1.15))
    _lean_and_label(s)
    return s.finish()


def _lean_and_label(s: Sketch) -> np.ndarray:
    frame = s.leaning(24)
    _top(s, frame, ORIGIN)
    s.axes(ORIGIN, frame, (0.95, 0.95, 1.65))
    s.centre(0.72 * frame[:, 2])
    s.arrow(ORIGIN, 1.45 * E3, r"$\Gamma$", SPACE)
    s.dimension(ORIGIN, 0.72 * frame[:, 2], "$l$", aside=-0.62)
    s.spin(1.42 * frame[:, 2], frame[:, 2], 0.17, r"$\Omega_3$", offset=(26, -4))
    s.gravity(-0.85 * s.right + 1.1 * E3)
    return frame


def _equatorial(moments: str) -> Figure:
    """A top whose centre of mass lies off its axis of symmetry, along axis 1."""
    s = Sketch(elevation=24)
    frame = rotation((0.55, 0.83, 0), 16) @ rotation(E3, 62)
    s.plane((0, 0, -0.62), (1.0, 1.15))
    s.pivot((0, 0, -0.1), 0.4)
    s.cylinder(-0.14 * frame[:, 2], 0.14 * frame[:, 2], 0.72)
    top = 0.14 * frame[:, 2]
    s.axes(top, frame, (1.15, 1.15, 0.95))
    s.centre(top + 0.5 * frame[:, 0])
    s.dimension(top, top + 0.5 * frame[:, 0], "$l$", aside=-0.2)
    s.arrow(top, 1.15 * E3, r"$\Gamma$", SPACE, offset=(-9, 4))
    s.label(0.8 * s.right + 1.05 * E3, moments, size=11)
    s.gravity(-1.0 * s.right + 0.9 * E3)
    return s.finish()


def kovalevskaya_top() -> Figure:
    return _equatorial("$I_1 = I_2 = 2\\,I_3$")


def goryachev_chaplygin_top() -> Figure:
    return _equatorial("$I_1 = I_2 = 4\\,I_3$")


def top_on_movable_base() -> Figure:
    s = Sketch()
    s.plane((0, 0, -0.14), (1.2, 1.5))
    s.block((0, 0, -0.07), (0.36, 0.52, 0.07))
    _lean_and_label(s)
    s.arrow(0.52 * E2 - 0.07 * E3, 0.5 * E2, "$Y$", ACCENT)
    s.label(0.36 * E1 + 0.1 * E2 - 0.07 * E3, "$M$", size=10)
    return s.finish()


def tippe_top() -> Figure:
    s = Sketch(azimuth=-60, elevation=16)
    radius, centre = 0.8, 0.8 * E3
    axis = s.leaning(28)[:, 2]
    s.plane(half=(1.05, 1.25))
    s.ellipsoid(centre, radius * np.eye(3), girdle=None)
    s.cylinder(centre + 0.78 * axis, centre + 1.12 * axis, 0.07, fill="#c9d2da")
    low = centre - 0.26 * axis
    s.arrow(low, 1.75 * axis, "$E_3$", BODY)
    s.mass(centre, size=18)
    s.centre(low)
    s.dimension(low, centre, r"$\epsilon R$", aside=-0.2)
    s.arrow(centre, 0.75 * E3, r"$\Gamma$", SPACE, offset=(-11, 2))
    s.mass(ORIGIN, size=26)
    s.arrow(ORIGIN, -0.7 * E2, "$F$", FORCE)
    s.gravity(-1.1 * s.right + 1.3 * E3)
    s.spin(centre + 1.2 * axis, axis, 0.16, r"$n$", offset=(24, -4))
    return s.finish()
