r"""Polynomial Casimirs of the algebra extended by its advected parameters.

Without constraints the equations are, for any Lagrangian, ``mudot = ad*_xi mu + K(x, a)``,
``adot = -xi a`` with xi and x depending on the Lagrangian. A function C(mu, a) is conserved for all of
them if its rate vanishes for arbitrary xi and x: linear equations for the coefficients of C.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import sympy as sp

from geoctrl._scalars.rational_matrix import rank, reduced_nullspace
from geoctrl.algebra import AdvectedVector

if TYPE_CHECKING:
    from geoctrl.systems.description import EulerPoincare

__all__ = ["casimirs"]

Monomial = tuple[int, ...]


def casimirs(mechanism: EulerPoincare) -> dict[str, sp.Expr]:
    """Casimirs of degree one and two in momenta and advected symbols, keyed by their expression.

    Functions of advected vectors alone are left out, since the leaf relations hold them already, and
    so are products of linear Casimirs.
    """
    algebra = mechanism.algebra
    n = algebra.n
    symbols = [*algebra.mu, *mechanism.advected_symbols]
    fields = _generators(mechanism)
    linear = _kernel([(i,) for i in range(len(symbols))], fields)
    products = [_times(a, b) for i, a in enumerate(linear) for b in linear[i:]]
    quadratic = _kernel(list(combinations_with_replacement(range(len(symbols)), 2)), fields)
    vectors: set[int] = set()
    start = n
    for advected in mechanism.advected:
        if isinstance(advected, AdvectedVector):
            vectors |= set(range(start, start + advected.dimension))
        start += advected.dimension
    # What the leaf already holds spans, with the products, the part to be divided out.
    trivial = [c for c in linear + quadratic if all(set(mono) <= vectors for mono in c)]
    found = _complement([*trivial, *products], [c for c in linear + quadratic if c not in trivial])
    expressions = [
        sp.Add(
            *(
                sp.Rational(q.numerator, q.denominator) * sp.Mul(*(symbols[i] for i in mono))
                for mono, q in c.items()
            )
        )
        for c in found
    ]
    return {str(e): e for e in expressions}


Polynomial = dict[Monomial, Fraction]


def _generators(mechanism: EulerPoincare) -> list[dict[int, dict[int, Fraction]]]:
    """Linear vector fields on (mu, a), one for each component of xi and of x: row -> {column: value}."""
    algebra = mechanism.algebra
    n = algebra.n
    d = len(mechanism.advected_symbols)
    fields: list[dict] = [defaultdict(dict) for _ in range(n + d)]
    for i, j, k, c in algebra.brackets:
        fields[i][j][k] = fields[i][j].get(k, Fraction(0)) + c
    start = 0
    for advected in mechanism.advected:
        for i, j, m, kappa in advected.action(algebra):
            row, column = n + start + i, n + start + m
            fields[j][row][column] = fields[j][row].get(column, Fraction(0)) - kappa
            fields[n + start + i][j][column] = fields[n + start + i][j].get(column, Fraction(0)) - kappa
        start += advected.dimension
    return fields


def _kernel(monomials: list[Monomial], fields: list[dict]) -> list[Polynomial]:
    """Combinations of monomials with zero rate along all fields."""
    rows: dict[tuple, dict[int, Fraction]] = defaultdict(dict)
    for column, mono in enumerate(monomials):
        for f, field in enumerate(fields):
            for position, variable in enumerate(mono):
                rest = mono[:position] + mono[position + 1 :]
                for other, value in field.get(variable, {}).items():
                    key = (f, tuple(sorted((*rest, other))))
                    rows[key][column] = rows[key].get(column, Fraction(0)) + value
    if not rows:
        return [{mono: Fraction(1)} for mono in monomials]
    dense = [[r.get(j, Fraction(0)) for j in range(len(monomials))] for r in rows.values()]
    return [
        {monomials[j]: q for j, q in enumerate(row) if q} for row in reduced_nullspace(dense, len(monomials))
    ]


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    product: Polynomial = {}
    for ma, qa in a.items():
        for mb, qb in b.items():
            mono = tuple(sorted(ma + mb))
            product[mono] = product.get(mono, Fraction(0)) + qa * qb
    return product


def _complement(known: list[Polynomial], candidates: list[Polynomial]) -> list[Polynomial]:
    """Candidates that are linearly independent of the known ones and of each other."""
    basis = list(known)
    chosen = []
    monomials = sorted({m for c in known + candidates for m in c})

    def size(polynomials: list[Polynomial]) -> int:
        return rank([[p.get(m, Fraction(0)) for m in monomials] for p in polynomials], len(monomials))

    for candidate in candidates:
        if size([*basis, candidate]) > size(basis):
            basis.append(candidate)
            chosen.append(candidate)
    return chosen
