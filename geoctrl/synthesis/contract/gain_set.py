"""What a set of gains is: those with which an equilibrium of a closed loop is stable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._checks import named_parameters
from geoctrl._scalars import exact
from geoctrl.analysis.certificates.certificates import certify
from geoctrl.analysis.conditions.conditions import stability_conditions
from geoctrl.analysis.conditions.conditions_result import StabilityConditions
from geoctrl.errors import GeoctrlError, ParameterError
from geoctrl.synthesis.export.law_outputs import added_states
from geoctrl.systems import Equilibrium, EulerPoincare, Family, ReducedSystem
from geoctrl.verification import Verdict

__all__ = ["GainSet", "Target"]

_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE, Verdict.NUMERICALLY_STABLE)


@dataclass(frozen=True, eq=False)
class Target:
    """What gains are to stabilise: a declared family, a member of one, or a point.

    Attributes
    ----------
    family : str
        Its name, or "" for a point.
    params : dict
        Numbers of the plant's parameters that belong to it.
    values : dict
        The family's symbols at a member.
    state : ndarray or None
        Of the closed loop, where gains are judged at the point itself and not by the family's conditions.
    """

    family: str = ""
    params: dict[str, float] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    state: np.ndarray | None = None

    @classmethod
    def of_family(cls, loop: ReducedSystem, name: str, strangers: str) -> Target:
        """A family of the loop by its name; ``strangers`` says what families are that it does not have."""
        if name not in loop.families:
            known = ", ".join(loop.families) or "none"
            raise ParameterError(f"no family {name!r} in the closed loop; known are {known} ({strangers})")
        return cls(name)

    @classmethod
    def of_equilibrium(
        cls,
        loop: ReducedSystem,
        eq: Equilibrium,
        mechanism: EulerPoincare,
        gains: Container[str],
        point: bool,
    ) -> Target:
        """An equilibrium of plant or loop, as a point if it is in no family or that is wanted."""
        # Numbers of gains belong to the law whose equilibrium it is, not to those that are asked about.
        params = {k: v for k, v in eq.params.items() if k in loop.params and k not in gains}
        family, state = loop.families.get(eq.name), None
        if family is None or point:
            home = set(added_states(mechanism, loop)) - set(eq.labels)
            state = np.array([0.0 if k in home else eq[k] for k in loop.state_labels])
        if family is None:
            return cls(params=params, state=state)
        return cls(eq.name, params, _members(family, eq), state)

    @property
    def is_point(self) -> bool:
        """Whether gains are judged at a point."""
        return self.state is not None

    def in_loop(self, loop: ReducedSystem, numbers: Mapping[str, float]) -> Any:
        """The point in a loop: exactly where it is a member of a family of it."""
        if self.family and len(self.values) == len(loop.families[self.family].symbols):
            return loop.equilibrium(self.family, params=numbers, **self.values)
        return self.state


class GainSet(ABC):
    """Gains with which an equilibrium of a closed loop is stable.

    A kind says which law numbers make (`contains`), how its conditions are solved for the gains (`_solution`,
    `bounds`), whether there are any where these do not say it (`_gains_exist`), why there are none (`_why`),
    and how some are searched for (`recommend`).

    Attributes
    ----------
    gains : dict of name -> symbol
    budget : float
        Seconds for each search in symbols; `note` says what was not finished.
    """

    gains: dict[str, sp.Symbol]
    budget: float
    _target: Target

    @property
    def family(self) -> str:
        """Name of the declared family, or "" for a single point."""
        return self._target.family

    @property
    @abstractmethod
    def loop(self) -> ReducedSystem:
        """The closed loop with the gains as parameters without values."""

    # -- one set of gains -------------------------------------------------------------------------

    @abstractmethod
    def contains(self, *args: Any, **gains: Any) -> bool | None:
        """Whether gains are admissible; None where that is not decided."""

    def _admits(
        self,
        gains: Mapping[str, Any],
        params: Mapping[str, float] | None,
        made: Callable[[], ReducedSystem] | None = None,
    ) -> bool | None:
        """The verdict of `geoctrl.certify` at a point, that of its conditions for a family.

        ``made`` gives the loop with these gains for defaults; without it they are put into that of symbols.
        """
        target = self._target
        if not target.is_point:
            return _admitted_by(self.conditions, self._numbers({**gains, **named_parameters(params)}))
        loop, own = (self.loop, gains) if made is None else (made(), {})
        numbers = {**target.params, **own, **named_parameters(params)}
        return certify(loop, target.in_loop(loop, numbers), numbers or None).verdict in _STABLE

    def _numbers(self, given: Mapping[str, float]) -> dict[sp.Symbol, Any]:
        """Exact numbers by symbol: the defaults, the equilibrium's own, and the given ones."""
        known = {s.name: s for s in self.conditions.symbols}
        for name in given:
            if name not in known:
                raise ParameterError(f"unknown parameter {name!r}; known are {', '.join(known)}")
        values = {k: v for k, v in self.loop.params.items() if v is not None and k not in self.gains}
        values |= {
            k: v for k, v in {**self._target.params, **self._target.values}.items() if k in known
        } | dict(given)
        fractions = {known[k]: exact(v) for k, v in values.items()}
        return {s: sp.Rational(q.numerator, q.denominator) for s, q in fractions.items()}

    # -- the set ----------------------------------------------------------------------------------

    @cached_property
    def conditions(self) -> StabilityConditions:
        """Stability conditions of the family, the gains symbolic; GeoctrlError for a single point."""
        if not self.family:
            raise GeoctrlError("conditions in symbols need a declared family; this is a single point")
        return stability_conditions(self.loop, self.family, budget=self.budget)

    @property
    def note(self) -> str:
        """What the search for conditions left unfinished; empty where it finished, and for a point."""
        return self.conditions.note if self.family else ""

    @property
    def _symbols(self) -> dict[str, sp.Symbol]:
        """The gains as they stand in the conditions."""
        known = {s.name: s for s in self.conditions.symbols}
        return {name: known[name] for name in self.gains}

    @abstractmethod
    def _solution(self) -> Boolean:
        """The conditions, solved for the gains as far as that is known how."""

    @cached_property
    def condition(self) -> Boolean | None:
        """The admissible set: conditions on the gains that hold together.

        None where none of reasonable size is written in symbols: `contains` decides at numbers.
        """
        if self.conditions.stable:
            return self._solution()
        return sp.S.false if self._always_unstable else None

    @property
    @abstractmethod
    def bounds(self) -> Any:
        """Ends of the set, gain by gain."""

    @property
    def _always_unstable(self) -> bool:
        return bool(self.family) and sp.S.true in self.conditions.unstable

    @property
    def _contradicted_conditions(self) -> bool:
        """Whether the conditions say that there are no gains."""
        return bool(self.family) and (self._always_unstable or sp.S.false in self.conditions.stable)

    @abstractmethod
    def _gains_exist(self) -> bool | None:
        """Whether there are gains that the conditions do not exclude; None where that is not decided."""

    @cached_property
    def feasible(self) -> bool | None:
        """Whether any gains are admissible at the equilibrium's parameters, or the defaults.

        None where that is not decided, or not in time; `contains` tests gains at a member then.

        Raises
        ------
        GeoctrlError
            At a single point with several rotors, whose gains are not searched.
        """
        return False if self._contradicted_conditions else self._gains_exist()

    @abstractmethod
    def recommend(self, *args: Any, **asked: Any) -> Mapping[str, float]:
        """Gains that are admissible, by name."""

    @abstractmethod
    def _why(self) -> str:
        """Why no gains are admissible, or none are found."""

    @property
    def reason(self) -> str:
        """Why no gains are admissible; empty where some are."""
        return "" if self.feasible else self._why()


def _admitted_by(conditions: StabilityConditions, numbers: Mapping[sp.Symbol, sp.Rational]) -> bool | None:
    """Whether what numbers stand for is admissible; None where that is open.

    Where no condition is written in symbols, it is asked at the numbers, if these are all that is needed.
    """
    if conditions.stable:
        judged = [r.subs(numbers) if hasattr(r, "subs") else r for r in conditions.stable]
        if sp.S.false in judged or False in judged:
            return False
        return True if all(r == sp.S.true for r in judged) else None
    if sp.S.true in conditions.unstable:
        return False
    if not numbers.keys() >= set(conditions.symbols):
        return None
    values: dict[str, Any] = {s.name: float(q) for s, q in numbers.items()}
    found = conditions.evaluate(**values)
    return {1: True, -1: False}.get(int(found))


def _members(family: Family, eq: Equilibrium) -> dict[str, float]:
    """The family's symbols at a member, where states are these symbols by themselves."""
    return {e.name: float(eq[label]) for label, e in family.states.items() if e in family.symbols}
