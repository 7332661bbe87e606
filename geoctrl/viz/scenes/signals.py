"""Rows of signals that are drawn below a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl.viz.style import COLOURS

__all__ = ["Row", "signal_rows"]

Row = dict[str, Any]
"""``name``, ``unit``, and ``lines``: pairs of a colour and values (count,), nan after the end of a run."""

_FEW = 3
"""Rows that are shown where none are asked for."""


def signal_rows(run: Any, runs: Sequence[Any], times: np.ndarray, asked: Any) -> list[Row]:
    """Rows over time, with a line for every label and run; angles in degrees.

    Parameters
    ----------
    run : trajectory
        The first one as it was given.
    runs : sequence of trajectories
        All of them, at the times of the scene.
    asked : sequence of labels, or mapping of name -> label, labels or values, or None
    """
    rows = _default_rows(run) if asked is None else asked
    if isinstance(rows, str):
        rows = [rows]
    if not isinstance(rows, Mapping):
        rows = {label: label for label in rows}
    angles = {c.name for c in getattr(getattr(run.system, "mechanism", None), "shape", ()) if c.angle}
    found = []
    for name, given in rows.items():
        degrees = isinstance(given, str) and given in angles
        scale = 180 / np.pi if degrees else 1.0
        lines = []
        for k, r in enumerate(runs):
            colours = COLOURS if len(runs) == 1 else COLOURS[k:]
            for i, values in enumerate(_values(r, given, run.time)):
                row = np.full(times.size, np.nan)
                row[: values.size] = scale * values
                lines.append((colours[i % len(colours)], row))
        found.append({"name": name, "unit": "deg" if degrees else _shared_unit(run, given), "lines": lines})
    return found


def _shared_unit(run: Any, given: Any) -> str:
    """The unit that all labels of a row have; none of values that are given as such."""
    labels = [given] if isinstance(given, str) else given
    if not all(isinstance(label, str) for label in labels):
        return ""
    found = {run.units.get(label, "") for label in labels}
    return found.pop() if len(found) == 1 else ""


def _values(r: Any, given: Any, own: np.ndarray) -> list[np.ndarray]:
    if isinstance(given, str):
        return [r[given]]
    if all(isinstance(label, str) for label in given):
        return [r[label] for label in given]
    return [np.interp(r.time, own, finite_array("a signal", given, own.shape))]


def _default_rows(run: Any) -> dict[str, Any]:
    """Coordinates, what was commanded, directions, velocities: the first few of them."""
    mechanism = getattr(run.system, "mechanism", None)
    if mechanism is None:
        return {label: label for label in run.state_labels[:_FEW]}
    rows: dict[str, Any] = {c.name: c.name for c in mechanism.shape[:2]}
    acting = [label for label in (*run.input_labels, *run.output_labels) if np.any(run[label])]
    rows |= {label: label for label in acting[:1]}
    for vector in mechanism.advected:
        held = [str(s) for s in vector.symbols if str(s) in run.state_labels]
        if held:
            rows[", ".join(held)] = held
    rows |= {label: label for label in run.state_labels if label not in rows}
    return dict(list(rows.items())[:_FEW])
