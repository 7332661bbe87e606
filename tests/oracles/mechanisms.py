"""Mechanisms of bodies, rods and joints, put together for `constraint_forces`.

Each gives what its joints leave free as a dict of pairs, {"x": (x, v), "R": (R, Omega), "q1": (q, omega)}:
places with their velocities, attitudes with body angular velocities, directions of links with their angular
velocities, omega . q = 0.  `placed` makes the states of all bodies of such a dict, `described` the dict
again; both are plain geometry.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from tests.oracles.constraint_forces import Ball, Bodies, Held, Point, Rod, State

NO_ARM = (0.0, 0.0, 0.0)
EARTH = (0.0, 0.0, -9.81)


class Chain(NamedTuple):
    """Bodies in a chain: a base, point masses at the ends of links, perhaps a body behind the last link.

    The base is body 0, a point (cart, puck, end mass) or a rigid body; the links begin at its `arm`. Where
    there is a last body, the last link ends at its `last_arm`; else all links end at point masses.
    """

    lengths: tuple
    base_is_rigid: bool = False
    arm: tuple = NO_ARM
    last_arm: tuple | None = None

    @property
    def count(self):
        return 1 + len(self.lengths)

    def rigid(self):
        """Names and numbers of the bodies that have an attitude."""
        bodies = ([0] if self.base_is_rigid else []) + ([] if self.last_arm is None else [self.count - 1])
        names = ["R"] if len(bodies) == 1 else ["R1", "R2"]
        return zip(names, bodies, strict=False)

    def ends(self):
        """The points that links join, from the base on."""
        points = [Point(0, self.arm), *(Point(i) for i in range(1, self.count))]
        if self.last_arm is not None:
            points[-1] = Point(self.count - 1, self.last_arm)
        return points

    def rods(self):
        ends = self.ends()
        return [Rod(a, b, size) for (a, b), size in zip(pairwise(ends), self.lengths, strict=True)]

    def placed(self, given):
        n = self.count
        state = State(np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros((n, 3)))
        state.x[0], state.v[0] = given["x"]
        for name, b in self.rigid():
            state.R[b], state.W[b] = given[name]
        (p, rate, _, _), ends = state.point(Point(0, self.arm)), self.ends()
        for i, length in enumerate(self.lengths, start=1):
            q, omega = (np.asarray(part, dtype=float) for part in given[f"q{i}"])
            p, rate = p + length * q, rate + length * np.cross(omega, q)
            at, moving, _, _ = state.point(ends[i])  # the centre of this body is still at zero
            state.x[i], state.v[i] = p - at, rate - moving
        return state

    def described(self, state):
        given = {"x": (state.x[0], state.v[0])}
        for name, b in self.rigid():
            given[name] = state.R[b], state.W[b]
        ends = [state.point(p)[:2] for p in self.ends()]
        for i, length in enumerate(self.lengths, start=1):
            q = (ends[i][0] - ends[i - 1][0]) / length
            given[f"q{i}"] = q, np.cross(q, ends[i][1] - ends[i - 1][1]) / length
        return given


class Mechanism(NamedTuple):
    """Bodies, and the way between their states and what the joints leave free."""

    bodies: Bodies
    placed: object
    described: object

    def simulate(self, given, times):
        """Described states at increasing times."""
        return [self.described(state) for state in self.bodies.simulate(self.placed(given), times)]


def quadrotor_with_cable(mass, inertia, arm, masses, lengths, gravity=EARTH, thrust=None, moment=None):
    """A rigid body with a thrust along its third axis and a moment; point masses hang at the point `arm`.

    ``thrust(t)`` and ``moment(t)`` are functions of time, by default zero.
    """
    all_masses = np.array([mass, *masses])
    chain = Chain(tuple(lengths), True, tuple(arm))

    def load(t, state):
        forces, moments = np.outer(all_masses, gravity), np.zeros((all_masses.size, 3))
        if thrust is not None:
            forces[0] += thrust(t) * state.R[0, :, 2]
        if moment is not None:
            moments[0] += moment(t)
        return forces, moments

    bodies = Bodies(all_masses, [inertia] + [None] * len(masses), chain.rods(), load)
    return Mechanism(bodies, chain.placed, chain.described)


def chain_on_cart(cart, masses, lengths, normals, gravity=EARTH, force=None):
    """Point masses on links behind a cart, held to what is normal to `normals`; a force on the cart."""
    all_masses = np.array([cart, *masses])
    chain = Chain(tuple(lengths))

    def load(t, state):
        forces = np.outer(all_masses, gravity)
        if force is not None:
            forces[0] += force(t)
        return forces, np.zeros_like(forces)

    rows = [*chain.rods(), Held(Point(0), normals)]
    bodies = Bodies(all_masses, [None] * all_masses.size, rows, load)
    return Mechanism(bodies, chain.placed, chain.described)


def pendulum_on_cart(cart, mass, inertia, rho, normals, gravity=EARTH, force=None):
    """A rigid body that turns about a point of the cart; rho leads from there to its centre of mass.

    The inertia is about the centre of mass.
    """
    masses, rho = np.array([cart, mass]), np.asarray(rho, dtype=float)

    def load(t, state):
        forces = np.outer(masses, gravity)
        if force is not None:
            forces[0] += force(t)
        return forces, np.zeros_like(forces)

    def placed(given):
        (x, v), (R, W) = given["x"], given["R"]
        R, W = np.asarray(R), np.asarray(W)
        return State(
            np.array([x, x + R @ rho]),
            np.array([np.eye(3), R]),
            np.array([v, v + R @ np.cross(W, rho)]),
            np.array([np.zeros(3), W]),
        )

    def described(state):
        return {"x": (state.x[0], state.v[0]), "R": (state.R[1], state.W[1])}

    rows = [Ball(Point(0), Point(1, tuple(-rho))), Held(Point(0), normals)]
    return Mechanism(Bodies(masses, [None, inertia], rows, load), placed, described)


def bodies_with_joint(masses, inertias, arms, moment=None):
    """Two rigid bodies joined at the points `arms` of theirs.

    ``moment(t)``, in space, acts on the second, its opposite on the first; "x" is the first centre of mass.
    """
    arms = np.asarray(arms, dtype=float)

    def load(t, state):
        moments = np.zeros((2, 3))
        if moment is not None:
            moments[0], moments[1] = -state.R[0].T @ moment(t), state.R[1].T @ moment(t)
        return np.zeros((2, 3)), moments

    def placed(given):
        (x, v), (R1, W1), (R2, W2) = given["x"], given["R1"], given["R2"]
        R, W = np.array([R1, R2]), np.array([W1, W2])
        joint = x + R1 @ arms[0]
        rate = v + R1 @ np.cross(W1, arms[0])
        far = joint - R2 @ arms[1], rate - R2 @ np.cross(W2, arms[1])
        return State(np.array([x, far[0]]), R, np.array([v, far[1]]), W)

    def described(state):
        return {
            "x": (state.x[0], state.v[0]),
            "R1": (state.R[0], state.W[0]),
            "R2": (state.R[1], state.W[1]),
        }

    rows = [Ball(Point(0, tuple(arms[0])), Point(1, tuple(arms[1])))]
    return Mechanism(Bodies(masses, inertias, rows, load), placed, described)


def orbital_load(masses, inertias, rate):
    """Gravity about a circular orbit, to first order in the distances over its radius.

    With the origin on the orbit and axes that do not turn, a point at s has the acceleration

        -n^2 (s - 3 (s.e) e),       e = (sin nt, 0, cos nt) the direction of the origin from the Earth,

    so a rigid body feels at its centre its mass times this, and the moment 3 n^2 e x J e. The orbit's normal
    is axis 2.
    """
    masses = np.asarray(masses, dtype=float)[:, None]
    tensors = np.array([np.zeros((3, 3)) if J is None else J for J in inertias])

    def load(t, state):
        e = np.array([np.sin(rate * t), 0.0, np.cos(rate * t)])
        seen = np.einsum("bji,j->bi", state.R, e)
        moments = 3 * rate**2 * np.cross(seen, np.einsum("bij,bj->bi", tensors, seen))
        return -(rate**2) * masses * (state.x - 3 * np.outer(state.x @ e, e)), moments

    return load


def tethered_satellites(masses, inertias, arms, beads, lengths, rate):
    """Two end bodies about a circular orbit, joined by a tether of links with beads between them.

    An inertia None makes an end a point mass, of which the arm must be zero. The dict is in axes that do not
    turn, not in those of the orbit: see `in_orbit` and `orbital_load`.
    """
    first, last = inertias
    all_masses = np.array([masses[0], *beads, masses[1]])
    chain = Chain(tuple(lengths), first is not None, tuple(arms[0]), None if last is None else tuple(arms[1]))
    tensors = [first, *[None] * len(beads), last]
    bodies = Bodies(all_masses, tensors, chain.rods(), orbital_load(all_masses, tensors, rate))
    return Mechanism(bodies, chain.placed, chain.described)


def in_orbit(given, t, rate):
    """A dict in axes that do not turn, in those of the orbit: 1 along the track, 2 its normal, 3 outwards.

    Places and directions are seen from the turning axes and so are their velocities; angular velocities of
    bodies stay those in space.
    """
    E, w = Rotation.from_rotvec([0.0, rate * t, 0.0]).as_matrix(), np.array([0.0, rate, 0.0])
    found = {}
    for name, (a, b) in given.items():
        if name == "x":
            found[name] = E.T @ a, E.T @ b - np.cross(w, E.T @ a)
        elif name.startswith("R"):
            found[name] = E.T @ a, np.asarray(b)
        else:
            q = E.T @ a
            turn = E.T @ b - w
            found[name] = q, turn - (turn @ q) * q
    return found


def out_of_orbit(given, t, rate):
    """The inverse of `in_orbit`."""
    E, w = Rotation.from_rotvec([0.0, rate * t, 0.0]).as_matrix(), np.array([0.0, rate, 0.0])
    found = {}
    for name, (a, b) in given.items():
        if name == "x":
            found[name] = E @ a, E @ (b + np.cross(w, a))
        elif name.startswith("R"):
            found[name] = E @ a, np.asarray(b)
        else:
            turn = np.asarray(b) + w
            found[name] = E @ a, E @ (turn - (turn @ a) * np.asarray(a))
    return found
