"""Random products of places, directions and attitudes with random energies and forces."""

from functools import cache
from typing import NamedTuple

import numpy as np
import sympy as sp

from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem
from tests.oracles.local_coordinates import LocalLagrange

STYLES = ("constant", "varying", "linear", "turning", "not quadratic")
KINDS = {"x": Place, "q": Direction, "R": Attitude}


class Drawn(NamedTuple):
    """A system, the Lagrangian it is made of, generalised forces on the rates, and the turn of its frame."""

    system: object
    lagrangian: sp.Expr
    forces: dict
    inputs: tuple
    turn: tuple

    @property
    def factors(self):
        return self.system.factors

    def oracle(self, lagrangian=None):
        kinds = [
            f.axes
            if isinstance(f, Place) and len(f.axes) < 3
            else {Place: "place", Direction: "direction", Attitude: "attitude"}[type(f)]
            for f in self.factors
        ]
        L = self.lagrangian if lagrangian is None else lagrangian
        return LocalLagrange(kinds, L, entries(self.factors, "z"), entries(self.factors, "rate"), self.turn)


def entries(factors, part):
    """Symbols of all configurations, or of their rates, one after the other."""
    return [s for f in factors for s in getattr(f, part)]


def _coefficients(rng, count, size):
    return [float(v) for v in rng.uniform(-size, size, count)]


def _polynomial(rng, symbols, size=0.3):
    """A few random terms of degree one to three."""
    total = sum(c * s for c, s in zip(_coefficients(rng, len(symbols), size), symbols, strict=True))
    for _ in range(4):
        i, j, k = rng.integers(len(symbols), size=3)
        total += (
            float(rng.uniform(-size, size))
            * symbols[i]
            * symbols[j]
            * (symbols[k] if rng.random() < 0.5 else 1)
        )
    return total


def _factors(rng, kinds):
    return [KINDS[kind](f"{kind}{i}") for i, kind in enumerate(rng.permutation(list(kinds)), start=1)]


@cache
def drawn(seed, kinds, style, forced=True):
    """A product of the factors in ``kinds``, a text of x, q and R, in random order."""
    rng = np.random.default_rng(seed)
    factors = _factors(rng, kinds)
    z, u = entries(factors, "z"), entries(factors, "rate")
    root = rng.uniform(-1, 1, (len(u), len(u)))
    G = np.round(root @ root.T / len(u) + np.eye(len(u)), 3)
    K = sp.Add(*(float(G[i, j]) * u[i] * u[j] for i in range(len(u)) for j in range(len(u)))) / 2
    turn = (0.0, 0.0, 0.0)
    if style == "varying":
        for _ in range(3):
            i, j, k = rng.integers(len(u), size=3)
            K += float(rng.uniform(0.2, 0.6)) * z[i] ** 2 * (u[j] + float(rng.uniform(-1, 1)) * u[k]) ** 2
    if style == "linear":
        K += sum(_polynomial(rng, z, 0.4) * u[int(k)] for k in rng.integers(len(u), size=3))
    if style == "turning":
        turn = tuple(float(v) for v in np.round(rng.uniform(-0.7, 0.7, 3), 2))
    if style == "not quadratic":
        K += 0.05 * sum(v**2 for v in u[:3]) ** 2 + 0.1 * z[0] ** 2 * u[-1] ** 4
    V = _polynomial(rng, z)
    forces, inputs = {}, ()
    if forced:
        inputs = sp.symbols("push1:3", real=True)
        for f in factors:
            state = [*z, *(s for g in factors for s in g.velocity)]
            terms = [_polynomial(rng, state, 0.2) + c * inputs[0] for c in _coefficients(rng, 3, 1.0)]
            forces[f.name] = sp.Matrix(terms) - 0.2 * f.velocity + inputs[1] * sp.Matrix([0, 1, 0])
    system = ProductSystem(
        factors,
        kinetic=K,
        potential=V,
        forces=forces or None,
        inputs=inputs,
        frame_rate=turn if style == "turning" else None,
    )
    return Drawn(system, K - V, forces, inputs, turn)


@cache
def symmetric(seed, kinds, style="constant"):
    """A product that turns as one but for a field along axis 3, about which momentum is kept."""
    rng = np.random.default_rng(seed)
    factors = _factors(rng, kinds)
    arms = [sp.Matrix(_coefficients(rng, 3, 0.5)) for _ in factors]

    def points(part):
        """A vector of each body that turns with it, and its rate."""
        return [
            getattr(f, part) * a if isinstance(f, Attitude) else float(0.5 + rng.random()) * getattr(f, part)
            for f, a in zip(factors, arms, strict=True)
        ]

    state = rng.bit_generator.state
    at = points("z")
    rng.bit_generator.state = state
    moving = points("rate")
    sums, rates = [sum(v[:k], sp.zeros(3, 1)) for v in (at, moving) for k in range(1, len(at) + 1)], []
    sums, rates = sums[: len(at)], sums[len(at) :]
    K = sum(float(m) / 2 * r.dot(r) for m, r in zip(rng.uniform(0.5, 1.5, len(rates)), rates, strict=True))
    for f in factors:
        K += float(rng.uniform(0.3, 0.8)) * sum(s**2 for s in f.rate) / 2
        if isinstance(f, Attitude):
            K += (f.rate * sp.diag(*_coefficients(rng, 3, 0.1)) * f.rate.T).trace() / 2
    if style == "varying":
        K += 0.3 * sums[-1].dot(sums[-1]) * rates[0].dot(rates[0])
    if style == "not quadratic":
        K += 0.1 * rates[-1].dot(rates[-1]) ** 2
    V = sum(0.8 * r[2] + 0.5 * r.dot(r) for r in sums) + 0.4 * at[0].dot(at[-1]) ** 2
    return Drawn(ProductSystem(factors, kinetic=K, potential=V), K - V, {}, (), (0.0, 0.0, 0.0))


def generic(drawn, seed=1, size=0.6):
    """A state of no particular kind."""
    rng = np.random.default_rng(seed)
    parts = {}
    for f in drawn.factors:
        w = size * rng.normal(size=3)
        if isinstance(f, Place):
            parts[f.name] = size * rng.normal(size=3), w
        elif isinstance(f, Direction):
            q = rng.normal(size=3)
            q /= np.linalg.norm(q)
            parts[f.name] = q, w - (w @ q) * q
        else:
            Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            parts[f.name] = Q * np.sign(np.linalg.det(Q)), w
    return drawn.system.pack(parts)


def forces_on_rates(drawn, x, u):
    """Generalised forces (N, 3) on the entries of z: moments in bodies as R hat(m) / 2."""
    system = drawn.system
    table = dict(zip([*system.states, *drawn.inputs], [*x, *u], strict=True))
    rows, k = [], 0
    for f in drawn.factors:
        count = 3 if isinstance(f, Attitude) else 1
        given = drawn.forces.get(f.name)
        if given is None:
            rows.append(np.zeros((count, 3)))
        else:
            v = np.array([float(sp.sympify(e).xreplace(table)) for e in given])
            R = x[3 * k : 3 * k + 9].reshape(3, 3) if count == 3 else None
            hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
            rows.append(v[None] if R is None else R @ hat / 2)
        k += count
    return np.concatenate(rows)
