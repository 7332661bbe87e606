"""Polynomials as plain data, evaluated in whatever numbers are at hand. Nothing of geoctrl is used.

A polynomial is a dict from monomials to Fractions; a monomial is a sorted tuple of (variable, exponent) with
variables counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

Monomial = tuple[tuple[int, int], ...]
Polynomial = dict[Monomial, Fraction]
Ready = list[tuple[Any, Monomial]]
"""A polynomial with its coefficients in the numbers of a run."""


def constant(value: int | Fraction) -> Polynomial:
    return {(): Fraction(value)} if value else {}


def variable(i: int) -> Polynomial:
    return {((i, 1),): Fraction(1)}


def add(*terms: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for term in terms:
        for monomial, c in term.items():
            total[monomial] = total.get(monomial, Fraction(0)) + c
    return {m: c for m, c in total.items() if c}


def scale(factor: int | Fraction, p: Polynomial) -> Polynomial:
    return {m: c * factor for m, c in p.items()} if factor else {}


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for a, x in p.items():
        for b, y in q.items():
            exponents = dict(a)
            for i, e in b:
                exponents[i] = exponents.get(i, 0) + e
            monomial = tuple(sorted(exponents.items()))
            total[monomial] = total.get(monomial, Fraction(0)) + x * y
    return {m: c for m, c in total.items() if c}


def derivative(p: Polynomial, i: int) -> Polynomial:
    found: Polynomial = {}
    for monomial, c in p.items():
        exponents = dict(monomial)
        e = exponents.pop(i, 0)
        if e:
            if e > 1:
                exponents[i] = e - 1
            found[tuple(sorted(exponents.items()))] = c * e
    return found


def specialise(p: Polynomial, values: dict[int, Fraction]) -> Polynomial:
    """Some variables replaced by numbers."""
    total: Polynomial = {}
    for monomial, c in p.items():
        rest = []
        for i, e in monomial:
            if i in values:
                c = c * values[i] ** e
            else:
                rest.append((i, e))
        key = tuple(rest)
        total[key] = total.get(key, Fraction(0)) + c
    return {m: c for m, c in total.items() if c}


def variables(p: Polynomial) -> set[int]:
    return {i for monomial in p for i, _ in monomial}


def ready(p: Polynomial, number: Callable[[Fraction], Any]) -> Ready:
    return [(number(c), monomial) for monomial, c in p.items()]


def value(p: Ready, x: Sequence[Any], zero: Any) -> Any:
    total = zero
    for c, monomial in p:
        for i, e in monomial:
            c = c * (x[i] if e == 1 else x[i] ** e)
        total = total + c
    return total


def quadratic_form(A: Sequence[Sequence[Fraction]], of: Iterable[int]) -> Polynomial:
    """Sum A_ij x_i x_j over some variables."""
    places = list(of)
    return add(
        *(
            scale(A[i][j], multiply(variable(a), variable(b)))
            for i, a in enumerate(places)
            for j, b in enumerate(places)
        )
    )


def affine(row: Sequence[Fraction], first: int) -> Polynomial:
    return add(*(scale(c, variable(first + i)) for i, c in enumerate(row)))
