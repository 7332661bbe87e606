"""Gradients and Hessians of the integrals over a shape, in floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import Node
from geoctrl.analysis.question.shape import Jet, shape_of

__all__ = ["shape_jets"]


def shape_jets(system: Any, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> list[Jet]:
    """Jets at a state of what the structure of the equations makes conserved; none without one.

    Away from equilibria the gradients alone are those of conserved functions.
    """
    shape = shape_of(system)
    if shape is None:
        return []
    arguments = system.arguments_at(0.0, x, u)

    def values(nodes: Sequence[Node]) -> np.ndarray:
        return system.program(nodes)(arguments, dict(params))

    return shape.jets(values, np.asarray(x).tolist(), 0.0)
