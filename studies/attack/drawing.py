"""Random mechanisms with an equilibrium, from a seed and an index alone.

Everything is drawn but the terms of the potential that are linear in the advected vectors (and, where these do
not suffice, constant forces): they are solved for, so that the point drawn is an equilibrium exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from .mechanism import Mechanism, Spheres
from .motion import CYCLES, GroupEquations, SphereEquations
from .oracle import kernel, rational
from .polynomials import Polynomial, add, constant, multiply, scale, specialise, variable

GROUPS = [
    (30, ["so3"]), (16, ["se3"]), (10, ["se2"]), (10, ["so3", "so3"]), (5, ["so2"]), (5, ["so3", "so2"]),
    (5, ["so3", "r1"]), (4, ["r2"]), (5, ["so2", "so2"]), (4, ["so2", "r1"]), (3, ["se2", "so2"]), (3, ["so3", "r2"]),
]  # fmt: skip
NORMS = {"so3": 3, "se3": 3, "se2": 3, "so2": 3}
Row = list[Fraction]


class Dice:
    """Random choices over rational numbers."""

    def __init__(self, seed: int, index: int) -> None:
        self.rng = np.random.default_rng([seed, index])

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, items: Sequence):
        return items[int(self.rng.integers(len(items)))]

    def weighted(self, items: Sequence[tuple[int, object]]):
        weights = np.array([w for w, _ in items], dtype=float)
        return items[int(self.rng.choice(len(items), p=weights / weights.sum()))][1]

    def small(self, zero: float = 0.3) -> Fraction:
        """A number of little height, zero with the given probability."""
        if self.chance(zero):
            return Fraction(0)
        return Fraction(int(self.pick([-3, -2, -1, 1, 2, 3])), int(self.pick([1, 1, 2, 4, 3])))

    def positive(self) -> Fraction:
        return Fraction(int(self.rng.integers(1, 8)), int(self.pick([1, 1, 2, 4, 5])))

    def vector(self, n: int, zero: float = 0.3) -> Row:
        return [self.small(zero) for _ in range(n)]

    def rotation(self, planar: bool) -> list[Row]:
        """A rotation in rationals, often one that permutes the axes."""
        if planar:
            c, s = self.pick(
                [
                    (1, 0),
                    (-1, 0),
                    (0, 1),
                    (Fraction(3, 5), Fraction(4, 5)),
                    (Fraction(-5, 13), Fraction(12, 13)),
                ]
            )
            return [
                [Fraction(c), Fraction(-s), Fraction(0)],
                [Fraction(s), Fraction(c), Fraction(0)],
                [Fraction(0)] * 2 + [Fraction(1)],
            ]
        simple = [
            (1, 0, 0, 0),
            (0, 1, 0, 0),
            (0, 0, 1, 0),
            (0, 0, 0, 1),
            (1, 1, 0, 0),
            (1, 0, 1, 0),
            (1, 1, 1, 1),
        ]
        q = self.pick(simple) if self.chance(0.75) else tuple(int(v) for v in self.rng.integers(-3, 4, 4))
        a, b, c, d = q if any(q) else (1, 0, 0, 0)
        total = a * a + b * b + c * c + d * d
        rows = [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
        ]
        return [[Fraction(v, total) for v in row] for row in rows]

    def definite(self, n: int) -> list[Row]:
        """Symmetric positive definite: diagonal, with equal moments, full, or ill-scaled."""
        # Full matrices of many rows make the search for invariants long, hence are rarer there.
        full = 35 if n <= 3 else 12
        style = self.weighted([(35, "diagonal"), (20, "equal"), (full, "full"), (10, "scaled")])
        diagonal = [self.positive() for _ in range(n)]
        if style == "equal":
            for i in range(1, n):
                if self.chance(0.6):
                    diagonal[i] = diagonal[i - 1]
        A = [[diagonal[i] if i == j else Fraction(0) for j in range(n)] for i in range(n)]
        if style in ("full", "scaled"):
            for _ in range(int(self.rng.integers(1, 3))):
                v = [Fraction(int(w)) for w in self.rng.integers(-1, 2, n)]
                A = [[A[i][j] + v[i] * v[j] for j in range(n)] for i in range(n)]
        if style == "scaled":
            d = [Fraction(10) ** int(self.rng.integers(-3, 4)) for _ in range(n)]
            A = [[A[i][j] * d[i] * d[j] for j in range(n)] for i in range(n)]
        return A


def affine(row: Sequence[Fraction], first: int) -> Polynomial:
    return add(*(scale(c, variable(first + i)) for i, c in enumerate(row)))


def draw(seed: int, index: int) -> Mechanism | Spheres:
    """The system of an index; a draw that has no equilibrium is drawn again from the same stream."""
    dice = Dice(seed, index)
    kind = dice.weighted([(76, "group"), (9, "rotations"), (15, "spheres")])
    while True:
        found = draw_spheres(dice) if kind == "spheres" else draw_group(dice, kind)
        if found is not None:
            return found


def draw_group(dice: Dice, kind: str) -> Mechanism | None:
    rotations = kind == "rotations"
    groups = (
        [["so3"], ["so3"], ["so3", "so3"]][int(dice.rng.integers(3))] if rotations else dice.weighted(GROUPS)
    )
    m = Mechanism(groups, [], [], [], [], [], {}, [], [], None, [], {}, [], kind)
    turned = _vectors(m, dice, rotations)
    _inertia(m, dice, rotations)
    size = m.size
    a0 = [v for vector in turned for v in vector]
    blank = [Fraction(0)] * (m.n + m.s)
    if not rotations and dice.chance(0.35):
        _constraints(m, dice)
    _lagrangian(m, dice)
    xi = _steady(m, dice, [*blank, *a0])
    m.point = [*xi, *[dice.small(0.5) for _ in range(m.s)], *a0]
    _forces(m, dice)
    _well(m, dice)
    if not balance(m, dice):
        return None
    _declare(m, dice)
    _parameters(m, dice)
    assert len(m.point) == size
    return m


def _vectors(m: Mechanism, dice: Dice, rotations: bool) -> list[Row]:
    """References of advected vectors, and where the point has them."""
    turned = []
    for factor, group in enumerate(m.groups):
        if group not in NORMS:
            continue
        R = dice.rotation(group in ("se2", "so2"))
        count = 3 if rotations else dice.weighted([(15, 0), (65, 1), (20, 2)])
        for k in range(count):
            if rotations or dice.chance(0.6):
                reference = tuple(Fraction(int(i == (2 - k) % 3)) for i in range(3))
                if rotations:
                    reference = tuple(Fraction(int(i == k)) for i in range(3))
            else:
                reference = tuple(dice.vector(3, 0.4))
            if group in ("se2", "so2") and not any(reference[:2]):
                reference = (
                    (Fraction(1), Fraction(0), Fraction(0))
                    if k == 0
                    else (Fraction(0), Fraction(1), Fraction(0))
                )
            earlier = [r for f, r in m.vectors if f == factor]
            if not any(reference) or any(_parallel(reference, r) for r in earlier):
                continue
            m.vectors.append((factor, reference))
            turned.append([sum(R[j][i] * reference[j] for j in range(3)) for i in range(3)])
    return turned


def _parallel(a: Sequence[Fraction], b: Sequence[Fraction]) -> bool:
    return all(a[j] * b[k] == a[k] * b[j] for _, j, k in CYCLES)


def _inertia(m: Mechanism, dice: Dice, rotations: bool) -> None:
    n = m.n
    s = 0 if rotations else dice.weighted([(75, 0), (17, 1), (8, 2)])
    if rotations:
        G = [[Fraction(0)] * n for _ in range(n)]
        for b in range(0, n, 3):
            block = dice.definite(3)
            for i in range(3):
                for j in range(3):
                    G[b + i][b + j] = block[i][j]
    else:
        G = dice.definite(n)
    m.rotor_inertia = [[Fraction(0)] * s for _ in range(s)]
    m.coupling = [[Fraction(0)] * s for _ in range(n)]
    for a in range(s):
        J, axis = dice.positive(), dice.vector(n, 0.5)
        m.rotor_inertia[a][a] = J
        for i in range(n):
            m.coupling[i][a] = J * axis[i]
            for j in range(n):
                G[i][j] += J * axis[i] * axis[j]
        m.traits.append("rotor")
    m.inertia = [[constant(v) for v in row] for row in G]
    if m.vectors and not rotations and dice.chance(0.2 if n + s <= 3 else 0.02):
        # A square times a dyad leaves it definite.
        square, v = affine(dice.vector(3), m.place(dice.pick(range(len(m.vectors))))), dice.vector(n, 0.4)
        square = multiply(square, square)
        m.inertia = [[add(m.inertia[i][j], scale(v[i] * v[j], square)) for j in range(n)] for i in range(n)]
        m.traits.append("varying inertia")


def _constraints(m: Mechanism, dice: Dice) -> None:
    n = m.n
    for _ in range(1 if dice.chance(0.8) else 2):
        if n - len(m.constraints) < 2:
            return
        small = n <= 4
        style = dice.weighted(
            [(35, "constant"), (20, "axis"), (25 if small else 8, "affine"), (20 if small else 8, "vector")]
        )
        row = [constant(v) for v in dice.vector(n, 0.5)]
        if style == "axis":
            place = int(dice.rng.integers(n))
            row = [constant(int(i == place)) for i in range(n)]
        elif m.vectors and style == "affine":
            row = [
                add(p, affine(dice.vector(3, 0.6), m.place(dice.pick(range(len(m.vectors)))))) for p in row
            ]
        elif m.vectors and style == "vector":
            v = dice.pick(range(len(m.vectors)))
            row = [constant(0)] * n
            for i, place in enumerate(m.spin(m.vectors[v][0])):
                if place is not None:
                    row[place] = variable(m.place(v) + i)
        if any(row):
            m.constraints.append(row)
            m.traits.append("constraint")
    _frame(m, dice)


def _frame(m: Mechanism, dice: Dice) -> None:
    """Sometimes a frame, where one row has a constant entry to solve for."""
    if len(m.constraints) != 1 or not dice.chance(0.4):
        return
    row, n = m.constraints[0], m.n
    if not any(set(e) == {()} for e in row):
        return
    k = m.solved
    others = [j for j in range(n) if j != k]
    m.frame = [
        [scale(-1 / row[k][()], row[j]) if i == k else constant(int(i == j)) for j in others]
        for i in range(n)
    ]
    m.traits.append("frame")


def _lagrangian(m: Mechanism, dice: Dice) -> None:
    n, places = m.n, [m.place(v) + i for v in range(len(m.vectors)) for i in range(3)]
    m.gyroscopic = [constant(0)] * n
    if dice.chance(0.25):
        m.gyroscopic = [constant(dice.small(0.6)) for _ in range(n)]
        if places:
            m.gyroscopic = [add(p, scale(dice.small(0.6), variable(dice.pick(places)))) for p in m.gyroscopic]
        m.traits.append("gyroscopic")
    terms: list[Polynomial] = []
    for _ in range(int(dice.rng.integers(0, 6)) if places else 0):
        degree = dice.weighted([(20, 1), (50, 2), (20, 3), (10, 4)])
        term = constant(dice.small(0.0))
        for _ in range(degree):
            term = multiply(term, variable(dice.pick(places)))
        terms.append(term)
    for v in range(len(m.vectors)):
        if dice.chance(0.5):
            terms.append(scale(dice.small(0.0), variable(m.place(v) + 2)))
    m.potential = add(*terms)


def _well(m: Mechanism, dice: Dice) -> None:
    """A pull towards the point, which leaves it an equilibrium: without it, few of the draws would be stable."""
    for v in range(len(m.vectors)):
        first, a0 = m.place(v), m.point[m.place(v) : m.place(v) + 3]
        if dice.chance(0.5):
            pull = affine([-dice.positive() * c for c in a0], first)
            axis = dice.vector(3, 0.3)
            away = add(affine(axis, first), constant(-sum(x * y for x, y in zip(axis, a0, strict=True))))
            m.potential = add(m.potential, pull, multiply(away, away))


def _steady(m: Mechanism, dice: Dice, at: Row) -> Row:
    """Velocities that keep the vectors where they are and obey the constraints."""
    n = m.n
    if dice.chance(0.35):
        return [Fraction(0)] * n
    rows = []
    table = dict(enumerate(at))
    for v, (factor, _) in enumerate(m.vectors):
        spin, a = m.spin(factor), at[m.place(v) : m.place(v) + 3]
        for _, j, k in CYCLES:
            row = [Fraction(0)] * n
            if spin[k] is not None:
                row[spin[k]] += a[j]
            if spin[j] is not None:
                row[spin[j]] -= a[k]
            rows.append(row)
    rows += [[specialise(e, table).get((), Fraction(0)) for e in row] for row in m.constraints]
    if not rows:
        return dice.vector(n, 0.5)
    W, _ = kernel(fmpq_mat(len(rows), n, [rational(v) for row in rows for v in row]))
    weights = dice.vector(W.ncols(), 0.3)
    return [sum((fraction(W[i, j]) * w for j, w in enumerate(weights)), Fraction(0)) for i in range(n)]


def fraction(q: fmpq) -> Fraction:
    return Fraction(int(q.p), int(q.q))


def _forces(m: Mechanism, dice: Dice) -> None:
    n = m.n
    m.forces = [constant(0)] * n
    if dice.chance(0.45):
        return
    # Relative to the point's velocities half the time: a body driven against its friction.
    rest = m.point[:n] if dice.chance(0.5) else [Fraction(0)] * n
    relative = [add(variable(i), constant(-rest[i])) for i in range(n)]
    for _ in range(int(dice.rng.integers(1, 3))):
        style = dice.weighted(
            [
                (28, "full"),
                (28, "partial"),
                (16, "cubic"),
                (8, "circulatory"),
                (10, "position"),
                (10, "varying"),
            ]
        )
        sign = -1 if dice.chance(0.8) else 1
        axis = dice.vector(n, 0.4)
        along = add(*(scale(c, e) for c, e in zip(axis, relative, strict=True)))
        places = [m.place(v) + i for v in range(len(m.vectors)) for i in range(3)]
        if style == "full":
            D = dice.definite(n)
            added = [scale(sign, add(*(scale(D[i][j], relative[j]) for j in range(n)))) for i in range(n)]
        elif style == "circulatory":
            S = [dice.vector(n, 0.5) for _ in range(n)]
            added = [add(*(scale(S[i][j] - S[j][i], relative[j]) for j in range(n))) for i in range(n)]
        elif style == "position":
            added = [
                scale(dice.small(0.5), variable(dice.pick(places))) if places else constant(0)
                for _ in range(n)
            ]
        else:
            size: Polynomial = along
            if style == "cubic":
                size = multiply(along, multiply(along, along))
            elif style == "varying" and places:
                size = multiply(add(constant(2), variable(dice.pick(places))), along)
            added = [scale(sign * axis[i], size) for i in range(n)]
        m.forces = [add(f, g) for f, g in zip(m.forces, added, strict=True)]
        m.traits.append(f"{style} force{'' if sign < 0 else ', driving'}")


def balance(m: Mechanism, dice: Dice) -> bool:
    """Make the point an equilibrium; False where the draw is given up."""
    point = [rational(v) for v in m.point]
    equations = GroupEquations(m, rational, fmpq(0))
    if any(equations.at(r, point) != 0 for r in equations.relations):
        return False
    loads = equations.loads(point, equations.transport(point))
    total = m.n + m.s
    columns: list[list] = []
    for v, (factor, _) in enumerate(m.vectors):
        spin, a = m.spin(factor), point[m.place(v) : m.place(v) + 3]
        for c in range(3):
            column = [fmpq(0)] * total
            for i, j, k in CYCLES:
                place = spin[i]
                if place is not None:
                    column[place] -= a[k] if c == j else fmpq(0)
                    column[place] += a[j] if c == k else fmpq(0)
            columns.append(column)
    weights = len(columns)
    for row in equations.rows:
        columns.append([equations.at(e, point) for e in row] + [fmpq(0)] * m.s)
    found = particular(columns, loads)
    if found is None:
        if dice.chance(0.5):
            return False
        units = [[fmpq(int(i == j)) for i in range(total)] for j in range(m.n)]
        found = particular([*columns, *units], loads)
        if found is None:
            return False
        held = found[len(columns) :]
        m.forces = [add(f, constant(fraction(h))) for f, h in zip(m.forces, held, strict=True)]
        m.traits.append("constant force")
    linear = [scale(fraction(w), variable(m.n + m.s + i)) for i, w in enumerate(found[:weights])]
    m.potential = add(m.potential, *linear)
    return True


def particular(columns: Sequence[Sequence[fmpq]], loads: Sequence[fmpq]) -> list[fmpq] | None:
    """A solution of sum c_k column_k = -loads, None where there is none."""
    rows, count = len(loads), len(columns)
    entries = [v for i in range(rows) for v in [*(c[i] for c in columns), -loads[i]]]
    reduced, rank = fmpq_mat(rows, count + 1, entries).rref()
    found = [fmpq(0)] * count
    for i in range(rank):
        pivot = next(j for j in range(count + 1) if reduced[i, j] != 0)
        if pivot == count:
            return None
        found[pivot] = reduced[i, count]
    return found


def _declare(m: Mechanism, dice: Dice) -> None:
    """Invariants, true or not: the oracle knows which."""
    if not dice.chance(0.3):
        return
    n, total = m.n, m.n + m.s
    choices = {
        "momentum": add(*(scale(c, variable(i)) for i, c in enumerate(dice.vector(n, 0.5)))),
        "speed": add(*(multiply(variable(i), variable(i)) for i in range(n))),
        "energy_like": add(
            m.potential, *(multiply(m.inertia[i][i], multiply(variable(i), variable(i))) for i in range(n))
        ),
    }
    if m.vectors:
        v = dice.pick(range(len(m.vectors)))
        places = m.spin(m.vectors[v][0])
        choices["area"] = add(
            *(
                multiply(variable(m.place(v) + a), multiply(m.inertia[p][j], variable(j)))
                for a, p in enumerate(places)
                if p is not None
                for j in range(n)
            )
        )
        choices["position"] = variable(dice.pick(range(total, m.size)))
    for name in ("momentum", "speed", "energy_like", "area", "position"):
        if name in choices and choices[name] and dice.chance(0.4):
            m.invariants[f"declared_{name}"] = choices[name]
            m.traits.append("declared invariant")


def _parameters(m: Mechanism, dice: Dice) -> None:
    """Coefficients that become parameters, some with another default than the value that is used."""
    if not dice.chance(0.45):
        return
    for k in range(int(dice.rng.integers(1, 4))):
        spot = dice.pick(["inertia", "potential", "forces"])
        name = f"p{k + 1}"
        if spot == "inertia":
            i = int(dice.rng.integers(m.n))
            holder: list = m.inertia[i]
            key = i
        elif spot == "potential":
            holder, key = [m.potential], 0
        else:
            holder, key = m.forces, int(dice.rng.integers(m.n))
        p = holder[key]
        monomials = [mono for mono in p if not any(v >= m.size for v, _ in mono)]
        if spot == "inertia":
            monomials = [()] if () in p else []  # the constant part of a diagonal entry, which may grow
        if not monomials:
            continue
        monomial = dice.pick(monomials)
        number = dice.pick(
            [
                Fraction(1),
                Fraction(2),
                Fraction(3),
                Fraction(1, 2),
                Fraction(7, 4),
                Fraction(2, 3),
                Fraction(1, 10),
            ]
        )
        other = number * dice.pick([2, 3, 5]) if dice.chance(0.5) else number
        coefficient = p[monomial]
        swapped = multiply({monomial: coefficient / number}, variable(m.size + len(m.parameters)))
        holder[key] = add({mono: c for mono, c in p.items() if mono != monomial}, swapped)
        if spot == "potential":
            m.potential = holder[0]
        m.parameters.append((name, number, other))
        m.traits.append("parameter")


# -- spheres ----------------------------------------------------------------------------------------


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
