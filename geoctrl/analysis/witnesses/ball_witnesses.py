"""What a question knows in balls, at its point or over a box about it, as the witness of a file.

Inverses are rounded: what is solved with them is enclosed all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.point_witnesses import Basis, PointWitnesses, texts
from geoctrl.checker.balls import Balls, radii
from geoctrl.checker.witnesses.definite import product
from geoctrl.checker.witnesses.numbers import ball

__all__ = ["BallWitnesses", "rounded_inverse", "short"]

BITS = 53
"""Of the numbers of a rounded inverse."""

Rows = list[list[Any]]


class BallWitnesses(PointWitnesses):
    """Over the box of a problem, or in balls at the point of one that is enclosed."""

    def _numbers(self, problem: dict[str, Any]) -> Balls:
        labels, widths = list(problem["states"]), [fmpq(0)] * len(problem["states"])
        if "box" in problem:
            held, found = problem["box"]["held"], radii(problem["box"]["bits"], len(labels))
            widths = [fmpq(0) if k in held else r for k, r in zip(labels, found, strict=True)]
        return Balls(widths)

    def roots(self) -> list[list[int | str]]:
        """None: they are enclosed."""
        return []

    def inverse_of(self, rows: Rows) -> list[list[str]]:
        """Of a matrix in balls, rounded."""
        return texts(rounded_inverse(rows, BITS))

    def basis(self, names: Sequence[str]) -> Basis:
        """Functions, the states that they leave free, and the inverse of their gradients by the others."""
        problem, labels = self.question.problem, self.question.labels
        omitted = (problem.get("enclosed") or problem["box"])["omitted"]
        fixed = [i for i, k in enumerate(labels) if k in omitted]
        gradients = [[self.question.function(name)[1][i] for i in fixed] for name in names]
        return {
            "rows": list(names),
            "free": [k for k in labels if k not in omitted],
            "inverse": self.inverse_of(gradients),
        }

    def motion(self, basis: Basis) -> Rows:
        """The linearisation on the tangents of the basis."""
        W = self.tangents(basis)
        image = product(self.question.linearisation, W) if W[0] else W
        return [image[self.question.labels.index(k)] for k in basis["free"]]

    def tangents(self, basis: Basis) -> Rows:
        """A basis of the kernel of the gradients, by states."""
        labels, free = self.question.labels, basis["free"]
        fixed, rows = [i for i, k in enumerate(labels) if k not in free], {}
        if fixed:
            gradients = [self.question.function(name)[1] for name in basis["rows"]]
            right = [[-row[labels.index(k)] for k in free] for row in gradients]
            found = arb_mat([[ball(row[i]) for i in fixed] for row in gradients]).solve(_balls(right))
            rows = dict(zip(fixed, found.tolist(), strict=True))
        return [rows.get(i) or [fmpq(k == other) for other in free] for i, k in enumerate(labels)]


def rounded_inverse(rows: Rows, bits: int) -> Rows:
    """The inverse of the middles of a matrix, in numbers of some bits; NotSolved where it has none."""
    if not rows:
        return []
    try:
        found = _balls(rows).mid().inv()
    except ZeroDivisionError:
        raise NotSolved from None
    return [[short(c, bits) for c in row] for row in found.tolist()]


def short(x: arb, bits: int) -> fmpq:
    """The middle of a ball in so many bits; NotSolved where it is not finite."""
    if not x.is_finite():
        raise NotSolved
    with ctx.workprec(bits):
        return (x.mid() * 1).mid().fmpq()


def _balls(rows: Rows) -> arb_mat:
    return arb_mat([[ball(c) for c in row] for row in rows])
