"""What numbers depend on, as text: arrays, functions and versions, by which a folder knows its question."""

from __future__ import annotations

import functools
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from geoctrl import __version__

__all__ = ["array_fingerprint", "function_fingerprint", "text_fingerprint", "versions"]

_PACKAGES = ("heyoka", "numba", "numpy")


@functools.cache
def versions() -> dict[str, str]:
    """Versions that the last bit of a result depends on; "none" of what is not installed."""
    return {"geoctrl": __version__, **{name: _version(name) for name in _PACKAGES}}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


def text_fingerprint(*texts: str) -> str:
    """SHA-256 of texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def array_fingerprint(given: Any) -> str:
    """Type, shape and SHA-256 of the bytes of an array."""
    array = np.ascontiguousarray(given)
    digest = hashlib.sha256(array.data if array.size else b"").hexdigest()
    return f"{array.dtype.str} {'x'.join(map(str, np.shape(given)))} {digest}"


def function_fingerprint(function: Callable[..., Any]) -> str:
    """Name and SHA-256 of a function's text, and of the functions and numbers of its module that it names.

    What else it reaches (a file, an object of its module, another module) is not seen.
    """
    texts: dict[str, str] = {}
    _collect("", function, texts)
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    name = getattr(inner, "__qualname__", type(inner).__qualname__)
    return f"{name} {text_fingerprint(*(f'{key}={text}' for key, text in sorted(texts.items())))}"


def _collect(name: str, value: Any, texts: dict[str, str]) -> None:
    if isinstance(value, functools.partial):
        _collect(f"{name}()", value.func, texts)
        for i, argument in enumerate([*value.args, *sorted(value.keywords.items())]):
            _collect(f"{name}[{i}]", argument, texts)
    elif inspect.ismethod(value):
        _collect(name, value.__func__, texts)
    elif isinstance(value, FunctionType):
        value = inspect.unwrap(value)
        key = f"{value.__module__}.{value.__qualname__}" if name else ""
        if key in texts:
            return
        texts[key] = _source(value)
        for other, found in _names_with_values(value):
            if not isinstance(found, FunctionType) or found.__module__ == value.__module__:
                _collect(f"{key}.{other}", found, texts)
    elif isinstance(value, np.ndarray):
        texts[name] = array_fingerprint(value)
    elif isinstance(value, bool | int | float | complex | str | bytes | tuple | list | Mapping | np.number):
        texts[name] = repr(value) if _is_plain(value) else type(value).__name__
    else:
        texts[name] = f"{type(value).__module__}.{type(value).__qualname__}"


def _source(function: FunctionType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):  # typed at a prompt
        return "".join(code.co_code.hex() + repr(code.co_names) for code in _codes(function.__code__))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names_with_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function finds by name in its module or around it."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    for name in sorted(names & function.__globals__.keys()):
        found = function.__globals__[name]
        if not inspect.ismodule(found) and not inspect.isclass(found):
            yield name, found
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # of a name that is not bound yet
            continue
    for i, default in enumerate(function.__defaults__ or ()):
        yield f"default{i}", default


def _is_plain(value: Any) -> bool:
    """Whether the text of a value says all of it."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if isinstance(value, Mapping):
        return all(_is_plain(item) for pair in value.items() for item in pair)
    return value is None or isinstance(value, bool | int | float | complex | str | bytes | np.number)
