"""Regions that motions do not leave: 10^4 simulated starts in each, and how much of what stays they hold.

Of the skate's damped loop, the same with a limit of its torque, the cart's damped loop and the sleeping top
the region is proved and its file written; starts are drawn, those in the region are run, and each run has to
stay in it, outputs within their limits. Of the skate's loop without damping, whose level set has one degree
of freedom, what stays is known: all below the edge of the model. Of that the share in the region is counted.

    python studies/regions.py --out regions --starts 10000
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

import geoctrl as gc

Draw = Callable[[np.random.Generator], np.ndarray]


def on_levels(loop: gc.ReducedSystem, eq: gc.Equilibrium) -> Callable[[float, float], np.ndarray]:
    """States of the skate at a lean and a rate of it, on the levels of C1 and C2 of an equilibrium."""
    values = loop.invariants(eq.x)
    levels = {k: values[k] for k in ("C1", "C2")}

    def state(lean: float, roll: float) -> np.ndarray:
        return loop.on_levels([roll, 0, 0, math.sin(lean), math.cos(lean)], levels)

    return state


def skate(lean: float = 1.55, roll: float = 4.0) -> tuple[gc.ReducedSystem, gc.Equilibrium, Draw, int | None]:
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6).with_damping(k=8)
    loop = law.closed_loop()
    eq = loop.equilibrium("sliding", Y0=1.0)
    state = on_levels(loop, eq)
    return loop, eq, lambda rng: state(rng.uniform(-lean, lean), rng.uniform(-roll, roll)), None


def cart() -> tuple[gc.ReducedSystem, gc.Equilibrium, Draw, int | None]:
    matching = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    gains = matching.design("upright").recommend(frequencies=(1.5, 4.0))
    loop = matching.law(**gains).with_damping(k=0.5).closed_loop()
    bound = np.array([3.0, 8.0, 0.9, 1.5])
    return loop, loop.equilibrium("upright"), lambda rng: rng.uniform(-bound, bound), 8


def top() -> tuple[gc.ReducedSystem, gc.Equilibrium, Draw, int | None]:
    system = gc.models.get("heavy-top")().reduce()
    eq = system.equilibrium("sleeping", Omega0=20.0, params={"I1": 0.8, "I2": 0.8})

    def draw(rng: np.random.Generator) -> np.ndarray:
        axis = np.array([*rng.normal(0, 0.6, 2), 1.0])
        return np.array([*rng.normal(0, 2, 2), 20.0 + rng.normal(0, 0.5), *(axis / np.linalg.norm(axis))])

    return system, eq, draw, 5


MADE = {
    "skate": (skate, {}),
    "skate-limited": (lambda: skate(0.2, 0.5), {"u_theta": 8.0}),
    "cart": (cart, {}),
    "top": (top, {}),
}
"""Systems, drawn from where their regions are, with the limits of their outputs."""


def inside_of(roa: gc.RegionOfAttraction, draw: Draw, count: int) -> np.ndarray:
    """That many starts in a region, as columns."""
    rng, found = np.random.default_rng(7), []
    while len(found) < count:
        x = draw(rng)
        if roa.contains(x):
            found.append(x)
    return np.array(found).T


def runs(system: gc.ReducedSystem, roa: gc.RegionOfAttraction, starts: np.ndarray, params: dict) -> dict:
    """How many runs of six seconds are found outside of the region at one of five times or do not end well,
    and the largest outputs that have limits, at 301 times of every run.
    """
    times, left, largest = np.linspace(0, 6, 301), 0, dict.fromkeys(roa.limits, 0.0)
    for x in starts.T:
        run = gc.simulate(system, times, x, params=params)
        left += not (run.success and np.all(roa.contains(run.states[:, ::60])))
        for name in largest:
            largest[name] = max(largest[name], float(np.max(np.abs(run[name]))))
    return {"left": left} | ({"largest": largest} if largest else {})


def share(loop: gc.ReducedSystem, eq: gc.Equilibrium, roa: gc.RegionOfAttraction, count: int) -> float:
    """Of draws on the skate's level set that stay above the ice, the part that is in the region."""
    state, rng = on_levels(loop, eq), np.random.default_rng(11)
    edge = -float(loop.energy(state(math.pi / 2 - 1e-9, 0.0)))
    drawn = np.array([state(rng.uniform(-1.57, 1.57), rng.uniform(-4, 4)) for _ in range(count)]).T
    stays = -loop.energy(drawn) < edge
    return float(np.sum(stays & roa.contains(drawn)) / np.sum(stays))


def study(name: str, starts: int, out: Path) -> dict:
    """The region of one system, its file, and its runs."""
    make, limits = MADE[name]
    system, eq, draw, depth = make()
    roa = gc.region_of_attraction(system, eq, limits=limits, depth=depth)
    roa.to_json(out / f"{name}.json")
    found = {"level": roa.level, "cells": len(roa.cells), "extent": roa.extent, "starts": starts}
    found |= runs(system, roa, inside_of(roa, draw, starts), eq.params)
    if name == "skate":
        found["share"] = share(system, eq, roa, starts)
    (out / f"{name}-runs.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("regions"))
    parser.add_argument("--starts", type=int, default=10_000)
    parser.add_argument("--only", choices=MADE, help="one system alone")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in [given.only] if given.only else MADE:
        print(name, study(name, given.starts, given.out), flush=True)


if __name__ == "__main__":
    main()
