"""Arithmetic with sixty digits: tells zeros from small numbers where a value has no rational form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from geoctrl._scalars.arithmetic.arithmetics import Arithmetic

__all__ = ["PRECISE", "finite_real", "number", "shortest_solution", "text"]

DIGITS = 60

_context = mpmath.MPContext()
_context.dps = DIGITS


def number(value: Any) -> Any:
    """A rational number or a double with sixty digits."""
    exact = value if type(value) is Fraction else Fraction(value)
    whole = _context.mpf(exact.numerator)
    return whole if exact.denominator == 1 else whole / exact.denominator


def finite_real(value: Any) -> bool:
    """Whether a result is a real number: roots and logarithms may have become complex."""
    return isinstance(value, _context.mpf) and bool(_context.isfinite(value))


def shortest_solution(matrix: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
    """The solution x of ``matrix x = right`` of least length, for independent rows."""
    rows = _context.matrix([list(row) for row in matrix])
    return list(rows.T * _context.lu_solve(rows * rows.T, _context.matrix(list(right))))


def text(value: Any) -> str:
    """A number in three digits."""
    return str(_context.nstr(value, 3))


def _quadrature(a: Any, b: Any, s: Any) -> Any:
    """int_0^s dt/(a t^2 + b)."""
    root = _context.sqrt(a / b)
    return s / b if not a else _context.re(_context.atan(root * s) / root) / b


_NAMES = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh")

PRECISE = Arithmetic(
    "mpmath",
    number,
    {name: getattr(_context, name) for name in (*_NAMES, "atanh", "exp", "log", "atan2", "sign")}
    | {
        "abs": _context.fabs,
        "select_positive": lambda c, a, b: a if c > 0 else b,
        "select_nonnegative": lambda c, a, b: a if c >= 0 else b,
        "quadrature": _quadrature,
    },
)
