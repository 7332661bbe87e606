"""Figures of sweeps: one value over one axis or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import require_choice
from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sweep"]


def sweep(result: Any, name: str | None = None, ax: Axes | None = None, title: str | None = None) -> Axes:
    """One value of a sweep: over one axis a line, over two axes colours.

    Parameters
    ----------
    result : SweepResult
    name : str, optional
        Of a value; by default the only one.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        For an unknown value, or one that is no number; axes that are more than two, or texts.
    TypeError
        If this is no result of a sweep, or ``ax`` no axes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> found = gc.sweep(lambda a: a**2, {"a": [0.0, 1.0, 3.0]})
    >>> found.plot().get_xlabel()
    'a'
    """
    if not hasattr(result, "axes") or not hasattr(result, "failed"):
        raise TypeError(f"a result of sweep is needed, got {type(result).__name__}")
    if name is None and len(result.values) != 1:
        raise InputError(f"name one of the values: {', '.join(result.values) or 'this sweep has none'}")
    chosen = next(iter(result.values)) if name is None else name
    require_choice("value", chosen, result.values)
    values, axes = result.values[chosen], list(result.axes.items())
    if values.ndim != len(axes) or values.dtype.kind not in "biuf":
        raise InputError(f"a figure shows one number a point; {chosen!r} is none")
    if len(axes) > 2 or any(array.dtype.kind not in "biuf" for _, array in axes):
        raise InputError("a figure has one axis or two, of numbers: choose a part of the grid")
    ax = new_axes(ax, (6.4, 4.2))
    words = "" if chosen == "value" else plain_text(chosen)
    (across, x), *rest = axes
    if not rest:
        ax.plot(x, values, color=COLOURS[0], marker="o", markersize=3)
        quiet(ax, title=title or "", xlabel=plain_text(across), ylabel=words)
        return ax
    up, y = rest[0]
    order = np.ix_(np.argsort(x), np.argsort(y))
    shown = ax.pcolormesh(np.sort(x), np.sort(y), values[order].T.astype(float), shading="nearest")
    ax.figure.colorbar(shown, ax=ax, label=words)
    quiet(ax, title=title or "", xlabel=plain_text(across), ylabel=plain_text(up))
    ax.grid(False)
    return ax
