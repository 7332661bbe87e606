"""Taylor series of a motion modulo a prime, at many points at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from geoctrl._scalars.arithmetic.arithmetics import Arithmetic, evaluate
from geoctrl._scalars.arithmetic.residues import Residues
from geoctrl._scalars.graph.graph import Node

__all__ = ["ResidueSeries", "taylor"]


class ResidueSeries:
    """A power series in time, its coefficients arrays of residues; those left out are zero."""

    __slots__ = ("order", "terms")

    def __init__(self, terms: Sequence[Residues], order: int) -> None:
        self.terms, self.order = list(terms[:order]), order

    def _read(self, other: Any) -> ResidueSeries:
        return (
            other if isinstance(other, ResidueSeries) else ResidueSeries([Residues.number(other)], self.order)
        )

    def __add__(self, other: Any) -> ResidueSeries:
        a, b = self.terms, self._read(other).terms
        short, long = sorted((a, b), key=len)
        return ResidueSeries(
            [x + y for x, y in zip(short, long, strict=False)] + long[len(short) :], self.order
        )

    __radd__ = __add__

    def __neg__(self) -> ResidueSeries:
        return ResidueSeries([-x for x in self.terms], self.order)

    def __sub__(self, other: Any) -> ResidueSeries:
        return self + -self._read(other)

    def __rsub__(self, other: Any) -> ResidueSeries:
        return -self + other

    def __mul__(self, other: Any) -> ResidueSeries:
        a, b = self.terms, self._read(other).terms
        size = min(len(a) + len(b) - 1, self.order)
        return ResidueSeries([_convolution(a, b, k) for k in range(size)], self.order)

    __rmul__ = __mul__

    def inverse(self) -> ResidueSeries:
        """The reciprocal; zero where the constant term is."""
        first = self.terms[0].inverse()
        found = [first]
        for k in range(1, self.order if len(self.terms) > 1 else 1):
            found.append(-first * _convolution([Residues(0), *self.terms[1:]], found, k))
        return ResidueSeries(found, self.order)

    def __truediv__(self, other: Any) -> ResidueSeries:
        return self * self._read(other).inverse()

    def __rtruediv__(self, other: Any) -> ResidueSeries:
        return self.inverse() * other

    def __pow__(self, exponent: int) -> ResidueSeries:
        base = self if exponent >= 0 else self.inverse()
        result = self._read(1)
        for _ in range(abs(exponent)):
            result = result * base
        return result

    def coefficient(self, k: int) -> Residues:
        """That of t^k."""
        return self.terms[k] if k < len(self.terms) else Residues(0)


def _convolution(a: Sequence[Residues], b: Sequence[Residues], k: int) -> Residues:
    """The term k of a product."""
    total = Residues(0)
    for i in range(max(0, k - len(b) + 1), min(k + 1, len(a))):
        total = total + a[i] * b[k - i]
    return total


def taylor(
    variables: Sequence[Node],
    rates: Sequence[Node],
    start: Sequence[Residues],
    parameters: Mapping[Node, Residues],
    order: int,
) -> list[ResidueSeries]:
    r"""Series of the solution of :math:`\dot x = f(x)` with ``order`` terms each.

    Each evaluation of f makes one more term of x right. Functions that f holds must be among the variables.
    """
    terms = [[x] for x in start]
    for known in range(1, order):
        values = {node: ResidueSeries(t, known) for node, t in zip(variables, terms, strict=True)}
        values |= {node: ResidueSeries([value], known) for node, value in parameters.items()}

        def number(q: Fraction, order: int = known) -> ResidueSeries:
            return ResidueSeries([Residues.number(q)], order)

        found = evaluate(rates, values, Arithmetic("series of residues", number, {}))
        share = Residues.number(known).inverse()
        for t, rate in zip(terms, found, strict=True):
            t.append(rate.coefficient(known - 1) * share)
    return [ResidueSeries(t, order) for t in terms]
