"""The symmetry that a proof in turning axes rests on, told from a nearly symmetric system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import evaluate, exact
from geoctrl._scalars.arithmetic.precise import PRECISE, number
from geoctrl.manifolds.factors import Place

__all__ = ["is_symmetric"]

_ZERO = number("1e-40")
"""Rate, relative to the sizes of its terms, that is rounding with sixty digits."""
_PLACES = 3


def is_symmetric(system: Any, params: Mapping[str, float], axis: np.ndarray) -> bool:
    """Whether turning all bodies about an axis of the reference leaves the Lagrangian as it is.

    At configurations drawn at random, with sixty digits, and with every switch free: right with probability
    one for analytic functions, however small what breaks the symmetry.
    """
    judged = system.any_branch.description
    graph, rng = judged.graph, np.random.default_rng(29)
    turned = [exact(v) for v in axis]
    if not all(f.keeps(turned) for f in system.product.factors if isinstance(f, Place)):
        return False
    places = [*judged.configuration_nodes, *judged.rate_nodes]
    slopes = [e for f in judged.shape_functions for e in graph.gradient(f, places)]
    free = judged.parameters[len(system.parameters) :]
    w = [number(v) for v in turned]
    turn = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]], dtype=object)
    for _ in range(_PLACES):
        numbers = {**params, **{p.name: float(rng.normal()) for p in free}}
        values = {node: number(exact(numbers[k])) for k, node in judged.parameter_nodes.items()}
        frames = [[_frame(rng) for _ in range(system.n)] for _ in range(2)]
        found = [e for part in frames for e in _entries(system, part)]
        values |= dict(zip(places, found, strict=True))
        moved = [e for part in frames for e in _entries(system, [turn @ F for F in part])]
        motion = np.array(moved, dtype=object)
        gradients = np.array(evaluate(slopes, values, PRECISE), dtype=object).reshape(-1, len(places))
        if any(abs(row.sum()) > _ZERO * sum(map(abs, row)) for row in gradients * motion):
            return False
    return True


def _frame(rng: np.random.Generator) -> np.ndarray:
    """A random rotation with sixty digits, from a quaternion."""
    a, b, c, d = (number(v) for v in rng.normal(size=4))
    size = a * a + b * b + c * c + d * d
    rows = [
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]
    return np.array(rows, dtype=object) / size


def _entries(system: Any, frames: Sequence[np.ndarray]) -> list[Any]:
    """Configurations in the order of the states: whole rotations, or vectors as their first axes."""
    factors = system.product.factors
    return [e for f, F in zip(factors, frames, strict=True) for e in (F.ravel() if f.rows == 3 else F[:, 0])]
