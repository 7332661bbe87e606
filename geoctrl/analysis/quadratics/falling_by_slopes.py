r"""A quadratic function that falls over a large set by the slopes of the rates, in doubles.

What `geoctrl.checker.slopes` asks, :math:`P J + J^T P < 0` for all J over the cells of :math:`\{y^T P y \le
c\}`, holds for small c if the linearisation A decays and P is one of Lyapunov's functions of it,

.. math:: P A + A^T P = -Q, \quad Q = \operatorname{diag}(q) > 0, \qquad \text{or} \qquad
          P = \sum_k w_k\, l_k^{*} l_k, \quad w_k > 0,

with the left eigenvectors l. Weights q or w are changed one by one as long as the volume grows with the box
around the set as one cell; then the level is raised with cells that are halved along the side that helps the
most. All in states measured in their sizes and time in that of the system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import scipy
from flint import arb, ctx, fmpq

from geoctrl.analysis.quadratics.leaf_in_second_order import SecondOrder
from geoctrl.checker.limits import Refusal
from geoctrl.checker.slopes.fall import LEAF, LETTERS
from geoctrl.checker.slopes.field import BITS, Field
from geoctrl.errors import CertificateError

__all__ = ["FallingBySlopes", "Shown", "least_over"]

RATIO, GROWN = 1.03, 1.02
"""Between a level that is shown and one that is not; by how much a volume has to grow for other weights."""
HALVINGS, LARGEST = 200, 1e24
"""Steps to a level, and how far it is from where it begins, at most: of linear rates there is no largest."""
STEP, LEAST = 2.0, 0.2
"""Of the logarithms of weights, at first and at last."""
SURE = 1e-4
"""The margin that is asked for, above what rounding to short numbers takes."""
CELLS = (30, 200)
"""At most, in turns."""
NEAR = 2.0**-20
"""Of the size of a state, a deviation that tells whether slopes depend on it."""
MODES = 1e8
"""Condition of eigenvectors from which they are next to dependent."""
NEUTRAL, ROUNDING = 1e-12, 1e-9
"""Of rates, of which one of this size may be zero; of logarithms of volumes."""


class Shown(NamedTuple):
    """What is shown: P with its level, the tree of cells, and the logarithm of the volume, up to a number."""

    function: np.ndarray
    level: float
    cells: str
    volume: float


class SlopesInSizes(NamedTuple):
    """Middles and radii of J, of slopes of ties and of further functions, and the values of these."""

    J: np.ndarray
    J_radius: np.ndarray
    T: np.ndarray
    T_radius: np.ndarray
    G: np.ndarray
    G_radius: np.ndarray
    values: np.ndarray


class _Form(NamedTuple):
    """Coordinates in which V is a square, and the multipliers of ties."""

    frame: np.ndarray
    multipliers: np.ndarray


@dataclass
class _Family:
    """Functions by the logarithms of weights, and the set of the best of them."""

    make: Callable[[np.ndarray], np.ndarray]
    weights: np.ndarray
    step: float = STEP
    shown: Shown | None = None

    def neighbours(self) -> Iterator[np.ndarray]:
        """Weights of which one is larger or smaller."""
        for k in range(len(self.weights)):
            for sign in (1, -1):
                yield self.weights + sign * self.step * (np.arange(len(self.weights)) == k)


class FallingBySlopes:
    """The search.

    Parameters
    ----------
    sizes : ndarray (n,)
        Of all states.
    rate : float
        Of the system.

    Attributes
    ----------
    sizes, sides : ndarray
        Of what the function is of, and of all along which there are slopes.
    tied : SecondOrder
        What ties leave of the states.
    jacobian, along_ties : ndarray
        The linearisation, and what it is along the leaf.
    rooms : ndarray
        How much margins and limited outputs may change.
    """

    def __init__(self, field: Field, sizes: np.ndarray, rate: float) -> None:
        self._field, self._n = field, len(field.measured)
        self.sizes, self.rate = np.asarray(sizes, dtype=float)[field.measured], rate or 1.0
        self.sides = np.asarray(sizes, dtype=float)[field.sides]
        found = self.slopes_over(np.zeros(len(self.sides)), np.zeros(len(self.sides)))
        if found is None:
            raise CertificateError("by slopes, the rates have no derivatives at the point")
        self.tied = SecondOrder.of(found.T, self._bend_of_ties())
        self.jacobian, self.rooms = found.J[: self._n], self._rooms_at(found.values)
        self.along_ties = self.tied.along.T @ self.jacobian @ self.tied.along
        rates = np.linalg.eigvals(self.along_ties).real
        if not rates.max() < -NEUTRAL * np.abs(self.along_ties).max():
            slowest = rates.max() * self.rate
            raise CertificateError(f"by slopes, the linearisation does not decay: real part {slowest:.3g}")
        self._pace = -2 * float(np.mean(rates))

    # -- one cell ------------------------------------------------------------------------------------

    def _rooms_at(self, values: np.ndarray) -> np.ndarray:
        """How much margins of the domain and limited outputs may change from their values at the point."""
        given = self._field.given
        bounds = [float(Fraction(str(row["bound"]))) for row in given["limits"].values()]
        count = len(given["domain"])
        rooms = np.concatenate([values[:count], np.array(bounds) - np.abs(values[count:])])
        if np.any(rooms <= 0):
            raise CertificateError(
                "by slopes, an output is at its limit, or the domain ends, at the equilibrium"
            )
        return rooms

    def _bend_of_ties(self) -> np.ndarray:
        """Half of their second derivatives at the point."""
        bend, sizes = np.zeros((len(self._field.ties), self._n, self._n)), self.sizes
        with ctx.workprec(BITS):
            at = self._field.at([arb(0)] * len(self.sides), 2)
            for half, jet in zip(bend, self._field.jets(at, self._field.ties, 2), strict=True):
                for i, j in (key for key in jet.terms if len(key) == 2 and max(key) < self._n):
                    c = float(jet.terms[i, j].mid()) * sizes[i] * sizes[j] / 2  # of y_i y_j
                    half[i, j] += c
                    half[j, i] += c
        return bend

    def slopes_over(self, middle: np.ndarray, radius: np.ndarray) -> SlopesInSizes | None:
        """Slopes over a cell, None where there are none."""
        with ctx.workprec(BITS):
            sides = zip(middle * self.sides, radius * self.sides, strict=True)
            cell = [arb(_number(m), _number(r)) for m, r in sides]
            try:
                found = self._field.over(cell, bent=bool(np.any(radius)))
            except Refusal:
                return None
            rows = [*found.rates.tolist(), *found.ties.tolist(), *found.functions]
            pairs = [[(float(c.mid()), float(c.rad())) for c in row] for row in rows]
            values = np.array([float(v.mid()) for v in found.values])
        slopes = np.array(pairs).reshape(len(rows), self._n, 2) * self.sizes[:, None]
        if not np.all(np.isfinite(slopes)):
            return None
        J, T, G = np.split(slopes, np.cumsum([len(self.sides), len(self._field.ties)]))
        J = J / (self.sides[:, None, None] * self.rate)
        return SlopesInSizes(J[..., 0], J[..., 1], T[..., 0], T[..., 1], G[..., 0], G[..., 1], values)

    def form(self, P: np.ndarray) -> _Form:
        r"""Of a function: at the point N makes :math:`P A + A^T P + N^T G + G^T N` a form without products of
        what is along the leaf and across it, which falls across the leaf as fast as in the mean along it.
        """
        tied, rate = self.tied, P @ self.jacobian
        rate = rate + rate.T
        inverse = np.linalg.pinv(tied.slopes @ tied.across)
        mixed = -inverse.T @ (tied.along.T @ rate @ tied.across).T
        beside = tied.across.T @ (rate + self._pace * P) @ tied.across
        return _Form(_frame(P), mixed @ tied.along.T - inverse.T @ beside @ tied.across.T / 2)

    def _margin(self, form: _Form, level: float, middle: np.ndarray, radius: np.ndarray) -> float:
        """How clearly V falls over a cell, and outputs keep within their limits: above zero where that is
        shown, at most one.
        """
        if (found := self.slopes_over(middle, radius)) is None:
            return -np.inf
        frame = form.frame
        along = np.linalg.inv(frame)  # T^-1 J T in coordinates in which V is a square
        L, E = along @ found.J @ frame, np.abs(along) @ found.J_radius @ np.abs(frame)
        weights = (form.multipliers @ frame).T
        L += weights @ found.T @ frame
        E += np.abs(weights) @ found.T_radius @ np.abs(frame)
        try:
            lower = np.linalg.inv(np.linalg.cholesky(-(L + L.T)))
        except np.linalg.LinAlgError:
            return -np.inf
        margin = 1.0 - float(np.max(np.sum(np.abs(lower) @ (E + E.T) @ np.abs(lower).T, axis=1)))
        G = np.abs(found.G @ frame) + found.G_radius @ np.abs(frame)
        used = np.sqrt(level) * np.linalg.norm(G, axis=1) / self.rooms
        return min(margin, 1.0 - float(np.max(used, initial=0.0)))

    # -- weights -------------------------------------------------------------------------------------

    def _functions(self) -> Iterator[tuple[Callable[[np.ndarray], np.ndarray], int]]:
        """Families of functions by logarithms of weights, and how many there are."""
        roots, modes = np.linalg.eig(self.along_ties)
        if np.linalg.cond(modes) < MODES:
            left = np.linalg.inv(modes)
            twins = np.argmin(np.abs(roots[:, None] - roots.conj()), axis=1)
            first = [min(k, int(twin)) for k, twin in enumerate(twins)]
            kept = sorted(set(first))
            places = [kept.index(k) for k in first]
            yield lambda w: (left.conj().T @ (np.exp(w[places])[:, None] * left)).real, len(kept)
        count = len(self.along_ties)
        yield lambda q: scipy.linalg.solve_continuous_lyapunov(self.along_ties.T, -np.diag(np.exp(q))), count

    @cached_property
    def families(self) -> list[_Family]:
        """Across the leaf functions have one weight more."""
        tied = self.tied
        if not tied.across.size:
            return [_Family(make, np.zeros(count)) for make, count in self._functions()]
        return [
            _Family(partial(_over_all_states, tied, make), np.zeros(count + 1))
            for make, count in self._functions()
        ]

    def at_once(self) -> Shown | None:
        """The largest set of one cell, of the functions of equal weights."""
        for family in self.families:
            family.shown = self._level(family.make(family.weights))
        found = (family.shown for family in self.families if family.shown is not None)
        return max(found, key=lambda shown: shown.volume, default=None)

    def sets_by_weights(self) -> Iterator[Shown]:
        """Larger and larger sets of one cell, by other weights. It goes on where it was left."""
        for family in self.families if self._curved_sides else ():
            while family.shown is not None and family.step > LEAST:
                for weights in family.neighbours():
                    if (larger := self._larger(family.make(weights), family.shown)) is not None:
                        family.weights, family.shown = weights, larger
                        yield larger
                        break
                else:
                    family.step /= 2

    def _larger(self, P: np.ndarray, than: Shown) -> Shown | None:
        """The set of a function, if it is clearly larger than another."""
        if (flat := self.tied.flatness(P)) is None:
            return None
        wanted = than.volume + np.log(GROWN)
        level = np.exp((wanted - flat) * 2 / len(self.along_ties))
        found = self._level(P, level) if self._whole(P, level) else None
        return found if found is not None and found.volume >= wanted - ROUNDING else None

    def _whole(self, P: np.ndarray, level: float) -> bool:
        reach = np.sqrt(level * np.diag(np.linalg.inv(P)))
        return self._margin(self.form(P), level, np.zeros(self._n), reach) > SURE

    def _level(self, P: np.ndarray, low: float = 0.0) -> Shown | None:
        """The set of a function as one cell at its largest level, nearly, from one that is shown."""
        if self.tied.flatness(P) is None:
            return None
        level = _largest(lambda c: self._whole(P, c), low, 1.0 / np.diag(np.linalg.inv(P)).max())
        return Shown(P, level, LEAF, self.tied.volume(P, level)) if level else None

    # -- cells ---------------------------------------------------------------------------------------

    def sets_in_cells(self, shown: Shown) -> Iterator[Shown]:
        """Higher and higher levels of a function, in more and more cells; none where rates are linear."""
        for most in CELLS if self._curved_sides else ():
            high = None
            while high is None or high / shown.level > RATIO:
                level = shown.level * 1.3 if high is None else (shown.level * high) ** 0.5
                if (cells := self._cells(shown.function, level, most)) is None:
                    high = level
                    continue
                shown = Shown(shown.function, level, cells, self.tied.volume(shown.function, level))
                yield shown

    def _cells(self, P: np.ndarray, level: float, most: int) -> str | None:
        """A tree of cells over which the function falls below a level, None where none is found."""
        form, inverse = self.form(P), np.linalg.inv(P)
        reach = np.sqrt(level * np.diag(inverse))
        letters: list[str] = []
        pending = [(np.zeros(self._n), reach)]
        while pending:
            if len(letters) >= most:
                return None
            middle, radius = pending.pop()
            sides = [k for k in range(self._n) if radius[k] < reach[k]]
            if sides and least_over(inverse, middle, radius, sides) > level * (1 + 1e-9):
                letters.append(LEAF)
                continue
            if self._margin(form, level, middle, radius) > SURE:
                letters.append(LEAF)
                continue
            inside = not sides or least_over(inverse, middle, 0 * radius, sides) < level
            if inside and not self._margin(form, level, middle, 0 * radius) > SURE:
                return None  # halving is in vain
            k = self._side(form, level, middle, radius)
            letters.append(LETTERS[k])
            half = np.where(np.arange(self._n) == k, radius / 2, radius)
            away = np.where(np.arange(self._n) == k, radius / 2, 0.0)
            pending += [(middle + away, half), (middle - away, half)]
        return "".join(letters)

    def _side(self, form: _Form, level: float, middle: np.ndarray, radius: np.ndarray) -> int:
        """The side whose halving leaves the largest margin."""
        halves = {k: np.where(np.arange(self._n) == k, radius / 2, radius) for k in self._curved_sides}
        return max(halves, key=lambda k: self._margin(form, level, middle, halves[k]))

    @cached_property
    def _curved_sides(self) -> list[int]:
        """Sides on which slopes depend, as far as letters name them."""
        found = []
        for k in range(min(self._n, len(LETTERS))):
            slopes = self.slopes_over(np.zeros(self._n), np.where(np.arange(self._n) == k, NEAR, 0.0))
            if slopes is None or any(
                _wide(*pair)
                for pair in (
                    (slopes.J, slopes.J_radius),
                    (slopes.T, slopes.T_radius),
                    (slopes.G, slopes.G_radius),
                )
            ):
                found.append(k)
        return found

    # -- exact numbers ---------------------------------------------------------------------------------

    def proposal(self, shown: Shown) -> dict[str, object]:
        """What the checker is given, ready for JSON: at level one."""
        P = shown.function / shown.level
        return {"level": "1", "cells": shown.cells} | self.numbers_of(P)

    def numbers_of(self, function: np.ndarray) -> dict[str, object]:
        """A function in sizes, and the multipliers of its ties, in numbers with few bits."""
        P = function / np.outer(self.sizes, self.sizes)
        sizes = np.sqrt(np.diag(P))
        rows = [[str(_short(P[i, j], sizes[i] * sizes[j])) for j in range(i + 1)] for i in range(self._n)]
        if not self._field.ties:
            return {"function": rows}
        N = self.form(function).multipliers * (self.rate / self.sizes)
        unit = np.abs(N).max(axis=1)
        return {
            "function": rows,
            "multipliers": [
                [str(_short(c, u)) for c in row]
                for row, u in zip(N, np.where(unit > 0, unit, 1.0), strict=True)
            ],
        }


def _wide(middle: np.ndarray, radius: np.ndarray) -> bool:
    """Whether radii are more than rounding in balls."""
    return bool(np.any(radius > NEAR**4 * np.max(np.abs(middle), initial=0.0)))


def _over_all_states(
    tied: SecondOrder, make: Callable[[np.ndarray], np.ndarray], weights: np.ndarray
) -> np.ndarray:
    """A function by weights along the leaf and one across it."""
    return tied.over_all_states(make(weights[:-1]), float(np.exp(weights[-1])))


def _frame(P: np.ndarray) -> np.ndarray:
    """T with T^T P T = 1."""
    return np.linalg.inv(np.linalg.cholesky(P)).T


def _largest(holds: Callable[[float], bool], low: float, start: float) -> float:
    """The largest level at which something holds, nearly, by bisection of its logarithm."""
    level, high = (low * 1.3, None) if low else (start, None)
    for _ in range(HALVINGS):
        if holds(level):
            low = level
            level = level * 2 if high is None else (low * high) ** 0.5
        else:
            high = level
            level = level / 4 if not low else (low * high) ** 0.5
        if (low and high and high / low < RATIO) or not start / LARGEST < level < start * LARGEST:
            break
    return low


def least_over(inverse: np.ndarray, middle: np.ndarray, radius: np.ndarray, sides: list[int]) -> float:
    """A number below V over a cell, by some of its sides."""
    m, slope = middle[sides], np.linalg.solve(inverse[np.ix_(sides, sides)], middle[sides])
    return float(m @ slope - 2 * np.abs(slope) @ radius[sides])


def _number(x: float) -> fmpq:
    return fmpq(*float(x).as_integer_ratio())


def _short(x: float, unit: float) -> fmpq:
    """A double with few bits below a unit."""
    step = 2.0 ** (np.ceil(np.log2(unit)) - 34)
    return fmpq(round(float(x) / step)) * _number(step)
