r"""Which gains of a class stabilise an equilibrium, one gain at a time, and gains to start from.

The set is what the stability conditions of the loop say with every gain a symbol: definiteness of the
controlled energy. Signs that one condition fixes (:math:`\rho < 0`) are put into the others, so that each
gain gets an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._calls.budget import BUDGET, Budget
from geoctrl._calls.long_calls import long_call
from geoctrl._checks import finite_array, named_parameters, sampling_rate
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.linear.linearization import linearize
from geoctrl.errors import GeoctrlError, MatchingError
from geoctrl.synthesis.contract.gain_set import GainSet, Target
from geoctrl.synthesis.gains.frequencies import by_frequencies
from geoctrl.synthesis.gains.gain_conditions import allowing, independent, short_text, solution
from geoctrl.synthesis.gains.gain_limits import Limits
from geoctrl.synthesis.gains.gain_search import best_gains
from geoctrl.synthesis.gains.linear_loops import LinearLoops
from geoctrl.synthesis.gains.plant_points import deviations, held_stable, plant_point
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.synthesis.shaping.gain_matrices import by_entry
from geoctrl.synthesis.shaping.matching_class import Shaping
from geoctrl.synthesis.solutions.obstruction import Obstruction, obstruction
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["ShapedDesign"]

_DRAWS = 4000
"""Sets of gains tried in a search."""
_SPREADS = (1.5, 3.0)
"""Decades, either way from their sizes, over which halves of them are drawn."""


class ShapedDesign(GainSet):
    """Admissible gains at an equilibrium; made by ``ShapedMatching.design``.

    Attributes
    ----------
    plant : Plant
    """

    def __init__(
        self,
        make: Callable[..., ShapedLaw],
        shaping: Shaping,
        eq: Any,
        budget: float = BUDGET,
        refused: tuple[str, ...] = (),
    ) -> None:
        self.budget, self._refused = Budget(budget).seconds, refused
        self._make, self._shaping, self.plant = make, shaping, shaping.plant
        self.gains = {g.name: g.symbol for g in shaping.gains}
        if isinstance(eq, str):
            others = "a family in which an actuated position moves is none of a loop that holds it"
            self._target = Target.of_family(self.loop, eq, others)
        elif isinstance(eq, Equilibrium):
            # Thousands of sets are drawn: members of a family are judged by its conditions.
            m = self.plant.mechanism
            self._target = Target.of_equilibrium(self.loop, eq, m, self.gains, point=False)
        else:
            self._target = Target(state=finite_array("eq", eq, (self.loop.nstates,)))

    @cached_property
    def _law(self) -> ShapedLaw:
        return self._make(**self.gains)

    @property
    def loop(self) -> ReducedSystem:
        """The closed loop with the gains as parameters without values."""
        return self._law.loop

    @cached_property
    def _loops(self) -> LinearLoops:
        moving: set[str] = set()
        if not self._target.is_point:
            family = self.loop.families[self.family]
            held = [*family.states.values(), *family.inputs.values(), *family.relations]
            moving = {symbol.name for e in held for symbol in e.free_symbols}
        return LinearLoops(self._law, self.plant, self._point, moving)

    def _parameters(self, params: Mapping[str, float] | None) -> dict[str, float]:
        return {**self._target.params, **named_parameters(params)}

    # -- one set of gains -----------------------------------------------------------------------

    def law(self, params: Mapping[str, float] | None = None, **gains: Any) -> ShapedLaw:
        """The law for gains; what is left out is `recommend`'s."""
        gains = by_entry(self._shaping, gains)
        return self._make(**{**(self.recommend(params) if self._missing(gains) else {}), **gains})

    def _missing(self, gains: Mapping[str, Any]) -> bool:
        return not self.gains.keys() <= gains.keys()

    def contains(self, params: Mapping[str, float] | None = None, **gains: float) -> bool | None:
        """Whether gains are admissible.

        Parameters
        ----------
        params : dict, optional
            Numbers for parameters, and for the family's symbols where only its name was given.
        **gains : numbers
            All of them; entries of matrices also as whole matrices.

        Returns
        -------
        bool or None
            For a family what its conditions say at the default parameters, None where they decide nothing or
            a symbol of the family has no number; for a point the verdict of `geoctrl.certify`.

        Raises
        ------
        MatchingError, ParameterError
            If a gain is missing or unknown; for an unknown parameter.
        """
        made = self._make(**gains)  # reads them, whole matrices too
        numbers = {p.name: p.default for p in made.gain_parameters}
        return self._admits(numbers, params, lambda: made.loop)

    def eigenvalues(self, params: Mapping[str, float] | None = None, **gains: float) -> np.ndarray:
        """Eigenvalues of the loop at the equilibrium, on the leaf."""
        law = self._make(**gains)  # reads the gains
        numbers = {p.name: p.default for p in law.gain_parameters} | named_parameters(params)
        names = self.loop.families[self.family].names if self.family else ()
        known = {k: v for k, v in {**self._target.params, **numbers}.items() if k not in names}
        point = self._point(self.loop, {**known, **{k: v for k, v in numbers.items() if k in names}})
        return linearize(self.loop, point, known).eigenvalues

    def _point(self, loop: ReducedSystem, params: Mapping[str, float] | None) -> Any:
        if self._target.is_point:
            return self._target.state
        names = loop.families[self.family].names
        values = dict.fromkeys(names, 0.0) | {k: v for k, v in self._target.values.items() if k in names}
        values |= {k: v for k, v in named_parameters(params).items() if k in names}
        numbers = {
            k: v for k, v in {**self._target.params, **named_parameters(params)}.items() if k in loop.params
        }
        return loop.equilibrium(self.family, params=numbers or None, **values)

    # -- the set --------------------------------------------------------------------------------

    def _solution(self) -> Boolean:
        return sp.And(*independent(self.conditions.stable))

    @cached_property
    def bounds(self) -> dict[str, Boolean | None]:
        """For each gain its conditions, solved for it where that is possible, the others held.

        False or None for all of them where the condition is.
        """
        if self.condition is None or self.condition == sp.S.false:
            return dict.fromkeys(self.gains, self.condition)
        relations = independent(self.conditions.stable)
        found = {}
        for name, symbol in self._symbols.items():
            found[name] = sp.And(*(solution(r, symbol) for r in relations if r.has(symbol)))
        return found

    def _gains_exist(self) -> bool | None:
        try:
            self.recommend()
        except MatchingError:
            return None
        return True

    @cached_property
    def obstruction(self) -> Obstruction | None:
        """A certified reason why no law, or no energy, holds the equilibrium; None where none is found."""
        plant = self.plant.mechanism
        if not self.family or self._target.is_point:
            return None
        try:
            eq = plant.equilibrium(self.family, params=self._target.params or None, **self._target.values)
            return obstruction(self.plant, eq, self._target.params or None)
        except GeoctrlError:  # the family needs numbers, or the point is no exact equilibrium
            return None

    def _why(self) -> str:
        """Besides, what other classes ask of the mechanism."""
        if self.obstruction is not None:
            return self.obstruction.reason
        others = "".join(f"; another class asks: {reason}" for reason in dict.fromkeys(self._refused))
        return f"{self._why_none_found}{others}"

    @property
    def _why_none_found(self) -> str:
        if self._always_unstable:
            return "a mode is unstable whatever the gains"
        if self._contradicted_conditions:
            why = self.conditions.reason or "its signs contradict one another"
            return f"the controlled energy is definite for no gains: {why}"
        return f"none of {_DRAWS} sets of gains drawn is admissible"

    # -- gains to start from --------------------------------------------------------------------

    @long_call
    def recommend(
        self,
        params: Mapping[str, float] | None = None,
        frequencies: tuple[float, float] | None = None,
        limits: Mapping[str, float] | None = None,
        start: Mapping[str, float] | None = None,
        *,
        speeds: Mapping[str, float] | None = None,
        rate: float | None = None,
        tilt: float | None = None,
        starts: Any = None,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> dict[str, float]:
        """Gains that are admissible, by name.

        Parameters
        ----------
        params : dict, optional
            As in `contains`.
        frequencies : two positive numbers, optional
            Of the undamped loop, in rad/s, for one unstable direction of the base and a class with kappa, rho
            and K, or multiples of unit matrices for Lambda, rho and K. By default the rate at which the plant
            falls, and 0.4 of it.
        limits, speeds : dict of label -> positive number, optional
            Largest inputs, and states, of the linear loop with the damping of `best_damping`.
        start : dict of state -> number, optional
            A deviation from the equilibrium from which they hold.
        rate : float, optional
            Of the controller that will run the law (Hz): the linear loop, damped so, is stable with its hold.
        tilt : float, optional
            Deviations from which the limits hold: along the leaf by that to both sides (rad), where the
            configuration of the plant has one direction to move in.
        starts : (S, n), optional
            States of the plant from which they hold as well.
            The deviation from the equilibrium that goes with ``limits``.
        progress, seconds
            As of `certify`.

        Returns
        -------
        dict
            By the closed form where there is one and it keeps what is asked, else those of 4000 drawn sets,
            about the sizes at which the controlled energy is like the plant's, and of sets around the best,
            with which the damped loop is neither much faster than the largest rate of the plant nor decays
            much more slowly.

        Raises
        ------
        MatchingError
            If none is found, with the reason, or frequencies are given where no closed form takes them or
            keeps the limits.
        InputError
            For an unknown input or state, limits that are not positive, or limits without a start; for a rate
            that is not positive.
        """
        if self._contradicted_conditions:
            raise MatchingError(f"no gains are admissible here: {self.reason}", key="no-gains")
        away = deviations(*self._at_rest(params), tilt, starts)
        asked = Limits.read(limits, speeds, start, away, self._law.input_labels, self.loop.state_labels)
        hertz = None if rate is None else sampling_rate(rate)
        found = by_frequencies(self._shaping, self._loops, self._parameters(params), frequencies)
        if found is not None and self.contains(params, **found):
            loop = self._loops.modes(found, self._parameters(params)) if asked else None
            excess = loop.cost(1.0, asked)[1] if loop else 0.0
            stable = hertz is None or self._stays_when_held(params, hertz, found)
            if excess <= 1 and stable:
                return found
            if frequencies is not None:
                raise MatchingError(
                    f"with these frequencies an input is {excess:.3g} times its limit"
                    if stable
                    else f"with these frequencies the loop is not stable when it is held at {hertz:g} Hz"
                )
        if frequencies is not None:
            raise MatchingError(
                "frequencies choose kappa, rho and K for one unstable direction of the base; here they do not"
            )
        return self._search(params, asked, hertz)

    def best_damping(self, params: Mapping[str, float] | None = None, **gains: float) -> float:
        """k of ``with_damping(k=k)`` with which the slowest mode of the linear loop decays fastest.

        One number for all inputs, to a tenth of a decade; zero where damping calms no loop of these gains, or
        is not known.

        Raises
        ------
        MatchingError, ParameterError
            As `contains`.
        """
        gains = by_entry(self._shaping, gains)
        self._make(**gains)  # reads them
        modes = self._loops.modes(gains, self._parameters(params))
        return 0.0 if modes is None else abs(modes.best_damping()[0])

    def _search(
        self,
        params: Mapping[str, float] | None,
        asked: Limits | None,
        rate: float | None,
    ) -> dict[str, float]:
        rng, names, given = np.random.default_rng(5), list(self.gains), self._parameters(params)
        draws = np.concatenate([self._shaping.drawn(rng, _DRAWS // len(_SPREADS), d) for d in _SPREADS])
        sizes = self._shaping.alike(self._loops.sizes(given).gains(list(self.gains.values())))
        stable = 0

        def by_name(row: np.ndarray) -> dict[str, float]:
            return dict(zip(names, map(float, row), strict=True))

        def holds(row: np.ndarray) -> bool:
            nonlocal stable
            if not self.contains(params, **by_name(row)):
                return False
            stable += 1
            return rate is None or self._stays_when_held(params, rate, by_name(row))

        chosen, least = best_gains(
            draws,
            sizes,
            self._admissible(names, params),
            lambda row: self._loops.modes(by_name(row), given),
            holds,
            self._loops.pace(given),
            asked,
        )
        if chosen is not None:
            return by_name(chosen)
        if stable:
            raise MatchingError(
                f"the hold stands against it: none of the {stable} best sets of gains is stable when it is "
                f"held at {rate:g} Hz with the damping of best_damping; raise rate="
            )
        if asked is not None and np.isfinite(least):
            raise MatchingError(
                "no gains are found that keep the limits: the least that an input is found at is "
                f"{least:.3g} times its limit"
            )
        told = self.condition if self.family else None
        which = "" if told is None else f"; .condition says which are: {short_text(told)}"
        raise MatchingError(f"no admissible gains among {_DRAWS} drawn{which}", key="no-gains")

    def _stays_when_held(
        self, params: Mapping[str, float] | None, rate: float, gains: Mapping[str, float]
    ) -> bool:
        """Whether the linear loop is stable with these gains, damped and held at a rate."""
        law, k = self._make(**gains), self.best_damping(params, **gains)
        try:
            law = law.with_damping(k=k) if k else law
        except MatchingError:
            return False
        _, _, point, numbers = self._at_rest(params)
        return held_stable(law, rate, point, numbers)

    def _at_rest(
        self, params: Mapping[str, float] | None
    ) -> tuple[ReducedSystem, ReducedSystem, Any, dict[str, float]]:
        """The plant and the loop, the equilibrium of the plant, and its parameters."""
        plant = self.plant.mechanism.reduce()
        point = plant_point(plant, self.loop, self._point(plant, params))
        return (
            plant,
            self.loop,
            point,
            {k: v for k, v in self._parameters(params).items() if k in plant.params},
        )

    def _admissible(
        self, names: list[str], params: Mapping[str, float] | None
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Which of several draws the conditions allow; all for a point, which is asked one at a time."""
        if not self.family or not self.conditions.stable:
            return lambda draws: np.arange(min(len(draws), 100))
        numbers = self._numbers(named_parameters(params))
        return allowing(self.conditions, numbers, [self._symbols[name] for name in names])

    def _lines(self) -> list[str]:
        where = repr(self.family) if self.family else "the point"
        if not self.family or self.condition is None:
            return [f"<ShapedDesign for {where}: gains are tried one at a time>"]
        if self.condition == sp.S.false:
            return [f"<ShapedDesign for {where}: no gains; {self.reason}>"]
        rows = [f"  {name}: {short_text(bound)}" for name, bound in self.bounds.items()]
        hint = ['  the whole: .bounds["..."]; at numbers: .contains(...)']
        long = any(" operations" in row for row in rows)
        return [f"<ShapedDesign for {where}>", *rows, *(hint if long else ())]

    full = full_text
    __repr__ = short_form
