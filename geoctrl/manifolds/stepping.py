"""Steps of fixed size on a manifold: what `integrate` does for every kind of system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, require_choice, whole_number
from geoctrl.errors import InputError
from geoctrl.manifolds.run import Run
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.trajectory import ManifoldTrajectory
from geoctrl.stepping import METHODS, Progress, composition, concluded, record_steps, record_times
from geoctrl.stepping.inputs import read_inputs
from geoctrl.stepping.runge_kutta import Tableau, runge_kutta, runge_kutta_signature, tableau
from geoctrl.stepping.threads import on_threads, read_threads
from geoctrl.stepping.variational import Motion, Pace, variational, variational_signature

__all__ = ["take_steps"]


def take_steps(
    system: ManifoldSystem,
    start: Any,
    h: float,
    steps: int,
    *,
    kind: type,
    method: str,
    order: int,
    record: int,
    params: Mapping[str, float] | None,
    inputs: Any,
    threads: int,
    throw: bool,
    progress: bool | Callable[[float], object],
    project: bool = False,
) -> Any:
    """Check the arguments of `integrate`, run the method, and put the records together.

    Parameters
    ----------
    kind : type
        The systems that the methods are for.
    project : bool
        Renormalise directions after each step of a Runge-Kutta method.

    Raises
    ------
    TypeError, InputError
        For bad arguments.
    ConvergenceError
        If a step cannot be taken.
    """
    if not isinstance(system, kind):
        raise TypeError(f"system must be a {kind.__name__}, got {type(system).__name__}")
    require_choice("method", method, METHODS)
    stages = composition(order)
    if order != 2 and not METHODS[method].composable:
        raise InputError(f"order is chosen for method='variational' only; {method!r} has its own")
    h = float(finite_array("h", h, ()))
    if not h > 0:
        raise InputError(f"h must be positive, got {h}")
    steps, record = whole_number("steps", steps, 1), whole_number("record", record, 1)
    report = Progress(progress, "integrate")
    threads = read_threads(threads)
    values = system.parameters_at(params)
    drive = read_inputs(system, inputs)
    parts = system.read_start(start)
    acting = system.acting(drive)
    run = acting.run(params, drive if drive.law is None else None)
    if threads > 1:
        run = acting.numerics.parallel(run)
    rows = tuple(np.empty((1 + steps // record, *part.shape)) for part in parts)
    for row, part in zip(rows, parts, strict=True):
        row[0] = part
    with on_threads(threads):
        if method == "variational":
            advance = _variational(run, stages, *parts, h, record, rows)
        else:
            advance = _runge_kutta(run, tableau(method, project), *parts, h, record, rows)
        outcome = record_steps(advance, steps, record, report)

    def made(status: str, success: bool) -> ManifoldTrajectory:
        done = outcome.records
        return system.trajectory_of(
            record_times(0.0, h, steps, record)[:done],
            *(row[:done] for row in rows),
            params=values,
            engine=run.engine,
            status=status,
            success=success,
            iterations=outcome.iterations / max(1, outcome.steps),
            drive=drive,
        )

    return concluded(outcome, h, made, throw)


def _variational(
    run: Run, stages: np.ndarray, first: Any, second: Any, h: float, record: int, rows: Any
) -> Any:
    z, L = first.reshape(-1, 3), run.momenta(first, second)
    motion = Motion(z, L, second, run.slope(first).reshape(-1, 3), run.forces(0.0, first, second))
    solver, records = run.solver, (rows[0].reshape(len(rows[0]), -1, 3), rows[1])
    loop = run.loop(variational, variational_signature(solver))
    kernels = (*solver.pointers(), run.gradient, run.force, *run.kinetics)
    what = (run.bodies, run.spin, run.solved(len(stages)), motion, run.numbers)
    return lambda done, count, row: loop(*kernels, *what, Pace(done, h, stages, count, record, row), *records)


def _runge_kutta(run: Run, rule: Tableau, first: Any, second: Any, h: float, record: int, rows: Any) -> Any:
    z, none = first.reshape(-1, 3), np.zeros(0)
    motion = Motion(z, np.zeros_like(second), second, np.zeros_like(z), np.zeros_like(second))
    solver, records = run.solver, (rows[0].reshape(len(rows[0]), -1, 3), rows[1])
    loop = run.loop(runge_kutta, runge_kutta_signature(solver))
    kernels = (solver.accelerator(), run.gradient, run.force, *run.kinetics)
    what = (run.bodies, run.spin, run.solved(), motion, run.numbers, rule)
    return lambda done, count, row: loop(*kernels, *what, Pace(done, h, none, count, record, row), *records)
