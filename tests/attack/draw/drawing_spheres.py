"""Random systems on spheres, at rest in a point that linear terms of the potential make an equilibrium."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from tests.attack.draw.dice import Dice, Row
from tests.attack.draw.mechanism import Spheres
from tests.attack.oracle.motion import SphereEquations
from tests.attack.oracle.oracle import fraction, rational
from tests.attack.oracle.polynomials import Polynomial, add, affine, constant, multiply, scale, variable


def draw_spheres(dice: Dice) -> Spheres | None:
    n = dice.weighted([(45, 1), (40, 2), (15, 3)])
    M = dice.definite(n)
    mass = [[constant(v) for v in row] for row in M]
    traits = []
    coordinates = list(range(3 * n))
    if n > 1 and dice.chance(0.2):
        # A coupling less than the smaller diagonal entry over n leaves it definite: |q_i.q_j| <= 1.
        dot = add(*(multiply(variable(i), variable(3 + i)) for i in range(3)))
        for i in range(n):
            mass[i][i] = add(mass[i][i], constant(2))
        mass[0][1] = add(mass[0][1], dot)
        mass[1][0] = add(mass[1][0], dot)
        traits.append("varying inertia")
    q0: Row = []
    for _ in range(n):
        q0 += [row[2] for row in dice.rotation(False)]
    terms: list[Polynomial] = []
    for _ in range(int(dice.rng.integers(1, 6))):
        term = constant(dice.small(0.0))
        for _ in range(dice.weighted([(30, 1), (50, 2), (20, 3)])):
            term = multiply(term, variable(dice.pick(coordinates)))
        terms.append(term)
    if n > 1 and dice.chance(0.5):
        terms.append(scale(dice.small(0.0), add(*(multiply(variable(i), variable(3 + i)) for i in range(3)))))
    forces = [constant(0)] * (3 * n)
    if dice.chance(0.35):
        sign = -1 if dice.chance(0.75) else 1
        d = [dice.positive() if dice.chance(0.7) else Fraction(0) for _ in range(n)]
        forces = [scale(sign * d[i // 3], variable(3 * n + i)) for i in range(3 * n)]
        traits.append("damping" if sign < 0 else "driving force")
    if dice.chance(0.4):
        terms += [affine([-dice.positive() * c for c in q0[3 * j : 3 * j + 3]], 3 * j) for j in range(n)]
    system = Spheres(n, mass, add(*terms), forces, [], [*q0, *[Fraction(0)] * (3 * n)], traits=traits)
    equations = SphereEquations(system, rational, fmpq(0))
    point = [rational(v) for v in system.point]
    slope = [equations.at(p, point) for p in equations.slope]
    # The slope's tangential part is taken away by linear terms: what is left lies along each direction.
    linear = []
    for j in range(n):
        normal = sum((slope[3 * j + i] * point[3 * j + i] for i in range(3)), fmpq(0))
        linear += [
            scale(fraction(slope[3 * j + i] - normal * point[3 * j + i]), variable(3 * j + i))
            for i in range(3)
        ]
    system.potential = add(system.potential, *linear)
    if dice.chance(0.4):
        monomials = list(system.potential)
        monomial = dice.pick(monomials) if monomials else None
        if monomial is not None:
            number = dice.pick([Fraction(1), Fraction(2), Fraction(3), Fraction(1, 2)])
            c = system.potential[monomial] / number
            rest = {k: v for k, v in system.potential.items() if k != monomial}
            system.potential = add(rest, multiply({monomial: c}, variable(system.size)))
            system.parameters.append(("p1", number, number * dice.pick([1, 2, 5])))
            system.traits.append("parameter")
    return system
