"""Trajectories as files: an npz archive of plain arrays and one JSON text, nothing that could execute."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl.errors import InputError
from geoctrl.simulation.events import EventRecord, Events

if TYPE_CHECKING:
    from geoctrl.simulation.trajectory import Trajectory

__all__ = ["arrays_of", "read", "read_arrays", "write"]

_FORMAT = "geoctrl trajectory"
_VERSION = 1


def arrays_of(traj: Trajectory) -> dict[str, np.ndarray]:
    """Everything a file holds, by the names in the archive."""
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "name": traj.name,
        "state_labels": traj.state_labels,
        "input_labels": traj.input_labels,
        "output_labels": traj.output_labels,
        "params": {k: float(v) for k, v in traj.params.items()},
        "engine": traj.engine,
        "status": traj.status,
        "success": bool(traj.success),
        "events": list(traj.events),
        "invariants": list(traj.invariants),
        "leaf": list(traj.leaf_defects),
    }
    arrays = {
        "header": np.array(json.dumps(header)),
        "time": traj.time,
        "states": traj.states,
        "inputs": traj.inputs,
        "outputs": traj.outputs,
        "energy": traj.energy,
    }
    for i, record in enumerate(traj.events.values()):
        arrays[f"event{i}_time"], arrays[f"event{i}_states"] = record.time, record.states
    for i, values in enumerate(traj.invariants.values()):
        arrays[f"invariant{i}"] = values
    for i, values in enumerate(traj.leaf_defects.values()):
        arrays[f"leaf{i}"] = values
    return arrays


def read_arrays(arrays: Mapping[str, np.ndarray]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of a `Trajectory`, and what it would compute from its system."""
    header = json.loads(str(arrays["header"]))
    events = Events()
    for i, name in enumerate(header["events"]):
        events[name] = EventRecord(arrays[f"event{i}_time"], arrays[f"event{i}_states"])
    given = {
        "time": arrays["time"],
        "states": arrays["states"],
        "labels": {what: tuple(header[f"{what[:-1]}_labels"]) for what in ("states", "inputs", "outputs")},
        "events": events,
        **{k: header[k] for k in ("params", "engine", "status", "success", "name")},
    }
    computed: dict[str, Any] = {k: arrays[k] for k in ("inputs", "outputs", "energy")}
    computed["invariants"] = {k: arrays[f"invariant{i}"] for i, k in enumerate(header["invariants"])}
    computed["leaf_defects"] = {k: arrays[f"leaf{i}"] for i, k in enumerate(header["leaf"])}
    return given, computed


def write(path: str | PathLike, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the archive."""
    with open(path, "wb") as file:
        np.savez(file, **dict[str, Any](arrays))


def read(path: str | PathLike) -> dict[str, np.ndarray]:
    """The arrays of an archive, its header checked.

    Raises
    ------
    InputError
        If the file is not a trajectory, or of a later format.
    """
    wrong = f"{fspath(path)} is not a trajectory written by Trajectory.save"
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(str(arrays["header"]))
        known = header["format"] == _FORMAT
        version = int(header["version"])
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(wrong) from error
    if not known:
        raise InputError(wrong)
    if version > _VERSION:
        raise InputError(
            f"{fspath(path)} has format {version}; this version of geoctrl reads up to {_VERSION}"
        )
    return arrays
