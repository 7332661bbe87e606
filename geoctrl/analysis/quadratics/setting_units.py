"""Units in which the variables of a setting, and time, are measured in doubles: the sizes of the system, so
that a change of units changes no search.

Numbers in them agree up to rounding. A search of many steps, each of which may be taken or not, would make
other sets of that; so it is given numbers of fewer bits, which are the same ones. What it finds is shown, and
proved, with the numbers as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from geoctrl.analysis.quadratics.ring import Polynomial
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.decisions.functions.derivatives import to_float
from geoctrl.errors import CertificateError
from geoctrl.systems.contract.scales import Scales

__all__ = ["Exponents", "SettingUnits", "Terms"]

FEW = 32
"""Bits of numbers for a search: those of laws in other units agree to 40 and more."""
Exponents = tuple[int, ...]
Terms = dict[Exponents, float]


@dataclass(frozen=True, eq=False)
class SettingUnits:
    """Units of a setting.

    Attributes
    ----------
    sizes : ndarray
        Of its variables.
    pace : float
        Of rates, 1/s.
    bits : int, optional
        To which numbers in these units are rounded.
    """

    setting: Setting
    sizes: np.ndarray
    pace: float
    bits: int | None = None

    @classmethod
    def plain(cls, setting: Setting) -> SettingUnits:
        """Those of the description."""
        return cls(setting, np.ones(len(setting.variables)), 1.0)

    @classmethod
    def of(cls, setting: Setting, scales: Scales) -> SettingUnits:
        """Of states their sizes, of accelerations and multipliers the largest ones that these make, of sines
        and cosines one, of roots their values at the point, of quadratures that of their arguments by their
        slope.
        """
        sizes = dict(zip(setting.states, np.asarray(scales.column, dtype=float), strict=True))
        of_unknowns = zip(setting.unknowns, _sizes_of_unknowns(setting, scales), strict=True)
        sizes |= dict(of_unknowns)
        for i in setting.variables:
            if (argument := setting.argument_of_quadrature(i)) is not None:
                inner, below = argument
                sizes[i] = _size_of(inner, sizes) / abs(to_float(below))
            if (root := setting.value_of_root(i)) is not None:
                sizes[i] = to_float(root)
        found = np.array([sizes.get(i, 1.0) for i in setting.variables])
        return cls(setting, np.where(found > 0, found, 1.0), scales.rate or 1.0)

    @property
    def with_few_bits(self) -> SettingUnits:
        """The same, in which numbers are rounded for a search."""
        return replace(self, bits=FEW)

    def with_bits(self, values: np.ndarray) -> np.ndarray:
        """Numbers in these units with the bits that they have."""
        if self.bits is None:
            return values
        parts, exponents = np.frexp(values)
        return np.ldexp(np.rint(np.ldexp(parts, self.bits)), exponents - self.bits)

    def terms(self, p: Polynomial, unit: float = 1.0) -> Terms:
        """Coefficients of a polynomial in these units, by exponents of the variables, over its own unit."""
        found: Terms = {}
        for exponents, c in p.terms():
            m = tuple(int(exponents[i]) for i in self.setting.variables)
            found[m] = float(self.with_bits(to_float(c) * np.prod(self.sizes ** np.array(m)) / unit))
        return found

    def over_largest(self, p: Polynomial) -> tuple[Terms, float]:
        """A polynomial that has a unit of its own, over its largest coefficient; and this."""
        largest = max(map(abs, replace(self, bits=None).terms(p).values()))
        return self.terms(p, largest), largest

    def rates(self) -> list[Terms]:
        """Of what is measured, in units of its size and of time."""
        pairs = zip(self._sizes_of_measured, self.setting.rates, strict=True)
        return [self.terms(p, size * self.pace) for size, p in pairs]

    @property
    def _sizes_of_measured(self) -> np.ndarray:
        return self.sizes[[self.setting.variables.index(i) for i in self.setting.measured]]

    def limits(self) -> np.ndarray:
        """Rows (k, measured) of what stays below one in a set: limited outputs and margins of the domain over
        their room.
        """
        setting, sizes = self.setting, self._sizes_of_measured
        rooms = [
            (setting.problem["limits"][name]["bound"] - abs(value), slopes)
            for name, (value, slopes) in setting.limits.items()
        ]
        rows = []
        for room, slopes in [*rooms, *setting.margins]:
            if any(slopes):
                if not room > 0:
                    raise CertificateError(
                        "an output is at its limit, or the domain ends, at the equilibrium"
                    )
                rows.append([to_float(c / room) * d for c, d in zip(slopes, sizes, strict=True)])
        return self.with_bits(np.array(rows).reshape(-1, len(sizes)))


def _size_of(p: Polynomial, sizes: dict[int, float]) -> float:
    """The largest linear term of a polynomial; one where there is none."""
    found = [
        abs(to_float(c)) * sizes.get(next(i for i, e in enumerate(exponents) if e), 1.0)
        for exponents, c in p.terms()
        if sum(map(int, exponents)) == 1
    ]
    return max(found, default=1.0)


def _sizes_of_unknowns(setting: Setting, scales: Scales) -> list[float]:
    """By their slopes along the states; rates of a state have at least its size times the rate of the
    system, and multipliers that of the other terms in their equations where they have no slope.
    """
    q = setting.question
    d = np.asarray(scales.column, dtype=float)
    jets = q.jets([q.place["unknown", k] for k in q.problem["unknowns"]])
    found = [max((abs(to_float(c)) * d[i] for i, c in jet.first.items()), default=0.0) for jet in jets]
    for k, label in enumerate(q.problem["unknowns"]):
        for i, place in enumerate(q.problem["field"]):
            if place == q.place["unknown", label]:
                found[k] = max(found[k], d[i] * scales.rate)
    entries = [(i, j, abs(to_float(q.jets([p])[0].value))) for i, j, p in q.problem["matrix"]]
    forces = [
        max((c * found[j] for i, j, c in entries if i == row), default=0.0) for row in range(len(found))
    ]
    for k, size in enumerate(found):
        if not size:
            found[k] = min((forces[i] / c for i, j, c in entries if j == k and c and forces[i]), default=1.0)
    return found
