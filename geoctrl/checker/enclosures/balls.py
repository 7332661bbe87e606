"""Numbers that are known up to a radius: an arithmetic for a question about a box of states.

Every operation encloses its results. What is not finite - a quotient by a ball with zero in it, a root of one
that reaches below - is refused, and comparisons hold only where they are certain.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.definite import Rows
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.numbers import Number, ball

ENTRIES = 1_600_000
"""Values and derivatives that are held of one box or cell, at most."""
ENTIRE = ("sin", "cos", "exp", "atan")
"""Functions that have a value everywhere."""
FUNCTIONS = {name: getattr(arb, name) for name in ("sqrt", "sin", "cos", "exp", "log", "atan")}


class Balls:
    """Enclosures over the box of states with some half widths, with the bits of the context.

    Parameters
    ----------
    widths : sequence of fmpq
    order : int
        Of the derivatives that are known.
    left, size : int
        How much may be held, and how much a value is of that.
    """

    def __init__(
        self, widths: Sequence[fmpq] = (), order: int = 2, left: int = ENTRIES, size: int = 1
    ) -> None:
        self._widths, self.order, self._left, self._size = widths, order, left, size

    def number(self, q: Number, state: int | None = None) -> arb:
        """A number as it is read, or the values of a state in the box."""
        return +ball(q) if state is None else ball(q) + arb(0, self._widths[state])

    def inverse(self, K: Rows, N: Rows, path: str) -> Rows:
        """An enclosure of that of K, from an N with N K next to one, which shows K invertible."""
        if any(len(row) != len(K) for row in K):
            raise Refusal("the matrix is not square", path)
        return ((arb_mat(N) * arb_mat(K)).inv() * arb_mat(N)).tolist() if K else []

    def function(self, name: str, _place: int | None, *x: arb) -> arb:
        """An enclosure of a function; what has none is not finite, a root of zero has no derivative."""
        if name == "sqrt" and not x[0] > 0:
            raise Refusal("a root or its slope is not bounded in the box")
        return quadrature(*x) if name == "quadrature" else FUNCTIONS[name](*x)

    def sign(self, _place: int, x: arb) -> int:
        """The sign of a switch, zero where it is not certain."""
        return (x > 0) - (x < 0)

    def count(self, jet: Jet) -> Jet:
        """The jet as it is, counted; refused where it is not finite."""
        if [x for x in jet.terms.values() if isinstance(x, arb) and not x.is_finite()]:
            raise Refusal("a value is not bounded in the box")
        spend()
        self._left -= len(jet.terms) * self._size
        if self._left < 0:
            raise Refusal("too many numbers occur, as derivatives by pairs of states do")
        return jet


def quadrature(a: arb, b: arb, s: arb) -> arb:
    """int_0^s dt/(a t^2 + b), an arctangent or its hyperbolic twin; next to a = 0 their common series."""
    z = a * s * s / b
    require(z > -1, "the integrand of quadrature may have a pole")
    if z > 0 or z < 0:
        root = abs(z).sqrt()
        return s / b * (root.atan() if z > 0 else root.atanh()) / root
    require(abs(z) < fmpq(1, 2), "a quadrature is not bounded in the box")
    power, series = arb(1), arb(0)
    for k in range(ctx.prec):
        series, power = series + power / (2 * k + 1), -power * z
    return s / b * (series + arb(0, 1) * 2 * abs(power))
