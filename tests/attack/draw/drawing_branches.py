"""Mechanisms and functions in pieces, drawn: switches that coincide, nest, depend on each other; poles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice

TRAP = sp.Rational(1, 2)


@dataclass
class Pieces:
    """A system in pieces, a function, and what is known of both.

    Attributes
    ----------
    kind : what was drawn
    mechanism : gc.EulerPoincare
        With the function as the invariant "drawn".
    function : in the states
    states, rates : as the oracle has them, in the order of the states
    poles : functions at whose zeros nothing is said
    kept : True where the function is conserved by construction, None where nobody knows
    numbers : of parameters
    """

    kind: str
    mechanism: Any
    function: sp.Expr
    states: list[sp.Symbol]
    rates: list[sp.Expr]
    poles: list[sp.Expr] = field(default_factory=list)
    kept: bool | None = None
    numbers: dict[sp.Symbol, float] = field(default_factory=dict)


def draw_pieces(dice: Dice) -> Pieces:
    """A mechanism over a potential, or a field of velocities."""
    return _mechanism(dice) if dice.chance(0.6) else _field(dice)


# -- pieces ----------------------------------------------------------------------------------------------


def argument(dice: Dice, symbols: list[sp.Symbol]) -> sp.Expr:
    """What a switch asks: often one symbol, a multiple, a shift or a product of what others ask."""
    x, y = dice.pick(symbols), dice.pick(symbols)
    c = dice.pick([1, 2, sp.Rational(1, 2), -1])
    return dice.weighted(
        [
            (5, x),
            (2, -2 * x),
            (2, x - c),
            (2, x + y - c),
            (1, x * y),
            (1, x**2 - 1),
            (1, x**3),
            (1, sp.Abs(x) - c),
            (1, sp.sin(x)),
            (1, 1 / x),
            (1, sp.Max(x, y)),
            (1, x**2),
        ]
    )


def joined(dice: Dice, symbols: list[sp.Symbol]) -> sp.Expr:
    """A continuous function in pieces."""
    a, b = argument(dice, symbols), argument(dice, symbols)
    if a.has(1 / symbols[0]) or any((1 / a).is_zero or a.has(1 / s) for s in symbols):
        a = symbols[0]
    b = symbols[-1] if any(b.has(1 / s) for s in symbols) else b
    x = dice.pick(symbols)
    k = dice.pick([1, 2, 3])
    return dice.weighted(
        [
            (3, sp.Abs(a)),
            (2, sp.Max(a, 0) ** 2),
            (2, sp.Max(a, b, TRAP)),
            (2, sp.Min(a, b)),
            (2, sp.Piecewise((k * a, a > 0), (-a, True))),
            (2, sp.Piecewise(((x + 1) ** 2, x < -1), (0, x < 1), (k * (x - 1) ** 2, True))),
            (1, sp.sqrt(a**2)),
            (1, sp.sign(a) * a**2),
            (1, sp.Abs(a) * sp.Abs(b)),
            (1, sp.Piecewise((sp.Piecewise((a * b, b > 0), (0, True)), a > 0), (0, True))),
        ]
    )


def broken(dice: Dice, symbols: list[sp.Symbol]) -> sp.Expr:
    """A function in pieces that jumps, or has a value of its own."""
    a, x = argument(dice, symbols), dice.pick(symbols)
    return dice.weighted(
        [
            (3, sp.sign(a)),
            (2, sp.Piecewise((1, a > 0), (0, True))),
            (1, sp.sign(a) ** 2),
            (2, sp.Piecewise((x, a >= 0), (1, True))),
            (1, 1 - sp.sign(a) ** 2),
            (1, sp.Piecewise((1, a > 0), (sp.sign(x), True))),
        ]
    )


def poles_of(expr: sp.Expr) -> list[sp.Expr]:
    """Bases of negative powers, and what roots and logarithms are taken of."""
    powers = [p.base for p in expr.atoms(sp.Pow) if p.exp.is_negative or not p.exp.is_integer]
    return powers + [e.args[0] for e in expr.atoms(sp.log)]


# -- systems ---------------------------------------------------------------------------------------------


def _mechanism(dice: Dice) -> Pieces:
    """One or two coordinates; energy over a potential in pieces, forces in pieces."""
    n = dice.pick([1, 1, 2])
    shape = [gc.Coordinate(k) for k in "pq"[:n]]
    x, v = [c.symbol for c in shape], [c.rate for c in shape]
    d = gc.Parameter("d", 0.7, positive=dice.chance(0.5))
    inertia = [[dice.pick([1, 2]) if i == j else 0 for j in range(n)] for i in range(n)]
    springs = sum(s**2 for s in x) / 2
    jump, braked = dice.chance(0.15), dice.chance(0.25)
    potential = springs + (broken(dice, x) if jump else joined(dice, x))
    if dice.chance(0.2):
        potential = potential.subs(1, d.symbol) if potential.has(1) else potential + sp.Abs(x[0] - d.symbol)
    turn = broken(dice, [*x, *v]) if n == 2 and dice.chance(0.3) else 0
    forces = [turn * v[1], -turn * v[0]] if n == 2 else [0]
    if braked:
        forces[0] -= sp.Piecewise((v[0], argument(dice, x) > 1), (0, True))
    energy = sum(inertia[i][i] * v[i] ** 2 for i in range(n)) / 2 + potential
    smooth = not (jump or braked or turn)
    function, kept = dice.weighted(
        [
            (4, (energy, True)),
            (2, (sp.Abs(energy - 1), True)),
            (1, (sp.Max(energy, 2), True)),
            (1, (energy + sp.atan(x[0]) + sp.atan(1 / x[0]), True)),
            (1, (sp.log(energy**2), True)),
            (2, (energy + broken(dice, [*x, *v]), None)),
            (2, (energy * sp.sign(argument(dice, x)), None)),
            (1, (sp.Piecewise((energy, argument(dice, [*x, *v]) > 0), (1, True)), None)),
            (1, (joined(dice, [*x, *v]), None)),
        ]
    )
    mechanism = gc.EulerPoincare(
        algebra=None,
        shape=shape,
        inertia=inertia,
        potential=potential,
        forces=forces,
        parameters=[d],
        invariants={"drawn": function},
        name="pieces",
    )
    rates = [(forces[i] - _slope(potential, x[i])) / inertia[i][i] for i in range(n)]
    numbers = {d.symbol: 0.7}
    poles = poles_of(function) + poles_of(potential) + [p for f in forces for p in poles_of(sp.sympify(f))]
    return Pieces("potential", mechanism, function, [*v, *x], [*rates, *v], poles, kept and smooth, numbers)


def _slope(potential: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """Of each piece by itself: there is no force where a potential jumps."""
    slope = sp.diff(potential, x).replace(sp.DiracDelta, lambda *_: sp.Integer(0))
    return slope.replace(sp.Derivative, lambda *_: sp.Integer(0))  # of signs, which is what sympy leaves


def _field(dice: Dice) -> Pieces:
    """Velocities with rates in pieces, and functions in pieces of them that are near to kept."""
    n = dice.pick([2, 2, 3])
    group = gc.rn(n)
    x = list(group.xi)
    a = argument(dice, x)
    s = dice.pick([sp.sign(a), broken(dice, x), joined(dice, x)])
    speed = dice.pick([1, sp.Abs(x[0]) + 1, x[-1]])
    rates, function, kept = dice.weighted(
        [
            (3, ([-s * speed, 1 * speed], sp.Abs(x[0]) + x[1], None)),
            (3, ([1 * speed, -sp.sign(x[0]) * speed], sp.Abs(x[0]) + x[1], None)),
            (2, ([-x[1] * s, x[0] * s], x[0] ** 2 + x[1] ** 2, True)),
            (2, ([s, 0], x[1], True)),
            (2, ([0, s], x[1], None)),
            (2, ([s, -s], sp.Max(x[0], x[1]), None)),
            (2, ([s, -s], x[0] + x[1] + broken(dice, x), None)),
            (1, ([-sp.sign(x[0]), sp.sign(x[1])], sp.Abs(x[0]) + sp.Abs(x[1]), None)),
            (1, ([sp.sign(x[1]), -sp.sign(x[0])], sp.Abs(x[0]) + sp.Abs(x[1]), None)),
            (1, ([sp.sign(x[0] + x[1]), 1], joined(dice, x), None)),
        ]
    )
    rates = [sp.sympify(r) for r in rates] + [sp.Integer(1)] * (n - 2)
    mechanism = gc.EulerPoincare(
        algebra=group, inertia=sp.eye(n), forces=rates, invariants={"drawn": function}, name="pieces"
    )
    poles = poles_of(function) + [p for r in rates for p in poles_of(r)]
    return Pieces("field", mechanism, function, x, rates, poles, kept)
