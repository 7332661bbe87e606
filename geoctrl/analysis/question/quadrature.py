r"""Integrals linear in velocities over a shape of dimension one, in closed form.

Along the shape :math:`du/ds = N(s)\,u` (`geoctrl.analysis.question.shape_integrals`). If N is triangular in
some order of the velocities, the equations are solved one after the other: with :math:`\mu_i = \exp(-\int
N_{ii})`

.. math:: C_i = \mu_i u_i - \int \mu_i \sum_{j<i} N_{ij}\, u_j \, ds,

where the :math:`u_j` before are combinations of the :math:`C_j` with known coefficients. Closed are
exponentials of logarithmic derivatives with whole factors, polynomials, and fractions over powers of
:math:`a s^2 + b`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from geoctrl._scalars.algebra.factoring import factor_list
from geoctrl.analysis.question.shape_integrals import ShapeIntegrals
from geoctrl.systems import ReducedSystem

__all__ = ["quadratures"]


def quadratures(system: ReducedSystem, shape: ShapeIntegrals) -> Iterator[sp.Expr]:
    """Integrals in the states, as far as they are closed; none for another shape than a circle."""
    for curve in _circles(system, shape):
        N = curve.rates(system, shape)
        yield from _integrals(curve, N, _triangular(N), [system.states[i] for i in shape.velocities])


Rates = list[list[sp.Expr | None]]


class _Circle:
    """A circle x^2 + y^2 = r, along which x is the parameter and y = r^2 - x^2 its square.

    Parameters
    ----------
    x, y : sympy.Symbol
    radius : sympy expression
        r.
    speed : sympy expression
        dx/dt for w = 1.
    meaning : dict
        What x and y stand for, where that is not themselves.
    """

    def __init__(self, x: Any, y: Any, radius: Any, speed: Any, meaning: dict[Any, Any]) -> None:
        self.x, self.y, self.radius, self.speed, self.meaning = x, y, radius, speed, meaning

    def rates(self, system: ReducedSystem, shape: ShapeIntegrals) -> Rates:
        """N as rational functions of x, None in place of what y is in."""
        to = {value: symbol for symbol, value in self.meaning.items()}
        return [[self._in_x(e.subs(to) / self.speed) for e in system.to_sympy(row)] for row in shape.B]

    def _in_x(self, expr: sp.Expr) -> sp.Expr | None:
        """A rational function of x and y as one of x alone."""
        parts = [sp.Poly(part, self.y) for part in sp.fraction(sp.cancel(expr))]
        square = sp.Poly(self.y**2 + self.x**2 - self.radius, self.y)
        (a, b), (c, d) = (
            (p.coeff_monomial(1), p.coeff_monomial(self.y)) for p in (q.rem(square) for q in parts)
        )
        height = self.radius - self.x**2
        # (a + b y)/(c + d y), with c - d y above and below.
        if sp.expand(b * c - a * d) != 0:
            return None
        found = sp.cancel((a * c - b * d * height) / (c**2 - d**2 * height))
        return found if not found.has(self.y, *self.meaning.values()) else None


def _circles(system: ReducedSystem, shape: ShapeIntegrals) -> Iterator[_Circle]:
    """The shape as a circle, with either component as the parameter."""
    places = list(shape.g)
    speeds = dict(zip(places, system.to_sympy(list(shape.g.values())), strict=True))
    if len(places) == 2 and len(system.leaf.nodes) == 1:
        x, y = (system.states[i] for i in places)
        radius = sp.expand(x**2 + y**2 - system.to_sympy(system.leaf.nodes)[0])
        if not radius.has(x, y):
            yield _Circle(x, y, radius, speeds[places[0]], {})
            yield _Circle(y, x, radius, speeds[places[1]], {})
    elif len(places) == 1:
        angle, speed = system.states[places[0]], speeds[places[0]]
        s, c = sp.Dummy("s", real=True), sp.Dummy("c", real=True)
        meaning = {s: sp.sin(angle), c: sp.cos(angle)}
        to = {value: symbol for symbol, value in meaning.items()}
        yield _Circle(s, c, sp.Integer(1), speed.subs(to) * c, meaning)
        yield _Circle(c, s, sp.Integer(1), -speed.subs(to) * s, meaning)


def _triangular(N: Rates) -> list[int]:
    """Velocities that are driven by themselves and those before alone, as far as there are such."""
    order: list[int] = []
    while True:
        left = [i for i in range(len(N)) if i not in order]
        free = [i for i in left if all(N[i][j] == 0 for j in left if j != i)]
        if not free:
            return order
        order.append(free[0])


def _integrals(curve: _Circle, N: Rates, order: Sequence[int], u: Sequence[sp.Symbol]) -> Iterator[sp.Expr]:
    """Integrals in the order of the velocities, up to the first that is not closed."""
    constants: list[sp.Expr] = []
    made: dict[int, list[sp.Expr]] = {}  # u_i as a combination of the constants
    for k, i in enumerate(order):
        row = N[i]
        factor = _exponential(row[i], curve.x)
        if factor is None or any(row[j] is None for j in order[:k]):
            return
        held = []
        for m in range(k):
            driven = sp.Add(*(row[j] * made[j][m] for j in order[m:k]))
            whole = _antiderivative(sp.cancel(factor * driven), curve.x)
            if whole is None:
                return
            held.append(whole)
        constant = factor * u[i] - sp.Add(*(h * c for h, c in zip(held, constants, strict=True)))
        made[i] = [*(h / factor for h in held), 1 / factor]
        constants.append(constant)
        yield constant.subs(curve.meaning)


def _exponential(rate: sp.Expr | None, x: sp.Symbol) -> sp.Expr | None:
    """exp of minus an integral of the sum of q_k p_k'/p_k with whole q_k; None for any other rate."""
    if rate is None:
        return None
    f = -rate
    above, below = sp.fraction(sp.cancel(f))
    factors = [p for p, _ in factor_list(below)[1] if p.has(x)]
    powers = sp.symbols(f"q:{len(factors)}", cls=sp.Dummy)
    rest = sp.Add(*(q * sp.diff(p, x) / p for q, p in zip(powers, factors, strict=True))) - f
    equations = sp.Poly(sp.numer(sp.together(rest)), x).coeffs() if rest != 0 else []
    found = sp.solve(equations, powers, dict=True) if powers else ([{}] if above == 0 else [])
    if len(found) != 1 or any(not found[0].get(q, q).is_Integer for q in powers):
        return None
    return sp.Mul(*(p ** found[0][q] for q, p in zip(powers, factors, strict=True)))


def _antiderivative(f: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """An integral of a polynomial plus even and odd fractions over powers of a x^2 + b; None for any other.

    Powers are lowered by Hermite's reduction to c/(a x^2 + b), of which the integral stays one.
    """
    if not f.is_rational_function(x):
        return None
    above, below = (sp.Poly(part, x) for part in sp.fraction(sp.cancel(f)))
    quotient, rest = sp.div(above, below)
    whole = sp.integrate(quotient.as_expr(), x)
    if rest.is_zero:
        return whole
    scale, factors = below.factor_list()
    if len(factors) != 1 or factors[0][0].degree() != 2 or factors[0][0].coeff_monomial(x) != 0:
        return None
    (q, n), left = factors[0], rest
    a, b = q.coeff_monomial(x**2), q.coeff_monomial(1)
    odd, even = [sp.Integer(0)] * (n + 1), [sp.Integer(0)] * (n + 1)  # of (even + odd x)/q^m by m
    for m in range(n, 0, -1):
        left, part = sp.div(left, q)
        odd[m], even[m] = part.coeff_monomial(x), part.coeff_monomial(1)
    whole *= scale
    for m in range(n, 1, -1):
        whole += (even[m] * x / b - odd[m] / a) / (2 * (m - 1) * q.as_expr() ** (m - 1))
        even[m - 1] += even[m] * sp.Rational(2 * m - 3, 2 * (m - 1)) / b
    if sp.cancel(odd[1]) != 0:
        return None
    t = sp.Dummy("t", real=True)
    return (whole + sp.cancel(even[1]) * sp.Integral(1 / (a * t**2 + b), (t, 0, x))) / scale
