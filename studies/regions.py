"""Regions that motions do not leave: 10^4 simulated starts in each, and how much of what stays they hold.

Of the skate's damped loop, the cart's damped loop and the sleeping top the region is proved and its file
written; starts are drawn, those in the region are run, and each run has to stay in it. For the skate without
damping, of which the level set has one degree of freedom, what stays is known: all below the edge of
the model.

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
    levels = loop.invariants(eq.x)

    def state(lean: float, roll: float) -> np.ndarray:
        shape = [math.sin(lean), math.cos(lean)]

        def at(v2: float, v3: float) -> np.ndarray:
            found = loop.invariants(np.array([roll, v2, v3, *shape]))
            return np.array([found["C1"], found["C2"]])

        zero = at(0, 0)
        slopes = np.column_stack([at(1, 0) - zero, at(0, 1) - zero])
        v2, v3 = np.linalg.solve(slopes, [levels["C1"], levels["C2"]] - zero)
        return np.array([roll, v2, v3, *shape])

    return state


def skate() -> tuple[gc.ReducedSystem, gc.Equilibrium, Draw, int | None]:
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6).with_damping(k=8)
    loop = law.closed_loop()
    eq = loop.equilibrium("sliding", Y0=1.0)
    state = on_levels(loop, eq)
    return loop, eq, lambda rng: state(rng.uniform(-1.55, 1.55), rng.uniform(-4, 4)), None


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


def inside_of(roa: gc.RegionOfAttraction, draw: Draw, count: int) -> np.ndarray:
    """That many starts in a region, as columns."""
    rng, found = np.random.default_rng(7), []
    while len(found) < count:
        x = draw(rng)
        if roa.contains(x):
            found.append(x)
    return np.array(found).T


def leaving(system: gc.ReducedSystem, roa: gc.RegionOfAttraction, starts: np.ndarray, params: dict) -> int:
    """How many runs of six seconds are found outside of the region at one of five times."""
    times, left = np.linspace(0, 6, 6), 0
    for x in starts.T:
        run = gc.simulate(system, times, x, params=params)
        left += not (run.success and np.all(roa.contains(run.states)))
    return left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("regions"))
    parser.add_argument("--starts", type=int, default=10_000)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name, made in {"skate": skate, "cart": cart, "top": top}.items():
        system, eq, draw, depth = made()
        roa = gc.region_of_attraction(system, eq, depth=depth)
        roa.to_json(given.out / f"{name}.json")
        starts = inside_of(roa, draw, given.starts)
        left = leaving(system, roa, starts, eq.params)
        found = {"level": roa.level, "cells": len(roa.cells), "starts": given.starts, "left": left}
        (given.out / f"{name}-runs.json").write_text(json.dumps(found, indent=1) + "\n")
        print(name, found, flush=True)


if __name__ == "__main__":
    main()
