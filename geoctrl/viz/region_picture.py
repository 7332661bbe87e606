"""Regions that motions do not leave, over two states, with runs in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from geoctrl._checks import nearest
from geoctrl.errors import InputError, LabelError
from geoctrl.viz.style import COLOURS, mathtext, new_axes, plain_text, quiet, require_trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["attraction"]

FILL = "#cfe3f1"


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
    the two states. A point over the fill need not be in the region: ask `contains`. Runs that begin in the
    region are drawn in full, others dashed.

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
    '$\\phi$'
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
    for run in drawn:
        _run(ax, run, x, y, bool(roa.contains(run.states[:, 0])))
    ax.plot([point[x]], [point[y]], "o", color=COLOURS[6], markersize=4, zorder=4, label="equilibrium")
    ax.autoscale_view()
    quiet(ax, title if title is not None else plain_text(roa.system), xlabel=mathtext(x), ylabel=mathtext(y))
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


def _run(ax: Axes, run: Any, x: str, y: str, inside: bool) -> None:
    colour, dashes = (COLOURS[0], "-") if inside else (COLOURS[1], "--")
    words = "begins in the region" if inside else "begins outside"
    ax.plot(run[x], run[y], dashes, color=colour, linewidth=1.1, zorder=3, label=words)
    ax.plot(run[x][:1], run[y][:1], ".", color=colour, markersize=6, zorder=3)
