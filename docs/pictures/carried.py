"""What hangs from something that moves: cables, chains and bodies on carts, tethers; bodies with a joint."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FORCE, PALE, SPACE, Sketch, rotation, unit

ORIGIN = np.zeros(3)


def _links(s: Sketch, start: np.ndarray, ways: tuple, lengths: tuple[float, ...], asides: tuple) -> list:
    """Rods one after the other with the names of their directions; where they end."""
    joints = [start]
    for way, length in zip(ways, lengths, strict=True):
        joints.append(joints[-1] + length * way)
    for a, b in pairwise(joints):
        s.rod(a, b)
    for i, (joint, way, aside) in enumerate(zip(joints, ways, asides, strict=False), 1):
        s.arrow(joint, 0.42 * way, f"$q_{i}$", BODY, offset=aside)
    return joints[1:]


def _rail(s: Sketch, along: np.ndarray, half: float) -> None:
    for side in (-1, 1):
        aside = 0.12 * side * np.cross(E3, along) - 0.1 * E3
        s.line(-half * along + aside, half * along + aside, colour=PALE, width=2.0)


def quadrotor_with_cable() -> Figure:
    s = Sketch(azimuth=-55, elevation=14)
    frame = rotation((0.6, 1.0, 0.2), 14) @ rotation(E3, 20)
    for k in (0, 1):
        s.rod(-0.62 * frame[:, k], 0.62 * frame[:, k], 3.4)
        for side in (-0.62, 0.62):
            s.circle(side * frame[:, k] + 0.06 * frame[:, 2], frame[:, 2], 0.22, fill="#dfe7ee")
    ways = (unit((0.25, 0.1, -1.0)), unit((0.6, -0.3, -1.0)))
    first, load = _links(s, ORIGIN, ways, (0.75, 0.7), ((-15, -2), (-15, -4)))
    s.mass(first, "$m_1$", (15, 2), 40)
    s.mass(load, "$m_2$", (17, 0), 150)
    s.arrow(ORIGIN, 0.85 * frame[:, 2], "$f$", FORCE, offset=(10, 0))
    s.spin(0.42 * frame[:, 2], frame[:, 2], 0.16, "$M$", offset=(24, 2))
    s.arrow(-1.5 * s.right - 1.2 * E3, 1.5 * s.right + 1.2 * E3 - 0.06 * E3, "", SPACE)
    s.label(-0.85 * s.right - 0.62 * E3, "$x$", SPACE, (-8, 8), 12)
    s.gravity(1.1 * s.right - 0.4 * E3)
    s.centre(ORIGIN)
    return s.finish()


def chain_on_cart() -> Figure:
    s = Sketch(azimuth=-62, elevation=16)
    _rail(s, E1, 1.25)
    s.block(ORIGIN, (0.3, 0.16, 0.1))
    ways = (unit((0.45, 0.3, 1.0)), unit((-0.35, 0.2, 1.0)))
    top = 0.1 * E3
    first, second = _links(s, top, ways, (0.8, 0.7), ((15, -2), (14, 6)))
    s.mass(top, size=16)
    s.mass(first, "$m_1$", (18, 2), 90)
    s.mass(second, "$m_2$", (18, 2), 90)
    s.arrow(-0.3 * E1, -0.55 * E1, "", FORCE)
    s.label(-0.62 * E1, "$F$", FORCE, (0, 12), 12)
    s.arrow(0.75 * E1 - 0.32 * E3, 0.5 * E1, "$x$", SPACE)
    s.gravity(1.15 * s.right + 1.3 * E3)
    return s.finish()


def pendulum_on_puck() -> Figure:
    s = Sketch(azimuth=-62, elevation=22)
    s.plane(-0.09 * E3, (1.35, 1.0))
    s.cylinder(-0.09 * E3, 0.09 * E3, 0.34)
    way = unit((0.5, 0.35, 1.0))
    (end,) = _links(s, 0.09 * E3, (way,), (1.1,), ((-14, 2),))
    s.mass(0.09 * E3, size=16)
    s.mass(end, "$m$", (15, 4), 120)
    s.arrow(0.34 * E1, 0.6 * E1, "$F_1$", FORCE)
    s.arrow(0.34 * E2, 0.6 * E2, "$F_2$", FORCE)
    s.gravity(-1.1 * s.right + 1.1 * E3)
    return s.finish()


def pendulum_on_cart() -> Figure:
    s = Sketch(azimuth=-62, elevation=20)
    s.plane(0.55 * E3, (1.35, 0.95))
    s.block(0.65 * E3, (0.28, 0.2, 0.1))
    s.line(0.55 * E3, 0.3 * E3, width=2.2)
    pivot = 0.3 * E3
    frame = rotation((0.4, 1.0, 0.1), -24) @ rotation(E3, 30)
    centre = pivot - 0.8 * frame[:, 2]
    s.ellipsoid(centre, frame * np.array([0.3, 0.4, 0.62]))
    s.axes(centre, frame, (0.62, 0.7, 0.0), ("$E_1$", "$E_2$", None))
    s.arrow(pivot, centre - pivot, "", ACCENT)
    s.label(pivot + 0.3 * (centre - pivot), r"$\rho$", ACCENT, (11, 2), 12)
    s.centre(centre)
    s.mass(pivot, size=24)
    s.arrow(0.28 * E1 + 0.65 * E3, 0.6 * E1, "$F_1$", FORCE)
    s.arrow(0.2 * E2 + 0.65 * E3, 0.6 * E2, "$F_2$", FORCE)
    s.gravity(-1.1 * s.right - 0.5 * E3)
    return s.finish()


def bodies_with_joint() -> Figure:
    s = Sketch(azimuth=-60, elevation=16)
    frames = rotation((0.2, 1.0, 0.1), 58), rotation((0.3, 1.0, 0.4), 128)
    ends = 0.85 * frames[0][:, 2], 0.8 * frames[1][:, 2]
    for frame, end, name, side in zip(frames, ends, ("$d_1$", "$d_2$"), (-1, 1), strict=True):
        centre = side * end
        s.ellipsoid(centre, frame * np.array([0.3, 0.4, 0.6]))
        s.axes(centre, frame, (0.62, 0.75, 0.0), ("$E_1$", "$E_2$", None))
        s.arrow(centre, -centre, "", ACCENT)
        s.label(0.45 * centre, name, ACCENT, (0, -14), 12)
        s.centre(centre)
    s.mass(ORIGIN, size=60)
    s.spin(0.05 * E3, E3, 0.24, r"$\tau$", offset=(22, 8))
    return s.finish()


def tethered_satellites() -> Figure:
    s = Sketch(azimuth=-90, elevation=28)
    radius = 2.2
    centre = -radius * E3
    s.ellipsoid(centre, 0.6 * np.eye(3), fill="#cfe0d4", girdle=2)
    s.line(*s.round(centre, E2, radius, -65, 65, towards=E3), colour=PALE, dash="--")
    ways = (unit((0.25, 0.1, 1.0)), unit((-0.1, 0.2, 1.0)))
    start = -0.75 * E3 - 0.45 * E1
    bead, end = _links(s, start, ways, (0.85, 0.8), ((-15, 0), (-15, 0)))
    for place, turn in ((start, 20), (end, -25)):
        s.block(place, (0.17, 0.14, 0.12), rotation((0.2, 1, 0.3), turn))
    s.mass(bead, size=36)
    s.arrow(ORIGIN, 0.8 * E3, "$e_3$", SPACE, offset=(12, 0))
    s.arrow(ORIGIN, 0.8 * E1, "$e_1$", SPACE, offset=(4, 10))
    s.label(start, "$x$", SPACE, (-22, -4), 12)
    orbit = s.round(centre, E2, radius, 30, 52, towards=E3)
    s.arrow(orbit[0], orbit[-1] - orbit[0], "$n$", ACCENT)
    return s.finish()
