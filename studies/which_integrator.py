"""Which integrator for what: error against cost, and what is kept over long times.

Three mechanisms that ask for three kinds of step: two links in a chain (inertia that couples, so the
variational step is implicit), two pendula joined by a spring (explicit), a heavy top (on rotations). Each is
run by all methods, at steps or tolerances from coarse to fine:

- error against cost: the state after 20 s, against heyoka at 1e-15, and the CPU time of a run that has been
  compiled before;
- over long times: energy, momentum and the manifold, at steps that cost about the same a second.

    python studies/which_integrator.py --out results/which_integrator

CPU times are of this machine and this run; compare them within a table only.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

SPAN = 20.0
LOOK = {
    "variational 2": dict(color=COLOURS[0], linestyle="-", marker="o"),
    "variational 4": dict(color=COLOURS[4], linestyle="-", marker="o"),
    "variational 6": dict(color=COLOURS[2], linestyle="-", marker="o"),
    "variational 8": dict(color=COLOURS[6], linestyle="-", marker="o"),
    "rk4": dict(color=COLOURS[1], linestyle="--", marker="s"),
    "rk4, projected": dict(color=COLOURS[5], linestyle=":", marker="s"),
    "DOP853": dict(color=COLOURS[3], linestyle="--", marker="^"),
    "heyoka": dict(color=COLOURS[6], linestyle="--", marker="^"),
}
TARGETS = (1e-3, 1e-6, 1e-9)


class Case(NamedTuple):
    """A system, an initial pair, what takes steps on its manifold, and a step (s) that suits it."""

    name: str
    system: Any
    start: tuple
    integrate: Callable
    h: float


class Result(NamedTuple):
    """Times, states (size, nt) and CPU seconds of a run."""

    time: np.ndarray
    states: np.ndarray
    seconds: float


def cases() -> list[Case]:
    chain = gc.spheres.chain_pendulum([1.0, 0.7], [0.5, 0.4]).replace(forces=None, inputs=())
    springs = gc.spheres.coupled_pendula([0.1, 0.15], [0.3, 0.25], [[0, 1]], [4.0], [[0.2, 0, 0]])
    turned = gc.spheres.project([[0.6, 0.1, -0.8], [0.3, -0.5, -0.8]], [[0.2, 0.5, 0.3], [1.0, 0.3, -0.6]])
    top = gc.rotations.pendulum3d([0.05, 0.05, 0.02], 0.8, [0.0, 0.0, 0.2])
    tilted = Rotation.from_rotvec([0.0, 0.6, 0.0]).as_matrix()[None], np.array([[0.3, 0.2, 40.0]])
    return [
        Case("chain of two", chain, turned, gc.spheres.integrate, 0.01),
        Case("coupled pendula", springs, turned, gc.spheres.integrate, 0.01),
        Case("heavy top", top, tilted, gc.rotations.integrate, 0.0025),
    ]


# -- methods ----------------------------------------------------------------------------------------


class Method(NamedTuple):
    """A name, settings from coarse to fine, and how a case is run at one of them up to a time."""

    name: str
    settings: tuple[float, ...]
    run: Callable[[Case, float, float, int], Any]


def stepping(name: str, coarsest: float, halvings: int, **options: Any) -> Method:
    def run(case: Case, h: float, span: float, samples: int) -> Any:
        record = max(1, round(span / h) // samples)
        steps = record * max(1, round(span / h / record))
        return case.integrate(case.system, *case.start, span / steps, steps, record=record, **options)

    return Method(name, tuple(coarsest / 2**k for k in range(halvings)), run)


def adaptive(name: str, engine: str, exponents: range) -> Method:
    def run(case: Case, rtol: float, span: float, samples: int) -> Any:
        times = np.linspace(0.0, span, samples + 1)
        return gc.simulate(case.system, times, case.start, engine=engine, rtol=rtol)

    return Method(name, tuple(10.0**-k for k in exponents), run)


def methods(case: Case, quick: bool) -> list[Method]:
    more = 0 if quick else 3
    found = [stepping(f"variational {p}", 0.02, 5 + more, order=p) for p in (2, 4, 6, 8)]
    found.append(stepping("rk4", 0.01, 4 + more, method="rk4"))
    if case.integrate is gc.spheres.integrate:
        found.append(stepping("rk4, projected", 0.01, 4 + more, method="rk4", project=True))
    found.append(adaptive("DOP853", "scipy", range(4, 9) if quick else range(4, 14)))
    # Its equations hold the directions by multipliers, which looser tolerances let drift.
    found.append(adaptive("heyoka", "heyoka", range(9, 15, 3 if quick else 1)))
    return found


def timed(method: Method, case: Case, setting: float, span: float, samples: int = 50) -> Result:
    """A run that found everything compiled; the time of a short one is the least of five."""
    method.run(case, setting, min(span, 1.0), 1)
    seconds = math.inf
    for _ in range(5):
        began = time.process_time()
        run = method.run(case, setting, span, samples)
        seconds = min(seconds, time.process_time() - began)
        if seconds > 0.2:
            break
    return Result(run.time, run.states, seconds)


# -- error against cost -----------------------------------------------------------------------------


class Curve(NamedTuple):
    """Errors of the state after `SPAN` and CPU seconds of one method, from coarse to fine."""

    name: str
    errors: np.ndarray
    seconds: np.ndarray

    def cost(self, target: float) -> float:
        """CPU seconds at which the error is the target, between two settings; nan if none is so good."""
        for k in range(1, self.errors.size):
            if self.errors[k] <= target < self.errors[k - 1]:
                part = math.log(self.errors[k - 1] / target) / math.log(self.errors[k - 1] / self.errors[k])
                return float(self.seconds[k - 1] * (self.seconds[k] / self.seconds[k - 1]) ** part)
        return float(self.seconds[0]) if self.errors[0] <= target else math.nan


def curves(case: Case, quick: bool) -> Iterator[Curve]:
    end = gc.simulate(case.system, [0.0, SPAN], case.start, engine="heyoka").states[:, -1]
    scale = np.abs(end).max()
    for method in methods(case, quick):
        results = [timed(method, case, setting, SPAN) for setting in method.settings]
        errors = np.array([np.abs(r.states[:, -1] - end).max() / scale for r in results])
        yield Curve(method.name, errors, np.array([r.seconds for r in results]))


def against_cost(case: Case, quick: bool) -> list[Curve]:
    found = list(curves(case, quick))
    heading(f"{case.name}: CPU ms for {SPAN:g} s of motion at a given error of the final state")
    print(f"{'':<16}" + "".join(f"{t:>12.0e}" for t in TARGETS) + f"{'least error':>14}")
    for curve in found:
        cells = "".join(
            f"{'-':>12}" if math.isnan(c) else f"{1e3 * c:>12.2f}" for c in map(curve.cost, TARGETS)
        )
        print(f"{curve.name:<16}{cells}{np.nanmin(curve.errors):>14.0e}")
    return found


def draw_cost(found: dict[str, list[Curve]]) -> Figure:
    """Error against CPU time, a panel for each case."""
    figure = Figure(figsize=(12, 4.3), layout="constrained")
    for axis, (name, all_of) in zip(figure.subplots(1, len(found), sharey=True), found.items(), strict=True):
        for curve in all_of:
            axis.loglog(1e3 * curve.seconds, curve.errors, label=curve.name, markersize=3, **LOOK[curve.name])
        quiet(axis, title=name, xlabel="CPU time (ms)")
    figure.axes[0].set_ylabel(f"relative error of the state after {SPAN:g} s")
    figure.axes[0].legend(frameon=False, fontsize=8)
    return figure


# -- over long times --------------------------------------------------------------------------------


class Kept(NamedTuple):
    """Of a long run: its cost, energy error (relative to its span) in time, momentum and manifold errors."""

    name: str
    seconds: float
    time: np.ndarray
    energy: np.ndarray
    momentum: float
    manifold: float

    @property
    def growth(self) -> float:
        """Largest energy error of the last tenth of the run over that of the first."""
        tenth = max(1, self.energy.size // 10)
        return float(
            np.abs(self.energy[-tenth:]).max() / max(np.abs(self.energy[1 : tenth + 1]).max(), 1e-300)
        )


def long_methods(case: Case) -> list[tuple[Method, float]]:
    """Methods and settings: a step of order 4 is three of order 2, and three times as long."""
    found = [
        (stepping("variational 2", case.h, 1, order=2), case.h),
        (stepping("variational 4", 3 * case.h, 1, order=4), 3 * case.h),
        (stepping("rk4", case.h, 1, method="rk4"), case.h),
    ]
    if case.integrate is gc.spheres.integrate:
        found.append((stepping("rk4, projected", case.h, 1, method="rk4", project=True), case.h))
    found.append((adaptive("DOP853", "scipy", range(6, 7)), 1e-6))
    found.append((adaptive("heyoka", "heyoka", range(15, 16)), 1e-15))
    return found


def kept(method: Method, case: Case, setting: float, span: float) -> Kept:
    result = timed(method, case, setting, span, 400)
    system, x = case.system, result.states
    energy = system.energy(x)
    momentum = system.momentum(x)[2]
    keeps = "momentum3" in system.conserved()
    return Kept(
        method.name,
        result.seconds,
        result.time,
        (energy - energy[0]) / np.ptp([system.potential(part) for part in system.unpack(x)[0]]),
        float(np.abs(momentum - momentum[0]).max() / np.abs(momentum[0])) if keeps else math.nan,
        float(np.abs(system.leaf_residual(x)).max()),
    )


def over_long_times(case: Case, span: float) -> list[Kept]:
    heading(f"{case.name}: {span:g} s")
    print(f"{'':<16}{'setting':>10}{'CPU s':>9}{'energy':>10}{'growth':>9}{'momentum':>11}{'manifold':>11}")
    found = []
    for method, setting in long_methods(case):
        one = kept(method, case, setting, span)
        found.append(one)
        print(
            f"{one.name:<16}{setting:>10.0e}{one.seconds:>9.2f}{np.abs(one.energy).max():>10.0e}"
            f"{one.growth:>9.1f}{one.momentum:>11.0e}{one.manifold:>11.0e}"
        )
    return found


LEGEND = """\
energy: largest error, over the span of the potential; growth: largest error of the last tenth of the run
over that of the first, 1 where it is bounded, 10 where it drifts with time; momentum: about the vertical,
relative, where it is kept; manifold: largest defect of unit length, tangency or orthogonality."""


def draw_long(found: list[Kept], name: str) -> Figure:
    """Energy errors in time."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    axis = figure.subplots()
    for one in found:
        size = np.maximum.accumulate(np.abs(one.energy[1:])) + 1e-17
        axis.loglog(one.time[1:], size, label=one.name, **(LOOK[one.name] | {"marker": ""}))
    quiet(axis, title=f"{name}: largest energy error so far", xlabel="time (s)", ylabel="over the span of V")
    axis.legend(frameon=False, fontsize=8)
    return figure


def heading(title: str) -> None:
    print(f"\n{title}\n{'=' * len(title)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/which_integrator"), help="for the figures")
    parser.add_argument("--quick", action="store_true", help="fewer settings, shorter long runs")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    chosen = cases()
    draw_cost({c.name: against_cost(c, args.quick) for c in chosen}).savefig(args.out / "cost.png", dpi=160)
    for case in chosen:
        found = over_long_times(case, 100.0 if args.quick else 1000.0)
        draw_long(found, case.name).savefig(args.out / f"long {case.name}.png".replace(" ", "_"), dpi=160)
    print(LEGEND)
    print(f"\nfigures in {args.out}")


if __name__ == "__main__":
    main()
