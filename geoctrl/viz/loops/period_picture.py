"""A law along a motion that repeats: its motion, commands and gains over a period, and its multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import LabelError
from geoctrl.viz.style import COLOURS, DASHES, axis_label, mathtext, plain_text, quiet, require_trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["period"]

_FAR, _ROUNDING, _TOLD = 1e3, 1e-9, 6
"""Modulus above which multipliers are drawn over a scale of equal factors; part of a size that is rounding;
lines of a panel that are named, the largest."""


def period(
    law: Any, state: str | None = None, runs: Sequence[Any] = (), title: str | None = None
) -> np.ndarray:
    """Four panels: a state with motions that come to it, multipliers, and inputs and gains hold by hold.

    Gains are drawn over the extent of their states, in the unit of the input: what each adds where its state
    is off by as much as it moves.

    Parameters
    ----------
    law : PeriodicLaw
    state : str, optional
        Label; by default the state that moves furthest for its size.
    runs : sequence of Trajectory
        Motions of its loop, from the beginning of a period; thin lines.
    title : str, optional
        The system's name by default.

    Returns
    -------
    ndarray (2, 2) of matplotlib axes

    Raises
    ------
    LabelError
        If there is no such state.
    TypeError
        If this is no law along a motion, or a run no trajectory.

    Examples
    --------
    >>> import numpy as np
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    >>> rod = gc.EulerPoincare(
    ...     shape=[q], inertia=[[1]], potential=9.81 * sp.cos(q.symbol), forces=[u], inputs=["u"]
    ... ).reduce()
    >>> t = np.linspace(0, 2, 5)
    >>> states = 0.5 * np.array([np.pi * np.cos(np.pi * t), np.sin(np.pi * t)])
    >>> gc.viz.period(gc.lqr(rod, (t, states, None), holds=4), "q").shape
    (2, 2)
    """
    if not hasattr(law, "multipliers") or not hasattr(law, "gains"):
        raise TypeError(f"a law along a motion, of lqr(..., holds=), is needed, got {type(law).__name__}")
    labels = list(law.plant.state_labels)
    if state is not None and state not in labels:
        raise LabelError(f"no state {state!r}{nearest(str(state), labels)}")
    for run in runs:
        require_trajectory(run)
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, 2, figsize=(9.2, 6.2), layout="constrained", width_ratios=(3, 2), squeeze=False
    )
    figure.suptitle(plain_text(law.plant.name or "law along a motion") if title is None else title)
    extent = np.ptp(law.cycle, axis=0)
    row = int(np.argmax(extent / law.sizes)) if state is None else labels.index(state)
    _motions(axes[0, 0], law, runs, row)
    _multipliers(axes[0, 1], law.multipliers, len(law.neutral))
    edges = law.hold * np.arange(len(law.cycle) + 1)
    inputs = {axis_label(k, law.units): v for k, v in zip(law.input_labels, law.commands.T, strict=True)}
    weighed = law.gains * np.where(extent > 0, extent, law.sizes)
    _stairs(axes[1, 0], edges, inputs, "set by the law", np.max(np.abs(weighed), initial=0.0))
    gains = {
        f"{mathtext(u)} by {mathtext(x)}": weighed[:, i, j]
        for i, u in enumerate(law.input_labels)
        for j, x in enumerate(labels)
        if np.any(law.gains[:, i, j])
    }
    _stairs(axes[1, 1], edges, gains, "gain times extent of its state")
    return axes


def _motions(ax: Axes, law: Any, runs: Sequence[Any], row: int) -> None:
    """The state at the samples of the loop's motion, over as many periods as the runs have."""
    label = law.plant.state_labels[row]
    last = max([law.period, *(run.time[-1] for run in runs)])
    count = int(np.ceil(last / law.hold - 1e-9))
    times = law.hold * np.arange(count + 1)
    for run in runs:
        ax.plot(run.time, run[label], color=COLOURS[4], linewidth=0.9)
    around = np.resize(law.cycle[:, row], count + 1)
    ax.plot(times, around, "o", color=COLOURS[0], markersize=3.5, label="the loop's motion, at samples")
    if runs:
        ax.plot([], [], color=COLOURS[4], linewidth=0.9, label="from beside it")
    for k in range(1, round(last / law.period) + 1):
        ax.axvline(k * law.period, color="#999999", linewidth=0.8, linestyle=":")
    quiet(ax, xlabel="time (s)", ylabel=axis_label(label, law.units))
    _legend_above(ax)


def _multipliers(ax: Axes, multipliers: np.ndarray, kept: int) -> None:
    """Multipliers beside the unit circle, the first of what is kept; those outside by their shape as well."""
    turn = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(turn), np.sin(turn), color="#888888", linewidth=0.9, zorder=1)
    others = multipliers[kept:]
    size = np.abs(others)
    for shown, marker, colour, words in (
        (others[size <= 1], "o", COLOURS[2], "inside"),
        (others[size > 1], "X", COLOURS[1], "outside"),
    ):
        if len(shown):
            words += f", up to {np.max(np.abs(shown)):.3g}"
            ax.scatter(shown.real, shown.imag, s=40, marker=marker, color=colour, zorder=3, label=words)
    if kept:
        ax.scatter([1], [0], s=40, facecolors="white", edgecolors="black", zorder=3, label="of what is kept")
    quiet(ax, xlabel="multipliers of a period, real part", ylabel="imaginary part")
    if np.max(size, initial=0.0) > _FAR:
        ax.set_xscale("symlog", linthresh=1.0)
        ax.set_yscale("symlog", linthresh=1.0)
    else:
        ax.set_aspect("equal", adjustable="datalim")
    _legend_above(ax)


def _stairs(ax: Axes, edges: np.ndarray, values: dict[str, np.ndarray], what: str, size: float = 0.0) -> None:
    """Numbers that are held, a line for each; what changes by rounding of a size alone is flat."""
    rows = np.array([*values.values()]).reshape(len(values), -1)
    told = set(np.argsort(-np.max(np.abs(rows), axis=1, initial=0.0), kind="stable")[:_TOLD])
    for i, (label, held) in enumerate(values.items()):
        style: dict[str, Any] = {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[i // len(COLOURS) % len(DASHES)],
        }
        name = label if i in told else None
        ax.stairs(held, edges, baseline=None, linewidth=1.5, label=name, **style)
    quiet(ax, xlabel="time in the period (s)", ylabel=what)
    if rows.size and np.ptp(rows) <= _ROUNDING * size:
        ax.set_ylim(rows.mean() - 0.1 * size, rows.mean() + 0.1 * size)
    _legend_above(ax)


def _legend_above(ax: Axes) -> None:
    """Names of what is drawn, where nothing is."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize="small", ncols=3,
            columnspacing=1.0, handlelength=1.4,
        )  # fmt: skip
