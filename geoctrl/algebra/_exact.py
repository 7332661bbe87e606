"""Reading numbers exactly: what describes a mechanism is kept as fractions, never as roundings."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl.errors import DescriptionError


def exact_array(values: Any, ndim: int, what: str) -> np.ndarray:
    """Object array of Fractions with `ndim` axes, none of them empty."""
    if isinstance(values, (sp.NDimArray, sp.MatrixBase)):
        values = values.tolist()
    try:
        raw = np.array(values, dtype=object)
    except ValueError:
        raise DescriptionError(f"{what} is ragged; an array with {ndim} axes is needed") from None
    if raw.ndim != ndim or 0 in raw.shape:
        raise DescriptionError(f"{what} has shape {raw.shape}; a nonempty array with {ndim} axes is needed")
    found = np.empty(raw.shape, dtype=object)
    for index in np.ndindex(*raw.shape):
        found[index] = exact(raw[index], f"{what}[{', '.join(map(str, index))}]", DescriptionError)
    return found
