"""Buchberger's algorithm on polynomials of python-flint, in steps that can be interrupted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

__all__ = ["groebner_basis", "normal_form"]

Exponents = tuple[int, ...]


class _Pair(NamedTuple):
    """Places of two members, and the least common multiple of their leading terms."""

    first: int
    second: int
    common: Exponents


def groebner_basis(polynomials: Iterable[Any]) -> list[Any]:
    """A minimal Groebner basis of the ideal that they generate, in the order of their ring.

    Pairs are taken by the degree of what their leading terms have in common, the lowest first, and left
    out by the criteria of Gebauer and Moeller (1988).
    """
    members: list[Any] = []
    leads: list[Exponents] = []
    pairs: list[_Pair] = []

    def take(polynomial: Any) -> None:
        nonlocal pairs
        lead = _lead(polynomial)
        pairs = _pairs_with(lead, leads, pairs)
        members.append(polynomial / polynomial.leading_coefficient())
        leads.append(lead)

    for p in sorted((p for p in polynomials if p), key=lambda p: sum(_lead(p))):
        rest = normal_form(p, members)
        if rest:
            take(rest)
    while pairs:
        pair = min(pairs, key=lambda pair: sum(pair.common))
        pairs.remove(pair)
        p, q = (_multiple(members[i], leads[i], pair.common) for i in (pair.first, pair.second))
        rest = normal_form(p - q, members)
        if rest:
            take(rest)
    return [
        p
        for p, lead in zip(members, leads, strict=True)
        if not any(other != lead and _divides(other, lead) for other in leads)
    ]


def normal_form(polynomial: Any, basis: Sequence[Any]) -> Any:
    """What division by all of them leaves: no term of it is divisible by one of their leading terms."""
    before = None
    while polynomial and polynomial != before:
        before = polynomial
        for p in basis:
            polynomial = divmod(polynomial, p)[1]
    return polynomial


def _pairs_with(lead: Exponents, leads: Sequence[Exponents], pairs: Sequence[_Pair]) -> list[_Pair]:
    """The pairs to be looked at when a member with this leading term joins."""
    k = len(leads)
    common = [_common(other, lead) for other in leads]
    # An older pair follows from those of its members with the new one, where both come before it.
    kept = [
        pair
        for pair in pairs
        if not _divides(lead, pair.common) or pair.common in (common[pair.first], common[pair.second])
    ]
    # Of the new pairs those with the smallest multiples, one of each.
    smallest: dict[Exponents, int] = {}
    for i in sorted(range(k), key=lambda i: (sum(common[i]), not _coprime(leads[i], lead))):
        if not any(_divides(m, common[i]) for m in smallest):
            smallest[common[i]] = i
    return kept + [_Pair(i, k, m) for m, i in smallest.items() if not _coprime(leads[i], lead)]


def _lead(polynomial: Any) -> Exponents:
    return tuple(map(int, polynomial.monomial(0)))


def _divides(a: Exponents, b: Exponents) -> bool:
    return all(i <= j for i, j in zip(a, b, strict=True))


def _common(a: Exponents, b: Exponents) -> Exponents:
    return tuple(map(max, zip(a, b, strict=True)))


def _coprime(a: Exponents, b: Exponents) -> bool:
    return not any(map(min, zip(a, b, strict=True)))


def _multiple(p: Any, lead: Exponents, exponents: Exponents) -> Any:
    """The multiple of p with these exponents in its leading term."""
    missing = tuple(b - a for a, b in zip(lead, exponents, strict=True))
    return p * p.context().from_dict({missing: 1})
