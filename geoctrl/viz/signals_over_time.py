"""Signals over time and the drift of what should not move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import entries, flag
from geoctrl.errors import GeoctrlError, InputError
from geoctrl.viz.style import COLOURS, DASHES, axis_label, mathtext, new_axes, quiet, require_trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoctrl.simulation.trajectory import Trajectory

__all__ = ["drift", "states"]


def states(
    traj: Trajectory,
    labels: Sequence[str] | str | None = None,
    ax: Axes | Sequence[Axes] | None = None,
    title: str | None = None,
    events: bool = True,
) -> np.ndarray:
    """Signals over time, one below the other.

    Parameters
    ----------
    traj : Trajectory
    labels : sequence of labels of states, outputs or inputs, optional
        All states by default.
    ax : matplotlib axes, optional
        One for all signals, or one for each; a new figure by default.
    title : str, optional
    events : bool
        Mark the times of the events.

    Returns
    -------
    ndarray of matplotlib axes

    Raises
    ------
    KeyError
        For an unknown label.
    InputError
        If no label is given, or ``ax`` holds neither one axes nor one for each signal.
    TypeError
        If ``traj`` is no trajectory, or ``ax`` holds no axes.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")().reduce()
    >>> traj = gc.simulate(top, np.linspace(0, 2, 201), [0.3, 0.1, 5, 0, 0.6, 0.8])
    >>> len(gc.viz.states(traj, ["Gamma1", "Gamma3"]))
    2
    """
    require_trajectory(traj)
    wanted = traj.state_labels if labels is None else labels
    chosen = [wanted] if isinstance(wanted, str) else list(entries("labels", wanted))
    if not chosen:
        raise InputError("labels must name at least one signal, got none")
    signals = [traj[label] for label in chosen]
    if ax is None:
        import matplotlib.pyplot as plt

        figure, grid = plt.subplots(
            len(chosen),
            1,
            sharex=True,
            figsize=(7.0, 1.0 + 1.25 * len(chosen)),
            layout="constrained",
            squeeze=False,
        )
        axes = grid[:, 0]
        if title is not None:
            figure.suptitle(title)
    else:
        axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        for panel in axes:
            new_axes(panel, (0, 0))
        if axes.size not in (1, len(chosen)):
            raise InputError(f"ax must hold one axes or {len(chosen)}, one for each signal; got {axes.size}")
        if title is not None:
            axes[0].set_title(title)
    together = axes.size == 1 and len(chosen) > 1
    sizes = _sizes(traj)
    units = traj.units
    for i, (label, signal) in enumerate(zip(chosen, signals, strict=True)):
        panel = axes[0] if together else axes[i]
        style: dict[str, Any] = {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[i // len(COLOURS) % len(DASHES)],
        }
        if not together:
            style = {"color": COLOURS[0]}
        panel.plot(traj.time, signal, linewidth=1.3, label=axis_label(label, units), **style)
        if not together:
            quiet(panel, ylabel=axis_label(label, units))
            panel.ticklabel_format(axis="y", useOffset=False)
            # A constant signal would else be magnified to its rounding errors.
            middle, half = (signal.max() + signal.min()) / 2, (signal.max() - signal.min()) / 2
            size = max(abs(middle), sizes.get(label, 0.0))
            if half <= 1e-9 * size:
                panel.set_ylim(middle - 0.1 * (size or 1.0), middle + 0.1 * (size or 1.0))
    if together:
        quiet(axes[0])
        axes[0].legend(loc="best", frameon=False, ncols=min(4, len(chosen)))
    axes[-1].set_xlabel("time (s)")
    if flag("events", events):
        _mark_events(traj, axes)
    return axes


def _sizes(traj: Trajectory) -> dict[str, float]:
    """Sizes of the states at the start of a run, by label; empty where it has no system, or none there."""
    system = getattr(traj, "system", None)
    try:
        found = system.scales(traj.states[:, 0], params=traj.params).state  # type: ignore[union-attr]
    except (AttributeError, GeoctrlError):
        return {}
    return dict(zip(traj.state_labels, found.tolist(), strict=True))


def _mark_events(traj: Trajectory, axes: np.ndarray) -> None:
    for name, record in traj.events.items():
        for k, t in enumerate(record.time[:50]):
            for panel in axes:
                panel.axvline(t, color="#777777", linewidth=0.8, linestyle=":")
            if k == 0:
                axes[0].annotate(
                    name,
                    (t, 1.0),
                    xycoords=("data", "axes fraction"),
                    xytext=(-3, -2),
                    textcoords="offset points",
                    ha="right",
                    va="top",
                    fontsize="small",
                    color="#555555",
                )


def drift(traj: Trajectory, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Change of every invariant and defect of every leaf relation over time, on a logarithmic scale.

    The strong lines are the largest values so far. Exact zeros leave gaps; a
    quantity that never changes is drawn at 1e-17.

    Parameters
    ----------
    traj : Trajectory
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    TypeError
        If ``traj`` is no trajectory, or ``ax`` no axes.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")().reduce()
    >>> traj = gc.simulate(top, np.linspace(0, 2, 201), [0.3, 0.1, 5, 0, 0.6, 0.8])
    >>> gc.viz.drift(traj).get_yscale()
    'log'
    """
    require_trajectory(traj)
    ax = new_axes(ax, (7.0, 4.0))
    curves = {k: np.abs(v - v[0]) for k, v in traj.invariants.items()}
    curves |= {k: np.abs(v) for k, v in traj.leaf_defects.items()}
    for i, (name, values) in enumerate(curves.items()):
        drawn = np.where(values > 0, values, np.nan) if values.any() else np.full(values.shape, 1e-17)
        style: dict[str, Any] = {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[i // len(COLOURS) % len(DASHES)],
        }
        ax.plot(traj.time, drawn, linewidth=0.5, alpha=0.35, **style)
        ax.plot(traj.time, np.fmax.accumulate(drawn), linewidth=1.6, label=mathtext(name), **style)
    ax.set_yscale("log")
    quiet(ax, title, xlabel="time (s)", ylabel="|change since the start|; thick: largest so far")
    if curves:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return ax
