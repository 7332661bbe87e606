"""Systems of directions: chains, pendula joined by springs, needles, particles on a sphere."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FORCE, PALE, Sketch, unit

ORIGIN = np.zeros(3)
ASIDE = ((13, 5), (-6, 14), (-14, 6))
"""Where the names of the links of a chain stand, in points."""
CHAIN = (unit((0.5, 0.1, -1.0)), unit((0.9, -0.5, -0.6)), unit((0.1, -0.7, -1.0)))


def _hung(s: Sketch, place: np.ndarray, half: float = 0.35) -> None:
    s.hatch(place - half * s.right + 0.12 * E3, place + half * s.right + 0.12 * E3, 0.08, E3)
    s.line(place + 0.12 * E3, place, width=2.0)


def _links(s: Sketch, lengths: tuple[float, ...]) -> list[np.ndarray]:
    joints = [ORIGIN]
    for direction, length in zip(CHAIN, lengths, strict=False):
        joints.append(joints[-1] + length * direction)
    for a, b in pairwise(joints):
        s.rod(a, b)
    return joints


def chain_pendulum() -> Figure:
    s = Sketch()
    _hung(s, ORIGIN)
    joints = _links(s, (0.8, 0.7, 0.65))
    for i, (joint, direction) in enumerate(zip(joints[1:], CHAIN, strict=True), 1):
        s.arrow(joints[i - 1], 0.42 * direction, f"$q_{i}$", BODY, offset=ASIDE[i - 1])
        s.mass(joint, f"$m_{i}$", (16, 0), 90)
    s.mass(ORIGIN, size=20)
    s.spin(ORIGIN, E3, 0.17, r"$\tau$", offset=(-24, -4))
    s.arrow(joints[3], -0.5 * s.right, "$d$", FORCE)
    s.gravity(-0.9 * s.right - 0.3 * E3)
    return s.finish()


def double_spherical_pendulum() -> Figure:
    s = Sketch()
    _hung(s, ORIGIN)
    joints = _links(s, (0.85, 0.8))
    for i, (joint, direction) in enumerate(zip(joints[1:], CHAIN, strict=False), 1):
        s.arrow(joints[i - 1], 0.45 * direction, f"$q_{i}$", BODY, offset=ASIDE[i - 1])
        s.mass(joint, f"$m_{i}$", (17, 0), 110)
    s.line(
        *s.round(0.8 * E3 * (CHAIN[0] @ E3), E3, 0.85 * np.hypot(*CHAIN[0][:2])),
        colour=PALE,
        dash=":",
        width=1,
    )
    s.mass(ORIGIN, size=20)
    s.gravity(-0.9 * s.right - 0.3 * E3)
    return s.finish()


def coupled_pendula() -> Figure:
    s = Sketch(elevation=12)
    ways = (unit((0.25, 0.2, -1)), unit((-0.15, 0.1, -1)), unit((0.5, -0.3, -1)))
    pivots = [(k - 1) * 0.95 * s.right for k in range(3)]
    middles = []
    for k, (pivot, way) in enumerate(zip(pivots, ways, strict=True), 1):
        _hung(s, pivot, 0.28)
        s.rod(pivot, pivot + way)
        s.mass(pivot + way, f"$m_{k}$", (0, -14), 90)
        s.arrow(pivot, 0.36 * way, f"$q_{k}$", BODY, offset=(-14, 0))
        s.mass(pivot, size=18)
        middles.append(pivot + 0.5 * way)
    for a, b in pairwise(middles):
        s.spring(a, b, 7, 0.06)
    s.label(0.5 * (middles[0] + middles[1]), r"$\kappa_{12}$", FORCE, (0, 13), 11)
    s.label(0.5 * (middles[1] + middles[2]), r"$\kappa_{23}$", FORCE, (0, 13), 11)
    s.gravity(-1.45 * s.right - 0.2 * E3)
    return s.finish()


def elastic_rod() -> Figure:
    s = Sketch(elevation=10)
    along = s.right
    s.face(
        *(x * along + z * E3 for x, z in ((-0.35, -0.3), (0.0, -0.3), (0.0, 0.3), (-0.35, 0.3))),
        fill="#c9d2da",
    )
    s.hatch(-0.35 * along - 0.3 * E3, -0.35 * along + 0.3 * E3, 0.08, -along)
    place, angle = ORIGIN, 0.0
    for i in range(7):
        way = np.cos(angle) * along - np.sin(angle) * E3
        s.rod(place, place + 0.36 * way, 7.0)
        if i in (0, 6):
            s.arrow(place, 0.62 * way, "$q_1$" if i == 0 else "$q_n$", BODY, offset=(6, 10))
        place, angle = place + 0.36 * way, angle + 0.17 - 0.012 * i
        s.mass(place, size=16)
    s.arrow(-0.3 * along + 0.45 * E3, 0.5 * along, "$q_0$", ACCENT)
    s.label(1.0 * along - 0.42 * E3, r"$\kappa$", FORCE, (0, 0), 12)
    s.gravity(2.3 * along + 0.35 * E3)
    return s.finish()


def dipoles() -> Figure:
    s = Sketch(elevation=38)
    rng = np.random.default_rng(8)
    for i in range(3):
        for j in range(3):
            place = (i - 1) * E1 + (j - 1) * E2
            q = (
                unit((0.9, 0.35 * rng.normal(), 0.35 * rng.normal()))
                if (i, j) != (1, 1)
                else unit((0.2, 0.7, 0.7))
            )
            s.line(place - 0.3 * q, place + 0.3 * q, width=3.0, colour=PALE)
            s.arrow(place - 0.3 * q, 0.6 * q, "$q_i$" if (i, j) == (1, 1) else "", BODY, width=2.0)
            s.mass(place, size=14)
    s.arrow(-E1 - E2, 0.93 * E1, "", ACCENT, width=1.0)
    s.label(-0.5 * E1 - E2, "$r_{ij}$", ACCENT, (0, -12), 12)
    return s.finish()


def _globe(s: Sketch) -> None:
    s.ellipsoid(ORIGIN, np.eye(3), fill="#eaf0f6", colour=PALE, girdle=2)


def particles_on_sphere() -> Figure:
    s = Sketch()
    _globe(s)
    toward = [
        unit(s.right + 0.4 * s.up - E2),
        unit(-0.7 * s.right + 0.7 * s.up - E2),
        unit(-0.2 * s.right - 0.8 * s.up - E2),
    ]
    for k, q in enumerate(toward, 1):
        s.arrow(ORIGIN, q, "", BODY, width=1.1)
        s.mass(q, f"$q_{k}$", (12, 8), 100)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        way = np.array([unit(toward[a] + t * (toward[b] - toward[a])) for t in np.linspace(0, 1, 30)])
        s.line(*way, colour=FORCE, width=1.1, dash="--")
    return s.finish()


def lennard_jones() -> Figure:
    s = Sketch()
    _globe(s)
    for k in range(160):
        z = 1 - (2 * k + 1) / 160
        q = np.array([*(np.sqrt(1 - z**2) * np.array([np.cos(2.39996 * k), np.sin(2.39996 * k)])), z])
        if q @ np.cross(s.right, s.up) > 0.08:
            s.mass(q, size=14)
    pole = unit(np.cross(s.right, s.up) + 0.3 * s.up)
    s.spin(1.02 * pole, pole, 0.34, "", sweep=(0, 300))
    return s.finish()
