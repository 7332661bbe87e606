r"""Two laws in turn: one brings motions near, another catches them in a set about its equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, quantity
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Program, shown
from geoctrl.errors import InputError, LabelError
from geoctrl.sampling.controller import Controls
from geoctrl.sampling.feedback import Feedback

__all__ = ["Switching", "switching"]

CAUGHT = "caught"
"""Label of the state of a sampled controller that keeps the second law."""


class Switching(Controls):
    r"""A law up to the first state in a set :math:`V \le c\,(1 - m)`, and another from there on.

    Made by `switching`. Called as ``law(t, x)`` it keeps the second one once it has begun: `mode` says which
    is at work, `reset` begins anew. Angles are taken modulo :math:`2\pi`, next to the set's point. Sampled it
    has one state of its own, ``caught``. A run with it as its controller is that of
    :math:`u = u_2(x)` where V is at or below the level and :math:`u_1(x)` elsewhere: the same, as long as
    motions under the second law stay in the set, which is what is proved of it.

    Attributes
    ----------
    swing_up, catch : law
    region : AttractedSet
    margin : float
        m.
    angles : tuple of str
        Labels of the states that are taken modulo whole turns.
    mode : str
        "swing-up" or "catch", as of the last call.
    """

    swing_up: Any
    catch: Any

    def __init__(self, swing_up: Controls, catch: Controls, region: Any, margin: float) -> None:
        self.swing_up, self.catch, self.region, self.margin = swing_up, catch, region, margin
        shape = getattr(getattr(catch, "mechanism", None), "shape", ())
        self.angles = tuple(q.name for q in shape if q.angle and q.name in region.point)
        self.pace, self._caught = catch.pace, False

    @property
    def mode(self) -> str:
        """Which of the laws is at work."""
        return "catch" if self._caught else "swing-up"

    def reset(self) -> None:
        """Begin with the first law again."""
        self._caught = False

    @property
    def labels(self) -> tuple[str, ...]:
        """States, in the order in which a call takes them."""
        return tuple(self.region.point)

    @property
    def entry(self) -> float:
        """The value of V at which the second law takes over."""
        return self.region.level * (1 - self.margin)

    @cached_property
    def _nearest(self) -> dict[sp.Symbol, sp.Expr]:
        """Angles by what they are next to the point."""
        found = {}
        for label in self.angles:
            symbol, point = sp.Symbol(label, real=True), sp.Float(self.region.point[label])
            away = symbol - point if self.region.point[label] else symbol
            found[symbol] = (point if self.region.point[label] else 0) + sp.atan2(sp.sin(away), sp.cos(away))
        return found

    @cached_property
    def function(self) -> sp.Expr:
        """V in the states, coefficients as doubles."""
        P = self.region.matrix
        at = {sp.Symbol(k, real=True): sp.Float(v) if v else 0 for k, v in self.region.point.items()}
        y = [e.xreplace(self._nearest) - e.subs(at) for e in self.region.expressions]
        terms = (
            P[i, j] * (1 if i == j else 2) * y[i] * y[j]
            for i in range(len(y))
            for j in range(i, len(y))
            if P[i, j]
        )
        return sp.Add(*terms)

    def _laws(self, params: Mapping[str, float] | None) -> tuple[dict[str, sp.Expr], dict[str, sp.Expr]]:
        """Both laws by input, with numbers."""
        laws = []
        for law, name in ((self.swing_up, "swing_up"), (self.catch, "catch")):
            found = law.feedback(params)
            if found.own or found.sensors:
                raise InputError(f"{name} has states of its own, or sensors: none are switched between")
            laws.append({**found.terms, **found.computed})
        first, second = laws
        return first, {k: second[k].xreplace(self._nearest) for k in first}

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law with numbers, without memory: u_2 where V is at or below the level of entry."""
        return self._feedback(params, self.entry - self.function, {})

    def held_feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law as a computer runs it, which keeps the second one from the first sample in the set on."""
        kept = sp.Symbol(CAUGHT, real=True) - sp.Rational(1, 2)
        within = sp.Max(kept, self.entry - self.function)
        caught = sp.Piecewise((sp.Integer(1), within >= 0), (sp.Integer(0), True))
        return self._feedback(params, within, {CAUGHT: caught})

    def _feedback(
        self, params: Mapping[str, float] | None, within: sp.Expr, steps: Mapping[str, sp.Expr]
    ) -> Feedback:
        """u_2 where an expression is not negative, u_1 elsewhere."""
        first, second = self._laws(params)
        terms = {k: sp.Piecewise((second[k], within >= 0), (first[k], True)) for k in first}
        return Feedback(terms, steps=steps, rest=self.catch.feedback(params).rest)

    @cached_property
    def _programs(self) -> tuple[tuple[Program, list[int]], ...]:
        """Both laws and V, with the places of the states that they take."""
        first, second = self._laws(None)
        parts: tuple[dict[str, sp.Expr], ...] = (first, second, {"V": self.function})
        made = [Feedback(part) for part in parts]
        read = [law.measured_labels(self.labels) for law in made]
        return tuple(
            (law.law(used), [self.labels.index(k) for k in used])
            for law, used in zip(made, read, strict=True)
        )

    def _value_of(self, k: int, state: np.ndarray) -> np.ndarray:
        program, places = self._programs[k]
        return np.asarray(program(state[places], {}), dtype=float)

    def value(self, x: Any) -> float:
        """V at a state (n,)."""
        return float(self._value_of(2, self._state(x))[0])

    def __call__(self, _t: float, x: Any, _params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inputs (m,) at a state (n,), in the order of `labels`; the set is kept once it was entered.

        Raises
        ------
        InputError
            If ``x`` has another shape, or is not finite.
        """
        state = self._state(x)
        self._caught = self._caught or bool(self._value_of(2, state)[0] <= self.entry)
        return self._value_of(int(self._caught), state)

    def _state(self, x: Any) -> np.ndarray:
        return finite_array("x", x, (len(self.labels),))

    def __getstate__(self) -> dict[str, Any]:
        kept = ("swing_up", "catch", "region", "margin", "angles", "pace", "_caught")
        return {k: self.__dict__[k] for k in kept}

    def _lines(self) -> list[str]:
        turns = f", {', '.join(self.angles)} modulo 2 pi" if self.angles else ""
        return [f"<Switching of {self.region.system}: catch where V <= {self.entry:g}{turns}; {self.mode}>"]

    full = full_text
    __repr__ = short_form


def switching(swing_up: Controls, catch: Controls, region: Any, margin: float = 0.0) -> Switching:
    r"""One law up to the first state in a set, and another from there on.

    Parameters
    ----------
    swing_up : law
        As of `energy_law`.
    catch : law
        As of `lqr`, about the equilibrium of the set.
    region : AttractedSet
        As `region_of_attraction` proves it by squares or slopes for the loop that ``catch`` closes.
    margin : float
        m of :math:`V \le c\,(1 - m)`, from zero to less than one: how far inside the set the second law
        takes over.

    Returns
    -------
    Switching

    Raises
    ------
    TypeError
        For anything else than two laws and a set with a quadratic function.
    InputError
        For a margin out of range, a set that is measured from an angle that is no rational number, laws with
        states of their own.
    LabelError
        If the laws do not set the same inputs, or the set has other states than the law that catches.

    Examples
    --------
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    >>> rod = gc.EulerPoincare(
    ...     shape=[q], inertia=[[1]], potential=sp.cos(q.symbol), forces=[u], inputs=["u"]
    ... ).reduce()
    >>> soft = gc.linear_law(rod, rod.state(), {"u": {"q": 1.5, "q_dot": 1.0}})
    >>> firm = gc.linear_law(rod, rod.state(), {"u": {"q": 4.0, "q_dot": 3.0}})
    >>> loop = firm.closed_loop()
    >>> region = gc.region_of_attraction(loop, firm.equilibrium, by="slopes", limits={"u": 1.0})
    >>> sw = gc.switching(soft, firm, region)
    >>> sw.mode
    'swing-up'
    """
    for name, law in (("swing_up", swing_up), ("catch", catch)):
        if not isinstance(law, Controls):
            raise TypeError(f"{name} must be a law, as gc.energy_law or gc.lqr give it, got {shown(law)}")
    if not all(hasattr(region, k) for k in ("matrix", "expressions", "level", "point", "angles")):
        raise TypeError(
            "region must be a set of gc.region_of_attraction by squares or slopes, whose function is "
            f"quadratic, got {shown(region)}"
        )
    m = quantity("margin", margin)
    if not 0 <= m < 1:
        raise InputError(f"margin must be from 0 to less than 1, got {shown(margin)}")
    if region.angles:
        raise InputError(
            "the set is measured from an angle that is no rational number; describe the angle from the "
            "equilibrium, so that it is zero there"
        )
    found = Switching(swing_up, catch, region, m)
    first, second = (law.feedback() for law in (swing_up, catch))
    if {*first.inputs} != {*second.inputs}:
        raise LabelError(
            f"the laws set {', '.join(first.inputs)} and {', '.join(second.inputs)}: both must set "
            "the same inputs"
        )
    for terms in (first, second):
        terms.measured_labels(found.labels)
    found._laws(None)
    return found
