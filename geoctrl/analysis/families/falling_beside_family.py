r"""A quadratic function of the distance from a family of points of rest that falls faster than the family is
walked along, in doubles.

What `geoctrl.checker.families` asks holds for small :math:`V = y^T P y` if the linearisation A across the
family decays, for any a below its slowest rate. Functions are those of `falling_by_slopes`; a is a part of
that rate. Of each the widest piece of the family is looked for over which it falls next to the members, then
for this and for parts of it the largest P is, as cells are halved along the side that bends the slopes most.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from geoctrl.analysis.quadratics.falling_by_slopes import NEUTRAL, SURE, FallingBySlopes, least_over
from geoctrl.checker.slopes.fall import LEAF, LETTERS
from geoctrl.checker.slopes.field import Field

__all__ = ["BesideFamily", "FallingBesideFamily"]

LEVEL = 0.25
"""Of V in the set, :math:`\\sqrt V + |\\sigma| \\le 1`: where V has it half of the width is left."""
PARTS, SHARES = (0.25, 0.5), (1.0, 0.5, 0.25)
"""Of the slowest rate, and of the widest piece of the family."""
WIDEST, HALVINGS, LONGEST = 4.0, 20, 80.0
"""The widest piece that is looked at, of lengths along which rates change, how often it is halved, and the
binary logarithm of the longest one that is looked for."""
NEXT = 2.0**-60
"""Level of a set next to the members, in which outputs are far from their limits."""
CLEARLY = 1.0 + 2.0**-30
"""What is outside is so by more than rounding."""
CELLS, NARROW, LOST = 120, 2.0**-5, 1e3
"""At most, of a side the part below which none is halved, and what is lost where there is no margin."""
FAR, CLOSE, STEPS = 8.0, 1.2, 40
"""Between levels at first and at last, of one that is shown and one that is not, and steps to it."""


class BesideFamily(NamedTuple):
    """What is shown, in sizes: P at the level, widths, a, the tree of cells, the logarithm of a volume."""

    function: np.ndarray
    widths: np.ndarray
    rate: float
    cells: str
    volume: float


class _Question(NamedTuple):
    """P in coordinates in which V is a square, multipliers, inverse, widths, those by which rates of symbols
    are measured, and a.
    """

    frame: np.ndarray
    multipliers: np.ndarray
    inverse: np.ndarray
    widths: np.ndarray
    measures: np.ndarray
    rate: float


class FallingBesideFamily:
    """The search.

    Parameters
    ----------
    field : Field
        Beside a family.
    sizes : ndarray
        Of all states.
    rate : float
        Of the system.
    """

    def __init__(self, field: Field, sizes: np.ndarray, rate: float) -> None:
        self._own = FallingBySlopes(field, sizes, rate)
        self._n, self._along = len(field.measured), field.sides[len(field.measured) :]

    def sets(self) -> Iterator[BesideFamily]:
        """Sets of functions and pieces of the family, one after the other."""
        slowest = -float(np.linalg.eigvals(self._own.along_ties).real.max()) * self._own.rate
        functions = [family.make(family.weights) for family in self._own.families]
        for P, part in product(functions[: 1 + (self._n > 1)], PARTS):
            a = _short_number(part * slowest) / self._own.rate
            if self._own.tied.flatness(P) is None or (width := self._widest(P, a)) is None:
                continue
            spans = self._own.sides[self._n :]
            for share in SHARES:
                own = np.array([_short_number(w) for w in width * share * spans]) / spans
                if (found := self._largest(P, a, own)) is not None:
                    yield found

    def _widest(self, P: np.ndarray, a: float) -> np.ndarray | None:
        """Widths of a piece of the family next to which a function falls."""
        asked = self._question(P, NEXT, np.inf * self._lengths, a)  # nothing is asked of the symbols
        width = WIDEST * self._lengths
        for _ in range(HALVINGS):
            reach = np.concatenate([np.zeros(self._n), width])
            if self._cells_of(asked._replace(widths=width), reach) is not None:
                return width
            width = width / 2
        return None

    @cached_property
    def _lengths(self) -> np.ndarray:
        """How far symbols go until rates across the family are others by as much as they are, nearly, with
        deviations from which they would go so far; the size of a symbol with which they do not change.
        """
        found, k = np.ones(len(self._along)), len(self._along)
        still = self._own.slopes_over(np.zeros(self._n + k), np.zeros(self._n + k))
        for j in range(k):
            speed = 0.0 if still is None else np.abs(still.J[self._n + j]).max()
            own = np.abs(self._own.jacobian).max()
            beside = own / speed if speed > NEUTRAL * own else 0.0
            way = np.concatenate([beside * np.ones(self._n), np.arange(k) == j])
            low, high = -LONGEST, LONGEST
            while high - low > 0.1:
                middle = (low + high) / 2
                changed = self._change(2.0**middle * way) > 1
                low, high = (low, middle) if changed else (middle, high)
            found[j] = 2.0**low if high < LONGEST else 1.0
        return found

    def _change(self, middle: np.ndarray) -> float:
        """Of the slopes of the rates, in parts of themselves; infinite where there are none."""
        slopes = [self._own.slopes_over(at, 0 * at) for at in (middle, -middle)]
        known = [
            np.abs(found.J[: self._n] - self._own.jacobian).max() for found in slopes if found is not None
        ]
        return max(known) / np.abs(self._own.jacobian).max() if len(known) == len(slopes) else np.inf

    def _largest(self, P: np.ndarray, a: float, width: np.ndarray) -> BesideFamily | None:
        """The set of a function as large as it is shown, nearly."""
        best: tuple[float, str] | None = None
        scale, high = 1.0 / np.diag(np.linalg.inv(P)).max(), np.inf
        for _ in range(STEPS):
            asked = self._question(P, scale, width, a)
            reach = np.concatenate([np.sqrt(LEVEL * np.diag(asked.inverse)), width])
            if (cells := self._cells_of(asked, reach)) is None:
                high = scale
                scale = scale / FAR if best is None else (best[0] * high) ** 0.5
            else:
                best = scale, cells
                scale = scale * FAR if np.isinf(high) else (scale * high) ** 0.5
            if best and high / best[0] < CLOSE:
                break
        if best is None:
            return None
        scale, cells = best
        volume = self._own.tied.volume(P, scale) + float(np.sum(np.log(width)))
        return BesideFamily(P * (LEVEL / scale), width, a, cells, volume)

    def _question(self, P: np.ndarray, scale: float, width: np.ndarray, a: float) -> _Question:
        """What is asked where V = LEVEL on y^T P y = scale."""
        form = self._own.form(P * (LEVEL / scale))
        return _Question(form.frame, form.multipliers, form.frame @ form.frame.T, width, width, a)

    # -- cells ---------------------------------------------------------------------------------------

    def _margin_of(self, asked: _Question, middle: np.ndarray, radius: np.ndarray) -> float:
        """How clearly the matrix of the theorem is definite over a cell."""
        if (found := self._own.slopes_over(middle, radius)) is None:
            return -np.inf
        n, frame, weights = self._n, asked.frame, (asked.multipliers @ asked.frame).T
        along, k = np.linalg.inv(frame), len(asked.widths)
        L = along @ found.J[:n] @ frame + weights @ found.T @ frame + asked.rate * np.eye(n)
        wide = np.abs(along) @ found.J_radius[:n] @ np.abs(frame)
        wide += np.abs(weights) @ found.T_radius @ np.abs(frame)
        R, R_wide = (
            rows / asked.measures[:, None] @ T
            for rows, T in ((found.J[n:], frame), (found.J_radius[n:], np.abs(frame)))
        )
        H = np.block([[-(L + L.T), R.T], [R, 2 * asked.rate * np.eye(k)]])
        E = np.block([[wide + wide.T, R_wide.T], [R_wide, np.zeros((k, k))]])
        try:
            lower = np.abs(np.linalg.inv(np.linalg.cholesky(H)))
        except np.linalg.LinAlgError:
            return -np.inf
        G = np.abs(found.G @ frame) + found.G_radius @ np.abs(frame)
        used = np.sqrt(LEVEL) * np.linalg.norm(G, axis=1) / self._own.rooms
        margin = 1.0 - float(np.max(np.sum(lower @ E @ lower.T, axis=1)))
        return min(margin, 1.0 - float(np.max(used, initial=0.0)))

    def _cells_of(self, asked: _Question, reach: np.ndarray) -> str | None:
        """A tree of cells over which the matrix is definite, None where none is found."""
        if not self._margin_of(asked, 0 * reach, 0 * reach) > SURE:
            return None
        bends = self._bends(asked, reach)
        letters: list[str] = []
        pending = [(np.zeros(len(reach)), reach)]
        while pending:
            if len(letters) >= CELLS:
                return None
            middle, radius = pending.pop()
            if (
                self._is_outside(asked, reach, middle, radius)
                or self._margin_of(asked, middle, radius) > SURE
            ):
                letters.append(LEAF)
                continue
            inside = not self._is_outside(asked, reach, middle, 0 * radius)
            k = int(np.argmax(bends * radius))
            in_vain = inside and not self._margin_of(asked, middle, 0 * radius) > SURE
            if in_vain or radius[k] < NARROW * reach[k]:
                return None
            letters.append(LETTERS[k])
            away = np.where(np.arange(len(reach)) == k, radius / 2, 0.0)
            pending += [(middle + away, radius - away), (middle - away, radius - away)]
        return "".join(letters)

    def _bends(self, asked: _Question, reach: np.ndarray) -> np.ndarray:
        """How much of the margin is lost along each side by its length, as far as letters name them."""
        lost = np.zeros(len(reach))
        for k in np.flatnonzero(reach[: len(LETTERS)]):
            part = np.where(np.arange(len(reach)) == k, reach / 8, 0.0)
            margin = self._margin_of(asked, 0 * reach, part)
            lost[k] = (1.0 - margin if np.isfinite(margin) else LOST) / reach[k]
        return lost

    def _is_outside(
        self, asked: _Question, reach: np.ndarray, middle: np.ndarray, radius: np.ndarray
    ) -> bool:
        """Whether nothing of the set is in a cell, clearly."""
        n = self._n
        sides = [k for k in range(n) if radius[k] < reach[k]]
        least = max(least_over(asked.inverse, middle, radius, sides), 0.0) if sides else 0.0
        near = np.maximum(np.abs(middle[n:]) - radius[n:], 0.0) / asked.widths
        beyond = max(least / LEVEL, np.sqrt(least) + float(np.linalg.norm(near)))
        return beyond > CLEARLY

    # -- exact numbers ---------------------------------------------------------------------------------

    def proposal_beside(self, shown: BesideFamily, part: float) -> dict[str, object]:
        """What the checker is given, ready for JSON, for a set as large as this part of it."""
        found = self._own.numbers_of(shown.function / part)
        spans = shown.widths * self._own.sides[self._n :]
        return found | {
            "level": "1/4",
            "cells": shown.cells,
            "widths": [_short_text(w) for w in spans],
            "rate": _short_text(shown.rate * self._own.rate),
        }


def _short_text(x: float) -> str:
    """The fraction of two digits next to a number."""
    return str(Fraction(f"{x:.1e}"))


def _short_number(x: float) -> float:
    return float(f"{x:.1e}")
