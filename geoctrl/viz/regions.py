"""Maps of stability as filled pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, mathtext, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["stability_map"]

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
    '$l$'
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
    quiet(ax, title or named, xlabel=mathtext(x), ylabel=mathtext(y))
    ax.grid(False)
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
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
