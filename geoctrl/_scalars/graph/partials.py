"""Derivatives of functions by their arguments: rules of (graph, node, place of the argument, arguments)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geoctrl.errors import ExpressionError

__all__ = ["PARTIALS"]


def _quadrature_partial(_g: Any, _node: Any, slot: int, a: Any, b: Any, s: Any) -> Any:
    # d/ds int_0^s dt/(a t^2 + b); the derivatives by a and b are not needed by any analysis here.
    if slot != 2:
        raise ExpressionError("the quadrature of 1/(a s^2 + b) is differentiated by its limit only")
    return 1 / (a * s**2 + b)


PARTIALS: dict[str, Callable[..., Any]] = {
    "sqrt": lambda g, n, i, x: 1 / (2 * n),
    "sin": lambda g, n, i, x: g.fun("cos", x),
    "cos": lambda g, n, i, x: -g.fun("sin", x),
    "tan": lambda g, n, i, x: 1 + n**2,
    "asin": lambda g, n, i, x: 1 / g.sqrt(1 - x**2),
    "acos": lambda g, n, i, x: -1 / g.sqrt(1 - x**2),
    "atan": lambda g, n, i, x: 1 / (1 + x**2),
    "sinh": lambda g, n, i, x: g.fun("cosh", x),
    "cosh": lambda g, n, i, x: g.fun("sinh", x),
    "tanh": lambda g, n, i, x: 1 - n**2,
    "asinh": lambda g, n, i, x: 1 / g.sqrt(1 + x**2),
    "acosh": lambda g, n, i, x: 1 / g.sqrt(x**2 - 1),
    "atanh": lambda g, n, i, x: 1 / (1 - x**2),
    "exp": lambda g, n, i, x: n,
    "log": lambda g, n, i, x: 1 / x,
    "abs": lambda g, n, i, x: g.fun("sign", x),
    "sign": lambda g, n, i, x: g.zero,
    "atan2": lambda g, n, i, y, x: (x if i == 0 else -y) / (x**2 + y**2),
    "quadrature": _quadrature_partial,
}
