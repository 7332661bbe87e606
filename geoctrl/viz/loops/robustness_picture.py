"""What a loop tolerates, as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["robustness"]

_ROW = 0.55
"""Height of a row, inches."""
_LONGEST = 62
"""Characters of a criterion."""


def robustness(report: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """The rows of a report, each over the values that were tried, easy ones to the left, by equal factors.

    What is tolerated is filled up to the value at which a run was not good; beside it stand the value, and
    what broke.

    Parameters
    ----------
    report : RobustnessReport
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        For a report without rows.
    TypeError
        If this is no report, or ``ax`` no axes.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> cart = gc.models.get("cart-pendulum")().reduce()
    >>> law = gc.lqr(cart, cart.equilibrium("upright"))
    >>> start, times = cart.state(phi=0.1), np.linspace(0, 20, 101)
    >>> report = gc.robustness(cart, law, start, times, checks=["hold"])
    >>> [label.get_text() for label in report.plot().get_yticklabels()]
    ['hold']
    """
    if not hasattr(report, "rows") or not hasattr(report, "seed"):
        raise TypeError(f"a report of robustness is needed, got {type(report).__name__}")
    if not report.rows:
        raise InputError("a figure needs a report with rows; this one has none")
    ax = new_axes(ax, (9.0, 0.9 + _ROW * len(report.rows)))
    for place, row in enumerate(report.rows):
        easy, hard = np.log(row.tried)
        part = 0.0 if row.tolerated is None else (np.log(row.tolerated) - easy) / (hard - easy)
        ax.barh(place, 1.0, height=0.5, color="#ececec")
        ax.barh(place, max(part, 0.004), height=0.5, color=COLOURS[0] if part else COLOURS[1])
        value = "none" if row.tolerated is None else plain_text(f"{row.tolerated:.3g} {row.unit}")
        ax.text(1.02, place - 0.13, value, va="center", fontsize=9)
        broke = row.criterion if len(row.criterion) <= _LONGEST else f"{row.criterion[: _LONGEST - 3]}..."
        ax.text(1.02, place + 0.2, plain_text(broke), va="center", fontsize=7, color="#666666")
    ax.set_yticks(range(len(report.rows)), [plain_text(row.check) for row in report.rows])
    ax.set_ylim(len(report.rows) - 0.5, -0.5)
    ax.set_xlim(0.0, 1.0)
    ax.set_xticks([])
    quiet(ax, title=title or "What the loop tolerates", xlabel="from easy to hard, by equal factors")
    ax.grid(False)
    return ax
