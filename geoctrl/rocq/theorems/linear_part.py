"""The linear part of the motion on the leaf, and quadratic functions with their rates."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from flint import fmpq

from geoctrl.checker.definite import product
from geoctrl.checker.numbers import Number
from geoctrl.checker.verdicts import form, kernel
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
from geoctrl.rocq.witnesses.quadratic_forms import scale
from geoctrl.rocq.witnesses.sums_of_squares import Squares, sum_of_squares


class LinearPart:
    """The linearisation where the rows of a certificate have their values: relations of the leaf, and levels.

    Parameters
    ----------
    equations : ProblemInTerms
    held : iterable of Expression
        Functions that hold their values in what is shown, besides the relations of the leaf.

    Attributes
    ----------
    rows, free : list of str
        Functions that have independent gradients, and the states that are coordinates where these have their
        values.
    """

    def __init__(self, equations: ProblemInTerms, held: Iterable[Expression] = ()) -> None:
        self.equations, self._held = equations, list(held)
        self._basis = equations.proved.theorem
        self.rows, self.free = self._basis["rows"], self._basis["free"]

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

    @property
    def form(self) -> Rows:
        """The certificate's quadratic form in the coordinates."""
        return form(self._basis["P"], len(self.free))

    @cached_property
    def gradients(self) -> Rows:
        """Those of the rows."""
        q = self.equations.proved.question
        return [q.function(name).gradient(self.equations.n) for name in self.rows]

    @cached_property
    def tangent(self) -> Rows:
        """A basis, by columns, of the directions in which rows stay, each one in a coordinate."""
        return kernel(self.equations.proved.question, self.gradients, self._basis)

    @cached_property
    def coordinates(self) -> list[int]:
        """The states that are coordinates there."""
        return [self.equations.labels.index(label) for label in self.free]

    @cached_property
    def matrix(self) -> Rows:
        """The linear field in these coordinates."""
        return self._rates_along(self.tangent)

    def levels(self) -> tuple[Rows, Rows]:
        """Gradients of rows that are no relations of the leaf, scaled to be next to one; and rates of the
        coordinates, by columns, where these are zero and one level is one.
        """
        fixed = [k for k in self.equations.labels if k not in self.free]
        rows = dict(zip(fixed, self._basis["inverse"], strict=True))
        places = [j for j, name in enumerate(self.rows) if name not in self.equations.leaf]
        units = [scale([self.gradients[j]]) for j in places]
        columns = [
            [rows[k][j] / unit if k in rows else fmpq(0) for j, unit in zip(places, units, strict=True)]
            for k in self.equations.labels
        ]
        gradients = [[unit * c for c in self.gradients[j]] for j, unit in zip(places, units, strict=True)]
        return gradients, self._rates_along(columns)

    def _rates_along(self, columns: Rows) -> Rows:
        """Rates of the coordinates in some directions."""
        q, n = self.equations.proved.question, self.equations.n
        image = product([jet.gradient(n) for jet in q.jets(q.problem["field"])], columns)
        return [image[i] for i in self.coordinates]

    def quadratic(self, P: Rows) -> Expression:
        """(x - e)' P (x - e) in the coordinates, as a term."""
        total = ZERO
        for i, row in zip(self.coordinates, P, strict=True):
            total = plus(total, times(self._off(i), self._linear(row, self.coordinates)))
        return total

    def square(self, row: Row) -> Expression:
        """(d.(x - e))^2 as a term."""
        inner = self._linear(row, range(self.equations.n))
        return times(inner, inner)

    def _linear(self, row: Row, places: Iterable[int]) -> Expression:
        total = ZERO
        for i, entry in zip(places, row, strict=True):
            total = plus(total, times(constant(entry), self._off(i)))
        return total

    def _off(self, i: int) -> Expression:
        """x - e, of one state."""
        e = self.equations.point[i]
        return plus(variable(i), constant(-e)) if e else variable(i)

    def rate_squares(self, V: Expression, a: fmpq, sign: int) -> Squares | None:
        """Squares of sign V' - a V, positive where all that is held has its value."""
        rate = derivative(V, self.equations.field)
        U = difference(rate if sign > 0 else times(number(-1), rate), times(number(a), V))
        return sum_of_squares(self.equations.whole_jets.form(U), self.forms)

    def above(self, P: Rows) -> tuple[fmpq, Squares] | None:
        """A constant b with squares of V - b |x - e|^2, positive in the same way."""
        n = self.equations.n
        whole: Rows = [[fmpq(0)] * n for _ in range(n)]
        for row, i in zip(P, self.coordinates, strict=True):
            for entry, j in zip(row, self.coordinates, strict=True):
                whole[i][j] = entry
        for k in LOWER:
            b = fmpq(2) ** k
            less = [[q - (b if i == j else 0) for j, q in enumerate(row)] for i, row in enumerate(whole)]
            if (found := sum_of_squares(less, self.forms_of_states)) is not None:
                return b, found
        return None

    def direction(self, u: Row) -> list[Number]:
        """A vector of coordinates as one of states."""
        return [c for (c,) in product(self.tangent, [[c] for c in u])]


LOWER = range(-6, -80, -6)
"""Powers of two to be tried for b; the largest entry of P is next to one."""
