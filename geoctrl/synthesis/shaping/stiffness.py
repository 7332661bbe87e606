"""Inertia and stiffness of a plant at rest, in the velocities of its frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.systems import ReducedSystem

__all__ = ["at_rest"]


def at_rest(
    plant: Plant, loop: ReducedSystem, point: Any, params: Mapping[str, float] | None
) -> tuple[np.ndarray, np.ndarray, list[int], list[int]] | None:
    """G, the second derivatives of V along the frame, and the columns of fibre and base.

    None where the point is not one of rest: something turns or flows there.
    """
    m = plant.mechanism
    x = np.asarray(getattr(point, "x", point), dtype=float)
    labels = list(loop.state_labels)
    velocities = len(loop.assembly.velocity)
    if np.max(np.abs(x[:velocities]), initial=0.0) > 0:
        return None
    given = dict(getattr(point, "params", {}) or {}) | dict(params or {})
    values = {p.symbol: exact(given.get(p.name, p.default)) for p in m.parameters}
    place = {s: x[labels.index(str(s))] for s in m.configuration_symbols if str(s) in labels}
    numbers: dict[sp.Symbol, Any] = {s: sp.Rational(q) for s, q in values.items()}
    numbers |= {s: sp.Float(v) for s, v in place.items()}
    numbers |= {s: e.xreplace(numbers) for s, e in m.removed.items()}
    E = plant.frame.matrix
    first = [sum(E[i, j] * d for i, d in enumerate(plant.along(m.potential))) for j in range(E.cols)]
    second = [[sum(E[i, a] * d for i, d in enumerate(plant.along(f))) for a in range(E.cols)] for f in first]
    G = E.T * sp.Matrix(m.inertia) * E

    def numbers_of(matrix: Any) -> np.ndarray:
        return np.array(sp.Matrix(matrix).xreplace(numbers).evalf().tolist(), dtype=float)

    return numbers_of(G), numbers_of(second), list(plant.fibre), list(plant.base)
