"""Proved sets of drawn fields on a sphere, beside a further state and a level that is held: runs, and changed
files.

A direction falls down the slope of a potential and turns about the place where that is least; a further state
decays and moves the direction, another one is frozen. Sets are those by slopes on the leaf; starts at their
edges are run by equations of their own.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.outcome import Outcome, refusal
from tests.attack.parts import sets
from tests.attack.parts.higher_sets import DrawnField

STREAM = 440131
"""Of its own."""
SECONDS = 2.0
"""For a search: what is proved when they are over is judged."""
FURTHER = [(2, 0), (2, 1), (2, 2), (2, 3)]
"""How often how many states stand beside the direction: none, one that decays, and a frozen one; or one that
rests wherever it has come to.
"""


class DrawnOnSphere(DrawnField):
    """Rates of a direction and of further states, at rest at a rational point.

    Attributes
    ----------
    place : the point
    symbols : states with which there are other points of rest
    """

    def __init__(
        self,
        kind: str,
        states: list[sp.Symbol],
        field: list[sp.Expr],
        place: list[sp.Expr],
        symbols: tuple[int, ...] = (),
    ) -> None:
        super().__init__(kind, states, field)
        self.place, self.symbols = place, symbols
        self.cyclic = 1 + (len(states) == 5) + len(symbols)

    @cached_property
    def point(self) -> np.ndarray:
        return np.array(self.place, dtype=float)

    def on_level(self, x: np.ndarray) -> np.ndarray:
        """The state with the direction's length one, and at the level of what is frozen."""
        moved = np.array(x, dtype=float)
        moved[:3] /= np.linalg.norm(moved[:3])
        moved[4:] = self.point[4:]
        return moved

    def system(self) -> gc.ReducedSystem:
        family = {str(s): v for s, v in zip(self.states, self.place, strict=True)}
        return gc.VectorField(
            self.states,
            self.field,
            leaf=[sum(s**2 for s in self.states[:3]) - 1],
            invariants=dict(zip(["level"], self.states[4:], strict=False)),
            equilibria={"rest": gc.Family(family)},
            name="drawn",
        ).reduce()


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + STREAM, index)
    drawn = draw(dice)
    begun = time.process_time()
    try:
        system = drawn.system()
        seconds = SECONDS * (4 if drawn.symbols else 1)
        found = gc.region_of_attraction(system, system.equilibrium("rest"), by="slopes", seconds=seconds)
        outcome = sets.judge(drawn, found, dice)
    except Exception as error:
        outcome = refusal("", error)
    outcome.kind, outcome.seconds = drawn.kind, time.process_time() - begun
    outcome.detail |= {"rates": [str(f) for f in drawn.field], "point": [str(v) for v in drawn.place]}
    return outcome


def draw(dice: Dice) -> DrawnOnSphere:
    """x' = x (x . U') - U' + (c e + y a + w b) x x on the sphere, y' = -k y + ..., w' = 0."""
    s, t = _number(dice), _number(dice)
    size = 1 + s * s + t * t
    e = sp.Matrix([2 * s, 2 * t, 1 - s * s - t * t]) / size
    x = sp.Matrix(sp.symbols("x1 x2 x3", real=True))
    bent = sp.Matrix(3, 3, lambda i, j: 0)
    for i in range(3):
        for j in range(i + 1):
            bent[i, j] = bent[j, i] = _number(dice) / 4
    slope = -(abs(_number(dice)) + sp.Rational(1, 2)) * e + bent * (x - e)
    rates = list(-(slope * x.dot(x) - x * x.dot(slope)) + _number(dice) * e.cross(x))
    states, place = list(x), list(e)
    further: int = dice.weighted(FURTHER)
    if further == 3:
        return _beside_a_family(dice, x, e, rates)
    if further:
        y = sp.Symbol("y", real=True)
        push, axis = (sp.Matrix([_number(dice) for _ in range(3)]) for _ in range(2))
        rates = [rate + y * turn / 2 for rate, turn in zip(rates, axis.cross(x), strict=True)]
        decay = abs(_number(dice)) + sp.Rational(1, 2)
        rates.append(-decay * y + push.dot(x - e) + _number(dice) * y * (x[0] - e[0]))
        states, place = [*states, y], [*place, sp.Integer(0)]
    if further == 2:
        w = sp.Symbol("w", real=True)
        axis = sp.Matrix([_number(dice) for _ in range(3)]).cross(x)
        rates = [*(rate + w * turn for rate, turn in zip(rates, axis, strict=False)), rates[3], sp.Integer(0)]
        states, place = [*states, w], [*place, sp.Integer(0)]
    kind = ("direction", "direction and a state", "direction, a state and a level")[further]
    return DrawnOnSphere(kind, states, rates, place)


def _beside_a_family(dice: Dice, x: sp.Matrix, e: sp.Matrix, rates: list[sp.Expr]) -> DrawnOnSphere:
    """The same faster or slower by a state s, s' = (x - e) . (a + b s): all (e, s) rest."""
    s = sp.Symbol("s", real=True)
    speed = 1 + _number(dice) * s / 2 + s**2 / 4
    a, b = (sp.Matrix([_number(dice) for _ in range(3)]) for _ in range(2))
    field = [*(rate * speed for rate in rates), (x - e).dot(a + b * s)]
    return DrawnOnSphere("beside a family", [*x, s], field, [*e, sp.Integer(0)], (3,))


def _number(dice: Dice) -> sp.Rational:
    q = dice.small()
    return sp.Rational(q.numerator, q.denominator)
