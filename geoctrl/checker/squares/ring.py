"""Polynomials of python-flint: what occurs in them, their values, and what they leave of each other."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

Polynomial = Any
"""A polynomial of python-flint."""


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


def reduced(relations: list[Polynomial]) -> list[Polynomial]:
    """Relations of lower degrees where division by another one leaves such: they vanish together."""
    found = list(relations)
    for i, p in enumerate(found):
        for j, r in enumerate(found):
            if i != j:
                rest = divmod(p, r)[1]
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
