"""Values and derivatives of terms at a point: what the library computes there, found beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from geoctrl.checker.jets import Jet, Numbers
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import Number
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression, Quadrature, subterms

Row = list[Number]
Rows = list[Row]


class ExpressionJets:
    """Jets of terms at one point.

    Parameters
    ----------
    point : sequence of number
    roots : sequence of number
        Those that square roots there may be.
    """

    def __init__(self, point: Sequence[Number], roots: Sequence[Number]) -> None:
        self.point, self._roots = list(point), list(roots)
        self._numbers = Numbers(dict(enumerate(self._roots)))
        self._found: dict[bytes, Jet] = {}

    def jet_of(self, root: Expression) -> Jet:
        """The jet of a term."""
        for term in subterms(root):
            if term.mark not in self._found:
                try:
                    self._found[term.mark] = self._jet(term)
                except (Refusal, ZeroDivisionError) as error:
                    raise CertificateError(f"at the point, {error}") from None
        return self._found[root.mark]

    def value(self, root: Expression) -> Number:
        """The value of a term that has one in the field."""
        if (value := self.jet_of(root).value) is None:
            raise CertificateError("a coefficient at the point is an arc tangent, which the library has not")
        return value

    def row(self, root: Expression) -> Row:
        """The gradient of a term."""
        return self.jet_of(root).gradient(len(self.point))

    def form(self, root: Expression) -> Rows:
        """The matrix of what is quadratic in a term."""
        half = fmpq(1, 2)
        return [[half * entry for entry in row] for row in self.jet_of(root).hessian(len(self.point))]

    def _jet(self, term: Expression) -> Jet:
        if term.kind == "Num":
            return Jet({(): term.value}, 2)
        if term.kind == "Var":
            return Jet({(): self.point[term.value], (term.value,): fmpq(1)}, 2)
        parts = [self._found[part.mark] for part in term.parts]
        if term.kind == "Add":
            return parts[0] + parts[1]
        if term.kind == "Mul":
            return parts[0] * parts[1]
        inner = parts[0]
        if (x := inner.value) is None:
            raise CertificateError("a function of an arc tangent is asked: the library has no number for it")
        if term.kind == "Inv":
            return inner.inverse()
        return self._composition(term.value, inner, x)

    def _composition(self, function: Any, inner: Jet, x: Number) -> Jet:
        """A function of a jet with a value x."""
        name, arguments = function, [x]
        if isinstance(function, Quadrature):
            name, arguments = "Quadrature", [function.a, function.b, x]
        name, f = name.lower(), self._numbers.function
        place = next((k for k, root in enumerate(self._roots) if root * root == x), None)
        y = f(name, place, *arguments)
        return inner.composition(name, y, f, *arguments)
