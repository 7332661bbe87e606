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
        place = np.full(self.members.max(initial=-1) + 1, -1)
        place[self.members] = np.arange(self.members.size)
        order = place[place >= 0]
        if order.size < self.members.size:  # some have several
            order = np.lexsort((self.times, self.members))
        return self.where(order)

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
            mine = self.events == k
            members, signs = self.members[mine], self.signs[mine]
            follows = np.diff(members, prepend=-1) == 0
            before = np.where(follows, np.roll(signs, 1), side[members])
            lost[members[signs != -before]] = True
            last = ~np.roll(follows, -1)
            side[members[last]] = signs[last]
            clear = (np.abs(end.values[k]) > end.limits[k]) & (np.sign(end.values[k]) == side)
            lost |= ~clear & (stopped != k)
        return lost
