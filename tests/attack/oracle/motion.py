"""The oracle's equations of motion, in any numbers: rationals, power series, floats; nothing of geoctrl.

Mechanisms: Euler-Poincare with multipliers, momentum by momentum. What tells the configuration (vectors,
heights, lengths, angles as points of a circle) moves along polynomial fields, one for each velocity; forces
of the potential are derivatives along them. Spheres: Lagrange with multipliers in R^3n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_series

from tests.attack.draw.mechanism import Mechanism, Slip, Spheres
from tests.attack.oracle.polynomials import (
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
    """d/dt p_i = (ad*_xi p)_i + X_i(l) + F_i + lambda psi_i, d/dt (rotor momenta) = 0, zdot = xi_i X_i(z)."""

    def __init__(self, mechanism: Mechanism, number: Callable, zero: Any) -> None:
        super().__init__(number, zero)
        self.mechanism = m = mechanism
        n, s = m.n, m.s
        total = n + s
        values = m.values
        self.advected = m.places
        self.fields = [[(k, self.polynomial(e, values)) for k, e in field] for field in fields(m)]
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
        self.slips = [
            ([[self.polynomial(e, values) for e in row] for row in slip.rows], slip) for slip in m.slips
        ]
        self.rows = [[self.polynomial(e, values) for e in row] for row in m.constraints]
        self.row_rates = [
            [[self.polynomial(derivative(e, k), values) for k in self.advected] for e in row]
            for row in m.constraints
        ]
        self.relations = [self.polynomial(r, values) for r in self._relations()] + self._windings()

    def _relations(self) -> list[Polynomial]:
        """What motions keep: products and third components of vectors, circles, closed loops, constraints."""
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
            if m.groups[of_a] in ("so2", "se2"):
                found.append(add(variable(m.place(a) + 2), constant(-ref_a[2])))
        for k, kind in enumerate(m.shape):
            if kind != "length":
                circle = [variable(m.held(k) + i) for i in range(2)]
                found.append(add(*(multiply(v, v) for v in circle), constant(-1)))
        found += m.closures
        for row in m.constraints:
            found.append(add(*(multiply(e, variable(i)) for i, e in enumerate(row))))
        return found

    def _windings(self) -> list[Winding]:
        m, first = self.mechanism, [self.mechanism.held(k) for k in range(len(self.mechanism.shape))]
        return [
            Winding(i, *(self.number(v) for v in m.point[i : i + 2]))
            for i, kind in zip(first, m.shape, strict=True)
            if kind == "wound"
        ]

    def at(self, p: Any, x: Sequence[Any]) -> Any:
        return p.at(x) if isinstance(p, Winding) else super().at(p, x)

    def rate(self, x: Sequence[Any]) -> list[Any]:
        return self.motion(x)[0]

    def motion(self, x: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Rates, and the multipliers lambda of the rows."""
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
        A = [[self.at(e, x) for e in row] + [-rows[a][i] if i < n else zero for a in range(r)]
             for i, row in enumerate(self.mass)]  # fmt: skip
        A += [[rows[a][i] if i < n else zero for i in range(total)] + [zero] * r for a in range(r)]
        found = solve(A, [*self.loads(x, adot), *bent])
        return [*found[:total], *adot], found[total:]

    def loads(self, x: Sequence[Any], adot: Sequence[Any]) -> list[Any]:
        """M times the accelerations, but for the constraints' forces."""
        m = self.mechanism
        total = m.n + m.s
        p = [self.at(e, x) for e in self.momenta]
        right = [*self.coadjoint(p, x), *[self.zero] * m.s]
        slope = [self.at(e, x) for e in self.slope]
        for i, field in enumerate(self.fields):
            for k, e in field:
                right[i] = right[i] + self.at(e, x) * slope[k - total]
        for i in range(total):
            if i < m.n:
                right[i] = right[i] + self.at(self.forces[i], x)
            for k, d in enumerate(self.drift[i]):
                if d:
                    right[i] = right[i] - self.at(d, x) * adot[k]
        for rows, slip in self.slips:
            right = self._rubbed(right, [[self.at(e, x) for e in row] for row in rows], slip, x)
        return right

    def _rubbed(self, right: list, rows: list[list], slip: Slip, x: Sequence[Any]) -> list:
        speeds = [sum((a * b for a, b in zip(row, x, strict=False)), self.zero) for row in rows]
        strength = self.zero + self.number(slip.viscous)
        if slip.coulomb:
            square = sum((s * s for s in speeds), self.zero + self.number(slip.scale**2))
            strength = strength + self.number(slip.coulomb) / root(square)
        for row, speed in zip(rows, speeds, strict=True):
            right = [v - row[i] * strength * speed if i < len(row) else v for i, v in enumerate(right)]
        return right

    def transport(self, x: Sequence[Any]) -> list[Any]:
        """Rates of what tells the configuration."""
        total = self.mechanism.n + self.mechanism.s
        rates = [self.zero for _ in self.advected]
        for i, field in enumerate(self.fields):
            for k, e in field:
                rates[k - total] = rates[k - total] + self.at(e, x) * x[i]
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
        return [*found, *[self.zero] * len(m.shape)]


@dataclass(frozen=True)
class Winding:
    """How far an angle is from that of the point belongs to its cosine and sine.

    In floats by the angle between both, which knows turns apart; else to first order, as all series go.
    """

    first: int
    cosine: Any
    sine: Any

    def at(self, x: Sequence[Any]) -> Any:
        c, s, d = x[self.first : self.first + 3]
        along, across = self.cosine * c + self.sine * s, self.cosine * s - self.sine * c
        if isinstance(d, float):
            return math.remainder(math.atan2(across, along) - d, 2 * math.pi)
        return across - along * d


def fields(m: Mechanism) -> list[list[tuple[int, Polynomial]]]:
    """Of each velocity, the variables that it moves and how fast."""
    found: list[list[tuple[int, Polynomial]]] = [[] for _ in range(m.n)]
    for v, (factor, _) in enumerate(m.vectors):
        spin, a = m.spin(factor), m.place(v)
        for i, j, k in CYCLES:  # a x omega
            for turn, sign, other in ((spin[k], 1, j), (spin[j], -1, k)):
                if turn is not None:
                    found[turn].append((a + i, scale(sign, variable(a + other))))
    for h, v in enumerate(m.heights):
        for i, place in enumerate(m.translation(m.vectors[v][0])):
            found[place].append((m.height(h), variable(m.place(v) + i)))
    for k, kind in enumerate(m.shape):
        first, rate = m.held(k), m.rate(k)
        if kind == "length":
            found[rate].append((first, constant(1)))
        else:
            found[rate] += [(first, scale(-1, variable(first + 1))), (first + 1, variable(first))]
            found[rate] += [(first + 2, constant(1))] if kind == "wound" else []
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


def root(square: Any) -> Any:
    """Square root: of a rational exactly where it is one, else to 200 bits; of a series where it is exact."""
    if isinstance(square, float):
        return math.sqrt(square)
    if isinstance(square, fmpq_series):
        first = root(square[0])
        if first * first != square[0]:
            raise ZeroDivisionError("a root that is not rational at the point")
        return first * (square / square[0]).sqrt()
    p, q = int(square.p), int(square.q)
    exact = fmpq(math.isqrt(p), math.isqrt(q))
    return exact if exact * exact == square else fmpq(math.isqrt(p * q << 400), q << 200)


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
