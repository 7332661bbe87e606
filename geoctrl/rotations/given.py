"""The inertias that a description on rotations is given, read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import read_matrix
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.vectors.entries import finite, positive_definite

__all__ = ["checked_inertias", "read_inertias"]


def read_inertias(inertias: Any) -> tuple[sp.Matrix, ...]:
    """Inertias as sympy matrices, one for each body."""
    if isinstance(inertias, sp.MatrixBase):
        inertias = [inertias]
    elif not (isinstance(inertias, (list, tuple)) and any(isinstance(J, sp.MatrixBase) for J in inertias)):
        array = finite_array("inertias", inertias)
        inertias = [array] if array.ndim < 3 else list(array)
    shapes = ", ".join(str(np.shape(J)) for J in inertias)
    if not shapes or any(np.shape(J) != (3, 3) for J in inertias):
        raise DescriptionError(f"inertias must be (3, 3) or (n, 3, 3), got shapes {shapes or 'of none'}")
    found = tuple(read_matrix(f"the inertia of body {i}", J) for i, J in enumerate(inertias))
    for entry in (e for J in found for e in J):
        finite("inertias", entry)
    if not any(J.free_symbols for J in found):
        checked_inertias(np.array([np.array(J, dtype=float) for J in found]))
    return found


def checked_inertias(J: np.ndarray) -> np.ndarray:
    """J (n, 3, 3), or InputError unless all are symmetric positive definite."""
    return np.array([positive_definite(f"the inertia of body {i}", M) for i, M in enumerate(J)])
