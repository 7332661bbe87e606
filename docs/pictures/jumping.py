"""Mechanisms that jump: legs that are put down, blocks that rock, a spring that lands."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, BODY, E1, E3, FORCE, PALE, Sketch

ORIGIN = np.zeros(3)


def _leaning(degrees: float) -> np.ndarray:
    """Upwards, turned clockwise."""
    angle = np.radians(degrees)
    return np.array([np.sin(angle), 0, np.cos(angle)])


def _slope(s: Sketch, degrees: float, back: float, ahead: float) -> np.ndarray:
    """Ground that falls to the right through the origin; the way down."""
    down = _leaning(90 + degrees)
    s.hatch(-back * down, ahead * down, 0.09, -_leaning(degrees))
    s.line(ORIGIN, ahead * E1, colour=PALE, dash="--", width=0.9)
    s.arc(ORIGIN, E1, down, 0.85 * ahead, r"$\gamma$", FORCE)
    return down


def compass_walker() -> Figure:
    s = Sketch.flat((4.8, 3.8))
    _slope(s, 8, 0.8, 1.1)
    stance, swing = _leaning(14), _leaning(-30)
    hip = 1.3 * stance
    foot = hip - 1.3 * swing
    s.line(ORIGIN, 1.5 * E3, colour=PALE, dash="--", width=0.9)
    s.line(hip, hip - 1.3 * E3, colour=PALE, dash="--", width=0.9)
    s.rod(ORIGIN, hip)
    s.rod(hip, foot)
    s.mass(0.65 * stance, "$m$", (-14, 4), 80)
    s.mass(hip - 0.65 * swing, "$m$", (15, 4), 80)
    s.mass(hip, "$m_H$", (0, 16), 150)
    s.arc(ORIGIN, E3, stance, 1.1, "$s_t$", ACCENT)
    s.arc(hip, -E3, -swing, 0.5, "$s_w$", ACCENT)
    s.gravity((-0.7, 0, 1.2), 0.4)
    return s.finish()


def rimless_wheel() -> Figure:
    s = Sketch.flat((4.6, 3.8))
    _slope(s, 10, 0.9, 1.1)
    spoke = _leaning(8)
    hub = spoke
    for k in range(8):
        s.rod(hub, hub - _leaning(8 + 45 * k), 3.0)
    s.line(ORIGIN, 1.35 * E3, colour=PALE, dash="--", width=0.9)
    s.arc(ORIGIN, E3, spoke, 0.75, r"$\theta$", ACCENT)
    s.arc(hub, -spoke, -_leaning(8 - 45), 0.35, "$2a$", BODY)
    s.dimension(hub, hub - _leaning(8 + 90), "$l$", aside=0.12)
    s.mass(hub, "$m, I$", (26, 12), 130)
    s.gravity((-1.1, 0, 1.6), 0.4)
    return s.finish()


def rocking_block() -> Figure:
    s = Sketch.flat((4.2, 4.0))
    s.hatch((-0.8, 0, 0), (0.9, 0, 0), 0.09, -E3)
    up = _leaning(12)
    side = np.array([up[2], 0, -up[0]])
    corner = 0.35 * E1
    low = corner - 0.7 * side
    s.face(corner, low, low + 1.6 * up, corner + 1.6 * up, fill="#eef4f8", edge=BODY)
    centre = corner - 0.35 * side + 0.8 * up
    s.line(corner, corner + 1.75 * E3, colour=PALE, dash="--", width=0.9)
    s.arc(corner, E3, up, 1.2, r"$\theta$", ACCENT)
    s.dimension(low, corner, "$2b$", aside=-0.17)
    s.dimension(low, low + 1.6 * up, "$2h$", aside=0.14)
    s.mass(centre, "$m$", (-14, 0), 60)
    s.gravity((0.95, 0, 1.4), 0.4)
    return s.finish()


def pendulum_at_wall() -> Figure:
    s = Sketch.flat((4.4, 3.8))
    s.hatch((-0.5, 0, 0.14), (0.5, 0, 0.14), 0.09, E3)
    s.face((-0.09, 0, 0.14), (0.09, 0, 0.14), ORIGIN, fill="#c9d2da")
    wall, rod = -_leaning(-24), -_leaning(38)
    across = np.array([-wall[2], 0, wall[0]])
    touch = wall + 0.09 * across
    s.hatch(touch - 0.3 * wall, touch + 0.3 * wall, 0.09, across)
    s.line(ORIGIN, -1.2 * E3, colour=PALE, dash="--", width=0.9)
    s.line(ORIGIN, wall, colour=PALE, dash="--", width=0.9)
    s.rod(ORIGIN, rod)
    s.mass(rod, "$m$", (-16, -4), 140)
    s.arc(ORIGIN, -E3, rod, 0.5, "$q$", ACCENT)
    s.arc(ORIGIN, -E3, wall, 0.75, "$w$", FORCE)
    s.dimension(ORIGIN, rod, "$l$", aside=-0.14)
    s.gravity((-1.1, 0, 0.0), 0.4)
    s.mass(ORIGIN, size=18)
    return s.finish()


def hopper() -> Figure:
    s = Sketch.flat((3.8, 4.2))
    s.hatch((-0.7, 0, 0), (0.7, 0, 0), 0.09, -E3)
    foot, body = 0.06 * E3, 1.05 * E3
    turns = np.linspace(0, 1, 17)
    wave = 0.1 * np.where(np.arange(17) % 2, 1.0, -1.0) * (turns > 0.1) * (turns < 0.9)
    s.line(*np.stack([wave, 0 * wave, 0.12 + 0.75 * turns], axis=1), width=1.4)
    s.block(body, (0.35, 0.3, 0.17))
    s.block(foot, (0.2, 0.2, 0.06))
    s.label(body, "$m$")
    s.label(foot + 0.32 * E1, "$m_f$")
    s.label(0.5 * E3 + 0.24 * E1, "$k$", FORCE)
    s.dimension((-0.55, 0, 0), (-0.55, 0, 1.05), "$z$", aside=0.1)
    s.line(body - 0.36 * E1, body - 0.6 * E1, colour=PALE, dash="--", width=0.9)
    s.gravity((0.75, 0, 1.2), 0.4)
    return s.finish()
