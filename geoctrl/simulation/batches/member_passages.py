"""Passages through surfaces of events by many members, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from geoctrl.simulation.batches.member_starts import Sides

__all__ = ["MemberPassages"]


class MemberPassages(NamedTuple):
    """Zeros of events, m of them.

    Attributes
    ----------
    members, events : ndarray of int (m,)
    times : ndarray (m,)
    signs : ndarray of int (m,)
        Of the rate.
    states : ndarray (m, n)
    """

    members: np.ndarray
    events: np.ndarray
    times: np.ndarray
    signs: np.ndarray
    states: np.ndarray

    @classmethod
    def of_parts(cls, parts: Iterable[MemberPassages], nstates: int) -> MemberPassages:
        """Those of all parts."""
        none = np.zeros(0, int)
        empty = cls(none, none, np.zeros(0), none, np.zeros((0, nstates)))
        return cls(*(np.concatenate(column) for column in zip(empty, *parts, strict=True)))

    def where(self, chosen: np.ndarray) -> MemberPassages:
        """Some of them, by bool (m,) or places in order."""
        return MemberPassages(*(column[chosen] for column in self))

    def in_order(self) -> MemberPassages:
        """By members, those of each in the order of time."""
        return self.where(np.lexsort((self.times, self.members)))

    def lost_sides(self, begin: np.ndarray, end: Sides, stopped: np.ndarray) -> np.ndarray:
        """Members in which passages in order contradict the sides at begin and end, bool (k,).

        Parameters
        ----------
        begin : ndarray of int (g, k)
            Signs at the start.
        end : Sides
        stopped : ndarray of int (k,)
            The event that ended a member, or -1.
        """
        lost, sides = np.zeros(len(stopped), bool), begin.copy()
        for k, side in enumerate(sides):
            mine = self.where(self.events == k)
            follows = np.diff(mine.members, prepend=-1) == 0
            before = np.where(follows, np.roll(mine.signs, 1), side[mine.members])
            lost[mine.members[mine.signs != -before]] = True
            last = ~np.roll(follows, -1)
            side[mine.members[last]] = mine.signs[last]
            clear = (np.abs(end.values[k]) > end.limits[k]) & (np.sign(end.values[k]) == side)
            lost |= ~clear & (stopped != k)
        return lost
