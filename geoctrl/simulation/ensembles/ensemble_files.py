"""Ensembles as files: an npz archive of plain arrays and one JSON text, nothing that could execute."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from geoctrl._checks import file_path
from geoctrl._scalars import shown
from geoctrl.errors import InputError
from geoctrl.runs.storage import read_archive
from geoctrl.simulation.members.reductions import FIELDS

__all__ = ["read", "write"]

_FORMAT = "geoctrl ensemble"
_VERSION = 1
_LISTS = ("state_labels", "words", "recorded", "param_arrays", "events")


def write(path: str | PathLike, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
    """Write the archive; TypeError if this is no path."""
    text = json.dumps({"format": _FORMAT, "version": _VERSION, **header})
    with open(file_path(path), "wb") as file:
        np.savez(file, **dict[str, Any](arrays, header=np.array(text)))


def read(path: str | PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and header of an archive, all shapes checked."""
    where = fspath(file_path(path))
    wrong = f"{where} is not an ensemble written by Ensemble.to_npz"
    arrays, header = read_archive(path, wrong)
    del arrays["header"]
    if not isinstance(header, dict) or header.pop("format", None) != _FORMAT:
        raise InputError(wrong)
    version = header.pop("version", None)
    if not isinstance(version, int) or version > _VERSION:
        raise InputError(
            f"{where} has format {shown(version)}; this version of geoctrl reads up to {_VERSION}"
        )
    _check_header(where, header)
    _check_arrays(where, header, arrays)
    return arrays, header


def _check_header(where: str, header: Mapping[str, Any]) -> None:
    for key in _LISTS:
        value = header.get(key)
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise InputError(f"{where}: {key} must be a list of names, got {shown(value)}")
    reduced = header.get("reduced", {})
    if not isinstance(reduced, dict) or not all(kind in FIELDS for kind in reduced.values()):
        raise InputError(f"{where}: reduced must tell kinds of reductions by name, got {shown(reduced)}")
    for key, kind in (("name", str), ("engine", str), ("params", dict)):
        if not isinstance(header.get(key), kind):
            raise InputError(f"{where}: {key} must be of type {kind.__name__}, got {shown(header.get(key))}")


def _shapes_of_reduction(
    arrays: Mapping[str, np.ndarray], i: int, kind: str, samples: int
) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Shapes of the numbers of a reduction: one for each sample, or one."""
    edges = arrays.get(f"recorded{i} edges", np.zeros(1))
    shapes: dict[str, tuple[tuple[int, ...], ...]] = dict.fromkeys(FIELDS[kind], ((samples,), ()))
    if "edges" in shapes:
        shapes |= {"edges": ((edges.size,),), "counts": ((samples, edges.size - 1), (edges.size - 1,))}
    return {f"recorded{i} {field}": shape for field, shape in shapes.items()}


def _check_arrays(where: str, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that are missing, hold no numbers or do not fit each other."""
    count, n = arrays["end"].size if "end" in arrays else 0, len(header["state_labels"])
    samples = arrays["time"].size if "time" in arrays else 0
    needed: dict[str, tuple[tuple[int, ...], ...]] = {
        "time": ((samples,),),
        "end": ((count,),),
        "success": ((count,),),
        "codes": ((count,),),
        "last": ((count, n),),
    }
    if not header["recorded"]:
        needed["states"] = ((count, n, samples),)
    for i, name in enumerate(header["recorded"]):
        if name in header.get("reduced", {}):
            needed |= _shapes_of_reduction(arrays, i, header["reduced"][name], samples)
        else:
            needed[f"recorded{i}"] = ((count, samples), (count,))
    needed |= {f"param{i}": ((count,),) for i in range(len(header["param_arrays"]))}
    for i in range(len(header["events"])):
        k = arrays[f"event{i}_time"].size if f"event{i}_time" in arrays else 0
        needed |= {f"event{i}_member": ((k,),), f"event{i}_time": ((k,),), f"event{i}_states": ((n, k),)}
    for name, shapes in needed.items():
        if name not in arrays:
            raise InputError(f"{where}: the array {name!r} is missing")
        if arrays[name].dtype.kind not in "biuf" or arrays[name].shape not in shapes:
            raise InputError(
                f"{where}: {name} must hold numbers of shape {' or '.join(map(str, shapes))}, got "
                f"{arrays[name].dtype} of shape {arrays[name].shape}"
            )
    codes = arrays["codes"]
    if count and not (codes.dtype.kind in "iu" and 0 <= codes.min() <= codes.max() < len(header["words"])):
        raise InputError(f"{where}: codes must be places in the list of words")
