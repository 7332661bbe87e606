"""Mechanisms of a user's own files: programs, which are run, and model files."""

from __future__ import annotations

import runpy
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from geoctrl.cli.reading.usage import UsageError
from geoctrl.errors import GeoctrlError, InputError

__all__ = ["is_model_file", "is_program", "mechanism_in_file", "mechanism_of_model_file"]

_MODEL_FILES = (".xml", ".mjcf", ".urdf")


def is_program(name: str) -> bool:
    """Whether a model is named by a program, ``FILE.py`` or ``FILE.py:name``."""
    return _file_and_name(name)[0].endswith(".py")


def is_model_file(name: str) -> bool:
    """Whether a model is named by a model file."""
    return name.lower().endswith(_MODEL_FILES)


def _file_and_name(text: str) -> tuple[str, str]:
    path, colon, name = text.rpartition(":")
    return (path, name) if colon and path.endswith(".py") else (text, "")


# -- programs ---------------------------------------------------------------------------------------


def mechanism_in_file(text: str) -> Any:
    """The description or system of ``FILE.py:name``, of ``FILE.py`` the only one; the program is run."""
    from geoctrl._checks import nearest

    path, name = _file_and_name(text)
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    held = _objects_of(path)
    found = {key: value for key, value in held.items() if _is_mechanism(value) and not key.startswith("_")}
    if not name:
        return _only_one(path, found)
    if name in held and callable(held[name]) and not _is_mechanism(held[name]):
        with _own_failures(path):
            found[name] = held[name]()
    if name not in found or not _is_mechanism(found[name]):
        what = f"{name!r} is of type {type(held[name]).__name__}" if name in held else f"there is no {name!r}"
        raise UsageError(
            f"{path}: {what}; a mechanism, a system, or a function that returns one is needed"
            f"{nearest(name, found)}"
        )
    return found[name]


def _is_mechanism(value: Any) -> bool:
    from geoctrl.systems import EulerPoincare, System, VectorField

    return isinstance(value, EulerPoincare | VectorField | System)


def _only_one(path: str, found: dict[str, Any]) -> Any:
    """The mechanism of a program; a description and the system that it is reduced to are one."""
    if not found:
        raise UsageError(
            f"{path} holds no mechanism when it has run: give a gc.EulerPoincare, or the system that its "
            "reduce() returns, a name of its own at the top of the file (geoctrl new NAME writes an example)"
        )
    kinds: dict[int, str] = {}
    for name, value in found.items():
        kinds[id(getattr(value, "mechanism", value))] = name
    if len(kinds) > 1:
        names = ", ".join(sorted(kinds.values()))
        raise UsageError(f"{path} holds several mechanisms: {names}; say which, as {path}:NAME")
    return found[next(iter(kinds.values()))]


def _objects_of(path: str) -> dict[str, Any]:
    """What a program defines; what it prints goes to standard error, where no JSON is."""
    folder = str(Path(path).resolve().parent)
    sys.path.insert(0, folder)
    try:
        with _own_failures(path), redirect_stdout(sys.stderr):
            return runpy.run_path(path, run_name="geoctrl_model")
    finally:
        sys.path.remove(folder)


@contextmanager
def _own_failures(path: str) -> Iterator[None]:
    """Say what a user's program raises in one line, with the place in the program."""
    try:
        yield
    except SyntaxError as error:
        raise InputError(f"{error.filename}, line {error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).resolve() == Path(path).resolve()
        ]
        where = f"{path}, line {lines[-1]}" if lines else path
        kind = "" if isinstance(error, GeoctrlError) else f"{type(error).__name__}: "
        raise InputError(f"{where}: {kind}{error}") from None


# -- model files ------------------------------------------------------------------------------------


def mechanism_of_model_file(path: str, tell: Callable[[str], object], **wishes: Any) -> Any:
    """The description of an MJCF or URDF file; what it leaves out is told, line by line.

    ``base`` is for URDF alone, where it is "fixed" unless it is given.
    """
    import geoctrl
    from geoctrl.robots.xml.elements import root_element
    from geoctrl.robots.xml.source import source_text

    text = source_text(Path(path))
    is_urdf = root_element(text).tag == "robot"
    base = wishes.pop("base", None)
    if base is not None and not is_urdf:
        raise UsageError("--base is that of a URDF file; an MJCF file says itself how its root moves")
    read = geoctrl.from_urdf if is_urdf else geoctrl.from_mjcf
    wishes |= {"base": base or "fixed"} if is_urdf else {}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = read(text, **wishes)
    for warning in told:
        tell(str(warning.message))
    return found
