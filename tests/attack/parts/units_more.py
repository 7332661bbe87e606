"""Long questions in other units: runs by both engines, holds, maps, regions of attraction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import geoctrl as gc
from tests.attack.draw.rescaling import Units

RUN, MOVED = 10.0, 1e-9
"""Length of runs, in times of the system, and what their ends may differ by, in sizes of states."""
PUSHED = 0.05
"""Velocities that are added at the start of a run, in their sizes."""
EXTENT = 0.1
"""What extents of regions may differ by, relative to themselves."""
HELD, SECONDS, DEPTH = 10.0, 10.0, 3
"""Holds within a time of the system, seconds for a region, depth of a map."""
ENDED, CLOCK = 0.7, "ended by the clock"
"""Share of its seconds after which a region is what was found until then, with which none is compared."""
Question = tuple[str, Callable[[Any], Any], float]
"""Its name, what a setting answers, and what answers may differ by."""


def runs(setting: Any, sizes: np.ndarray, engine: str) -> np.ndarray:
    """End of a run from beside the point, in sizes of the states."""
    system = setting.system
    x = np.array(setting.point.x, dtype=float)
    places = set(map(str, system.mechanism.configuration_symbols))
    moving = np.array([label not in places for label in system.state_labels])
    if not any(name.startswith("constraint") for name in system.leaf.names):
        x = x + PUSHED * sizes * setting.states * moving
    rate = system.scales(setting.point.x).rate
    if not rate:
        return np.zeros(0)
    run = gc.simulate(system, np.array([0.0, RUN / rate]), x, inputs=_held(setting), engine=engine)
    return run.states[:, -1] / setting.states / sizes


def _held(setting: Any) -> Any:
    u = setting.point.u
    if not np.any(u):
        return None
    return {label: float(v) for label, v in zip(setting.system.input_labels, u, strict=True)}


def law_of(setting: Any, sizes: np.ndarray) -> Any:
    Q = (sizes * setting.states) ** -2.0
    return gc.lqr(setting.system, setting.point, Q, setting.inputs**-2.0)


def hold(setting: Any, sizes: np.ndarray) -> str:
    """Verdict of the law on a computer."""
    rate = HELD * setting.system.scales(setting.point.x).rate
    sampled = law_of(setting, sizes).sampled(rate=rate)
    return gc.certify(setting.system, setting.point, controller=sampled).verdict.value


def region(setting: Any, sizes: np.ndarray) -> Any:
    """Logarithms of the widths of a proved set, in the units of the description."""
    loop, begun = law_of(setting, sizes).closed_loop(), time.monotonic()
    found = gc.region_of_attraction(loop, setting.point, by="slopes", seconds=SECONDS)
    if time.monotonic() - begun > ENDED * SECONDS:
        return CLOCK
    widths = dict(zip(setting.system.state_labels, setting.states, strict=True))
    return np.log(
        [(high - low) / widths[label.split(" - ")[0]] for label, (low, high) in found.extent.items()]
    )


def asked_of_runs(sizes: np.ndarray) -> list[Question]:
    """Ends of runs by both engines."""
    return [
        (f"run by {engine}", lambda s, engine=engine: runs(s, sizes, engine), MOVED)
        for engine in ("scipy", "heyoka")
    ]


def asked_of_laws(sizes: np.ndarray) -> list[Question]:
    """The law on a computer, and the set that it attracts."""
    return [("hold", lambda s: hold(s, sizes), 0.0), ("region", lambda s: region(s, sizes), EXTENT)]


def differences(questions: list[Question], at: Callable[[Units], Any], others: list[Units]) -> Iterator[str]:
    """What is not the same in other units, in words."""
    for what, ask, allowed in questions:
        one = _answer(lambda ask=ask: ask(at(Units())))
        for units in others:
            two = _answer(lambda ask=ask, units=units: ask(at(units)))
            if isinstance(one, str) or isinstance(two, str):
                if CLOCK in map(str, (one, two)):
                    continue
                if not (isinstance(one, str) and isinstance(two, str) and one == two):
                    yield f"{units}: {what}: {_short(two)} for {_short(one)}"
            elif not (apart := float(np.max(np.abs(one - two), initial=0.0))) <= allowed:
                yield f"{units}: {what} differs by {apart:.1e}"


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except gc.GeoctrlError as error:
        return type(error).__name__


def _short(answer: Any) -> str:
    return answer if isinstance(answer, str) else "an answer"


def map_of(name: str, family: str, units: Units) -> str:
    """Shares of a map over a symbol of the family and a length, all in the units given; "" without these."""
    mechanism = gc.models.get(name)()
    moved, change = mechanism.in_units(units.mass, units.length, units.time)
    symbols = mechanism.equilibria[family].symbols
    lengths = [p.name for p in mechanism.parameters if p.unit == "m" and p.default]
    if len(symbols) != 1 or not lengths:
        return ""
    s, p = symbols[0].name, lengths[0]
    middle = float(mechanism.defaults[p])
    axes = {
        s: tuple(change.member(family, **{s: v})[s] for v in (0.5, 9)),
        p: tuple(sorted(k * middle * float(change.parameters[p]) for k in (0.5, 2.0))),
    }
    return str(gc.certify_region(moved.reduce(), family, axes=axes, depth=DEPTH))
