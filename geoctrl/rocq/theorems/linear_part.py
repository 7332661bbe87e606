"""The linear part of the motion on the leaf, and quadratic functions with their rates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from flint import fmpq

from geoctrl.checker.matrices import nullspace, product, solve
from geoctrl.checker.surds import Number
from geoctrl.rocq.terms.expression import (
    ZERO,
    Expression,
    constant,
    derivative,
    difference,
    number,
    plus,
    times,
    variable,
)
from geoctrl.rocq.terms.expression_jets import Row, Rows
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.witnesses.sums_of_squares import Squares, sum_of_squares


class LinearPart:
    """The linearisation where leaf relations, and perhaps other functions, have their values.

    Parameters
    ----------
    equations : ProblemInTerms
    held : sequence of Expression
        Functions besides the relations of the leaf.
    """

    def __init__(self, equations: ProblemInTerms, held: Sequence[Expression] = ()) -> None:
        self.equations, self._held = equations, list(held)

    @property
    def relations(self) -> list[Expression]:
        """Relations of the leaf and functions that are held."""
        return [*self.equations.leaf.values(), *self._held]

    @cached_property
    def forms(self) -> Rows:
        """Gradients of all that is held, by states and unknowns."""
        jets = self.equations.whole_jets
        return [jets.row(q) for q in [*self.relations, *self.equations.equations]]

    @cached_property
    def forms_of_states(self) -> Rows:
        """Gradients of what is held, by states."""
        return [self.equations.jets.row(g) for g in self.relations]

    @cached_property
    def tangent(self) -> Rows:
        """A basis of the directions in which all that is held stays, each one in a coordinate."""
        return nullspace(self.forms_of_states, self.equations.n)

    @cached_property
    def coordinates(self) -> list[int]:
        """The states that are coordinates there."""
        n, basis = self.equations.n, self.tangent
        return [
            next(i for i in range(n) if w[i] == 1 and not any(v[i] for v in basis if v is not w))
            for w in basis
        ]

    @cached_property
    def matrix(self) -> Rows:
        """The linear field in these coordinates."""
        n, m, jets = self.equations.n, self.equations.m, self.equations.whole_jets
        field = [jets.row(f) for f in self.equations.field]
        A = [row[:n] for row in field]
        if m:
            rows = [jets.row(q) for q in self.equations.equations]
            rates = solve([row[n:] for row in rows], [row[:n] for row in rows])
            moved = product([row[n:] for row in field], rates)
            A = [[a - b for a, b in zip(r, s, strict=True)] for r, s in zip(A, moved, strict=True)]
        image = product(A, [list(column) for column in zip(*self.tangent, strict=True)])
        return [image[i] for i in self.coordinates]

    def quadratic(self, P: Rows) -> Expression:
        """(x - e)' P (x - e) in the coordinates, as a term."""
        off = [
            plus(variable(i), constant(-self.equations.point[i])) if self.equations.point[i] else variable(i)
            for i in self.coordinates
        ]
        total = ZERO
        for x, row in zip(off, P, strict=True):
            inner = ZERO
            for y, entry in zip(off, row, strict=True):
                inner = plus(inner, times(number(entry), y))
            total = plus(total, times(x, inner))
        return total

    def rate_squares(self, V: Expression, a: fmpq, sign: int) -> Squares | None:
        """Squares of sign V' - a V, positive where all that is held has its value."""
        rate = derivative(V, self.equations.field)
        U = difference(rate if sign > 0 else times(number(-1), rate), times(number(a), V))
        return sum_of_squares(self.equations.whole_jets.form(U), self.forms)

    def above(self, P: Rows) -> tuple[fmpq, Squares] | None:
        """A constant b with squares of V - b |x - e|^2, positive in the same way."""
        n = self.equations.n
        form: Rows = [[fmpq(0)] * n for _ in range(n)]
        for row, i in zip(P, self.coordinates, strict=True):
            for entry, j in zip(row, self.coordinates, strict=True):
                form[i][j] = entry
        for k in LOWER:
            b = fmpq(2) ** k
            less = [[q - (b if i == j else 0) for j, q in enumerate(row)] for i, row in enumerate(form)]
            if (found := sum_of_squares(less, self.forms_of_states)) is not None:
                return b, found
        return None

    def direction(self, u: Row) -> list[Number]:
        """A vector of coordinates as one of states."""
        n = self.equations.n
        return [sum((c * w[i] for c, w in zip(u, self.tangent, strict=True)), fmpq(0)) for i in range(n)]


LOWER = range(-6, -80, -6)
"""Powers of two to be tried for b; the largest entry of P is next to one."""
