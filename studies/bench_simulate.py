"""Speed of `simulate` against its peers on the skate's closed loop, all at matched error, in one run.

The loop of [GO] 7.3 runs over 100 s with samples every 0.01 s. Errors are the largest deviation of any state
from an extended-precision solution (heyoka in 80-bit arithmetic at 1e-18) of the same vector field written by
hand. Counted is the second call on the same system; the first, which compiles, is reported apart. Only
ratios within one run mean anything on a shared machine.

    python studies/bench_simulate.py
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import geoctrl as gc

TILT = 0.1
PARAMETERS = {"m": 3.0, "l": 0.8, "g": 9.8, "I1": 0.35 + 0.005**2 / -1e-5, "I2": 0.3525, "I3": 0.0065}
"""Of the controlled Lagrangian: I1 + J1^2/sigma, I2 + J2, I3 + J3."""


class Result(NamedTuple):
    """One engine: seconds (median of the repetitions) and largest error."""

    name: str
    seconds: float
    error: float


def field(x, v):
    """The closed loop by hand, on whatever numbers or expressions ``x`` holds."""
    v1, v2, v3, G2, G3 = x
    m, l, g, I1, I2, I3 = v  # noqa: E741
    D = I2 * G2 * G2 + I3 * G3 * G3
    w = G3 * v1 * v2 / D
    return [
        (((I2 + m * l * l - I3) * G3 * v2 * v2 + m * g * l) * G2 + m * l * G3 * v2 * v3) / (I1 + m * l * l),
        2 * (I3 - I2) * G2 * w,
        -2 * l * I3 * w,
        v1 * G3,
        -(v1 * G2),
    ]


def heyoka_program(real: type, tolerance: float, watched: bool = False):
    """A hand-written heyoka integrator, constants baked in, or one that watches the edge of the domain."""
    import heyoka as hy

    names = ["v1", "v2", "v3", "G2", "G3"]
    x = [hy.expression(n) for n in names]
    values = list(PARAMETERS.values())
    rhs = field(x, values)
    return hy.taylor_adaptive(
        list(zip(x, rhs, strict=True)),
        state=np.zeros(5, dtype=real),
        tol=tolerance,
        fp_type=real,
        t_events=[hy.t_event(x[4], fp_type=real)] if watched else [],
    )


def reference(x0: np.ndarray, grid: np.ndarray) -> np.ndarray:
    integrator = heyoka_program(np.longdouble, np.longdouble(1e-18))
    integrator.state[:] = x0.astype(np.longdouble)
    return np.asarray(integrator.propagate_grid(grid.astype(np.longdouble))[-1], dtype=np.longdouble).T


def timed(run: Callable[[], np.ndarray], truth: np.ndarray, name: str, repeat: int) -> Result:
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        states = run()
        seconds.append(time.perf_counter() - start)
    error = float(np.max(np.abs(states - truth)))
    return Result(name, statistics.median(seconds), error)


def alternating(runs: dict[str, Callable[[], np.ndarray]], truth: np.ndarray, repeat: int) -> list[Result]:
    """Several fast engines in turn, A B A B ..., so that the machine's drift meets all of them alike.

    Seconds of the processor: what others compute at the same time does not count.
    """
    seconds: dict[str, list[float]] = {k: [] for k in runs}
    states: dict[str, np.ndarray] = {}
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.process_time()
            states[name] = run()
            seconds[name].append(time.process_time() - start)
    return [Result(k, statistics.median(seconds[k]), float(np.max(np.abs(states[k] - truth)))) for k in runs]


def engines(loop: gc.ReducedSystem, x0: np.ndarray, grid: np.ndarray, repeat: int) -> list[Result]:
    import control
    from scipy.integrate import solve_ivp

    truth = reference(x0, grid)
    values = list(PARAMETERS.values())

    def by_hand(watched: bool) -> Callable[[], np.ndarray]:
        hand = heyoka_program(float, 1e-15, watched)

        def run() -> np.ndarray:
            hand.time = 0.0
            hand.state[:] = x0
            return hand.propagate_grid(grid)[-1].T

        return run

    results = alternating(
        {
            "heyoka by hand, 1e-15": by_hand(False),
            "heyoka by hand, the edge of the domain watched": by_hand(True),
            "geoctrl simulate (default)": lambda: gc.simulate(loop, grid, x0).states,
            "geoctrl simulate(domain=False)": lambda: gc.simulate(loop, grid, x0, domain=False).states,
        },
        truth,
        repeat,
    )
    # scipy's tightest tolerance: its error matches that of the Taylor method at 1e-15.
    tight = {"rtol": 2.3e-14, "atol": 2.3e-14}
    results.append(
        timed(
            lambda: solve_ivp(lambda t, x: field(x, values), (0, grid[-1]), x0, "DOP853", grid, **tight).y,
            truth,
            "scipy DOP853, plain Python right-hand side",
            1,
        )
    )
    results.append(
        timed(
            lambda: gc.simulate(loop, grid, x0, engine="scipy", rtol=2.3e-14).states,
            truth,
            "geoctrl simulate(engine='scipy')",
            1,
        )
    )
    system = control.nlsys(
        lambda t, x, u, params: np.array(field(x, values)), None, states=5, inputs=0, outputs=5, name="skate"
    )
    results.append(
        timed(
            lambda: (
                control.input_output_response(
                    system, grid, 0, x0, solve_ivp_method="DOP853", solve_ivp_kwargs=tight
                ).states
            ),
            truth,
            "python-control, DOP853",
            1,
        )
    )
    return results


def import_times(repeat: int) -> tuple[float, float]:
    """Seconds of ``import geoctrl`` and ``import numpy`` in fresh interpreters, in turn (medians)."""
    seconds: dict[str, list[float]] = {"geoctrl": [], "numpy": []}
    for _ in range(repeat):
        for name, row in seconds.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
            row.append(time.perf_counter() - start)
    return statistics.median(seconds["geoctrl"]), statistics.median(seconds["numpy"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=25, help="repetitions of the fast engines")
    args = parser.parse_args()
    import heyoka

    heyoka.llvm_state.set_diskcache_enabled(False)
    loop = gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3")).law(sigma=-1e-5).closed_loop()
    omega = (0.1, 0.1 * np.tan(TILT), 0.1)
    x0 = loop.project([*omega, 1, 0, 0], {"Gamma": (0, np.sin(TILT), np.cos(TILT))})
    grid = np.linspace(0.0, 100.0, 10_001)
    start = time.perf_counter()
    gc.simulate(loop, grid, x0)
    first = time.perf_counter() - start
    results = engines(loop, x0, grid, args.repeat)
    own = next(r for r in results if r.name.startswith("geoctrl simulate (default)"))
    print(
        "Closed loop over 100 s, 10001 samples; error: largest deviation of any state from 80-bit arithmetic"
    )
    print(f"{'engine':<46}{'ms':>10}{'error':>10}{'time / simulate':>18}")
    for r in results:
        print(f"{r.name:<46}{1e3 * r.seconds:>10.2f}{r.error:>10.1e}{r.seconds / own.seconds:>18.2f}")
    by_hand, watching, _, unwatched = results[:4]
    print(
        f"simulate / hand-written heyoka that watches the same edge: {own.seconds / watching.seconds:.2f}; "
        f"both without the watch over the domain: {unwatched.seconds / by_hand.seconds:.2f}"
    )
    print(f"first call, compilation included: {1e3 * first:.0f} ms")
    ours, numpys = import_times(9)
    print(f"import geoctrl / import numpy: {ours / numpys:.2f} ({1e3 * ours:.0f} ms / {1e3 * numpys:.0f} ms)")


if __name__ == "__main__":
    main()
