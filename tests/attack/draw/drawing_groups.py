"""Random mechanisms on groups with an equilibrium.

Everything is drawn but the terms of the potential that are linear in what tells the configuration (and,
where these do not suffice, constant forces): they are solved for, so that the point drawn is an equilibrium
exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from tests.attack.draw.dice import Dice, Row
from tests.attack.draw.mechanism import Mechanism
from tests.attack.oracle.motion import CYCLES, GroupEquations, fields
from tests.attack.oracle.oracle import fraction, kernel, particular, rational
from tests.attack.oracle.polynomials import (
    Polynomial,
    add,
    affine,
    constant,
    multiply,
    scale,
    specialise,
    variable,
)

GROUPS = [
    (30, ["so3"]), (16, ["se3"]), (10, ["se2"]), (10, ["so3", "so3"]), (5, ["so2"]), (5, ["so3", "so2"]),
    (5, ["so3", "r1"]), (4, ["r2"]), (5, ["so2", "so2"]), (4, ["so2", "r1"]), (3, ["se2", "so2"]), (3,
    ["so3", "r2"]),
]  # fmt: skip
NORMS = {"so3": 3, "se3": 3, "se2": 3, "so2": 3}


def draw_group(dice: Dice, kind: str) -> Mechanism | None:
    rotations = kind == "rotations"
    groups = (
        [["so3"], ["so3"], ["so3", "so3"]][int(dice.rng.integers(3))] if rotations else dice.weighted(GROUPS)
    )
    m = Mechanism(groups, [], [], [], [], [], {}, [], [], None, [], {}, [], kind)
    turned = draw_vectors(m, dice, rotations)
    draw_inertia(m, dice, rotations)
    size = m.size
    a0 = [v for vector in turned for v in vector]
    blank = [Fraction(0)] * (m.n + m.s)
    if not rotations and dice.chance(0.35):
        _rows(m, dice)
    draw_lagrangian(m, dice)
    xi = steady(m, dice, [*blank, *a0])
    m.point = [*xi, *[dice.small(0.5) for _ in range(m.s)], *a0]
    draw_forces(m, dice)
    draw_wells(m, dice)
    if not balance(m, dice):
        return None
    declare(m, dice)
    draw_parameters(m, dice)
    assert len(m.point) == size
    return m


def draw_vectors(m: Mechanism, dice: Dice, rotations: bool) -> list[Row]:
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


def draw_inertia(m: Mechanism, dice: Dice, rotations: bool) -> None:
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


def _rows(m: Mechanism, dice: Dice) -> None:
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
    draw_frame(m, dice)


def draw_frame(m: Mechanism, dice: Dice) -> None:
    """Sometimes a frame, where one row has a constant entry to solve for."""
    if len(m.constraints) != 1 or not dice.chance(0.4):
        return
    row, n = m.constraints[0], m.n
    pivots = [i for i, e in enumerate(row) if set(e) == {()}]
    if not pivots:
        return
    k = m.solved = pivots[-1]
    others = [j for j in range(n) if j != k]
    m.frame = [
        [scale(-1 / row[k][()], row[j]) if i == k else constant(int(i == j)) for j in others]
        for i in range(n)
    ]
    m.traits.append("frame")


def draw_lagrangian(m: Mechanism, dice: Dice) -> None:
    n, places = m.n, m.places
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


def draw_wells(m: Mechanism, dice: Dice) -> None:
    """A pull towards the point, which leaves it an equilibrium; without it few draws would be stable."""
    for v in range(len(m.vectors)):
        first, a0 = m.place(v), m.point[m.place(v) : m.place(v) + 3]
        if dice.chance(0.5):
            pull = affine([-dice.positive() * c for c in a0], first)
            axis = dice.vector(3, 0.3)
            away = add(affine(axis, first), constant(-sum(x * y for x, y in zip(axis, a0, strict=True))))
            m.potential = add(m.potential, pull, multiply(away, away))


def steady(m: Mechanism, dice: Dice, at: Row) -> Row:
    """Velocities that keep the configuration and obey the constraints."""
    n = m.n
    if dice.chance(0.35):
        return [Fraction(0)] * n
    table = dict(enumerate(at)) | m.values
    rows = [[Fraction(0)] * n for _ in m.places]
    for i, field in enumerate(fields(m)):
        for k, e in field:
            rows[k - n - m.s][i] += specialise(e, table).get((), Fraction(0))
    rows += [[specialise(e, table).get((), Fraction(0)) for e in row] for row in m.constraints]
    if not rows:
        return dice.vector(n, 0.5)
    W, _ = kernel(fmpq_mat(len(rows), n, [rational(v) for row in rows for v in row]))
    weights = dice.vector(W.ncols(), 0.3)
    return [sum((fraction(W[i, j]) * w for j, w in enumerate(weights)), Fraction(0)) for i in range(n)]


def draw_forces(m: Mechanism, dice: Dice) -> None:
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
        places = m.places
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
    columns = [[fmpq(0)] * total for _ in m.places]
    for i, field in enumerate(equations.fields):
        for k, e in field:
            columns[k - total][i] -= equations.at(e, point)
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


def declare(m: Mechanism, dice: Dice) -> None:
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


def draw_parameters(m: Mechanism, dice: Dice) -> None:
    """Coefficients that become parameters, some with another default than the value that is used."""
    if not dice.chance(0.45):
        return
    for k in range(int(dice.rng.integers(1, 4))):
        number = Fraction(dice.pick(["1", "2", "3", "1/2", "7/4", "2/3", "1/10"]))
        default = number * dice.pick([2, 3, 5]) if dice.chance(0.5) else number
        if _parameter_enters(m, dice, number, default):
            m.parameters.append((f"p{k + 1}", number, default))
            m.traits.append("parameter")


def _parameter_enters(m: Mechanism, dice: Dice, number: Fraction, default: Fraction) -> bool:
    """Put the next parameter, of the given value, in the place of a coefficient; False if there is none."""
    symbol = variable(m.size + len(m.parameters))
    spot = dice.pick(["inertia", "potential", "forces", "constraints"])
    if spot == "constraints":
        return _parameter_constrains(m, dice, symbol, number, default)
    if spot == "inertia":
        key = int(dice.rng.integers(m.n))
        holder: list[Polynomial] = m.inertia[key]
        chosen = [()]  # the constant part of a diagonal entry, which may grow
    else:
        holder, key = ([m.potential], 0) if spot == "potential" else (m.forces, int(dice.rng.integers(m.n)))
        chosen = list(holder[key])
    p = holder[key]
    chosen = [k for k in chosen if k in p and all(i < m.size for i, _ in k)]
    if not chosen:
        return False
    monomial = dice.pick(chosen)
    rest = {k: c for k, c in p.items() if k != monomial}
    holder[key] = add(rest, multiply({monomial: p[monomial] / number}, symbol))
    if spot == "potential":
        m.potential = holder[0]
    return True


def _parameter_constrains(
    m: Mechanism, dice: Dice, symbol: Polynomial, number: Fraction, default: Fraction
) -> bool:
    """A parameter in a row; its frame follows it or, in a wrong description, belongs to the default."""
    if len(m.constraints) == len(m.closures):  # rows of closed loops are their rates
        return False
    row = m.constraints[0]
    chosen = [i for i, e in enumerate(row) if set(e) == {()} and not (m.frame and i == m.solved)]
    if not chosen:
        return False
    i = dice.pick(chosen)
    share = row[i][()] / number
    if m.frame:
        pivot, column = row[m.solved][()], i - (i > m.solved)
        wrong = dice.chance(0.3)
        entry = constant(-share * default / pivot) if wrong else scale(-share / pivot, symbol)
        m.frame[m.solved][column] = entry
        if wrong:
            m.traits.append("frame of the defaults")
    row[i] = scale(share, symbol)
    return True
