"""A load that hangs on a link from a point that forces carry, on a straight flight, a circle or a helix."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp

import geoctrl as gc

GRAVITY = 10


@dataclass(frozen=True)
class CarriedLoad:
    """Masses M and m with drags c and d, on a link of a length along q, on a steady way.

    With T the force in the link and accelerations in space, M a = u - M g - c v + T q and
    m (a + l q'') = -m g - d (v + l q') - T q.
    """

    M: Fraction
    m: Fraction
    c: Fraction
    d: Fraction
    length: Fraction
    W: Fraction
    V: tuple[Fraction, ...]
    place: tuple[Fraction, ...]
    q: tuple[Fraction, ...]
    names: tuple[str, ...] = ("u1", "u2", "u3")

    @property
    def turn(self) -> np.ndarray:
        """Rate of the axes."""
        return np.array([0.0, 0.0, float(self.W)])

    @property
    def rest(self) -> np.ndarray:
        """Place, direction, velocity beside the frame's and turning across the direction, on the way."""
        x, q = np.array(self.place, float), np.array(self.q, float)
        return np.concatenate([x, q, np.cross(self.turn, x), self.turn - q * (q @ self.turn)])

    @property
    def inputs(self) -> np.ndarray:
        """The force that the carrier takes on the way, on which accelerations depend linearly."""
        rates = [self.rates(self.rest, u)[6:9] for u in (np.zeros(3), *np.eye(3))]
        return np.linalg.solve((np.array(rates[1:]) - rates[0]).T, -rates[0])

    def rates(self, state: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Of a state in the moving axes; accelerations in space and the force in the link are solved for."""
        y, q, w, omega = state.reshape(4, 3)
        M, m, c, d, reach = (float(v) for v in (self.M, self.m, self.c, self.d, self.length))
        v, down = w + np.array(self.V, float), np.array([0.0, 0.0, -GRAVITY])
        across = np.array([np.cross(e, q) for e in np.eye(3)]).T
        K, b = np.zeros((7, 7)), np.zeros(7)
        K[:3, :3], K[:3, 6], b[:3] = M * np.eye(3), -q, u + M * down - c * v
        K[3:6, :3], K[3:6, 3:6], K[3:6, 6] = m * np.eye(3), m * reach * across, q
        b[3:6] = m * down - d * (v + reach * np.cross(omega, q))
        b[3:6] -= m * reach * np.cross(omega, np.cross(omega, q))
        K[6, 3:6] = q
        a, alpha = np.linalg.solve(K, b)[:6].reshape(2, 3)
        W = self.turn
        return np.concatenate([
            w - np.cross(W, y), np.cross(omega - W, q), a - np.cross(W, w), alpha - np.cross(W, omega),
        ])  # fmt: skip

    def system(self) -> gc.manifolds.ProductSystem:
        """As geoctrl has it."""
        x, q = gc.manifolds.Place("x"), gc.manifolds.Direction("q")
        u = sp.Matrix(sp.symbols(self.names, real=True))
        M, m, c, d, reach = (sp.Rational(v) for v in (self.M, self.m, self.c, self.d, self.length))
        load = x.rate + reach * q.rate
        drag = d * (x.velocity + reach * q.velocity.cross(q.z))
        return gc.manifolds.ProductSystem(
            [x, q],
            kinetic=M * x.rate.dot(x.rate) / 2 + m * load.dot(load) / 2,
            potential=GRAVITY * ((M + m) * x.z[2] + m * reach * q.z[2]),
            forces={"x": u - c * x.velocity - drag, "q": -reach * drag},
            inputs=list(u),
            frame_rate=[0, 0, sp.Rational(self.W)] if self.W else None,
            frame_velocity=list(map(sp.Rational, self.V)) if any(self.V) else None,
        )

    @property
    def tangents(self) -> np.ndarray:
        """Two of the sphere at the direction."""
        return np.linalg.svd(np.array([self.q], float))[2][1:]

    def beside(self, z: np.ndarray) -> np.ndarray:
        """The state on the way, changed by numbers of a chart about it."""
        state, B = self.rest, self.tangents
        q = state[3:6] + z[3:5] @ B
        q /= np.linalg.norm(q)
        omega = state[9:] + z[8:] @ B
        return np.concatenate([state[:3] + z[:3], q, state[6:9] + z[5:8], omega - q * (q @ omega)])

    def of_chart(self, rates: np.ndarray) -> np.ndarray:
        """Rates of these numbers, next to where all of them vanish."""
        return np.concatenate([rates[:3], self.tangents @ rates[3:6], rates[6:9], self.tangents @ rates[9:]])


def drawn_load(rng: np.random.Generator) -> CarriedLoad:
    """The way on which a load hangs along a drawn direction."""

    def positive() -> Fraction:
        return Fraction(int(rng.integers(1, 13)), int(rng.integers(2, 7)))

    M, m, c, d, length, climb = positive(), positive(), positive(), positive(), positive(), positive() - 1
    s, t = (Fraction(int(rng.integers(-3, 4)), 8) for _ in range(2))
    n = 1 + s * s + t * t
    q = 2 * s / n, 2 * t / n, (s * s + t * t - 1) / n
    pull = -(GRAVITY * m + d * climb) / q[2]
    W = Fraction(int(rng.integers(-3, 4)), 2)
    if not W:
        V = -pull * q[0] / d, -pull * q[1] / d, climb
        return CarriedLoad(M, m, c, d, length, W, V, (Fraction(0),) * 3, q)
    # -m W^2 y + d W (-y_2, y_1) = -T q, of the place y of the load
    a, b, e, f = -m * W**2, d * W, -pull * q[0], -pull * q[1]
    size = a * a + b * b
    y = (a * e + b * f) / size, (a * f - b * e) / size
    place = y[0] - length * q[0], y[1] - length * q[1], Fraction(0)
    return CarriedLoad(M, m, c, d, length, W, (Fraction(0), Fraction(0), climb), place, q)
