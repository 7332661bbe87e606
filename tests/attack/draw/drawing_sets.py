"""Random mechanisms of one or two degrees at rest, about which sets are proved, and their equations by sympy.

Rates are derived from the Lagrangian that is drawn, coordinate by coordinate: nothing of geoctrl is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import sympy as sp

from tests.attack.draw.dice import Dice


@dataclass
class Drawn:
    """L = v'Mv/2 - V in positions q with rates v, or velocities v of which nothing depends on the place.

    Attributes
    ----------
    kind : what its friction was made as
    positions : of all degrees, also of those whose place matters nowhere
    cyclic : number of degrees, the first ones, whose place matters nowhere
    angles : whether each position is an angle
    inertia, potential, forces : in positions and rates
    rest : position and rate, in whole parts of pi or rational numbers
    outputs, limits : what is asked to stay within bounds
    """

    kind: str
    positions: list[sp.Symbol]
    rates: list[sp.Symbol]
    cyclic: int
    angles: list[bool]
    inertia: sp.Matrix
    potential: sp.Expr
    forces: list[sp.Expr]
    rest: list[sp.Expr]
    outputs: dict[str, sp.Expr] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def states(self) -> list[sp.Symbol]:
        """Rates, and positions that matter."""
        return [*self.rates, *self.positions[self.cyclic :]]

    @property
    def point(self) -> np.ndarray:
        """The rest as a state."""
        return np.array([float(e) for e in self.rest])

    @property
    def momenta(self) -> list[sp.Expr]:
        """Of all degrees."""
        return list(self.inertia * sp.Matrix(self.rates))

    @cached_property
    def _parts(self) -> Callable:
        lagrangian = (sp.Matrix(self.rates).T * self.inertia * sp.Matrix(self.rates))[0] / 2 - self.potential
        q, v = sp.Matrix(self.positions), sp.Matrix(self.rates)
        momenta = sp.Matrix([lagrangian]).jacobian(v).T
        rest = sp.Matrix([lagrangian]).jacobian(q).T - momenta.jacobian(q) * v + sp.Matrix(self.forces)
        return sp.lambdify([self.states], [momenta.jacobian(v).tolist(), list(rest)], "math")

    def slope(self, _: float, x: np.ndarray) -> np.ndarray:
        """d/dt of a state."""
        mass, force = self._parts(x)
        n = len(self.rates)
        return np.concatenate([np.linalg.solve(mass, force), x[self.cyclic : n]])

    @cached_property
    def output_at(self) -> Callable:
        """Outputs at a state."""
        return sp.lambdify([self.states], [self.outputs[k] for k in self.limits], "math")

    @cached_property
    def _held(self) -> tuple[Callable, np.ndarray]:
        rows = sp.Matrix(self.momenta[: self.cyclic])
        function = sp.lambdify([self.states], [list(rows), rows.jacobian(self.rates).tolist()], "math")
        return function, np.array(function(self.point)[0])

    def on_level(self, x: np.ndarray) -> np.ndarray:
        """The state with the first velocities that give conserved momenta their values at rest."""
        if not self.cyclic:
            return x
        function, wanted = self._held
        found, slopes = function(x)
        y, k = x.copy(), self.cyclic
        y[:k] += np.linalg.solve(np.array(slopes)[:, :k], wanted - found)
        return y


FRICTION = [(4, "dissipative"), (2, "conservative"), (4, "of changing sign"), (3, "circulatory")]


def draw_set(dice: Dice) -> Drawn:
    """A mechanism with a point at rest that may be stable."""
    n = dice.weighted([(5, 1), (4, 2)])
    cyclic = int(n == 2 and dice.chance(0.3))
    q, v = list(sp.symbols(f"q1:{n + 1}", real=True)), list(sp.symbols(f"v1:{n + 1}", real=True))
    angles = [i >= cyclic and dice.chance(0.5) for i in range(n)]
    moved = [sp.pi if angle and dice.chance(0.3) else sp.Integer(0) for angle in angles]
    spin = [_rational(dice.small(0.5)) for _ in range(cyclic)]
    away = [x - at for x, at in zip(q, moved, strict=True)]
    inertia = _inertia(dice, away, angles, cyclic)
    kind = dice.weighted(FRICTION)
    own = range(cyclic, n)
    driven = _forces(dice, kind, [away[i] for i in own], [v[i] for i in own], angles)
    return Drawn(
        kind=kind,
        positions=q,
        rates=v,
        cyclic=cyclic,
        angles=angles,
        inertia=inertia,
        potential=_potential(dice, away, angles, own),
        forces=[*[sp.Integer(0)] * cyclic, *driven],
        rest=[*spin, *[sp.Integer(0)] * (n - cyclic), *moved[cyclic:]],
        **_limits(dice, [q[i] for i in own if not angles[i]], v),
    )


def with_dry_friction(drawn: Drawn, dice: Dice) -> Drawn:
    """The mechanism with Coulomb's friction as well, smoothed below a velocity, at one of its joints."""
    i = int(dice.rng.integers(drawn.cyclic, len(drawn.rates)))
    v, forces = drawn.rates[i], list(drawn.forces)
    forces[i] -= _positive(dice) * v / sp.sqrt(v**2 + _positive(dice) ** 2)
    return replace(drawn, kind=f"{drawn.kind}, dry", forces=forces)


def _rational(q) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def _positive(dice: Dice) -> sp.Rational:
    return _rational(dice.positive())


def _number(dice: Dice, zero: float = 0.3) -> sp.Rational:
    return _rational(dice.small(zero))


def _inertia(dice: Dice, away: list[sp.Expr], angles: list[bool], cyclic: int) -> sp.Matrix:
    """Constant, or with a coupling by the cosine of an angle that leaves it definite."""
    n = len(away)
    M = sp.Matrix([[_rational(e) for e in row] for row in dice.definite(n)])
    turning = [i for i in range(cyclic, n) if angles[i]]
    if n == 2 and turning and dice.chance(0.5):
        free = sp.sqrt(M[0, 0] * M[1, 1])
        size = sp.Rational(int(dice.rng.integers(1, 8)), 10) * sp.Rational(int(100 * free), 100)
        M[0, 1] = M[1, 0] = size * sp.cos(away[dice.pick(turning)])
    elif turning and dice.chance(0.3):
        i = dice.pick(turning)
        M[0, 0] += _positive(dice) * (1 - sp.cos(away[i]))
    return M


def _potential(dice: Dice, away: list[sp.Expr], angles: list[bool], own: range) -> sp.Expr:
    """Wells, now and then a saddle, with terms of higher order."""
    total = sp.Integer(0)
    for i in own:
        x = away[i]
        sign = -1 if dice.chance(0.08) else 1
        if angles[i]:
            total += sign * _positive(dice) * (1 - sp.cos(x))
            if dice.chance(0.3):
                total += _number(dice) * (1 - sp.cos(2 * x)) / 4
        else:
            total += (
                sign * _positive(dice) * x**2 / 2
                + _number(dice, 0.5) * x**3 / 3
                + _number(dice, 0.5) * x**4 / 4
            )
    if len(own) == 2 and dice.chance(0.6):
        # A function of an angle has to have its period.
        first, second = (sp.sin(away[i]) if angles[i] else away[i] for i in own)
        total += _number(dice) * first * second / 4 + _number(dice, 0.7) * first**2 * second
    return total


def _forces(dice: Dice, kind: str, x: list[sp.Expr], v: list[sp.Symbol], angles: list[bool]) -> list[sp.Expr]:
    """Friction, of a sign of its own or not, and springs without a potential."""
    if kind == "conservative":
        return [sp.Integer(0)] * len(v)
    seen = [sp.sin(a) if angle else a for a, angle in zip(x, angles[len(angles) - len(x) :], strict=True)]
    forces = [-_positive(dice) * r for r in v]
    if dice.chance(0.3):
        forces = [f - _positive(dice) * r**3 for f, r in zip(forces, v, strict=True)]
    if kind == "of changing sign":
        i = int(dice.rng.integers(len(v)))
        grown = dice.pick([seen[i] ** 2, seen[-1] ** 2, v[i] ** 2])
        forces[i] += _positive(dice) * grown * v[i]
    if kind == "circulatory":
        i = int(dice.rng.integers(len(v)))
        forces[i] += _number(dice, 0) * dice.pick(seen) / 2 + _number(dice) * dice.pick(v) / 4
    return forces


def _limits(dice: Dice, lengths: list[sp.Symbol], v: list[sp.Symbol]) -> dict:
    """An output that is linear in what has no period, now and then, with a bound."""
    if not dice.chance(0.25):
        return {}
    output = sum(_number(dice) * e for e in [*lengths, *v]) + v[-1]
    return {"outputs": {"y": output}, "limits": {"y": float(dice.positive())}}
