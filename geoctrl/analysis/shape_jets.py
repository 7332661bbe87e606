"""Gradients and Hessians of the integrals over a shape, in floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import Node
from geoctrl.analysis.shape import Jet, shape_of
from geoctrl.systems import Equilibrium

__all__ = ["shape_jets"]


def shape_jets(system: Any, point: Equilibrium) -> list[Jet]:
    """Jets at an equilibrium of what the structure of the equations makes conserved; none without one."""
    shape = shape_of(system)
    if shape is None:
        return []
    arguments, params = system.arguments_at(0.0, point.x, point.u), dict(point.params)

    def values(nodes: Sequence[Node]) -> np.ndarray:
        return system.program(nodes)(arguments, params)

    return shape.jets(values, point.x.tolist(), 0.0)
