"""Polynomials of python-flint: what occurs in them, their values, and what they leave of each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt, prod
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.words.texts import combination, symbol
from geoctrl.decisions.reading.problem_reader import Refusal

Polynomial = Any
"""A polynomial of python-flint."""
TERMS = 1_000_000
"""Terms that a polynomial may have before equal ones are put together."""


def occurring(p: Polynomial) -> set[int]:
    """Numbers of the generators that occur."""
    return {i for i, d in enumerate(p.degrees()) if d} if p else set()


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


def value_of_function(name: str, x: fmpq) -> fmpq | None:
    """That of a root, a sine, a cosine or a quadrature at a number, where it is rational."""
    if name == "sqrt":
        root = fmpq(isqrt(int(abs(x.p))), isqrt(int(x.q)))
        return root if root * root == x else None
    return None if x else fmpq(int(name == "cos"))


def name_of_function(name: str, arguments: Sequence[Any], labels: Mapping[int, str]) -> str:
    """A function with its arguments, in which states have their labels."""
    texts = []
    for ratio in arguments:
        terms = []
        for exponents, c in ratio.top.terms():
            powers = [(symbol(labels[j]), e) for j, e in enumerate(exponents) if e]
            terms.append((c, [base if e == 1 else f"{base}^{e}" for base, e in powers]))
        texts.append(combination(terms))
    return f"{name}({', '.join(texts)})"


class Vanishing(NamedTuple):
    """A polynomial that vanishes, as a combination of others by their numbers."""

    polynomial: Polynomial
    terms: dict[int, Polynomial]

    def less(self, quotient: Polynomial, other: Vanishing) -> Vanishing:
        """The same less a multiple of another one."""
        terms = dict(self.terms)
        for k, p in other.terms.items():
            terms[k] = terms[k] - quotient * p if k in terms else -quotient * p
        return Vanishing(self.polynomial - quotient * other.polynomial, terms)

    def image(self, of: Callable[[Polynomial], Polynomial]) -> Vanishing:
        """The same of other variables."""
        return Vanishing(of(self.polynomial), {k: of(p) for k, p in self.terms.items()})


def reduced(
    relations: list[Vanishing], divided: Callable[[Polynomial, Polynomial], Polynomial]
) -> list[Vanishing]:
    """Relations of lower degrees where division by another one leaves such: they vanish together."""
    found = list(relations)
    for i, v in enumerate(found):
        for j, other in enumerate(found):
            if i != j:
                rest = divided(v.polynomial, other.polynomial)
                if rest and rest.total_degree() < v.polynomial.total_degree():
                    v = v.less(divmod(v.polynomial, other.polynomial)[0], other)
        found[i] = v
    return found


def constant(p: Polynomial) -> fmpq:
    """The constant term."""
    if not p:
        return fmpq(0)
    rest = [c for exponents, c in p.terms() if not any(exponents)]
    return rest[0] if rest else fmpq(0)
