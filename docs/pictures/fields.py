"""First-order fields, by the motions in their state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

from pictures.drawing import ACCENT, BODY, E1, E2, E3, FORCE, PALE, Sketch, unit

ORIGIN = np.zeros(3)


def _motion(
    s: Sketch, rate: Callable[[np.ndarray], Sequence[float]], start: Sequence[float], end: float, colour: str
) -> None:
    """A motion in the plane of the drawing, with an arrow head along its way."""
    run = solve_ivp(lambda _, x: rate(x), (0, end), start, max_step=end / 300, rtol=1e-8)
    points = np.stack([run.y[0], 0 * run.y[0], run.y[1]], axis=1)
    s.line(*points, colour=colour, width=1.2)
    half = len(points) // 3
    s.arrow(points[half], points[half + 1] - points[half], colour=colour, width=1.2)


def _state_plane(s: Sketch, size: float, names: tuple[str, str] = ("$x$", "$y$")) -> None:
    for axis, name in zip((E1, E3), names, strict=True):
        s.arrow(-size * axis, 2 * size * axis, name, PALE, width=0.9)


def _resistance(x: np.ndarray) -> tuple[float, float]:
    return x[1], -x[0] + (1 - x[0] ** 2) * x[1]


def van_der_pol() -> Figure:
    s = Sketch.flat((4.6, 4.2))
    _state_plane(s, 3.1)
    _motion(s, _resistance, (0.1, 0.0), 16, BODY)
    _motion(s, _resistance, (-3.0, 2.8), 3, BODY)
    _motion(s, _resistance, (3.0, -2.8), 3, BODY)
    _motion(s, _resistance, (2.00861986, 0.0), 6.6633, ACCENT)
    return s.finish()


def van_der_pol_reversed() -> Figure:
    def back(x: np.ndarray) -> tuple[float, float]:
        y, force = _resistance(x)
        return -y, -force

    s = Sketch.flat((4.6, 4.2))
    _state_plane(s, 3.1)
    # The edge is followed forwards in time, where it attracts.
    edge = solve_ivp(lambda _, x: _resistance(x), (0, 6.6633), (2.00861986, 0.0), max_step=0.02, rtol=1e-8).y
    s.face(*np.stack([edge[0], 0 * edge[0], edge[1]], axis=1), fill="#eef4f8", edge=ACCENT)
    for start in ((1.9, 0.0), (-1.9, 0.0), (0.0, 1.2), (0.0, -1.2)):
        _motion(s, back, start, 12, BODY)
    s.mass(ORIGIN, size=18)
    return s.finish()


def lorenz_84() -> Figure:
    def weather(_: float, x: np.ndarray) -> tuple[float, float, float]:
        return (
            -(x[1] ** 2) - x[2] ** 2 - x[0] / 4 + 2,
            x[0] * x[1] - 4 * x[0] * x[2] - x[1] + 1,
            4 * x[0] * x[1] + x[0] * x[2] - x[2],
        )

    s = Sketch(azimuth=-50, elevation=22)
    for axis, name in zip((E1, E2, E3), ("$x$", "$y$", "$z$"), strict=True):
        s.arrow(ORIGIN, 2.6 * axis, name, PALE, width=0.9)
    run = solve_ivp(weather, (0, 45), (1.0, 1.0, 0.5), max_step=0.02, rtol=1e-8).y
    s.line(*run[:, 250:].T, colour=BODY, width=0.7)
    return s.finish()


def car_on_a_line() -> Figure:
    s = Sketch.flat((5.0, 3.2))
    heading, rear = unit((1.0, 0, 0.42)), np.array([-0.7, 0, 0.55])
    front, across = rear + 1.15 * heading, np.array([-heading[2], 0, heading[0]])
    s.line((-1.6, 0, 0), (1.6, 0, 0), colour=PALE, width=2.0)
    s.line(rear, rear + 1.5 * E1, colour=PALE, dash="--", width=0.9)
    s.rod(rear, front, 5.0)
    steered = unit(heading + 0.6 * across)
    for middle, way in ((rear, heading), (front, steered)):
        for side in (-0.24, 0.24):
            wheel = middle + side * across
            s.line(wheel - 0.16 * way, wheel + 0.16 * way, width=5.0)
        s.line(middle - 0.24 * across, middle + 0.24 * across, width=1.6)
    s.line(front, front + 0.6 * heading, colour=PALE, dash="--", width=0.9)
    s.arc(front, heading, steered, 0.5, r"$\delta$", FORCE)
    s.arc(rear, E1, heading, 1.25, r"$\theta$", ACCENT)
    s.dimension((rear[0], 0, 0), rear, "$y$", aside=0.12)
    s.dimension(rear, front, "$L$", aside=-0.4)
    s.arrow(rear, 0.5 * heading, "$v$", BODY, offset=(-4, 14))
    return s.finish()


def cubic() -> Figure:
    s = Sketch.flat((4.8, 2.8))
    x = np.linspace(-1.28, 1.28, 121)
    s.arrow(-1.5 * E1, 3.0 * E1, "$x$", PALE, width=0.9)
    s.arrow(-0.75 * E3, 1.5 * E3, r"$\dot x$", PALE, width=0.9)
    s.line(*np.stack([x, 0 * x, -x + x**3], axis=1), colour=BODY, width=1.6)
    for start in (-0.75, 0.75):
        s.arrow(start * E1, -0.4 * np.sign(start) * E1, colour=ACCENT)
    for start in (-1.08, 1.08):
        s.arrow(start * E1, 0.3 * np.sign(start) * E1, colour=FORCE)
    for at, name in ((-1.0, "$-w$"), (0.0, ""), (1.0, "$w$")):
        s.mass(at * E1, name, (6, 10), 26)
    return s.finish()
