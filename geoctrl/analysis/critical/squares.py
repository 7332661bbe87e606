r"""Sums of squares that polynomials are, without a search: factors, even monomials, natural Gram matrices.

A form of degree 2k in velocities is :math:`z^T G z` with the monomials z of degree k, for many G. Taken is
the one that divides each coefficient as a symmetric tensor does,

.. math::
    G_{\alpha\beta} = c_{\alpha+\beta}\,
    \frac{k!}{\alpha!}\frac{k!}{\beta!}\frac{(\alpha+\beta)!}{(2k)!},

since of a power :math:`(l\cdot v)^{2k}` it makes a single square: a sum of dampers, each along its own
direction and of any odd degree, has a semidefinite G. For quadratic forms there is no other. Elimination
(Lagrange, without fractions) gives the squares. Dampers of several degrees are taken apart by degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

from flint import fmpq

from geoctrl.analysis.question.generators import NotSolved, Polynomials

__all__ = ["Term", "square_free", "sum_of_squares"]

PRODUCTS = 200_000
"""Products of terms in a step of an elimination from which on it is given up."""
MONOMIALS = 40
"""Size of a Gram matrix from which on it is not looked at."""

Term = tuple[Any, Any, Any]
"""Numerator and denominator of a factor, and what is squared."""


def sum_of_squares(p: Any, g: Polynomials) -> list[Term]:
    """Terms (a, b, l) with p = sum (a/b) l^2, where a b does not vanish at the point; NotSolved without."""
    scale, factors = p.factor()
    unit, inner, square = g.one * scale, g.one, g.one
    for q, m in factors:
        if g.value_of(q):
            unit = unit * q ** int(m)
            continue
        square = square * q ** (int(m) // 2)
        if int(m) % 2:
            inner = inner * q
    terms = [(g.one, g.one, g.one)] if inner.is_constant() else square_free(inner, g)
    return [(unit * a, b, square * r) for a, b, r in terms]


def square_free(p: Any, g: Polynomials) -> list[Term]:
    """The same of a polynomial without square factors that vanishes at the point."""
    terms = [(tuple(map(int, exponents)), c) for exponents, c in p.terms()]
    signs = {c > 0 for _, c in terms}
    if len(signs) == 1 and not any(e % 2 for exponents, _ in terms for e in exponents):
        ring = p.context()
        return [
            (g.one * c, g.one, ring.from_dict({tuple(e // 2 for e in exponents): 1}))
            for exponents, c in terms
        ]
    small = g.velocities or [i for i in g.states if i in g.point and not g.point[i]]
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for exponents, c in terms:
        parts.setdefault(sum(exponents[i] for i in small), {})[exponents] = c
    if any(not degree or degree % 2 for degree in parts):
        raise NotSolved
    if len(parts) == 1:
        return _form(p, small, min(parts) // 2, g)
    return [term for part in parts.values() for term in sum_of_squares(p.context().from_dict(part), g)]


def _form(p: Any, small: Sequence[int], k: int, g: Polynomials) -> list[Term]:
    """A form of degree 2k in small generators; its coefficients are polynomials in the others."""
    met = [i for i in small if any(exponents[i] for exponents, _ in p.terms())]
    basis = list(combinations_with_replacement(met, k))
    if len(basis) > MONOMIALS:
        raise NotSolved
    coefficients = _coefficients(p, small)
    zero = g.one - g.one
    G = [
        [
            coefficients.get(tuple(sorted((*a, *b))), zero) * fmpq(_orders(a) * _orders(b), _orders((*a, *b)))
            for b in basis
        ]
        for a in basis
    ]
    monomials = [prod((g.gens[i] for i in a), start=g.one) for a in basis]
    found: list[Term] = []
    scale = g.one  # the form is z^T G z/scale
    while any(any(row) for row in G):
        i = next((i for i, row in enumerate(G) if g.value_of(row[i])), None)
        if i is None:
            raise NotSolved
        row, pivot = G[i], G[i][i]
        found.append((g.one, pivot * scale, sum((c * z for c, z in zip(row, monomials, strict=True)), zero)))
        if sum(len(pivot) * len(c) for r in G for c in r) + sum(map(len, row)) ** 2 > PRODUCTS:
            raise NotSolved
        G = [[pivot * c - a * b for c, b in zip(r, row, strict=True)] for r, a in zip(G, row, strict=True)]
        scale = scale * pivot
        # As in Bareiss' elimination the pivots before divide what is left, which else doubles its degree.
        common = scale
        for c in (c for r in G for c in r if c):
            common = common.gcd(c)
        G, scale = [[c // common for c in r] for r in G], scale // common
    return found


def _orders(indices: Sequence[int]) -> int:
    """In how many orders they can be written."""
    return factorial(len(indices)) // prod(factorial(indices.count(i)) for i in set(indices))


def _coefficients(p: Any, small: Sequence[int]) -> dict[tuple[int, ...], Any]:
    """By the monomial in small generators, written as the sorted numbers of these."""
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for exponents, c in p.terms():
        rest = list(map(int, exponents))
        monomial = tuple(sorted(i for i in small for _ in range(rest[i])))
        for i in small:
            rest[i] = 0
        parts.setdefault(monomial, {})[tuple(rest)] = c
    return {monomial: p.context().from_dict(terms) for monomial, terms in parts.items()}
