"""Magnitudes and derivatives of functions by name, for numbers and for arrays of them alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars.graph.graph import Node

__all__ = ["ROUNDING", "is_multiple", "magnitude", "moving_parts", "product_parts", "slope_and_curvature"]

ROUNDING = 64 * 2.0**-53
"""Part of its magnitude up to which a value is what rounding leaves: some dozens of operations."""

_STEEPEST = 2.0**26
"""Slope of asin and the like at the end of their range, where a change e of the argument makes sqrt(2 e)."""

Functions = Mapping[str, Any]
"""Those of an arithmetic, by name."""


def magnitude(name: str, value: Any, args: Sequence[Any], sizes: Sequence[Any], functions: Functions) -> Any:
    """Magnitude of the value of a function of arguments with magnitudes."""
    if name in _SEVERAL:
        return _SEVERAL[name](value, args, sizes)
    (a,), (size,) = args, sizes
    if name == "sqrt":  # of what rounding leaves of zero the root is that of its size
        change = np.where(a == 0, np.sqrt(size), size / (2 * value))
    else:
        at = size if name in _WITH_UNITS else np.maximum(size, 1.0)
        change = abs(_SLOPES[name](a, value, functions)) * at
    return abs(value) + change


def moving_parts(node: Node) -> list[tuple[bool, bool]]:
    """For each term c m of a sum, whether c and whether m count as changing.

    Multiplying by a number is exact: that of a coefficient is one in some units and none in others. A number
    alone is a term like others.
    """
    return [(c.kind != "num", c.kind == "num" or m.kind != "num") for c, m in node.payload]


def product_parts(node: Node) -> tuple[Fraction, tuple[tuple[Node, int], ...]]:
    """Number and factors of a product; what has a name is one times itself."""
    return (Fraction(1), ((node.payload, 1),)) if node.kind == "let" else node.payload


def is_multiple(node: Node) -> bool:
    """Whether a product is a number times one symbol, function or sum."""
    _, items = product_parts(node)
    return len(items) == 1 and items[0][1] == 1


def slope_and_curvature(name: str, a: Any, value: Any, functions: Functions) -> tuple[Any, Any]:
    """First and second derivative of a function of one argument."""
    return _SLOPES[name](a, value, functions), _CURVATURES.get(name, lambda _, v: 0.0 * v)(a, value)


_WITH_UNITS = {"sqrt", "abs", "sign", "log"}
"""Functions of arguments that may have units."""


def _capped_slope(slope: np.ndarray) -> np.ndarray:
    return np.minimum(slope, _STEEPEST)


_SLOPES: dict[str, Any] = {
    "sin": lambda a, v, f: f["cos"](a),
    "cos": lambda a, v, f: -f["sin"](a),
    "tan": lambda a, v, f: 1 + v * v,
    "asin": lambda a, v, f: _capped_slope(1 / f["sqrt"](1 - a * a)),
    "acos": lambda a, v, f: -_capped_slope(1 / f["sqrt"](1 - a * a)),
    "atan": lambda a, v, f: 1 / (1 + a * a),
    "sinh": lambda a, v, f: f["cosh"](a),
    "cosh": lambda a, v, f: f["sinh"](a),
    "tanh": lambda a, v, f: 1 - v * v,
    "asinh": lambda a, v, f: 1 / f["sqrt"](1 + a * a),
    "acosh": lambda a, v, f: _capped_slope(1 / f["sqrt"](a * a - 1)),
    "atanh": lambda a, v, f: 1 / (1 - a * a),
    "exp": lambda a, v, f: v,
    "log": lambda a, v, f: 1 / a,
    "sqrt": lambda a, v, f: 1 / (2 * v),
    "abs": lambda a, v, f: f["sign"](a),
    "sign": lambda a, v, f: 0.0 * v,
}
"""Derivatives of functions of one argument a with the value v."""

_CURVATURES: dict[str, Any] = {
    "sin": lambda a, v: -v,
    "cos": lambda a, v: -v,
    "tan": lambda a, v: 2 * v * (1 + v * v),
    "asin": lambda a, v: a / (1 - a * a) ** 1.5,
    "acos": lambda a, v: -a / (1 - a * a) ** 1.5,
    "atan": lambda a, v: -2 * a / (1 + a * a) ** 2,
    "sinh": lambda a, v: v,
    "cosh": lambda a, v: v,
    "tanh": lambda a, v: -2 * v * (1 - v * v),
    "asinh": lambda a, v: -a / (1 + a * a) ** 1.5,
    "acosh": lambda a, v: -a / (a * a - 1) ** 1.5,
    "atanh": lambda a, v: 2 * a / (1 - a * a) ** 2,
    "exp": lambda a, v: v,
    "log": lambda a, v: -1 / (a * a),
    "sqrt": lambda a, v: -1 / (4 * a * v),
}
"""Second derivatives, likewise; zero for what is linear in pieces."""

Several = Sequence[Any]


def _of_angle(value: Any, args: Several, sizes: Several) -> Any:
    (y, x), (of_y, of_x) = args, sizes
    return abs(value) + (abs(x) * of_y + abs(y) * of_x) / (x * x + y * y)


def _of_quadrature(value: Any, args: Several, sizes: Several) -> Any:
    (a, b, s), (of_a, of_b, of_s) = args, sizes
    slope = 1 / abs(a * s * s + b)
    return abs(value) * (1 + slope * (of_a * s * s + of_b)) + slope * of_s


_SEVERAL: dict[str, Any] = {
    "atan2": _of_angle,
    "quadrature": _of_quadrature,
    "select_positive": lambda value, args, sizes: np.where(args[0] > 0, *sizes[1:]),
    "select_nonnegative": lambda value, args, sizes: np.where(args[0] >= 0, *sizes[1:]),
}
"""Magnitudes of functions of several arguments."""
