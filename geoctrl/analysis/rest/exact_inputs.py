r"""Inputs that hold a point exactly, where the field is affine in them.

With the field :math:`f(x, u) = f_0(x) + B(x) u` at an exact state, all entries numbers of the state's field,
the inputs are those of least weighted norm, :math:`u = -S^2 B^T (B S^2 B^T)^{-1} f_0` over independent rows
of B, with the sizes S of the inputs that the search had.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl import decisions
from geoctrl._scalars import exact
from geoctrl._scalars.algebra.surds import exact_with_roots, rational
from geoctrl.analysis.question.problem import Problem
from geoctrl.decisions.arithmetic.eliminations import Rows, independent_rows, product, solve
from geoctrl.decisions.functions.derivatives import Jet
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
    held = [Fraction(j in free) or q for j, q in enumerate(exact_u or map(exact, u.tolist()))]
    at = np.array([float(q) for q in held])
    given = Equilibrium(
        x, at, 0.0, 0.0, np.zeros((x.size, 0)), exact_x, tuple(held), dict(params), spin=seen.spin
    )
    try:
        problem = Problem.of(seen, given)
        if problem is None:
            return None
        rates, B = problem.with_needed_roots(partial(_rates_and_slopes, free=free))
    except (decisions.Refusal, ArithmeticError):
        return None
    first = [f - sum(row, fmpq(0)) for f, row in zip(rates, B, strict=True)]
    weights = [rational(Fraction(s)) for s in sizes]
    scaled = [[w * b for w, b in zip(weights, row, strict=True)] for row in B]
    kept = independent_rows(scaled)
    rows, right = [scaled[i] for i in kept], [[-first[i]] for i in kept]
    if not rows:
        return None
    if len(rows) == len(free):
        y = solve(rows, right)
    else:
        across = [list(column) for column in zip(*rows, strict=True)]
        y = product(across, solve(product(rows, across), right))
    found = {j: exact_with_roots(w * q[0]) for j, w, q in zip(free, weights, y, strict=True)}
    return tuple(found.get(j, q) for j, q in enumerate(held))


def _rates_and_slopes(problem: Problem, free: Sequence[int]) -> tuple[list[Any], Rows]:
    """Rates of all states at the point, exactly, and their slopes by the free inputs, which are one there."""
    read = problem.question().read
    n, rates, slopes = len(read["states"]), list[Any](), list[list[Any]]()
    for begin in range(0, len(free), n):
        some = free[begin : begin + n]
        question = decisions.Question(read, exact=True, along=partial(_along_inputs, free=some))
        found = question.jets(question.problem["field"])
        if any(jet.value is None for jet in found):
            raise decisions.NotExact("a rate has no exact value at the point")
        rates = [fmpq(0) + jet.value for jet in found]
        columns = zip(*(question.gradient(jet)[: len(some)] for jet in found), strict=True)
        slopes += map(list, columns)
    return rates, [list(row) for row in zip(*slopes, strict=True)]


def _along_inputs(
    question: decisions.Question, free: Sequence[int]
) -> tuple[dict[int, Jet], dict[int, fmpq], list[int]]:
    """Symbols at the point, where some inputs alone move."""
    jets, numbers, moving = decisions.standing(question)
    inputs = list(question.numbers_of("input"))
    jets |= {inputs[j]: Jet(jets[inputs[j]].value, {k: fmpq(1)}, {}) for k, j in enumerate(free)}
    return jets, numbers, moving
