"""Laws along motions that repeat, each held for a while: what is proved of their loops, and changed files.

Plants are of second order, with one or two degrees of freedom, the first an angle; inertia, potential and
friction are drawn, and inputs hold by hold, under which a motion that closes is found here. `lqr` finds
gains, of which some are scaled, taken out or turned over. What is proved is judged by rates that are written
out here, with the stored doubles of the law, run for a period. Of a file some number is another one: what is
confirmed is judged by its own equations and laws, run in the same way.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from tests.attack.draw.dice import Dice
from tests.attack.oracle.held_cycles import (
    HeldLaws,
    box_of_file,
    cycle_falsehood,
    laws_of_file,
    multipliers_at_odds,
)
from tests.attack.oracle.tables import NotJudgedError
from tests.attack.outcome import Outcome, raw, worded

STREAM, BITS = 271829, 72
MOST = 3
"""Holds of a period."""
SCALES = tuple(map(Fraction, ("0", "-1", "1001/1000", "999/1000", "1/2", "2", "1099511627777/1099511627776")))
FILES = 4
"""Genuine files, of which numbers are changed; as many cases in ten are about them."""


@dataclass(frozen=True)
class Plant:
    r"""A plant of unit :math:`s` of force: :math:`M(q) \ddot q + c(q, \dot q) = s^{-1} (Q + B u)`.

    With one degree :math:`M = m (1 + a \cos q)`; with two M is constant, of the entries m, m a/2, m.
    """

    degrees: int
    m: float
    a: float
    springs: tuple[float, float, float]
    damping: tuple[float, float]
    reach: tuple[tuple[float, ...], ...]

    def system(self) -> Any:
        """As geoctrl has it."""
        q = [gc.Coordinate(f"q{i}", angle=i == 0) for i in range(self.degrees)]
        u = sp.symbols(f"u0:{len(self.reach)}", real=True)
        return gc.EulerPoincare(
            shape=q,
            inertia=self.inertia([c.symbol for c in q], sp.cos),
            potential=self._potential([c.symbol for c in q], sp.cos),
            forces=[
                -self.damping[0] * c.rate - self.damping[1] * c.rate**3
                + sum(row[i] * v for row, v in zip(self.reach, u, strict=True))
                for i, c in enumerate(q)
            ],
            inputs=list(u),
            name="drawn",
        ).reduce()  # fmt: skip

    def inertia(self, q: Any, cos: Any) -> list[list[Any]]:
        """M at places."""
        if self.degrees == 1:
            return [[self.m * (1 + self.a * cos(q[0]))]]
        return [[self.m, self.m * self.a / 2], [self.m * self.a / 2, self.m]]

    def _potential(self, q: Any, cos: Any) -> Any:
        k, hard, between = self.springs
        pull = k * cos(q[0]) + sum(hard * x**2 / 2 + hard * x**4 / 4 for x in q[1:])
        return pull + (between * (sp.sin(q[0]) * q[1]) if len(q) > 1 else 0)

    def rates(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Of the states (rates, places), by hand."""
        n = self.degrees
        w, q = x[:n], x[n:]
        k, hard, between = self.springs
        slope = np.array([-k * np.sin(q[0]), *(hard * (y + y**3) for y in q[1:])])
        if n == 2:
            slope += between * np.array([np.cos(q[0]) * q[1], np.sin(q[0])])
        force = -slope - self.damping[0] * w - self.damping[1] * w**3 + np.array(self.reach).T @ u
        if n == 1:
            force = force + self.m * self.a * np.sin(q) * w**2 / 2
        M = np.array([[float(c) for c in row] for row in self.inertia(q, np.cos)])
        return np.concatenate([np.linalg.solve(M, force), w])


def drawn_plant(dice: Dice) -> Plant:
    degrees = 1 if dice.chance(0.8) else 2
    scale = float(dice.pick([1, 1, 1, 1024, Fraction(1, 512)]))
    reach = [
        [scale * float(dice.pick([1, 1, -1, 2])) * (i == j) for j in range(degrees)] for i in range(degrees)
    ]
    if degrees == 2 and dice.chance(0.3):
        reach = reach[:1]
    return Plant(
        degrees,
        scale * float(dice.positive()),
        float(dice.pick([0, Fraction(1, 2), Fraction(-3, 4)])),
        (scale * float(dice.small(0)) * 3, scale * float(dice.small(0)), scale * float(dice.small()) / 2),
        (scale * float(dice.small()) / 4, scale * float(dice.pick([0, 0, Fraction(1, 16)]))),
        tuple(map(tuple, reach)),
    )


def motion(plant: Plant, dice: Dice, holds: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, states and inputs of a motion that closes, found by own runs: inputs go up and down about those
    that hold a place.
    """
    n, m = plant.degrees, len(plant.reach)
    period = holds * float(dice.pick([Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)]))
    place = dice.rng.uniform(-1.5, 1.5, n) if m == n else np.zeros(n)
    rest = np.concatenate([np.zeros(n), place])
    asked = np.linalg.lstsq(np.array(plant.reach).T, -_force(plant, rest), rcond=None)[0]
    swing = dice.rng.uniform(-3, 3, (holds, m))
    size = plant.m / np.max(np.abs(plant.reach))
    inputs = asked + size * (swing - swing.mean(axis=0) + dice.rng.uniform(-0.1, 0.1, m))
    still = HeldLaws(
        plant.rates,
        period / holds,
        inputs,
        np.zeros((holds, m, 2 * n)),
        np.zeros((holds, 2 * n)),
        np.ones(2 * n),
    )
    return np.linspace(0, period, holds + 1), still.samples(still.closed(rest)[0]).T, inputs.T


def _force(plant: Plant, rest: np.ndarray) -> np.ndarray:
    """What acts at rest without inputs."""
    n = plant.degrees
    M = np.array([[float(c) for c in row] for row in plant.inertia(rest[n:], np.cos)])
    return M @ plant.rates(rest, np.zeros(len(plant.reach)))[:n]


def drawn_law(dice: Dice) -> tuple[Plant, Any]:
    """A plant, and a law along one of its motions with gains that may be wrong."""
    plant, holds = drawn_plant(dice), int(dice.rng.integers(2, MOST + 1))
    given = motion(plant, dice, holds)
    weight = 10.0 ** float(dice.rng.integers(-2, 3)) / plant.m**2
    law = gc.lqr(plant.system(), given, R=weight, holds=holds)
    factor = dice.rng.choice([1, 1, 1, 1, 0.5, 1.5, 0, -1], size=(len(law.gains), 1, 1))
    return plant, law.with_gains(law.gains * factor)


def own_laws(plant: Plant, law: Any) -> HeldLaws:
    return HeldLaws(plant.rates, law.hold, law.inputs, law.gains, law.states, law.sizes)


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 10000


def case(seed: int, index: int, options: dict[str, Any] | None = None) -> Outcome:
    """Six of ten are loops, four changed files."""
    del options
    dice, begun = Dice(seed + STREAM, index), time.process_time()
    kind, asked = ("changed files", forged) if index % 10 < FILES else ("loops", proved_loop)
    try:
        outcome = asked(dice)
    except NotJudgedError as words:
        outcome = Outcome(kind, "unjudged", str(words))
    except gc.GeoctrlError as refusal:
        outcome = Outcome(kind, "refused", str(refusal)[:300]) if worded(refusal) else raw(kind, refusal)
    except Exception as error:
        outcome = raw(kind, error)
    outcome.kind, outcome.seconds = kind, time.process_time() - begun
    return outcome


def proved_loop(dice: Dice) -> Outcome:
    """A law, its multipliers in floats, and what is proved of its loop."""
    plant, law = drawn_law(dice)
    laws, radius = own_laws(plant, law), float(np.max(np.abs(law.multipliers)))
    fault = multipliers_at_odds(laws, law.cycle[0], law.multipliers)
    if fault:
        return Outcome("", "contradiction", f"{plant} -> {fault}")
    found = law.enclose(BITS)
    verdict, theorem = found.verdict.value, found.data["theorem"]
    for told in (laws, laws_of_file(found.data["problem"], theorem)):
        fault = fault or cycle_falsehood(told, verdict, *box_of_file(theorem))
    note = f"{plant} -> {verdict}, {radius:.4g}{'; ' if fault else ''}{fault}"
    return Outcome("", "contradiction" if fault else "proved", note)


@cache
def genuine(k: int) -> dict[str, Any]:
    """The file of a loop."""
    index = 0
    for _ in range(k + 1):
        while True:
            index += 1
            try:
                found = drawn_law(Dice(STREAM, index))[1].enclose(BITS)
            except gc.GeoctrlError:
                continue
            break
    return found.data


def _places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Of numbers, whole ones and those in texts."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places(part, (*path, key))
    if isinstance(value, (int, str)) and path and str(value).lstrip("-")[:1].isdigit():
        yield path


def forged(dice: Dice) -> Outcome:
    """A number of a file changed, of its theorem or its equations: what is confirmed has to be true."""
    data = copy.deepcopy(genuine(int(dice.rng.integers(FILES))))
    part = dice.pick(["theorem", "theorem", "problem"])
    paths = [path for path in _places(data[part]) if "steps" not in path or dice.chance(0.02)]
    *way, last = dice.pick(paths)
    holder, scale = data[part], dice.pick(SCALES)
    for key in way:
        holder = holder[key]
    old = holder[last]
    new = Fraction(old) * scale + (scale == 0 and Fraction(old) == 0)
    holder[last] = int(new) if isinstance(old, int) else str(new)
    told = {"change": f"{(part, *way, last)} times {scale}"}
    try:
        found = checker.prove(data)
    except checker.Refusal as refusal:
        return Outcome("", "refused", str(refusal)[:100], detail=told)
    laws, kept = laws_of_file(data["problem"], data["theorem"]), len(data["theorem"]["rows"])
    fault = cycle_falsehood(laws, found.verdict, *box_of_file(data["theorem"]), kept)
    return Outcome("", "contradiction" if fault else "held", fault, detail=told)
