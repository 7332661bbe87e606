"""Products that were drawn, built with geoctrl's public names, and their rates held against the oracle's."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem

from tests.attack.draw.mechanism import Products, carried
from tests.attack.oracle.oracle import Oracle
from tests.attack.oracle.polynomials import Polynomial

State = dict[str, tuple[Any, Any]]


def expression(p: Polynomial, symbols: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(
        sp.Mul(sp.Rational(c.numerator, c.denominator), *(symbols[i] ** e for i, e in monomial))
        for monomial, c in p.items()
    ))  # fmt: skip


def factors_of(drawn: Products) -> list[Any]:
    made = {"x": lambda name, axes: Place(name, axes=axes), "q": lambda name, _: Direction(name)}
    made["R"] = lambda name, _: Attitude(name)
    return [made[kind](f"{kind}{i + 1}", axes) for i, (kind, axes) in enumerate(drawn.factors)]


def system_of(drawn: Products, parameters: list[gc.Parameter]) -> ProductSystem:
    factors = factors_of(drawn)
    symbols = [s for f in factors for s in f.z] + [s for f in factors for s in f.rate]
    symbols += [p.symbol for p in parameters]
    forces = {}
    for f, first in zip(factors, drawn.starts(), strict=True):
        moving = {s: e for g in factors for s, e in zip(g.rate, g.rates_of(g.velocity), strict=True)}
        count = f.z.rows * f.z.cols
        F = sp.Matrix(
            f.z.rows, f.z.cols, [expression(e, symbols) for e in drawn.forces[first : first + count]]
        )
        F = F.xreplace(moving)
        if any(F):
            M = f.z.T * F - F.T * f.z if count == 9 else None
            forces[f.name] = F if M is None else sp.Matrix([M[2, 1], M[0, 2], M[1, 0]])
    return ProductSystem(
        factors,
        kinetic=expression(drawn.lagrangian, symbols),
        forces=forces or None,
        parameters=parameters,
        frame_rate=[sp.Rational(w.numerator, w.denominator) for w in drawn.turn] if any(drawn.turn) else None,
    )


def start_of(drawn: Products, z: Sequence[Any], u: Sequence[Any]) -> list[Any]:
    """Velocities, as geoctrl has them, of inertial rates u: v, q x q', the half of R^T R' - R'^T R."""
    found = []
    for (kind, _), first in zip(drawn.factors, drawn.starts(), strict=True):
        if kind == "R":
            R, V = ([v[first + 3 * a : first + 3 * a + 3] for a in range(3)] for v in (z, u))
            for a, b in ((2, 1), (0, 2), (1, 0)):
                found.append(sum(R[k][a] * V[k][b] - R[k][b] * V[k][a] for k in range(3)) / 2)
        else:
            a, v = z[first : first + 3], u[first : first + 3]
            turned = [a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2], a[0] * v[1] - a[1] * v[0]]
            found += turned if kind == "q" else list(v)
    return found


def told(drawn: Products) -> list[Fraction]:
    """The point as geoctrl's state."""
    z = drawn.point[: drawn.entries]
    return [*z, *start_of(drawn, z, carried(drawn, z, drawn.turn))]


def rates_on_products(drawn: Products, built: Any, oracle: Oracle, rng: Any, params: dict) -> tuple:
    """z' and z'' of geoctrl and of the oracle at a random state, and the condition of the oracle's mass."""
    z, u = [], []
    for kind, axes in drawn.factors:
        if kind == "R":
            Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            Q, w = Q * np.sign(np.linalg.det(Q)), rng.normal(size=3)
            z, u = [*z, *Q.ravel()], [*u, *(Q @ _hat(w)).ravel()]
        elif kind == "q":
            q = rng.normal(size=3)
            q /= np.linalg.norm(q)
            z, u = [*z, *q], [*u, *np.cross(rng.normal(size=3), q)]
        else:
            P = np.array(axes).T @ np.array(axes)
            z, u = [*z, *(P @ rng.normal(size=3))], [*u, *(P @ rng.normal(size=3))]
    N, W = drawn.entries, [float(w) for w in drawn.turn]
    inertial = np.array(u) + np.array(carried(drawn, z, W))
    x = np.array([*z, *start_of(drawn, z, inertial)])
    rate = built.system.rhs(0.0, x, None, params)
    ours = np.concatenate([rate[:N], _second(drawn, x, rate, W)])
    return ours, oracle.rate_at([*z, *u]), np.linalg.cond(oracle.mass([*z, *u]))


def _second(drawn: Products, x: np.ndarray, rate: np.ndarray, W: Sequence[float]) -> np.ndarray:
    """z'' of the rate of a state, by the derivative of z' = u(z, w) - W x z."""
    N, found = drawn.entries, []
    for b, ((kind, _), first) in enumerate(zip(drawn.factors, drawn.starts(), strict=True)):
        w, a = x[N + 3 * b :][:3], rate[N + 3 * b :][:3]
        if kind == "R":
            R, V = (v[first : first + 9].reshape(3, 3) for v in (x, rate))
            found += [*(V @ _hat(w) + R @ _hat(a)).ravel()]
        elif kind == "q":
            found += [*(np.cross(a, x[first : first + 3]) + np.cross(w, rate[first : first + 3]))]
        else:
            found += [*a]
    return np.array(found) - np.array(carried(drawn, list(rate[:N]), W))


def _hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
