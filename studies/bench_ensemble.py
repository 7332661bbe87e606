"""Cost of `simulate_ensemble` beside a loop over `simulate` and a batch of heyoka written by hand.

Ten thousand skates with a rotor in the closed loop of [GO] 7.3, with mass, length, tilt, rates and speed of
their own, run to t = 20; and as many skates without a controller, which fall, in lanes too. Counted is CPU
time of the process, in turns, the least of the repetitions: on a shared machine ratios of one run alone mean
anything. With ``--before`` the loop runs in another checkout as well, in a process of its own, in turns with
this one.

    python -m studies.bench_ensemble [--members 10000] [--before PATH]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import geoctrl as gc
from studies.bench_simulate import field

END = 20.0
LOOPED = 400
"""Members of a loop: its cost a run is the same for all of them."""


def skates(count: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Starts and parameters at which the controller holds the skate up."""
    rng = np.random.default_rng(1)
    tilt = rng.uniform(-0.1, 0.1, count)
    rates = [rng.uniform(-0.05, 0.05, count), rng.uniform(0.5, 1.5, count), rng.uniform(0.5, 1.5, count)]
    starts = np.column_stack([*rates, np.sin(tilt), np.cos(tilt)])
    return starts, {"m": rng.uniform(1.5, 2.5, count), "l": rng.uniform(0.5, 0.8, count)}


def falling(count: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Starts and parameters of skates without a controller."""
    rng = np.random.default_rng(2)
    tilt = rng.uniform(0.05, 0.3, count)
    rates = [rng.uniform(0, 0.1, count), rng.uniform(0, 0.5, count), rng.uniform(0.5, 1.5, count)]
    starts = np.column_stack([*rates, np.sin(tilt), np.cos(tilt)])
    return starts, {"m": rng.uniform(1.5, 2.5, count), "l": rng.uniform(0.5, 0.8, count)}


def systems() -> tuple[Any, Any]:
    """The closed loop, and the skate."""
    loop = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5).closed_loop()
    return loop, gc.models.get("pendulum-skate")().reduce()


def looped(system: Any, times: np.ndarray, starts: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Last states of a loop over `simulate`."""
    found = []
    for i, x0 in enumerate(starts):
        own = {name: float(values[i]) for name, values in params.items()}
        found.append(gc.simulate(system, times, x0, params=own, throw=False).states[:, -1])
    return np.array(found)


def numbers_by_hand(params: dict[str, np.ndarray], d: dict[str, float]) -> np.ndarray:
    """Numbers (5, N) of the field: those of the controlled Lagrangian."""
    inertias = (d["I1"] + d["J1"] ** 2 / d["sigma"], d["I2"] + d["J2"], d["I3"] + d["J3"])
    count = len(params["m"])
    return np.array([params["m"], params["l"], *(np.full(count, value) for value in inertias)])


def controlled(numbers: Sequence[Any], g: float) -> list[Any]:
    """Numbers of the field by hand in its order: m, l, g and the inertias."""
    return [*numbers[:2], g, *numbers[2:]]


def field_of(i: int, params: dict[str, np.ndarray], defaults: dict[str, float]) -> Callable:
    """The field of one member."""
    numbers = numbers_by_hand(params, defaults)[:, i].tolist()
    return lambda x: field(x, controlled(numbers, defaults["g"]))


def by_hand(params: dict[str, np.ndarray], defaults: dict[str, float], watched: bool = False) -> Callable:
    """A batch of heyoka for the closed loop, its lanes filled again as members end; with the edge of the
    domain, where the skate lies down, for a terminal event, which none of the members meets.
    """
    import heyoka as hy

    x = hy.make_vars("v1", "v2", "v3", "G2", "G3")
    rates = field(x, controlled([hy.par[k] for k in range(5)], defaults["g"]))
    start = np.ones((5, 8))
    edge = {"t_events": [hy.t_event_batch(x[4])]} if watched else {}
    ta = hy.taylor_adaptive_batch(list(zip(x, rates, strict=True)), start, tol=1e-15, pars=start, **edge)
    numbers = numbers_by_hand(params, defaults)
    ends = np.full(8, END)

    def run(starts: np.ndarray) -> np.ndarray:
        found = np.empty_like(starts)
        lanes, following = np.arange(8), 8
        ta.set_time(0.0)
        ta.state[:], ta.pars[:] = starts[:8].T, numbers[:, :8]
        while (lanes >= 0).any():
            ta.propagate_until(ends, max_steps=64)
            high, low = (part.copy() for part in ta.dtime)
            for lane in np.flatnonzero((ta.time >= ends) & (lanes >= 0)):
                found[lanes[lane]] = ta.state[:, lane]
                lanes[lane] = following if following < len(starts) else -1
                if following < len(starts):
                    ta.state[:, lane], ta.pars[:, lane] = starts[following], numbers[:, following]
                    high[lane] = low[lane] = 0.0
                following += 1
            ta.set_dtime(high, low)
        return found

    return run


def seconds_a_run(function: Callable[[], Any], count: int) -> float:
    begun = time.process_time()
    function()
    return (time.process_time() - begun) / count


def loop_seconds(which: str, samples: int) -> float:
    """CPU seconds a run of the loop over `simulate`, in this checkout."""
    loop, skate = systems()
    system, (starts, params) = (loop, skates(LOOPED)) if which == "loop" else (skate, falling(LOOPED))
    times = np.linspace(0, END, samples)
    looped(system, times, starts[:3], params)
    return seconds_a_run(lambda: looped(system, times, starts, params), LOOPED)


def loop_elsewhere(path: str, which: str, samples: int) -> float:
    """The same in another checkout."""
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, __file__, "--loop", which, "--samples", str(samples)]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--before", help="a checkout whose loop over simulate is compared too")
    parser.add_argument("--loop", choices=["loop", "falling"], help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.loop:
        print(loop_seconds(given.loop, given.samples))
        return
    loop, skate = systems()
    rows = [("loop", loop, skates, 2), ("loop", loop, skates, 201), ("falling", skate, falling, 2)]
    print(f"{given.members} members, microseconds a run, load {os.getloadavg()[0]:.1f}")
    for which, system, drawn, samples in rows:
        starts, params = drawn(given.members)
        times = np.linspace(0, END, samples)
        small, own = starts[:LOOPED], {name: values[:LOOPED] for name, values in params.items()}
        few = looped(system, times, small[:3], own)
        ens = gc.simulate_ensemble(system, times, starts[:64], params={k: v[:64] for k, v in params.items()})
        apart = np.abs(ens.last[:3] - few).max()
        runs: dict[str, Callable[[], float]] = {
            "ensemble": lambda s=system, t=times, x=starts, p=params: seconds_a_run(
                lambda: gc.simulate_ensemble(s, t, x, params=p), len(x)
            ),
            "loop": lambda s=system, t=times, x=small, p=own: seconds_a_run(
                lambda: looped(s, t, x, p), LOOPED
            ),
        }
        if which == "falling":
            for name, own_options in (("lanes", {}), ("lanes at 1e-12", {"rtol": 1e-12})):
                runs[name] = lambda s=system, t=times, x=starts, p=params, o=own_options: seconds_a_run(
                    lambda: gc.simulate_ensemble(s, t, x, params=p, engine="lanes", **o), len(x)
                )
                runs[name]()  # compiled
        if given.before:
            runs["loop before"] = lambda w=which, n=samples: loop_elsewhere(given.before, w, n)
        if which == "loop" and samples == 2:
            batch = by_hand(params, system.params)
            apart_by_hand = np.abs(batch(starts[:64])[:3] - few).max()
            print(f"  by hand differs from simulate by {apart_by_hand:.1e}")
            watching = by_hand(params, system.params, watched=True)
            runs["ensemble(domain=False)"] = lambda s=system, t=times, x=starts, p=params: seconds_a_run(
                lambda: gc.simulate_ensemble(s, t, x, params=p, domain=False), len(x)
            )
            runs["by hand"] = lambda b=batch, x=starts: seconds_a_run(lambda: b(x), len(x))
            runs["by hand, watched"] = lambda b=watching, x=starts: seconds_a_run(lambda: b(x), len(x))
        found: dict[str, float] = dict.fromkeys(runs, np.inf)
        for _ in range(given.repeat):
            for name, run in runs.items():
                found[name] = min(found[name], run())
        told = ", ".join(f"{name} {1e6 * value:.3g}" for name, value in found.items())
        ratios = ", ".join(
            f"{name}/ensemble {value / found['ensemble']:.2f}"
            for name, value in found.items()
            if name != "ensemble"
        )
        print(f"{which}, {samples} samples: {told}; {ratios}; differs from simulate by {apart:.1e}")


if __name__ == "__main__":
    main()
