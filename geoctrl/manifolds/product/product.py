"""A product of factors: every question to a factor, asked of all bodies at once.

Configurations are arrays ``z (..., N, 3)`` of the rows of all bodies one after the other, velocities
``w (..., B, 3)``; a state is the entries of z, then those of w.

The relations that hold on a manifold, named body by body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.errors import DescriptionError
from geoctrl.manifolds.factors import Factor, Place
from geoctrl.manifolds.vectors.turns import hat

__all__ = ["ManifoldLeaf", "Product"]


class ManifoldLeaf:
    """Names of the relations of all bodies, one body after the other.

    Parameters
    ----------
    names : sequence of pairs of str
        Of the two parts of each body.
    """

    def __init__(self, product: Product, names: Sequence[tuple[str, str]]) -> None:
        self.names = tuple(
            words.format(first=first, second=second)
            for factor, (first, second) in zip(product.factors, names, strict=True)
            for words in factor.relations
        )

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations as they are written, which is what they go by."""
        return self.names

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Stack:
    """Bodies that are asked together: one of them, their places among the bodies (k,) and rows (k, rows)."""

    factor: Factor
    bodies: np.ndarray
    rows: np.ndarray


class Product:
    """A product of factors.

    Attributes
    ----------
    kinds, first : ndarray (B,) of int
        What each body is, and its first row.
    rows : int
        N, of all bodies.
    freedom : int
        Degrees of freedom.
    """

    def __init__(self, factors: Sequence[Factor]) -> None:
        self.factors = tuple(factors)
        if not self.factors or not all(isinstance(f, Factor) for f in self.factors):
            raise DescriptionError(f"factors must be some Place, Direction or Attitude, got {factors!r}")
        heights = [f.rows for f in self.factors]
        self.kinds = np.array([f.kind for f in self.factors])
        self.first = np.concatenate([[0], np.cumsum(heights)[:-1]])
        self.rows, self.bodies = sum(heights), len(heights)
        self.freedom = sum(f.freedom for f in self.factors)
        alike: dict[Any, list[int]] = {}
        for b, f in enumerate(self.factors):
            alike.setdefault(f.key, []).append(b)
        self.stacks = []
        for bodies in alike.values():
            f, where = self.factors[bodies[0]], np.array(bodies)
            self.stacks.append(Stack(f, where, self.first[where][:, None] + np.arange(f.rows)))

    @property
    def size(self) -> int:
        """Number of entries of a state."""
        return 3 * (self.rows + self.bodies)

    @property
    def split(self) -> int:
        """Number of entries of the configuration."""
        return 3 * self.rows

    # -- states ---------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the states: entries of the configuration, body by body, then those of the velocities."""
        parts = *(f.labels for f in self.factors), *(f.velocity_labels for f in self.factors)
        return tuple(label for part in parts for label in part)

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """z (..., N, 3) and w (..., B, 3) of states (..., size)."""
        x = np.ascontiguousarray(x)
        outer = x.shape[:-1]
        z = np.ascontiguousarray(x[..., : self.split]).reshape(*outer, self.rows, 3)
        return z, np.ascontiguousarray(x[..., self.split :]).reshape(*outer, self.bodies, 3)

    @staticmethod
    def state(z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """States (..., size) of z and w."""
        outer = w.shape[:-2]
        return np.concatenate([z.reshape(*outer, -1), w.reshape(*outer, -1)], axis=-1)

    def _rows_of(self, function: Callable[[Stack], np.ndarray], outer: tuple[int, ...]) -> np.ndarray:
        out = np.empty((*outer, self.rows, 3))
        for s in self.stacks:
            out[..., s.rows, :] = function(s)
        return out

    def _velocities_of(self, function: Callable[[Stack], np.ndarray], outer: tuple[int, ...]) -> np.ndarray:
        out = np.empty((*outer, self.bodies, 3))
        for s in self.stacks:
            out[..., s.bodies, :] = function(s)
        return out

    def rates(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Derivatives of configurations, (..., N, 3)."""
        return self._rows_of(lambda s: s.factor.rates(z[..., s.rows, :], w[..., s.bodies, :]), z.shape[:-2])

    def still(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Velocities (..., B, 3) of configurations that turn with axes of this rate (3,)."""
        return self._velocities_of(lambda s: s.factor.still(z[..., s.rows, :], turn), z.shape[:-2])

    # -- derivatives as matrices ----------------------------------------------------------------

    def _matrix(self, function: Callable[[Stack], np.ndarray], rows: str, columns: str) -> np.ndarray:
        """A matrix of blocks body by body; ``rows`` and ``columns`` are "z", "w" or "x" for both."""
        size = {"z": self.split, "w": 3 * self.bodies, "x": self.size}
        out = np.zeros((size[rows], size[columns]))
        for s in self.stacks:
            r, c = self._entries(s, rows), self._entries(s, columns)
            out[r[:, :, None], c[:, None, :]] = function(s)
        return out

    def by_velocity(self, z: np.ndarray) -> np.ndarray:
        """Derivative (3 N, 3 B) of `rates` by the velocities."""
        return self._matrix(lambda s: s.factor.by_velocity(z[s.rows]), "z", "w")

    def by_place(self, w: np.ndarray) -> np.ndarray:
        """Derivative (3 N, 3 N) of `rates` by the configuration."""
        return self._matrix(lambda s: s.factor.by_place(w[s.bodies]), "z", "z")

    def carried_by(self, v: np.ndarray) -> np.ndarray:
        """Derivative (3 N, 3 B) of ``by_place(w) v`` by the velocities w, of rates v (N, 3)."""
        return self._matrix(lambda s: s.factor.by_velocity(v[s.rows]) * s.factor.bends, "z", "w")

    def still_bend(self, v: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Derivative (3 B, 3 N) of ``still_gradient(z, turn) v`` by the configuration z, of rates v."""
        return self._matrix(
            lambda s: s.factor.still_gradient(v[s.rows], turn) * s.factor.still_bends, "w", "z"
        )

    def moment_gradient(self, F: np.ndarray) -> np.ndarray:
        """Derivative (3 B, 3 N) of `moments` by the configuration, of covectors F (N, 3)."""
        return self._matrix(lambda s: s.factor.moment_gradient(F[s.rows]), "w", "z")

    def work(self, z: np.ndarray) -> np.ndarray:
        """Derivative (3 B, 3 B) of generalised forces, in the components of the velocities, by the forces."""
        return self._matrix(lambda s: s.factor.work(z[s.rows]), "w", "w")

    def work_gradient(self, f: np.ndarray) -> np.ndarray:
        """Derivative (3 B, 3 N) of these by the configuration, of forces f (B, 3)."""
        return self._matrix(lambda s: s.factor.work_gradient(f[s.bodies]), "w", "z")

    def holding(
        self, z: np.ndarray, w: np.ndarray, a: np.ndarray, turn: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Relations that accelerations a meet, as derivatives by a, z and w: (c, 3 B), (c, 3 N), (c, 3 B)."""
        blocks = []
        for s in self.stacks:
            C = s.factor.holding(z[s.rows])
            by_z, by_w = s.factor.holding_gradients(z[s.rows], w[s.bodies], a[s.bodies], turn)
            for r in range(C.shape[1]):
                for of, entries in ((C, "w"), (by_z, "z"), (by_w, "w")):
                    out = np.zeros((len(s.bodies), self.split if entries == "z" else 3 * self.bodies))
                    out[np.arange(len(s.bodies))[:, None], self._entries(s, entries)] = of[:, r]
                    blocks.append(out)
        empty = [np.zeros((0, 3 * self.bodies)), np.zeros((0, self.split)), np.zeros((0, 3 * self.bodies))]
        first, second, third = (np.vstack([empty[k], *blocks[k::3]]) for k in range(3))
        return first, second, third

    def turn(self, rate: np.ndarray) -> np.ndarray:
        """rate x of every vector of the configuration, (3 N, 3 N)."""
        return -self.turning(rate)[: self.split, : self.split]

    def still_gradient(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Derivative (3 B, 3 N) of `still` by the configuration."""
        return self._matrix(lambda s: s.factor.still_gradient(z[s.rows], turn), "w", "z")

    def turning(self, turn: np.ndarray) -> np.ndarray:
        """Derivative (size, size) of the rate that axes add which turn with this rate."""
        return self._matrix(lambda s: s.factor.turning(turn), "x", "x")

    def spatial(self, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Moments (..., B, 3) about the origin of momenta in the components of the velocities."""
        return self._velocities_of(
            lambda s: s.factor.spatial(z[..., s.rows, :], p[..., s.bodies, :]), z.shape[:-2]
        )

    def spatial_gradient(self, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `spatial` by the configuration (3 B, 3 N) and by the momenta (3 B, 3 B)."""
        first = self._matrix(lambda s: s.factor.spatial_gradient(z[s.rows], p[s.bodies])[0], "w", "z")
        return first, self._matrix(lambda s: s.factor.spatial_gradient(z[s.rows], p[s.bodies])[1], "w", "w")

    # -- values ---------------------------------------------------------------------------------

    def moments(self, z: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Ambient covectors F (..., N, 3) in the components of the velocities, (..., B, 3)."""
        return self._velocities_of(
            lambda s: s.factor.moments(z[..., s.rows, :], F[..., s.rows, :]), z.shape[:-2]
        )

    def turned_rates(self, axis: np.ndarray, u: np.ndarray) -> np.ndarray:
        """axis x every vector of rates u (N, 3)."""
        return self._rows_of(
            lambda s: hat(axis) @ u[s.rows] if s.factor.rows == 3 else np.cross(axis, u[s.rows]), ()
        )

    def generalised_forces(self, z: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Generalised forces (B, 3) in the components of the velocities, of forces f (B, 3)."""
        return self._velocities_of(
            lambda s: np.einsum("bij,bj->bi", s.factor.work(z[s.rows]), f[s.bodies]), ()
        )

    def along_axes(self, v: np.ndarray) -> np.ndarray:
        """Vectors (B, 3) of all bodies, those of places along the lines and planes that hold them alone."""
        out = v.copy()
        for s in self.stacks:
            if isinstance(s.factor, Place):
                out[s.bodies] = v[s.bodies] @ s.factor.axes.T @ s.factor.axes
        return out

    def off_axes(self, v: np.ndarray) -> np.ndarray:
        """Components of rates v (N, 3) of places across the lines and planes that hold them."""
        parts = [
            f.normals @ v[row]
            for f, row in zip(self.factors, self.first, strict=True)
            if isinstance(f, Place)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def turned(self, T: np.ndarray, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States with each body turned by a rotation of the reference, T (B, 3, 3)."""
        new_z, new_w = np.empty_like(z), np.empty_like(w)
        for s in self.stacks:
            new_z[s.rows], new_w[s.bodies] = s.factor.turned(T[s.bodies], z[s.rows], w[s.bodies])
        return new_z, new_w

    def generic(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """A configuration (N, 3) and velocities (B, 3) of no particular kind."""
        rng = np.random.default_rng(seed)
        z, w = np.empty((self.rows, 3)), np.empty((self.bodies, 3))
        for s in self.stacks:
            z[s.rows], w[s.bodies] = s.factor.generic(rng, len(s.bodies))
        return z, w

    # -- the leaf -------------------------------------------------------------------------------

    @cached_property
    def relation_counts(self) -> list[int]:
        """Number of relations of each body."""
        return [len(f.relations) for f in self.factors]

    @cached_property
    def _relation_places(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.relation_counts)])

    def relation_defects(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Values of the relations of all bodies, one body after the other: (..., r)."""
        out = np.empty((*z.shape[:-2], self._relation_places[-1]))
        for s in self.stacks:
            found = s.factor.relation_defects(z[..., s.rows, :], w[..., s.bodies, :])
            out[..., self._relation_places[s.bodies][:, None] + np.arange(found.shape[-1])] = found
        return out

    def _entries(self, s: Stack, of: str = "x") -> np.ndarray:
        """Places of the bodies of a stack among configurations "z", velocities "w" or whole states "x"."""
        z = (3 * s.rows[:, :, None] + np.arange(3)).reshape(len(s.bodies), -1)
        w = 3 * s.bodies[:, None] + np.arange(3)
        return {"z": z, "w": w, "x": np.hstack([z, self.split + w])}[of]

    def leaf_gradient(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Gradients (r, size) of the relations."""
        out = np.zeros((self._relation_places[-1], self.size))
        for s in self.stacks:
            found = s.factor.leaf_gradient(z[s.rows], w[s.bodies])
            where = self._relation_places[s.bodies][:, None] + np.arange(found.shape[1])
            out[where[:, :, None], self._entries(s)[:, None, :]] = found
        return out

    def leaf_basis(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Orthonormal basis (size, 2 freedom) of the tangent space: what moves configurations comes first."""
        out = np.zeros((2, self.size, self.freedom))
        for s in self.stacks:
            columns = self.coordinates[s.bodies[0]].size
            where = np.array([self.coordinates[b] for b in s.bodies]).reshape(-1, columns)
            for half, found in zip(out, s.factor.leaf_basis(z[s.rows], w[s.bodies]), strict=True):
                half[self._entries(s)[:, :, None], where[:, None, :]] = found
        return np.hstack(list(out))

    @cached_property
    def coordinates(self) -> list[np.ndarray]:
        """Places of each body's tangent coordinates among all."""
        ends = np.cumsum([f.freedom for f in self.factors])
        return [np.arange(e - f.freedom, e) for e, f in zip(ends, self.factors, strict=True)]

    def tangent(self, z: np.ndarray) -> np.ndarray:
        """Derivatives (3 N, freedom) of the configuration by tangent coordinates."""
        return self.by_velocity(z) @ self.turns(z)

    def turns(self, z: np.ndarray) -> np.ndarray:
        """Velocities (3 B, freedom) that move the configuration along tangent coordinates."""
        out = np.zeros((3 * self.bodies, self.freedom))
        for s in self.stacks:
            where = np.array([self.coordinates[b] for b in s.bodies])
            out[self._entries(s, "w")[:, :, None], where[:, None, :]] = s.factor.turns(z[s.rows])
        return out

    def retract(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The configuration moved by tangent coordinates (freedom,)."""
        return self._rows_of(
            lambda s: s.factor.retract(z[s.rows], np.array([y[self.coordinates[b]] for b in s.bodies])), ()
        )

    def sizes(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sizes of the entries of a configuration (N, 3) and of its tangent coordinates (freedom,).

        One for directions, attitudes and turns; for places their distances from the origin.
        """
        entries, coordinates = np.ones((self.rows, 3)), np.ones(self.freedom)
        for b in np.flatnonzero(self.kinds == 0):
            entries[self.first[b]] = coordinates[self.coordinates[b]] = np.linalg.norm(z[self.first[b]])
        return entries, coordinates

    def is_exact(self, z: np.ndarray) -> bool:
        """Whether a configuration is one without any rounding."""
        still = np.zeros((self.bodies, 3))
        return not np.any(self.relation_defects(z, still))

    def constant_vectors(self) -> list[tuple[list[int], float]]:
        """Places in the state of vectors of constant length, each with its length."""
        return [
            ([int(3 * row + k) for k in line], 1.0)
            for f, row in zip(self.factors, self.first, strict=True)
            for line in f.constant_vectors()
        ]
