"""Maps of stability as filled pictures, and boxes of constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, axis_label, mathtext, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["box", "stability_map"]

_CLASSES = {
    "stable": ("proved stable", COLOURS[0], ""),
    "unstable": ("proved unstable", COLOURS[1], ""),
    "spectrum": ("spectrum only", "#d9d9d9", "///"),
    "undecided": ("undecided", "#ffffff", ""),
}


def stability_map(found: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """A map of `certify_region` over two axes: what is proved filled, its boundary drawn.

    Parameters
    ----------
    found : StabilityMap
        Over two axes.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        For a map over another number of axes.
    TypeError
        If this is no map, or ``ax`` no axes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> found = gc.certify_region(skate, "spinning", {"Omega0": (0, 10), "l": (0.1, 1.5)}, depth=4)
    >>> gc.viz.stability_map(found).get_ylabel()
    '$l$ (m)'
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    if not hasattr(found, "cells") or not hasattr(found, "axes"):
        raise TypeError(f"a map of certify_region is needed, got {type(found).__name__}")
    if len(found.axes) != 2:
        raise InputError(f"a picture needs a map over two axes, got {len(found.axes)}")
    ax = new_axes(ax, (6.0, 4.5))
    (x, across), (y, up) = found.axes.items()
    handles = []
    for verdict, (words, colour, hatch) in _CLASSES.items():
        boxes = [cell.sides for cell in found.cells if cell.verdict == verdict]
        if not boxes:
            continue
        corners: Any = [[(s[x][i], s[y][j]) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))] for s in boxes]
        # An edge of its own colour closes the seams between neighbours.
        style: Any = {"facecolor": colour, "edgecolor": colour, "linewidth": 0.3}
        ax.add_collection(PolyCollection(corners, **style, zorder=1))
        part = 100 * getattr(found, verdict)
        handles.append(
            Patch(facecolor=colour, edgecolor="#888888", hatch=hatch, label=f"{words} ({part:.3g} %)")
        )
        if hatch:
            ax.add_collection(
                PolyCollection(corners, facecolor="none", edgecolor="#9a9a9a", linewidth=0, hatch=hatch)
            )
    edges = _boundary(found)
    if edges:
        ax.plot(*_segments(edges), color="#222222", linewidth=0.7, zorder=3)
    ax.set(xlim=across, ylim=up)
    named = plain_text(f"{found.data['system']}: {found.data['theorem']['family']}")
    units = getattr(found, "units", {})
    quiet(ax, title or named, xlabel=axis_label(x, units), ylabel=axis_label(y, units))
    ax.grid(False)
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
    return ax


_ROW = 0.42
"""Height of an axis of a box, inches."""


def box(found: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """The axes of a box that `certify` was asked over, each from its low to its high end.

    Filled is the part about the centre on all of which one verdict is proved, which is all of it where the
    box is; a cross on each axis is the point where the other verdict is proved, if one was found.

    Parameters
    ----------
    found : BoxCertificate
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    TypeError
        If this is no verdict over a box, or ``ax`` no axes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> field = gc.models.get("van-der-pol-reversed")().reduce()
    >>> found = gc.certify(field, field.equilibrium("rest"), over={"a": 0.2})
    >>> [label.get_text() for label in gc.viz.box(found).get_yticklabels()]
    ['$a$ in [0.8, 1.2]']
    """
    if not hasattr(found, "over") or not hasattr(found, "inside"):
        raise TypeError(f"a verdict of certify(over=) is needed, got {type(found).__name__}")
    ax = new_axes(ax, (7.5, 1.3 + _ROW * len(found.over)))
    rows = range(len(found.over))
    ax.barh(rows, [2.0] * len(rows), 0.6, left=-1.0, facecolor="#ffffff", edgecolor="#888888", label="asked")
    part = f"proved: {found.inside:.4g} of it" if found.inside < 1 else "proved"
    if found.inside:
        width = [2 * found.inside] * len(rows)
        ax.barh(rows, width, 0.6, left=-found.inside, color=COLOURS[0], label=part)
    if found.against is not None:
        sides = zip(found.against.values(), found.over.values(), strict=True)
        places = [float((2 * v - low - high) / (high - low)) for v, (low, high) in sides]
        told = plain_text(str(found.counterexample.verdict))
        ax.plot(places, rows, "x", color=COLOURS[1], ms=8, mew=2, label=told)
    ends = [
        f"{mathtext(k)} in [{float(a):.4g}, {float(b):.4g}] {plain_text(found.units.get(k, ''))}".rstrip()
        for k, (a, b) in found.over.items()
    ]
    named = plain_text(title or str(found.verdict))
    quiet(ax, named, xlabel="from the centre, over half of the axis", xlim=(-1.15, 1.15))
    ax.set_yticks(rows, ends)
    ax.invert_yaxis()
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, -0.02 - 1.5 / len(rows)), ncols=3, frameon=False)
    return ax


def _boundary(found: Any) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Sides of cells that other verdicts lie beside, on the finest grid that there is."""
    sides = [tuple(cell.sides.values()) for cell in found.cells]
    ticks = [sorted({v for s in sides for v in s[k]}) for k in (0, 1)]
    place = [{v: i for i, v in enumerate(t)} for t in ticks]
    kinds = list(_CLASSES)
    grid = np.zeros((len(ticks[0]) - 1, len(ticks[1]) - 1), dtype=np.int8)
    for cell, ((a, b), (c, d)) in zip(found.cells, sides, strict=True):
        grid[place[0][a] : place[0][b], place[1][c] : place[1][d]] = kinds.index(cell.verdict)
    found_edges = []
    for i, j in np.argwhere(grid[1:] != grid[:-1]):
        found_edges.append(((ticks[0][i + 1], ticks[1][j]), (ticks[0][i + 1], ticks[1][j + 1])))
    for i, j in np.argwhere(grid[:, 1:] != grid[:, :-1]):
        found_edges.append(((ticks[0][i], ticks[1][j + 1]), (ticks[0][i + 1], ticks[1][j + 1])))
    return found_edges


def _segments(edges: list) -> tuple[list[float], list[float]]:
    """Coordinates of segments, gaps between them."""
    xs, ys = [], []
    for (a, b), (c, d) in edges:
        xs += [a, c, np.nan]
        ys += [b, d, np.nan]
    return xs, ys
