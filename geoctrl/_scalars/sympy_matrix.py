"""Matrices of expressions, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars.numbers import shown
from geoctrl._scalars.sympy_bridge import expression
from geoctrl.errors import DescriptionError, GeoctrlError

__all__ = ["read_matrix"]


def read_matrix(name: str, value: Any, error: type[GeoctrlError] = DescriptionError) -> sp.ImmutableMatrix:
    """A matrix of expressions and numbers, from lists, an array or a matrix; a flat list is a column.

    Raises
    ------
    GeoctrlError
        Of the class ``error``: if it is none, or an entry is no expression (text is none).
    """
    if isinstance(value, sp.MatrixBase):
        return sp.ImmutableMatrix(value)
    entries = _rectangle(value)
    if entries is None:  # printing is kept for the refusal: entries may be long
        raise error(f"{name} must be a matrix of numbers or expressions, got {shown(value)}")
    rows = [[expression(e, f"an entry of {name}", error) for e in row] for row in entries]
    return sp.ImmutableMatrix(*entries.shape, [e for row in rows for e in row])


def _rectangle(value: Any) -> np.ndarray | None:
    """The entries as an array of two dimensions; None where they make none."""
    if isinstance(value, (str, bytes, Mapping, sp.Basic)):
        return None
    try:
        entries = np.array(value, dtype=object)
    except ValueError:  # rows of different lengths, or holding matrices
        return None
    return entries.reshape(len(entries), -1) if entries.ndim in (1, 2) and entries.size else None
