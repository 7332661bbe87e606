"""Rows of motions: all of them against 80-bit arithmetic."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import geoctrl as gc
from studies import bench_rolling, bench_simulate
from studies.bench.links import from_relative, mujoco_text, planar_links, relative, truth_of
from studies.bench.measure import Bench, Program, Row, largest_from
from studies.bench.peers import Field, by_control, solvers

ROUNDING = 3e-12
"""Errors of motions that differ by less differ by luck: another order of sums changes them as much."""


def taylor(field: Field, n: int, watched: Callable | None = None, real: type = float, **options: Any) -> Any:
    """A heyoka program by hand, at 1e-15, or 1e-18 in 80 bits."""
    import heyoka as hy

    x = [hy.expression(f"x{i}") for i in range(n)]
    edges = [] if watched is None else [hy.t_event(watched(x))]
    return hy.taylor_adaptive(
        list(zip(x, field(x), strict=True)),
        state=np.zeros(n, dtype=real),
        tol=real(1e-15 if real is float else 1e-18),
        fp_type=real,
        t_events=edges,
        **options,
    )


def along(integrator: Any, x0: np.ndarray, grid: np.ndarray) -> Callable[[], np.ndarray]:
    """States (n, nt) of a program by hand."""

    def run() -> np.ndarray:
        integrator.time = grid.dtype.type(0)
        integrator.state[:] = x0
        if integrator.with_events:
            integrator.reset_cooldowns()
        return np.asarray(integrator.propagate_grid(grid)[-1]).T

    return run


def exact(field: Field, x0: np.ndarray, grid: np.ndarray, **options: Any) -> np.ndarray:
    """States by 80-bit arithmetic."""
    integrator = taylor(field, len(x0), real=np.longdouble, **options)
    return along(integrator, x0.astype(np.longdouble), grid.astype(np.longdouble))()


# -- the skate ----------------------------------------------------------------------------------------


def skate(bench: Bench) -> Row:
    """The closed loop of [GO] 7.3 over 100 s, 10,001 samples."""
    row = Row("skate", "skate under its law, 100 s", "ms", floor=ROUNDING)
    loop = gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3")).law(sigma=-1e-5).closed_loop()
    tilt = bench_simulate.TILT
    rates = (0.1, 0.1 * math.tan(tilt), 0.1)
    x0 = loop.project([*rates, 1, 0, 0], {"Gamma": (0, math.sin(tilt), math.cos(tilt))})
    grid, values = np.linspace(0.0, 100.0, 10_001), list(bench_simulate.PARAMETERS.values())

    def field(x: Sequence[Any]) -> list[Any]:
        return bench_simulate.field(x, values)

    programs = [
        Program("geoctrl", "1e-15", lambda: gc.simulate(loop, grid, x0).states),
        Program(
            "geoctrl, domain=False", "1e-15", lambda: gc.simulate(loop, grid, x0, domain=False).states, "ours"
        ),
        Program(
            "heyoka by hand, watched", "1e-15", along(taylor(field, 5, lambda x: x[4]), x0, grid), "by hand"
        ),
        Program("heyoka by hand", "1e-15", along(taylor(field, 5), x0, grid), "by hand"),
        Program("python-control, DOP853", "2.3e-14", by_control(field, x0, grid, 2.3e-14), "peer"),
        *solvers(bench, row, field, x0, grid),
    ]
    row.notes.append(
        "simulate watches the edge of the model's domain, the ice; so does the first program by hand"
    )
    return bench.fill(row, programs, largest_from(exact(field, x0, grid)))


# -- the heavy top ------------------------------------------------------------------------------------

TOP = """
<mujoco><option integrator="RK4" timestep="{h}" gravity="0 0 -9.81"/><worldbody><body>
<joint type="ball"/><inertial pos="0 0 {l}" mass="{m}" diaginertia="{I1} {I2} {I3}"/>
</body></worldbody></mujoco>
"""


def heavy_top(bench: Bench) -> Row:
    """A symmetric heavy top over 100 s, 101 samples."""
    row = Row("heavy-top", "heavy top, 100 s", "ms", floor=ROUNDING)
    top = gc.models.get("heavy-top")(set="lagrange").reduce()
    p, tilt = top.params, 0.4
    x0 = np.array([0.3, 0.2, 12.0, 0.0, math.sin(tilt), math.cos(tilt)])
    grid = np.linspace(0.0, 100.0, 101)

    def field(x: Sequence[Any]) -> list[Any]:
        w1, w2, w3, G1, G2, G3 = x
        weight, I1, I2, I3 = p["m"] * p["g"] * p["l"], p["I1"], p["I2"], p["I3"]
        return [
            ((I2 - I3) * w2 * w3 + weight * G2) / I1,
            ((I3 - I1) * w3 * w1 - weight * G1) / I2,
            (I1 - I2) / I3 * w1 * w2,
            G2 * w3 - G3 * w2,
            G3 * w1 - G1 * w3,
            G1 * w2 - G2 * w1,
        ]

    programs = [
        Program("geoctrl", "1e-15", lambda: gc.simulate(top, grid, x0).states),
        Program("heyoka by hand", "1e-15", along(taylor(field, 6), x0, grid), "by hand"),
        *solvers(bench, row, field, x0, grid),
        *bench.peer(row, "mujoco", "mujoco", lambda: mujoco_tops(p, x0, grid)),
    ]
    return bench.fill(row, programs, largest_from(exact(field, x0, grid)))


def mujoco_tops(p: dict[str, float], x0: np.ndarray, grid: np.ndarray) -> list[Program]:
    """The top as a body on a ball joint; moments are those about the centre of mass."""
    moved = {**p, **{k: p[k] - p["m"] * p["l"] ** 2 for k in ("I1", "I2")}}
    # The turn about the first axis that takes Gamma to the vertical.
    angle = math.atan2(x0[4], x0[5])
    start = [math.cos(angle / 2), math.sin(angle / 2), 0, 0]

    def states(data: Any) -> np.ndarray:
        w, a, b, c = data.qpos / np.linalg.norm(data.qpos)
        return np.array([*data.qvel, 2 * (a * c - w * b), 2 * (b * c + w * a), w * w - a * a - b * b + c * c])

    return [
        Program(
            "MuJoCo, RK4",
            f"{h:g} s",
            stepped(TOP.format(h=h, **moved), start, x0[:3], grid, h, states),
            "peer",
        )
        for h in (1e-3, 1e-4)
    ]


def stepped(
    text: str, q: Sequence[float], v: Sequence[float], grid: np.ndarray, h: float, states: Callable
) -> Callable[[], np.ndarray]:
    """Steps of MuJoCo, and what is read of them at the times of the grid."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    data, many = mujoco.MjData(model), round((grid[1] - grid[0]) / h)

    def run() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, v
        found = [states(data)]
        for _ in grid[1:]:
            mujoco.mj_step(model, data, many)
            found.append(states(data))
        return np.array(found).T

    return run


# -- links in a plane ---------------------------------------------------------------------------------


def links(bench: Bench, n: int = 16) -> Row:
    """Links in a plane, one second."""
    row = Row("links", f"{n} links in a plane, 1 s", "ms", floor=ROUNDING)
    made, grid = planar_links(n), np.linspace(0.0, 1.0, 11)
    truth = truth_of(exact(made.field, made.angles, grid, compact_mode=True))

    def by_mujoco() -> list[Program]:
        start = relative(made.angles[:n]), relative(made.angles[n:])
        return [
            Program(
                "MuJoCo, RK4", f"{h:g} s", stepped(mujoco_text(n, h), *start, grid, h, from_relative), "peer"
            )
            for h in (1e-4, 2.5e-5)
        ]

    programs = [
        Program(
            "geoctrl",
            "1e-15",
            lambda: gc.simulate(made.system, grid, made.x0, optimised=True).states[made.places],
        ),
        Program(
            "geoctrl, lanes",
            "1e-13",
            lambda: gc.simulate(made.system, grid, made.x0, engine="lanes", rtol=1e-13).states[made.places],
            "ours",
        ),
        *bench.peer(row, "mujoco", "mujoco", by_mujoco),
    ]
    row.notes.append("the truth is that of equations written by hand, in angles from the vertical")
    return bench.fill(row, programs, largest_from(truth))


# -- rolling ------------------------------------------------------------------------------------------


def rolling(bench: Bench) -> Row:
    """A body of which all axes are skewed, rolling for 20 s; see `studies.bench_rolling`."""
    row = Row("rolling", "rolling ellipsoid, 20 s", "ms", floor=ROUNDING)
    values, grid = bench_rolling.BODIES["ellipsoid, all axes skewed"], bench_rolling.GRID
    early = slice(0, bench_rolling.EARLY)
    x0 = np.concatenate([bench_rolling.OMEGA, bench_rolling.TILT / np.linalg.norm(bench_rolling.TILT)])
    begun = time.process_time()
    system = bench_rolling.mechanism(values).reduce()
    gc.simulate(system, grid[:2], x0, optimised=True)
    first = time.process_time() - begun
    precise = bench_rolling.hand_written(
        values, bench_rolling.by_factors, np.longdouble, np.longdouble(1e-18)
    )
    truth = bench_rolling.runner(precise, x0.astype(np.longdouble), grid[early].astype(np.longdouble))()
    hand = bench_rolling.hand_written(values, bench_rolling.by_factors)
    programs = [
        Program("geoctrl", "1e-15", lambda: gc.simulate(system, grid, x0, optimised=True).states),
        Program("heyoka by hand", "1e-15", bench_rolling.runner(hand, x0, grid), "by hand"),
    ]
    row.notes += [
        f"the motion is chaotic: errors are those of the first {grid[early][-1]:g} s",
        f"derived and compiled in {first:.2f} s, the program by hand compiled in {hand.compilation:.2f} s: "
        "simulate takes optimised code after 20,000 steps of a run, the program by hand at once",
    ]
    away = largest_from(truth)
    return bench.fill(row, programs, lambda states: away(states[:, early]))
