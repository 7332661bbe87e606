"""A place in space, or on a line or a plane."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import Node, exact
from geoctrl.errors import InputError
from geoctrl.manifolds.factors.factor import Factor, cross, names_of
from geoctrl.manifolds.vectors.entries import vector
from geoctrl.manifolds.vectors.turns import hat

__all__ = ["Place"]


class Place(Factor):
    """A place in space, or on a line or a plane through the origin.

    Parameters
    ----------
    name, velocity : str
        As of every factor; "x" and "v".
    axes : array (k, 3), optional
        Orthogonal axes of the line or the plane that holds it.

    Raises
    ------
    DescriptionError
        For a name that is no text.
    InputError
        For axes that are not 1 to 3 orthogonal directions.

    Examples
    --------
    >>> cart = Place("x", axes=[[1, 0, 0]])
    >>> cart.z.T, cart.velocity.T, cart.freedom
    (Matrix([[x_1, x_2, x_3]]), Matrix([[v_1, v_2, v_3]]), 1)
    """

    kind, letters, shape, rows = 0, ("x", "v"), (3,), 1
    bends = False

    def __init__(self, name: str, velocity: str | None = None, axes: Any = None) -> None:
        self.name, self.velocity_name = names_of(self.letters, name, velocity)
        given = np.atleast_2d(np.eye(3) if axes is None else finite_array("axes", axes))
        self.axes, self._given = _axes(given), [[exact(float(e)) for e in a] for a in given]
        left_out = np.linalg.svd(self.axes)[2][len(self.axes) :]
        self.normals = left_out
        self.relations = tuple(
            f"{words} off its {'line' if len(self.axes) == 1 else 'plane'}, {k + 1}"
            for words in ("{first}", "{second}")
            for k in range(len(left_out))
        )

    @property
    def key(self) -> Any:
        """Places are asked together that are held alike."""
        return self.kind, self.axes.tobytes()

    @property
    def exact_axes(self) -> list[list[sp.Rational]]:
        """The axes as they were given, of any length."""
        return [[sp.Rational(e) for e in axis] for axis in self._given]

    @property
    def freedom(self) -> int:
        """Number of axes."""
        return len(self.axes)

    @cached_property
    def z(self) -> sp.Matrix:
        """Symbols of the place."""
        return vector(self.name)

    def rates_of(self, velocity: sp.Matrix) -> sp.Matrix:
        """The velocity itself."""
        return velocity

    def velocity_of(self, rate: sp.Matrix) -> sp.Matrix:
        """The derivative itself."""
        return rate

    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """W x x."""
        return turn.cross(self.z)

    def rate_matrix(self) -> sp.Matrix:
        """The identity."""
        return sp.eye(3)

    def moment_nodes(self, z: Sequence[Node], F: Sequence[Node]) -> list[Node]:
        """The force itself."""
        return list(F)

    def gyroscopic_nodes(self, w: Sequence[Node], p: Sequence[Node]) -> list[Node]:
        """Nothing."""
        return [0 * e for e in p]

    def own_inertia(self, G: sp.Matrix) -> sp.Matrix | None:
        """The inertia itself."""
        return G

    def relation_expressions(self) -> list[sp.Expr]:
        """Products with normals of the line or plane, which annihilate the axes exactly."""
        return [n.dot(self.z) for n in sp.Matrix(self.exact_axes).nullspace()]

    def keeps(self, turn: Sequence[Any]) -> bool:
        """Whether turning about an axis moves it along the line or plane that holds it, all numbers exact."""
        if self.freedom == 1:
            return not any(cross(turn, self._given[0]))
        dots = [sum(x * y for x, y in zip(turn, a, strict=True)) for a in self._given]
        return self.freedom == 3 or not any(dots)

    def project(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Within the line or the plane."""
        P = self.axes.T @ self.axes
        return (z.copy(), w.copy()) if len(self.axes) == 3 else (z @ P, w @ P)

    def defects(
        self,
        z: np.ndarray,
        w: np.ndarray,
        names: tuple[str, str],
        beside: tuple[float, float] = (0.0, 0.0),
    ) -> dict[str, np.ndarray]:
        """Distances from the line or plane, and of the velocity from it, over the largest of their kind."""
        if not len(self.normals):
            return {}
        found = {}
        for name, a, size in zip(names, (z[..., 0, :], w), beside, strict=True):
            largest = max(size, float(np.max(np.linalg.norm(a, axis=-1), initial=0.0))) or 1.0
            off = np.linalg.norm(a @ self.normals.T, axis=-1)
            found[f"the share of {name} across the axes that hold it"] = off / largest
        return found

    def relation_defects(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Components along the normals."""
        return np.concatenate([z[..., 0, :] @ self.normals.T, w @ self.normals.T], axis=-1)

    def generic(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Of size one."""
        z, w = rng.normal(size=(2, count, 3)) @ self.axes.T @ self.axes
        return z[:, None], w

    def rates(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The velocities."""
        return w.reshape(z.shape)

    def turned(self, T: np.ndarray, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both turned."""
        return z @ np.swapaxes(T, -1, -2), np.einsum("...ab,...b->...a", T, w)

    def still(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """W x x."""
        return np.cross(turn, z[..., 0, :])

    def by_velocity(self, z: np.ndarray) -> np.ndarray:
        """The identity."""
        return np.broadcast_to(np.eye(3), (*z.shape[:-2], 3, 3))

    def by_place(self, w: np.ndarray) -> np.ndarray:
        """Zero."""
        return np.zeros((*w.shape[:-1], 3, 3))

    def work(self, z: np.ndarray) -> np.ndarray:
        """Forces."""
        return np.broadcast_to(np.eye(3), (*z.shape[:-2], 3, 3))

    def holding(self, z: np.ndarray) -> np.ndarray:
        """The normals of the line or plane."""
        return np.broadcast_to(self.normals, (*z.shape[:-2], *self.normals.shape))

    def spatial(self, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        """x x p."""
        return np.cross(z[..., 0, :], p)

    def spatial_gradient(self, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """-p x and x x."""
        return -hat(p), hat(z[..., 0, :])

    def still_gradient(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """W x."""
        return np.broadcast_to(hat(turn), (*z.shape[:-2], 3, 3))

    def turning(self, turn: np.ndarray) -> np.ndarray:
        """-W x of place and velocity."""
        return -np.kron(np.eye(2), hat(turn))

    def moments(self, z: np.ndarray, F: np.ndarray) -> np.ndarray:
        """The force itself."""
        return F[..., 0, :]

    def tangent(self, z: np.ndarray) -> np.ndarray:
        """The axes."""
        return np.broadcast_to(self.axes.T, (*z.shape[:-2], 1, 3, self.freedom))

    def turns(self, z: np.ndarray) -> np.ndarray:
        """The axes."""
        return np.broadcast_to(self.axes.T, (*z.shape[:-2], 3, self.freedom))

    def retract(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Moved along the axes."""
        return z + (y @ self.axes)[..., None, :]

    def leaf_gradient(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The normals, for the place and for its velocity."""
        r = len(self.normals)
        out = np.zeros((*w.shape[:-1], 2 * r, 6))
        out[..., :r, :3] = out[..., r:, 3:] = self.normals
        return out

    def leaf_basis(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The axes, for the place and for its velocity."""
        first, second = np.zeros((2, *w.shape[:-1], 6, self.freedom))
        first[..., :3, :] = second[..., 3:, :] = self.axes.T
        return first, second

    @staticmethod
    def share(distance: float) -> float:  # noqa: ARG004
        """No share: places are spread evenly over nothing."""
        return 0.0

    def constant_vectors(self) -> list[list[int]]:
        """None."""
        return []


def _axes(axes: np.ndarray) -> np.ndarray:
    """Orthonormal axes (k, 3); InputError for any other."""
    given = axes.tolist()
    sizes = np.linalg.norm(axes, axis=-1)
    if axes.ndim != 2 or axes.shape[1] != 3 or not 1 <= len(axes) <= 3 or not np.all(sizes > 0):
        raise InputError(f"axes must be 1 to 3 directions (k, 3), got {given}")
    axes = axes / sizes[:, None]
    if np.max(np.abs(axes @ axes.T - np.eye(len(axes)))) > 1e-12:
        raise InputError(f"axes must be orthogonal to each other, got {given}")
    return axes
