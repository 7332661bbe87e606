"""Rows of many at once: ensembles, exact verdicts, maps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import geoctrl as gc
from studies import bench_ensemble
from studies.bench.measure import Bench, Program, Row
from studies.bench.motions import ROUNDING, exact
from studies.bench.peers import by_diffrax, by_scipy

MEMBERS, SAMPLE, CHECKED = 10_000, 400, 8
"""Members; of a loop over `simulate`; of a loop over scipy, and of which errors are known."""


def ensemble(bench: Bench) -> Row:
    """Ten thousand skates under their law to t = 20, final states; a run each."""
    row = Row("ensemble", f"{MEMBERS:,} skates, 20 s, a run", "us", floor=ROUNDING)
    loop, _ = bench_ensemble.systems()
    starts, params = bench_ensemble.skates(MEMBERS)
    times = np.array([0.0, bench_ensemble.END])
    some, own = starts[:SAMPLE], {name: values[:SAMPLE] for name, values in params.items()}
    by_hand = bench_ensemble.by_hand(params, loop.params)
    watched = bench_ensemble.by_hand(params, loop.params, watched=True)
    fields = [bench_ensemble.field_of(i, params, loop.params) for i in range(CHECKED)]
    truth = np.array([exact(f, x0, times)[:, -1] for f, x0 in zip(fields, starts, strict=False)])

    def scipy_loop(tol: float) -> Callable[[], np.ndarray]:
        runs = [by_scipy(f, x0, times, tol) for f, x0 in zip(fields, starts, strict=False)]
        return lambda: np.array([run()[:, -1] for run in runs])

    def run(count: int, **options: Any) -> np.ndarray:
        cut = {name: values[:count] for name, values in params.items()}
        return gc.simulate_ensemble(loop, times, starts[:count], params=cut, **options).last

    programs = [
        Program("geoctrl", "1e-15", lambda: run(MEMBERS), parts=MEMBERS),
        Program("geoctrl, domain=False", "1e-15", lambda: run(MEMBERS, domain=False), parts=MEMBERS),
        Program("heyoka batch by hand, watched", "1e-15", lambda: watched(starts), "by hand", parts=MEMBERS),
        Program("heyoka batch by hand", "1e-15", lambda: by_hand(starts), "by hand", parts=MEMBERS),
        Program(
            "loop over simulate", "1e-15", lambda: bench_ensemble.looped(loop, times, some, own), parts=SAMPLE
        ),
        *(
            Program("scipy, DOP853, a loop", f"{tol:g}", scipy_loop(tol), "peer", parts=CHECKED)
            for tol in (1e-10, 2.3e-14)
        ),
        *bench.peer(row, "diffrax", "diffrax", lambda: diffrax_loops(fields, starts, times)),
    ]
    row.notes += [
        f"loops are measured over {SAMPLE} members (simulate) and {CHECKED} (others); errors are theirs",
        "the edge of the model's domain is watched by geoctrl, and by hand where it says so",
    ]
    return bench.fill(row, programs, lambda last: float(np.abs(last[:CHECKED] - truth[: len(last)]).max()))


def diffrax_loops(fields: list[Callable], starts: np.ndarray, times: np.ndarray) -> list[Program]:
    """Compiled loops of the members that are checked, run one after the other."""
    made = [by_diffrax(f, x0, times) for f, x0 in zip(fields[:2], starts, strict=False)]

    def run(setting: int) -> Callable[[], np.ndarray]:
        def call() -> np.ndarray:
            found = [programs[setting].run()[:, -1] for programs in made]
            return np.array(found)

        return call

    return [
        Program("diffrax, Dopri8", made[0][k].setting, run(k), "peer", parts=len(made))
        for k in range(len(made[0]))
    ]


def falling(bench: Bench) -> Row:
    """Skates without a controller, which end at the edge of the domain."""
    row = Row("falling", f"{MEMBERS:,} falling skates, a run", "us")
    _, skate = bench_ensemble.systems()
    starts, params = bench_ensemble.falling(MEMBERS)
    times = np.array([0.0, bench_ensemble.END])
    some, own = starts[:SAMPLE], {name: values[:SAMPLE] for name, values in params.items()}
    programs = [
        Program(
            "geoctrl",
            "1e-15",
            lambda: gc.simulate_ensemble(skate, times, starts, params=params).last,
            parts=MEMBERS,
        ),
        Program(
            "loop over simulate",
            "1e-15",
            lambda: bench_ensemble.looped(skate, times, some, own),
            parts=SAMPLE,
        ),
    ]
    row.floor = 1e-13
    truth = programs[1].run()[:CHECKED]
    row.notes.append("errors are differences of the states in which runs end from those of the loop")
    return bench.fill(row, programs, lambda last: float(np.abs(last[:CHECKED] - truth[: len(last)]).max()))


POINTS = 250_000


def verdicts(bench: Bench) -> Row:
    """Exact verdicts of a quarter of a million spinning skates."""
    row = Row("verdicts", f"{POINTS:,} exact verdicts", "s")
    skate = gc.models.get("pendulum-skate")().reduce()
    conditions = gc.stability_conditions(skate, "spinning")
    rng = np.random.default_rng(1)
    spins, lengths = rng.uniform(0, 10, POINTS), rng.uniform(0.3, 1.5, POINTS)
    states = skate.members("spinning", {"l": lengths}, Omega0=spins)
    few = 5000
    matrices = gc.linearize_many(skate, states[:, :few], {"l": lengths[:few]}).A
    programs = [
        Program("geoctrl", "exact", lambda: conditions.evaluate({"l": lengths}, Omega0=spins)),
        Program("numpy, eigvals", "floats", lambda: np.linalg.eigvals(matrices), "peer", parts=few / POINTS),
        Program(
            "geoctrl, linearize_many",
            "floats",
            lambda: gc.linearize_many(skate, states, {"l": lengths}),
        ),
    ]
    row.notes.append(
        f"eigenvalues of matrices that are there already ({few} of them, scaled) are floats, and decide "
        "neither the border nor stability by nonlinear terms"
    )
    return bench.fill(row, programs)


def certified_map(bench: Bench) -> Row:
    """A map of proofs of the spinning skate, 512 by 512."""
    row = Row("map", "certified map", "s")
    axes = {"Omega0": (0, 10), "l": (0.1, 1.5)}

    def made() -> None:
        # The skate anew: what is known of a system is remembered with it.
        skate = gc.models.get("pendulum-skate")().reduce()
        gc.certify_region(skate, "spinning", axes, depth=9)

    return bench.fill(row, [Program("geoctrl", "depth 9", made)])


def certified_bodies(bench: Bench, n: int) -> Row:
    """Coupled bodies on a ring, at rest: a certificate, with nothing known of the system before."""
    row = Row(f"bodies-{n}", f"{n} coupled bodies, certify", "s")
    verdicts = set()

    def made() -> float:
        bodies = gc.models.get("coupled-bodies")(n=n).reduce()
        point = bodies.equilibrium("equal")
        begun = time.process_time()
        verdicts.add(gc.certify(bodies, point).verdict.name)
        return time.process_time() - begun

    bench.fill(row, [Program("geoctrl", "certify", made, seconds=float)])
    row.notes.append(f"described and reduced anew each time, which is not counted; {', '.join(verdicts)}")
    return row
