"""Sums, identities and middles of matrices of balls, or of exact numbers beside balls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat

__all__ = ["ball_dot", "ball_identity", "middles"]


def ball_dot(a: Sequence[Any], b: Sequence[Any]) -> arb:
    """Sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def ball_identity(n: int) -> arb_mat:
    """The identity."""
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def middles(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """Doubles of numbers, of balls their middles."""
    return np.array([[float(c.mid()) if hasattr(c, "mid") else float(c) for c in row] for row in rows])
