r"""Polynomial Casimirs of the algebra extended by its advected parameters.

Without constraints the equations are, for any Lagrangian, ``mudot = ad*_xi mu + K(x, a)``,
``adot = -xi a`` with xi and x depending on the Lagrangian. A function C(mu, a) is conserved for all of
them if its rate vanishes for arbitrary xi and x: linear equations for the coefficients of C. It holds
no coordinate of the shape and no momentum of one, since their rates are arbitrary.

Constraints add their forces, ``mudot = ... + psi^T lambda``, and take velocities away: the rate must vanish
for arbitrary lambda and for the xi that they admit. Where the rows are numbers both are linear too. Where
they vary, C is asked for that holds none of the momenta on which they act and is conserved for all xi:
fewer, but each for any such rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import sympy as sp

from geoctrl._scalars.algebra.rational_matrix import nullspace
from geoctrl._scalars.algebra.sparse_rows import Echelon, kernel
from geoctrl.algebra import AdvectedVector, LieAlgebra
from geoctrl.systems.equations.leaf import configuration_relations
from geoctrl.systems.equations.mechanism import Mechanism

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
    free = _generators(algebra, mechanism)
    fields = free if mechanism.constraints is None else _constrained_motions(free, n, mechanism.constraints)
    linear = _kernel([(i,) for i in range(len(symbols))], fields)
    products = [_times(a, b) for i, a in enumerate(linear) for b in linear[i:]]
    quadratic = _quadratic_kernel(range(len(symbols)), fields)
    vectors: set[int] = set()
    start = n
    for advected in mechanism.advected:
        if isinstance(advected, AdvectedVector):
            vectors |= set(range(start, start + advected.dimension))
        start += advected.dimension
    # What the leaf already holds spans, with the products, the part to be divided out.
    places = sorted(vectors)
    trivial = _kernel([(i,) for i in places], free)
    trivial += _quadratic_kernel(places, free)
    trivial += [p for p in (_polynomial(r.expr, symbols) for r in configuration_relations(mechanism)) if p]
    found = _complement([*trivial, *products], [*linear, *quadratic])
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


Motions = dict[int, list[tuple[Hashable, Monomial, Fraction]]]
"""For each variable the fields that move it: name of the field, monomial in its rate, factor."""


def _generators(algebra: LieAlgebra, mechanism: Mechanism) -> Motions:
    """Linear vector fields on (mu, a): n for the components of xi by their places, further ones for x."""
    n = algebra.n
    fields: dict[int, dict[tuple[int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for i, j, k, c in algebra.brackets:
        fields[j][i, k] += c
    end, held = len(mechanism.advected_symbols), _symbols_of_lagrangian(mechanism)
    for i, j, m, kappa in mechanism.kinematics:
        if i < end:
            fields[n + i][j, n + m] -= kappa
            if mechanism.advected_symbols[i] in held:
                fields[j][n + i, n + m] -= kappa
    return {
        variable: [(f, (other,), q) for (f, other), q in moved.items() if q]
        for variable, moved in fields.items()
    }


def _symbols_of_lagrangian(mechanism: Mechanism) -> set[sp.Symbol]:
    """Symbols of what is advected that it may hold; beside errors from a reference, those that it does."""
    if not mechanism.seen_from:
        return set(mechanism.advected_symbols)
    parts = [mechanism.inertia, mechanism.potential, mechanism.gyroscopic]
    rotors = mechanism.rotors
    parts += [rotors.coupling, rotors.inertia, rotors.gyroscopic] if rotors else []
    return set[sp.Symbol]().union(*(part.free_symbols for part in parts if part is not None))


def _constrained_motions(free: Motions, n: int, rows: sp.Matrix) -> Motions:
    """The fields of the velocities that constraints admit, and of their forces."""
    exact = [[_fraction(e) for e in row] for row in rows.tolist()]
    numbers = [[e for e in row if e is not None] for row in exact]
    unit = [[Fraction(int(i == j)) for i in range(rows.cols)] for j in range(rows.cols)]
    if all(len(row) == rows.cols for row in numbers):
        admitted, forces = nullspace(numbers, rows.cols), numbers
    else:
        admitted, forces = unit, [unit[j] for j in range(n) if any(row[j] != 0 for row in exact)]
    fields: dict[int, dict[tuple[Hashable, Monomial], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for variable, moved in free.items():
        for f, mono, q in moved:
            if isinstance(f, int) and f < n:
                for k, velocity in enumerate(admitted):
                    fields[variable][("velocity", k), mono] += q * velocity[f]
            else:
                fields[variable][f, mono] += q
    for a, force in enumerate(forces):
        for variable, q in enumerate(force[:n]):
            fields[variable][("force", a), ()] += q
    return {
        variable: [(f, mono, q) for (f, mono), q in moved.items() if q] for variable, moved in fields.items()
    }


def _polynomial(expr: sp.Expr, symbols: list[sp.Symbol]) -> Polynomial:
    """A polynomial with rational coefficients, its constant left out; empty for anything else."""
    if not expr.free_symbols <= set(symbols) or not expr.is_polynomial(*symbols):
        return {}
    terms = sp.Poly(expr, *symbols).terms()
    found = {tuple(i for i, e in enumerate(mono) for _ in range(e)): _fraction(c) for mono, c in terms}
    return {} if None in found.values() else {m: c for m, c in found.items() if m and c is not None}


def _fraction(entry: sp.Expr) -> Fraction | None:
    """The rational that an entry is, None for any other."""
    return Fraction(int(entry.p), int(entry.q)) if isinstance(entry, sp.Rational) else None


def _kernel(monomials: list[Monomial], fields: Motions) -> list[Polynomial]:
    """Combinations of monomials with zero rate along all fields."""
    rows: dict[tuple[Hashable, Monomial], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for column, mono in enumerate(monomials):
        for position, variable in enumerate(mono):
            rest = mono[:position] + mono[position + 1 :]
            for f, other, value in fields.get(variable, ()):
                rows[f, tuple(sorted((*rest, *other)))][column] += value
    # Terms may have cancelled.
    equations = [{column: q for column, q in row.items() if q} for row in rows.values()]
    return [{monomials[j]: row[j] for j in sorted(row)} for row in kernel(equations, len(monomials))]


def _quadratic_kernel(variables: Sequence[int], fields: Motions) -> list[Polynomial]:
    r"""Quadratic forms in some variables with zero rate along all fields.

    Fields that move variables of one part alone leave the others of a product as they are: between two parts
    the coefficients are in :math:`K_A \otimes K_B`, of linear functions with zero rate. So bodies that are
    coupled by the Lagrangian alone are looked at one by one.
    """
    parts = _parts_moved_together(variables, fields)
    linear = [_kernel([(i,) for i in part], fields) for part in parts]
    found = [p for part in parts for p in _kernel(list(combinations_with_replacement(part, 2)), fields)]
    found += [_times(a, b) for one, other in combinations(linear, 2) for a in one for b in other]
    return sorted(found, key=min)


def _parts_moved_together(variables: Sequence[int], fields: Motions) -> list[list[int]]:
    """Variables by parts such that no field moves, or holds in a rate, variables of two."""
    joined: dict[Hashable, Hashable] = {}

    def end(of: Hashable) -> Hashable:
        while (following := joined.setdefault(of, of)) != of:
            of = following
        return of

    for variable, moved in fields.items():
        for field, others, _ in moved:
            for place in (variable, *others):
                joined[end(("variable", place))] = end(("field", field))
    parts: dict[Hashable, list[int]] = defaultdict(list)
    for variable in variables:
        parts[end(("variable", variable))].append(variable)
    return list(parts.values())


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
