"""Numbers known up to a radius: an arithmetic for jets over a box of states.

Every operation encloses its results. What is not finite - a quotient by a ball with zero in it, a root of
one that reaches below - is refused where it occurs, and comparisons hold only where they are certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from flint import arb, ctx, fmpq

from geoctrl.decisions.arithmetic.eliminations import solve
from geoctrl.decisions.arithmetic.tower import Number, ball
from geoctrl.decisions.functions.derivatives import ENTRIES, Jet
from geoctrl.decisions.reading.clock import SECONDS, require_time
from geoctrl.decisions.reading.problem_reader import Refusal

FUNCTIONS = {name: getattr(arb, name) for name in ("sqrt", "sin", "cos", "exp", "log", "atan")}


class Balls:
    """Enclosures over the box of states whose half widths are given, with the bits of the context."""

    def __init__(self, widths: Sequence[fmpq]) -> None:
        self._widths, self.deadline = widths, monotonic() + SECONDS
        self._held = 0

    number = staticmethod(ball)
    solve = staticmethod(solve)

    def around(self, state: int, value: arb) -> arb:
        """The values of a state in the box."""
        return value + arb(0, self._widths[state])

    def function(self, name: str, x: arb) -> arb:
        """An enclosure of a function of one argument; what has none is not finite."""
        return FUNCTIONS[name](x)

    def quadrature(self, a: arb, b: arb, s: arb) -> arb:
        """int_0^s dt/(a t^2 + b), an arctangent or its hyperbolic twin; next to a = 0 their common series."""
        z = a * s * s / b
        if not z > -1:
            raise Refusal("the integrand of quadrature may have a pole")
        if z > 0 or z < 0:
            root = abs(z).sqrt()
            return s / b * (root.atan() if z > 0 else root.atanh()) / root
        if not abs(z) < fmpq(1, 2):
            raise Refusal("a quadrature is not bounded in the box")
        power, series = arb(1), arb(0)
        for k in range(ctx.prec):
            series, power = series + power / (2 * k + 1), -power * z
        return s / b * (series + arb(0, 1) * 2 * abs(power))

    def sign(self, _node: int, x: arb | None) -> int:
        """The sign of a switch, zero where it is not certain."""
        return 0 if x is None else (x > 0) - (x < 0)

    def settled(self, jet: Jet) -> Jet:
        """The jet, refused where it is not finite."""
        require_time(self.deadline)
        self._held += 1 + len(jet.first) + len(jet.second or ())
        if self._held > ENTRIES:
            raise Refusal("too many numbers occur, as derivatives by pairs of states do")
        value = None if jet.value is None else enclosed(jet.value)
        second = None if jet.second is None else {k: enclosed(v) for k, v in jet.second.items()}
        return Jet(value, {k: enclosed(v) for k, v in jet.first.items()}, second)


def radii(bits: int | list[int], count: int) -> list[fmpq]:
    """2^-bits for each of some states and multipliers, as a box gives them: one for all, or a list."""
    if isinstance(bits, int):
        return [fmpq(1, 1 << bits)] * count
    if len(bits) < count:
        raise Refusal("one radius is needed for each state and each multiplier", "problem.box.bits")
    return [fmpq(1 << max(-b, 0), 1 << max(b, 0)) for b in bits[:count]]


def enclosed(x: arb | Number) -> arb:
    """A finite enclosure of a number or a ball."""
    found = x if isinstance(x, arb) else ball(x)
    if not found.is_finite():
        raise Refusal("a value is not bounded in the box")
    return found
