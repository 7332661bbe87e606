"""Laws that hold a body, or a carrier with a load on a link, on straight flights, circles and helices, with
gains that are scaled or turned over.

What is proved of a loop is judged by equations of motion that are written out here for the moving axes, with
the law's gains put in: by the eigenvalues of their differences about the reference. The system's field is
compared with them at a state of no particular kind.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.oracle.carried_loads import CarriedLoad, drawn_load
from tests.attack.outcome import Outcome, raw

STREAM, STEP, SLACK = 60013, 1e-6, 1e-6
"""Of the dice; of differences; what these leave of a real part, over the largest eigenvalue."""
ASYMPTOTIC, UNSTABLE = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE, gc.Verdict.PROVED_UNSTABLE


@dataclass(frozen=True)
class Flight:
    """A body with thrust along its third axis, drag c v and moments -d Omega, on a steady way."""

    m: Fraction
    J: tuple[Fraction, ...]
    c: Fraction
    d: Fraction
    W: Fraction
    V: tuple[Fraction, ...]
    place: tuple[Fraction, ...]
    attitude: tuple[tuple[Fraction, ...], ...]
    thrust: Fraction
    names: tuple[str, ...] = ("f", "M1", "M2", "M3")

    @property
    def turn(self) -> np.ndarray:
        """Rate of the axes."""
        return np.array([0.0, 0.0, float(self.W)])

    @property
    def rest(self) -> np.ndarray:
        """Place, rows of the attitude, velocity beside the frame's and turning on the way."""
        x, R = np.array(self.place, float), np.array(self.attitude, float)
        return np.concatenate([x, R.ravel(), np.cross(self.turn, x), R.T @ self.turn])

    @property
    def inputs(self) -> np.ndarray:
        """Thrust and moments on the way."""
        Omega, J = self.rest[15:], np.array(self.J, float)
        return np.append(float(self.thrust), np.cross(Omega, J * Omega) + float(self.d) * Omega)

    def rates(self, state: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Of a state in the moving axes."""
        y, R, w, Omega = state[:3], state[3:12].reshape(3, 3), state[12:15], state[15:]
        J, m = np.array(self.J, float), float(self.m)
        force = u[0] * R[:, 2] - [0, 0, 10 * m] - float(self.c) * (w + np.array(self.V, float))
        moment = u[1:] - np.cross(Omega, J * Omega) - float(self.d) * Omega
        return np.concatenate([
            w - np.cross(self.turn, y), (R @ hat(Omega) - hat(self.turn) @ R).ravel(),
            force / m - np.cross(self.turn, w), moment / J,
        ])  # fmt: skip

    def system(self) -> gc.manifolds.ProductSystem:
        """As geoctrl has it."""
        x, R = gc.manifolds.Place("x"), gc.manifolds.Attitude("R")
        f, *M = sp.symbols(self.names, real=True)
        m, c, d = (sp.Rational(q) for q in (self.m, self.c, self.d))
        J = sp.diag(*map(sp.Rational, self.J))
        return gc.manifolds.ProductSystem(
            [x, R],
            kinetic=m * x.rate.dot(x.rate) / 2 + R.velocity.dot(J * R.velocity) / 2,
            potential=10 * m * x.z[2],
            forces={"x": f * R.z[:, 2] - c * x.velocity, "R": sp.Matrix(M) - d * R.velocity},
            inputs=[f, *M],
            frame_rate=[0, 0, sp.Rational(self.W)] if self.W else None,
            frame_velocity=list(map(sp.Rational, self.V)) if any(self.V) else None,
        )

    def beside(self, z: np.ndarray) -> np.ndarray:
        """The state on the way with place, attitude, velocity and turning changed."""
        state, turn = self.rest + np.concatenate([z[:3], np.zeros(9), z[6:]]), hat(z[3:6])
        state[3:12] = (state[3:12].reshape(3, 3) @ (np.eye(3) + turn + turn @ turn / 2)).ravel()
        return state

    def of_chart(self, rates: np.ndarray) -> np.ndarray:
        """Rates of these changes, next to where all of them vanish."""
        E = self.rest[3:12].reshape(3, 3).T @ rates[3:12].reshape(3, 3)
        S = (E - E.T) / 2
        return np.concatenate([rates[:3], [S[2, 1], S[0, 2], S[1, 0]], rates[12:]])


def hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def drawn_flight(rng: np.random.Generator) -> Flight:
    def positive() -> Fraction:
        return Fraction(int(rng.integers(1, 13)), int(rng.integers(2, 7)))

    m, c, d, climb = positive(), positive(), positive(), positive() - 1
    J = tuple(1 + positive() / 8 for _ in range(3))
    b, k, e = (int(rng.integers(-2, 3)) for _ in range(3))
    a = 6
    n = a * a + b * b + k * k + e * e
    R = [
        [a * a + b * b - k * k - e * e, 2 * (b * k - a * e), 2 * (b * e + a * k)],
        [2 * (b * k + a * e), a * a - b * b + k * k - e * e, 2 * (k * e - a * b)],
        [2 * (b * e - a * k), 2 * (k * e + a * b), a * a - b * b - k * k + e * e],
    ]
    attitude = tuple(tuple(Fraction(q, n) for q in row) for row in R)
    thrust = (10 * m + c * climb) / attitude[2][2]
    push = [thrust * attitude[i][2] for i in (0, 1)]
    W = Fraction(int(rng.integers(-3, 4)), 2)
    if not W:
        V = push[0] / c, push[1] / c, climb
        return Flight(m, J, c, d, W, V, (Fraction(0),) * 3, attitude, thrust)
    # -m W^2 x = push - c W (-x_2, x_1)
    p, q = -m * W**2, c * W
    x = (p * push[0] + q * push[1]) / (p * p + q * q), (p * push[1] - q * push[0]) / (p * p + q * q)
    return Flight(m, J, c, d, W, (Fraction(0), Fraction(0), climb), (*x, Fraction(0)), attitude, thrust)


def slowest(flight: Flight | CarriedLoad, K: np.ndarray) -> tuple[float, float]:
    """Largest real part of the loop's eigenvalues about the way, and the largest modulus."""
    rest, held = flight.rest, flight.inputs

    def moved(z: np.ndarray) -> np.ndarray:
        """Rates of the chart where its numbers are changed, under the law."""
        state = flight.beside(z)
        return flight.of_chart(flight.rates(state, held - K @ (state - rest)))

    size = len(flight.of_chart(rest))
    A = np.array([moved(z) - moved(-z) for z in STEP * np.eye(size)]).T / (2 * STEP)
    found = np.linalg.eigvals(A)
    return float(found.real.max()), float(np.abs(found).max())


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 10000


def case(seed: int, index: int, options: dict[str, Any] | None = None) -> Outcome:
    """One flight, every other one with a load, with a law of `lqr` of which some rows are scaled or turned
    over.
    """
    del options
    rng = np.random.default_rng([seed + STREAM, index])
    flight = drawn_load(rng) if index % 2 else drawn_flight(rng)
    kind, begun = (
        ("load on a " if index % 2 else "") + ("helix" if flight.W else "straight flight"),
        time.process_time(),
    )
    note = str(flight)[:300]
    try:
        system = flight.system()
        found = compared(flight, system, rng)
        if found:
            return Outcome(kind, "contradiction", f"{note} -> {found}")
        point = gc.find_equilibrium(system, flight.rest, free=list(flight.names))
        scales = rng.choice([1, 1, 1, 0.5, 2, 0, -1], size=(len(flight.names), 1))
        gains = gc.lqr(system, point).K * scales
        law = gc.linear_law(system, point, gains)
        verdict = gc.certify(law.closed_loop(), point).verdict
    except gc.GeoctrlError as refusal:
        return Outcome(kind, "refused", f"{note} -> {refusal}"[:400], time.process_time() - begun)
    except Exception as error:
        return raw(kind, error)
    seconds = time.process_time() - begun
    real, size = slowest(flight, np.array(law.K, float))
    wrong = (verdict is ASYMPTOTIC and real > SLACK * size) or (verdict is UNSTABLE and real < -SLACK * size)
    result = "contradiction" if wrong else "proved" if verdict.proved else "held"
    return Outcome(kind, result, f"{note} -> {verdict.name}, {real:.3g}", seconds)


def compared(flight: Flight | CarriedLoad, system: Any, rng: np.random.Generator) -> str:
    """How the field differs from these equations at a state of no particular kind, in words; or nothing."""
    rest = flight.rest
    x, u = system.project(rest + 0.2 * rng.normal(size=len(rest))), rng.normal(size=len(flight.names))
    here, there = system.rhs(0.0, x, u), flight.rates(x, u)
    off = np.max(np.abs(here - there)) / np.max(np.abs(there))
    return f"rates differ by {off:.2g}" if not off < 1e-10 else ""
