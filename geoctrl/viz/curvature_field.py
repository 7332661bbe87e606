"""The curvature of a connection over two coordinates of the shape, and the loops that gaits make there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import finite_array, nearest
from geoctrl._scalars.text.numbers import real, shown
from geoctrl.errors import InputError
from geoctrl.viz.style import DASHES, mathtext, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoctrl.algebra import Coordinate
    from geoctrl.systems.connections.connection import Connection

__all__ = ["curvature"]

_GRID, _SAMPLES, _LEVELS = 161, 241, 14
_COLOURED, _POLE = 98.0, 2.0
"""Percentile of the sizes that the colours end at where the largest is twice that: a pole would take all."""


def curvature(
    connection: Connection,
    velocity: str,
    over: Mapping[str, tuple[float, float]],
    gaits: Mapping[str, Mapping[str, Any]] | None = None,
    period: float | None = None,
    at: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    r"""One component of the curvature as filled contours, with the loops of gaits drawn over it.

    What a small loop encloses of it is what the loop moves the group by: without momentum, to second order,

    .. math:: \log g = -\int_S \mathcal B_{ij}\, dr^i\, dr^j

    (S to the left of the loop where the first coordinate goes to the right and the second upwards).

    Parameters
    ----------
    connection : Connection
        As ``sys.connection()`` gives it.
    velocity : str
        Label of the velocity of the group, of which it is the component.
    over : dict of two coordinates -> (least, greatest)
        The first goes to the right.
    gaits : dict of name -> gait, optional
        As `Connection.displacement` takes them; an arrow shows the sense.
    period : float, optional
        Of the gaits (s).
    at : dict of coordinate -> number, optional
        Values of the other coordinates, zero by default. Gaits are drawn as they move these two.
    params : dict, optional
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        If there is no such velocity or coordinate, ``over`` has not two of them with limits in order, or
        gaits come without a period.
    DescriptionError
        For a gait that is none.
    ParameterError
        For an unknown or missing parameter.
    TypeError
        If ``connection`` is none, or ``ax`` no axes.

    Examples
    --------
    >>> import sympy as sp, geoctrl as gc
    >>> board = gc.models.get("snakeboard")().reduce().connection()
    >>> gait = {"psi": -0.7 * sp.sin(gc.time), "phi": 0.6 * sp.cos(gc.time)}
    >>> ax = gc.viz.curvature(board, "Y1", {"psi": (-1, 1), "phi": (-1, 1)}, {"circle": gait}, 6.2832)
    >>> ax.get_xlabel()
    '$\\psi$ (rad)'
    """
    if not hasattr(connection, "curvature_at"):
        raise TypeError(f"connection must be what sys.connection() gives, got {type(connection).__name__}")
    shape, group = [c.name for c in connection.mechanism.shape], connection.mechanism.group
    assert group is not None  # else there were no connection
    component = _place_of("velocity of the group", velocity, group.labels)
    (right, x), (up, y) = _limits(over, shape)
    r = np.zeros((len(shape), _GRID, _GRID))
    for name, value in (at or {}).items():
        r[_place_of("coordinate", name, shape)] = real(value, f"at[{name!r}]")
    r[right], r[up] = np.meshgrid(x, y)
    values = connection.curvature_at(r, right, up, params)[component]
    loops = _loops(connection, gaits or {}, period)

    ax = new_axes(ax, (6.0, 5.0))
    _fill(ax, x, y, values, velocity)
    for k, (name, loop) in enumerate(loops.items()):
        _draw_loop(ax, loop[[right, up]], name, DASHES[k % len(DASHES)])
    if loops:
        ax.legend(loc="best", framealpha=0.85)
    drawn = [_axis_label(connection.mechanism.shape[k]) for k in (right, up)]
    quiet(ax, title, xlabel=drawn[0], ylabel=drawn[1])
    ax.grid(False)
    return ax


def _place_of(what: str, name: Any, names: Sequence[str]) -> int:
    if name not in names:
        raise InputError(f"no {what} {shown(name)}{nearest(str(name), names)}")
    return list(names).index(name)


def _limits(over: Any, shape: Sequence[str]) -> list[tuple[int, np.ndarray]]:
    """Places of the two coordinates in the shape, and where each is sampled."""
    if not isinstance(over, Mapping) or len(over) != 2:
        raise InputError(f"over must be a dict of two coordinates -> (least, greatest), got {shown(over)}")
    found = []
    for name, limits in over.items():
        place, (least, greatest) = (
            _place_of("coordinate", name, shape),
            finite_array(f"over[{name!r}]", limits, (2,)),
        )
        if not least < greatest:
            raise InputError(f"over[{name!r}] must be (least, greatest), got {shown(limits)}")
        found.append((place, np.linspace(least, greatest, _GRID)))
    return found


def _loops(connection: Connection, gaits: Mapping[str, Any], period: Any) -> dict[str, np.ndarray]:
    """Coordinates (k, nt) of each gait over one period."""
    if not isinstance(gaits, Mapping):
        raise InputError(f"gaits must be a dict of name -> gait, got {shown(gaits)}")
    if not gaits:
        return {}
    if period is None or not real(period, "period") > 0:
        raise InputError(f"gaits are drawn over one period, a positive number; got period={shown(period)}")
    times = np.linspace(0.0, real(period, "period"), _SAMPLES)
    return {name: connection.loop(gait, times) for name, gait in gaits.items()}


def _fill(ax: Axes, x: np.ndarray, y: np.ndarray, values: np.ndarray, velocity: str) -> None:
    """Filled contours in colours that part at zero, with their scale."""
    from matplotlib.ticker import MaxNLocator

    finite = np.abs(values[np.isfinite(values)])
    if not finite.size:
        raise InputError(f"the curvature of {velocity} has no value anywhere there")
    size, most = float(np.percentile(finite, _COLOURED)), float(np.max(finite))
    if most < _POLE * size:
        size = most
    levels = MaxNLocator(_LEVELS, symmetric=True).tick_values(-(size or 1.0), size or 1.0)
    filled = ax.contourf(
        x, y, np.ma.masked_invalid(values), levels=levels, cmap="PuOr", extend="both", zorder=1
    )
    ax.contour(filled, levels=[0.0], colors="#777777", linewidths=0.8, zorder=2)
    ax.figure.colorbar(filled, ax=ax, label=f"curvature of {mathtext(velocity)}")


def _draw_loop(ax: Axes, loop: np.ndarray, name: str, dashes: str) -> None:
    """The loop, and an arrow in its sense."""
    ax.plot(*loop, color="black", linestyle=dashes, linewidth=1.6, label=name, zorder=3)
    k = loop.shape[1] // 8
    ax.annotate(
        "",
        tuple(loop[:, k + 2]),
        tuple(loop[:, k]),
        arrowprops={"arrowstyle": "-|>", "color": "black", "mutation_scale": 16},
    )


def _axis_label(c: Coordinate) -> str:
    unit = c.unit or ("rad" if c.angle else "")
    return mathtext(c.name) + (f" ({plain_text(unit)})" if unit else "")
