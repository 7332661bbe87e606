"""Exact values of named functions at special numbers, and their parity."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

__all__ = ["EVEN", "ODD", "rational_sqrt", "special_value"]

ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "sign"}
EVEN = {"cos", "cosh", "abs"}
_AT_ZERO = {
    **dict.fromkeys(ODD | {"abs"}, 0),
    **dict.fromkeys(["cos", "cosh", "exp"], 1),
}


def special_value(name: str, value: Fraction) -> int | Fraction | None:
    """The exact value of a function at a number, None where it has none that is known."""
    if value == 0 and name in _AT_ZERO:
        return _AT_ZERO[name]
    if name == "log" and value == 1:
        return 0
    if name == "abs":
        return abs(value)
    if name == "sign":
        return 1 if value > 0 else -1
    if name == "sqrt":
        return rational_sqrt(value)
    return None


def rational_sqrt(value: Fraction) -> Fraction | None:
    """The exact square root of a rational that is a perfect square, else None."""
    if value < 0:
        return None
    p, q = isqrt(value.numerator), isqrt(value.denominator)
    if p * p == value.numerator and q * q == value.denominator:
        return Fraction(p, q)
    return None
