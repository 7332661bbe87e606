"""Reading numbers exactly: what describes a mechanism is kept as fractions, never as roundings."""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl.errors import DescriptionError


def exact_number(value: Any, what: str) -> Fraction:
    """Fraction equal to an int, Fraction, sympy Rational or float (the rational that the float is).

    Raises
    ------
    DescriptionError
        If `value` is not finite or not a rational number; `what` names it in the message.
    """
    if isinstance(value, sp.Float) and value.is_finite:
        value = sp.Rational(value)
    if isinstance(value, sp.Rational) and value.is_finite:
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, numbers.Rational) and not isinstance(value, sp.Basic):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return Fraction(*value.as_integer_ratio())
    if isinstance(value, (float, np.floating, sp.Number)):
        raise DescriptionError(f"{what} is {value}; a finite number is needed")
    raise DescriptionError(
        f"{what} is {value!r}; an int, Fraction, sympy Rational or float is needed, to be kept exactly"
    )


def exact_array(values: Any, ndim: int, what: str) -> np.ndarray:
    """Object array of Fractions with `ndim` axes, none of them empty.

    Raises
    ------
    DescriptionError
        If the array is ragged, has another number of axes, is empty, or an entry is not an exact number.
    """
    if isinstance(values, (sp.NDimArray, sp.MatrixBase)):
        values = values.tolist()
    try:
        raw = np.array(values, dtype=object)
    except ValueError:
        raise DescriptionError(f"{what} is ragged; an array with {ndim} axes is needed") from None
    if raw.ndim != ndim or 0 in raw.shape:
        raise DescriptionError(f"{what} has shape {raw.shape}; a nonempty array with {ndim} axes is needed")
    exact = np.empty(raw.shape, dtype=object)
    for index in np.ndindex(*raw.shape):
        exact[index] = exact_number(raw[index], f"{what}[{', '.join(map(str, index))}]")
    return exact
