"""The problem of a certificate as terms: field, equations of the unknowns, leaf, functions, and its point."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from flint import fmpq

from geoctrl.checker.matrices import solve
from geoctrl.checker.reading import Refusal, children
from geoctrl.checker.surds import Number, Surds
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import (
    ARCTANGENT,
    ZERO,
    Expression,
    Quadrature,
    constant,
    function,
    inverse,
    minus,
    number,
    plus,
    power,
    times,
    variable,
    with_name,
)
from geoctrl.rocq.terms.expression_jets import ExpressionJets

WORDED = {
    "exp": "an exponential is in its equations",
    "log": "a logarithm is in its equations",
    "select": "abs, sign or a choice is in its equations",
}
"""Functions that the library has not."""


class ProblemInTerms:
    """The problem of a certificate, as read, in terms.

    Attributes
    ----------
    labels, unknowns : list of str
    numbers : dict of str to number
        Inputs and parameters.
    field_of_numbers : Surds
    point : list of number
        Values of the states.
    """

    def __init__(self, problem: dict[str, Any]) -> None:
        self.problem = problem
        self.labels, self.unknowns = list(problem["states"]), list(problem["unknowns"])
        self.numbers: dict[str, Number] = {**problem["inputs"], **problem["parameters"]}
        self.field_of_numbers: Surds = problem["roots"]
        self.point: list[Number] = list(problem["states"].values())
        self._terms: dict[int, Expression] = {}
        names = [*self.labels, *self.unknowns]
        self._symbols = {name: variable(i) for i, name in enumerate(names)}

    @property
    def n(self) -> int:
        """Number of states."""
        return len(self.labels)

    @property
    def m(self) -> int:
        """Number of unknowns."""
        return len(self.unknowns)

    def term(self, place: int) -> Expression:
        """The term at a place of the table."""
        pending = [place]
        while pending:
            node = self.problem["nodes"][pending[-1]]
            missing = [j for j in children(node) if j not in self._terms]
            if missing:
                pending += missing
            else:
                self._terms[pending[-1]] = self._term_of_node(node)
                pending.pop()
        return self._terms[place]

    def _term_of_node(self, node: tuple) -> Expression:
        kind, *parts = node
        if kind == "num":
            return number(parts[0])
        if kind == "sym":
            return self._symbol(*parts)
        if kind == "sum":
            total = ZERO
            for a, b in parts[0]:
                total = plus(total, times(self._terms[a], self._terms[b]))
            return total
        if kind == "prod":
            made = number(parts[0])
            for base, exponent in parts[1]:
                if exponent:
                    term = self._terms[base] if exponent > 0 else inverse(self._terms[base])
                    made = times(made, power(term, abs(exponent)))
            return made
        return _function(parts[0], [self._terms[j] for j in parts[1]])

    def _symbol(self, name: str, role: str) -> Expression:
        if role == "family":
            return constant(self.problem["family"]["symbols"][name])
        return with_name(constant(self.numbers[name]), name) if name in self.numbers else self._symbols[name]

    @cached_property
    def field(self) -> list[Expression]:
        """Rates of the states."""
        return [self.term(p) for p in self.problem["field"]]

    @cached_property
    def matrix(self) -> dict[tuple[int, int], Expression]:
        """The entries of K."""
        return {(i, j): self.term(p) for i, j, p in self.problem["matrix"]}

    @cached_property
    def right(self) -> list[Expression]:
        """The entries of b."""
        return [self.term(p) for p in self.problem["right"]]

    @cached_property
    def equations(self) -> list[Expression]:
        """b - K z, which vanish along motions."""
        rows = list(self.right)
        for (i, j), entry in self.matrix.items():
            rows[i] = plus(rows[i], minus(times(entry, variable(self.n + j))))
        return rows

    @cached_property
    def leaf(self) -> dict[str, Expression]:
        """Relations of the leaf."""
        return {name: self.term(p) for name, p in self.problem["leaf"].items()}

    def invariant(self, name: str) -> Expression:
        """A function that is conserved."""
        if name not in self.problem["invariants"]:
            raise CertificateError(f"the function {name!r} is no invariant of its equations")
        return self.term(self.problem["invariants"][name])

    def weights(self, name: str) -> list[Expression]:
        """With which the equations show that a function is kept."""
        return [self.term(p) for p in self.problem["weights"].get(name, [])]

    @cached_property
    def jets(self) -> ExpressionJets:
        """Jets of terms without unknowns at the point."""
        return ExpressionJets(self.point, self.field_of_numbers)

    @cached_property
    def inverse_of_matrix(self) -> list[list[Number]]:
        """K^-1 at the point."""
        rows = [[fmpq(0)] * self.m for _ in range(self.m)]
        for (i, j), entry in self.matrix.items():
            rows[i][j] = self.jets.value(entry)
        unit = [[fmpq(int(i == j)) for j in range(self.m)] for i in range(self.m)]
        try:
            return solve(rows, unit) if self.m else []
        except Refusal as error:
            raise CertificateError(str(error)) from None

    @cached_property
    def whole_point(self) -> list[Number]:
        """Values of states and unknowns."""
        right = [self.jets.value(entry) for entry in self.right]
        unknowns = [
            sum((c * b for c, b in zip(row, right, strict=True)), fmpq(0)) for row in self.inverse_of_matrix
        ]
        return [*self.point, *unknowns]

    @cached_property
    def whole_jets(self) -> ExpressionJets:
        """Jets of all terms at the point with its unknowns."""
        return ExpressionJets(self.whole_point, self.field_of_numbers)


def _function(name: str, arguments: list[Expression]) -> Expression:
    if name in ("sin", "cos", "sqrt"):
        return function(name.capitalize(), arguments[0])
    if name == "atan":
        return function(ARCTANGENT, arguments[0])
    if name != "quadrature":
        raise CertificateError(f"{WORDED[name]}, which the library has not")
    a, b = (_number(argument) for argument in arguments[:2])
    if not (a > 0 and b > 0):
        raise CertificateError("an integral of 1/(a t^2 + b) with a or b negative is in its equations")
    return function(Quadrature(a, b), arguments[2])


def _number(term: Expression) -> fmpq:
    """The value of a term without variables, which has to be rational."""
    try:
        value = ExpressionJets([], Surds()).value(term)
    except IndexError:
        value = None
    if not isinstance(value, fmpq):
        raise CertificateError(
            "an integral of 1/(a t^2 + b) with other than rational a and b is in its equations"
        )
    return value
