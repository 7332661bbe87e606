"""Values and derivatives of terms at a point: what the library computes there, found beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from geoctrl.checker.jets import DERIVATIVES, Jet, NotExact, Numbers
from geoctrl.checker.reading import Refusal
from geoctrl.checker.surds import Number, Surds
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression, Quadrature, subterms

Row = list[Number]
Rows = list[Row]


class ExpressionJets:
    """Jets of terms at one point with numbers in a field."""

    def __init__(self, point: Sequence[Number], field: Surds) -> None:
        self.point, self._numbers = list(point), Numbers(exact=True, field=field)
        self._found: dict[bytes, Jet] = {}

    def jet_of(self, root: Expression) -> Jet:
        """The jet of a term."""
        for term in subterms(root):
            if term.mark not in self._found:
                try:
                    self._found[term.mark] = self._jet(term)
                except NotExact as error:
                    raise CertificateError(f"{error}: the library has no number for it") from None
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
        first = self.jet_of(root).first
        return [first.get(i, fmpq(0)) for i in range(len(self.point))]

    def form(self, root: Expression) -> Rows:
        """The matrix of what is quadratic in a term."""
        second, places = self.jet_of(root).second or {}, range(len(self.point))
        return [[second.get((min(i, j), max(i, j)), fmpq(0)) / 2 for j in places] for i in places]

    def _jet(self, term: Expression) -> Jet:
        if term.kind == "Num":
            return Jet(term.value, {}, {})
        if term.kind == "Var":
            return Jet(self.point[term.value], {term.value: fmpq(1)}, {})
        parts = [self._found[part.mark] for part in term.parts]
        if term.kind == "Add":
            return parts[0] + parts[1]
        if term.kind == "Mul":
            return parts[0] * parts[1]
        inner = parts[0]
        if (x := inner.value) is None:
            raise NotExact("a function of an arc tangent is asked")
        if term.kind == "Inv":
            r = 1 / x
            return inner.through(r, -r * r, 2 * r * r * r)
        return inner.through(*self._function(term.value, x))

    def _function(self, name: Any, x: Number) -> tuple[Number | None, Number, Number]:
        """Value and derivatives of a function."""
        if isinstance(name, Quadrature):
            slope = 1 / (name.a * x * x + name.b)
            return (None if x else fmpq(0)), slope, -2 * name.a * x * slope * slope
        f = self._numbers.function
        y = f(name.lower(), x)
        return (y, *DERIVATIVES[name.lower()](f, x, y))
