"""Pieces of a run with jumps that was read from a file, found again with its system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from geoctrl.errors import InputError
from geoctrl.simulation.jumps.hybrid_trajectory import HybridTrajectory, JumpRecord
from geoctrl.systems import HybridSystem

__all__ = ["WrittenPiece", "require_jumps_of", "written_pieces"]

_SAME = 1e-9
"""Part of the largest that states after a jump may differ by."""


class WrittenPiece(NamedTuple):
    """A motion between two jumps, ends included.

    Attributes
    ----------
    mode : str
    time, states : ndarray (nt,), (n, nt)
    samples : ndarray of int
        Which samples of the run lie in it.
    columns : ndarray of int
        Where they are among its times.
    """

    mode: str
    time: np.ndarray
    states: np.ndarray
    samples: np.ndarray
    columns: np.ndarray


def written_pieces(run: HybridTrajectory, system: HybridSystem) -> list[WrittenPiece]:
    """The pieces between the jumps of a run; InputError where modes of samples are not those of the jumps."""
    jumps = {t.name for t in system.transitions}
    first = str(run.mode[0])
    begun, mode = float(run.time[0]), first
    start = run.states[_rows(run, system, first), 0]
    found: list[WrittenPiece] = []
    left = 0
    for record in run.jumps:
        if record.name in jumps:
            left = _take(found, run, system, (mode, begun, start), left, record)
        begun, mode, start = record.time, record.mode, record.after
    if left < run.time.size:
        _take(found, run, system, (mode, begun, start), left, None)
    return found


def _take(
    found: list[WrittenPiece],
    run: HybridTrajectory,
    system: HybridSystem,
    begin: tuple[str, float, np.ndarray],
    left: int,
    end: JumpRecord | None,
) -> int:
    """Append the piece that begins there, and count the samples up to its end."""
    mode, begun, start = begin
    stop = run.time.size if end is None else int(np.searchsorted(run.time, end.time, side="right"))
    samples = np.arange(left, stop)
    rows = _rows(run, system, mode)
    if any(str(name) != mode for name in run.mode[samples]) or start.size != len(rows):
        raise InputError(f"this is no run of {system.name or 'the system'}: its samples are in other modes")
    times, states = [begun, *run.time[samples]], [start, *run.states[rows][:, samples].T]
    if end is not None:
        times, states = [*times, end.time], [*states, end.before]
    grid, places = np.unique(times, return_index=True)
    own = np.stack([states[k] for k in places], axis=1)
    found.append(WrittenPiece(mode, grid, own, samples, np.searchsorted(grid, run.time[samples])))
    return stop


def _rows(run: HybridTrajectory, system: HybridSystem, mode: str) -> list[int]:
    """Rows of the states that a mode has."""
    return [run.state_labels.index(label) for label in system.modes[mode].state_labels]


def require_jumps_of(
    run: HybridTrajectory, system: HybridSystem, params: Mapping[str, Mapping[str, float]]
) -> None:
    """InputError unless each jump makes of its state what the file says."""
    by_name = {t.name: t for t in system.transitions}
    for record in run.jumps:
        transition = by_name.get(record.name)
        if transition is None:
            continue
        source, target = transition.source, transition.target
        values = {**params[source.name], **params[target.name]}
        u = np.zeros(source.system.ninputs)
        made = transition.landing(record.time, record.before, u, values).state
        size = np.max(np.abs([made, record.after]), initial=0.0)
        if record.mode != target.name or np.any(np.abs(made - record.after) > _SAME * size):
            raise InputError(
                f"this is no run of {system.name or 'the system'}: its jump {record.name!r} at t = "
                f"{record.time:.6g} makes another state of the one before it"
            )
