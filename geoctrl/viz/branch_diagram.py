"""Branches of equilibria: what stands on them, what changes along them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import InputError, LabelError
from geoctrl.viz.style import COLOURS, axis_label, new_axes, plain_text, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["branches", "orbit_branches"]

_MARKS = {
    "fold": ("s", "fold"),
    "branch point": ("D", "branch point"),
    "Hopf point": ("o", "Hopf point"),
    "zero eigenvalue": ("^", "zero eigenvalue"),
    "meeting eigenvalues": ("v", "eigenvalues meet"),
    "period doubling": ("P", "period doubling"),
    "torus": ("o", "torus"),
    "grazing": ("x", "grazing"),
    "corner": ("X", "corner"),
    "contact": ("X", "contact"),
}


def branches(found: Any, state: str | None = None, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Branches of `follow`: a state over what they go along, dashed where the spectrum grows.

    Changes are marked; full marks have a bracket that is proved, hollow ones a bracket of floats. Points with
    a certificate that proves them stable or unstable are dots.

    Parameters
    ----------
    found : Branch, or sequence of them
        Along the same state, symbol or parameter.
    state : str, optional
        Label of the state that is drawn; the one that changes most, apart from what is gone along.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        For branches of several systems.
    LabelError
        If there is no such state.
    TypeError
        If these are no branches, or ``ax`` no axes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> turn = gc.find_equilibrium(skate, fixed={"v2": 5.0, "Gamma2": 0.3})
    >>> leaning = gc.follow(skate, turn, along="v2", span=(4, 7), fixed=["Gamma2"], points=11)
    >>> gc.viz.branches(leaning).get_ylabel()
    '$v_{3}$ (m/s)'
    """
    drawn = list(found) if isinstance(found, Sequence) else [found]
    for branch in drawn:
        if not hasattr(branch, "changes") or not hasattr(branch, "along"):
            raise TypeError(f"a branch of follow is needed, got {type(branch).__name__}")
    if not drawn:
        raise InputError("no branch was given")
    if len({tuple(branch.system.state_labels) for branch in drawn}) > 1:
        raise InputError("the branches are of systems with different states; draw them one by one")
    labels = list(drawn[0].system.state_labels)
    if state is not None and state not in labels:
        raise LabelError(f"no state {state!r}{nearest(str(state), labels)}")
    row = labels.index(state) if state is not None else _liveliest(drawn, labels)
    ax = new_axes(ax, (6.0, 4.0))
    marked: dict[str, Any] = {}
    units = drawn[0].system.told_units
    for branch, colour in zip(drawn, COLOURS * (1 + len(drawn) // len(COLOURS)), strict=False):
        _lines(ax, branch, row, colour)
        _proved_points(ax, branch, row, colour)
        for change in branch.changes:
            marker, words = _MARKS[change.kind]
            style: dict[str, Any] = {
                "markerfacecolor": colour if change.rigorous else "white",
                "markeredgecolor": colour,
            }
            place = _value(branch, change), change.point.x[row]
            (mark,) = ax.plot(*place, marker, color=colour, markersize=6, zorder=4, **style)
            marked.setdefault(words, mark)
    ax.plot([], [], "-", color="#444444", label="no growing eigenvalue")
    ax.plot([], [], "--", color="#444444", label="unstable")
    for words, mark in marked.items():
        mark.set_label(words)
    quiet(
        ax,
        title if title is not None else plain_text(drawn[0].system.name),
        xlabel=axis_label(drawn[0].along, units),
        ylabel=axis_label(labels[row], units),
    )
    ax.legend(frameon=False, fontsize="small")
    return ax


def _value(branch: Any, change: Any) -> float:
    return float(np.clip(change.value, branch.values.min(), branch.values.max()))


def _liveliest(drawn: Sequence[Any], labels: Sequence[str]) -> int:
    """The state that changes most, apart from what the branches go along."""
    spread = np.ptp(np.hstack([branch.states for branch in drawn]), axis=1)
    order = np.argsort(-spread, kind="stable")
    return int(next(i for i in order if labels[i] != drawn[0].along)) if len(labels) > 1 else 0


def _lines(ax: Axes, branch: Any, row: int, colour: str) -> None:
    """Pieces between changes, each in the style of its points."""
    unstable = [verdict.value.endswith("_UNSTABLE") for verdict in branch.verdicts]
    places = list(zip(branch.values, branch.states[row], strict=True))
    piece, growing = places[:1], unstable[0]
    for (a, b), (first, second) in zip(pairwise(places), pairwise(unstable), strict=True):
        if first != second:  # dashes begin anew with each piece, so these are as long as can be
            middle = _crossing(branch, row, a, b)
            _piece(ax, [*piece, middle], growing, colour)
            piece, growing = [middle], second
        piece.append(b)
    _piece(ax, piece, growing, colour)


def _proved_points(ax: Axes, branch: Any, row: int, colour: str) -> None:
    """Dots where a point is proved."""
    shown = np.array([verdict.proved for verdict in branch.verdicts])
    if shown.any():
        ax.plot(branch.values[shown], branch.states[row, shown], ".", color=colour, markersize=4)


def _piece(ax: Axes, points: list[tuple[float, float]], growing: bool, colour: str) -> None:
    ax.plot(*zip(*points, strict=True), "--" if growing else "-", color=colour, linewidth=1.6)


def _crossing(branch: Any, row: int, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """The change between two points next to each other, or their middle."""
    low, high = sorted((a[0], b[0]))
    for change in branch.changes:
        if low <= change.value <= high:
            return float(change.value), float(change.point.x[row])
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def orbit_branches(
    found: Any, state: str | None = None, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Branches of periodic orbits: the period over the parameter, or the least and the greatest value of a
    state; dashed where a multiplier lies outside the unit circle.

    Parameters
    ----------
    found : OrbitBranch, or sequence of them
        Along the same parameter.
    state : str, optional
        Label of a state; the period by default.
    ax : matplotlib axes, optional
    title : str, optional

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        For no branch.
    LabelError
        If there is no such state.
    TypeError
        If these are no branches of orbits, or ``ax`` no axes.

    Examples
    --------
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> x, y = sp.symbols("x y", real=True)
    >>> a = gc.Parameter("a", 0.5)
    >>> field = gc.VectorField([x, y], [y, a * (1 - x**2) * y - x], parameters=[a], name="van der Pol")
    >>> system = field.reduce()
    >>> orbit = gc.find_periodic(system, [2, 0], 6.4)
    >>> branch = gc.follow(system, orbit, along="a", span=(0.2, 1), points=5)
    >>> gc.viz.orbit_branches(branch).get_ylabel()
    'period (s)'
    """
    drawn = list(found) if isinstance(found, Sequence) else [found]
    for branch in drawn:
        if not hasattr(branch, "periods") or not hasattr(branch, "along"):
            raise TypeError(f"a branch of periodic orbits is needed, got {type(branch).__name__}")
    if not drawn:
        raise InputError("no branch was given")
    labels = list(drawn[0].system.state_labels)
    if state is not None and state not in labels:
        raise LabelError(f"no state {state!r}{nearest(str(state), labels)}")
    ax = new_axes(ax, (6.0, 4.0))
    for branch, colour in zip(drawn, COLOURS * (1 + len(drawn) // len(COLOURS)), strict=False):
        values, orbits, unstable = _orbits_with_changes(branch)
        curves = [np.array([orbit.period for orbit in orbits])]
        if state is not None:
            curves = _extremes(orbits, labels.index(state))
        for curve in curves:
            for first, last in _runs(unstable):
                style = "--" if unstable[first] else "-"
                ax.plot(values[first : last + 1], curve[first : last + 1], style, color=colour)
        if state is None:
            for change in branch.changes:
                ax.plot(change.value, change.orbit.period, _MARKS[change.kind][0], color=colour, mfc="white")
    units = drawn[0].system.told_units
    quiet(
        ax,
        title if title is not None else plain_text(drawn[0].system.name),
        xlabel=axis_label(drawn[0].along, units),
        ylabel="period (s)" if state is None else axis_label(state, units),
    )
    return ax


def _orbits_with_changes(branch: Any) -> tuple[np.ndarray, list[Any], np.ndarray]:
    """Values, orbits, and which are unstable, with the changes at which they become so among them."""
    values, orbits = branch.values.tolist(), list(branch.orbits)
    unstable = [verdict.value == "NUMERICALLY_UNSTABLE" for verdict in branch.verdicts]
    for i in reversed(range(len(orbits) - 1)):
        low, high = sorted(values[i : i + 2])
        between = [c for c in branch.changes if low <= c.value <= high]
        if unstable[i] != unstable[i + 1] and between:
            values.insert(i + 1, between[0].value)
            orbits.insert(i + 1, between[0].orbit)
            unstable.insert(i + 1, unstable[i + 1])
    return np.array(values), orbits, np.array(unstable)


def _extremes(orbits: Sequence[Any], row: int) -> list[np.ndarray]:
    """Least and greatest value of a state along each orbit."""
    along = [orbit.trajectory().states[row] for orbit in orbits]
    return [np.array([extreme(values) for values in along]) for extreme in (np.nanmin, np.nanmax)]


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """First and last places of runs of equal flags; each goes on to the first place of the next."""
    starts = [0, *(np.flatnonzero(np.diff(flags)) + 1)]
    return [(a, b) for a, b in zip(starts, [*starts[1:], len(flags) - 1], strict=True)]
