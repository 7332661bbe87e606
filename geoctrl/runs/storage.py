"""Trajectories as files: an npz archive of plain arrays and one JSON text, nothing that could execute."""

from __future__ import annotations

import json
import math
import os
import stat
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from geoctrl._checks import file_path
from geoctrl._scalars import real, shown
from geoctrl.errors import InputError
from geoctrl.runs.records import EventRecord, Events

__all__ = ["arrays_of", "read", "read_archive", "read_arrays", "write"]

_FORMAT = "geoctrl trajectory"
_VERSION = 1
_LARGEST = 1 << 36
"""Bytes that a file may unpack to: a run of 10^8 samples of 80 numbers."""


def arrays_of(given: Mapping[str, Any], computed: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Everything a file holds, by the names in the archive; `read_arrays` gives back both arguments."""
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        **{f"{what[:-1]}_labels": labels for what, labels in given["labels"].items()},
        **{k: given[k] for k in ("name", "engine", "status")},
        "params": {k: float(v) for k, v in given["params"].items()},
        "success": bool(given["success"]),
        "events": list(given["events"]),
        "units": dict(computed["units"]),
        "invariants": list(computed["invariants"]),
        "leaf": list(computed["leaf_defects"]),
    }
    arrays = {
        "header": np.array(json.dumps(header)),
        **{k: given[k] for k in ("time", "states")},
        **{k: computed[k] for k in ("inputs", "outputs", "energy")},
    }
    for i, record in enumerate(given["events"].values()):
        arrays[f"event{i}_time"], arrays[f"event{i}_states"] = record.time, record.states
    for i, values in enumerate(computed["invariants"].values()):
        arrays[f"invariant{i}"] = values
    for i, values in enumerate(computed["leaf_defects"].values()):
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
    computed["units"] = header.get("units", {})
    computed["invariants"] = {k: arrays[f"invariant{i}"] for i, k in enumerate(header["invariants"])}
    computed["leaf_defects"] = {k: arrays[f"leaf{i}"] for i, k in enumerate(header["leaf"])}
    return given, computed


def write(path: str | PathLike, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the archive; TypeError if this is no path."""
    with open(file_path(path), "wb") as file:
        np.savez(file, **dict[str, Any](arrays))


def read(path: str | PathLike) -> dict[str, np.ndarray]:
    """The arrays of an archive, its header and all shapes checked."""
    where = fspath(file_path(path))
    wrong = f"{where} is not a trajectory written by Trajectory.save"
    arrays, header = read_archive(path, wrong)
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise InputError(wrong)
    version = header.get("version")
    if not isinstance(version, int):
        raise InputError(f"{where}: the version is {shown(version)}, and must be a whole number")
    if version > _VERSION:
        raise InputError(f"{where} has format {version}; this version of geoctrl reads up to {_VERSION}")
    _check_header(where, header)
    _check_arrays(where, header, arrays)
    return arrays


def read_archive(path: str | PathLike, wrong: str) -> tuple[dict[str, np.ndarray], Any]:
    """All arrays of an archive, and its header; InputError that says ``wrong`` where it is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise InputError(f"{fspath(path)} is no file")
        with zipfile.ZipFile(path) as archive:
            # Archives may say that little data are much: asked before anything is unpacked.
            if sum(member.file_size for member in archive.infolist()) > _LARGEST:
                raise InputError(f"{fspath(path)} holds more than {_LARGEST:.0e} bytes: {wrong}")
            if not all(_complete(archive, member) for member in archive.infolist()):
                raise InputError(wrong)
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(str(arrays["header"]))
    except (FileNotFoundError, InputError):
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, RecursionError, zipfile.BadZipFile):
        raise InputError(wrong) from None
    except (NotImplementedError, RuntimeError, zlib.error) as error:  # a method or a password of the archive
        raise InputError(f"{wrong}: {error}") from None
    return arrays, header


def _complete(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Whether an array has as many entries as it says: memory is asked for by what it says."""
    with archive.open(member) as file:
        if np.lib.format.read_magic(file) != (1, 0):  # of which version all arrays of a trajectory are
            return False
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        return math.prod(shape) * dtype.itemsize == member.file_size - file.tell()


def _check_header(where: str, header: Mapping[str, Any]) -> None:
    for key in ("state_labels", "input_labels", "output_labels", "events", "invariants", "leaf"):
        labels = header.get(key)
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InputError(f"{where}: {key} must be a list of names, got {shown(labels)}")
    for key, kind in (("name", str), ("engine", str), ("status", str), ("success", bool), ("params", dict)):
        if not isinstance(header.get(key), kind):
            raise InputError(f"{where}: {key} must be of type {kind.__name__}, got {shown(header.get(key))}")
    units = header.get("units", {})  # files of earlier versions have none
    if not isinstance(units, dict) or not all(isinstance(unit, str) for unit in units.values()):
        raise InputError(f"{where}: units must be texts by label, got {shown(units)}")
    for name, value in header["params"].items():
        real(value, f"{where}: parameter {name!r}")


def _check_arrays(where: str, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that are missing, hold no numbers or do not fit the labels and the number of samples."""
    n, nt = len(header["state_labels"]), arrays["time"].size if "time" in arrays else 0
    needed: dict[str, tuple[int, ...]] = {"time": (nt,), "energy": (nt,)}
    for name, key in (("states", "state_labels"), ("inputs", "input_labels"), ("outputs", "output_labels")):
        needed[name] = (len(header[key]), nt)
    needed |= {f"invariant{i}": (nt,) for i in range(len(header["invariants"]))}
    needed |= {f"leaf{i}": (nt,) for i in range(len(header["leaf"]))}
    for i in range(len(header["events"])):
        count = arrays[f"event{i}_time"].size if f"event{i}_time" in arrays else 0
        needed |= {f"event{i}_time": (count,), f"event{i}_states": (n, count)}
    for name, shape in needed.items():
        if name not in arrays:
            raise InputError(f"{where}: the array {name!r} is missing")
        if arrays[name].dtype.kind not in "biuf" or arrays[name].shape != shape:
            raise InputError(
                f"{where}: {name} must hold numbers of shape {shape}, got {arrays[name].dtype} of shape "
                f"{arrays[name].shape}"
            )
