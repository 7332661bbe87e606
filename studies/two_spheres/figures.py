"""Figures of the study, in the style of `geoctrl.viz`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase

from geoctrl.viz.style import COLOURS, quiet
from studies.two_spheres.comparison import Curve

COLOUR = {"variational": COLOURS[1], "RK45": COLOURS[0], "RK2": COLOURS[0], "RK2, reprojected": "#666666"}
HEAT = ("#2b3f8c", "#2a9d8f", "#f2d13c", "#c8261b")
"""From cold to hot."""
MARKER = {"variational": "o", "RK2": "s"}


def save(draw: Callable[[], Figure], place: Path) -> None:
    """Write a figure."""
    draw().savefig(place, dpi=160, facecolor="white")


def errors(title: str, curves: Sequence[Curve]) -> Figure:
    """Change of the energy and defect of the unit length, with its largest value so far, against time."""
    figure = Figure(figsize=(10.5, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for curve in curves:
        style = {"color": COLOUR[curve.name], "zorder": 3 if curve.name == "variational" else 2}
        mean = f"{curve.energy_error:.1e}".replace("e-0", "e-")
        label = f"{curve.name}: mean energy error {mean} J"
        left.plot(curve.time, curve.energy, linewidth=1.3, label=label, **style)
        drawn = np.where(curve.length > 0, curve.length, np.nan)
        right.plot(curve.time, drawn, linewidth=0.5, alpha=0.35, **style)
        right.plot(curve.time, np.fmax.accumulate(drawn), linewidth=1.6, **style)
    quiet(left, xlabel="time (s)", ylabel="$E - E(0)$ (J)")
    left.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)
    right.set_yscale("log")
    quiet(right, xlabel="time (s)", ylabel=r"mean of $\left|\,|q_i| - 1\right|$; thick: largest so far")
    # Below both panels: in either it would cover a curve of some example.
    figure.legend(loc="outside lower center", ncols=len(curves), frameon=False)
    for axis in (left, right):
        axis.set_xlim(0, max(c.time[-1] for c in curves))
    figure.suptitle(title)
    return figure


def by_step(title: str, steps: Sequence[float], curves: Sequence[Sequence[Curve]]) -> Figure:
    """Mean errors of each method against the step, with lines of slope two."""
    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    h = np.array(steps)
    for family in curves:
        name = family[0].name
        style = {"color": COLOUR[name], "marker": MARKER[name], "markersize": 7, "markeredgecolor": "white"}
        left.loglog(h, [c.energy_error for c in family], label=name, **style)
        right.loglog(h, [c.length_error for c in family], label=name, **style)
        if name == "variational":
            guide = family[0].energy_error * (h / h[0]) ** 2 / 2.5
            left.loglog(h, guide, color="#888888", linewidth=0.9, linestyle="--")
            left.annotate("slope 2", (h[2], guide[2]), (8, -10), textcoords="offset points", color="#666666")
    quiet(left, xlabel="step (s)", ylabel="mean of $|E - E(0)|$ (J)")
    quiet(right, xlabel="step (s)", ylabel=r"mean of $\left|\,|q_i| - 1\right|$")
    left.legend(frameon=False)
    figure.suptitle(title)
    return figure


def spheres(
    figure: FigureBase, axes: Sequence[Axes], corners: np.ndarray, values: np.ndarray, times: Sequence[float]
) -> None:
    """Spheres of triangles (faces, 3, 3), seen along the first axis, coloured by ``values``, nan grey."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    colours = LinearSegmentedColormap.from_list("heat", HEAT).with_extremes(bad="#dddddd")
    norm = PowerNorm(0.5, 0, np.nanmax(values))
    seen = corners.mean(axis=1)[:, 0] > -0.05
    shapes = None
    for axis, row, t in zip(axes, values, times, strict=True):
        # Faces are edged in their own colour: no gaps show between neighbours.
        shapes = PolyCollection(corners[seen][:, :, 1:], cmap=colours, norm=norm, linewidths=0.4)
        shapes.set_array(np.ma.masked_invalid(row[seen]))
        shapes.set_edgecolor("face")
        axis.add_collection(shapes)
        axis.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03), aspect="equal", title=f"t = {t:g} s")
        axis.axis("off")
    figure.colorbar(shapes, ax=list(axes), label="kinetic energy\nper molecule (J)", shrink=0.8, pad=0.01)


def paths(figure: FigureBase, axis: Axes, q: np.ndarray, speed: np.ndarray) -> None:
    """Paths (nt, n, 3) on the sphere, seen along the first axis, coloured by speeds (nt, n).

    Only what is in front is drawn, with the molecules where they end.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm
    from matplotlib.patches import Circle

    ends = np.stack([q[:-1], q[1:]], axis=2)  # (nt - 1, n, 2, 3)
    front = ends[..., 0].min(axis=2) > 0
    lines = LineCollection(
        ends[front][:, :, 1:],
        cmap=LinearSegmentedColormap.from_list("heat", HEAT),
        norm=PowerNorm(0.5, 0, speed.max()),
        linewidths=0.5,
    )
    lines.set_array(speed[1:][front])
    axis.add_patch(Circle((0, 0), 1, facecolor="#f4f4f4", edgecolor="#bbbbbb", linewidth=0.8))
    axis.add_collection(lines)
    last = q[-1][q[-1][:, 0] > 0]
    axis.plot(last[:, 1], last[:, 2], ".", color="#222222", markersize=1.6)
    axis.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03), aspect="equal")
    axis.axis("off")
    figure.colorbar(lines, ax=axis, label="speed (rad/s)", shrink=0.8, pad=0.01)
