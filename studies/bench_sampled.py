"""Cost of a held step, beside the continuous run of the same law, in processor time.

A figure in microseconds belongs to a machine; the ratio to the continuous run of the swelling law does not.
Prints one line for each controller of the pendulum skate: 20 s at 100 Hz, 2000 samples.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import geoctrl as gc

TIMES = np.linspace(0, 20, 2001)
RUNS = 15


def interleaved(runs: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Processor times of each, taken in turn: what slows the machine for a while slows all of them."""
    for run in runs.values():
        run()  # compiles
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(RUNS):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            found[name].append(time.process_time() - begin)
    return found


def main() -> None:
    """Print the table."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant, matching = mechanism.reduce(), gc.match(mechanism)
    tilt = 0.1
    start = plant.project(
        [tilt, tilt * np.tan(tilt), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(tilt), np.cos(tilt))}
    )
    swelling, slow = matching.law(sigma=-1e-5), matching.law(sigma=-5e-6)
    damped = slow.with_damping(k=8, kappa=1)
    options = {
        "delay": 4e-3,
        "limits": {"u_theta": 8},
        "noise": {"v1": 0.01, "Gamma2": 0.01},
        "rate_limits": {"u_theta": 100},
        "quantisation": {"v1": 1e-3, "u_theta": 1e-2},
    }
    plain, every = slow.sampled(100), damped.sampled(100, rng=np.random.default_rng(1), **options)
    controllers = {"continuous": swelling, "plain": plain, "everything": every}

    def run(controller: object) -> Callable[[], object]:
        return lambda: gc.simulate(plant, TIMES, start, controller=controller, throw=False)

    found = interleaved({name: run(controller) for name, controller in controllers.items()})
    reference = found.pop("continuous")
    print(f"continuous: {1e3 * min(reference):.2f} ms")
    for name, costs in found.items():
        ratio = np.median(np.array(costs) / reference)
        print(f"{name}: {1e6 * min(costs) / 2000:.1f} us a hold, {ratio:.1f} times the continuous run")


if __name__ == "__main__":
    main()
