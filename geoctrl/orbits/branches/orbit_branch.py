"""A branch of periodic orbits and what changes along it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import saved_text
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.errors import EquilibriumError
from geoctrl.orbits.enclosures.enclosed_orbit import OrbitEnclosure
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.orbits.phases.hybrid_enclosure import HybridOrbitEnclosure
from geoctrl.verification import Verdict

__all__ = ["OrbitBranch", "OrbitChange"]

Enclosure = OrbitEnclosure | HybridOrbitEnclosure


@dataclass(frozen=True, eq=False)
class OrbitChange:
    """Where a branch of orbits turns, meets another or changes its stability.

    Attributes
    ----------
    kind : str
        "fold" (the value turns), "branch point" (another branch of orbits crosses), "period doubling" (a
        multiplier is -1) or "torus" (a pair with an imaginary part is on the unit circle). Of orbits through
        jumps at an end of their branch also "grazing" (a strike no longer passes its guard, or another guard
        is touched), "corner" (two guards are met at one instant) or "contact" (what a jump or a contact
        promises is kept no longer).
    value : float
        Of the parameter.
    bracket : tuple of two floats
        Values at orbits on both sides, in floats; of a fold, as far to both sides as these are from it. Where
        orbits end, of the last one, and of a solution beyond it.
    multiplier : complex or None
        On the unit circle there; None where orbits end.
    orbit : PeriodicOrbit or HybridOrbit
        In floats; the last one, where they end.
    before, after : Verdict or None
        Of the orbits on both sides, in floats; None where there are none.
    sides : tuple of PeriodicOrbit or HybridOrbit
        These orbits, at the ends of the bracket, or on both sides of a fold; the last one, where they end.
    """

    kind: str
    value: float
    bracket: tuple[float, float]
    multiplier: complex | None
    orbit: PeriodicOrbit | HybridOrbit
    before: Verdict | None
    after: Verdict | None
    sides: tuple[PeriodicOrbit | HybridOrbit, ...]
    _others: Callable[..., list[OrbitBranch]] | None = field(default=None, repr=False)

    @long_call
    def enclose(
        self,
        bits: int = 128,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> tuple[Enclosure, Enclosure]:
        """The orbits on both sides in balls, of which multipliers prove that it changes between them.

        Of a period doubling one has a real multiplier below -1 more than the other, of a torus a pair outside
        the unit circle, of a fold or a branch point a real one above 1; on which side of these limits each
        multiplier lies is certain. That the orbits lie on one branch is of floats.

        Parameters
        ----------
        bits, progress, seconds
            As of `PeriodicOrbit.enclose`.

        Raises
        ------
        EquilibriumError
            If an orbit is not proved, or the multipliers do not tell the change; where orbits end.
        InputError, TypeError
            As of `PeriodicOrbit.enclose`.
        """
        if len(self.sides) < 2:
            raise EquilibriumError(
                f"orbits end at a {self.kind}: there are none beyond; change.orbit.enclose() is of the last"
            )
        first, second = (orbit.enclose(bits) for orbit in self.sides)
        before, after = (_multipliers_beyond(self.kind, found) for found in (first, second))
        change = (0, 2) if self.kind == "torus" else (1, 0)
        if before is None or after is None or tuple(np.abs(np.subtract(before, after))) != change:
            raise EquilibriumError(
                f"the multipliers do not prove the {self.kind}: beside it they are "
                f"{' and '.join(', '.join(z.str(9) for z in e.multipliers) for e in (first, second))}; take "
                "more bits"
            )
        return first, second

    @long_call
    def branches(
        self,
        span: Any = None,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> list[OrbitBranch]:
        """The other branches of orbits through a period doubling or a branch point.

        Parameters
        ----------
        span : (low, high), optional
            Of the value; that of the branch by default.
        progress, seconds
            As of `certify`.

        Raises
        ------
        EquilibriumError
            At a fold or a torus, where orbits end, or where no other branch is found.
        """
        if self._others is None:
            raise EquilibriumError(f"no other branch of periodic orbits is followed from a {self.kind}")
        return self._others(span)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content, in floats."""
        return {
            "kind": self.kind,
            "value": self.value,
            "bracket": list(self.bracket),
            "multiplier": None if self.multiplier is None else [self.multiplier.real, self.multiplier.imag],
            "before": None if self.before is None else self.before.value,
            "after": None if self.after is None else self.after.value,
            "state": self.orbit.x.tolist(),
            "period": self.orbit.period,
        }

    def _lines(self) -> list[str]:
        low, high = self.bracket
        if self.multiplier is None:
            return [f"<OrbitChange: {self.kind} in [{low:.12g}, {high:.12g}], where orbits end>"]
        return [
            f"<OrbitChange: {self.kind} in [{low:.12g}, {high:.12g}], multiplier {self.multiplier:.6g}; "
            f"{self.before} to {self.after}>"
        ]

    full = full_text
    __repr__ = short_form


def _multipliers_beyond(kind: str, found: Enclosure) -> tuple[int, int] | None:
    """How many multipliers are beyond the limit that a change is about, real ones and those of pairs with an
    imaginary part; None where it is not certain.
    """
    counts = {False: 0, True: 0}
    for z in found.multipliers:
        pair = not z.imag.contains(0)
        if kind == "torus":
            inside, outside = bool(abs(z) < 1), bool(abs(z) > 1)
        else:
            x = -z.real if kind == "period doubling" else z.real
            inside, outside = bool(x < 1), bool(x > 1 and not pair)
        if not (inside or outside):
            return None
        counts[pair] += outside
    return counts[False], counts[True]


@dataclass(frozen=True, eq=False)
class OrbitBranch:
    """A curve of periodic orbits; made by `follow`.

    Attributes
    ----------
    system : System
    along : str
        The parameter, or the conserved function, that it goes along.
    span : tuple of two floats
    values, periods : ndarray (k,)
        Of the parameter and of T, in the order of the curve: values are monotone between folds.
    orbits : tuple of PeriodicOrbit or HybridOrbit
        In floats; their ``enclose`` proves one.
    changes : tuple of OrbitChange
    ends : tuple of two str
        Why the curve ends where it does.
    """

    system: Any
    along: str
    span: tuple[float, float]
    values: np.ndarray
    periods: np.ndarray
    orbits: tuple[PeriodicOrbit | HybridOrbit, ...]
    changes: tuple[OrbitChange, ...]
    ends: tuple[str, str]

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the states at which orbits begin; through jumps those of their first mode."""
        first = self.orbits[0]
        mode = first.system.modes[first.modes[0]] if isinstance(first, HybridOrbit) else first.system
        return tuple(mode.state_labels)

    @property
    def multipliers(self) -> np.ndarray:
        """Of all orbits (k, n), those that are forced to be one first; nan where there are fewer."""
        width = max(len(orbit.multipliers) for orbit in self.orbits)
        found = np.full((len(self.orbits), width), np.nan, dtype=complex)
        for row, orbit in zip(found, self.orbits, strict=True):
            row[: len(orbit.multipliers)] = orbit.multipliers
        return found

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of the orbits, in floats."""
        return tuple(orbit.verdict for orbit in self.orbits)

    def plot(self, state: str | None = None, ax: Any = None) -> Any:
        """The branch as `geoctrl.viz.orbit_branches` draws it."""
        from importlib import import_module

        return import_module("geoctrl.viz").orbit_branches(self, state=state, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content, in floats: `find_periodic` finds an orbit of it again."""
        return {
            "system": self.system.name,
            "along": self.along,
            "span": list(self.span),
            "ends": list(self.ends),
            "labels": list(self.labels),
            "values": self.values.tolist(),
            "periods": self.periods.tolist(),
            "states": [orbit.x.tolist() for orbit in self.orbits],
            "params": [dict(orbit.params) for orbit in self.orbits],
            "multipliers": [[[v.real, v.imag] for v in map(complex, o.multipliers)] for o in self.orbits],
            "neutral": [list(orbit.neutral) for orbit in self.orbits],
            "verdicts": [verdict.value for verdict in self.verdicts],
            "changes": [change.to_dict() for change in self.changes],
        } | self._phases()

    def _phases(self) -> dict[str, Any]:
        """Modes, jumps and times of phases of orbits through jumps."""
        if not (found := [orbit for orbit in self.orbits if isinstance(orbit, HybridOrbit)]):
            return {}
        return {
            "modes": list(found[0].modes),
            "jumps": list(found[0].jumps),
            "times": [orbit.periods.tolist() for orbit in found],
            "begin": [orbit.begin for orbit in found],
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; written to ``path`` where one is given; TypeError if that is no path."""
        return saved_text(json.dumps(self.to_dict(), indent=1), path)

    def _lines(self) -> list[str]:
        count = f"{len(self.orbits)} orbits"
        lines = [
            f"<OrbitBranch of {self.system.name or 'a system'} along {self.along}: {count}>",
            f"  from {self.ends[0]} to {self.ends[1]}",
            f"  periods: {self.periods[0]:.9g} s to {self.periods[-1]:.9g} s",
        ]
        for change in self.changes:
            low, high = change.bracket
            lines.append(f"  {change.kind} at {change.value:.9g}, within {high - low:.2g}, of floats")
        return lines

    full = full_text
    __repr__ = short_form
