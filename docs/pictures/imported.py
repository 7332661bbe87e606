"""Mechanisms that are read from files."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FORCE, PALE, Sketch, rotation, unit

ORIGIN = np.zeros(3)


def seven_joint_arm() -> Figure:
    s = Sketch(azimuth=-60, elevation=14)
    turn = rotation(E3, 25)
    seen = ((0, 0, 1), (0.25, 0, 1), (0.35, 0, 1), (1, 0, 0.35), (1, 0, 0), (0.5, 0, -1))
    ways = [turn @ unit(w) for w in seen]
    lengths = (0.36, 0.3, 0.3, 0.32, 0.3, 0.24)
    s.plane(ORIGIN, (0.5, 0.5))
    points = [ORIGIN]
    for way, length in zip(ways, lengths, strict=True):
        points.append(points[-1] + length * way)
        s.rod(points[-2], points[-1], 6.0)
    across = turn @ E2
    for k, point in enumerate(points[:-1]):
        axis = ways[k] if k % 2 == 0 else across
        s.mass(point, size=26)
        s.spin(point + 0.1 * ways[k], axis, 0.11, f"$q_{k + 1}$", ACCENT, offset=(20, 2))
    s.spin(points[-1], ways[-1], 0.08, "$q_7$", ACCENT, offset=(18, -6))
    s.gravity(-0.7 * s.right + 1.0 * E3)
    return s.finish()


def balancer() -> Figure:
    s = Sketch(azimuth=-50, elevation=16)
    lean = unit(E3 + 0.35 * E1)
    s.plane(-0.3 * E3, (1.0, 0.9))
    for side, name in ((0.5, "l"), (-0.5, "r")):
        s.circle(side * E2, E2, 0.3, fill="#dfe7ee")
        s.spin(side * E2, E2, 0.38, f"$t_{name}$", FORCE, sweep=(40, 140), offset=(16, 12))
    s.rod(-0.5 * E2, 0.5 * E2)
    s.rod(ORIGIN, 1.0 * lean, 8.0)
    s.line(ORIGIN, 1.0 * E3, colour=PALE, dash="--", width=0.9)
    s.arc(ORIGIN, E3, lean, 0.7, "pitch", ACCENT)
    s.centre(0.65 * lean)
    s.arrow(-0.3 * E3, 0.7 * E1, "$Y_1$", BODY)
    s.gravity(-1.0 * s.right + 0.9 * E3)
    return s.finish()


def quadrotor() -> Figure:
    s = Sketch(azimuth=-55, elevation=18)
    frame = rotation((0.6, 1.0, 0.2), 10) @ rotation(E3, 20)
    for k in (0, 1):
        s.rod(-0.7 * frame[:, k], 0.7 * frame[:, k], 3.4)
    for k, (axis, side) in enumerate(((0, 0.7), (1, 0.7), (0, -0.7), (1, -0.7))):
        at = side * frame[:, axis] + 0.06 * frame[:, 2]
        s.circle(at, frame[:, 2], 0.24, fill="#dfe7ee")
        s.arrow(at, 0.5 * frame[:, 2], f"$f_{k + 1}$", FORCE, offset=(9, 2))
    s.centre(ORIGIN)
    s.gravity(-1.1 * s.right + 0.8 * E3)
    return s.finish()


def reaction_wheel() -> Figure:
    s = Sketch.flat()
    angle = np.radians(18)
    way = np.array([np.sin(angle), 0, np.cos(angle)])
    s.pivot(ORIGIN, 0.16)
    s.line(ORIGIN, 0.95 * E3, colour=PALE, dash="--", width=0.9)
    s.arc(ORIGIN, E3, way, 0.6, r"$\phi$", ACCENT)
    s.rod(ORIGIN, 1.1 * way)
    s.circle(1.1 * way, E2, 0.32, fill="#dfe7ee")
    s.spin(1.1 * way, E2, 0.42, "torque", FORCE, sweep=(-60, 60), offset=(52, 4))
    s.mass(1.1 * way, size=18)
    s.mass(ORIGIN, size=18)
    s.gravity((-0.8, 0, 1.1), 0.5)
    return s.finish()
