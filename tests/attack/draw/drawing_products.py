"""Random products of factors, at rest in a point that linear terms of the potential make an equilibrium."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from tests.attack.draw.dice import Dice, Row
from tests.attack.draw.mechanism import Products
from tests.attack.oracle.motion_products import ProductEquations
from tests.attack.oracle.oracle import fraction, rational
from tests.attack.oracle.polynomials import Polynomial, add, affine, constant, multiply, scale, variable

KINDS = [
    (8, "x"), (8, "q"), (8, "R"), (24, "xq"), (12, "xR"), (12, "qR"), (8, "xx"), (8, "xqq"), (6, "xqR"),
    (6, "qq"),
]  # fmt: skip
UNITS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
HALF = Fraction(1, 2)


def draw_products(dice: Dice) -> Products:
    factors = [(kind, _axes(dice) if kind == "x" else ()) for kind in dice.weighted(KINDS)]
    m = Products(factors, {}, [], (Fraction(0),) * 3, [], [])
    m.point = [*_place(m, dice), *[Fraction(0)] * m.entries]
    if dice.chance(0.12):
        m.turn = _turn(m, dice)
        m.traits += ["turning frame"] if any(m.turn) else []
    m.forces = _forces(m, dice)
    m.lagrangian = add(_kinetic(m, dice), scale(-1, _potential(m, dice)))
    m.lagrangian = add(m.lagrangian, *_balancing(m))
    _parameter(m, dice)
    return m


def _turn(m: Products, dice: Dice) -> tuple[Fraction, ...]:
    """A rate of the frame, mostly one that leaves lines and planes of places where they are."""
    rate = dice.vector(3, 0.5)
    for kind, axes in m.factors:
        if kind == "x" and len(axes) < 3 and dice.chance(0.9):
            rate = [v if (UNITS[k] in axes) == (len(axes) == 1) else Fraction(0) for k, v in enumerate(rate)]
    return tuple(rate)


def _axes(dice: Dice) -> tuple[tuple[int, ...], ...]:
    count = dice.weighted([(50, 3), (25, 2), (25, 1)])
    first = int(dice.rng.integers(3))
    return tuple(sorted((UNITS[(first + k) % 3] for k in range(count)), reverse=True))


def _place(m: Products, dice: Dice) -> Row:
    z: Row = []
    for kind, axes in m.factors:
        R = dice.rotation(False)
        while any(v.denominator > 1 for row in R for v in row) and dice.chance(0.8):
            R = dice.rotation(False)  # floats that are no integers are no rotation, and only rounded ones
        if kind == "x":
            free = [any(axis[i] for axis in axes) for i in range(3)]
            z += [
                Fraction(int(dice.rng.integers(-4, 5)), 4) if free[i] and dice.chance(0.5) else Fraction(0)
                for i in range(3)
            ]
        else:
            z += [row[2] for row in R] if kind == "q" else [v for row in R for v in row]
    return z


def _squares(parts: list[Polynomial]) -> Polynomial:
    return add(*(multiply(p, p) for p in parts))


def _kinetic(m: Products, dice: Dice) -> Polynomial:
    """Own inertias, moving points that several factors carry, and what makes it no plain quadratic form.

    Masses of points may be negative: what is then not positive definite has to be refused.
    """
    N, terms, moving = m.entries, [], []
    for (kind, _), first in zip(m.factors, m.starts(), strict=True):
        u = [variable(N + first + i) for i in range(9 if kind == "R" else 3)]
        if kind == "R":
            D = dice.definite(3)
            for row in range(3):
                terms += [
                    scale(HALF * D[i][j], multiply(u[3 * row + i], u[3 * row + j]))
                    for i in range(3)
                    for j in range(3)
                ]
            arm = dice.vector(3, 0.4)
            moving.append([add(*(scale(arm[i], u[3 * row + i]) for i in range(3))) for row in range(3)])
        else:
            sign = -1 if dice.chance(0.02) else 1
            terms.append(scale(sign * HALF * dice.positive(), _squares(u)))
            moving.append([scale(dice.positive(), e) for e in u])
    for _ in range(int(dice.rng.integers(1, 3)) if len(moving) > 1 else 0):
        weights = dice.vector(len(moving), 0.2)
        point = [add(*(scale(c, p[i]) for c, p in zip(weights, moving, strict=True))) for i in range(3)]
        # Of a small negative mass the whole often stays definite.
        size = Fraction(-1, 100) if dice.chance(0.25) else HALF
        terms.append(scale(size * dice.positive(), _squares(point)))
        m.traits += ["negative mass"] if size < 0 else []
    rates, places = range(N, 2 * N), range(N)
    if dice.chance(0.2):
        u = add(variable(dice.pick(rates)), scale(dice.small(0.5), variable(dice.pick(rates))))
        z = variable(dice.pick(places))
        terms.append(scale(dice.positive(), multiply(multiply(z, z), multiply(u, u))))
        m.traits.append("varying inertia")
    if dice.chance(0.2):
        terms += [
            scale(dice.small(0.0), multiply(variable(dice.pick(places)), variable(dice.pick(rates))))
            for _ in range(2)
        ]
        m.traits.append("gyroscopic")
    if dice.chance(0.08):
        terms.append(
            scale(
                dice.positive(),
                multiply(_squares([variable(i) for i in rates[:3]]), _squares([variable(rates[-1])])),
            )
        )
        m.traits.append("not quadratic")
    return add(*terms)


def _potential(m: Products, dice: Dice) -> Polynomial:
    """Random terms, springs of either sign about the point; some factors are left out of it altogether."""
    ranges = [
        range(first, first + (9 if kind == "R" else 3))
        for (kind, _), first in zip(m.factors, m.starts(), strict=True)
        if not dice.chance(0.15)
    ]
    held = dice.chance(0.5)  # without springs everywhere few draws would be stable
    places, terms = [i for r in ranges for i in r], []
    for _ in range(int(dice.rng.integers(0, 5)) if places else 0):
        term = constant(dice.small(0.0))
        for _ in range(dice.weighted([(25, 1), (45, 2), (20, 3), (10, 4)])):
            term = multiply(term, variable(dice.pick(places)))
        terms.append(term)
    for r in ranges:
        if held or dice.chance(0.65):
            sign = -1 if not held and dice.chance(0.25) else 1
            away = [add(variable(i), constant(-m.point[i])) for i in r]
            terms.append(scale(sign * dice.positive() * dice.pick([1, 2, 5]), _squares(away)))
            m.traits += ["negative stiffness"] if sign < 0 else []
    return add(*terms)


def _forces(m: Products, dice: Dice) -> list[Polynomial]:
    N = m.entries
    forces: list[Polynomial] = [constant(0)] * N
    for _ in range(int(dice.rng.integers(1, 3)) if dice.chance(0.35) else 0):
        style = dice.weighted(
            [(35, "full"), (30, "partial"), (10, "cubic"), (13, "circulatory"), (12, "follower")]
        )
        sign = -1 if dice.chance(0.8) else 1
        if style == "full":
            added = [scale(sign * dice.positive(), variable(N + i)) for i in range(N)]
        elif style == "partial":
            d = [sign * dice.positive() if dice.chance(0.5) else Fraction(0) for _ in m.factors]
            heights = [9 if kind == "R" else 3 for kind, _ in m.factors]
            every = [c for c, h in zip(d, heights, strict=True) for _ in range(h)]
            added = [scale(c, variable(N + i)) for i, c in enumerate(every)]
        elif style == "cubic":
            axis = [Fraction(0)] * N
            for _ in range(2):  # of more entries the expressions grow long
                axis[int(dice.rng.integers(N))] = dice.small(0.0)
            along = affine(axis, N)
            added = [scale(sign * c, multiply(along, multiply(along, along))) for c in axis]
        else:
            # Skew in rates they do no work; skew in places they have no potential.
            S, first = [dice.vector(N, 0.7) for _ in range(N)], N if style == "circulatory" else 0
            rows = [[S[i][j] - S[j][i] for j in range(N)] for i in range(N)]
            added = [affine(row, first) for row in rows]
        forces = [add(f, g) for f, g in zip(forces, added, strict=True)]
        m.traits.append(f"{style} force{'' if sign < 0 else ', driving'}")
    return forces


def _balancing(m: Products) -> list[Polynomial]:
    """Linear terms that take away slope and force at the point, as far as the factors' motions see them."""
    equations = ProductEquations(m, rational, fmpq(0))
    x = [rational(v) for v in m.point]
    load = [
        equations.at(s, x) + equations.at(f, x)
        for s, f in zip(equations.slope, equations.forces, strict=True)
    ]
    found = []
    for (kind, _), first in zip(m.factors, m.starts(), strict=True):
        if kind == "R":
            R, F = ([v[first + 3 * a : first + 3 * a + 3] for a in range(3)] for v in (x, load))
            inner = [
                [sum((F[k][a] * R[k][b] for k in range(3)), fmpq(0)) for b in range(3)] for a in range(3)
            ]
            part = [
                (F[a][b] - sum((R[a][k] * inner[k][b] for k in range(3)), fmpq(0))) / 2
                for a in range(3)
                for b in range(3)
            ]
        else:
            part = load[first : first + 3]
            if kind == "q":
                normal = sum((a * b for a, b in zip(part, x[first : first + 3], strict=True)), fmpq(0))
                part = [a - normal * b for a, b in zip(part, x[first : first + 3], strict=True)]
        found += [scale(-fraction(v), variable(first + i)) for i, v in enumerate(part)]
    return found


def _parameter(m: Products, dice: Dice) -> None:
    """A coefficient that becomes a parameter, sometimes with another default."""
    if not dice.chance(0.4):
        return
    monomial = dice.pick(list(m.lagrangian))
    number = dice.pick([Fraction(1), Fraction(2), Fraction(3), Fraction(1, 2)])
    c = m.lagrangian[monomial] / number
    rest = {k: v for k, v in m.lagrangian.items() if k != monomial}
    m.lagrangian = add(rest, multiply({monomial: c}, variable(m.size)))
    m.parameters.append(("p1", number, number * dice.pick([1, 1, 2, 5])))
    m.traits.append("parameter")
