"""Proved sets of functions of degree four to eight, and of functions that are given: runs, and changed files.

Drawn are fields, and mechanisms of one degree. Starts at the edge of a set are run by equations of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_sets import Drawn, draw_set
from tests.attack.outcome import Outcome, refusal
from tests.attack.parts import sets

STREAM = 860117
"""Of its own."""
SECONDS = {4: 10.0, 6: 14.0, 8: 18.0}
"""For a search by its degree: what is proved when they are over is judged."""
FUNCTIONS = 8.0
"""The same where the function is given."""


class DrawnField:
    """x' = f(x), at rest at zero, as `sets` runs it.

    Attributes
    ----------
    kind : what it was made as
    field : rates in the states
    given : a function whose set is asked for, perhaps
    outputs, limits : what is asked to stay within bounds
    """

    cyclic = 0

    def __init__(self, kind: str, states: list[sp.Symbol], field: list[sp.Expr]) -> None:
        self.kind, self.states, self.field = kind, states, field
        self.rates, self.angles = states, []
        self.given: sp.Expr | None = None
        self.outputs: dict[str, sp.Expr] = {}
        self.limits: dict[str, float] = {}

    @property
    def point(self) -> np.ndarray:
        return np.zeros(len(self.states))

    @cached_property
    def _rates(self) -> Callable:
        return sp.lambdify([self.states], self.field, "math")

    def slope(self, _: float, x: np.ndarray) -> np.ndarray:
        """d/dt of a state."""
        try:
            return np.array(self._rates(x), dtype=float)
        except OverflowError:
            return np.full(len(x), np.inf)

    @cached_property
    def output_at(self) -> Callable:
        """Outputs at a state."""
        return sp.lambdify([self.states], [self.outputs[k] for k in self.limits], "math")

    def on_level(self, x: np.ndarray) -> np.ndarray:
        """The state: nothing is conserved."""
        return x

    def system(self) -> gc.ReducedSystem:
        """As a user would describe it."""
        return gc.VectorField(self.states, self.field, outputs=self.outputs, name="drawn").reduce()


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + STREAM, index)
    drawn, degree = draw(dice)
    begun = time.process_time()
    try:
        found = search(drawn, degree)
        seconds = time.process_time() - begun
        outcome = sets.judge(drawn, found, dice)
        outcome.detail |= {"monomials": len(found.monomials), "open": found.is_open}
    except Exception as error:
        outcome, seconds = refusal("", error), time.process_time() - begun
    outcome.kind, outcome.seconds = f"{drawn.kind}, {f'degree {degree}' if degree else 'given'}", seconds
    outcome.detail |= {"states": len(drawn.point), "limits": drawn.limits}
    return outcome


def search(drawn: Drawn | DrawnField, degree: int) -> Any:
    """The set by the degree of its function, or of the one that is given."""
    if isinstance(drawn, DrawnField):
        system = drawn.system()
        point: Any = [0] * len(drawn.states)
        given = drawn.given
    else:
        system = sets.mechanism(drawn).reduce()
        point, given = system.equilibrium("rest"), None
    if not degree:
        return gc.region_of_attraction(system, point, limits=drawn.limits, lyapunov=given, seconds=FUNCTIONS)
    return gc.region_of_attraction(system, point, limits=drawn.limits, degree=degree, seconds=SECONDS[degree])


# -- what is drawn ------------------------------------------------------------------------------------------


def draw(dice: Dice) -> tuple[Drawn | DrawnField, int]:
    """What is asked, and the degree of the function; 0 where one is given."""
    kind: Any = dice.weighted([(6, _decaying), (2, _without_linear_part), (3, None)])
    degree = dice.weighted([(4, 4), (3, 6), (2, 8)])
    if kind is None:
        return _mechanism(dice), degree
    found = kind(dice)
    if len(found.states) > 2:
        degree = 4
    if dice.chance(0.25):
        found.outputs = {"u": sum(_number(dice) * s for s in found.states) + found.states[-1]}
        found.limits = {"u": float(dice.positive()) / 2}
    if kind is _without_linear_part or dice.chance(0.15):  # nothing quadratic is found to begin with
        found.given, degree = _function(dice, found.states), 0
    return found, degree


def _mechanism(dice: Dice) -> Drawn:
    """One degree with friction: rates with sines and cosines, or polynomials."""
    while True:
        drawn = draw_set(dice)
        if len(drawn.rates) == 1 and drawn.kind != "conservative":
            return drawn


def _number(dice: Dice, zero: float = 0.3) -> sp.Rational:
    q = dice.small(zero)
    return sp.Rational(q.numerator, q.denominator)


def _positive(dice: Dice) -> sp.Rational:
    q = dice.positive()
    return sp.Rational(q.numerator, q.denominator)


def _monomials(states: list[sp.Symbol], degree: int) -> list[sp.Expr]:
    return [sp.Mul(*m) for m in combinations_with_replacement(states, degree)]


def _decaying(dice: Dice) -> DrawnField:
    """A linear part that decays, seen in other coordinates, with a few terms of second and third order."""
    states = list(sp.symbols("x y z", real=True))[: dice.weighted([(5, 2), (1, 3)])]
    n = len(states)
    A = sp.zeros(n, n)
    for i in range(n):
        A[i, i] = -_positive(dice)
    if dice.chance(0.6):  # two modes that turn
        w = _positive(dice)
        A[1, 1] = A[0, 0]
        A[0, 1], A[1, 0] = w, -w
    T = sp.eye(n)
    for _ in range(n):
        i, j = (int(k) for k in dice.rng.permutation(n)[:2])
        T[i, j] += _number(dice)
    if T.det() == 0:
        T = sp.eye(n)
    field = list(T * A * T.inv() * sp.Matrix(states))
    for i in range(n):
        for degree, share in ((2, 0.3), (3, 0.35)):
            for m in _monomials(states, degree):
                if dice.chance(share):
                    field[i] += _number(dice, 0) * m / 2
    unit = dice.pick([sp.Integer(1)] * 4 + [sp.Integer(10) ** int(dice.rng.integers(-6, 7))])
    scaled = dict(zip(states, (s / unit for s in states), strict=True))
    return DrawnField(f"field, {n} states", states, [sp.expand(unit * f.xreplace(scaled)) for f in field])


def _without_linear_part(dice: Dice) -> DrawnField:
    """Down the slope of a form of degree four, turned, with terms of higher degree of any sign."""
    x, y = states = list(sp.symbols("x y", real=True))
    form = _positive(dice) * x**4 + _positive(dice) * y**4 + abs(_number(dice)) * x**2 * y**2
    turn = _number(dice) * (x**2 + y**2)
    field = [-sp.diff(form, x) / 4 + turn * y, -sp.diff(form, y) / 4 - turn * x]
    for i in range(2):
        for m in _monomials(states, 5):
            if dice.chance(0.4):
                field[i] += _number(dice, 0) * m / 2
    return DrawnField("no linear part", states, [sp.expand(f) for f in field])


def _function(dice: Dice, states: list[sp.Symbol]) -> sp.Expr:
    """Of degree two or four, most of them positive."""
    V = sum(_positive(dice) * s**2 for s in states)
    if len(states) > 1:
        V += _number(dice) * states[0] * states[1] / 2
    if dice.chance(0.5):
        V += sum(_positive(dice) * s**4 for s in states) + _number(dice) * states[0] ** 3
    return sp.expand(V)
