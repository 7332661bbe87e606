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

__all__ = ["branches"]

_MARKS = {
    "fold": ("s", "fold"),
    "branch point": ("D", "branch point"),
    "Hopf point": ("o", "Hopf point"),
    "zero eigenvalue": ("^", "zero eigenvalue"),
    "meeting eigenvalues": ("v", "eigenvalues meet"),
}


def branches(found: Any, state: str | None = None, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Branches of `follow`: a state over what they go along, dashed where the spectrum grows.

    Changes are marked; full marks have a bracket that is proved, hollow ones a bracket of floats.

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
    unstable = [verdict.value == "NUMERICALLY_UNSTABLE" for verdict in branch.verdicts]
    places = list(zip(branch.values, branch.states[row], strict=True))
    piece, growing = places[:1], unstable[0]
    for (a, b), (first, second) in zip(pairwise(places), pairwise(unstable), strict=True):
        if first != second:  # dashes begin anew with each piece, so these are as long as can be
            middle = _crossing(branch, row, a, b)
            _piece(ax, [*piece, middle], growing, colour)
            piece, growing = [middle], second
        piece.append(b)
    _piece(ax, piece, growing, colour)


def _piece(ax: Axes, points: list[tuple[float, float]], growing: bool, colour: str) -> None:
    ax.plot(*zip(*points, strict=True), "--" if growing else "-", color=colour, linewidth=1.6)


def _crossing(branch: Any, row: int, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """The change between two points next to each other, or their middle."""
    low, high = sorted((a[0], b[0]))
    for change in branch.changes:
        if low <= change.value <= high:
            return float(change.value), float(change.point.x[row])
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
