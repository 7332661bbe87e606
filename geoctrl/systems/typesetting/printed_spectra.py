"""Eigenvalues in one order, and numbers without their rounding, for printing."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import Any

import numpy as np

__all__ = ["ordered_eigenvalues", "spectrum_line", "spectrum_text", "told_behind", "without_rounding"]

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
    """A title and `spectrum_text` behind it, on as many indented lines as it takes; a dash for none."""
    return told_behind(f"  {title}: ", spectrum_text(values) or "-")


def told_behind(beginning: str, text: str) -> str:
    """A text behind the beginning of its line, on as many lines of 79 columns as it takes, indented by it.

    Examples
    --------
    >>> print(told_behind("  zero modes: ", "family along v1; " * 4 + "Pi3"))
      zero modes: family along v1; family along v1; family along v1; family along
                  v1; Pi3
    """
    indent = " " * min(len(beginning), 24)
    return fill(
        beginning + text, 79, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
