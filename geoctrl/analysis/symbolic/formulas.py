"""Signs of polynomials joined by "and" and "or": what conditions of stability are made of.

Formulas hold no negations. What is not known to hold may thus be taken as false: a formula that comes out
true then is true.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

__all__ = ["All", "Either", "Formula", "Nonzero", "Polynomial", "Positive", "either", "every", "single"]


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in the generators of a field, which goes into files and other processes.

    Attributes
    ----------
    terms : tuple of (exponents, coefficient), sorted
    """

    terms: tuple[tuple[tuple[int, ...], Fraction], ...]


@dataclass(frozen=True)
class Positive:
    """``sense * product of factors > 0``."""

    sense: int
    factors: tuple[Polynomial, ...]


@dataclass(frozen=True)
class Nonzero:
    """A polynomial that does not vanish."""

    factor: Polynomial


@dataclass(frozen=True)
class All:
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Either:
    """One of the parts holds."""

    parts: tuple[Formula, ...]


Formula = bool | Positive | Nonzero | All | Either


class Implication(Protocol):
    """Whether ``p > 0`` implies ``q > 0``, both with their senses; False where that is not seen."""

    def __call__(self, p: Positive, q: Positive) -> bool: ...


def _same(p: Positive, q: Positive) -> bool:
    return p == q


def every(parts: Iterable[Formula], implies: Implication = _same) -> Formula:
    """All of some formulas, without those that follow from the others; False where two exclude each other."""
    found: list[Formula] = []
    for part in parts:
        for p in part.parts if isinstance(part, All) else (part,):
            if p is False:
                return False
            if p is not True and p not in found:
                found.append(p)
    before = None
    while found != before:
        before = list(found)
        known = _senses(found)
        if known is None:
            return False
        found = []
        for part in before:
            rest = part if single(part) else _given_signs(part, known, implies)
            if rest is False:
                return False
            found += [p for p in (rest.parts if isinstance(rest, All) else (rest,)) if p is not True]
        found = list(dict.fromkeys(found))
    singles = [p for p in map(single, found) if p]
    for p in singles:
        if any(implies(q, Positive(-p.sense, p.factors)) for q in singles if q is not p):
            return False
        if any(q is not p and q in found and implies(q, p) for q in singles):
            found.remove(p)
    return True if not found else found[0] if len(found) == 1 else All(tuple(found))


def either(parts: Iterable[Formula], implies: Implication = _same) -> Formula:
    """One of some formulas, without those that imply another."""
    found: list[Formula] = []
    for part in parts:
        for p in part.parts if isinstance(part, Either) else (part,):
            if p is True:
                return True
            if p is not False and p not in found:
                found.append(p)
    for p in list(found):
        if any(q is not p and q in found and _follows(q, p, implies) for q in list(found)):
            found.remove(p)
    return False if not found else found[0] if len(found) == 1 else Either(tuple(found))


def single(p: Formula) -> Positive | None:
    """The formula, if it is the sign of one polynomial."""
    return p if isinstance(p, Positive) and len(p.factors) == 1 else None


def _senses(parts: Iterable[Formula]) -> dict[Polynomial, int] | None:
    """Signs of polynomials that are told; None where two contradict each other."""
    known: dict[Polynomial, int] = {}
    for p in filter(None, map(single, parts)):
        if known.setdefault(p.factors[0], p.sense) != p.sense:
            return None
    return known


def _given_signs(p: Formula, known: dict[Polynomial, int], implies: Implication) -> Formula:
    """What is left of a formula where signs of some polynomials are known."""
    if isinstance(p, Positive):
        sense = p.sense
        for factor in p.factors:
            sense *= known.get(factor, 1)
        factors = tuple(f for f in p.factors if f not in known)
        return Positive(sense, factors) if factors else sense > 0
    if isinstance(p, Nonzero):
        return True if p.factor in known else p
    if isinstance(p, All):
        return every([_given_signs(q, known, implies) for q in p.parts], implies)
    if isinstance(p, Either):
        return either([_given_signs(q, known, implies) for q in p.parts], implies)
    return p


def _follows(conclusion: Formula, p: Formula, implies: Implication) -> bool:
    """Whether a formula is seen to follow from another."""
    premises = p.parts if isinstance(p, All) else (p,)
    conclusions = conclusion.parts if isinstance(conclusion, All) else (conclusion,)

    def gives(a: Formula, b: Formula) -> bool:
        first, second = single(a), single(b)
        return a == b or (first is not None and second is not None and implies(first, second))

    return all(any(gives(a, b) for a in premises) for b in conclusions)
