"""`simulate_ensemble`: checks, the members run, what was done kept; ensembles read from files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall, paced_call, under_way
from geoctrl._checks import file_path, flag, quantity, require_choice, time_grid
from geoctrl.errors import FolderError, InputError, WorkerError
from geoctrl.runs.part_runner import PartsFound, TimeIsUpError
from geoctrl.simulation.batches.ensemble_parts import empty_rows, run_rows
from geoctrl.simulation.batches.ensemble_rows import EnsembleRows
from geoctrl.simulation.ensembles import ensemble_files
from geoctrl.simulation.ensembles.ensemble import Ensemble
from geoctrl.simulation.ensembles.ensemble_runner import fill_by_parts
from geoctrl.simulation.members.ensemble_members import read_members
from geoctrl.simulation.members.ensemble_task import EnsembleTask
from geoctrl.simulation.members.quantities import bytes_kept, read_record
from geoctrl.simulation.run import ENGINES, tolerance_given
from geoctrl.systems import System, as_system

__all__ = ["load_ensemble", "simulate_ensemble"]


@paced_call
def simulate_ensemble(
    sys: System,
    timepts: Any,
    x0s: Any,
    params: Mapping[str, Any] | None = None,
    inputs: Any = None,
    events: Mapping[str, Any] | None = None,
    executor: Any = None,
    out: str | PathLike | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    engine: str = "auto",
    rtol: float | None = None,
    domain: bool = True,
    record: Any = None,
    memory: float = 2e9,
    *,
    seconds: float | None = None,  # noqa: ARG001
) -> Ensemble:
    """Run many members: from starts, at parameters and under inputs of their own.

    Members of recorded systems run eight or sixteen at a time in one compiled integrator. What a
    member gets depends on itself alone: not on its place, on the others or on what becomes of them, to the
    last bit.

    Parameters
    ----------
    sys : System
        As for `simulate`.
    timepts : (nt,) array, or float
        Times of the samples, the same for all members; a number is the end, as for `simulate`.
    x0s : (N, n) array, (n,), Equilibrium or Draws
        Starts, or one for all.
    params : dict or Draws, optional
        Name -> number, or array (N,).
    inputs : optional
        As for `simulate`, common to all; in a dict also label -> array (N,), a number for each member.
    events : dict, optional
        As for `simulate`. What is passed is in `Ensemble.events`; a terminal event ends the member.
    executor : concurrent.futures.Executor, optional
        Of threads, processes (``mp_context`` "spawn"), MPI (`mpi4py.futures`) or Dask
        (``client.get_executor()``), as for `sweep`; this thread by default. The numbers are the same.
    out : str or path, optional
        A folder, written as parts of the ensemble are done: one that was killed goes on from there. A folder
        of other inputs, equations or versions is refused.
    progress : bool or callable
        As for `simulate`.
    engine : {"auto", "heyoka", "lanes", "scipy"}
        Where the system's equations are recorded and no input is a function, "auto" takes batches of heyoka,
        or lanes where that is not installed; else `simulate` runs members one by one. `Ensemble.engine`
        tells.
    rtol, domain : optional
        As for `simulate`.
    record : list or dict, optional
        What is kept instead of the states: a list of labels or expressions, or a dict of name -> expression,
        each at all samples, (N, nt). ``("min", expr)``, ``("max", expr)`` and ``("last", expr)`` keep one
        number: over samples and end, or at the end. ``("count", relation)``, ``("moments", q)``,
        ``("extremes", q)`` and ``("histogram", q, edges)`` keep what is so of all members, at each sample, or
        where ``q`` is such a pair of its one number: see `Ensemble.recorded`. Sums are exact, so that they
        are the same in any order and parts.
    memory : float
        Bytes that may be kept.
    seconds : float, optional
        Time for all of it; members that are not run by then have that as their status.

    Returns
    -------
    Ensemble

    Raises
    ------
    InputError
        If numbers of members disagree, arrays have other shapes, or more bytes would be kept than ``memory``.
    ParameterError
        For an unknown or missing parameter.
    LabelError
        If ``record`` names what this system does not have.
    ExpressionError
        For an expression that cannot be translated, or that the engine asked for cannot run.
    TypeError
        For what is no system, or another bad argument.
    FolderError
        If ``out`` cannot be written, or holds another ensemble: in words what differs.
    WorkerError
        If a worker dies; ``.result`` holds the members done.
    KeyboardInterrupt
        When interrupted; ``.ensemble`` holds the members done.

    Notes
    -----
    A value that is bad in one member (no number, not positive, off the leaf, singular, outside the domain) is
    its status, "refused: ...", and the others run. A run that meets what is no number or a singularity, and
    one that is small beside the sizes that doubles are made for, is run again alone by `simulate`.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> sys = gc.models.get("pendulum-skate")().reduce()
    >>> tilts = np.linspace(0.05, 0.2, 40)
    >>> starts = [sys.project([0.1, 0, 0, 1, 0, 0], {"Gamma": [0, np.sin(a), np.cos(a)]}) for a in tilts]
    >>> ens = gc.simulate_ensemble(sys, [0, 5], starts, params={"m": np.linspace(1, 2, 40)})
    >>> ens.status[0].split(",")[0], bool((np.diff(ens.end) < 0).all())
    ("left the domain 'above the ice'", True)
    """
    as_system(sys, "simulate_ensemble")
    require_choice("engine", engine, ENGINES)
    times = time_grid(timepts).copy()
    members, common = read_members(sys, x0s, params, inputs)
    task = EnsembleTask(
        system=sys,
        times=times,
        members=members,
        inputs=common,
        events=events,
        record=read_record(sys, record),
        engine=engine,
        rtol=tolerance_given(rtol),
        domain=flag("domain", domain),
    )
    _require_memory(task, quantity("memory", memory))
    task.engine_alone  # noqa: B018  # what no engine can run is refused before any work
    call = under_way()
    if executor is not None or out is not None:
        return _over_parts(task, call, executor, None if out is None else file_path(out))
    rows = empty_rows(task, members.count)
    try:
        run_rows(task, rows, lambda done: _look(call, done, members.count))
        call.report.finish(1.0)
    except TimeIsUpError:
        rows.name_missing(_time_words(call))
    except KeyboardInterrupt as interrupt:
        rows.name_missing("interrupted")
        interrupt.ensemble = _ensemble_of(task, rows)  # type: ignore[attr-defined]
        raise
    return _ensemble_of(task, rows)


def _over_parts(task: EnsembleTask, call: LongCall, executor: Any, out: Path | None) -> Ensemble:
    """The ensemble by other workers, or from a folder."""
    rows = empty_rows(task, task.members.count)
    try:
        fill_by_parts(task, rows, call, executor, out)
    except (WorkerError, FolderError, KeyboardInterrupt) as error:
        if isinstance(getattr(error, "result", None), PartsFound):
            rows.name_missing("interrupted" if isinstance(error, KeyboardInterrupt) else str(error))
            error.result = error.ensemble = _ensemble_of(task, rows)  # type: ignore[union-attr]
        raise
    rows.name_missing(_time_words(call))
    return _ensemble_of(task, rows)


def _time_words(call: LongCall) -> str:
    return f"{call.budget.seconds:g} s of computing were over"


def _look(call: LongCall, done: int, count: int) -> None:
    """Tell how far the call is; an exception where its time is up."""
    call.tell("running", f"{done} of {count} members", done / count)
    if call.is_over:
        raise TimeIsUpError


def _require_memory(task: EnsembleTask, memory: float) -> None:
    """Refuse to keep more than was allowed."""
    count, samples = task.members.count, task.times.size
    needed = bytes_kept(task.system, task.record, count, samples)
    if needed > memory:
        what = "states" if task.record is None else "what record= names"
        raise InputError(
            f"{what} of {count} members at {samples} times take {needed:.3g} bytes, more than "
            f"memory={memory:.3g}: keep less by record=, take fewer times, or raise memory (out= writes "
            "parts as they are done, but puts them together in memory too)"
        )


def _ensemble_of(task: EnsembleTask, rows: EnsembleRows) -> Ensemble:
    """The ensemble of members that were run."""
    asked = [event.name for event in task.located_events if event.edge is None]
    arrays = rows.arrays(len(asked))
    status = rows.status.tolist()
    codes = {words: i for i, words in enumerate(sorted(set(status)))}
    drawn = task.members.part(0, task.members.count).params
    several = [name for name, value in drawn.items() if np.ndim(value)]
    header = {
        "name": task.system.name,
        "engine": task.words,
        "state_labels": list(task.system.state_labels),
        "words": list(codes),
        "recorded": [quantity.name for quantity in task.record or ()],
        "reduced": {quantity.name: quantity.over for quantity in task.record or () if quantity.over},
        "params": {k: float(v) for k, v in drawn.items() if not np.ndim(v) and v is not None},
        "param_arrays": several,
        "events": asked,
    }
    arrays |= {"time": task.times, "codes": np.array(list(map(codes.__getitem__, status)), np.int32)}
    arrays |= {f"param{i}": np.array(drawn[name]) for i, name in enumerate(several)}
    return Ensemble(arrays, header).live(task)


def load_ensemble(path: str | PathLike, system: Any = None) -> Ensemble:
    """Read an ensemble that `Ensemble.to_npz` wrote.

    Parameters
    ----------
    path : str or path
    system : System, optional
        What ran, without inputs: it gives `Ensemble.drift`, and what trajectories compute.

    Returns
    -------
    Ensemble

    Raises
    ------
    InputError
        If the file is not an ensemble, of a later format, or not one of this system.
    FileNotFoundError
    TypeError
        If this is no path, or no system.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")().reduce()
    >>> ens = gc.simulate_ensemble(top, np.linspace(0, 1, 11), [[0.3, 0.1, 5, 0, 0.6, 0.8]] * 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ens.to_npz(pathlib.Path(folder) / "tops.npz")
    ...     again = gc.load_ensemble(pathlib.Path(folder) / "tops.npz")
    >>> bool(np.all(again.states == ens.states))
    True
    """
    if system is not None:
        as_system(system, "load_ensemble")
    ensemble = Ensemble(*ensemble_files.read(path))
    if system is None:
        return ensemble
    for what, labels, own in (
        ("states", ensemble.state_labels, tuple(system.state_labels)),
        ("parameters", tuple(sorted(ensemble.params)), tuple(sorted(system.params))),
    ):
        if labels != own:
            raise InputError(
                f"this is no ensemble of {system.name or 'the system'}: the file has the {what} "
                f"{', '.join(labels) or '-'}, the system {', '.join(own) or '-'}"
            )
    starts = ensemble.last if ensemble.recorded else ensemble.states[:, :, 0]
    members, _ = read_members(system, starts, ensemble.params, None)
    return ensemble.live(EnsembleTask(system=system, times=ensemble.time, members=members))
