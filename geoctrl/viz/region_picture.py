"""Regions that motions do not leave, over two states, with runs in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import InputError, LabelError
from geoctrl.viz.style import COLOURS, axis_label, new_axes, plain_text, quiet, require_trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["attraction"]

FILL, EDGE = "#cfe3f1", "#1f5f8b"
POINTS, AROUND, HALVINGS = 161, 0.04, 45
"""Of each side of a grid over the extent, by what part it goes beyond, and halvings between two of its points
to the edge."""


def attraction(
    roa: Any,
    x: str | None = None,
    y: str | None = None,
    runs: Any = (),
    pieces: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    r"""A region of `region_of_attraction` over two states, with runs: a phase portrait.

    Filled are the boxes of `RegionOfAttraction.boxes`, in which all of the region lies, as their shadow on
    the two states. A point over the fill need not be in the region: ask `contains`. The line is the edge in
    the plane of the two states through the equilibrium, V at its level, of an `AttractedSet` of which no leaf
    and no held level ties these to others. Runs that begin in the region are drawn in full, others dashed.

    Parameters
    ----------
    roa : RegionOfAttraction or AttractedSet
    x, y : str, optional
        Labels of states; the first shape and its rate, or the first velocity where it has none.
    runs : Trajectory, or sequence of them, optional
        Of the same system.
    pieces : int, optional
        As of `RegionOfAttraction.boxes`.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    LabelError
        If there is no such state.
    InputError
        For one state twice, runs of a system with other states, or ``pieces`` that are no whole number.
    TypeError
        If this is no region, a run no trajectory, or ``ax`` no axes.

    Examples
    --------
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> pendulum = gc.EulerPoincare(
    ...     algebra=None, shape=[phi := gc.Coordinate("phi", angle=True)], inertia=[[2]],
    ...     potential=-3 * sp.cos(phi.symbol), name="pendulum").reduce()
    >>> roa = gc.region_of_attraction(pendulum, pendulum.state())
    >>> gc.viz.attraction(roa).get_xlabel()
    '$\\phi$ (rad)'
    """
    from matplotlib.collections import PolyCollection

    if not hasattr(roa, "boxes") or not hasattr(roa, "extent"):
        raise TypeError(f"a region of region_of_attraction is needed, got {type(roa).__name__}")
    point = {k: float(v) for k, v in roa.point.items()}
    labels, shapes = list(point), list(roa.extent)
    x = next((k for k in shapes if f"{k}_dot" in labels), shapes[0]) if x is None else x
    y = _rate(labels, shapes, x) if y is None else y
    for label in (x, y):
        if label not in labels:
            raise LabelError(f"no state {label!r}{nearest(str(label), labels)}")
    if x == y:
        raise InputError(f"two states are needed, got {x!r} twice")
    drawn = list(runs) if isinstance(runs, Sequence) else [runs]
    for run in drawn:
        require_trajectory(run)
        if list(run.state_labels) != labels:
            raise InputError(
                f"the region has the states {', '.join(labels)}, a run {', '.join(run.state_labels)}"
            )
    ax = new_axes(ax, (6.0, 4.2))
    sides = [(box[x], box[y]) for box in roa.boxes(pieces)]
    corners: Any = [[(a, c), (b, c), (b, d), (a, d)] for (a, b), (c, d) in sides]
    style: Any = {"facecolor": FILL, "edgecolor": FILL, "linewidth": 0.4, "zorder": 1}
    ax.add_collection(PolyCollection(corners, label="the region lies within", **style))
    _edge(ax, roa, x, y)
    for run in drawn:
        _run(ax, run, x, y, bool(roa.contains(run.states[:, 0])))
    ax.plot([point[x]], [point[y]], "o", color=COLOURS[6], markersize=4, zorder=4, label="equilibrium")
    ax.autoscale_view()
    units = roa.state_units
    named = title if title is not None else plain_text(roa.system)
    quiet(ax, named, xlabel=axis_label(x, units), ylabel=axis_label(y, units))
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    ax.legend(
        handles.values(), handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False
    )
    return ax


def _rate(labels: Sequence[str], shapes: Sequence[str], x: str) -> str:
    """The rate of a shape, the first velocity, or another state."""
    if f"{x}_dot" in labels:
        return f"{x}_dot"
    return next((k for k in labels if k not in shapes), next(k for k in labels if k != x))


def _edge(ax: Axes, roa: Any, x: str, y: str) -> None:
    """The line on which V has its level, the other states as at the equilibrium."""
    if not hasattr(roa, "value") or roa.data["problem"]["leaf"] or roa.levels:
        return
    if not {x, y} <= set(roa.extent) or min(b - a for a, b in (roa.extent[x], roa.extent[y])) <= 0:
        return
    point = _state_at(roa)
    labels = list(roa.point)
    places = labels.index(x), labels.index(y)
    sides = []
    for label, place in zip((x, y), places, strict=True):
        low, high = (end + point[place] - roa.point[label] for end in roa.extent[label])
        sides.append(np.linspace(*_with_margins(low, high), POINTS))

    def above(across: np.ndarray, up: np.ndarray) -> np.ndarray:
        states = np.tile(point[:, None], np.size(across))
        states[places[0]], states[places[1]] = np.ravel(across), np.ravel(up)
        return (roa.value(states) / roa.level - 1).reshape(np.shape(across))

    shifts = [roa.point[label] - point[place] for label, place in zip((x, y), places, strict=True)]
    words = "its edge" if len(roa.extent) == 2 else "its edge, other states at the equilibrium"
    for line in _level_lines(ax, above, *sides):
        across, up = (c + shift for c, shift in zip(line, shifts, strict=True))
        # A whole turn on V has the level again.
        if all(_is_anywhere_in(c, roa.extent[k]) for c, k in ((across, x), (up, y))):
            ax.plot(across, up, color=EDGE, linewidth=1.2, zorder=2, label=words)


def _is_anywhere_in(values: np.ndarray, interval: tuple[float, float]) -> bool:
    return bool(np.any((values >= interval[0]) & (values <= interval[1])))


def _with_margins(low: float, high: float) -> tuple[float, float]:
    return low - AROUND * (high - low), high + AROUND * (high - low)


def _state_at(roa: Any) -> np.ndarray:
    """The equilibrium as a state of the system: an angle that the file measures from it is added."""
    state = np.array(list(roa.point.values()), dtype=float)
    for place, angle in roa.angles.items():
        state[place] += float(angle)
    return state


def _level_lines(
    ax: Axes, above: Callable[..., np.ndarray], across: np.ndarray, up: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lines on which a function of two numbers vanishes: those of a grid, and on its sides by halving."""
    drawn = ax.contour(across, up, above(*np.meshgrid(across, up)), levels=[0.0])
    lines = drawn.allsegs[0]
    drawn.remove()
    return [_on_sides(above, across, up, line) for line in lines if len(line)]


def _on_sides(
    above: Callable[..., np.ndarray], across: np.ndarray, up: np.ndarray, line: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points of a line between two neighbours of a grid each, moved to where the function vanishes."""
    ends = []
    for values, sides in zip(line.T, (across, up), strict=True):
        step = sides[1] - sides[0]
        place = (values - sides[0]) / step
        whole = np.abs(place - np.rint(place)) < 1e-9
        low = np.where(whole, np.rint(place), np.floor(place))
        ends.append((sides[0] + step * low, sides[0] + step * np.where(whole, low, low + 1)))
    (a, b), (c, d) = ends
    outside = above(a, c) > 0
    low, high = np.zeros(len(line)), np.ones(len(line))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        same = (above(a + middle * (b - a), c + middle * (d - c)) > 0) == outside
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return a + low * (b - a), c + low * (d - c)


def _run(ax: Axes, run: Any, x: str, y: str, inside: bool) -> None:
    colour, dashes = (COLOURS[0], "-") if inside else (COLOURS[1], "--")
    words = "begins in the region" if inside else "begins outside"
    ax.plot(run[x], run[y], dashes, color=colour, linewidth=1.1, zorder=3, label=words)
    ax.plot(run[x][:1], run[y][:1], ".", color=colour, markersize=6, zorder=3)
