"""The way of a body over the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import entries, finite_array
from geoctrl._scalars.text.numbers import real, shown
from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, new_axes, quiet, require_trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoctrl.simulation.trajectory import Trajectory

__all__ = ["path"]


def path(
    traj: Trajectory,
    x0: Any = None,
    of: int = 1,
    plane: tuple[int, int] = (1, 2),
    heading: Sequence[float] | None = (1.0, 0.0, 0.0),
    ticks: int = 24,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """The point of contact, or else the origin of the body's frame, seen from above.

    Parameters
    ----------
    traj : Trajectory
    x0 : (3,) array, optional
        Initial position.
    of : int
        Number of the factor of the group, from 1.
    plane : two axes of space, numbered from 1
    heading : body vector of which short lines show the direction (the first axis by default), or None
    ticks : int
        How many of them.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        If the factor has no translations, or ``plane`` does not name two axes.
    TypeError
        If ``traj`` is no trajectory, or ``ax`` no axes.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> sys = gc.models.get("pendulum-skate")().reduce()
    >>> traj = gc.simulate(sys, np.linspace(0, 2, 201), [0, 6, 1, 0.05, np.sqrt(1 - 0.05**2)])
    >>> gc.viz.path(traj).get_xlabel()
    'x1 (m)'
    """
    require_trajectory(traj)
    if not hasattr(traj, "position"):
        raise TypeError(
            f"a {type(traj).__name__} has no way over the ground: its bodies turn about fixed points; "
            "viz.states draws its signals"
        )
    named = entries("plane", plane)
    count = int(real(ticks, "ticks"))
    if len(named) != 2 or named[0] == named[1] or not all(k in (1, 2, 3) for k in named):
        raise InputError(f"plane must name two of the axes 1, 2, 3, got {shown(plane)}")
    index = [int(k) - 1 for k in named]
    declared = traj.system is not None and traj.system.mechanism.contact is not None
    places = (traj.contact if declared else traj.position)(x0, of)
    points = places[:, index]
    turns = traj.system is not None and traj.system.mechanism.algebra.factors[of - 1].spin is not None
    ax = new_axes(ax, (6.0, 5.5))
    ax.plot(*points.T, color=COLOURS[0], linewidth=1.3, zorder=2)
    extent, size = float(np.max(np.ptp(points, axis=0))), float(np.max(np.abs(places)))
    if heading is not None and count > 0 and turns:
        _draw_headings(
            ax, traj, points, index, finite_array("heading", heading, (3,)), of, count, extent, size
        )
    ax.scatter(
        points[0, 0],
        points[0, 1],
        s=46,
        marker="o",
        facecolors="white",
        edgecolors="black",
        zorder=4,
        label="start",
    )
    ax.scatter(points[-1, 0], points[-1, 1], s=52, marker="s", color="black", zorder=4, label="end")
    quiet(ax, title, xlabel=f"x{index[0] + 1} (m)", ylabel=f"x{index[1] + 1} (m)")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    ax.legend(loc="best", frameon=False)
    return ax


def _draw_headings(
    ax: Axes,
    traj: Trajectory,
    points: np.ndarray,
    index: list[int],
    heading: np.ndarray,
    of: int,
    ticks: int,
    extent: float,
    size: float,
) -> None:
    """Short lines, evenly spread along the way; over time where the way is rounding of the places' size."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    measure = along if along[-1] > 1e-9 * size else traj.time - traj.time[0]
    chosen = np.unique(np.searchsorted(measure, np.linspace(0, measure[-1], ticks)).clip(0, len(points) - 1))
    directions = traj.attitude(of=of)[chosen] @ heading
    half = 0.025 * (extent or 1.0) * directions[:, index] / max(np.linalg.norm(heading), 1e-300)
    segments = np.stack([points[chosen] - half, points[chosen] + half], axis=2)
    for k, segment in enumerate(segments):
        ax.plot(*segment, color=COLOURS[1], linewidth=2.0, zorder=3, label="heading" if k == 0 else None)
