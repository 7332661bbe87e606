"""What the pictures of the catalogue are made of: arrows, labels, and a small vocabulary of things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from pictures.canvas import (
    ACCENT,
    BODY,
    E1,
    E2,
    E3,
    FILL,
    FORCE,
    INK,
    PALE,
    SPACE,
    Canvas,
    rotation,
    unit,
)

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
    "Sketch",
    "rotation",
    "unit",
]


class Sketch(Canvas):
    """A drawing seen from a direction; `finish` returns its figure."""

    # -- arrows and labels ----------------------------------------------------------------------

    def arrow(
        self,
        start: Sequence[float],
        vector: Sequence[float],
        label: str = "",
        colour: str = INK,
        offset: tuple[float, float] | None = None,
        width: float = 1.6,
    ) -> None:
        """A vector at a point, its label beyond the tip unless an offset (in points) says otherwise."""
        start, vector = np.asarray(start, float), np.asarray(vector, float)
        p, q = self.at(start), self.at(start + vector)
        self.ax.add_patch(
            FancyArrowPatch(
                p,
                q,
                arrowstyle="-|>,head_length=5,head_width=2.4",
                mutation_scale=1.0,
                color=colour,
                lw=width,
                shrinkA=0,
                shrinkB=0,
                zorder=self._next() + 1,
                joinstyle="miter",
                capstyle="butt",
            )
        )
        self._seen(p, q)
        if label:
            away = (q - p) / max(float(np.linalg.norm(q - p)), 1e-9)
            self.label(start + vector, label, colour, offset or tuple(9 * away))

    def label(
        self,
        point: Sequence[float],
        text: str,
        colour: str = INK,
        offset: tuple[float, float] = (0.0, 0.0),
        size: float = 12,
    ) -> None:
        """Text at a point, moved by an offset in points of print."""
        self.ax.annotate(
            text,
            self.at(point),
            xytext=offset,
            textcoords="offset points",
            ha="center",
            va="center",
            color=colour,
            fontsize=size,
            zorder=9,
            annotation_clip=False,
        )

    def axes(
        self,
        origin: Sequence[float],
        frame: Any = None,
        length: float | Sequence[float] = 0.6,
        labels: Sequence[str] = ("$E_1$", "$E_2$", "$E_3$"),
        colour: str = BODY,
    ) -> None:
        """A triad: the columns of a frame; an empty label leaves the arrow unnamed, None leaves it out."""
        frame = np.eye(3) if frame is None else np.asarray(frame, float)
        lengths = np.broadcast_to(np.asarray(length, float), 3)
        for column, size, label in zip(frame.T, lengths, labels, strict=True):
            if label is not None:
                self.arrow(origin, size * column, label, colour)

    def arc(
        self,
        centre: Sequence[float],
        first: Sequence[float],
        second: Sequence[float],
        radius: float,
        label: str = "",
        colour: str = INK,
        arrow: bool = False,
    ) -> None:
        """The angle from one direction to another."""
        a, b = unit(first), unit(second)
        angle = np.degrees(np.arccos(np.clip(a @ b, -1, 1)))
        points = self.round(centre, np.cross(a, b), radius, 0, angle, towards=a)
        self.line(*points, colour=colour, width=1.0)
        if arrow:
            self.arrow(points[-4], points[-1] - points[-4], colour=colour, width=1.0)
        if label:
            middle = points[len(points) // 2]
            outward = self.at(middle) - self.at(centre)
            self.label(middle, label, colour, tuple(9 * outward / np.linalg.norm(outward)))

    def spin(
        self,
        centre: Sequence[float],
        axis: Sequence[float],
        radius: float = 0.2,
        label: str = "",
        colour: str = ACCENT,
        sweep: tuple[float, float] = (200.0, 500.0),
        offset: tuple[float, float] = (14.0, 0.0),
    ) -> None:
        """A turn about an axis: most of a circle with an arrow at its end."""
        points = self.round(centre, axis, radius, *sweep, towards=self.right)
        self.line(*points[:-2], colour=colour, width=1.4)
        self.arrow(points[-5], points[-1] - points[-5], colour=colour, width=1.4)
        if label:
            self.label(centre, label, colour, offset)

    def dimension(
        self,
        start: Sequence[float],
        end: Sequence[float],
        label: str,
        aside: float = 0.0,
        offset: tuple[float, float] | None = None,
    ) -> None:
        """A length between two points, moved aside to the left of the way from one to the other."""
        p, q = self.at(start), self.at(end)
        left = np.array([-(q - p)[1], (q - p)[0]]) / np.linalg.norm(q - p)
        for point in (p, q) if aside else ():
            self.ax.plot(*np.array([point, point + 1.08 * aside * left]).T, color=PALE, lw=0.6)
        p, q = p + aside * left, q + aside * left
        self.ax.add_patch(
            FancyArrowPatch(
                p,
                q,
                arrowstyle="<|-|>,head_length=3.5,head_width=1.6",
                color=PALE,
                lw=0.9,
                shrinkA=0,
                shrinkB=0,
                mutation_scale=1.0,
                zorder=self._next() + 1,
            )
        )
        self._seen(p, q)
        self.ax.annotate(
            label,
            (p + q) / 2,
            xytext=offset or tuple((9 if aside >= 0 else -9) * left),
            textcoords="offset points",
            ha="center",
            va="center",
            color=INK,
            fontsize=11,
            zorder=9,
            annotation_clip=False,
        )

    def _seen(self, *points: np.ndarray) -> None:
        """Patches other than lines do not move the limits by themselves."""
        self.ax.update_datalim(np.array(points))

    # -- things ---------------------------------------------------------------------------------

    def gravity(self, point: Sequence[float], length: float = 0.45) -> None:
        """The acceleration of gravity."""
        self.arrow(point, (0, 0, -length), "$g$", SPACE, offset=(8, 2))

    def mass(self, point: Sequence[float], label: str = "", offset=(10.0, 6.0), size: float = 60) -> None:
        """A material point, or a centre of mass."""
        self.ax.scatter(*self.at(point), s=size, color=INK, zorder=self._next() + 1.2, linewidths=0)
        if label:
            self.label(point, label, INK, offset)

    def centre(self, point: Sequence[float], label: str = "", offset=(10.0, -8.0)) -> None:
        """A centre of mass: the quartered disk."""
        p, z = self.at(point), self._next() + 1.2
        self.ax.plot(*p, marker="o", ms=8.5, mfc="white", mec=INK, mew=1.1, zorder=z)
        for first in (0, 180):
            angle = np.radians(np.linspace(first, first + 90, 20))
            wedge = np.vstack([[0, 0], np.stack([np.cos(angle), np.sin(angle)], axis=1)])
            self.ax.plot(*p, marker=wedge, ms=8.5, color=INK, mew=0, zorder=z + 0.01)
        if label:
            self.label(point, label, INK, offset)

    def pivot(self, point: Sequence[float], size: float = 0.13) -> None:
        """A fixed point: a small stand on hatched ground."""
        p = np.asarray(point, float)
        left, right = (p + size * (side * self.right - 1.2 * self.up) for side in (-0.8, 0.8))
        self.face(p, left, right, fill="#c9d2da")
        self.hatch(left - size * 0.6 * self.right, right + size * 0.6 * self.right, size * 0.5, -self.up)
        self.ax.scatter(*self.at(p), s=16, color="white", edgecolors=INK, linewidths=1.1, zorder=self._next())

    def hatch(self, start: Sequence[float], end: Sequence[float], depth: float = 0.08, down=-E3) -> None:
        """The edge of something that does not move."""
        a, b = np.asarray(start, float), np.asarray(end, float)
        self.line(a, b, width=1.3)
        length = np.linalg.norm(b - a)
        slant = depth * (np.asarray(down, float) - 0.7 * unit(b - a))
        for s in np.linspace(0.08, 1.0, max(4, int(length / depth / 1.1))):
            foot = a + s * (b - a)
            self.line(foot, foot + slant, colour=PALE, width=0.8)

    def rod(self, start: Sequence[float], end: Sequence[float], width: float = 4.0) -> None:
        """A rigid link."""
        self.line(start, end, colour=INK, width=width)
        self.line(start, end, colour="#b8c6d4", width=width - 2.0)

    def spring(self, start: Sequence[float], end: Sequence[float], turns: int = 7, radius: float = 0.06):
        """A spring between two points, drawn in the plane of the paper."""
        a, b = self.at(start), self.at(end)
        along = b - a
        across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        s = np.linspace(0.15, 0.85, 2 * turns + 1)
        side = radius * np.where(np.arange(s.size) % 2, 1, -1)
        side[[0, -1]] = 0
        points = np.vstack([a, a + s[:, None] * along + side[:, None] * across, b])
        self.ax.plot(*points.T, color=FORCE, lw=1.2, zorder=self._next())

    def finish(self) -> Figure:
        """The figure, its limits around everything that was drawn."""
        self.ax.margins(0.05)
        self.ax.autoscale_view()
        return self.figure
