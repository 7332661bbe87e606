r"""Inputs that hold a point exactly, where the field is affine in them.

With the field :math:`f(x, u) = f_0(x) + B(x) u` at an exact state, all entries numbers of the state's field,
the inputs are those of least weighted norm, :math:`u = -S^2 B^T (B S^2 B^T)^{-1} f_0` over independent rows
of B, with the sizes S of the inputs that the search had.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl import decisions
from geoctrl._scalars import exact
from geoctrl._scalars.algebra.surds import exact_with_roots, rational
from geoctrl.analysis.question.problem import Problem
from geoctrl.decisions.arithmetic.eliminations import Rows, independent, product, solve
from geoctrl.systems import Equilibrium, Seen
from geoctrl.systems.contract.points import Point

__all__ = ["exact_inputs"]


def exact_inputs(
    seen: Seen, params: Any, point: Point, free: Sequence[int], sizes: Sequence[float]
) -> tuple[Any, ...] | None:
    """All inputs (m,), the free ones as they hold the state of a point exactly; None where there are none, or
    the field has no exact values there.
    """
    x, u, exact_x, exact_u = point
    held = list(exact_u or map(exact, u.tolist()))

    def rates(changed: dict[int, Fraction]) -> list[Any] | None:
        inputs = [changed.get(j, q) for j, q in enumerate(held)]
        at = np.array([float(q) for q in inputs])
        given = Equilibrium(
            x, at, 0.0, 0.0, np.zeros((x.size, 0)), exact_x, tuple(inputs), dict(params), spin=seen.spin
        )
        problem = Problem.of(seen, given)
        return None if problem is None else problem.with_needed_roots(_rates)

    try:
        first = rates(dict.fromkeys(free, Fraction(0)))
        if first is None:
            return None
        columns = [rates({i: Fraction(int(i == j)) for i in free}) or first for j in free]
    except (decisions.Refusal, ArithmeticError):
        return None
    weights = [rational(Fraction(s)) for s in sizes]
    B = [[c[i] - f for c in columns] for i, f in enumerate(first)]
    rows: Rows = []
    right: Rows = []
    for row, f in zip(B, first, strict=True):
        scaled = [w * b for w, b in zip(weights, row, strict=True)]
        if any(scaled) and independent(rows, scaled):
            rows.append(scaled)
            right.append([-f])
    if not rows:
        return None
    across = [list(column) for column in zip(*rows, strict=True)]
    y = product(across, solve(product(rows, across), right))
    found = {j: exact_with_roots(w * q[0]) for j, w, q in zip(free, weights, y, strict=True)}
    return tuple(found.get(j, q) for j, q in enumerate(held))


def _rates(problem: Problem) -> list[Any]:
    """Rates of all states at the point, exactly."""
    question = decisions.Question(problem.question().read, exact=True)
    found = [jet.value for jet in question.jets(question.problem["field"])]
    if any(value is None for value in found):
        raise decisions.NotExact("a rate has no exact value at the point")
    return [fmpq(0) + value for value in found]
