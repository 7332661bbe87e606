"""The oracle's equations of motion, in any numbers: rationals, power series, floats; nothing of geoctrl.

Mechanisms: Euler-Poincare with multipliers, momentum by momentum. Spheres: Lagrange with multipliers in R^3n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq_series

from .mechanism import Mechanism, Spheres
from .polynomials import (
    Polynomial,
    add,
    constant,
    derivative,
    multiply,
    ready,
    scale,
    specialise,
    value,
    variable,
)

CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


class Equations:
    """Rates of the state in one kind of numbers.

    Parameters
    ----------
    number : conversion of a Fraction to a coefficient
    zero : zero of what a state's component is made of
    """

    def __init__(self, number: Callable, zero: Any) -> None:
        self.number, self.zero = number, zero

    def polynomial(self, p: Polynomial, values: dict[int, Any]) -> list:
        return ready(specialise(p, values), self.number)

    def at(self, p: list, x: Sequence[Any]) -> Any:
        return value(p, x, self.zero)


class GroupEquations(Equations):
    """d/dt p = ad*_xi p + K(dl/da, a) + F + lambda psi, d/dt (rotor momenta) = 0, adot = a x omega."""

    def __init__(self, mechanism: Mechanism, number: Callable, zero: Any) -> None:
        super().__init__(number, zero)
        self.mechanism = m = mechanism
        n, s = m.n, m.s
        total = n + s
        values = m.values
        self.advected = range(total, m.size)
        mass = [[constant(0)] * total for _ in range(total)]
        for i in range(n):
            for j in range(n):
                mass[i][j] = m.inertia[i][j]
            for a in range(s):
                mass[i][n + a] = mass[n + a][i] = constant(m.coupling[i][a])
        for a in range(s):
            for b in range(s):
                mass[n + a][n + b] = constant(m.rotor_inertia[a][b])
        self.mass = [[self.polynomial(e, values) for e in row] for row in mass]
        linear = [*m.gyroscopic, *[constant(0)] * s]
        momenta = [
            add(linear[i], *(multiply(mass[i][j], variable(j)) for j in range(total))) for i in range(total)
        ]
        self.momenta = [self.polynomial(p, values) for p in momenta[:n]]
        # What of dp/dt is not M times accelerations: the derivative along the advected components.
        self.drift = [[self.polynomial(derivative(p, k), values) for k in self.advected] for p in momenta]
        # 1/2 xi.M xi + A.xi = 1/2 (p + A).xi
        doubled = add(
            *(multiply(add(p, a), variable(i)) for i, (p, a) in enumerate(zip(momenta, linear, strict=True)))
        )
        lagrangian = add(scale(Fraction(1, 2), doubled), scale(-1, m.potential))
        self.slope = [self.polynomial(derivative(lagrangian, k), values) for k in self.advected]
        self.forces = [self.polynomial(f, values) for f in m.forces]
        self.rows = [[self.polynomial(e, values) for e in row] for row in m.constraints]
        self.row_rates = [
            [[self.polynomial(derivative(e, k), values) for k in self.advected] for e in row]
            for row in m.constraints
        ]
        self.relations = [self.polynomial(r, values) for r in self._relations()]

    def _relations(self) -> list[Polynomial]:
        """Lengths and angles of the vectors of a factor, and the constraints."""
        m = self.mechanism
        found = []
        for a, (of_a, ref_a) in enumerate(m.vectors):
            for b, (of_b, ref_b) in enumerate(m.vectors[: a + 1]):
                if of_a == of_b:
                    products = [
                        multiply(variable(m.place(a) + i), variable(m.place(b) + i)) for i in range(3)
                    ]
                    level = sum(x * y for x, y in zip(ref_a, ref_b, strict=True))
                    found.append(add(*products, constant(-level)))
        for row in m.constraints:
            found.append(add(*(multiply(e, variable(i)) for i, e in enumerate(row))))
        return found

    def rate(self, x: Sequence[Any]) -> list[Any]:
        m, zero = self.mechanism, self.zero
        n, total = m.n, m.n + m.s
        adot = self.transport(x)
        rows = [[self.at(e, x) for e in row] for row in self.rows]
        bent = []
        for row in self.row_rates:
            along = zero
            for i, entry in enumerate(row):
                for k, d in enumerate(entry):
                    if d:
                        along = along + self.at(d, x) * adot[k] * x[i]
            bent.append(-along)
        r = len(rows)
        A = [[self.at(e, x) for e in row] + [rows[a][i] if i < n else zero for a in range(r)]
             for i, row in enumerate(self.mass)]  # fmt: skip
        A += [[rows[a][i] if i < n else zero for i in range(total)] + [zero] * r for a in range(r)]
        return [*solve(A, [*self.loads(x, adot), *bent])[:total], *adot]

    def loads(self, x: Sequence[Any], adot: Sequence[Any]) -> list[Any]:
        """M times the accelerations, but for the constraints' forces."""
        m = self.mechanism
        total = m.n + m.s
        p = [self.at(e, x) for e in self.momenta]
        right = [*self.coadjoint(p, x), *[self.zero] * m.s]
        slope = [self.at(e, x) for e in self.slope]
        for v, (factor, _) in enumerate(m.vectors):
            spin, begin = m.spin(factor), m.place(v)
            for i, j, k in CYCLES:
                place = spin[i]
                if place is not None:
                    torque = slope[begin + j - total] * x[begin + k] - slope[begin + k - total] * x[begin + j]
                    right[place] = right[place] + torque
        for i in range(total):
            if i < m.n:
                right[i] = right[i] + self.at(self.forces[i], x)
            for k, d in enumerate(self.drift[i]):
                if d:
                    right[i] = right[i] - self.at(d, x) * adot[k]
        return right

    def transport(self, x: Sequence[Any]) -> list[Any]:
        """a x omega for every vector."""
        m, rates = self.mechanism, []
        for v, (factor, _) in enumerate(m.vectors):
            omega = [self.zero if p is None else x[p] for p in m.spin(factor)]
            a = x[m.place(v) : m.place(v) + 3]
            rates += [a[j] * omega[k] - a[k] * omega[j] for _, j, k in CYCLES]
        return rates

    def coadjoint(self, p: Sequence[Any], x: Sequence[Any]) -> list[Any]:
        """ad*_xi p: (Pi x Omega + P x Y, P x Omega) on se(3), its part in the plane on se(2)."""
        m, found = self.mechanism, []
        for factor, group in enumerate(m.groups):
            b = m.start(factor)
            if group == "so3":
                found += [p[b + j] * x[b + k] - p[b + k] * x[b + j] for _, j, k in CYCLES]
            elif group == "se3":
                c = b + 3
                found += [
                    p[b + j] * x[b + k] - p[b + k] * x[b + j] + p[c + j] * x[c + k] - p[c + k] * x[c + j]
                    for _, j, k in CYCLES
                ]
                found += [p[c + j] * x[b + k] - p[c + k] * x[b + j] for _, j, k in CYCLES]
            elif group == "se2":
                # Third component of P x Y, and P x (0, 0, Omega).
                found += [p[b + 1] * x[b + 2] - p[b + 2] * x[b + 1], p[b + 2] * x[b], -p[b + 1] * x[b]]
            else:
                found += [self.zero] * (1 if group in ("so2", "r1") else 2)
        return found


class SphereEquations(Equations):
    """d/dt dL/d qdot_j = dL/dq_j + f_j + lambda_j q_j in R^3n, with q_j.qddot_j = -|qdot_j|^2."""

    def __init__(self, system: Spheres, number: Callable, zero: Any) -> None:
        super().__init__(number, zero)
        self.system, values, n = system, system.values, system.n
        self.mass = [[self.polynomial(e, values) for e in row] for row in system.mass]
        energy = []
        for j in range(n):
            for k in range(n):
                dot = add(
                    *(multiply(variable(3 * n + 3 * j + i), variable(3 * n + 3 * k + i)) for i in range(3))
                )
                energy.append(scale(Fraction(1, 2), multiply(system.mass[j][k], dot)))
        lagrangian = add(*energy, scale(-1, system.potential))
        coordinates = range(3 * n)
        self.slope = [self.polynomial(derivative(lagrangian, i), values) for i in coordinates]
        self.drift = [
            [self.polynomial(derivative(derivative(lagrangian, 3 * n + i), k), values) for k in coordinates]
            for i in coordinates
        ]
        self.forces = [self.polynomial(f, values) for f in system.forces]
        relations = []
        for j in range(n):
            q = [variable(3 * j + i) for i in range(3)]
            v = [variable(3 * n + 3 * j + i) for i in range(3)]
            relations.append(add(*(multiply(a, a) for a in q), constant(-1)))
            relations.append(add(*(multiply(a, b) for a, b in zip(q, v, strict=True))))
        self.relations = [self.polynomial(r, values) for r in relations]

    def rate(self, x: Sequence[Any]) -> list[Any]:
        n, zero = self.system.n, self.zero
        size = 3 * n
        v = list(x[size : 2 * size])
        right = []
        for i in range(size):
            b = self.at(self.slope[i], x) + self.at(self.forces[i], x)
            for k, d in enumerate(self.drift[i]):
                if d:
                    b = b - self.at(d, x) * v[k]
            right.append(b)
        mass = [[self.at(e, x) for e in row] for row in self.mass]
        A = [[mass[i // 3][k // 3] if i % 3 == k % 3 else zero for k in range(size)]
             + [-x[i] if i // 3 == j else zero for j in range(n)] for i in range(size)]  # fmt: skip
        A += [[x[k] if k // 3 == j else zero for k in range(size)] + [zero] * n for j in range(n)]
        for j in range(n):
            right.append(-(v[3 * j] ** 2 + v[3 * j + 1] ** 2 + v[3 * j + 2] ** 2))
        return [*v, *solve(A, right)[:size]]


def weight(entry: Any) -> float:
    """Size of a pivot: that of the constant term, for a power series."""
    if isinstance(entry, fmpq_series):
        entry = entry[0]
    return abs(entry if isinstance(entry, float) else int(entry.p) / int(entry.q))


def solve(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """Gaussian elimination with the largest pivots; ZeroDivisionError where A is singular."""
    n = len(b)
    A = [[*row, right] for row, right in zip(A, b, strict=True)]
    for c in range(n):
        best = max(range(c, n), key=lambda r: weight(A[r][c]))
        if weight(A[best][c]) == 0:
            raise ZeroDivisionError("the matrix is singular")
        A[c], A[best] = A[best], A[c]
        pivot = A[c]
        for r in range(c + 1, n):
            row = A[r]
            if row[c] != 0:
                factor = row[c] / pivot[c]
                for k in range(c + 1, n + 1):
                    row[k] = row[k] - factor * pivot[k]
    x: list[Any] = [None] * n
    for c in reversed(range(n)):
        total = A[c][n]
        for k in range(c + 1, n):
            total = total - A[c][k] * x[k]
        x[c] = total / A[c][c]
    return x
