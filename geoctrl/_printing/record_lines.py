"""Records printed as they are made: the class, and what was given by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

__all__ = ["record_lines", "value_text"]

_ENTRIES = 16
"""Entries of an array that are told; larger ones are told by their shape."""
_DIGITS = 12
_ROUNDING = 1e-12
"""Part of the largest entry of an array below which one is rounding."""


def record_lines(self: Any) -> list[str]:
    """One fact: the fields of a dataclass that are not what they are by default."""
    given = [(f.name, getattr(self, f.name), f.default) for f in fields(self) if f.repr and f.init]
    told = [f"{name}={value_text(value)}" for name, value, default in given if not _same(value, default)]
    return [f"{type(self).__name__}({', '.join(told)})"]


def _same(value: Any, default: Any) -> bool:
    """Whether a value of a plain kind is the one that it has by default."""
    plain = isinstance(value, (str, bool, int, float, tuple, type(None)))
    return plain and type(value) is type(default) and bool(value == default)


def value_text(value: Any) -> str:
    """A value in few words: twelve digits of a number, arrays by entries or shape.

    Examples
    --------
    >>> print(value_text({"a": [0.1 + 0.2, -0.0], "b": (1, "c"), "R": np.eye(9)}))
    {'a': [0.3, 0], 'b': (1, 'c'), 'R': array of shape (9, 9)}
    """
    if isinstance(value, (bool, np.bool_)) or value is None:
        return str(value)
    if isinstance(value, str):
        return repr(str(value))
    if isinstance(value, (float, np.floating)):
        return f"{value + 0.0:.{_DIGITS}g}"
    if isinstance(value, (complex, np.complexfloating)):
        return f"{value:.{_DIGITS}g}"
    if isinstance(value, np.ndarray):
        return _array_text(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{value_text(k)}: {value_text(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))}{',' * (len(value) == 1)})"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return " ".join(str(value).split())


def _array_text(values: np.ndarray) -> str:
    if values.size > _ENTRIES:
        return f"array of shape {values.shape}"
    if values.dtype.kind == "f":
        size = np.max(np.abs(values), where=np.isfinite(values), initial=0.0)
        values = np.where(np.abs(values) <= _ROUNDING * size, 0.0, values)
    return value_text(values.tolist())
