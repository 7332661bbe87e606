"""Mechanisms that are struck, and fields with guards and resets, drawn so that their numbers are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice

KINDS = ("plain", "kept", "released", "named", "renamed")
"""What an impact does with rows: strikes alone, beside rows that stay, as others are released, by name; and
one after which all goes by its negative."""


@dataclass(frozen=True)
class Struck:
    """A mechanism with one impact, in symbols of the full velocities and coordinates.

    Attributes
    ----------
    inertia, rows : Matrix
        (n, n) and (k, n).
    before, stay : Matrix
        Rows in force before the impact, and those of them through it.
    guard : Expr
        q1 less a function of the other coordinates.
    restitution : list of Rational
    normal : int or None
    flipped : bool
        Whether every coordinate and velocity is renamed its negative.
    """

    kind: str
    labels: list[str]
    coordinates: list[sp.Symbol]
    inertia: sp.Matrix
    rows: sp.Matrix
    before: sp.Matrix
    stay: sp.Matrix
    guard: sp.Expr
    restitution: list[sp.Rational]
    normal: int | None
    flipped: bool
    direction: int
    of: str
    mechanism: gc.EulerPoincare


def draw_struck(dice: Dice) -> Struck:
    """One to three coordinates, beside a plane in a third of the cases; one to three rows that are struck."""
    count = int(dice.rng.integers(1, 4))
    plane = gc.rn(2) if dice.chance(1 / 3) else None
    shape = [gc.Coordinate(f"q{i + 1}") for i in range(count)]
    q, n = [c.symbol for c in shape], count + (2 if plane else 0)
    labels = [*(map(str, plane.xi) if plane else ()), *(f"{s}_dot" for s in q)]
    kind = dice.pick(KINDS) if n > 1 else dice.pick(("plain", "renamed"))
    even = kind == "renamed" and dice.chance(0.8)
    k = int(dice.rng.integers(1, min(3, n if kind in ("plain", "renamed") else n - 1) + 1))
    stay = _rows(dice, q, n, int(dice.rng.integers(1, n - k + 1)) if kind == "kept" else 0, False)
    if kind in ("released", "named") and n - k > 1 and dice.chance(0.5):
        stay = _rows(dice, q, n, 1, False)
    released = _rows(dice, q, n, int(dice.rng.integers(1, n - stay.rows)) if n - stay.rows > 1 else 1, False)
    rows, before = _rows(dice, q, n, k, even), stay.col_join(released) if kind == "released" else stay
    guard = q[0] - sum(
        (_rational(dice) * sp.sin(s) for s in q[1:]), _rational(dice) if not even else sp.Integer(0)
    )
    if dice.chance(0.5) and not even:  # what is struck is what the guard tells the distance of
        slope = sp.Matrix([[guard.diff(s) for s in q]])
        rows[0, :] = sp.zeros(1, n - count).row_join(slope)
    e = [sp.Integer(0)] * k if kind == "named" else _restitutions(dice, k)
    normal = None if k == 1 or dice.chance(0.7) else int(dice.rng.integers(k))
    inertia = _inertia(dice, q, n, even)
    constraints, modes, way, more = {}, None, {}, {}
    for i in range(stay.rows):
        constraints[f"stays {i}"] = list(stay[i, :])
    kept = tuple(constraints)
    if kind == "released":
        names = [f"leaves {i}" for i in range(released.rows)]
        constraints |= {name: list(released[i, :]) for i, name in enumerate(names)}
        modes, way, more = (
            {"held": (*kept, *names), "free": kept},
            {"of": "held", "to": "free"},
            {"releases": names},
        )
    named: Any = rows
    if kind == "named":
        named = [f"caught {i}" for i in range(k)]
        constraints |= {name: list(rows[i, :]) for i, name in enumerate(named)}
        modes, way = {"free": kept, "held": (*kept, *named)}, {"of": "free", "to": "held"}
    if kind == "renamed":
        more["relabel"] = {v: -sp.Symbol(v, real=True) for v in [*labels, *map(str, q)]}
    direction = int(dice.pick((-1, 1, 0)))
    impact = gc.Impact(
        "hit", when=guard, rows=named, direction=direction, restitution=e, normal=normal, **way, **more
    )
    potential = sum((_rational(dice) * s + _rational(dice) * s**2 for s in q), sp.Integer(0))
    mechanism = gc.EulerPoincare(
        algebra=plane, shape=shape, inertia=inertia, potential=potential, jumps=[impact],
        **({"constraints": constraints} if constraints else {}), **({"modes": modes} if modes else {}),
    )  # fmt: skip
    flipped, of = kind == "renamed", way.get("of", "motion")
    told = impact.normal
    return Struck(
        kind, labels, q, inertia, rows, before, stay, guard, e, told, flipped, direction, of, mechanism
    )


def _rational(dice: Dice) -> sp.Rational:
    number = dice.small(0.2)
    return sp.Rational(number.numerator, number.denominator)


def _varying(dice: Dice, q: list[sp.Symbol], even: bool) -> sp.Expr:
    """A function of the coordinates between -1 and 1."""
    s = dice.pick(q)
    return sp.cos(s) if even or dice.chance(0.5) else sp.sin(s)


def _rows(dice: Dice, q: list[sp.Symbol], n: int, count: int, even: bool) -> sp.Matrix:
    def entry() -> sp.Expr:
        return _rational(dice) + (_rational(dice) / 3 * _varying(dice, q, even) if dice.chance(0.3) else 0)

    return sp.Matrix(count, n, lambda *_: entry()) if count else sp.zeros(0, n)


def _inertia(dice: Dice, q: list[sp.Symbol], n: int, even: bool) -> sp.Matrix:
    """Positive everywhere: what varies is less than half of a diagonal part."""
    root = sp.Matrix(n, n, lambda *_: _rational(dice))
    found = root * root.T + sp.eye(n)
    for i in range(n):
        for j in range(i):
            found[i, j] += _varying(dice, q, even) / (2 * n)
            found[j, i] = found[i, j]
    return found


def _restitutions(dice: Dice, k: int) -> list[sp.Rational]:
    def one() -> sp.Rational:
        return dice.pick([sp.Integer(0), sp.Integer(1), sp.Rational(int(dice.rng.integers(0, 21)), 20)])

    return [one() for _ in range(k)] if dice.chance(0.6) else [one()] * k


# -- fields that jump ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Jumping:
    """Fields by mode, and jumps as (name, mode, mode entered, guard, direction, reset)."""

    states: list[sp.Symbol]
    fields: dict[str, list[sp.Expr]]
    jumps: list[tuple[str, str, str, sp.Expr, int, list[sp.Expr]]]
    start: np.ndarray
    system: gc.HybridSystem


def draw_jumping(dice: Dice) -> Jumping:
    """Two states, one mode or two, up to two guards in each; resets bounce, shift, contract or keep."""
    coordinates = [gc.Coordinate(name) for name in "xy"]
    states = [c.symbol for c in coordinates]
    names = ["one", "two"][: int(dice.pick((1, 2, 2)))]
    fields = {name: _field(dice, states) for name in names}
    jumps = []
    for name in names:
        for i in range(1 if len(names) == 2 and dice.chance(0.6) else 2):
            to = dice.pick(names) if i else names[-1 if name == names[0] else 0]
            guard, reset = _guard(dice, states), _reset(dice, states)
            if dice.chance(0.5):  # turns back at the guard
                slope = [guard.diff(s).subs(dict.fromkeys(states, 0)) for s in states]
                if any(slope):
                    size = sum(c * c for c in slope)
                    reset = [s - sp.Rational(1, 2) * c / size for s, c in zip(states, slope, strict=True)]
            jumps.append((f"jump {len(jumps)}", name, to, guard, int(dice.pick((-1, 0, 1))), reset))
    modes = {
        name: gc.VectorField(coordinates, dict(zip("xy", field, strict=True))).reduce()
        for name, field in fields.items()
    }
    made = [
        gc.Jump(name, when=h, direction=way, reset=dict(zip("xy", reset, strict=True)), of=of, to=to)
        for name, of, to, h, way, reset in jumps
    ]
    start = np.round(dice.rng.normal(size=2), 3)
    return Jumping(states, fields, jumps, start, gc.HybridSystem(modes=modes, jumps=made))


def _field(dice: Dice, states: list[sp.Symbol]) -> list[sp.Expr]:
    """A turn with growth or decay, a push, and a part that is bounded."""
    x, y = states
    turn, growth = (
        sp.Rational(int(dice.rng.integers(2, 9)), 3) * int(dice.pick((-1, 1))),
        _rational(dice) / 10,
    )
    more = [_rational(dice) / 2 * sp.sin(dice.pick(states)) + _rational(dice) / 3 for _ in states]
    return [growth * x - turn * y + more[0], turn * x + growth * y + more[1]]


def _guard(dice: Dice, states: list[sp.Symbol]) -> sp.Expr:
    x, y = states
    a, b = _rational(dice), _rational(dice)
    if not a and not b:
        a = sp.Integer(1)
    curved = dice.pick((sp.Integer(0), sp.sin(x) / 3, y**2 / 4))
    return a * x + b * y + curved - _rational(dice) / 2


def _reset(dice: Dice, states: list[sp.Symbol]) -> list[sp.Expr]:
    x, y = states
    kind = dice.pick(("keeps", "contracts", "turns", "given"))
    if kind == "keeps":
        return [x, y]
    if kind == "contracts":
        return [x * sp.Rational(4, 5), y * sp.Rational(1, 2)]
    if kind == "turns":
        return [x, -y * sp.Rational(3, 4)]
    return [_rational(dice) + sp.cos(y) / 4, y + _rational(dice) / 3]
