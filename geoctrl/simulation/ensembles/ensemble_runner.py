"""Ensembles over the runner of parts: other threads, processes and machines, and folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall, is_under_way, under_way
from geoctrl.errors import InputError
from geoctrl.runs.fingerprints import array_fingerprint, function_fingerprint, text_fingerprint
from geoctrl.runs.part_runner import Members, Task, TimeIsUpError, run_parts
from geoctrl.simulation.batches.ensemble_parts import empty_rows, run_rows
from geoctrl.simulation.batches.ensemble_rows import EnsembleRows, lists_of
from geoctrl.simulation.members.draws import Draws
from geoctrl.simulation.members.ensemble_task import EnsembleTask
from geoctrl.simulation.members.quantities import KeptQuantity

__all__ = ["fill_by_parts"]


def fill_by_parts(
    task: EnsembleTask, rows: EnsembleRows, call: LongCall, executor: Any, out: Path | None
) -> None:
    """Fill rows with all members, by whichever workers, each part as soon as it is there."""
    arrays, shared = task.members.arrays_and_rest()
    runner = Task(
        _member_arrays,
        replace(task, members=shared),
        task.members.count,
        {} if out is None else _question(task),
        arrays,
        is_strict=True,
        lists=lists_of(task.record),
    )
    usual = task.usual_words
    run_parts(runner, call, executor, out, put=lambda first, arrays: rows.put(first, arrays, usual))


def _member_arrays(shared: EnsembleTask, members: Members) -> dict[str, np.ndarray]:
    """A part of an ensemble."""
    of_part = shared.members.of_part(members.first, members.count, members.arrays)
    task = replace(shared, members=of_part)
    rows = empty_rows(task, members.count)
    rows.first = members.first
    run_rows(task, rows, _look)
    return rows.part_arrays(members.first, task.usual_words)


def _look(_done: int) -> None:
    """In the thread of the call its time is looked at; workers run their parts."""
    if is_under_way() and under_way().is_over:
        raise TimeIsUpError


def _question(task: EnsembleTask) -> dict[str, Any]:
    """What the numbers depend on besides the arrays, as text; InputError where the equations have none."""
    if task.drive.obstacle is not None or not task.system.recorded:
        raise InputError(
            "out= needs equations that are recorded, and inputs that are no functions: a folder knows its "
            "members by their text. Leave out= away, or take euler_poincare().reduce() of the system"
        )
    equations = task.equations
    program = equations.program([*equations.rates, *equations.events, *task.record_nodes])
    members = task.members
    return {
        "what": "ensemble",
        "equations": text_fingerprint(program.source, *program.constants_text),
        "times": array_fingerprint(task.times),
        "engine": f"{task.words}, rtol {task.rtol}, domain {task.domain}",
        "inputs": _text(task.inputs),
        "events": ", ".join(f"{e.name}: {e.terminal} {e.direction}" for e in task.located_events) or "none",
        "record": ", ".join(_way_to_keep(q) for q in task.record or ()) or "states",
        "x0s": _text(members.starts if isinstance(members.starts, Draws) else None),
        "params": _text(members.params if isinstance(members.params, Draws) else members.common_params),
    }


def _way_to_keep(quantity: KeptQuantity) -> str:
    """How a quantity is kept."""
    over = f" {quantity.over} {quantity.detail}" if quantity.over else ""
    return f"{quantity.name}: {quantity.how}{over}"


def _text(value: Any) -> str:
    """What an argument is, so that others are told from it."""
    if isinstance(value, Draws):
        return f"draws of seed {value.seed} by {function_fingerprint(value.function)}"
    if isinstance(value, Mapping):
        return ", ".join(f"{k}: {_text(v)}" for k, v in value.items()) or "none"
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    return array_fingerprint(value) if isinstance(value, np.ndarray | list) else str(value)
