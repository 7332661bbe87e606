r"""Polynomial Casimirs of the algebra extended by its advected parameters.

Without constraints the equations are, for any Lagrangian, ``mudot = ad*_xi mu + K(x, a)``,
``adot = -xi a`` with xi and x depending on the Lagrangian. A function C(mu, a) is conserved for all of
them if its rate vanishes for arbitrary xi and x: linear equations for the coefficients of C. It holds
no coordinate of the shape and no momentum of one, since their rates are arbitrary.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement

import sympy as sp

from geoctrl._scalars.sparse_rows import Echelon, kernel
from geoctrl.algebra import AdvectedVector, LieAlgebra
from geoctrl.systems.mechanism import Mechanism

__all__ = ["casimirs"]

Monomial = tuple[int, ...]


def casimirs(mechanism: Mechanism) -> dict[str, sp.Expr]:
    """Casimirs of degree one and two in momenta and advected symbols, keyed by their expression.

    Functions of advected vectors alone are left out, since the leaf relations hold them already, and
    so are products of linear Casimirs.
    """
    algebra = mechanism.group
    if algebra is None:
        return {}
    n = algebra.n
    symbols = [*algebra.mu, *mechanism.advected_symbols]
    fields = _generators(algebra, mechanism)
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


Motions = dict[int, list[tuple[int, int, Fraction]]]
"""For each variable the linear fields that move it: number of the field, variable in its rate, factor."""


def _generators(algebra: LieAlgebra, mechanism: Mechanism) -> Motions:
    """Linear vector fields on (mu, a), one for each component of xi and of x."""
    n = algebra.n
    fields: dict[int, dict[tuple[int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for i, j, k, c in algebra.brackets:
        fields[j][i, k] += c
    end = len(mechanism.advected_symbols)
    for i, j, m, kappa in mechanism.kinematics:
        if i < end:
            fields[n + i][j, n + m] -= kappa
            fields[j][n + i, n + m] -= kappa
    return {
        variable: [(f, other, q) for (f, other), q in moved.items() if q]
        for variable, moved in fields.items()
    }


def _kernel(monomials: list[Monomial], fields: Motions) -> list[Polynomial]:
    """Combinations of monomials with zero rate along all fields."""
    rows: dict[tuple, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for column, mono in enumerate(monomials):
        for position, variable in enumerate(mono):
            rest = mono[:position] + mono[position + 1 :]
            for f, other, value in fields.get(variable, ()):
                rows[f, tuple(sorted((*rest, other)))][column] += value
    # Terms may have cancelled.
    equations = [{column: q for column, q in row.items() if q} for row in rows.values()]
    return [{monomials[j]: row[j] for j in sorted(row)} for row in kernel(equations, len(monomials))]


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    product: Polynomial = {}
    for ma, qa in a.items():
        for mb, qb in b.items():
            mono = tuple(sorted(ma + mb))
            product[mono] = product.get(mono, Fraction(0)) + qa * qb
    return product


def _complement(known: list[Polynomial], candidates: list[Polynomial]) -> list[Polynomial]:
    """Candidates that are linearly independent of the known ones and of each other."""
    place = {m: i for i, m in enumerate(sorted({m for c in known + candidates for m in c}))}
    basis = Echelon()

    def independent(polynomial: Polynomial) -> bool:
        return basis.take({place[m]: q for m, q in polynomial.items() if q})

    for polynomial in known:
        independent(polynomial)
    return [candidate for candidate in candidates if independent(candidate)]
