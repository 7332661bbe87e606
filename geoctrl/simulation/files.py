"""Trajectories read from files, alone or as runs of a system that is at hand."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from geoctrl.errors import InputError
from geoctrl.runs import Events, Samples, storage
from geoctrl.simulation.jumps.hybrid_trajectory import HybridTrajectory, RunPiece
from geoctrl.simulation.jumps.pieces_of_file import require_jumps_of, written_pieces
from geoctrl.simulation.run import choose_engine
from geoctrl.simulation.trajectory import Trajectory, trajectory_of
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.inputs import read_inputs
from geoctrl.systems import HybridSystem, as_system

__all__ = ["load_trajectory"]

_SAME = 1e-9
"""Largest relative difference between what a file holds and what the system computes at its samples."""


def load_trajectory(path: str | PathLike, system: Any = None, inputs: Any = None) -> Samples:
    """Read a trajectory that `Trajectory.save` wrote.

    With its system it is a run like any other, attitude, position and contact included; alone it holds
    samples and what was computed from them.

    Parameters
    ----------
    path : str or path
    system : System or HybridSystem, optional
        What ran. Energy, inputs and outputs are computed anew from the samples and must agree with the file.
    inputs : optional
        As they were given to `simulate`: a file holds samples of them, not what they are in between. Of a
        run under a controller the samples, ``load_trajectory(path).inputs``.

    Returns
    -------
    Trajectory, or the kind of trajectory of the system; HybridTrajectory of a run with jumps

    Raises
    ------
    InputError
        If the file is not a trajectory, of a later format, or not one of this system with these inputs.
    FileNotFoundError
    TypeError
        If this is no path, or no system.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")().reduce()
    >>> traj = gc.simulate(top, np.linspace(0, 1, 11), [0.3, 0.1, 5, 0, 0.6, 0.8])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     traj.save(pathlib.Path(folder) / "top.npz")
    ...     again = gc.load_trajectory(pathlib.Path(folder) / "top.npz", system=top)
    >>> bool(np.all(again.states == traj.states)), again.attitude().shape
    (True, (11, 3, 3))
    """
    jumping = isinstance(system, HybridSystem)
    if system is not None and not jumping:
        as_system(system, "load_trajectory")
    elif system is None and inputs is not None:
        raise InputError("inputs belong to a system: give load_trajectory its system too")
    arrays = storage.read(path)
    if "jump_sizes" in arrays:
        run = HybridTrajectory.from_arrays(arrays)
        if system is not None and not jumping:
            raise InputError("this is a run with jumps: give the system with jumps, mech.hybrid()")
        return run if system is None else _hybrid_run_of(run, system, inputs)
    if jumping:
        raise InputError("this is no run with jumps: give the system of its mode, h.modes[name]")
    alone = Trajectory.from_arrays(arrays)
    return alone if system is None else _run_of(alone, system, inputs)


def _run_of(alone: Trajectory, system: Any, inputs: Any) -> Samples:
    """The run as one of the system."""
    # What a controller applied is told among the outputs: here it is given as the inputs.
    applied = alone.input_labels if tuple(alone.output_labels)[len(system.output_labels) :] else ()
    _require_labels(alone, system, (*system.output_labels, *applied))
    rest = {k: getattr(alone, k) for k in ("engine", "status", "success", "events")}
    made = _samples_of(
        system, inputs, system.parameters_at(alone.params), alone.time, alone.time, alone.states, **rest
    )
    _require_same(system, alone, made)
    return made


def _samples_of(
    system: Any,
    inputs: Any,
    params: dict[str, float],
    asked: np.ndarray,
    time: np.ndarray,
    states: np.ndarray,
    **rest: Any,
) -> Samples:
    """Samples as a run of the system, of which inputs that are samples belong to the times asked for."""
    drive = read_inputs(system, inputs, asked)
    flow = Flow(system=system, drive=drive, params=params, x0=states[:, 0], times=time)
    return trajectory_of(flow, type(choose_engine(flow, "auto")), time, states, **rest)


def _require_labels(alone: Samples, system: Any, outputs: tuple[str, ...]) -> None:
    """InputError unless the file has the states, outputs and parameters of the system."""
    for what, labels, own in (
        ("states", alone.state_labels, system.state_labels),
        ("outputs", alone.output_labels, outputs),
        ("parameters", tuple(sorted(alone.params)), tuple(sorted(system.params))),
    ):
        if tuple(labels) != tuple(own):
            raise InputError(
                f"this is no run of {system.name or 'the system'}: the file has the {what} "
                f"{', '.join(labels) or '-'}, the system {', '.join(own) or '-'}"
            )


def _hybrid_run_of(alone: HybridTrajectory, system: HybridSystem, inputs: Any) -> HybridTrajectory:
    """The run as one of the system with jumps: its pieces, each held against the file."""
    outputs = dict.fromkeys(label for mode in system.modes.values() for label in mode.output_labels)
    _require_labels(alone, system, tuple(outputs))
    if unknown := sorted({*map(str, alone.mode), *(jump.mode for jump in alone.jumps)} - {*system.modes}):
        raise InputError(
            f"this is no run of {system.name or 'the system'}: it has no mode {', '.join(unknown)}"
        )
    params, pieces = system.parameters_at(alone.params), []
    require_jumps_of(alone, system, params)
    told = {"engine": alone.engine, "status": "completed", "success": True}
    for piece in written_pieces(alone, system):
        own, values, asked = system.modes[piece.mode], params[piece.mode], alone.time
        run = _samples_of(own, inputs, values, asked, piece.time, piece.states, events=Events(), **told)
        if piece.samples.size:
            written = alone.columns(piece.samples, run.output_labels)
            times = alone.time[piece.samples]
            states = piece.states[:, piece.columns]
            _require_same(
                own, written, _samples_of(own, inputs, values, asked, times, states, events=Events(), **told)
            )
        pieces.append(RunPiece(piece.mode, run, piece.columns))
    rest = {k: getattr(alone, k) for k in ("status", "success", "accumulation")}
    made = HybridTrajectory.of_pieces(system, pieces, alone.jumps, alone.params, **rest)
    made.events, made.engine = alone.events, alone.engine
    return made


def _require_same(system: Any, alone: Any, made: Samples) -> None:
    """InputError unless energy, inputs and outputs at the samples are those of the file."""
    if tuple(alone.input_labels) != tuple(made.input_labels):
        raise InputError(
            f"the file has the inputs {', '.join(alone.input_labels) or '-'}, the system "
            f"{', '.join(made.input_labels) or '-'}"
        )
    signals = (
        ("inputs", alone.inputs, made.inputs),
        ("outputs", alone.outputs[: len(made.outputs)], made.outputs),  # without what was applied
        ("energy", alone.written_energy, made.written_energy),
    )
    for what, *pair in signals:
        stored, computed = map(np.atleast_2d, pair)
        if what == "energy" and np.all(np.isnan(stored)) and np.all(np.isnan(computed)):
            continue  # a system without one
        apart = np.max(np.abs(stored - computed), axis=1, initial=0.0)
        allowed = _SAME * np.max(np.abs(stored), axis=1, initial=0.0)
        if np.any(apart > allowed) and what != "inputs":
            allowed = allowed + _allowance(system, made, what, computed)
        if not np.all(apart <= allowed):
            worst = float(np.max(apart))
            remedy = "; give inputs= as in the run" if what == "inputs" else ""
            raise InputError(
                f"this is no run of {made.name or 'the system'} with these inputs: the {what} of the file "
                f"and those computed from its samples differ by {worst:.3g}{remedy}"
            )


def _allowance(system: Any, run: Samples, what: str, values: np.ndarray) -> np.ndarray:
    """What signals (k, nt) change by when each state changes by a part of its largest value: (k,).

    Where terms cancel this is more than the same part of the signal.
    """
    states, found = run.states, np.zeros(len(values))
    for row in range(len(states)):
        moved = states.copy()
        moved[row] += _SAME * np.max(np.abs(states[row]))
        there = (
            system.energy(moved, run.params)
            if what == "energy"
            else system.outputs(run.time, moved, run.inputs, run.params)
        )
        found += np.max(np.abs(np.atleast_2d(there) - values), axis=1, initial=0.0)
    return found
