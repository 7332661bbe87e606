"""A run that is followed once more from its samples: at other times, or with further states."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl.errors import InputError, SimulationError
from geoctrl.stepping.drive.engine import Engine
from geoctrl.stepping.drive.flow import Flow

__all__ = ["followed_states", "resampled_states"]


def followed_states(flow: Flow, by: type[Engine]) -> np.ndarray:
    """States (n, nt) at the times of a flow that starts anew from known samples."""
    blocks, steps = [], by(flow).run()
    while True:
        try:
            blocks.append(next(steps))
        except StopIteration as stop:
            if stop.value.failure:
                raise SimulationError(
                    f"following the run broke off: {stop.value.failure} at t = {stop.value.time:.9g}"
                ) from None
            return flow.joined_blocks(blocks)[1]


def resampled_states(
    flow: Flow, by: type[Engine], time: np.ndarray, states: np.ndarray, times: Any
) -> np.ndarray:
    """States (n, k) at other times within the samples (nt,), (n, nt) of a flow, each from the one before."""
    asked = finite_array("times", times)
    if asked.ndim != 1 or not asked.size or not np.all(np.diff(asked) > 0):
        raise InputError(
            f"times must be a row of increasing times, got {np.array2string(asked, threshold=6)}"
        )
    if asked[0] < time[0] or asked[-1] > time[-1]:
        beyond = asked[0] if asked[0] < time[0] else asked[-1]
        raise InputError(
            f"times must lie within the run, {time[0]:.9g} .. {time[-1]:.9g}, got {beyond:.9g}; to go on "
            "from its last state, simulate from there"
        )
    before = np.searchsorted(time, asked, side="right") - 1
    found = np.array(states[:, before])
    # Of each sample that others are asked for behind it, these are run from it.
    for k in np.unique(before[asked != time[before]]):
        mine = (before == k) & (asked != time[before])
        piece = Flow(
            system=flow.system,
            drive=flow.drive,
            params=flow.params,
            x0=states[:, k],
            times=np.concatenate([time[k : k + 1], asked[mine]]),
            rtol=flow.rtol,
        )
        found[:, mine] = followed_states(piece, by)[:, 1:]
    return found
