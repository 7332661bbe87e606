"""Attitude and place of a frame from piece to piece of a run with jumps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geoctrl.systems import Transition

__all__ = ["Way", "ways_of_pieces"]


class Way(NamedTuple):
    """Attitudes (nt, 3, 3) and places (nt, k) of a frame along a piece; empty where none are asked for."""

    attitude: np.ndarray
    place: np.ndarray


def ways_of_pieces(
    runs: Sequence[Any], jumps: Sequence[Transition], x0: Any, of: int, R0: Any, moving: bool
) -> list[Way]:
    """The way of a frame along each piece, begun where the one before ended, and moved on by its jump.

    Parameters
    ----------
    runs : sequence of Trajectory
    jumps : sequence of Transition
        At the ends of all pieces but the last; of a mode where jumps accumulate it begins at the same place.
    x0, of, R0 : as of `Trajectory.position`
    moving : bool
        Whether places are asked for, or attitudes alone.
    """
    found: list[Way] = []
    for k, run in enumerate(runs):
        turns = not moving or run.system.mechanism.algebra.factors[of - 1].spin is not None
        way = Way(
            run.attitude(R0, of) if turns else np.zeros(0),
            run.position(x0, of, R0) if moving else np.zeros(0),
        )
        found.append(way)
        R0 = way.attitude[-1] if turns else None
        if moving and k < len(jumps):
            x0 = way.place[-1] + jumps[k].step_at(run.states[:, -1], run.params)
    return found
