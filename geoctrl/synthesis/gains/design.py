r"""Which gains stabilise an equilibrium of the closed loop.

For a declared family the loop's stability conditions are derived with the gain as a symbol and solved for
it; for a single point the gains are scanned and the ends of the admissible interval bisected. Where no gain
is admissible the reason is looked for in what the rotors do not reach: an unstable mode without the gain
in it, or directions in which the restricted Hessian has both signs whatever the gain. (With
S = sigma^{-1} that Hessian is :math:`H_0 + B S B^T`; it can be made definite of a sign if and only if
H_0 has that sign on ker B^T, the projection lemma.)
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
from geoctrl._checks import finite_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.analysis.symbolic.inequalities import known_sign
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError, MatchingError
from geoctrl.synthesis.contract.gain_set import GainSet, Target
from geoctrl.synthesis.gains.gain_conditions import is_negative
from geoctrl.synthesis.gains.motor import MotorBounds, RecommendedGains, motor_gains
from geoctrl.synthesis.gains.plant_points import states_beside
from geoctrl.synthesis.gains.rotor_gains import spread
from geoctrl.synthesis.rotors.gains import matrix_of_sigma, read_sigma
from geoctrl.synthesis.rotors.rotor_matching import RotorMatching
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["SigmaDesign"]

_SCAN = 10.0 ** np.arange(-8, 4.5, 0.5)
"""Gains tried at a single point, in units of the rotor's inertia and of either sign."""


class SigmaDesign(GainSet):
    """Admissible gains at an equilibrium; made by ``Matching.design_sigma``.

    Attributes
    ----------
    matching : Matching
    """

    def __init__(self, matching: RotorMatching, eq: Any, budget: float = BUDGET) -> None:
        self.budget, self.matching, self.gains = Budget(budget).seconds, matching, matching.gains
        self._given = eq
        if isinstance(eq, str):
            others = "families that hold rotor rates of their own belong to the open one"
            self._target = Target.of_family(self.loop, eq, others)
            return
        if not isinstance(eq, Equilibrium):
            x = finite_array("eq", eq)
            if x.size == self.loop.nstates:
                self._target = Target(state=x)
                return
            eq = resolve_equilibrium(matching.mechanism.reduce(), x, None)
        # One gain is judged at a time, and a proof at the point says more than the family's conditions.
        self._target = Target.of_equilibrium(self.loop, eq, matching.mechanism, self.gains, point=True)

    @cached_property
    def loop(self) -> ReducedSystem:
        """The reduced loop with the gain as a parameter without a value."""
        return self.matching.law(**self.matching.gains).closed_loop()

    # -- one gain -------------------------------------------------------------------------------

    def contains(
        self, sigma: Any = None, params: Mapping[str, float] | None = None, **entries: Any
    ) -> bool | None:
        """Whether a gain is admissible.

        Parameters
        ----------
        sigma : number, or s x s matrix
        params : dict, optional
            Numbers for parameters, and for the family's symbols where only its name was given.
        **entries : numbers
            Those of sigma by name, instead of the matrix.

        Returns
        -------
        bool or None
            For a point the verdict of `geoctrl.certify`; for a family that of its conditions at the default
            parameters, None where they depend on family symbols without a number or decide nothing.

        Raises
        ------
        MatchingError
            If sigma is zero, not finite or of the wrong shape.
        ParameterError
            For an unknown name in ``params``.
        """
        matrix = read_sigma(matrix_of_sigma(self.matching.sigma, sigma, entries), self.matching.mechanism)
        gains = {s.name: float(v) for s, v in zip(self.matching.sigma, matrix, strict=True)}
        return self._admits(gains, params)

    # -- the set --------------------------------------------------------------------------------

    @cached_property
    def condition(self) -> Boolean | None:
        """The admissible set as a condition, solved for the gain where there is one rotor.

        None where none of reasonable size is written in symbols: `contains` decides at numbers.
        """
        if self.family:
            return super().condition
        if self.bounds is None:
            return sp.S.false
        (symbol,) = self.gains.values()
        return sp.And(self.bounds[0] < symbol, symbol < self.bounds[1])

    def _solution(self) -> Boolean:
        if len(self.gains) == 1:
            (name,) = self.gains
            return self.conditions.solve_for(name, budget=self.budget)
        return sp.And(*self.conditions.stable)

    @cached_property
    def bounds(self) -> tuple[Any, Any] | None:
        """Ends of the admissible interval of one gain: symbolic for a family, numbers for a point.

        None where no gain is admissible or the set is not an interval with ends in closed form.
        """
        if len(self.gains) != 1:
            return None
        if not self.family:
            return self._scan()
        (symbol,) = self._symbols.values()
        lower, upper = -sp.oo, sp.oo
        for relation in [] if self.condition is None else sp.And.make_args(self.condition):
            if not relation.has(symbol):
                continue
            if not isinstance(relation, (sp.Gt, sp.Lt)) or symbol not in relation.args:
                return None
            if relation.gts == symbol:
                lower = relation.lts if lower == -sp.oo else sp.Max(lower, relation.lts)
            else:
                upper = relation.gts if upper == sp.oo else sp.Min(upper, relation.gts)
        return None if (lower, upper) == (-sp.oo, sp.oo) else (lower, upper)

    def _gains_exist(self) -> bool | None:
        if not self.family:
            if len(self.gains) != 1:
                raise GeoctrlError(
                    "gains of several rotors are not searched at a single point; take a declared family, or "
                    "test a gain with contains(sigma)"
                )
            return self.bounds is not None
        if self.condition is None:
            return None
        condition, first = self.condition.subs(self._numbers({})), next(iter(self._symbols.values()))
        if condition in (sp.S.true, sp.S.false) or condition.free_symbols != {first}:
            return condition != sp.S.false  # with family symbols or several gains left it depends on them
        found = Budget(self.budget).attempt("the set of gains", condition.as_set, None)
        return None if found is None else found != sp.S.EmptySet

    def _why(self) -> str:
        if self.feasible is None:
            return f"not decided in symbols: {self.note or self.conditions.reason or 'no time for the set'}"
        if not self.family:
            return "no gain tried makes the restricted Hessian definite"
        gains = set(self.gains)
        for k, c in enumerate(self.conditions.characteristic_polynomial):
            if (
                self._always_unstable
                and c != 0
                and not {s.name for s in c.free_symbols} & gains
                and is_negative(c)
            ):
                power = len(self.conditions.characteristic_polynomial) - 1 - k
                return (
                    "an unstable mode is out of the rotors' reach: for every gain the coefficient "
                    f"{c} of x^{power} in the characteristic polynomial is negative, and no gain enters it"
                    f"{self._signs()}"
                )
        return f"{self.conditions.reason or 'the conditions contradict each other'}{self._signs()}"

    def _signs(self) -> str:
        """Signs of the energy's second derivatives in the states that the gain does not enter."""
        graph, nodes = self.loop.graph, self.loop.state_nodes
        hessian = graph.jacobian(graph.gradient(self.loop.assembly.energy, nodes), nodes)
        family = self.loop.families[self.family]
        point = {
            s: family.states.get(label, 0)
            for label, s in zip(self.loop.state_labels, self.loop.states, strict=True)
        }
        found = []
        for i, label in enumerate(self.loop.state_labels):
            (entry,) = self.loop.to_sympy([hessian[i][i]])
            entry = factorisation(entry.subs(point))
            if (
                entry != 0
                and not {s.name for s in entry.free_symbols} & set(self.gains)
                and known_sign(entry)
            ):
                found.append(f"{label}: {'+' if known_sign(entry) == 1 else '-'}({entry})")
        return f"; kinetic energy that no gain changes, {', '.join(found)}" if found else ""

    def _scan(self) -> tuple[float, float] | None:
        """Interval around the first admissible gain found, its ends bisected to 1e-12 relative."""
        if len(self.gains) != 1 or not self._target.is_point:
            return None
        unit = abs(float(sp.Matrix(self.matching.rotors.inertia).subs(self._plant_numbers())[0, 0]))
        grid = np.sort(np.concatenate([-_SCAN, _SCAN])) * unit

        (name,), refused = self.gains, []

        def good(sigma: float) -> bool:
            try:
                return bool(self._admits({name: float(sigma)}, None))
            except EquilibriumError as error:
                refused.append(error)
                return False
            except GeoctrlError:
                return False

        hits = [i for i, sigma in enumerate(grid) if good(sigma)]
        if len(refused) == len(grid):
            raise refused[0]
        if not hits:
            return None
        first = last = hits[0]
        while last + 1 in hits:
            last += 1
        ends = []
        for inside, outside in ((first, first - 1), (last, last + 1)):
            if not 0 <= outside < len(grid):
                ends.append(float(np.inf if outside > 0 else -np.inf))
                continue
            a, b = grid[inside], grid[outside]
            if a * b < 0:
                ends.append(0.0)
                continue
            while abs(b - a) > 1e-12 * abs(a):
                middle = 0.5 * (a + b)
                a, b = (middle, b) if good(middle) else (a, middle)
            ends.append(float(a))
        return ends[0], ends[1]

    @long_call
    def recommend(
        self,
        limits: Mapping[str, float] | None = None,
        speeds: Mapping[str, float] | None = None,
        rate: float = 100.0,
        tilt: float | None = None,
        starts: Any = None,
        *,
        start: Mapping[str, float] | None = None,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> RecommendedGains:
        r"""Gain, damping and regulation with which the motor of one rotor holds the plant from given starts.

        Of a grid of admissible gains those with the least :math:`\max(|u|/u_{\max}, |\dot\theta| /
        \dot\theta_{\max})` in linear held runs that die down, the worst of the starts, are held with the
        equations of motion from every start, and the first that keeps the limits there is returned. It is
        stable to first order with a hold four times as long as well.

        Parameters
        ----------
        limits, speeds : dict of label -> positive number, optional
            Largest torque (N m) and rotor rate (rad/s), at least one of them; a torque-speed line is a
            `TorqueSpeed`, and the peak of the torque that of u + (T0/w0) w then.
        rate : float
            Commands a second.
        tilt : float, optional
            Starts at rest beside the equilibrium, moved along the leaf by that to both sides (rad), where the
            configuration has one direction to move in.
        starts : (S, n), optional
            States of the plant, further ones or instead.
        start : dict of state -> number, optional
            A deviation from the equilibrium, one more of them.
        progress, seconds
            As of `certify`.

        Returns
        -------
        RecommendedGains
            A mapping {"sigma", "k", "kappa"} with the law, its peaks, and what any law asks.

        Raises
        ------
        MatchingError
            If no law can do it, no gain is admissible, or none keeps the limits: the message says which limit
            stands against it. For several rotors, whose gains are not searched.
        InputError, LabelError
            For limits that are not positive or not of this rotor, a rate that is not positive, no start, or
            an equilibrium that is the name of a family alone.

        Examples
        --------
        >>> import geoctrl as gc
        >>> mech = gc.models.get("pendulum-skate-rotor")()
        >>> design = gc.match(mech).design(mech.equilibrium("sliding", Y0=1.0))
        >>> found = design.recommend(limits={"u_theta": 8}, speeds={"theta_dot": 360}, rate=100, tilt=0.1)
        >>> found.peaks["u_theta"] < 8, found.peaks["theta_dot"] < 360
        (True, True)
        >>> design.contains(found["sigma"])
        True
        """
        rotors = self.matching.rotors
        if rotors.count != 1:
            raise MatchingError(
                f"gains for a motor are searched for one rotor, and here are {rotors.count}: sigma is a "
                "matrix. Choose it with contains(sigma), and see what it asks by runs of law.sampled(...)"
            )
        plant = self.matching.mechanism.reduce()
        motor = MotorBounds.read(limits, speeds, rate, rotors)
        point = self._member(plant)
        away = states_beside(plant, point.x, point.params, tilt, starts, start)
        if not len(away):
            raise InputError(
                "from where? Give tilt=, in rad, start=, deviations by state, or starts=, states of the plant"
            )
        if not self.feasible:
            raise MatchingError(f"no gain is admissible here: {self.reason}", key="no-gains")
        return motor_gains(self.matching, point, self._sigmas(), motor, away)

    def _member(self, plant: ReducedSystem) -> Equilibrium:
        """The equilibrium as one of the plant."""
        if isinstance(self._given, str):
            family = plant.families.get(self._given)
            if family is None or family.names:
                raise InputError(
                    f"a family is no point: take a member, design(mech.equilibrium({self._given!r}, ...))"
                )
            return plant.equilibrium(self._given)
        if isinstance(self._given, Equilibrium) and self._given.labels == plant.state_labels:
            return resolve_equilibrium(plant, self._given, None)
        x = np.zeros(plant.nstates)
        x[[plant.state_labels.index(label) for label in self.loop.state_labels]] = self._target.state
        return resolve_equilibrium(plant, x, self._target.params or None)

    def _sigmas(self) -> list[float]:
        """Admissible gains of one rotor, over their interval where it is one."""
        unit = abs(float(sp.Matrix(self.matching.rotors.inertia).subs(self._plant_numbers())[0, 0]))
        bounds = self.bounds
        if bounds is not None:
            numbers = self._numbers({}) if self.family else {}
            ends = [float(e.subs(numbers) if self.family else e) for e in bounds]
            if np.isfinite(ends).any():
                return spread(ends[0], ends[1], unit).tolist()
        tried = np.concatenate([-_SCAN[::-1], _SCAN]) * unit
        return [float(sigma) for sigma in tried if self.contains(float(sigma))]

    def _plant_numbers(self) -> dict[sp.Symbol, float | None]:
        parameters = self.matching.mechanism.parameters
        values = {**self.matching.mechanism.defaults, **self._target.params}
        return {p.symbol: values[p.name] for p in parameters}

    def _lines(self) -> list[str]:
        where = repr(self.family) if self.family else "the point"
        if not self.feasible:
            found = "none" if self.feasible is False else "open"
            return [f"<SigmaDesign for {where}: {found}; {self.reason}>"]
        return [f"<SigmaDesign for {where}: {expression_text(self.condition)}>"]

    full = full_text
    __repr__ = short_form
