"""Families of mechanisms with coordinates, their numbers all parameters, for conditions in symbols."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import geoctrl as gc
from tests.attack.build.building import described
from tests.attack.build.building_shape import told_exactly
from tests.attack.draw.dice import Dice
from tests.attack.draw.mechanism import Mechanism
from tests.attack.oracle.polynomials import Polynomial, add, constant, multiply, scale, variable

HALF = Fraction(1, 2)
CHOICES = [
    (20, ([], ["angle"])), (20, (["so2"], ["angle"])), (15, (["r1"], ["angle"])), (15, (["so2"], ["length"])),
    (12, ([], ["angle", "length"])), (10, ([], ["angle", "angle"])), (8, (["so2"], ["angle", "length"])),
]  # fmt: skip
NAMES = ["I1", "I2", "I3", "m", "k", "a", "b", "d", "h", "p"]
"""Moments, a mass that is carried along, stiffnesses, damping, a gyroscopic term, the ratio of a row."""


def family(dice: Dice) -> tuple[Mechanism, int | None]:
    """A mechanism at rest in its shape, and the place of the velocity with which the group may move.

    Everything is written in what vanishes at the point, cos and sin of the distance from its angle or the
    distance from its length, so that the point is an equilibrium whatever the numbers are.
    """
    groups, shape = dice.weighted(CHOICES)
    m = Mechanism(groups, [], [], [], [], [], {}, [], [], None, [], {}, [], "shape", shape=shape)
    n = m.n
    m.coupling = [[] for _ in range(n)]
    z = []
    for kind in shape:
        R = dice.rotation(True)
        z += [R[0][0], R[1][0]] if kind == "angle" else [dice.small(0.3)]
    m.point = [*[Fraction(0)] * n, *z]
    m.parameters = [(name, Fraction(1), Fraction(1)) for name in NAMES]
    p = {name: variable(m.size + i) for i, name in enumerate(NAMES)}
    away, along = zip(*(_from_point(m, k) for k in range(len(shape))), strict=True)
    m.inertia = [[p[f"I{i + 1}"] if i == j else {} for j in range(n)] for i in range(n)]
    _carried(m, dice, p["m"], [*away, *along])
    parts = [scale(-1, multiply(p["k"], along[0])), _square(p["a"], away[0]), _square(p["b"], away[-1])]
    if len(shape) > 1:
        parts.append(multiply(p["h"], multiply(away[0], away[1])))
    m.potential = add(*parts)
    m.gyroscopic = [{} for _ in range(n)]
    if n > 1 and dice.chance(0.3):
        # Of the group an even function: what is linear would push the shape away as soon as it moves.
        m.gyroscopic[0] = multiply(p["h"], along[0] if groups else away[1])
        m.traits.append("gyroscopic")
    m.forces = [{} for _ in range(n)]
    if dice.chance(0.5):
        damped = range(len(shape)) if dice.chance(0.5) else [0]
        for k in damped:
            m.forces[m.rate(k)] = scale(-1, multiply(p["d"], variable(m.rate(k))))
        m.traits.append("damping")
    if n > 1 and dice.chance(0.25):
        m.constraints = [[scale(-1, multiply(p["p"], dice.pick([constant(1), along[0]]))), constant(1)]]
        m.constraints[0] += [{} for _ in range(n - 2)]
        m.traits.append("constraint")
    _keep_used(m)
    return m, 0 if groups and not m.constraints else None


def _from_point(m: Mechanism, k: int) -> tuple[Polynomial, Polynomial]:
    """What vanishes at the point with slope one, and a function that is one there."""
    i = m.held(k)
    if m.shape[k] == "length":
        away = add(variable(i), constant(-m.point[i]))
        return away, add(constant(1), scale(-HALF, multiply(away, away)))
    (c, s), (cosine, sine) = m.point[i : i + 2], (variable(i), variable(i + 1))
    return add(scale(c, sine), scale(-s, cosine)), add(scale(c, cosine), scale(s, sine))


def _square(factor: Polynomial, p: Polynomial) -> Polynomial:
    return scale(HALF, multiply(factor, multiply(p, p)))


def _carried(m: Mechanism, dice: Dice, mass: Polynomial, functions: list[Polynomial]) -> None:
    """A mass at a point of which the velocity varies with the shape: m (sum f_i(r) xi_i)^2."""
    for _ in range(int(dice.rng.integers(1, 3))):
        f = [constant(0)] * m.n
        f[0] = dice.pick([constant(1), *functions]) if m.groups else constant(1)
        if m.n > 1:
            f[1] = dice.pick([{}, constant(1), *functions])
        for i in range(m.n):
            for j in range(m.n):
                m.inertia[i][j] = add(m.inertia[i][j], multiply(mass, multiply(f[i], f[j])))


def _keep_used(m: Mechanism) -> None:
    """Parameters that occur, numbered anew."""
    rows = [*m.inertia, *m.constraints]
    everything = [e for row in rows for e in row] + [m.potential, *m.gyroscopic, *m.forces]
    used = sorted({i for e in everything for monomial in e for i, _ in monomial if i >= m.size})
    table = {old: m.size + new for new, old in enumerate(used)}

    def anew(e: Polynomial) -> Polynomial:
        return {tuple((table.get(i, i), power) for i, power in monomial): c for monomial, c in e.items()}

    m.parameters = [m.parameters[i - m.size] for i in used]
    m.inertia, m.constraints = (
        [[anew(e) for e in row] for row in part] for part in (m.inertia, m.constraints)
    )
    m.potential, m.gyroscopic, m.forces = (
        anew(m.potential),
        [*map(anew, m.gyroscopic)],
        [*map(anew, m.forces)],
    )


def system_of(m: Mechanism, parameters: list[gc.Parameter], spinning: sp.Symbol | None) -> gc.EulerPoincare:
    """The family in geoctrl's words."""
    mechanism = described(m, parameters)
    states = {r.name: told_exactly(m, m.held(k)) for k, r in enumerate(mechanism.shape)}
    if spinning is not None:
        states[mechanism.velocity_labels[0]] = spinning
    symbols = [] if spinning is None else [spinning]
    return mechanism.replace(equilibria={"spinning": gc.Family(states, symbols=symbols)})
