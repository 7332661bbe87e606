"""The oracle's equations on products: Lagrange's with multipliers, for any Lagrangian in ambient entries.

Nothing is turned or projected: attitudes are nine numbers held by six relations, directions three by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.attack.draw.mechanism import Products, carried
from tests.attack.oracle.motion import Equations, solve
from tests.attack.oracle.polynomials import Polynomial, add, constant, derivative, multiply, scale, variable


class ProductEquations(Equations):
    """d/dt dL/dz' = dL/dz + f + sum lambda dc/dz, with the relations c(z) = 0 differentiated twice."""

    def __init__(self, system: Products, number: Callable, zero: Any) -> None:
        super().__init__(number, zero)
        self.system, values, N = system, system.values, system.entries
        z, u = list(range(N)), list(range(N, 2 * N))
        lagrangian, *forces = relative(system, [system.lagrangian, *system.forces])
        self.slope = self._ready([derivative(lagrangian, i) for i in z], values)
        momenta = [derivative(lagrangian, i) for i in u]
        self.mass = [self._ready([derivative(p, i) for i in u], values) for p in momenta]
        self.drift = [self._ready([derivative(p, i) for i in z], values) for p in momenta]
        self.forces = self._ready(forces, values)
        held = relations(system)
        rates = [add(*(multiply(derivative(c, i), variable(N + i)) for i in z)) for c in held]
        self.rows = [self._ready([derivative(c, i) for i in z], values) for c in held]
        bent = [add(*(multiply(derivative(r, i), variable(N + i)) for i in z)) for r in rates]
        self.bent = self._ready(bent, values)
        self.relations = self._ready([r for pair in zip(held, rates, strict=True) for r in pair], values)

    def _ready(self, polynomials: Sequence[Polynomial], values: dict) -> list:
        return [self.polynomial(p, values) for p in polynomials]

    def rate(self, x: Sequence[Any]) -> list[Any]:
        N, zero = self.system.entries, self.zero
        u, r = list(x[N : 2 * N]), len(self.rows)
        rows = [[self.at(e, x) if e else zero for e in row] for row in self.rows]
        A, right = [], []
        for i in range(N):
            load = self.at(self.slope[i], x) + self.at(self.forces[i], x)
            for k, d in enumerate(self.drift[i]):
                if d:
                    load = load - self.at(d, x) * u[k]
            A.append([*(self.at(e, x) if e else zero for e in self.mass[i]), *(-row[i] for row in rows)])
            right.append(load)
        A += [[*row, *[zero] * r] for row in rows]
        right += [-self.at(b, x) for b in self.bent]
        return [*u, *solve(A, right)[:N]]


def relations(system: Products) -> list[Polynomial]:
    """What vanishes for configurations."""
    found = []
    for (kind, axes), first in zip(system.factors, system.starts(), strict=True):
        if kind == "x":
            moving = [any(axis[i] for axis in axes) for i in range(3)]
            found += [variable(first + i) for i in range(3) if not moving[i]]
            continue
        rows = 3 if kind == "R" else 1
        for a in range(rows):
            for b in range(a + 1):
                dot = [multiply(variable(first + 3 * a + i), variable(first + 3 * b + i)) for i in range(3)]
                found.append(add(*dot, constant(-int(a == b))))
    return found


def relative(system: Products, polynomials: Sequence[Polynomial]) -> list[Polynomial]:
    """Polynomials of inertial rates, of rates relative to the frame: u + W x z for u."""
    if not any(system.turn):
        return list(polynomials)
    N = system.entries
    z = [variable(i) for i in range(N)]
    added = carried(system, [_Term(p) for p in z], [_Term(constant(w)) for w in system.turn])
    moving = {N + i: add(variable(N + i), term.polynomial) for i, term in enumerate(added)}
    return [_composed(p, moving) for p in polynomials]


def _composed(p: Polynomial, table: dict[int, Polynomial]) -> Polynomial:
    terms = []
    for monomial, c in p.items():
        term = constant(Fraction(c))
        for i, e in monomial:
            for _ in range(e):
                term = multiply(term, table.get(i, variable(i)))
        terms.append(term)
    return add(*terms)


class _Term:
    """A polynomial with the operations of numbers."""

    def __init__(self, polynomial: Polynomial) -> None:
        self.polynomial = polynomial

    def __mul__(self, other: _Term) -> _Term:
        return _Term(multiply(self.polynomial, other.polynomial))

    def __sub__(self, other: _Term) -> _Term:
        return _Term(add(self.polynomial, scale(-1, other.polynomial)))
