"""Random mechanisms with coordinates, beside a group or alone: closed loops, heights, friction, a domain."""

from __future__ import annotations

from fractions import Fraction

from tests.attack.draw.dice import Dice, Row
from tests.attack.draw.drawing_groups import (
    balance,
    declare,
    draw_forces,
    draw_frame,
    draw_inertia,
    draw_lagrangian,
    draw_parameters,
    draw_vectors,
    draw_wells,
    steady,
)
from tests.attack.draw.mechanism import HELD, Mechanism, Slip
from tests.attack.oracle.motion import fields
from tests.attack.oracle.polynomials import (
    Polynomial,
    add,
    affine,
    constant,
    derivative,
    multiply,
    scale,
    specialise,
    variable,
    variables,
)

Choices = list[tuple[int, list[str]]]
GROUPS: Choices = [
    (34, []), (12, ["r1"]), (12, ["so2"]), (10, ["se2"]), (12, ["so3"]), (8, ["se3"]), (5, ["r2"]),
    (4, ["so2", "r1"]), (3, ["so3", "r1"]),
]  # fmt: skip
KINDS = [(40, "length"), (48, "angle"), (12, "wound")]


def draw_shaped(dice: Dice) -> Mechanism | None:
    groups = dice.weighted(GROUPS)
    m = Mechanism(groups, [], [], [], [], [], {}, [], [], None, [], {}, [], "shape")
    most = 2 if {"so3", "se3"} & set(groups) else 3
    m.shape = [dice.weighted(KINDS) for _ in range(int(dice.rng.integers(1, most + 1)))]
    turned = draw_vectors(m, dice, False)
    m.heights = [
        v
        for v, (factor, _) in enumerate(m.vectors)
        if m.groups[factor] in ("se2", "se3") and dice.chance(0.6)
    ]
    m.traits += [*m.shape, *["height"] * len(m.heights)]
    draw_inertia(m, dice, False)
    _varying_inertia(m, dice)
    z = [v for vector in turned for v in vector]
    z += [dice.small(0.3) for _ in m.heights] + [v for kind in m.shape for v in _place(kind, dice)]
    m.point = [*[Fraction(0)] * (m.n + m.s), *z]
    _rows(m, dice)
    draw_lagrangian(m, dice)
    xi = steady(m, dice, m.point)
    m.point = [*xi, *[dice.small(0.5) for _ in range(m.s)], *z]
    draw_forces(m, dice)
    _slips(m, dice)
    draw_wells(m, dice)
    _springs(m, dice)
    if not balance(m, dice):
        return None
    declare(m, dice)
    draw_parameters(m, dice)
    _sides(m, dice)
    if m.constraints and dice.chance(0.5):
        m.along = [dice.vector(m.n, 0.5)]
    return m


def _place(kind: str, dice: Dice) -> Row:
    if kind == "length":
        return [dice.small(0.4)]
    R = dice.rotation(True)
    return [R[0][0], R[1][0], Fraction(0)][: HELD[kind]]


def _form(m: Mechanism, dice: Dice) -> Polynomial:
    """A linear form in one or two of the variables that tell the configuration, mostly of the shape."""
    places = list(range(m.held(0), m.size)) if dice.chance(0.7) else list(m.places)
    return add(
        constant(dice.small(0.5)),
        *(scale(dice.small(0.0), variable(dice.pick(places))) for _ in range(int(dice.rng.integers(1, 3)))),
    )


def _varying_inertia(m: Mechanism, dice: Dice) -> None:
    """Squares times dyads, and dyads of velocities that vary, which leave it definite."""
    n = m.n
    for _ in range(dice.weighted([(35, 0), (45, 1), (20, 2)])):
        direction = [constant(c) for c in dice.vector(n, 0.5)]
        if dice.chance(0.5):
            # The speed of a point that is carried along: (sum v_i f_i(r))^2.
            direction[dice.pick(range(n))] = _form(m, dice)
            size = constant(dice.positive())
        else:
            form = _form(m, dice)
            size = multiply(form, form)
        for i in range(n):
            for j in range(n):
                m.inertia[i][j] = add(m.inertia[i][j], multiply(size, multiply(direction[i], direction[j])))
        m.traits.append("varying inertia")


def _rows(m: Mechanism, dice: Dice) -> None:
    """Rows of constraints, sometimes with a frame; then closed loops, of which rows are the rates."""
    n = m.n
    if dice.chance(0.3) and n > 1:
        row = [constant(c) for c in dice.vector(n, 0.5)]
        style = dice.weighted([(30, "constant"), (20, "axis"), (50, "varying")])
        if style == "axis":
            place = int(dice.rng.integers(n))
            row = [constant(int(i == place)) for i in range(n)]
        elif style == "varying":
            for _ in range(int(dice.rng.integers(1, 3))):
                row[dice.pick(range(n))] = _form(m, dice)
        if any(row):
            m.constraints.append(row)
            m.traits.append("constraint")
            draw_frame(m, dice)
    if n - len(m.constraints) > 1 and not m.frame and dice.chance(0.3):
        _closure(m, dice)


def _closure(m: Mechanism, dice: Dice) -> None:
    """A relation between what tells the configuration, which the point obeys; a length may be a parameter."""
    if m.heights and dice.chance(0.6):
        vector = m.place(m.heights[0])
        terms = [variable(m.height(0)), affine(dice.vector(3, 0.4), vector)]
    else:
        terms = [_form(m, dice)]
        for _ in range(int(dice.rng.integers(0, 3))):
            terms.append(scale(dice.small(0.0), multiply(_form(m, dice), _form(m, dice))))
    closed = add(*terms)
    if dice.chance(0.3) and closed:
        # The last term gets its factor from a parameter, which the row has as well.
        number, monomial = dice.positive(), list(closed)[-1]
        share = closed.pop(monomial) / number
        closed = add(closed, multiply({monomial: share}, variable(m.size)))
        m.parameters.append(("l1", number, number * dice.pick([1, 2, 3])))
    table = dict(enumerate(m.point)) | m.values
    closed = add(closed, constant(-specialise(closed, table).get((), Fraction(0))))
    row = [add(*(multiply(e, derivative(closed, k)) for k, e in field)) for field in fields(m)]
    if not any(specialise(e, table) for e in row):  # no manifold at the point
        m.parameters.clear()
        return
    m.closures.append(closed)
    m.constraints.append(row)
    m.traits.append("closed loop")


def _slips(m: Mechanism, dice: Dice) -> None:
    """Friction; the root in Coulomb's has to be rational at the point: its slip is 0 or 3/4 of the scale."""
    table = dict(enumerate(m.point)) | m.values
    for _ in range(dice.weighted([(50, 0), (40, 1), (10, 2)])):
        rows = [
            [constant(c) for c in dice.vector(m.n, 0.5)] for _ in range(dice.weighted([(75, 1), (25, 2)]))
        ]
        if dice.chance(0.3):
            rows[0][dice.pick(range(m.n))] = _form(m, dice)
        rows = [row for row in rows if any(row)]
        if not rows:
            continue
        slips = [
            sum((specialise(e, table).get((), Fraction(0)) * v for e, v in zip(row, m.point, strict=False)),
                Fraction(0))
            for row in rows
        ]  # fmt: skip
        moving = [abs(s) for s in slips if s]
        viscous = dice.positive() if dice.chance(0.6) else Fraction(0)
        coulomb, size = Fraction(0), Fraction(1)
        if (not viscous or dice.chance(0.4)) and len(moving) < 2:
            coulomb = dice.positive()
            size = moving[0] * Fraction(4, 3) if moving else Fraction(1, int(dice.pick([2, 10, 50])))
            m.traits.append("Coulomb friction")
        if viscous or coulomb:
            m.slips.append(Slip(rows, viscous, coulomb, size))
            m.traits.append("friction")


def _springs(m: Mechanism, dice: Dice) -> None:
    """A pull of either sign towards the point's coordinates and heights, which leaves it an equilibrium."""
    held = dice.chance(0.5)  # without springs everywhere few draws would be stable
    about = [(m.held(k), kind) for k, kind in enumerate(m.shape)]
    about += [(m.height(k), "length") for k in range(len(m.heights))]
    for first, kind in about:
        if not held and dice.chance(0.4):
            continue
        sign = -1 if not held and dice.chance(0.3) else 1
        away = add(variable(first), constant(-m.point[first]))
        pull = multiply(away, away)
        if kind == "angle":
            pull = affine([-v for v in m.point[first : first + 2]], first)
        elif kind == "wound":
            pull = multiply(variable(first + 2), variable(first + 2))
        m.potential = add(m.potential, scale(sign * dice.positive() * dice.pick([1, 2, 5]), pull))
        m.traits += ["negative stiffness"] if sign < 0 else []


def _sides(m: Mechanism, dice: Dice) -> None:
    """Sides of a domain near the point; of one in eight the point is outside."""
    table = dict(enumerate(m.point)) | m.values
    for _ in range(dice.weighted([(65, 0), (25, 1), (10, 2)])):
        side = multiply(_form(m, dice), _form(m, dice)) if dice.chance(0.3) else _form(m, dice)
        if dice.chance(0.25):
            side = add(side, scale(dice.small(0.0), variable(dice.pick(range(m.n)))))
        here = specialise(side, table).get((), Fraction(0))
        gap = Fraction(-1, 4) if dice.chance(0.12) else Fraction(1, int(dice.pick([20, 5, 1])))
        side = add(side, constant(gap - here))
        if variables(side):
            m.sides.append(side)
            m.traits.append("domain" if gap > 0 else "outside the domain")
