"""Sets from which loops of linear laws tend to their equilibria: proved, and tried by simulated starts.

Of each loop the set is searched for, its file is written and checked, and starts drawn in it are run: each
run has to end at the equilibrium, outputs within their limits.

    python studies/attracted_sets.py --out attracted --starts 1000
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

import geoctrl as gc

HALVINGS = 12
"""Of a ray, to the edge of a set."""
NEAR = 1e-4
"""Distance from the equilibrium at which a run has ended."""


def loop_of(
    name: str, family: str, weights: tuple = (), options: dict | None = None, **values: float
) -> tuple[gc.ReducedSystem, gc.Equilibrium]:
    """A mechanism of the catalogue with a regulator, of unit weights where none are given."""
    plant = gc.models.get(name)(**(options or {})).reduce()
    loop = gc.lqr(plant, plant.equilibrium(family, **values), *weights).closed_loop()
    found = loop.families.get(family)
    if found is None:
        return loop, loop.equilibrium("held")
    return loop, loop.equilibrium(family, **{k: v for k, v in values.items() if k in found.names})


def satellite() -> tuple[gc.ReducedSystem, gc.Equilibrium]:
    """Turns at 1 rad/s about its middle axis; weights from a wheel of 0.25 N m, 1 rad/s and rates of 0.1."""
    weights = np.diag([1.0, 0.0, 1.0, 0.1**2]), [[(0.1 / 0.25) ** 2]]
    return loop_of("body-with-rotor", "about2", weights, {"axis": 3}, Omega0=1.0)


LOOPS: dict[str, tuple[Callable[[], tuple[gc.ReducedSystem, gc.Equilibrium]], dict[str, float], float]] = {
    "cart": (lambda: loop_of("cart-pendulum", "upright"), {}, 30.0),
    "cart-limited": (lambda: loop_of("cart-pendulum", "upright"), {"u": 2.0}, 30.0),
    "inertia-wheel": (lambda: loop_of("inertia-wheel-pendulum", "upright"), {}, 10.0),
    "skate": (lambda: loop_of("pendulum-skate-rotor", "sliding", Y0=1.0), {}, 30.0),
    "skate-limited": (lambda: loop_of("pendulum-skate-rotor", "sliding", Y0=1.0), {"u_theta": 8.0}, 30.0),
    "satellite": (satellite, {}, 60.0),
    "satellite-limited": (satellite, {"u_theta": 0.25}, 60.0),
    "acrobot": (lambda: loop_of("acrobot", "upright"), {}, 30.0),
    "furuta": (lambda: loop_of("furuta-pendulum", "upright", Omega0=0.0), {}, 30.0),
}
"""Loops, limits of their outputs, and the time in which a run has to end."""


def starts_in(system: gc.ReducedSystem, roa: gc.AttractedSet, count: int) -> np.ndarray:
    """States of a set, as columns, on rays from the equilibrium: a vertical in the plane on its circle."""
    rng, labels = np.random.default_rng(7), list(system.state_labels)
    point = np.array([roa.point[k] for k in labels])
    sizes = np.array([high - low for low, high in (roa.extent.get(k, (0.0, 0.0)) for k in labels)]) / 2
    shapes = np.count_nonzero(sizes)
    values = system.invariants(point)
    levels = {k: values[k] for k in roa.levels}

    def at(way: np.ndarray) -> np.ndarray:
        x = point + way
        if "Gamma2" in labels:
            lean = math.atan2(x[labels.index("Gamma2")], x[labels.index("Gamma3")])
            x[labels.index("Gamma2")], x[labels.index("Gamma3")] = math.sin(lean), math.cos(lean)
        return system.on_levels(x, levels)

    found = []
    while len(found) < count:
        way = rng.normal(size=len(labels)) * sizes
        low, high = 0.0, 2 * math.sqrt(len(labels))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if roa.contains(at(middle * way)) else (low, middle)
        start = at(low * rng.random() ** (1 / shapes) * way)
        if roa.contains(start):
            found.append(start)
    return np.array(found).T


def runs(system: gc.ReducedSystem, roa: gc.AttractedSet, starts: np.ndarray, end: float) -> dict:
    """How many runs do not end at the equilibrium, and the largest outputs that have limits."""
    point = np.array(list(roa.point.values()))
    times, away, largest = np.linspace(0, end, 301), 0, dict.fromkeys(roa.limits, 0.0)
    for x in starts.T:
        run = gc.simulate(system, times, x)
        away += not (run.success and np.abs(run.states[:, -1] - point).max() < NEAR)
        for name in largest:
            largest[name] = max(largest[name], float(np.max(np.abs(run[name]))))
    return {"away": away} | ({"largest": largest} if largest else {})


def study(name: str, starts: int, out: Path) -> dict:
    """The set of one loop, its file, and its runs."""
    make, limits, end = LOOPS[name]
    system, eq = make()
    begun = perf_counter()
    roa = gc.region_of_attraction(system, eq, limits=limits, by="squares", seconds=None)
    searched = perf_counter() - begun
    path = out / f"{name}.json"
    roa.to_json(path)
    begun = perf_counter()
    gc.verify(path)
    checked = perf_counter() - begun
    found = {"search": round(searched, 2), "check": round(checked, 3), "extent": roa.extent, "starts": starts}
    found |= runs(system, roa, starts_in(system, roa, starts), end)
    (out / f"{name}-runs.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("attracted"))
    parser.add_argument("--starts", type=int, default=1000)
    parser.add_argument("--only", choices=LOOPS, help="one loop alone")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in [given.only] if given.only else LOOPS:
        print(name, study(name, given.starts, given.out), flush=True)


if __name__ == "__main__":
    main()
