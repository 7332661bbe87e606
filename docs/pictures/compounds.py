"""Bodies in orbit and in a fluid, bodies with rotors, several bodies."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pictures.drawing import ACCENT, E1, E2, E3, FILL, FORCE, PALE, SPACE, Sketch, rotation, unit

ORIGIN = np.zeros(3)


def orbiting_body() -> Figure:
    s = Sketch(azimuth=-72, elevation=32)
    radius = 2.1
    centre = -radius * E1
    s.ellipsoid(centre, 0.55 * np.eye(3), fill="#cfe0d4", girdle=2)
    s.line(*s.round(centre, E3, radius, -70, 70, towards=E1), colour=PALE, dash="--")
    frame = rotation((0.9, 0.5, 1), 30) @ np.stack([-E2, E3, -E1], axis=1)
    s.ellipsoid(ORIGIN, frame * np.array([0.3, 0.22, 0.55]), girdle=1)
    s.arrow(ORIGIN, -1.05 * E1, "$a$", SPACE, offset=(-4, 10))
    s.arrow(ORIGIN, 1.15 * E3, "$b$", SPACE, offset=(10, 4))
    s.axes(ORIGIN, frame, (1.05, 0.85, 0.95))
    s.centre(ORIGIN)
    orbit = s.round(centre, E3, radius, 38, 60, towards=E1)
    s.arrow(orbit[0], orbit[-1] - orbit[0], "$n$", ACCENT)
    return s.finish()


def _rotor(s: Sketch, frame: np.ndarray, k: int, place: float, radius: float = 0.24) -> None:
    axis = frame[:, k]
    s.cylinder((place - 0.05) * axis, (place + 0.05) * axis, radius, fill="#cbb8da")


def magnetic_satellite() -> Figure:
    s = Sketch(azimuth=-62, elevation=24)
    frame = s.leaning(10, 15)
    s.block(ORIGIN, (0.42, 0.3, 0.42), frame)
    for k, aside in ((0, 0.62), (1, 0.5)):
        _rotor(s, frame, k, aside, 0.2)
    s.axes(ORIGIN, frame, (1.15, 1.05, 1.15))
    s.arrow(0.9 * s.right - 0.5 * E3, 0.75 * unit((0.3, 0.5, 1.0)), "$B$", FORCE)
    s.arrow(ORIGIN, -1.05 * s.right + 0.25 * E3, "$a$", SPACE)
    s.arrow(ORIGIN, 0.35 * s.right + 1.15 * E3, "$b$", SPACE)
    s.centre(ORIGIN)
    return s.finish()


def body_with_rotor() -> Figure:
    s = Sketch()
    frame = s.leaning(14, 10)
    s.ellipsoid(ORIGIN, frame * np.array([0.8, 0.65, 0.6]))
    s.axes(ORIGIN, frame, (1.5, 1.1, 0.0), ("$E_1$", "$E_2$", None))
    _rotor(s, frame, 2, 0.0, 0.4)
    s.axes(ORIGIN, frame, (0, 0, 1.15), (None, None, "$E_3$"))
    s.spin(0.82 * frame[:, 2], frame[:, 2], 0.17, r"$\dot\theta,\ u_\theta$", offset=(34, 0))
    s.centre(ORIGIN)
    return s.finish()


def body_with_rotors() -> Figure:
    s = Sketch()
    frame = s.leaning(14, 10)
    s.ellipsoid(ORIGIN, frame * np.array([0.95, 0.95, 0.9]), girdle=None)
    for k, name in enumerate((r"$\theta_1$", r"$\theta_2$", r"$\theta_3$")):
        _rotor(s, frame, k, 0.55)
        s.spin(1.05 * frame[:, k], frame[:, k], 0.14, name, offset=((-4, 20), (6, 18), (22, 0))[k])
    s.axes(ORIGIN, frame, (2.0, 1.4, 1.4))
    s.centre(ORIGIN)
    return s.finish()


def underwater_vehicle() -> Figure:
    s = Sketch(azimuth=-60, elevation=14)
    frame = rotation(E2, 8) @ np.stack([E1, -E2, -E3], axis=1)
    s.ellipsoid(ORIGIN, frame * np.array([1.25, 0.42, 0.42]), girdle=0)
    s.face(
        *(ORIGIN + frame @ np.array(p) for p in ((-1.1, 0, 0), (-1.6, 0, -0.35), (-1.6, 0, 0.35))),
        fill="#c9d2da",
    )
    s.axes(ORIGIN, frame, (1.75, 1.3, 0.85))
    mass = 0.26 * frame[:, 2]
    s.centre(mass)
    s.mass(ORIGIN, size=34)
    s.dimension(ORIGIN, mass, "$l$", aside=0.22)
    s.arrow(1.6 * E1 + 1.1 * E3, -0.7 * E3, r"$\Gamma$", SPACE)
    s.gravity(1.95 * E1 + 1.1 * E3)
    s.arrow(ORIGIN - 1.75 * E1 + 0.75 * E3, 0.6 * E1, "$Y$", ACCENT, offset=(10, 6))
    return s.finish()


def concentric_shells() -> Figure:
    s = Sketch()
    outer, inner = s.leaning(10, 10), s.leaning(-22, 40)
    s.ellipsoid(ORIGIN, outer * np.array([1.1, 1.05, 1.0]), fill="#eaf0f6", colour=PALE)
    s.ellipsoid(ORIGIN, inner * np.array([0.62, 0.55, 0.5]), fill="#c6d5e4")
    s.axes(ORIGIN, outer, (2.0, 1.3, 1.3), ("$E_1$", "$E_2$", "$E_3$"))
    s.axes(ORIGIN, inner, 0.85, ("$E_1'$", "$E_2'$", "$E_3'$"), ACCENT)
    for k in (1, 2):
        s.spring(0.6 * inner[:, k], 1.0 * outer[:, k], 5, 0.04)
    s.mass(ORIGIN, size=30)
    return s.finish()


def coupled_bodies() -> Figure:
    s = Sketch(elevation=14)
    places = [-1.25 * s.right - 0.35 * E3, 0.95 * E3, 1.25 * s.right - 0.35 * E3]
    for i, j in ((0, 1), (1, 2), (0, 2)):
        way = unit(places[j] - places[i])
        s.spring(places[i] + 0.5 * way, places[j] - 0.5 * way, 8, 0.07)
    for k, place in enumerate(places):
        frame = s.leaning(25 * (k - 1), 35 * k)
        s.ellipsoid(place, frame * np.array([0.55, 0.42, 0.34]), fill=FILL)
        s.axes(place, frame, (0.75, 0.65, 0.6), ("", "", ""))
        s.label(place - 0.66 * E3, f"$J_{k + 1},\\ a_{k + 1}$", size=11)
    s.label(0.5 * (places[0] + places[1]), "$k_{12}$", FORCE, (-18, 4), 11)
    s.label(0.5 * (places[1] + places[2]), "$k_{23}$", FORCE, (18, 4), 11)
    s.label(0.5 * (places[0] + places[2]), "$k_{13}$", FORCE, (0, -13), 11)
    return s.finish()
