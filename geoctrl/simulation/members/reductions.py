"""Reductions over the members of an ensemble, whose numbers depend on no order: sums are of integers.

A double is a whole number times a power of two, and so is a sum of them; as a long integer it is the same for
members in any order, in parts of any size, from any worker. What the members of a part give are a few arrays
(`Reduced.arrays`), which another one takes up (`Reduced.take`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["COUNT", "FIELDS", "HISTOGRAM", "Reduced", "no_members"]

COUNT, MOMENTS, EXTREMES, HISTOGRAM = "count", "moments", "extremes", "histogram"
FIELDS = {
    COUNT: ("count", "holds"),
    MOMENTS: ("count", "mean", "variance"),
    EXTREMES: ("count", "least", "least member", "greatest", "greatest member"),
    HISTOGRAM: ("count", "counts", "below", "above", "edges"),
}
"""Names of the numbers that reductions give."""

_DIGITS = 53
_LOW = 26
"""Binary digits of a double, and those of the lower of two halves that sums of 2^36 of them hold exactly."""
_UNIT = 2 * (1074 + 2 * _DIGITS)
"""Sums are whole numbers of 2 to minus that: of doubles, their squares and what these are rounded by."""
_BYTES = (2 * _UNIT + 128) // 8
_SPLIT = float(2**27 + 1)
_SIDES = {"least": 1.0, "greatest": -1.0}


class Reduced(ABC):
    """What is known of the members that were seen, at each of some samples.

    A value that is no finite number (beyond a member's end, or of one that was refused) is not counted.

    Parameters
    ----------
    samples : int
    detail : optional
        Edges of a histogram; of a count whether zero counts.
    """

    def __init__(self, samples: int, detail: Any) -> None:
        self.detail = detail
        self.count = np.zeros(samples, np.int64)
        self.held = self.of_none(samples)

    def add(self, values: np.ndarray, first: int, done: np.ndarray) -> None:
        """See members from ``first`` on, with values (k, samples); of those, the ones that are done."""
        good = np.isfinite(values) & done[:, None]
        self.count += good.sum(axis=0)
        self._add(values, good, first)

    def arrays(self) -> dict[str, np.ndarray]:
        """All that is known, by name."""
        return {"count": self.count, **self.held}

    def take(self, arrays: Mapping[str, np.ndarray]) -> None:
        """See the members that another one saw."""
        self.count += arrays["count"].astype(np.int64)
        self._take(arrays)

    def result(self) -> dict[str, np.ndarray]:
        """Numbers by name, with an entry a sample."""
        return {"count": self.count, **self._result()}

    @abstractmethod
    def of_none(self, samples: int) -> dict[str, np.ndarray]:
        """What is held of no members, a row a sample."""

    @abstractmethod
    def _add(self, values: np.ndarray, good: np.ndarray, first: int) -> None: ...

    def _take(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Numbers of members add up."""
        for name, held in self.held.items():
            held += arrays[name].astype(np.int64)

    def _result(self) -> dict[str, np.ndarray]:
        return self.held


class _Count(Reduced):
    """How many values are positive, or not negative where zero counts."""

    def of_none(self, samples: int) -> dict[str, np.ndarray]:
        return {"holds": np.zeros(samples, np.int64)}

    def _add(self, values: np.ndarray, good: np.ndarray, first: int) -> None:  # noqa: ARG002
        with np.errstate(invalid="ignore"):
            here = values >= 0 if self.detail else values > 0
        self.held["holds"] += (here & good).sum(axis=0)


class _Histogram(Reduced):
    """How many values lie between each two edges, below the first and from the last on."""

    def of_none(self, samples: int) -> dict[str, np.ndarray]:
        return {"counts": np.zeros((samples, len(self.detail) + 1), np.int64)}

    def _add(self, values: np.ndarray, good: np.ndarray, first: int) -> None:  # noqa: ARG002
        places = np.searchsorted(self.detail, values, side="right")
        for sample, row in enumerate(self.held["counts"]):
            row += np.bincount(places[good[:, sample], sample], minlength=row.size)

    def _result(self) -> dict[str, np.ndarray]:
        counts = self.held["counts"]
        edges = np.array(self.detail)
        return {"counts": counts[:, 1:-1], "below": counts[:, 0], "above": counts[:, -1], "edges": edges}


class _Extremes(Reduced):
    """The least and the greatest value, and the first member with each; nan and -1 where there is none."""

    def of_none(self, samples: int) -> dict[str, np.ndarray]:
        found = {}
        for name in _SIDES:
            found[name], found[f"{name} member"] = np.full(samples, np.nan), np.full(samples, -1, np.int64)
        return found

    def _add(self, values: np.ndarray, good: np.ndarray, first: int) -> None:
        samples = np.arange(values.shape[1])
        for name, sign in _SIDES.items():
            place = np.where(good, sign * values, np.inf).argmin(axis=0)
            there = good[place, samples]
            found = np.where(there, values[place, samples], np.nan)
            self._compare(name, sign, found, np.where(there, first + place, -1))

    def _take(self, arrays: Mapping[str, np.ndarray]) -> None:
        for name, sign in _SIDES.items():
            self._compare(name, sign, arrays[name], arrays[f"{name} member"].astype(np.int64))

    def _compare(self, name: str, sign: float, values: np.ndarray, members: np.ndarray) -> None:
        """Take up values of members, -1 where there is none; of equal ones that of the first member."""
        held, mine = self.held[name], self.held[f"{name} member"]
        with np.errstate(invalid="ignore"):
            beats = (sign * values < sign * held) | ((values == held) & (members < mine))
        better = (members >= 0) & ((mine < 0) | beats)
        held[better], mine[better] = values[better], members[better]


class _Moments(Reduced):
    """The mean and the mean square of deviations from it, each rounded once from sums that are exact."""

    def of_none(self, samples: int) -> dict[str, np.ndarray]:
        return {name: np.zeros((samples, _BYTES), np.uint8) for name in ("sum", "squares")}

    def _add(self, values: np.ndarray, good: np.ndarray, first: int) -> None:  # noqa: ARG002
        parts, exponents = np.frexp(np.where(good, values, 0.0))
        # The square is the rounded one and what it was rounded by (Dekker).
        square = parts * parts
        high = _SPLIT * parts - (_SPLIT * parts - parts)
        low = parts - high
        rest = ((high * high - square) + 2.0 * high * low) + low * low
        terms = {"sum": [(parts, exponents)], "squares": [(square, 2 * exponents), (rest, 2 * exponents)]}
        for name, several in terms.items():
            sums = _as_integers(self.held[name])
            for numbers, powers in several:
                _add_exactly(sums, numbers, powers)
            self.held[name] = _as_bytes(sums)

    def _take(self, arrays: Mapping[str, np.ndarray]) -> None:
        for name, held in self.held.items():
            pairs = zip(_as_integers(held), _as_integers(arrays[name].astype(np.uint8)), strict=True)
            self.held[name] = _as_bytes([mine + other for mine, other in pairs])

    def _result(self) -> dict[str, np.ndarray]:
        means, squares = np.full(self.count.size, np.nan), np.full(self.count.size, np.nan)
        sums = (_as_integers(self.held[name]) for name in ("sum", "squares"))
        for i, (count, total, square) in enumerate(zip(self.count.tolist(), *sums, strict=True)):
            if count:
                means[i] = _nearest_double(Fraction(total, count << _UNIT))
                deviation = Fraction((count * square << _UNIT) - total * total, count * count << 2 * _UNIT)
                squares[i] = _nearest_double(deviation)
        return {"mean": means, "variance": squares}


def _as_integers(rows: np.ndarray) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little", signed=True) for row in np.ascontiguousarray(rows)]


def _as_bytes(sums: list[int]) -> np.ndarray:
    """Rows of bytes, as which parts and files hold integers of this length."""
    text = b"".join(total.to_bytes(_BYTES, "little", signed=True) for total in sums)
    return np.frombuffer(text, np.uint8).reshape(len(sums), _BYTES).copy()


def _nearest_double(value: Fraction) -> float:
    """The nearest double; infinite beyond."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _add_exactly(sums: list[int], values: np.ndarray, exponents: np.ndarray) -> None:
    """Add columns of values times powers of two to sums, in their units."""
    parts, own = np.frexp(values)
    whole = np.ldexp(parts, _DIGITS).astype(np.int64)
    shifts = own + exponents - _DIGITS
    shifts[whole == 0] = 0
    high, low = whole >> _LOW, whole & ((1 << _LOW) - 1)
    for shift in np.unique(shifts[whole != 0]).tolist():
        here = shifts == shift
        upper, lower = (np.where(here, half, 0).sum(axis=0).tolist() for half in (high, low))
        for i, (a, b) in enumerate(zip(upper, lower, strict=True)):
            if a or b:
                sums[i] += ((a << _LOW) + b) << (shift + _UNIT)


_KINDS: dict[str, Callable[[int, Any], Reduced]] = {
    COUNT: _Count,
    MOMENTS: _Moments,
    EXTREMES: _Extremes,
    HISTOGRAM: _Histogram,
}


def no_members(how: str, samples: int, detail: Any = None) -> Reduced:
    """A reduction of no members yet."""
    return _KINDS[how](samples, detail)
