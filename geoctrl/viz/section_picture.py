"""Poincare sections: points where runs cross a surface, coloured by start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import InputError, LabelError
from geoctrl.viz.style import COLOURS, axis_label, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["poincare"]


def poincare(
    section: Any,
    x: str | None = None,
    y: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    r"""A section of `poincare_section` over two states, a colour for each start.

    Parameters
    ----------
    section : PoincareSection
    x, y : str, optional
        Labels of states; the first two, in the order of the state, of the four that spread furthest.
    ax : matplotlib axes, optional
    title : str, optional
        The surface by default.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    LabelError
        If there is no such state.
    InputError
        For one state twice, or where no run crosses the surface.
    TypeError
        If this is no section, or ``ax`` no axes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = gc.models.get("free-rigid-body")().reduce()
    >>> found = gc.poincare_section(body, {"Omega2": 0}, [[0.2, 0.3, 1.0], [0.5, 0.3, 1.0]], 30.0)
    >>> gc.viz.poincare(found, "Omega1", "Omega3").get_xlabel()
    '$\\Omega_{1}$ (rad/s)'
    """
    if not hasattr(section, "crossings") or not hasattr(section, "surface"):
        raise TypeError(f"a section of poincare_section is needed, got {type(section).__name__}")
    labels = list(section.system.state_labels)
    for label in (x, y):
        if label is not None and label not in labels:
            raise LabelError(f"no state {label!r}{nearest(str(label), labels)}")
    if x is not None and x == y:
        raise InputError(f"two states are needed, got {x!r} twice")
    if not any(len(found) for found in section.crossings):
        raise InputError("no run crosses the section; run longer, take direction=0 or another surface")
    widest = [label for label in _widest(section, labels) if label not in (x, y)]
    x = widest.pop(0) if x is None else x
    y = widest.pop(0) if y is None else y
    ax = new_axes(ax, (5.6, 5.0))
    for across, up, colour in zip(section[x], section[y], _colours(len(section)), strict=True):
        ax.plot(across, up, ".", color=colour, markersize=3.0, markeredgewidth=0)
    quiet(
        ax,
        title
        if title is not None
        else plain_text(f"{section.system.name or 'section'}: {section.surface} = 0"),
        xlabel=axis_label(x, section.units),
        ylabel=axis_label(y, section.units),
    )
    return ax


def _widest(section: Any, labels: list[str]) -> list[str]:
    """States that spread furthest over the crossings, in the order of the state."""
    spread = np.ptp(np.hstack([found.states for found in section.crossings]), axis=1)
    return [labels[i] for i in sorted(np.argsort(-spread, kind="stable")[:4])]


def _colours(count: int) -> list[Any]:
    """The palette, or a scale from start to start where there are more than it has."""
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    from matplotlib import colormaps

    return list(colormaps["viridis"](np.linspace(0, 0.92, count)))
