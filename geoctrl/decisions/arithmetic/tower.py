"""Real numbers made of rationals and square roots, with exact zeros and signs.

They form a tower of fields, each with one root more. A root is the positive one of a number that has none in
the field below, so that a + b r is one pair (a, b) of numbers from below, zero only where both are, and its
norm a^2 - b^2 r^2 vanishes for zero alone. Rational numbers stay `fmpq`: a `Surd` is never rational.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat

from geoctrl.decisions.reading.problem_reader import ROOTS, Refusal, Terms, terms

Number = Any
"""An fmpq or a `Surd`."""

_LONG = 20_000
"""Exponent from which on the middle of a ball is not made an exact number."""
_BITS = 64, 1 << 20
"""Precision from which on a number is told from zero, and the largest: that of numbers of 50 000 bits."""


@dataclass(frozen=True, eq=False)
class Root:
    """The positive root of a positive number of the field below, which has none there."""

    radicand: Number
    below: tuple[Root, ...]

    def __reduce__(self) -> tuple:
        return Root, (self.radicand, self.below)

    @property
    def level(self) -> int:
        """Its number, from one."""
        return len(self.below) + 1

    @property
    def size(self) -> int:
        """The dimension of its field over the rationals."""
        return 1 << self.level

    @property
    def under(self) -> Root | None:
        """The root before it."""
        return self.below[-1] if self.below else None

    @cached_property
    def block(self) -> fmpq_mat:
        """Multiplication by the radicand in the field below."""
        return block(self.radicand, self.under)

    def number(self, a: Number, b: Number) -> Number:
        """a + b r."""
        return Surd(self, a, b) if b else a


class Surd:
    """a + b r, with a and b != 0 of the field below that of the root r."""

    __slots__ = ("a", "b", "root")

    def __init__(self, root: Root, a: Number, b: Number) -> None:
        self.root, self.a, self.b = root, a, b

    def __reduce__(self) -> tuple:
        return _restored, (Surds(self.root), str(self))

    def _parts(self, other: Any) -> tuple[Root, Number, Number, Number, Number]:
        """The higher root, and both numbers as pairs over it."""
        if not isinstance(other, Surd):
            return self.root, self.a, self.b, other if isinstance(other, fmpq) else fmpq(other), fmpq(0)
        if self.root is other.root:
            return self.root, self.a, self.b, other.a, other.b
        if other.root in self.root.below:
            return self.root, self.a, self.b, other, fmpq(0)
        if self.root in other.root.below:
            return other.root, self, fmpq(0), other.a, other.b
        raise Refusal("numbers of different fields")

    def __add__(self, other: Any) -> Number:
        root, a, b, c, d = self._parts(other)
        return root.number(a + c, b + d)

    def __mul__(self, other: Any) -> Number:
        root, a, b, c, d = self._parts(other)
        return root.number(a * c + b * d * root.radicand if b and d else a * c, a * d + b * c)

    def __neg__(self) -> Surd:
        return Surd(self.root, -self.a, -self.b)

    def inverse(self) -> Number:
        """1/(a + b r) = (a - b r)/(a^2 - b^2 r^2)."""
        norm = self.a * self.a - self.b * self.b * self.root.radicand
        return self.root.number(self.a / norm, -self.b / norm)

    def __sub__(self, other: Any) -> Number:
        return self + -other

    def __rsub__(self, other: Any) -> Number:
        return -self + other

    def __truediv__(self, other: Any) -> Number:
        return self * (other.inverse() if isinstance(other, Surd) else 1 / fmpq(other))

    def __rtruediv__(self, other: Any) -> Number:
        return self.inverse() * other

    def __pow__(self, exponent: int) -> Number:
        power: Number = fmpq(1)
        for _ in range(abs(exponent)):
            power = power * self
        return power if exponent >= 0 else 1 / power

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surd):
            return False
        return self.root is other.root and self.a == other.a and self.b == other.b

    def __hash__(self) -> int:
        return hash((self.root, self.a, self.b))

    def sign(self) -> int:
        """That of a or b where they agree, else that of the larger of a^2 and b^2 r^2."""
        a, b = sign(self.a), sign(self.b)
        return b if a in (0, b) else a * sign(self.a * self.a - self.b * self.b * self.root.radicand)

    def __lt__(self, other: Any) -> bool:
        return sign(self - other) < 0

    def __gt__(self, other: Any) -> bool:
        return sign(self - other) > 0

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __abs__(self) -> Surd:
        return self if self.sign() > 0 else -self

    def __float__(self) -> float:
        bits, most = _BITS
        while bits <= most:
            with ctx.workprec(bits):
                near = ball(self)
                if near.rel_accuracy_bits() > 60:
                    return float(near.mid())
            bits *= 2
        raise Refusal("a number cannot be told from zero")

    def height_bits(self) -> int:
        """Length of the longest rational in it."""
        return max(self.a.height_bits(), self.b.height_bits())

    def __str__(self) -> str:
        """A sum of rationals times roots, ``1/2 - 3*r1*r2``, as it stands in a file."""
        text = " + ".join("*".join([str(c), *(f"r{k}" for k in held)]) for c, held in _flat(self))
        return text.replace("+ -", "- ")

    def __repr__(self) -> str:
        return f"<Surd {self}>"


def sign(x: Number) -> int:
    """1, 0 or -1."""
    return x.sign() if isinstance(x, Surd) else (x > 0) - (x < 0)


def _flat(x: Number) -> Terms:
    if not isinstance(x, Surd):
        return [(x, ())] if x else []
    return [*_flat(x.a), *((c, (*held, x.root.level)) for c, held in _flat(x.b))]


def rationals(x: Number) -> list[fmpq]:
    """Those that a number is made of."""
    return [c for c, _ in _flat(x)]


def ball(x: Number) -> arb:
    """An enclosure with the bits of the context."""
    return ball(x.a) + ball(x.b) * ball(x.root.radicand).sqrt() if isinstance(x, Surd) else arb(x)


def middle(x: arb | Number) -> Number:
    """The exact middle of a ball, refused where it is too long a number; of a number itself."""
    if not isinstance(x, arb):
        return x
    if not x.is_finite():
        raise Refusal("a value is not bounded")
    _, exponent = x.mid().man_exp()
    if abs(exponent) > _LONG:
        raise Refusal(f"a number of more than {_LONG} bits occurs")
    return x.mid().fmpq()


# -- numbers as rational matrices -------------------------------------------------------------------------


def top(numbers: Iterable[Number]) -> Root | None:
    """The highest root that occurs."""
    roots = {x.root for x in numbers if isinstance(x, Surd)}
    return max(roots, key=lambda r: r.level, default=None)


def block(x: Number, root: Root | None) -> fmpq_mat:
    """Multiplication by a number, in the basis of products of the roots up to one: columns are images."""
    if not isinstance(x, Surd):
        size = 1 if root is None else root.size
        return fmpq_mat(size, size, [x if i == j else 0 for i in range(size) for j in range(size)])
    assert root is not None, "a number of the field of the rationals is rational"
    a, b = (x.a, x.b) if x.root is root else (x, fmpq(0))
    A, B = block(a, root.under), block(b, root.under)
    upper, n = (B * root.block).tolist(), A.nrows()
    rows = [[*p, *q] for p, q in zip(A.tolist(), upper, strict=True)]
    rows += [[*q, *p] for p, q in zip(A.tolist(), B.tolist(), strict=True)]
    return fmpq_mat(2 * n, 2 * n, [c for row in rows for c in row])


def unblock(column: Sequence[fmpq], root: Root | None) -> Number:
    """The number that a first column of `block` belongs to."""
    if root is None:
        return column[0]
    half = len(column) // 2
    return root.number(unblock(column[:half], root.under), unblock(column[half:], root.under))


# -- fields -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Surds:
    """A field of the tower: that of a root, of the rationals without one."""

    last: Root | None = None
    roots: tuple[Root, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "roots", (*self.last.below, self.last) if self.last else ())

    @classmethod
    def of(cls, radicands: Iterable[Number | Terms]) -> Surds:
        """The field with the roots of some numbers, each of them in the field before."""
        made = cls()
        for radicand in radicands:
            made = made.extended(made.number(radicand))
        return made

    def extended(self, radicand: Number) -> Surds:
        """The field with the root of one of its numbers."""
        if not radicand > 0 or self.sqrt(radicand) is not None:
            raise Refusal("a root is that of a number without one in the field below, which is positive")
        if len(self.roots) == ROOTS:
            raise Refusal(f"more than {ROOTS} square roots")
        return Surds(Root(radicand, self.roots))

    def number(self, given: Number | Terms) -> Number:
        """A number as read: a rational, or a sum of rationals times roots."""
        if not isinstance(given, list):
            return given
        total: Number = fmpq(0)
        for c, held in given:
            term: Number = c
            for k in held:
                if k > len(self.roots):
                    raise Refusal(f"there is no root r{k}")
                term = term * self.roots[k - 1].number(fmpq(0), fmpq(1))
            total = total + term
        return total

    def read(self, text: str) -> Number:
        """A number as text."""
        if (read := terms(text)) is None:
            raise Refusal(f"{text[:60]!r} is no number")
        return self.number(read)

    def sqrt(self, x: Number) -> Number | None:
        """The root of a number that is not negative, where it lies in the field."""
        return None if x < 0 else _sqrt(x, self.last)


RATIONALS = Surds()
"""The field without roots."""


def _sqrt(x: Number, root: Root | None) -> Number | None:
    r"""With x = a + b r and :math:`n^2 = a^2 - b^2 r^2`, sqrt(x) is u + b/(2 u) r, :math:`u^2 = (a \pm n)/2`,
    or, where b = 0, u or u r.
    """
    if root is None:
        p, q = (abs(v).isqrt() for v in (x.p, x.q))
        return fmpq(p, q) if fmpq(p, q) ** 2 == x else None
    if not (isinstance(x, Surd) and x.root is root):
        within, beside = _sqrt(x, root.under), _sqrt(x / root.radicand, root.under)
        return within if within is not None else None if beside is None else root.number(fmpq(0), beside)
    norm = x.a * x.a - x.b * x.b * root.radicand
    n = _sqrt(norm, root.under) if norm > 0 else None
    for square in () if n is None else ((x.a + n) / 2, (x.a - n) / 2):
        u = _sqrt(square, root.under) if square > 0 else None
        if u is not None:
            return abs(root.number(u, x.b / (2 * u)))
    return None


def _restored(of: Surds, text: str) -> Number:
    return of.read(text)
