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

from geoctrl._checks import finite_array, named_parameters
from geoctrl._scalars import exact, real
from geoctrl._scalars.budget import BUDGET, Budget
from geoctrl.analysis import StabilityConditions, certify, linearize, stability_conditions
from geoctrl.errors import GeoctrlError, MatchingError, ParameterError
from geoctrl.synthesis.gain_conditions import abbreviated, decided, settled, solved
from geoctrl.synthesis.gain_matrices import by_entry, multiples_of_one
from geoctrl.synthesis.gain_search import Limits, by_frequencies, searched
from geoctrl.synthesis.linear_loops import LinearLoops
from geoctrl.synthesis.obstruction import Obstruction, obstruction
from geoctrl.synthesis.shaped_law import ShapedLaw
from geoctrl.synthesis.shaping import Shaping
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.verification import Verdict

__all__ = ["ShapedDesign"]

_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE, Verdict.NUMERICALLY_STABLE)
_DRAWS = 4000
"""Sets of gains tried in a search."""
_SPREAD = 3.0
"""Decades, either way from one, over which they are drawn."""


class ShapedDesign:
    """Admissible gains at an equilibrium; made by ``ShapedMatching.design``.

    Attributes
    ----------
    gains : dict of name -> symbol
    plant : Plant
    family : str
        Name of the declared family, or "" for a single point.
    """

    def __init__(
        self,
        make: Callable[..., ShapedLaw],
        shaping: Shaping,
        eq: Any,
        budget: float = BUDGET,
    ) -> None:
        self._make, self._shaping, self.plant = make, shaping, shaping.plant
        self.gains = {g.name: g.symbol for g in shaping.gains}
        self.budget = Budget(budget).seconds
        self._values: dict[str, float] = {}
        self._params: dict[str, float] = {}
        self._state: np.ndarray | None = None
        self.family = ""
        if isinstance(eq, str):
            self.family = self._known(eq)
        elif isinstance(eq, Equilibrium):
            self._params = dict(eq.params)
            if eq.name in self.loop.families:
                self.family = eq.name
                family = self.loop.families[eq.name]
                self._values = _members(family, eq)
            else:
                self._state = np.array(
                    [eq[label] if label in eq.labels else 0.0 for label in self.loop.state_labels]
                )
        else:
            self._state = finite_array("eq", eq, (self.loop.nstates,))

    def _known(self, family: str) -> str:
        if family not in self.loop.families:
            known = ", ".join(self.loop.families) or "none"
            raise ParameterError(
                f"no family {family!r} in the closed loop; known are {known} (a family in which an actuated "
                "position moves is none of a loop that holds it)"
            )
        return family

    @cached_property
    def _law(self) -> ShapedLaw:
        return self._make(**self.gains)

    @property
    def loop(self) -> ReducedSystem:
        """The closed loop with the gains as parameters without values."""
        return self._law.loop

    @cached_property
    def _loops(self) -> LinearLoops:
        return LinearLoops(self._law, self.plant, self._point)

    def _given(self, params: Mapping[str, float] | None) -> dict[str, float]:
        return {**self._params, **named_parameters(params)}

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
        law = self._make(**gains)
        numbers = {p.name: p.default for p in law.gain_parameters}
        if self._state is not None:
            given = {**self._params, **named_parameters(params)}
            return certify(law.loop, self._state, given or None).verdict in _STABLE
        return decided(self.conditions, self._numbers({**numbers, **named_parameters(params)}))

    def _numbers(self, given: Mapping[str, Any]) -> dict[sp.Symbol, sp.Rational]:
        known = {s.name: s for s in self.conditions.symbols}
        for name in given:
            if name not in known:
                raise ParameterError(f"unknown parameter {name!r}; known are {', '.join(known)}")
        gains = self.gains
        values = {k: v for k, v in self.loop.params.items() if v is not None and k not in gains}
        values |= {k: v for k, v in {**self._params, **self._values}.items() if k in known} | dict(given)
        fractions = {known[k]: exact(v) for k, v in values.items()}
        return {s: sp.Rational(q.numerator, q.denominator) for s, q in fractions.items()}

    def eigenvalues(self, params: Mapping[str, float] | None = None, **gains: float) -> np.ndarray:
        """Eigenvalues of the loop at the equilibrium, on the leaf."""
        law = self._make(**gains)  # reads the gains
        numbers = {p.name: p.default for p in law.gain_parameters} | named_parameters(params)
        names = self.loop.families[self.family].names if self.family else ()
        known = {k: v for k, v in {**self._params, **numbers}.items() if k not in names}
        point = self._point(self.loop, {**known, **{k: v for k, v in numbers.items() if k in names}})
        return linearize(self.loop, point, known).eigenvalues

    def _point(self, loop: ReducedSystem, params: Mapping[str, float] | None) -> Any:
        if self._state is not None:
            return self._state
        names = loop.families[self.family].names
        values = dict.fromkeys(names, 0.0) | {k: v for k, v in self._values.items() if k in names}
        values |= {k: v for k, v in named_parameters(params).items() if k in names}
        numbers = {k: v for k, v in {**self._params, **named_parameters(params)}.items() if k in loop.params}
        return loop.equilibrium(self.family, params=numbers or None, **values)

    # -- the set --------------------------------------------------------------------------------

    @cached_property
    def conditions(self) -> StabilityConditions:
        """Stability conditions of the family, the gains symbolic; GeoctrlError for a single point."""
        if not self.family:
            raise GeoctrlError("conditions in symbols need a declared family; this is a single point")
        return stability_conditions(self.loop, self.family, budget=self.budget)

    @cached_property
    def condition(self) -> Boolean | None:
        """The admissible set: conditions on the gains that hold together.

        None where none of reasonable size is written in symbols: `contains` decides at numbers.
        """
        if self.conditions.stable:
            return sp.And(*settled(self.conditions.stable))
        return sp.S.false if sp.S.true in self.conditions.unstable else None

    @cached_property
    def bounds(self) -> dict[str, Boolean | None]:
        """For each gain its conditions, solved for it where that is possible, the others held.

        False or None for all of them where the condition is.
        """
        if self.condition is None or self.condition == sp.S.false:
            return dict.fromkeys(self.gains, self.condition)
        relations = settled(self.conditions.stable)
        found = {}
        for name, symbol in self._symbols.items():
            found[name] = sp.And(*(solved(r, symbol) for r in relations if r.has(symbol)))
        return found

    @property
    def _symbols(self) -> dict[str, sp.Symbol]:
        known = {s.name: s for s in self.conditions.symbols}
        return {name: known[name] for name in self.gains}

    @cached_property
    def feasible(self) -> bool | None:
        """Whether any gains are admissible at the defaults; None where neither is found."""
        if self.family and (sp.S.false in self.conditions.stable or sp.S.true in self.conditions.unstable):
            return False
        try:
            self.recommend()
        except MatchingError:
            return None
        return True

    @cached_property
    def obstruction(self) -> Obstruction | None:
        """A certified reason why no law, or no energy, holds the equilibrium; None where none is found."""
        plant = self.plant.mechanism
        if not self.family or self._state is not None:
            return None
        try:
            eq = plant.equilibrium(self.family, params=self._params or None, **self._values)
            return obstruction(self.plant, eq, self._params or None)
        except GeoctrlError:  # the family needs numbers, or the point is no exact equilibrium
            return None

    @property
    def reason(self) -> str:
        """Why no gains are admissible; empty where some are."""
        if self.feasible:
            return ""
        if self.obstruction is not None:
            return self.obstruction.reason
        if self.family and sp.S.true in self.conditions.unstable:
            return "a mode is unstable whatever the gains"
        if self.family and sp.S.false in self.conditions.stable:
            why = self.conditions.reason or "its signs contradict one another"
            return f"the controlled energy is definite for no gains: {why}"
        return f"none of {_DRAWS} sets of gains drawn is admissible"

    # -- gains to start from --------------------------------------------------------------------

    def recommend(
        self,
        params: Mapping[str, float] | None = None,
        frequencies: tuple[float, float] | None = None,
        limits: Mapping[str, float] | None = None,
        start: Mapping[str, float] | None = None,
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
        limits : dict of input -> positive number, optional
            Largest inputs of the linear loop, with the damping of `best_damping`, from ``start``.
        start : dict of state -> number, optional
            The deviation from the equilibrium that goes with ``limits``.

        Returns
        -------
        dict
            By the closed form where there is one and it keeps the limits, else those of 4000 drawn sets, and
            of sets around the best, with which the damped loop is neither much faster than the largest rate
            of the plant nor decays much more slowly.

        Raises
        ------
        MatchingError
            If none is found, or frequencies are given where no closed form takes them or keeps the limits.
        InputError
            For an unknown input or state, limits that are not positive, or limits without a start.
        """
        asked = Limits.read(limits, start, self._law.input_labels, self.loop.state_labels)
        found = self._by_frequencies(params, frequencies)
        if found is not None and self.contains(params, **found):
            loop = self._loops.modes(found, self._given(params)) if asked else None
            excess = loop.cost(1.0, asked)[1] if loop else 0.0
            if excess <= 1:
                return found
            if frequencies is not None:
                raise MatchingError(f"with these frequencies an input is {excess:.3g} times its limit")
        if frequencies is not None:
            raise MatchingError(
                "frequencies choose kappa, rho and K for one unstable direction of the base; here they do not"
            )
        return self._searched(params, asked)

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
        modes = self._loops.modes(gains, self._given(params))
        return 0.0 if modes is None else abs(modes.best_damping()[0])

    def _by_frequencies(
        self, params: Mapping[str, float] | None, frequencies: tuple[float, float] | None
    ) -> dict[str, float] | None:
        """The closed form at the equilibrium, for base and fibre that are multiples of one direction."""
        matrices = self._shaping.matrices
        if set(matrices or self.gains) not in ({"kappa", "rho", "K"}, {"Lambda", "rho", "K"}):
            return None
        any_ = multiples_of_one(matrices, dict.fromkeys(matrices, 1.0)) or dict.fromkeys(self.gains, 1.0)
        quantities = self._loops.one_direction(any_, self._given(params))
        if quantities is None or quantities[-1] <= 0:
            return None
        if frequencies is not None:
            first, second = (real(w, "a frequency") for w in frequencies)
            if not 0 < first < second:
                raise MatchingError(
                    f"frequencies must be two increasing positive numbers, got {first:g}, {second:g}"
                )
        found, gamma = by_frequencies(*quantities, frequencies), quantities[1]
        if not matrices:
            return found
        factors = {"Lambda": (1 + found["kappa"]) * gamma, "rho": found["rho"] * gamma, "K": found["K"]}
        return multiples_of_one(matrices, factors)

    def _searched(self, params: Mapping[str, float] | None, asked: Limits | None) -> dict[str, float]:
        rng, names = np.random.default_rng(5), list(self.gains)
        draws = self._shaping.drawn(rng, _DRAWS, _SPREAD)

        def named(row: np.ndarray) -> dict[str, float]:
            return dict(zip(names, map(float, row), strict=True))

        chosen, least = searched(
            draws,
            self._admissible(names, params),
            lambda row: self._loops.modes(named(row), self._given(params)),
            lambda row: bool(self.contains(params, **named(row))),
            self._loops.pace(self._given(params)),
            asked,
        )
        if chosen is not None:
            return named(chosen)
        if asked is not None and np.isfinite(least):
            raise MatchingError(
                "no gains are found that keep the limits: the least that an input is found at is "
                f"{least:.3g} times its limit"
            )
        told = self.condition if self.family else None
        which = "" if told is None else f"; .condition says which are: {abbreviated(told)}"
        raise MatchingError(f"no admissible gains among {_DRAWS} drawn{which}")

    def _admissible(
        self, names: list[str], params: Mapping[str, float] | None
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Which of several draws the conditions allow; all for a point, which is asked one at a time."""
        if not self.family or not self.conditions.stable:
            return lambda draws: np.arange(min(len(draws), 100))
        numbers = self._numbers(named_parameters(params))
        symbols = [self._symbols[name] for name in names]
        asked = {s for r in self.conditions.stable for s in r.free_symbols} - numbers.keys() - set(symbols)
        if asked:
            raise ParameterError(f"gains need numbers in params for {', '.join(sorted(map(str, asked)))}")
        told = [r.subs(numbers) if hasattr(r, "subs") else r for r in self.conditions.stable]
        tests = sp.lambdify(symbols, told, "numpy")

        def allowed(draws: np.ndarray) -> np.ndarray:
            every = np.ones(len(draws), dtype=bool)
            for found in tests(*draws.T):
                every &= np.broadcast_to(found, len(draws))
            return np.flatnonzero(every)

        return allowed

    def __repr__(self) -> str:
        where = repr(self.family) if self.family else "the point"
        if not self.family or self.condition is None:
            return f"<ShapedDesign for {where}: gains are tried one at a time>"
        if self.condition == sp.S.false:
            return f"<ShapedDesign for {where}: no gains>"
        rows = "\n".join(f"  {name}: {abbreviated(bound)}" for name, bound in self.bounds.items())
        hint = '\n  the whole: .bounds["..."]; at numbers: .contains(...)' if " operations" in rows else ""
        return f"<ShapedDesign for {where}>\n{rows}{hint}"


def _members(family: Any, eq: Equilibrium) -> dict[str, float]:
    """The family's symbols at a member, where states are these symbols by themselves."""
    found = {}
    for label, e in family.states.items():
        if e in family.symbols:
            found[e.name] = float(eq[label])
    return found
