"""Lines and surfaces of space on paper.

Points are points of space, axis 3 upward, seen along parallel lines. Nothing is hidden behind anything:
what is drawn later lies on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Polygon
from scipy.spatial import ConvexHull

__all__ = [
    "ACCENT",
    "BODY",
    "E1",
    "E2",
    "E3",
    "FILL",
    "FORCE",
    "INK",
    "PALE",
    "SPACE",
    "Canvas",
    "rotation",
    "unit",
]

INK, PALE, FILL = "#22303c", "#8a97a3", "#dfe8f1"
BODY, SPACE, FORCE, ACCENT = "#0072B2", "#C2410C", "#00795A", "#8B5A9F"
"""Axes of the body, directions fixed in space, forces and torques, everything else that moves."""

E1, E2, E3 = np.eye(3)


def unit(v: Sequence[float]) -> np.ndarray:
    """The direction of a vector."""
    v = np.asarray(v, dtype=float)
    return v / np.linalg.norm(v)


def rotation(axis: Sequence[float], degrees: float) -> np.ndarray:
    """Rotation about an axis by Rodrigues' formula."""
    x, y, z = unit(axis)
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    return np.eye(3) + np.sin(angle) * hat + (1 - np.cos(angle)) * hat @ hat


class Canvas:
    """A sheet of paper before the eye.

    Parameters
    ----------
    azimuth, elevation : float
        Where the eye is, in degrees: from axis 1 towards axis 2, and above the horizon.
    size : (width, height) in inches
    """

    def __init__(
        self, azimuth: float = 35.0, elevation: float = 18.0, size: tuple[float, float] = (4.6, 3.6)
    ) -> None:
        a, e = np.radians(azimuth), np.radians(elevation)
        self.right = np.array([-np.sin(a), np.cos(a), 0.0])
        self.up = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
        self.towards = np.cross(self.right, self.up)
        self.figure = Figure(figsize=size, facecolor="white")
        self.ax = self.figure.add_axes((0, 0, 1, 1))
        self.ax.set_aspect("equal")
        self.ax.axis("off")
        self._layer = 1.0

    @classmethod
    def flat(cls, size: tuple[float, float] = (4.6, 3.6)) -> Canvas:
        """A drawing in the plane of axes 1 (to the right) and 3 (upward)."""
        return cls(azimuth=-90.0, elevation=0.0, size=size)

    def at(self, points: Any) -> np.ndarray:
        """Points of space on the paper, (..., 2)."""
        points = np.asarray(points, dtype=float)
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def _next(self) -> float:
        self._layer += 0.01
        return self._layer

    def leaning(self, degrees: float, turned: float = 0.0) -> np.ndarray:
        """A frame whose third axis leans to the right on the paper, after a turn about it."""
        return rotation(np.cross(E3, self.right), degrees) @ rotation(E3, turned)

    # -- lines and surfaces ---------------------------------------------------------------------

    def line(self, *points: Sequence[float], colour: str = INK, width: float = 1.2, dash: str = "-") -> None:
        """A polygon's sides."""
        x, y = self.at(points).T
        self.ax.plot(
            x,
            y,
            color=colour,
            lw=width,
            ls=dash,
            solid_capstyle="round",
            solid_joinstyle="round",
            zorder=self._next(),
        )

    def face(self, *points: Sequence[float], fill: str = FILL, edge: str | None = INK, alpha: float = 1.0):
        """A filled polygon."""
        self.ax.add_patch(
            Polygon(
                self.at(points),
                closed=True,
                facecolor=fill,
                edgecolor=edge or "none",
                alpha=alpha,
                lw=1.1,
                joinstyle="round",
                zorder=self._next(),
            )
        )

    def plane(
        self,
        centre: Sequence[float] = (0, 0, 0),
        half: tuple[float, float] = (1.4, 1.0),
        axes: tuple[Sequence[float], Sequence[float]] = (E1, E2),
        fill: str = "#eef1f4",
    ) -> None:
        """A rectangle of a plane: the ground, ice."""
        c, u, v = np.asarray(centre, float), half[0] * unit(axes[0]), half[1] * unit(axes[1])
        self.face(c - u - v, c + u - v, c + u + v, c - u + v, fill=fill, edge="#c3ccd4")

    def circle(
        self,
        centre: Sequence[float],
        normal: Sequence[float],
        radius: float,
        fill: str | None = None,
        colour: str = INK,
        width: float = 1.2,
        dash: str = "-",
        alpha: float = 1.0,
    ) -> None:
        """A circle in space, filled where a colour is given."""
        points = self.round(centre, normal, radius)
        if fill:
            self.face(*points, fill=fill, edge=None, alpha=alpha)
        self.line(*points, colour=colour, width=width, dash=dash)

    @staticmethod
    def round(
        centre: Sequence[float],
        normal: Sequence[float],
        radius: float,
        start: float = 0.0,
        end: float = 360.0,
        towards: Sequence[float] | None = None,
    ) -> np.ndarray:
        """Points of an arc about a normal; angles count from the direction `towards`."""
        n = unit(normal)
        u = np.cross(n, E3 if abs(n[2]) < 0.9 else E1) if towards is None else np.asarray(towards, float)
        u = unit(u - n * (n @ u))
        angle = np.radians(np.linspace(start, end, 73))[:, None]
        return np.asarray(centre) + radius * (np.cos(angle) * u + np.sin(angle) * np.cross(n, u))

    def ellipsoid(
        self,
        centre: Sequence[float],
        axes: Any,
        fill: str = FILL,
        colour: str = INK,
        alpha: float = 1.0,
        girdle: int | None = 2,
    ) -> None:
        """Outline of an ellipsoid whose semi-axes are the columns of `axes`, and one of its main sections."""
        axes = np.asarray(axes, float)
        seen = np.stack([self.right, self.up]) @ axes
        values, vectors = np.linalg.eigh(seen @ seen.T)
        width, height = 2 * np.sqrt(values)
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        self.ax.add_patch(
            Ellipse(
                self.at(centre),
                width,
                height,
                angle=angle,
                facecolor=fill,
                edgecolor=colour,
                lw=1.2,
                alpha=alpha,
                zorder=self._next(),
            )
        )
        if girdle is not None:
            u, v = (axes[:, k] for k in range(3) if k != girdle)
            self._girdle(np.asarray(centre, float), u, v, colour)

    def _girdle(self, centre: np.ndarray, u: np.ndarray, v: np.ndarray, colour: str) -> None:
        """The half of a section that faces the eye, the other dashed."""
        angle = np.linspace(0, 2 * np.pi, 145)[:, None]
        points = np.cos(angle) * u + np.sin(angle) * v
        # An ellipsoid's point faces the eye where its conjugate plane says so; for a section that is its
        # phase.
        phase = np.arctan2(v @ self.towards, u @ self.towards)
        front = np.cos(angle[:, 0] - phase) >= 0
        shift = int(np.argmax(front & ~np.roll(front, 1)))
        points, front = np.roll(points[:-1], -shift, axis=0), np.roll(front[:-1], -shift)
        self.line(*(centre + points[front]), colour=colour, width=0.7)
        self.line(*(centre + points[~front]), colour=colour, width=0.6, dash=(0, (3, 3)))

    def hull(self, *points: np.ndarray, fill: str = FILL) -> None:
        """The outline of a convex body given by enough of its points."""
        seen = self.at(np.concatenate(points))
        outline = seen[ConvexHull(seen).vertices]
        self.ax.add_patch(
            Polygon(outline, facecolor=fill, edgecolor=INK, lw=1.2, joinstyle="round", zorder=self._next())
        )

    def cylinder(
        self,
        base: Sequence[float],
        top: Sequence[float],
        radius: float,
        fill: str = FILL,
        end: float | None = None,
    ) -> None:
        """A cylinder, or a cone where the radius of its end differs."""
        base, top = np.asarray(base, float), np.asarray(top, float)
        end = radius if end is None else end
        n = unit(top - base)
        self.hull(self.round(base, n, radius), self.round(top, n, end) if end else top[None], fill=fill)
        near, r = (top, end) if n @ self.towards > 0 else (base, radius)
        if r:
            self.circle(near, n, r, fill="#f3f7fa", width=0.9)

    def block(self, centre: Sequence[float], half: Sequence[float], frame: Any = None) -> None:
        """A cuboid by its half edges; the three faces that are seen."""
        frame = np.eye(3) if frame is None else np.asarray(frame, float)
        for k, fill in zip((0, 1, 2), ("#b8c4ce", "#c9d2da", "#e6ecf1"), strict=True):
            edges = frame * np.asarray(half, float)
            n, u, v = (edges[:, (k + j) % 3] for j in range(3))
            c = np.asarray(centre, float) + (n if n @ self.towards > 0 else -n)
            self.face(c - u - v, c + u - v, c + u + v, c - u + v, fill=fill)
