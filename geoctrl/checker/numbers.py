"""Numbers: rationals and square roots, with exact zeros and signs that are certain.

A number is a + b r, with a and b of the field before, r the positive root of a number of that field. Whether
it has a root there already is not asked: what is zero term by term is zero, a sign is that of an enclosure,
and a divisor is one whose norm a^2 - b^2 r^2 can be divided by. Rational numbers stay `fmpq`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Any

from flint import arb, ctx, fmpq

from geoctrl.checker.limits import require

Number = Any
"""An fmpq or a `Surd`."""

BITS, DIGITS, ROOTS = 1024, 2_000, 4
"""Of enclosures; of numerators and denominators in a file; and the largest number of its roots."""
_RATIONAL = f"[0-9]{{1,{DIGITS}}}(/0*[1-9][0-9]{{0,{DIGITS}}})?"
_TERM = rf"{_RATIONAL}(\*r[1-{ROOTS}]){{0,{ROOTS}}}"
_SUM = re.compile(rf"-?{_TERM}( [+-] {_TERM}){{0,{1 << ROOTS}}}", re.ASCII)
_ROOTS: ContextVar[list[Number]] = ContextVar("roots")


REST: tuple[Callable[..., Any], ...] = (
    lambda a: a * -1,
    lambda a, b: a + b * -1,
    lambda a, b: a * -1 + b,
    lambda a, b: a * (1 / b),
    lambda a, b: a + b,
    lambda a, b: a * b,
)
"""-a, a - b, b - a, a/b, b + a and b a, from sums, products and quotients of one."""


@dataclass(slots=True)
class Surd:
    """a + b r, with b not zero term by term; r is the root of a number by its turn."""

    root: tuple[int, Number]
    a: Number
    b: Number
    __neg__, __sub__, __rsub__, __truediv__, __radd__, __rmul__ = REST

    def _pairs(self, other: Number) -> tuple[Any, ...]:
        """The later root of two numbers, and both over it."""
        later = max((x.root for x in (self, other) if isinstance(x, Surd)), key=lambda root: root[0])
        over = (
            (x.a, x.b) if isinstance(x, Surd) and x.root is later else (x, fmpq(0)) for x in (self, other)
        )
        return later, *chain(*over)

    def __add__(self, other: Number) -> Number:
        root, a, b, c, d = self._pairs(other)
        return number(root, a + c, b + d)

    def __mul__(self, other: Number) -> Number:
        root, a, b, c, d = self._pairs(other)
        return number(root, a * c + b * d * root[1], a * d + b * c)

    def __rtruediv__(self, other: Number) -> Number:
        norm = self.a * self.a - self.b * self.b * self.root[1]
        require(norm != 0, "a divisor may be zero")
        return number(self.root, self.a / norm, -self.b / norm) * other

    def height_bits(self) -> int:
        """Length of the longest rational in it."""
        return max(self.a.height_bits(), self.b.height_bits())


def number(root: tuple[int, Number], a: Number, b: Number) -> Number:
    """a + b r."""
    return a if b == 0 else Surd(root, a, b)


def ball(x: Number) -> arb:
    """An enclosure."""
    with ctx.workprec(BITS):
        return ball(x.a) + ball(x.b) * ball(x.root[1]).sqrt() if isinstance(x, Surd) else arb(x)


def positive(x: Number) -> bool:
    """Whether a number is certainly positive."""
    return bool(ball(x) > 0)


def rational(value: Any) -> fmpq | None:
    """'p' or 'p/q'."""
    return fmpq(value) if isinstance(value, str) and re.fullmatch(f"-?{_RATIONAL}", value, re.ASCII) else None


def number_text(value: Any) -> Number | None:
    """A sum of rationals times roots r1, r2, ..., ``1/2 - 3*r1*r2``, over the roots of the file."""
    if not isinstance(value, str) or not _SUM.fullmatch(value):
        return None
    terms = (term.split("*") for term in value.replace(" - ", " + -").split(" + "))
    return sum(
        (prod((_ROOTS.get()[int(r[1:]) - 1] for r in held), start=fmpq(c)) for c, *held in terms), fmpq(0)
    )


def set_roots(radicands: Iterable[str]) -> None:
    """Numbers are read in this context over some roots, each of a positive number with those before it."""
    _ROOTS.set(roots := [])
    for turn, text in enumerate(radicands):
        radicand = number_text(text)
        require(
            turn != ROOTS and radicand is not None and positive(radicand),
            f"at most {ROOTS} roots, of positive numbers, may be given",
            "roots",
        )
        roots.append(Surd((turn, radicand), fmpq(0), fmpq(1)))
