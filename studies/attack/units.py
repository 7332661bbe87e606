"""Mechanisms of the catalogue and drawn ones in other units: every answer has to be the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import geoctrl as gc

from .building import build, order_of, parameters_of
from .dice import Dice
from .drawing import draw
from .judging_shape import outside
from .mechanism import Mechanism, Products, Spheres
from .outcome import Outcome, refusal
from .rescaling import Units, factors, rescaled

POWERS = [(0, 0, 0), (-6, 0, 0), (6, 0, 0), (0, -3, 0), (0, 3, 0), (0, 0, -3), (0, 0, 3), (0, 0, 6)]
"""By what powers of ten numbers of masses, lengths and times are multiplied; the first changes nothing."""
SYSTEMS = [Units(*(Fraction(10) ** k for k in powers)) for powers in POWERS]
BINARY = [Units(*(Fraction(1024) ** (k // 3) for k in powers)) for powers in POWERS]
"""About the same by powers of two, in which doubles stay the numbers that they are: for drawn systems."""
TRIED = 4
"""Of the other systems, in a case."""
CATALOGUE = 5
"""One of so many cases is a member of a family of the catalogue."""
AWAY = 0.02
"""From equilibria that are looked for again, in sizes of the states."""
PAIRED, PLACED, GAINED = 1e-6, 1e-9, 1e-9
"""Differences that count: of eigenvalues over the linearisation, of equilibria over sizes, of gains over the
largest."""


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
    moved: dict[str, np.ndarray | str] = field(default_factory=dict)


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + 7919, index)
    picked = [int(k) + 1 for k in dice.rng.permutation(len(SYSTEMS) - 1)[:TRIED]]
    begun = time.perf_counter()
    kind = "catalogue"
    try:
        if index % CATALOGUE == 0:
            name, family = members()[index // CATALOGUE % len(members())]
            kind, at = f"catalogue: {name}", lambda units: catalogued(name, family, units)
        else:
            drawn = draw(seed, index)
            kind, at = drawn.kind, lambda units: redrawn(drawn, units)
            if isinstance(drawn, Mechanism) and outside(drawn):
                return Outcome(kind, "unjudged", "a point outside the domain")
        table = BINARY if index % CATALOGUE else SYSTEMS
        outcome = compared(at, [table[k] for k in picked], seed + index)
    except Exception as error:
        outcome = refusal(kind, error)
    outcome.kind, outcome.seconds = kind, time.perf_counter() - begun
    return outcome


def compared(at: Callable[[Units], Setting], others: list[Units], seed: int) -> Outcome:
    """The answers in other units, held against those in the units of the description."""
    first = at(SYSTEMS[0])
    sizes, pace = sizes_of(first)
    said = asked(first, sizes, seed)
    problems = []
    for units in others:
        wrong = differences(said, asked(at(units), sizes, seed), sizes, pace)
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


def sizes_of(setting: Setting) -> tuple[np.ndarray, float]:
    """Sizes of the states in the units of the description, one where there is none, and the size of the
    linearisation in these.
    """
    x, u = state_of(setting)
    found = setting.system.scales(x, u, setting.params)
    return np.where(found.state > 0, found.state, 1.0), float(
        np.linalg.norm(found.A * found.column / found.column[:, None], 2)
    )


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
    point = gc.find_equilibrium(setting.system, guess if u is None else (guess, u), params=setting.params)
    return point.x / setting.states


def gains(setting: Setting, sizes: np.ndarray) -> np.ndarray:
    """Of the law by Bryson's weights: sizes of states, and one for inputs in the description's units."""
    Q = (sizes * setting.states) ** -2.0
    law = gc.lqr(setting.system, setting.point, Q, setting.inputs**-2.0, setting.params)
    return law.K * setting.states / setting.inputs[:, None] * sizes


def _or_words(ask: Callable[[], Any]) -> Any:
    """What is found, or the kind of refusal."""
    try:
        return ask()
    except gc.GeoctrlError as error:
        return type(error).__name__


# -- how answers differ -------------------------------------------------------------------------------


def differences(first: Told, other: Told, sizes: np.ndarray, pace: float) -> list[str]:
    """What is not the same, in words."""
    found = []
    if first.verdict != other.verdict:
        found.append(f"{other.verdict} for {first.verdict}")
    if first.modes != other.modes:
        found.append(f"zero modes {other.modes} for {first.modes}")
    elif (apart := spectrum_apart(first.eigenvalues, other.eigenvalues, pace)) > PAIRED:
        found.append(f"eigenvalues differ by {apart:.1e}")
    for what, one, two, size, least in (
        ("equilibrium", first.found, other.found, sizes, PLACED),
        ("gains", first.gains, other.gains, 1.0, GAINED),
        *((k, v, other.moved.get(k, ""), 1.0, PLACED) for k, v in first.moved.items()),
    ):
        if isinstance(one, str) or isinstance(two, str):
            if not (isinstance(one, str) and isinstance(two, str) and one == two):
                found.append(f"{what}: {_short(two)} for {_short(one)}")
            continue
        apart = float(np.max(np.abs(one - two) / size, initial=0.0))
        largest = float(np.max(np.abs(one), initial=0.0)) if what == "gains" else 1.0
        if not apart <= least * largest:
            found.append(f"{what} differs by {apart:.1e}")
    return found


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
