"""Short numbers next to given ones: dyadic numbers of a few digits, the same on every machine."""

from __future__ import annotations

from flint import arb, fmpq

from geoctrl.checker.numbers import Number, ball

BITS = 512
"""Precision of what witnesses are found from."""


def dyadic(x: arb | Number, bits: int) -> fmpq:
    """The dyadic number of so many digits next to a number or the middle of a ball."""
    q = middle(x)
    if q == 0:
        return fmpq(0)
    p, below = int(q.p), int(q.q)
    shift = bits - (abs(p).bit_length() - below.bit_length())
    whole = (
        ((p << shift) + below // 2) // below
        if shift >= 0
        else (p + (below << -shift) // 2) // (below << -shift)
    )
    return fmpq(whole) * fmpq(2) ** -shift


def middle(x: arb | Number) -> fmpq:
    """The middle of a ball or of an enclosure of a number; a rational number itself."""
    if isinstance(x, fmpq):
        return x
    return (x if isinstance(x, arb) else ball(x)).mid().fmpq()


def power_of_two_below(x: arb) -> fmpq:
    """The largest power of two that is at most a positive number, up to a factor of two."""
    return fmpq(2) ** (exponent(x) - 1)


def exponent(x: arb | fmpq) -> int:
    """The number of binary digits before the point of a positive number."""
    q = middle(x)
    return abs(int(q.p)).bit_length() - int(q.q).bit_length()
