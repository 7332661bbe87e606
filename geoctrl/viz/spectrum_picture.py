"""Eigenvalues in the complex plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._scalars.text.numbers import shown
from geoctrl.errors import InputError
from geoctrl.viz.style import COLOURS, new_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["eigenvalues"]


def eigenvalues(lin: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Eigenvalues in the complex plane, the unstable ones marked by their shape as well as their colour.

    Parameters
    ----------
    lin : Linearization or array
        An object with ``eigenvalues``, an array of eigenvalues, or a square matrix.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        If there is nothing to draw.
    TypeError
        If ``ax`` is no axes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.viz.eigenvalues([[0, 1], [-4, 0]]).get_xlabel()
    'real part (1/s)'
    """
    given = getattr(lin, "eigenvalues", lin)
    try:
        values = np.asarray(given, dtype=complex)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"eigenvalues or a square matrix are needed, got {shown(given)}") from None
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        values = np.linalg.eigvals(values)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise InputError(f"eigenvalues or a square matrix are needed, got an array of shape {values.shape}")
    ax = new_axes(ax, (5.0, 4.5))
    size = float(np.max(np.abs(values))) or 1.0
    edge = 1e-7 * size
    groups = (
        ("unstable", values.real > edge, "X", COLOURS[1]),
        ("on the axis", np.abs(values.real) <= edge, "o", COLOURS[0]),
        ("stable", values.real < -edge, "s", COLOURS[2]),
    )
    ax.axvline(0, color="#888888", linewidth=0.8, zorder=1)
    ax.axhline(0, color="#888888", linewidth=0.8, zorder=1)
    for label, mask, marker, colour in groups:
        if mask.any():
            chosen = values[mask]
            ax.scatter(
                chosen.real,
                chosen.imag,
                s=64,
                marker=marker,
                facecolors=colour,
                edgecolors="white",
                label=label,
                zorder=3,
            )
            _count_repeated(ax, chosen, 1e-6 * size)
    reach = 1.25 * size
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    quiet(ax, title, xlabel="real part (1/s)", ylabel="imaginary part (1/s)")
    ax.legend(loc="upper right", frameon=False)
    return ax


def _count_repeated(ax: Axes, values: np.ndarray, close: float) -> None:
    left = list(values)
    while left:
        same = [v for v in left if abs(v - left[0]) <= close]
        if len(same) > 1:
            at = (same[0].real, same[0].imag)
            ax.annotate(f"x {len(same)}", at, xytext=(8, 6), textcoords="offset points", fontsize="small")
        left = [v for v in left if abs(v - left[0]) > close]
