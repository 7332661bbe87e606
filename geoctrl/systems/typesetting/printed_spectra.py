"""Eigenvalues in one order, and numbers without their rounding, for printing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["ordered_eigenvalues", "spectrum_line", "spectrum_text", "without_rounding"]

_ROUNDING = 1e-12
"""Part of the largest number of a row below which one is told as zero."""

_DIGITS = 9
"""Decimals, of the largest, to which parts are equal: those of a pair differ in their last digits."""


def ordered_eigenvalues(values: Any) -> np.ndarray:
    """Eigenvalues (..., d) with rising real parts, and of those that share one with rising imaginary parts.

    Examples
    --------
    >>> ordered_eigenvalues([2.0, 0.5 + 3j, 0.5 - 3j, -1.0]).tolist()
    [(-1+0j), (0.5-3j), (0.5+3j), (2+0j)]
    """
    values = np.asarray(values)
    largest = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    scaled = values / np.where(largest > 0, largest, 1.0)
    order = np.lexsort((scaled.imag.round(_DIGITS), scaled.real.round(_DIGITS)), axis=-1)
    return np.take_along_axis(values, order, axis=-1)


def without_rounding(values: Any, sizes: Any) -> np.ndarray:
    """Numbers of which those below 1e-12 of their sizes are zero; what has no size stays."""
    values = np.array(values, dtype=float)
    return np.where(np.abs(values) <= _ROUNDING * np.asarray(sizes), 0.0, values)


def spectrum_text(values: Iterable[complex]) -> str:
    """Eigenvalues without the rounding of their parts, beside the largest of them.

    Examples
    --------
    >>> spectrum_text([0j, -8.9e-16 + 2j, 3 - 1e-15j])
    '0, 0+2j, 3'
    """
    values = [complex(v) for v in values]
    size = max(map(abs, values), default=0.0)

    def number_text(v: complex) -> str:
        real, imag = without_rounding((v.real, v.imag), size).tolist()
        return f"{complex(real, imag):.6g}" if imag else f"{real + 0.0:.6g}"

    return ", ".join(map(number_text, values))


def spectrum_line(title: str, values: Iterable[complex]) -> str:
    """A title and `spectrum_text` behind it; a dash for none."""
    return f"  {title}: {spectrum_text(values) or '-'}"
