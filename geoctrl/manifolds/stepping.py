"""Steps of fixed size on a manifold: what `integrate` does for every kind of system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, require_choice, whole_number
from geoctrl.errors import InputError
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.trajectory import ManifoldTrajectory
from geoctrl.stepping import Method, Progress, composition, concluded, record_steps, record_times
from geoctrl.stepping.inputs import read_inputs
from geoctrl.stepping.threads import on_threads, read_threads

__all__ = ["take_steps"]

Starter = Callable[..., Callable[[int, int, int], tuple[int, int, int, float]]]


def take_steps(
    system: ManifoldSystem,
    start: tuple[Any, Any],
    h: float,
    steps: int,
    *,
    kind: type[ManifoldSystem],
    methods: Mapping[str, Method],
    starter: Starter,
    method: str,
    order: int,
    record: int,
    params: Mapping[str, float] | None,
    inputs: Any,
    threads: int,
    throw: bool,
    progress: bool | Callable[[float], object],
) -> Any:
    """Check the arguments of `integrate`, run the method, and put the records together.

    Parameters
    ----------
    kind : type
        The systems that the methods are for.
    methods : dict of name -> Method
    starter : callable
        ``starter(run, method, stages, first, second, h, record, rows)`` gives what
        `geoctrl.stepping.record_steps` calls: ``stages`` are the parts of a composed step, ``rows`` two
        arrays for the records.

    Raises
    ------
    TypeError, InputError
        For bad arguments.
    ConvergenceError
        If a step cannot be taken.
    """
    if not isinstance(system, kind):
        raise TypeError(f"system must be a {kind.__name__}, got {type(system).__name__}")
    require_choice("method", method, methods)
    stages = composition(order)
    if order != 2 and not methods[method].composable:
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
        advance = starter(run, method, stages, *parts, h, record, rows)
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
