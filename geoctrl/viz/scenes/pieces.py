"""Bodies of a run with jumps: those of its pieces, each begun where the one before ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from geoctrl.errors import InputError
from geoctrl.simulation import HybridTrajectory
from geoctrl.viz.scenes.poses import Moving

__all__ = ["PieceInPlace", "joined_bodies", "joined_ways"]


class PieceInPlace:
    """One piece as a run: attitude, place and turns of rotors go on from the pieces before."""

    def __init__(self, whole: HybridTrajectory, number: int, turned: dict[str, float]) -> None:
        self._whole, self._number, self.turned = whole, number, turned
        self._run = whole.pieces[number]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def __getitem__(self, label: str) -> np.ndarray:
        return self._run[label]

    def attitude(self, of: int = 1) -> np.ndarray:
        """Rotations of a factor at all samples of the piece."""
        return self._whole.ways_of_pieces(of=of, moving=False)[self._number].attitude

    def position(self, of: int = 1) -> np.ndarray:
        """Places of the frame of a factor."""
        return self._whole.ways_of_pieces(of=of)[self._number].place

    def contact(self) -> np.ndarray:
        """Points of contact."""
        own, moved = self._run.contact(R0=self.attitude()[0]), self.position()
        return own + moved[0]


def _pieces(run: HybridTrajectory) -> list[PieceInPlace]:
    turned: dict[str, float] = {}
    return [PieceInPlace(run, k, turned) for k in range(len(run.pieces))]


def joined_bodies(run: HybridTrajectory, bodies: Callable[[Any], Sequence[Moving]]) -> list[Moving]:
    """Bodies over all pieces, at the samples of the run; InputError where modes have others."""
    columns = run.columns_of_pieces
    pieces = [bodies(piece) for piece in _pieces(run)]
    for found in pieces:
        if [(body.name, body.shapes) for body in found] != [(body.name, body.shapes) for body in pieces[0]]:
            raise InputError(
                "the modes of this run have pictures of other bodies: show a piece, run.pieces[0], or say by "
                "parts= what moves in all of them"
            )
    return [
        Moving(
            first.name,
            first.shapes,
            np.concatenate([piece[k].places[own] for piece, own in zip(pieces, columns, strict=True)]),
            np.concatenate([piece[k].turns[own] for piece, own in zip(pieces, columns, strict=True)]),
        )
        for k, first in enumerate(pieces[0])
    ]


def joined_ways(run: HybridTrajectory, way_of: Callable[[Any], np.ndarray | None]) -> np.ndarray | None:
    """The way over the ground through all pieces; None where one has none."""
    ways = [way_of(piece) for piece in _pieces(run)]
    kept = [way[own] for way, own in zip(ways, run.columns_of_pieces, strict=True) if way is not None]
    return np.concatenate(kept) if len(kept) == len(ways) else None
