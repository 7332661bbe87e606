"""Polynomials of python-flint: what occurs in them, their values, and what they leave of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from flint import arb, fmpq

from geoctrl.checker.reading import Refusal

Polynomial = Any
"""A polynomial of python-flint."""
TERMS = 1_000_000
"""Terms that a polynomial may have before equal ones are put together."""


def occurring(p: Polynomial) -> set[int]:
    """Numbers of the generators that occur."""
    return {i for i, d in enumerate(p.degrees()) if d} if p else set()


def at(p: Polynomial, values: dict[int, arb]) -> arb:
    """A polynomial at balls of its generators."""
    total = arb(0)
    for exponents, c in p.terms():
        term = arb(c)
        for i, e in enumerate(exponents):
            if e:
                term *= values[i] ** int(e)
        total += term
    return total


def shifted(p: Polynomial, gens: Sequence[Polynomial], by: Sequence[fmpq]) -> Polynomial:
    """A polynomial in what its generators are beyond some numbers, refused where it grows too large."""
    moved = [i for i in occurring(p) if by[i]]
    if not moved:
        return p
    if sum(prod(int(exponents[i]) + 1 for i in moved) for exponents in p.monoms()) > TERMS:
        raise Refusal("the equations about the point are too large to be checked")
    return p.compose(*(g + v for g, v in zip(gens, by, strict=True)))


def value_at(p: Polynomial, at: Sequence[fmpq]) -> fmpq:
    """A polynomial at numbers of its generators."""
    total = fmpq(0)
    for exponents, c in p.terms():
        for v, e in zip(at, exponents, strict=True):
            c = c * v ** int(e) if e else c
        total += c
    return total


def reduced(
    relations: list[Polynomial], divided: Callable[[Polynomial, Polynomial], Polynomial]
) -> list[Polynomial]:
    """Relations of lower degrees where division by another one leaves such: they vanish together."""
    found = list(relations)
    for i, p in enumerate(found):
        for j, r in enumerate(found):
            if i != j:
                rest = divided(p, r)
                if rest and rest.total_degree() < p.total_degree():
                    p = rest
        found[i] = p
    return found


def constant(p: Polynomial) -> fmpq:
    """The constant term."""
    if not p:
        return fmpq(0)
    rest = [c for exponents, c in p.terms() if not any(exponents)]
    return rest[0] if rest else fmpq(0)
