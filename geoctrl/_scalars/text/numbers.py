"""The gate: every number that is given to geoctrl passes here before it is computed with.

Numbers come in many types: of Python, numpy, sympy, mpmath, `decimal`, `fractions`. Arithmetic on some of
them is not that of numbers (integers of numpy wrap, half and single precision round), so that none survives
inside: `exact` gives the rational that a number is, `plain` an equal number of Python, `real` a double.
"""

from __future__ import annotations

import math
import operator
import reprlib
from decimal import Decimal
from fractions import Fraction
from numbers import Number, Rational
from typing import Any

import numpy as np

from geoctrl.errors import GeoctrlError, InputError

__all__ = ["exact", "is_number", "plain", "real", "short_rational", "shown"]

_WHOLE = 1 << 53
"""Integers below this are doubles."""

_BITS = 1 << 15
"""Binary digits before or after the point beyond which a number is refused: twice those of a long double.

Exact arithmetic would hold ``Decimal("1e999999999")`` with all its digits, and never come back.
"""


def exact(value: Any, what: str = "the value", error: type[GeoctrlError] = InputError) -> Fraction:
    """The rational that a number is: a float the binary number, a Decimal the decimal, True one.

    Parameters
    ----------
    value : number of any type, or array of no dimension
    what : str
        Names it in messages.
    error : class
        Of the exception that is raised.

    Examples
    --------
    >>> exact(np.int8(3)), exact(0.5), exact(Decimal("0.1"))
    (Fraction(3, 1), Fraction(1, 2), Fraction(1, 10))
    """
    try:
        found = _rational(value)
    except (_RefusedError, OverflowError, ValueError) as refused:
        reason = str(refused) if isinstance(refused, _RefusedError) else f"must be finite, got {shown(value)}"
        raise error(f"{what} {reason}") from None
    return found


def plain(value: Any, what: str = "the value", error: type[GeoctrlError] = InputError) -> Any:
    """The equal int or float of Python; a Fraction where none is equal (``Decimal("0.1")``, 1/3)."""
    if (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) < _WHOLE):
        return value
    found = exact(value, what, error)
    try:
        near = float(found)
    except OverflowError:
        raise error(f"{what} must be at most 1.8e308 in size, got {shown(value)}") from None
    if found and not near:
        raise error(f"{what} must be at least 5e-324 in size, or zero, got {shown(value)}")
    if found.denominator == 1 and (hasattr(value, "__index__") or isinstance(value, np.bool_)):
        return int(found)
    return near if Fraction(near) == found else found


def real(value: Any, what: str = "the value", error: type[GeoctrlError] = InputError) -> float:
    """The nearest double, also of an irrational constant of sympy (``pi / 4``); raises as `plain` does."""
    if getattr(value, "is_real", False) and not getattr(value, "is_Number", True):
        try:
            value = float(value)
        except (TypeError, OverflowError):  # it has symbols, or is too large
            raise error(f"{what} must be a number, got {shown(value)}") from None
    return float(plain(value, what, error))


def is_number(value: Any) -> bool:
    """Whether this is one number by its kind, be it finite or not; an expression with symbols is none."""
    if hasattr(value, "is_number"):  # of sympy
        return bool(value.is_number)
    return isinstance(value, (Number, Decimal, np.bool_)) or hasattr(value, "_mpf_")


def shown(value: Any) -> str:
    """A value in a message: short, whatever it is."""
    try:
        return _SHORT.repr(value)
    except Exception:  # a __repr__ that fails must not hide the message
        return f"an object of {type(value).__name__}"


class _RefusedError(Exception):
    """Why something is no number, in words that follow its name."""


def _rational(value: Any) -> Fraction:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.bool_):
        value = bool(value)
    if hasattr(value, "_mpf_"):
        return _binary(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, (float, np.floating)):
        return Fraction(*value.as_integer_ratio())
    numerator, denominator = _quotient(value)
    if max(numerator.bit_length(), denominator.bit_length()) > _BITS:
        raise _too_long()
    return Fraction(numerator, denominator)


def _quotient(value: Any) -> tuple[int, int]:
    """Numerator and denominator of integers and fractions of any kind."""
    if getattr(value, "is_Rational", False):  # of sympy
        return int(value.p), int(value.q)
    if isinstance(value, Rational) and not isinstance(value, np.timedelta64):
        return int(value.numerator), int(value.denominator)
    try:
        return operator.index(value), 1
    except TypeError:
        raise _refusal(value) from None


def _binary(value: Any) -> Fraction:
    """A number of mpmath or sympy, sign * mantissa * 2**exponent, with all its bits."""
    sign, mantissa, exponent, _ = value._mpf_
    mantissa, exponent = int(mantissa), int(exponent)
    if not mantissa:
        if exponent:  # how mpmath writes infinities and nan
            raise _RefusedError(f"must be finite, got {shown(value)}")
        return Fraction(0)
    if abs(exponent) + mantissa.bit_length() > _BITS:
        raise _too_long()
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


def _decimal(value: Decimal) -> Fraction:
    exponent = value.as_tuple().exponent
    if isinstance(exponent, str):
        raise _RefusedError(f"must be finite, got {value}")
    if (abs(exponent) + len(value.as_tuple().digits)) * math.log2(10) > _BITS:
        raise _too_long()
    return Fraction(value)


def _too_long() -> _RefusedError:
    return _RefusedError(
        f"has more than {_BITS} binary digits: too large, too small or too long for exact arithmetic"
    )


def _refusal(value: Any) -> _RefusedError:
    """What was given instead of a number, and what to do."""
    given = shown(value)
    if isinstance(value, (str, bytes)):
        return _RefusedError(f"must be a number, got the text {given}; write it without quotes")
    if isinstance(value, (complex, np.complexfloating)) or hasattr(value, "_mpc_"):
        return _RefusedError(f"must be a real number, got the complex {given}; take its real part")
    shape = getattr(value, "shape", None)
    if shape or isinstance(value, (list, tuple, set, dict)):
        return _RefusedError(f"must be a single number, got {given}")
    if getattr(value, "is_number", False):  # of sympy: roots, pi, complex numbers, infinities
        if value.is_real and value.is_finite:
            remedy = f"float({given}) is the nearest double"
            return _RefusedError(f"must be rational, to be computed with exactly, got {given}; {remedy}")
        return _RefusedError(f"must be a real and finite number, got {given}")
    return _RefusedError(f"must be a number, got {given}")


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 80
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 6


_SHORT = _Short()


def short_rational(value: float, size: float, largest: int, near: float) -> Fraction | None:
    """A fraction with a denominator up to ``largest`` times a power of ten next to a double; else None.

    Next is ``near``, relative to the number or to the ``size`` of such numbers, beside which it is zero if it
    is smaller than that. Powers of ten come in by units.

    Examples
    --------
    >>> short_rational(2 / 7e9, 1e-9, 100, 1e-9), short_rational(1e-20, 1.0, 100, 1e-9)
    (Fraction(1, 3500000000), Fraction(0, 1))
    """
    if abs(value) <= near * size:
        return Fraction(0)
    decade = Fraction(10) ** math.floor(math.log10(abs(value)))
    found = (Fraction(float(value)) / decade).limit_denominator(largest) * decade
    return found if abs(float(found) - value) <= near * max(size, abs(value)) else None
