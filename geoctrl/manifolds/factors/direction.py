"""A direction in space."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import sympy as sp

from geoctrl._scalars import Node
from geoctrl.errors import ConstraintError
from geoctrl.manifolds.factors.factor import Factor, cross, names_of
from geoctrl.manifolds.vectors.entries import vector
from geoctrl.manifolds.vectors.turns import hat

__all__ = ["Direction", "lengths_of"]


class Direction(Factor):
    """A direction in space, with the angular velocity that is orthogonal to it.

    Parameters
    ----------
    name, velocity : str
        As of every factor; "q" and "omega".

    Raises
    ------
    DescriptionError
        For a name that is no text.

    Examples
    --------
    >>> link = Direction("q1")
    >>> link.rate.T, link.velocity.T
    (Matrix([[q1_1_dot, q1_2_dot, q1_3_dot]]), Matrix([[omega1_1, omega1_2, omega1_3]]))
    """

    kind, letters, shape, rows = 1, ("q", "omega"), (3,), 1
    freedom, still_bends = 2, True
    relations = ("|{first}|^2 - 1", "{first}.{second}")

    def __init__(self, name: str, velocity: str | None = None) -> None:
        self.name, self.velocity_name = names_of(self.letters, name, velocity)

    @cached_property
    def z(self) -> sp.Matrix:
        """Symbols of the direction."""
        return vector(self.name)

    def rates_of(self, velocity: sp.Matrix) -> sp.Matrix:
        """omega x q."""
        return velocity.cross(self.z)

    def velocity_of(self, rate: sp.Matrix) -> sp.Matrix:
        """q x q'."""
        return self.z.cross(rate)

    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """W - q (q.W)."""
        return turn - self.z * self.z.dot(turn)

    def rate_matrix(self) -> sp.Matrix:
        """-hat(q)."""
        return self.z.hat().T

    def moment_nodes(self, z: Sequence[Node], F: Sequence[Node]) -> list[Node]:
        """q x F."""
        return cross(z, F)

    def gyroscopic_nodes(self, w: Sequence[Node], p: Sequence[Node]) -> list[Node]:
        """Nothing."""
        return [0 * e for e in p]

    def own_inertia(self, G: sp.Matrix) -> sp.Matrix | None:
        """m I of m I; else one with an inverse, by the mean along q, to which velocities are orthogonal."""
        if G[0, 0] * sp.eye(3) == G:
            return G
        P = self.rate_matrix()
        return P.T * G * P + G.trace() / 3 * self.z * self.z.T

    def relation_expressions(self) -> list[sp.Expr]:
        """q.q - 1."""
        return [self.z.dot(self.z) - 1]

    def project(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unit directions, and velocities made orthogonal to them."""
        q = z[..., 0, :]
        q = q / np.linalg.norm(q, axis=-1, keepdims=True)
        return q[..., None, :], w - np.sum(q * w, axis=-1, keepdims=True) * q

    def defects(
        self, z: np.ndarray, w: np.ndarray, names: tuple[str, str], beside: tuple[float, float] = (0.0, 0.0)
    ) -> dict[str, np.ndarray]:
        """Of unit length, and of the angle between direction and velocity, beside the fastest body."""
        q, size = z[:, 0], max(beside[1], float(np.max(np.linalg.norm(w, axis=-1), initial=0.0))) or 1.0
        first, second = names
        length = lengths_of(f"{first}0", q)
        return {
            f"|{first}| - 1": np.abs(length - 1),
            f"{first}.{second}/|{second}|": np.abs(np.sum(q * w, axis=-1)) / size,
        }

    def relation_defects(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """q.q - 1 and q.omega."""
        q = z[..., 0, :]
        return np.stack([np.sum(q * q, axis=-1) - 1, np.sum(q * w, axis=-1)], axis=-1)

    def generic(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Evenly spread, with velocities of size one."""
        return self.project(rng.normal(size=(count, 1, 3)), rng.normal(size=(count, 3)))

    def rates(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """omega x q."""
        return np.cross(w[..., None, :], z)

    def turned(self, T: np.ndarray, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both turned."""
        return z @ np.swapaxes(T, -1, -2), np.einsum("...ab,...b->...a", T, w)

    def still(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """W - q (q.W)."""
        q = z[..., 0, :]
        return turn - q * (q @ turn)[..., None]

    def by_velocity(self, z: np.ndarray) -> np.ndarray:
        """-q x."""
        return -hat(z[..., 0, :])

    def by_place(self, w: np.ndarray) -> np.ndarray:
        """omega x."""
        return hat(w)

    def work(self, z: np.ndarray) -> np.ndarray:
        """q x forces."""
        return hat(z[..., 0, :])

    def work_gradient(self, f: np.ndarray) -> np.ndarray:
        """-f x."""
        return -hat(f)

    def holding(self, z: np.ndarray) -> np.ndarray:
        """q.a = (W x q).omega, so that q.omega stays zero."""
        return z

    def holding_gradients(
        self, z: np.ndarray, w: np.ndarray, a: np.ndarray, turn: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """a + W x omega, and -W x q."""
        return (a + np.cross(turn, w))[..., None, :], -np.cross(turn, z)

    def spatial(self, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The momentum itself."""
        return p

    def spatial_gradient(self, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Zero and the identity."""
        return np.zeros((*p.shape, 3)), np.broadcast_to(np.eye(3), (*p.shape, 3))

    def still_gradient(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """-(q.W) I - q W^T."""
        q = z[..., 0, :]
        return -(q @ turn)[..., None, None] * np.eye(3) - q[..., :, None] * turn

    def turning(self, turn: np.ndarray) -> np.ndarray:
        """-W x of direction and velocity."""
        return -np.kron(np.eye(2), hat(turn))

    def moments(self, z: np.ndarray, F: np.ndarray) -> np.ndarray:
        """q x F."""
        return np.cross(z[..., 0, :], F[..., 0, :])

    def tangent(self, z: np.ndarray) -> np.ndarray:
        """Two orthonormal vectors orthogonal to q."""
        planes = np.linalg.svd(z)[2][..., 1:, :]
        return np.swapaxes(planes, -1, -2)[..., None, :, :]

    def turns(self, z: np.ndarray) -> np.ndarray:
        """q x of these."""
        return np.cross(z[..., 0, :, None], self.tangent(z)[..., 0, :, :], axis=-2)

    def retract(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Along the tangent plane, and back to unit length."""
        moved = z + np.einsum("...rkj,...j->...rk", self.tangent(z), y)
        return moved / np.linalg.norm(moved, axis=-1, keepdims=True)

    def leaf_gradient(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Of q.q - 1 and q.omega."""
        out, q = np.zeros((*w.shape[:-1], 2, 6)), z[..., 0, :]
        out[..., 0, :3], out[..., 1, :3], out[..., 1, 3:] = 2 * q, w, q
        return out

    def leaf_basis(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q.dq = 0 and q.domega + omega.dq = 0: the velocity is kept orthogonal as the direction moves."""
        q, P = z[..., 0, :], self.tangent(z)[..., 0, :, :]
        first, second = np.zeros((2, *w.shape[:-1], 6, 2))
        lag = np.einsum("...k,...kj->...j", w, P)
        # Axes of the plane along and across omega: of these only one changes omega, and both stay orthogonal.
        size = np.linalg.norm(lag, axis=-1)
        safe = np.where(size > 0, size, 1.0)
        c, s = np.where(size > 0, lag[..., 0] / safe, 1.0), np.where(size > 0, lag[..., 1] / safe, 0.0)
        turn = np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)
        first[..., :3, :] = P @ turn
        first[..., 3:, 0] = -size[..., None] * q
        first[..., 0] /= np.sqrt(1 + size**2)[..., None]
        second[..., 3:, :] = P
        return first, second

    @staticmethod
    def share(distance: float) -> float:
        """Of all directions: the area of a cap."""
        return min(1.0, distance**2 / 4)

    def constant_vectors(self) -> list[list[int]]:
        """The direction."""
        return [[0, 1, 2]]


def lengths_of(name: str, q: np.ndarray) -> np.ndarray:
    """Lengths (n,) of vectors (n, 3); ConstraintError for zero."""
    size = np.linalg.norm(q, axis=-1)
    if np.any(size == 0):
        raise ConstraintError(
            f"{name}[{int(np.argmin(size))}] is zero and has no direction; give a vector that has one"
        )
    return size
