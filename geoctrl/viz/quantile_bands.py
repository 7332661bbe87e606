"""Figures of ensembles: how a quantity spreads over the members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from geoctrl._scalars import shown
from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, axis_label, new_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoctrl.simulation.ensembles.ensemble import Ensemble

__all__ = ["bands"]

_BANDS = ((0.05, 0.95, 0.18), (0.25, 0.75, 0.32))
"""Lower and upper quantile, and opacity."""


def bands(ens: Ensemble, label: str, ax: Axes | None = None, title: str | None = None) -> Axes:
    """The median of a label over time, and what nine tenths and one half of the members are within.

    Members that have ended are left out from there on.

    Parameters
    ----------
    ens : Ensemble
    label : str
        Of a state, or of what ``record`` kept at all samples.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    LabelError
        For an unknown label.
    InputError
        If one number a member is kept of it, or no member has samples.
    TypeError
        If this is no ensemble, or ``ax`` no axes.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")(set="lagrange").reduce()
    >>> starts = [[0.1, 0, spin, 0, 0.6, 0.8] for spin in range(20, 40)]
    >>> ens = gc.simulate_ensemble(top, np.linspace(0, 1, 51), starts)
    >>> ens.plot("Gamma3").get_xlabel()
    'time (s)'
    """
    if not hasattr(ens, "recorded") or not hasattr(ens, "failed"):
        raise TypeError(f"an ensemble is needed, as simulate_ensemble gives it, got {type(ens).__name__}")
    values = ens[label] if isinstance(label, str) else None
    if np.ndim(values) != 2:
        raise InputError(f"a figure shows samples of one label over time; {shown(label)} has none")
    there = np.isfinite(values).any(axis=0)
    if not there.any():
        raise InputError(f"no member has samples of {label!r}: see .status")
    ax = new_axes(ax, (6.4, 3.4))
    units = {} if ens.system is None else ens.system.told_units
    time, found = ens.time[there], values[:, there]
    for low, high, opacity in _BANDS:
        edges = np.nanquantile(found, (low, high), axis=0)
        words = f"{round(100 * (high - low))} % of the members"
        ax.fill_between(time, *edges, color=COLOURS[0], alpha=opacity, linewidth=0, label=words)
    ax.plot(time, np.nanmedian(found, axis=0), color=COLOURS[0], linewidth=1.3, label="median")
    quiet(ax, title, xlabel="time (s)", ylabel=axis_label(label, units))
    ax.legend(loc="best", frameon=False)
    return ax
