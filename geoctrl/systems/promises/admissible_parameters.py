"""Which parameters a system may be used with: those at which its description is what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from geoctrl._checks import resolve_parameters
from geoctrl.errors import GeoctrlError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.member_parameters import member_values
from geoctrl.systems.promises.build_checks import frame_promises, leaf_promises
from geoctrl.systems.promises.declared_symmetry import axis_promises
from geoctrl.systems.promises.definiteness import BodiesOfLinks, Definiteness
from geoctrl.systems.promises.promises import Promises

__all__ = ["Judgement"]

_REMEMBERED = 4096
_DOUBLES = {float}

Numbers = Mapping[str, Any]


class Judge(Protocol):
    """Something that refuses parameters."""

    @property
    def admits_all(self) -> bool:
        """Whether it will never refuse any."""

    def require(self, values: Numbers) -> None:
        """Raise a GeoctrlError for a full set of parameters that is refused."""

    def clearly_admits(self, values: Numbers, count: int, /) -> np.ndarray:
        """Which of several members (count,) are not refused, as far as that is seen at once."""


class Judgement:
    """What is judged at every set of parameters; sets that passed are remembered.

    Parameters
    ----------
    generic : mapping name -> number
        Defaults, with numbers where there are none.
    whole : Judgement, optional
        Of the system that this one is a view of: what that one promises is judged as well.
    """

    def __init__(self, system: Recorded, generic: Numbers, whole: Judgement | None) -> None:
        made = [*frame_promises(system), *leaf_promises(system), *axis_promises(system)]
        self._promises = Promises(system, made, generic)
        inertia = Definiteness if system.mechanism.tree is None else BodiesOfLinks
        judges: tuple[Judge, ...] = (self._promises, inertia(system))
        self._judges = [judge for judge in judges if not judge.admits_all]
        self._defaults, self._positive = system.params, system.mechanism.positive
        self._whole = whole
        self._passed: set[tuple] = set()
        self._names = [*self._defaults]

    def parameters(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``, judged."""
        given = self._defaults if params is None else params
        if isinstance(given, Mapping) and self._has_passed(given):
            return dict(given)
        values = resolve_parameters(self._defaults, params, self._positive)
        self.require(values)
        return values

    def of_members(self, params: Mapping[str, Any], states: Any) -> dict[str, Any]:
        """Defaults overridden by numbers and arrays (N,); as `member_values`, each member judged."""
        return member_values(params, states, self._defaults, self._positive, self._passing_members)

    def _passing_members(self, values: Numbers, good: np.ndarray) -> np.ndarray:
        """Which members pass, of those that are good; equal sets are judged once."""
        if self._whole is not None:
            good = self._whole._passing_members({k: values[k] for k in self._whole._defaults}, good)
        count, left = good.size, np.zeros(good.shape, dtype=bool)
        for judge in self._judges:
            left |= good & ~judge.clearly_admits(values, count)
        if not left.any():
            return good
        rows = np.array([np.broadcast_to(np.asarray(v, dtype=float), count)[left] for v in values.values()])
        distinct, places = np.unique(rows, axis=1, return_inverse=True)
        passed = [self._passes(dict(zip(values, column, strict=True))) for column in distinct.T.tolist()]
        good = good.copy()
        good[left] = np.array(passed)[places]
        return good

    def _passes(self, values: Numbers) -> bool:
        """Whether a full set of parameters is not refused."""
        try:
            for judge in self._judges:
                judge.require(values)
        except GeoctrlError:
            return False
        return True

    def _has_passed(self, values: Numbers) -> bool:
        """Whether this is a full set of doubles that was judged: a run asks of its own several times."""
        numbers = values.values()
        return (
            {*map(type, numbers)} <= _DOUBLES and tuple(numbers) in self._passed and [*values] == self._names
        )

    def require(self, values: Numbers) -> None:
        """Judge a full set of parameters."""
        if self._whole is not None:
            self._whole.parameters({k: v for k, v in values.items() if k in self._whole._defaults})
        key = tuple(values.values())
        if key in self._passed:
            return
        for judge in self._judges:
            judge.require(values)
        if len(self._passed) >= _REMEMBERED:
            self._passed.clear()
        self._passed.add(key)

    def require_identities(self, numbers: Numbers) -> None:
        """Demand that what is promised holds for all parameters besides those given.

        What is derived in symbols is true of no others.
        """
        self._promises.require_identities(numbers)
        if self._whole is not None:
            self._whole.require_identities(numbers)
