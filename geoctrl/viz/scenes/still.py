"""One moment of a scene, drawn with matplotlib: no browser is needed."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

__all__ = ["floats", "still_figure"]


_SUN = np.array([-2, -3, 5]) / np.sqrt(38)


def floats(text: str) -> np.ndarray:
    """Numbers of a scene's data."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(float)


def _box(shape: dict[str, Any]) -> Iterator[np.ndarray]:
    half = np.array(shape["size"]) / 2
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3] * half, np.eye(3)[(axis + 2) % 3] * half
        for side in (-1, 1):
            middle = np.eye(3)[axis] * half * side
            yield np.array([middle + u + v, middle - u + v, middle - u - v, middle + u - v])[::side]


def _round(radii: tuple[float, float], length: float, count: int = 24) -> Iterator[np.ndarray]:
    """A cylinder or cone about axis 3, with the radii of its ends."""
    angles = np.linspace(0, 2 * np.pi, count + 1)
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    up = np.array([0, 0, length / 2])
    low, high = ring * radii[0] - up, ring * radii[1] + up
    yield low[::-1]
    if radii[1]:
        yield high
    for i in range(count):
        yield np.array([low[i], low[i + 1], high[i + 1], high[i]])


def _ellipsoid(shape: dict[str, Any]) -> Iterator[np.ndarray]:
    half = np.array(shape["size"]) / 2
    up, around = np.linspace(-np.pi / 2, np.pi / 2, 13), np.linspace(0, 2 * np.pi, 25)
    grid = np.stack(
        [
            np.outer(np.cos(up), np.cos(around)),
            np.outer(np.cos(up), np.sin(around)),
            np.outer(np.sin(up), 1 + 0 * around),
        ],
        axis=2,
    )
    points = grid * half
    for i in range(12):
        for j in range(24):
            yield np.array([points[i, j], points[i, j + 1], points[i + 1, j + 1], points[i + 1, j]])


def _faces(shape: dict[str, Any]) -> Iterator[np.ndarray]:
    if shape["kind"] == "box":
        yield from _box(shape)
    elif shape["kind"] == "ellipsoid":
        yield from _ellipsoid(shape)
    else:
        tip = shape["radius"] if shape["kind"] == "cylinder" else 0.0
        yield from _round((shape["radius"], tip), shape["length"])


def _faces_in_space(body: dict[str, Any], frame: int) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Faces of a body in space, each with its shape."""
    poses = floats(body["poses"]).reshape(-1, 7)
    pose = poses[min(frame, len(poses) - 1)]
    turn = Rotation.from_quat(pose[3:])
    for shape in body["shapes"]:
        own = Rotation.from_quat(shape["turn"])
        for face in _faces(shape):
            yield turn.apply(own.apply(face) + shape["place"]) + pose[:3], shape


def _shade(face: np.ndarray, colour: Sequence[float]) -> list[float]:
    """A colour as the sun lights a face."""
    normal = np.cross(face[1] - face[0], face[2] - face[1])
    size = np.linalg.norm(normal)
    light = 0.72 + 0.28 * abs(normal @ _SUN) / size if size else 1.0
    return [float(light * c) for c in colour]


def still_figure(data: dict[str, Any], frame: int) -> Any:
    """A figure of one frame, seen from where the viewer begins: far faces first."""
    from matplotlib.collections import PolyCollection  # matplotlib is imported by the first figure
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure

    view = data["view"]
    a, e = np.radians([view["azimuth"], view["elevation"]])
    eye = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
    turn = Rotation.from_quat(view["turn"])
    eye, right = turn.apply(eye), turn.apply([-np.sin(a), np.cos(a), 0.0])
    sheet = np.stack([right, np.cross(eye, right)])
    figure = Figure(figsize=(4, 3))
    ax = figure.add_axes((0, 0, 1, 1))
    for trail in data["trails"]:
        way = floats(trail["points"]).reshape(-1, 3)[: frame + 1] @ sheet.T
        ax.plot(*way.T, color=trail["colour"], linewidth=1, zorder=0)
    drawn = [pair for body in data["bodies"] for pair in _faces_in_space(body, frame)]
    drawn.sort(key=lambda pair: float(pair[0].mean(axis=0) @ eye))
    polygons = PolyCollection(
        [face @ sheet.T for face, _ in drawn],
        facecolors=[(*_shade(face, to_rgb(shape["colour"])), shape["opacity"]) for face, shape in drawn],
        linewidths=0.3,
        edgecolors="face",
    )
    ax.add_collection(polygons, autolim=False)
    middle = sheet @ _middle(data, frame)
    ax.set(xlim=middle[0] + 1.35 * view["radius"] * np.array([-1, 1]), aspect="equal")
    ax.set(ylim=middle[1] + 1.01 * view["radius"] * np.array([-1, 1]))
    ax.set_axis_off()
    return figure


def _middle(data: dict[str, Any], frame: int) -> np.ndarray:
    """Where the eye looks at: it follows what moves away."""
    centre = np.array(data["view"]["centre"])
    if data["follow"] is None:
        return centre
    places = floats(data["bodies"][data["follow"]]["poses"]).reshape(-1, 7)[:, :3]
    return centre + places[min(frame, len(places) - 1)] - places[0]
