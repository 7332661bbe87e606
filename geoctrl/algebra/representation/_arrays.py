"""Vectors and matrices of any arithmetic: read as numpy arrays, handed back as the kind they came in.

Three kinds occur. Numbers (lists of them too) are arrays of doubles or of complex doubles. Arrays of other
objects stay arrays of objects, so that intervals or recorded expressions pass through. Sympy matrices, and
sequences with a sympy entry, come back as sympy matrices.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import plain, shown
from geoctrl.errors import DescriptionError


def is_symbolic(*values: Any) -> bool:
    """Whether results belong in sympy matrices: one, or a sequence with a sympy entry, is given."""
    return any(
        isinstance(value, sp.MatrixBase)
        or (not isinstance(value, np.ndarray) and isinstance(value, (list, tuple)) and _has_sympy(value))
        for value in values
    )


def _has_sympy(values: list[Any] | tuple[Any, ...]) -> bool:
    return any(
        _has_sympy(value) if isinstance(value, (list, tuple)) else isinstance(value, sp.Basic)
        for value in values
    )


def read_array(value: Any, shape: tuple[int, ...], what: str, symbolic: bool = False) -> np.ndarray:
    """Array of the shape given, of floats, complex numbers or objects; a sympy column counts as one axis.

    Next to symbols, `symbolic`, every entry is kept as it is, so that integers do not turn into floats.
    """
    if isinstance(value, sp.MatrixBase):
        found: tuple[int, ...] = value.shape
        if len(shape) == 1 and 1 in found:
            found = (len(value),)
        array = np.empty(found, dtype=object)
        array.flat[:] = value.flat()
    else:
        try:
            array = np.asarray(value, dtype=object if symbolic else None)
        except ValueError:
            raise DescriptionError(f"{what} is ragged; shape {shape} is needed") from None
    if array.shape != shape:
        raise DescriptionError(f"{what} has shape {array.shape}; {shape} is needed")
    if array.dtype.kind in "biuf":
        return array.astype(float)
    if array.dtype.kind == "c":
        return array.astype(complex)
    if array.dtype.kind != "O":
        raise DescriptionError(f"{what} has entries of type {array.dtype}; numbers or expressions are needed")
    entries = np.empty(shape, dtype=object)
    for index, entry in np.ndenumerate(array):
        entries[index] = _entry(entry, what)
    return entries


def _entry(entry: Any, what: str) -> Any:
    """An entry of an array of objects; integers of numpy (they wrap) and decimals as numbers of Python."""
    if isinstance(entry, np.complexfloating):
        return complex(entry)
    if isinstance(entry, (np.generic, Decimal)):
        return plain(entry, f"an entry of {what}", DescriptionError)
    if not (hasattr(entry, "__mul__") and hasattr(entry, "__sub__")):  # text, None, containers
        raise DescriptionError(f"{what} has the entry {shown(entry)}; numbers or expressions are needed")
    return entry


def read_real(value: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Array of finite floats."""
    array = read_array(value, shape, what)
    if array.dtype.kind == "c":
        raise DescriptionError(f"{what} is complex; real numbers are needed")
    try:
        array = array.astype(float)
    except (TypeError, OverflowError):  # symbols, or more than a double holds
        raise DescriptionError(f"{what} has entries that are not doubles; real numbers are needed") from None
    if not np.all(np.isfinite(array)):
        raise DescriptionError(f"{what} has entries that are not finite")
    return array


def pack(array: np.ndarray, symbolic: bool) -> Any:
    """The array itself, or the sympy matrix (a column for one axis) with its entries."""
    return sp.ImmutableMatrix(array.tolist()) if symbolic else array


def times(coefficient: Fraction, term: Any) -> Any:
    """``coefficient * term``, exact where the arithmetic of `term` is."""
    if isinstance(term, (float, complex)):
        return float(coefficient) * term
    if isinstance(term, (int, Fraction)):
        return coefficient * term
    # Other arithmetics know integers but not Fraction.
    if coefficient.denominator == 1:
        return coefficient.numerator * term
    return coefficient.numerator * term / coefficient.denominator
