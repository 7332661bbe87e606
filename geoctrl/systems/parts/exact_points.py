"""Points as expressions: the numbers that they are where these are known, else what their doubles are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl._scalars.algebra.surds import root_expression
from geoctrl.systems.parts.angles import ExactAngle
from geoctrl.systems.parts.families import Equilibrium

__all__ = ["input_expressions", "state_expressions"]


def state_expressions(point: Equilibrium) -> list[sp.Expr]:
    """The state of an equilibrium; square roots and angles with rational sines as they are."""
    return _expressions(point.exact, point.x)


def input_expressions(point: Equilibrium) -> list[sp.Expr]:
    """Its inputs."""
    return _expressions(point.exact_u, point.u)


def _expressions(known: Sequence | None, values: np.ndarray) -> list[sp.Expr]:
    if known is None:
        known = [exact(v) for v in values]
    return [q.expr if isinstance(q, ExactAngle) else root_expression(q) for q in known]
