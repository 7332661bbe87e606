"""The problem of a certificate as terms: field, equations of the unknowns, leaf, functions, and its point."""

from __future__ import annotations

from functools import cached_property

from flint import fmpq

from geoctrl.checker.numbers import Number
from geoctrl.checker.reader import children
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.certified import Certified
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
    subterms,
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
    """The problem of a certificate in terms.

    Attributes
    ----------
    proved : Certified
    problem : dict
    labels, unknowns : list of str
    numbers : dict of str to number
        Inputs and parameters.
    point : list of number
        Values of the states.
    """

    def __init__(self, proved: Certified) -> None:
        self.proved, self.problem = proved, proved.question.problem
        self.labels, self.unknowns = list(self.problem["states"]), list(self.problem["unknowns"])
        self.numbers: dict[str, Number] = {**self.problem["inputs"], **self.problem["parameters"]}
        self.point: list[Number] = list(self.problem["states"].values())
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
        return self._function(parts[0], [self._terms[j] for j in parts[1]])

    def _symbol(self, name: str, role: str) -> Expression:
        if role == "family":
            raise CertificateError("its equations hold symbols of a family")
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

    def cofactors(self, name: str) -> list[tuple[str, Expression]]:
        """Relations of the leaf with their cofactors in the rate of a function that is kept."""
        rows = self.proved.question.witness["cofactors"].get(name, [])
        return [(relation, self.term(p)) for relation, p in rows if isinstance(relation, str)]

    @property
    def inverse_of_matrix(self) -> list[list[Number]]:
        """K^-1 at the point."""
        return self.proved.question.witness["inverse"]

    @cached_property
    def whole_point(self) -> list[Number]:
        """Values of states and unknowns."""
        q = self.proved.question
        return [*self.point, *(q.at[p].value for p in q.unknowns)]

    @cached_property
    def jets(self) -> ExpressionJets:
        """Jets of terms without unknowns at the point."""
        return self.jets_at(self.point)

    @cached_property
    def whole_jets(self) -> ExpressionJets:
        """Jets of all terms at the point with its unknowns."""
        return self.jets_at(self.whole_point)

    def jets_at(self, point: list[Number]) -> ExpressionJets:
        """Jets at another point, with the roots of this one."""
        return ExpressionJets(point, self.proved.roots)

    def _function(self, name: str, arguments: list[Expression]) -> Expression:
        if name in ("sin", "cos", "sqrt"):
            return function(name.capitalize(), arguments[0])
        if name == "atan":
            return function(ARCTANGENT, arguments[0])
        if name != "quadrature":
            raise CertificateError(f"{WORDED[name]}, which the library has not")
        a, b = (self._rational(argument) for argument in arguments[:2])
        if not (a > 0 and b > 0):
            raise CertificateError("an integral of 1/(a t^2 + b) with a or b negative is in its equations")
        return function(Quadrature(a, b), arguments[2])

    def _rational(self, term: Expression) -> fmpq:
        """The value of a term without variables, which has to be rational."""
        fixed = all(part.kind != "Var" for part in subterms(term))
        value = self.jets.value(term) if fixed else None
        if not isinstance(value, fmpq):
            raise CertificateError(
                "an integral of 1/(a t^2 + b) with other than rational a and b is in its equations"
            )
        return value
