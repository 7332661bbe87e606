"""Families through exact points of equations that hold functions of parameters, for proofs in balls.

The family is guessed flat, along the kernel of the linearisation in floats, and the unknowns are solved for
along it; `geoctrl.decisions` decides.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from flint import ctx, fmpq

from geoctrl import checker, decisions
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl._scalars.text.numbers import short_rational
from geoctrl.analysis.linear.subspaces import kernel, pivot_columns
from geoctrl.analysis.proofs.equilibria_in_boxes import Judged, judged_by_root
from geoctrl.analysis.proofs.equilibrium_family import flat_family
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.problem import Problem
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION
from geoctrl.systems.contract.scales import equilibration

__all__ = ["family_in_balls"]

KERNEL = 1e-8, 1e-12
"""Singular values, relative to the largest, that count as none: next to a change of stability a root is small
and no zero."""
SLOPES = (1000, 1e-9), (100, 1e-5)
"""Denominators of a flat family's slopes, and the distance up to which they are recognised: next to a change
of stability the kernel in floats is mixed with the direction of the small root. The checker proves the
family."""


def family_in_balls(problem: Problem) -> Judged | None:
    """A problem with a family and what the checker proves of it in balls; None where that is nothing."""
    stored, question = problem.question(), None
    try:
        rounded = problem.question_in_doubles
    except checker.Refusal:
        return None
    for tolerance, slopes in product(KERNEL, SLOPES):
        try:
            tangents, omitted, roots = _in_floats(problem, rounded, tolerance, slopes)
            with ctx.workprec(PRECISION):
                if question is None:
                    widths = [fmpq(0)] * len(stored.read["states"])
                    question = decisions.Question(stored.read, True, Balls(widths))
                family = flat_family(stored, question, tangents).with_parts(enclosed={"omitted": omitted})
            return judged_by_root(family, {}, roots)
        except (checker.Refusal, NotSolved, np.linalg.LinAlgError):
            continue
    return None


def _in_floats(
    problem: Problem, rounded: decisions.Question, tolerance: float, slopes: tuple[int, float]
) -> tuple[list[list[fmpq]], list[str], np.ndarray]:
    """Tangents of the family by row, states to omit, and the roots across it on the leaf."""
    labels = rounded.labels
    A = np.array([[float(c) for c in row] for row in rounded.linearisation])
    gradients = [rounded.function(name)[1] for name in problem.motion.leaf]
    D = np.array([[float(c) for c in row] for row in gradients]).reshape(-1, len(labels))
    whole = np.vstack([A, D])
    heights, widths = equilibration(whole)
    d = binary(widths)  # units of the states, in which the matrix itself says what is small in it
    directions = kernel(heights[:, None] * whole * d, tolerance)
    scaled = heights[len(A) :, None] * D * d
    if not directions.shape[1]:
        raise NotSolved
    pivots = pivot_columns(directions.T)
    rows = np.linalg.solve(directions[pivots].T, directions.T)
    tangents = [
        [_short_rational(v, size, *slopes) for v, size in zip(row * d / d[p], d / d[p], strict=True)]
        for row, p in zip(rows, pivots, strict=True)
    ]
    omitted = [labels[i] for i in pivot_columns(scaled)]
    W = kernel(scaled) if len(D) else np.eye(len(labels))
    roots = np.linalg.eigvals(W.T @ (A * (d / d[:, None])) @ W)
    # Zeros of the family are rounding in floats.
    return tangents, omitted, roots[np.argsort(np.abs(roots))][len(tangents) :]


def _short_rational(value: float, size: float, largest: int, near: float) -> fmpq:
    q = short_rational(value, size, largest, near)
    if q is None:
        raise NotSolved
    return fmpq(q.numerator, q.denominator)
