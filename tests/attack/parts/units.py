"""Mechanisms of the catalogue and drawn ones in other units: every answer has to be the same."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import geoctrl as gc
from geoctrl.systems.contract.scales import shares
from tests.attack.build.building import build, order_of, parameters_of
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import draw
from tests.attack.draw.mechanism import Mechanism, Products, Spheres
from tests.attack.draw.rescaling import Units, factors, rescaled
from tests.attack.outcome import Outcome, refusal
from tests.attack.parts import units_more
from tests.attack.parts.judging_shape import outside

POWERS = [(0, 0, 0), (-6, 0, 0), (6, 0, 0), (0, -3, 0), (0, 3, 0), (0, 0, -3), (0, 0, 3), (0, 0, 6)]
"""By what powers of ten numbers of masses, lengths and times are multiplied; the first changes nothing."""
SYSTEMS = [Units(*(Fraction(10) ** k for k in powers)) for powers in POWERS]
BINARY = [Units(*(Fraction(1024) ** (k // 3) for k in powers)) for powers in POWERS]
"""About the same by powers of two, in which doubles stay the numbers that they are: for drawn systems."""
TRIED = 4
"""Of the other systems, in a case."""
CATALOGUE = 5
"""One of so many cases is a member of a family of the catalogue; of these every second one asks for the map,
the law's hold and its region, the others for what is asked of draws, and for runs."""
AWAY = 0.02
"""From equilibria that are looked for again, in sizes of the states."""
PAIRED, PLACED, GAINED = 1e-6, 1e-9, 1e-6
"""Differences that count: of eigenvalues over the linearisation, of rates where another system rests beside
their sizes, of gains over the largest. Draws are scaled ill, by up to twelve decades."""
BESIDE, ELSEWHERE = 1e-3, 10.0
"""Differences of equilibria that count in any direction, as along families and where the linearisation says
nothing; and how often as far as the guess a search goes astray by rounding."""


@dataclass
class Setting:
    """A point of a system in some units.

    Attributes
    ----------
    system, point, params : what `gc.certify` takes
    states, inputs : by what numbers of the description are multiplied
    time : likewise
    """

    system: Any
    point: Any
    params: Any
    states: np.ndarray
    inputs: np.ndarray
    time: float


@dataclass
class Told:
    """What geoctrl says, in the units of the description."""

    verdict: str = ""
    modes: tuple[str, ...] = ()
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0))
    found: np.ndarray | str = ""
    gains: np.ndarray | str = ""


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + 7919, index)
    picked = [int(k) + 1 for k in dice.rng.permutation(len(SYSTEMS) - 1)[:TRIED]]
    begun = time.process_time()
    kind = "catalogue"
    try:
        if index % CATALOGUE == 0:
            number = index // CATALOGUE
            member = members()[number % len(members())]
            kind = f"catalogue: {member[0]}"
            outcome = of_the_catalogue(member, [SYSTEMS[k] for k in picked], seed + index, number % 2 == 1)
        else:
            drawn = draw(seed, index)
            kind = drawn.kind
            outcome = of_a_draw(drawn, [BINARY[k] for k in picked], seed + index)
    except Exception as error:
        outcome = refusal(kind, error)
    outcome.kind, outcome.seconds = kind, time.process_time() - begun
    return outcome


def of_a_draw(drawn: Mechanism | Spheres | Products, others: list[Units], seed: int) -> Outcome:
    if isinstance(drawn, Mechanism) and outside(drawn):
        return Outcome("", "unjudged", "a point outside the domain")
    return compared(lambda units: redrawn(drawn, units), others, seed)


def of_the_catalogue(member: tuple[str, str], others: list[Units], seed: int, long: bool) -> Outcome:
    """Answers and runs of a member of the catalogue, or its map, its law's hold and region."""
    at = cache(lambda units: catalogued(*member, units))
    sizes = Frame.of(at(SYSTEMS[0])).sizes
    if not long:
        outcome, questions, wrong = compared(at, others, seed), units_more.asked_of_runs(sizes), []
    else:
        outcome, one = Outcome("", "held"), units_more.map_of(*member, SYSTEMS[0])
        questions = units_more.asked_of_laws(sizes) if at(SYSTEMS[0]).system.ninputs else []
        wrong = [f"{u}: {two} for {one}" for u in others if (two := units_more.map_of(*member, u)) != one]
    wrong += units_more.differences(questions, at, others)
    if not wrong:
        return outcome
    note = "; ".join(filter(None, [outcome.note, *wrong]))
    return Outcome("", "contradiction", note, detail=outcome.detail)


def compared(at: Callable[[Units], Setting], others: list[Units], seed: int) -> Outcome:
    """The answers in other units, held against those in the units of the description."""
    first = at(SYSTEMS[0])
    frame = Frame.of(first)
    said = asked(first, frame.sizes, seed)
    problems = []
    for units in others:
        wrong = differences(said, asked(at(units), frame.sizes, seed), frame)
        problems += [f"{units}: {w}" for w in wrong]
    result = "contradiction" if problems else "proved" if said.verdict.startswith("PROVED") else "held"
    return Outcome("", result, "; ".join(problems), detail={"verdict": said.verdict})


# -- what is asked ------------------------------------------------------------------------------------


@cache
def members() -> list[tuple[str, str]]:
    """Entries of the catalogue with their first two families."""
    return [
        (name, family)
        for name in gc.models.names("reduced")
        for family in list(gc.models.get(name)().equilibria)[:2]
    ]


def catalogued(name: str, family: str, units: Units) -> Setting:
    """A member of a family, with its symbols three quarters of their unit."""
    mechanism = gc.models.get(name)()
    moved, change = mechanism.in_units(units.mass, units.length, units.time)
    symbols = {s.name: 0.75 for s in mechanism.equilibria[family].symbols}
    system = moved.reduce()
    point = system.equilibrium(family, **change.member(family, **symbols))
    scale = [np.array([float(v) for v in table.values()]) for table in (change.states, change.inputs)]
    return Setting(system, point, None, *scale, float(units.time))


def redrawn(drawn: Mechanism | Spheres | Products, units: Units) -> Setting:
    """A draw in other units."""
    moved = rescaled(drawn, units)
    built, params = build(moved), parameters_of(moved)
    S = [float(v) for v in factors(drawn, units)]
    if isinstance(drawn, Mechanism):
        states = [S[i] for i in order_of(drawn, built)]
    else:
        labels = built.system.state_labels
        rate = 1 / float(units.time)
        lengths = [float(units.length) if label[0] in "xv" else 1.0 for label in labels]
        split = built.system.split
        states = [v * (rate if i >= split else 1.0) for i, v in enumerate(lengths)]
    torques = np.full(built.system.ninputs, float(units.energy))
    return Setting(built.system, built.place(params), params, np.array(states), torques, float(units.time))


@dataclass
class Frame:
    """What answers are compared in, in the units of the description.

    Attributes
    ----------
    setting : the system at the point
    x : the point
    sizes : of the states, one where there is none
    pace : size of the linearisation
    """

    setting: Setting
    x: np.ndarray
    sizes: np.ndarray
    pace: float

    @classmethod
    def of(cls, setting: Setting) -> Frame:
        x, u = state_of(setting)
        found = setting.system.scales(x, u, setting.params)
        sizes = np.where(found.state > 0, found.state, 1.0)
        pace = float(np.linalg.norm(found.A * found.column / found.column[:, None], 2))
        return cls(setting, x, sizes, pace)

    def apart(self, one: np.ndarray, two: np.ndarray) -> float:
        """Difference of equilibria, over what counts."""
        if self.astray(one) and self.astray(two):
            return 0.0
        far = float(np.max(np.abs((one - two) / self.sizes)))
        return max(self.moves(two) / PLACED, far / BESIDE)

    def astray(self, found: np.ndarray) -> bool:
        """Whether a search went far from the guess, where rounding says what it finds."""
        return bool(np.max(np.abs(found - self.x) / self.sizes) > ELSEWHERE * AWAY)

    def lost(self, one: np.ndarray | str, two: np.ndarray | str) -> bool:
        """Whether one search found nothing and the other something far away."""
        found = [v for v in (one, two) if not isinstance(v, str)]
        return len(found) == 1 and self.astray(found[0])

    def moves(self, x: np.ndarray) -> float:
        """The largest share that a rate or a relation has of its size: of a point of rest next to nothing."""
        system, params = self.setting.system, self.setting.params
        u = state_of(self.setting)[1]
        u, full = np.zeros(system.ninputs) if u is None else u, system.parameters_at(params)
        found = system.scales(x, u, params)
        rates = np.concatenate([system.seen_from().rate(x, u, full), system.leaf_residual(x, params)])
        return float(np.max(shares(rates, np.concatenate([found.field, found.leaf])), initial=0.0))


def state_of(setting: Setting) -> tuple[np.ndarray, Any]:
    point = setting.point
    return np.array(getattr(point, "x", point), dtype=float), getattr(point, "u", None)


def asked(setting: Setting, sizes: np.ndarray, seed: int) -> Told:
    """What geoctrl says of a point, all of it in the units of the description."""
    told = Told()
    system, params = setting.system, setting.params
    certificate = gc.certify(system, setting.point, params)
    told.verdict = f"{certificate.verdict.value} by {certificate.method}"
    linear = gc.linearize(system, setting.point, params)
    told.modes = tuple(linear.zero_modes)
    told.eigenvalues = linear.eigenvalues.astype(complex) * setting.time
    told.found = _or_words(lambda: found_again(setting, sizes, seed))
    if system.ninputs and isinstance(system, gc.ReducedSystem):
        told.gains = _or_words(lambda: gains(setting, sizes))
    return told


def found_again(setting: Setting, sizes: np.ndarray, seed: int) -> np.ndarray:
    x, u = state_of(setting)
    away = AWAY * sizes * np.random.default_rng(seed).normal(size=x.size)
    guess = x + away * setting.states
    if not isinstance(setting.system, gc.ReducedSystem):
        guess = _on_the_manifold(setting.system.product, guess)
    point = gc.find_equilibrium(setting.system, guess if u is None else (guess, u), params=setting.params)
    return point.x / setting.states


def _on_the_manifold(product: Any, x: np.ndarray) -> np.ndarray:
    z, w = product.parts(x)
    for s in product.stacks:
        z[s.rows], w[s.bodies] = s.factor.project(z[s.rows], w[s.bodies])
    return product.state(z, w)


def gains(setting: Setting, sizes: np.ndarray) -> np.ndarray:
    """Of the law by Bryson's weights: sizes of states, and one for inputs in the description's units."""
    Q = (sizes * setting.states) ** -2.0
    law = gc.lqr(setting.system, setting.point, Q, setting.inputs**-2.0, setting.params)
    return law.K * setting.states / setting.inputs[:, None] * sizes


def _names(mode: str) -> list[str]:
    """What a zero mode's name holds: the numbers of a momentum about another axis have a unit."""
    return re.findall(r"[^\W\d]\w*", mode)


def _or_words(ask: Callable[[], Any]) -> Any:
    """What is found, or the kind of refusal."""
    try:
        return ask()
    except gc.GeoctrlError as error:
        return type(error).__name__


# -- how answers differ -------------------------------------------------------------------------------


def differences(first: Told, other: Told, frame: Frame) -> list[str]:
    """What is not the same, in words."""
    found = []
    if first.verdict != other.verdict:
        found.append(f"{other.verdict} for {first.verdict}")
    if [*map(_names, first.modes)] != [*map(_names, other.modes)]:
        found.append(f"zero modes {other.modes} for {first.modes}")
    elif (apart := spectrum_apart(first.eigenvalues, other.eigenvalues, frame.pace)) > PAIRED:
        found.append(f"eigenvalues differ by {apart:.1e}")
    for what, one, two, measure in (
        ("equilibrium", first.found, other.found, frame.apart),
        ("gains", first.gains, other.gains, gains_apart),
    ):
        if isinstance(one, str) or isinstance(two, str):
            same = isinstance(one, str) and isinstance(two, str) and one == two
            if not same and not (what == "equilibrium" and frame.lost(one, two)):
                found.append(f"{what}: {_short(two)} for {_short(one)}")
        elif not (apart := measure(one, two)) <= 1:
            found.append(f"{what}: {apart:.1e} times what may differ")
    return found


def gains_apart(one: np.ndarray, two: np.ndarray) -> float:
    """Difference of gains, over what counts."""
    size = float(np.max(np.abs(one), initial=0.0))
    return float(np.max(np.abs(one - two), initial=0.0)) / (GAINED * size or 1.0)


def _short(answer: Any) -> str:
    return answer if isinstance(answer, str) else "found"


def spectrum_apart(one: np.ndarray, two: np.ndarray, size: float) -> float:
    """Greatest distance of eigenvalues, paired with the nearest that are left, over a size."""
    if one.size != two.size:
        return np.inf
    left, worst = list(two), 0.0
    for value in one:
        near = min(range(len(left)), key=lambda k: abs(left[k] - value))
        worst = max(worst, abs(left.pop(near) - value))
    return worst / (size or 1.0)
