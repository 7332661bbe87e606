"""Newton's and Euler's laws with constraint forces: an oracle for points and bodies that knows no manifold.

Every body has a centre of mass x, an attitude R (body to space), the velocity v of the centre in an inertial
frame and the angular velocity W in the body; a point mass has no attitude that could change:

    m v' = F + ...,      J W' + W x J W = M + ...,      x' = v,   R' = R hat(W),

where the dots are the forces of constraints phi = 0 between points P = x + R c of the bodies, or points that
are fixed in space:

    rod     (|P_a - P_b|^2 - l^2) / 2
    ball    P_a - P_b
    held    n_k . (P_a - P_0) for some normals n_k

They are differentiated twice, with P'' = v' + R (W' x c) + R (W x (W x c)), which gives J a = k for the
accelerations a of all bodies, and a = a_free + D J^T lambda, D the inverse masses.  No coordinates,
Lagrangian, potential or directions of links occur.

Accuracy: DOP853 at 1e-13 a step.  Twice differentiated constraints drift; after every piece of the run
positions and velocities are projected back along D J^T, which changes them by the drift of one piece.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

PIECE = 0.1
"""Longest time (s) between two projections."""


def hat(a):
    """The matrix with hat(a) b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class Point(NamedTuple):
    """A point of a body, seen from its centre of mass in its axes; of the body None, a point of space."""

    body: int | None
    arm: tuple = (0.0, 0.0, 0.0)


class State(NamedTuple):
    """Centres (B, 3), attitudes (B, 3, 3), velocities in space (B, 3), angular velocities in the bodies."""

    x: np.ndarray
    R: np.ndarray
    v: np.ndarray
    W: np.ndarray

    def flat(self):
        return np.concatenate([part.ravel() for part in self])

    @classmethod
    def of(cls, flat):
        n = flat.size // 18
        x, R, v, W = np.split(flat, np.cumsum([3, 9, 3])[:3] * n)
        return cls(x.reshape(n, 3), R.reshape(n, 3, 3), v.reshape(n, 3), W.reshape(n, 3))

    def point(self, point):
        """Position, velocity, the acceleration without that of the body, and the Jacobian (3, 6 B)."""
        jacobian = np.zeros((3, 6 * len(self.x)))
        arm = np.asarray(point.arm, dtype=float)
        if point.body is None:
            return arm, np.zeros(3), np.zeros(3), jacobian
        b, W = point.body, self.W[point.body]
        jacobian[:, 6 * b : 6 * b + 3] = np.eye(3)
        jacobian[:, 6 * b + 3 : 6 * b + 6] = -self.R[b] @ hat(arm)
        turning = np.cross(W, arm)
        return (
            self.x[b] + self.R[b] @ arm,
            self.v[b] + self.R[b] @ turning,
            self.R[b] @ np.cross(W, turning),
            jacobian,
        )


class Rod(NamedTuple):
    """A massless rod between two points."""

    a: Point
    b: Point
    length: float

    def rows(self, state):
        """Values, Jacobian and right-hand side of J a = k."""
        (xa, va, ka, Ja), (xb, vb, kb, Jb) = state.point(self.a), state.point(self.b)
        d, rate = xa - xb, va - vb
        value = (d @ d - self.length**2) / 2
        return np.array([value]), (d @ (Ja - Jb))[None], np.array([-rate @ rate - d @ (ka - kb)])


class Ball(NamedTuple):
    """Two points that stay together."""

    a: Point
    b: Point

    def rows(self, state):
        (xa, _, ka, Ja), (xb, _, kb, Jb) = state.point(self.a), state.point(self.b)
        return xa - xb, Ja - Jb, kb - ka


class Held(NamedTuple):
    """A point held to what is normal to given directions: to a plane by one normal, to a line by two."""

    a: Point
    normals: tuple
    through: tuple = (0.0, 0.0, 0.0)

    def rows(self, state):
        x, _, k, J = state.point(self.a)
        n = np.atleast_2d(self.normals)
        return n @ (x - np.asarray(self.through)), n @ J, -n @ k


class Bodies:
    """Bodies under constraints and loads.

    Parameters
    ----------
    masses : B positive numbers
    inertias : B matrices (3, 3), or None for a point mass
    constraints : list of Rod, Ball, Held
    load : callable ``load(t, state) -> (forces in space (B, 3), moments in the bodies (B, 3))``
    """

    def __init__(self, masses, inertias, constraints, load):
        self.masses, self.constraints, self.load = np.asarray(masses, dtype=float), constraints, load
        self.inertias = np.array([np.zeros((3, 3)) if J is None else J for J in inertias], dtype=float)
        n = self.masses.size
        self.inverse = np.zeros((6 * n, 6 * n))
        for b, J in enumerate(inertias):
            self.inverse[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = np.eye(3) / self.masses[b]
            if J is not None:
                self.inverse[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = np.linalg.inv(J)

    def rows(self, state):
        """Values, Jacobian and right-hand side of all constraints."""
        parts = [c.rows(state) for c in self.constraints]
        return tuple(np.concatenate(part) for part in zip(*parts, strict=True))

    def accelerations(self, t, state):
        """Accelerations of centres in space and of angular velocities in the bodies, (B, 3) each."""
        force, moment = self.load(t, state)
        gyroscopic = np.cross(np.einsum("bij,bj->bi", self.inertias, state.W), state.W)
        acting = np.hstack([force, moment + gyroscopic]).ravel()
        if self.constraints:
            _, J, k = self.rows(state)
            multipliers = np.linalg.solve(J @ self.inverse @ J.T, k - J @ self.inverse @ acting)
            acting = acting + J.T @ multipliers
        a = (self.inverse @ acting).reshape(-1, 6)
        return a[:, :3], a[:, 3:]

    def defect(self, state):
        """Largest defect of the constraints and of their rates."""
        if not self.constraints:
            return 0.0
        value, J, _ = self.rows(state)
        return max(np.abs(value).max(), np.abs(J @ np.hstack([state.v, state.W]).ravel()).max())

    def projected(self, state):
        """The state moved along D J^T onto the constraints, the velocities onto their rates."""
        state = state._replace(R=Rotation.from_matrix(state.R).as_matrix())
        for _ in range(20 if self.constraints else 0):
            value, J, _ = self.rows(state)
            if np.abs(value).max() < 1e-15:
                break
            move = -self.inverse @ J.T @ np.linalg.solve(J @ self.inverse @ J.T, value)
            move = move.reshape(-1, 6)
            turn = Rotation.from_rotvec(move[:, 3:]).as_matrix()
            state = state._replace(x=state.x + move[:, :3], R=state.R @ turn)
        if self.constraints:
            _, J, _ = self.rows(state)
            w = np.hstack([state.v, state.W]).ravel()
            w = w - self.inverse @ J.T @ np.linalg.solve(J @ self.inverse @ J.T, J @ w)
            state = state._replace(v=w.reshape(-1, 6)[:, :3], W=w.reshape(-1, 6)[:, 3:])
        return state

    def simulate(self, state, times):
        """States at increasing times, of which the first is the initial one.

        `drift` is then the largest defect of the constraints before a projection.
        """
        self.drift = 0.0

        def rate(t, flat):
            state = State.of(flat)
            a, b = self.accelerations(t, state)
            turning = np.stack([R @ hat(W) for R, W in zip(state.R, state.W, strict=True)])
            return State(state.v, turning, a, b).flat()

        found = [state]
        for start, end in pairwise(times):
            pieces = np.linspace(start, end, 1 + max(1, int(np.ceil((end - start) / PIECE - 1e-9))))
            for t, u in pairwise(pieces):
                run = solve_ivp(rate, (t, u), state.flat(), method="DOP853", rtol=1e-13, atol=1e-14)
                state = State.of(run.y[:, -1])
                self.drift = max(self.drift, self.defect(state))
                state = self.projected(state)
            found.append(state)
        return found

    # -- what is known of any motion ------------------------------------------------------------

    def kinetic(self, state):
        return (
            np.sum(self.masses[:, None] * state.v**2) / 2
            + np.einsum("bi,bij,bj->", state.W, self.inertias, state.W) / 2
        )

    def power(self, t, state):
        """Power of the loads."""
        force, moment = self.load(t, state)
        return np.sum(force * state.v) + np.sum(moment * state.W)

    def linear_momentum(self, state):
        return self.masses @ state.v

    def angular_momentum(self, state):
        spins = np.einsum("bij,bjk,bk->i", state.R, self.inertias, state.W)
        return spins + np.cross(state.x, self.masses[:, None] * state.v).sum(axis=0)
