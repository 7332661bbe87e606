"""Random polynomial fields whose truth is known by construction: theorems' examples and what looks like them.

Each is written down in coordinates in which it can be read off, and then hidden by shears.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from tests.attack.draw.dice import Dice

FIELDS = 350377
"""A stream of their own."""
STABLE, ATTRACTS, UNSTABLE = "stable", "attracts", "unstable"
"""Stable, and attracting nothing or not known to; asymptotically stable; unstable."""


@dataclass
class Field:
    """x' = rates on leaf = 0, at rest at a point.

    Attributes
    ----------
    kind : what it was made as
    truth : stable, attracts, unstable, or nothing where it is not known
    conserved, others : functions that are told to the search as conserved, or as such that may fall
    modulo : truth of the orbit of the point under rotations of the first two states and the next two
    distance : from that orbit, of states in floats
    """

    kind: str
    states: list[sp.Symbol]
    rates: list[sp.Expr]
    truth: str
    point: list[Fraction] = field(default_factory=list)
    leaf: list[sp.Expr] = field(default_factory=list)
    conserved: dict[str, sp.Expr] = field(default_factory=dict)
    others: dict[str, sp.Expr] = field(default_factory=dict)
    modulo: str = ""
    distance: Callable | None = None

    def __post_init__(self) -> None:
        self.point = self.point or [Fraction(0)] * len(self.states)


def draw_field(dice: Dice, make: Callable[[Dice], Field] | None = None) -> Field:
    """One of a kind, or of all of them."""
    kind: Any = make or dice.weighted([(w, make) for make, w in KINDS.items()])
    found = kind(dice)
    if not found.modulo and not any(found.point):
        for _ in range(int(dice.rng.integers(0, 3))):
            _shear(dice, found)
    return found


def _number(dice: Dice) -> sp.Rational:
    q = dice.small(0)
    return sp.Rational(q.numerator, q.denominator)


def _positive(dice: Dice) -> sp.Rational:
    q = dice.positive()
    return sp.Rational(q.numerator, q.denominator)


def _symbols(names: str) -> list[sp.Symbol]:
    return list(sp.symbols(names, real=True))


def _shear(dice: Dice, f: Field) -> None:
    """One state more what others give: y = x + p, with the field, leaf and functions in the new states."""
    i = int(dice.rng.integers(len(f.states)))
    rest = [x for k, x in enumerate(f.states) if k != i]
    if not rest:
        return
    p = _number(dice) * sp.Mul(*(dice.pick(rest) for _ in range(int(dice.rng.integers(1, 3)))))
    x = f.states[i]

    def seen(expression: sp.Expr) -> sp.Expr:
        return sp.expand(expression.subs(x, x - p))

    rates = [*f.rates]
    rates[i] = rates[i] + sum(sp.diff(p, y) * g for y, g in zip(f.states, f.rates, strict=True))
    f.rates, f.leaf = [seen(g) for g in rates], [seen(g) for g in f.leaf]
    f.conserved = {k: seen(e) for k, e in f.conserved.items()}
    f.others = {k: seen(e) for k, e in f.others.items()}


# -- families, and what moves along them ------------------------------------------------------------------


def _damped(dice: Dice, w: list[sp.Symbol], others: list[sp.Symbol]) -> list[sp.Expr]:
    """Rates of w that vanish with it, decaying near zero: a triangular linear part and products."""
    rates = []
    for i, x in enumerate(w):
        rate = -_positive(dice) * x + sum(_number(dice) * y for y in w[:i])
        rate += _number(dice) * dice.pick(w) * dice.pick(others)
        rates.append(rate)
    return rates


def families(dice: Dice) -> Field:
    """s' = Q(s, w) w and w' = H w: a family, or one that a power of s moves along."""
    s = _symbols("s1:3")[: dice.pick([1, 1, 2])]
    w = _symbols("w1:3")[: dice.pick([1, 2])]
    rates = [dice.pick(w) * (_number(dice) + _number(dice) * dice.pick([*s, *w])) for _ in s]
    style = dice.weighted([(4, "rest"), (3, "power"), (2, "cross"), (1, "kink")])
    truth, kind = STABLE, f"family: {style}"
    if style == "power":
        m, a = dice.pick([2, 3, 4, 5]), _number(dice)
        i = int(dice.rng.integers(len(s)))
        # s' = a s^m + w (...): on the centre manifold w = 0 one sees the power alone.
        rates[i] += a * s[i] ** m
        attracts = m % 2 == 1 and a < 0
        truth = (ATTRACTS if len(s) == 1 else STABLE) if attracts else UNSTABLE
    elif style == "cross" and len(s) == 2:
        rates[0] += _number(dice) * s[0] * s[1]  # for s2 of one sign s1 grows
        rates[1], truth = sp.Integer(0), UNSTABLE
    elif style == "kink":
        rates[0] += abs(s[0])
        truth = UNSTABLE
    f = Field(kind, [*s, *w], [*rates, *_damped(dice, w, [*s, *w])], truth)
    if dice.chance(0.3):  # a number that stays as it is, seen by the others
        c = sp.Symbol("c", real=True)
        f.rates = [g * (1 + _number(dice) * c) for g in f.rates]
        f.states, f.rates, f.point = [*f.states, c], [*f.rates, sp.Integer(0)], [*f.point, Fraction(0)]
        f.conserved = {"c": c}
        f.truth = STABLE if truth == ATTRACTS else truth
    return f


def equilibria_that_are_passed(dice: Dice) -> Field:
    """x' = -x^3 and s' = x^2 or x^4: near ones go on as log t, or come to rest."""
    x, s, z = _symbols("x s z")
    k = dice.pick([2, 3, 4, 5])
    # ds/dx = -x^(k - 3): s goes on where k < 3, and stays bounded by x(0)^(k - 2) elsewhere.
    rates = [-_positive(dice) * x**3, _number(dice) * x**k, -_positive(dice) * z]
    return Field("passed", [x, s, z], rates, UNSTABLE if k == 2 else STABLE)


def drifts(dice: Dice) -> Field:
    """t' = c^p u with c kept, and what a restoring force makes of it."""
    t, c, z = _symbols("t c z")
    p = dice.pick([1, 1, 2, 3])
    slope = _number(dice) * c**p * (1 + _number(dice) * dice.pick([t, c, z]))
    style = dice.weighted([(3, "free"), (1, "held"), (1, "crossed")])
    kept = {"c": c}
    if style == "free":
        rates, truth = [slope, sp.Integer(0), -_positive(dice) * z], UNSTABLE
    elif style == "held":  # t comes to rest where it balances c
        m = dice.pick([1, 3])
        rates, truth = [c - _positive(dice) * t**m, sp.Integer(0), -_positive(dice) * z], STABLE
    else:
        rates, truth = [_number(dice) * c * t, sp.Integer(0), -_positive(dice) * z], UNSTABLE
    return Field(f"drift: {style}", [t, c, z], rates, truth, conserved=kept)


def nilpotent(dice: Dice) -> Field:
    """x'' = a x^m: a Jordan block at zero, stable for odd m and a < 0, else unstable."""
    x, v = _symbols("x v")
    m, a = dice.pick([2, 3, 4, 5]), _number(dice)
    energy = v**2 / 2 - a * x ** (m + 1) / (m + 1)
    return Field(
        "nilpotent",
        [x, v],
        [v, a * x**m],
        STABLE if m % 2 and a < 0 else UNSTABLE,
        conserved={"energy": energy},
    )


# -- oscillators ------------------------------------------------------------------------------------------


def frozen(dice: Dice) -> Field:
    """x' = a c^k x^m + b x^n, c' = 0. Without the last term it grows somewhere, unless k is even, m odd and
    a < 0. With it what is at c = 0 is b x^n, which grows unless n is odd and b < 0; then motions end where
    both terms are equal, which is near for small c.
    """
    x, c = _symbols("x c")
    k, m, n = dice.pick([1, 1, 2, 3]), dice.pick([0, 1, 1, 2, 3]), dice.pick([1, 2, 3, 3, 4, 5])
    a, b = _number(dice) or sp.Integer(1), dice.pick([sp.Integer(0), -_positive(dice), _number(dice)])
    grows = (b > 0 or n % 2 == 0) if b else not (k % 2 == 0 and m % 2 == 1 and a < 0)
    kept = {"c": c} if dice.chance(0.5) else {}
    truth = UNSTABLE if grows else STABLE
    return Field("frozen", [x, c], [a * c**k * x**m + b * x**n, sp.Integer(0)], truth, conserved=kept)


def foci(dice: Dice) -> Field:
    """r' = a r^3 + b r^5 + c r about a turn, with c' = 0, beside z' = -k z + (...) z, which is zero on the
    surface z = 0.
    """
    x, y, z, c = _symbols("x y z c")
    a, b = (dice.pick([_number, _number, lambda _: sp.Integer(0)])(dice) for _ in range(2))
    turn, rho, level = _positive(dice), x**2 + y**2, dice.chance(0.3)
    radial = a * rho + b * rho**2 + (c if level else 0)
    states, rates = [x, y], [x * radial - turn * y, y * radial + turn * x]
    if dice.chance(0.6):
        rates = [rate + _number(dice) * z * dice.pick([x, y, z, sp.Integer(0)]) for rate in rates]
        states, rates = [x, y, z], [*rates, -_positive(dice) * z + _number(dice) * z * dice.pick([x, y, z])]
    size = a or b
    truth = ATTRACTS if size < 0 else UNSTABLE if size > 0 else STABLE
    if level:
        states, rates, truth = [*states, c], [*rates, sp.Integer(0)], STABLE if size < 0 else UNSTABLE
    kept = {"c": c} if level and dice.chance(0.7) else {}
    return Field("focus", states, [sp.expand(rate) for rate in rates], truth, conserved=kept)


def oscillators(dice: Dice) -> Field:
    """q'' = -K q + g J q' - c (c.v)^m - higher forces, with springs and damping of either sign."""
    q, v = _symbols("q1:3"), _symbols("v1:3")
    springs = [_positive(dice) for _ in q]
    if dice.chance(0.3):
        springs[1] = springs[0]
    style = dice.weighted([(5, "springs"), (3, "negative springs"), (1, "one negative")])
    if style != "springs":
        springs = [-k if i == 0 or style == "negative springs" else k for i, k in enumerate(springs)]
    turn = _number(dice) * 3 if style == "negative springs" or dice.chance(0.3) else sp.Integer(0)
    higher = sp.Integer(0)
    if dice.chance(0.4):
        higher = _number(dice) * sp.Mul(*(dice.pick(q) for _ in range(dice.pick([3, 4]))))
    U = sum(k * x**2 / 2 for k, x in zip(springs, q, strict=True)) + higher
    m = dice.pick([1, 3, 3])
    direction = dice.pick([(1, 0), (0, 1), (1, -1), (1, 1), (0, 0)])
    sense = dice.pick([1, 1, 1, -1])
    seen = sum(c * w for c, w in zip(direction, v, strict=True))
    size = _positive(dice) * sense
    J = [turn * v[1], -turn * v[0]]
    forces = [-sp.diff(U, x) + j - size * c * seen**m for x, j, c in zip(q, J, direction, strict=True)]
    energy = sum(w**2 for w in v) / 2 + U
    A = sp.Matrix([*v, *(-k * x + j for k, x, j in zip(springs, q, J, strict=True))]).jacobian([*q, *v])
    row = sp.Matrix([[0, 0, *direction]])
    observed = sp.Matrix.vstack(*(row * A**k for k in range(4))).rank() == 4
    truth = _of_oscillators(style, bool(any(direction)), sense, observed, bool(higher))
    told = {"conserved" if not any(direction) else "others": {"energy": energy}}
    kind = f"{style}, {'no' if not any(direction) else 'wrong' if sense < 0 else 'true'} damping"
    return Field(kind, [*q, *v], [*v, *forces], truth, **told)


def _of_oscillators(style: str, damped: bool, sense: int, observed: bool, higher: bool) -> str:
    """By Lyapunov, Krasovskii: with higher forces what damping does not see in the linear motion is open."""
    if style == "springs":
        if damped and sense < 0:
            return UNSTABLE if observed or not higher else ""
        return ATTRACTS if damped and observed else STABLE if not (damped and higher) else "not unstable"
    if damped and observed:
        return UNSTABLE if style == "negative springs" and sense < 0 else UNSTABLE if sense > 0 else ""
    return ""


def valleys(dice: Dice) -> Field:
    """A unit mass in U = (y - h(x))^2 + a x^m, or in a form of degree four."""
    x, y, p, r = _symbols("x y p r")
    if dice.chance(0.6):
        m, a = dice.pick([3, 4, 4, 5, 6]), _number(dice)
        U = _positive(dice) * (y - _number(dice) * x**2 - _number(dice) * x**3) ** 2 + a * x**m
        truth = STABLE if m % 2 == 0 and a > 0 else UNSTABLE
    else:  # k x^4 + l x^2 y^2 + n y^4 with k, n > 0 is definite where l > -2 sqrt(k n)
        k, n, other = _positive(dice), _positive(dice), _number(dice)
        U = k * x**4 + other * x**2 * y**2 + n * y**4
        truth = STABLE if other > 0 or other**2 < 4 * k * n else "" if other**2 == 4 * k * n else UNSTABLE
    rates = [p, r, -sp.diff(U, x), -sp.diff(U, y)]
    energy = (p**2 + r**2) / 2 + sp.expand(U)
    return Field("valley", [x, y, p, r], [sp.expand(g) for g in rates], truth, conserved={"energy": energy})


# -- leaves and orbits ------------------------------------------------------------------------------------


def singular_leaf(dice: Dice) -> Field:
    """Another field beside y' = a y on y^2 = 0, on which y stays zero whatever a is."""
    f = dice.pick([families, nilpotent, drifts])(dice)
    y = sp.Symbol("y0", real=True)
    f.states, f.rates, f.point = [*f.states, y], [*f.rates, _number(dice) * y], [*f.point, Fraction(0)]
    f.leaf, f.kind = [y**2], "squared relation"
    return f


def circling(dice: Dice) -> Field:
    """A particle at rest in a turning frame, held by U(|q|^2), with an oscillator that may couple."""
    x, y, p, r, a, b = _symbols("x y p r a b")
    rho, rate, R = x**2 + y**2, _number(dice), _positive(dice)
    k = dice.pick([_number, _positive])(dice)  # U = l rho / 2 + k rho^2 / 4, U' = W^2 R at R
    slope = rate**2 - k * R**2
    stiff = dice.pick([_number, _positive, _positive])(dice)
    coupling = _number(dice) * (rho - R**2) * a**2 if dice.chance(0.4) else sp.Integer(0)
    U = slope * rho / 2 + k * rho**2 / 4 + stiff * a**2 / 2 + coupling
    broken = dice.chance(0.25)
    if broken:  # U depends on the direction: at rest still, since (x - R)^2 y has no slope there
        U += _number(dice) * dice.pick([y**2, (x - R) * y, y**3])
    forces = [-sp.diff(U, x) + 2 * rate * r + rate**2 * x, -sp.diff(U, y) - 2 * rate * p + rate**2 * y]
    rates = [p, r, *forces, b, -sp.diff(U, a)]
    energy = (p**2 + r**2 + b**2) / 2 + U - rate**2 * rho / 2
    momentum = x * r - y * p + rate * rho
    # The effective potential L^2/(2 R^2) + U has the slope U'' + 3 U'/R there.
    across = 4 * rate**2 + 2 * k * R**2
    truth = "" if broken or across == 0 else STABLE if across > 0 and stiff > 0 else UNSTABLE
    kept = {"energy": sp.expand(energy)} | ({} if broken else {"momentum": sp.expand(momentum)})
    size = Fraction(int(R.p), int(R.q))
    return Field(
        "orbit, broken" if broken else "orbit",
        [x, y, p, r, a, b],
        [sp.expand(g) for g in rates],
        "" if broken else UNSTABLE if rate or truth != STABLE else "",
        [size, *[Fraction(0)] * 5],
        conserved=kept,
        modulo=truth or "unknown",
        distance=lambda z: sum(c**2 for c in ((z[0] ** 2 + z[1] ** 2) ** 0.5 - float(size), *z[2:])) ** 0.5,
    )


KINDS: dict[Callable[[Dice], Field], int] = {
    families: 22,
    equilibria_that_are_passed: 6,
    drifts: 12,
    nilpotent: 8,
    frozen: 8,
    foci: 8,
    oscillators: 30,
    valleys: 14,
    singular_leaf: 8,
    circling: 12,
}
