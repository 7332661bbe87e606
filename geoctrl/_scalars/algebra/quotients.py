"""Quotients of polynomials without a common factor: an arithmetic for recorded expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq

from geoctrl.errors import DivisionError

__all__ = ["Quotient", "constant"]


def constant(ring: Any, q: Fraction) -> Any:
    """A number as a polynomial."""
    return ring.constant(fmpq(int(q.numerator), int(q.denominator)))


class Quotient:
    """Numerator over denominator, both polynomials of one ring over the rationals.

    They have no common factor, and the leading coefficient of the denominator is 1: equal functions have
    equal parts.
    """

    __slots__ = ("below", "top")

    def __init__(self, top: Any, below: Any) -> None:
        self.top, self.below = top, below

    @classmethod
    def of(cls, top: Any, below: Any) -> Quotient:
        """The quotient of any two polynomials; raises DivisionError for a denominator that is zero."""
        if not below:
            raise DivisionError("division by zero in a rational function")
        if not below.is_constant():
            common = top.gcd(below)
            if not common.is_constant():
                top, below = top / common, below / common
        lead = below.leading_coefficient()
        return cls(top / lead, below / lead)

    def __add__(self, other: Quotient) -> Quotient:
        if self.below == other.below:
            return Quotient.of(self.top + other.top, self.below)
        return Quotient.of(self.top * other.below + other.top * self.below, self.below * other.below)

    def __mul__(self, other: Quotient) -> Quotient:
        return Quotient.of(self.top * other.top, self.below * other.below)

    def __truediv__(self, other: Quotient) -> Quotient:
        return Quotient.of(self.top * other.below, self.below * other.top)

    def __pow__(self, exponent: int) -> Quotient:
        return Quotient(self.top**exponent, self.below**exponent)
