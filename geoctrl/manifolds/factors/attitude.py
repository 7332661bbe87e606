"""An attitude: from body to reference components."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import asin, pi, sin, sqrt

import numpy as np
import sympy as sp

from geoctrl._scalars import Node
from geoctrl.manifolds.factors.factor import Factor, cross, names_of
from geoctrl.manifolds.vectors.turns import exp, hat, nearest_rotations, require_right_handed, rotation_defect

__all__ = ["Attitude"]

_UPPER = tuple((a, b) for a in range(3) for b in range(a, 3))


class Attitude(Factor):
    """An attitude R, from body to reference components, with the angular velocity in the body.

    Parameters
    ----------
    name, velocity : str
        As of every factor; "R" and "Omega".

    Raises
    ------
    DescriptionError
        For a name that is no text.

    Examples
    --------
    >>> body = Attitude("R")
    >>> body.z[0, 2], body.rate[0, 2], body.velocity.T
    (R_13, R_13_dot, Matrix([[Omega_1, Omega_2, Omega_3]]))
    """

    kind, letters, shape, rows = 2, ("R", "Omega"), (3, 3), 3
    freedom = 3
    relations = tuple(f"({{first}}^T {{first}}){a + 1}{b + 1}{' - 1' * (a == b)}" for a, b in _UPPER)

    def __init__(self, name: str, velocity: str | None = None) -> None:
        self.name, self.velocity_name = names_of(self.letters, name, velocity)

    @cached_property
    def z(self) -> sp.Matrix:
        """Symbols of the matrix."""
        axes = (1, 2, 3)
        return sp.Matrix([[sp.Symbol(f"{self.name}_{a}{b}", real=True) for b in axes] for a in axes])

    def rates_of(self, velocity: sp.Matrix) -> sp.Matrix:
        """R hat(Omega)."""
        return self.z * velocity.hat()

    def velocity_of(self, rate: sp.Matrix) -> sp.Matrix:
        """1/2 sum r'_k x r_k of the rows."""
        rows = zip(rate.tolist(), self.z.tolist(), strict=True)
        return sum((sp.Matrix(a).cross(sp.Matrix(b)) for a, b in rows), sp.zeros(3, 1)) / 2

    def working(self, force: sp.Matrix) -> list[sp.Expr]:
        """1/2 r_k x m of a moment m in the body, row by row."""
        return [e / 2 for row in self.z.tolist() for e in sp.Matrix(row).cross(force)]

    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """R^T W."""
        return self.z.T * turn

    def rate_matrix(self) -> sp.Matrix:
        """R hat(Omega), row by row."""
        return sp.Matrix.vstack(*(self.z[r, :].T.hat() for r in range(3)))  # rows r x Omega

    def moment_nodes(self, z: Sequence[Node], F: Sequence[Node]) -> list[Node]:
        """F_r x r of the rows, summed."""
        parts = [cross(F[r : r + 3], z[r : r + 3]) for r in (0, 3, 6)]
        return [a + b + c for a, b, c in zip(*parts, strict=True)]

    def gyroscopic_nodes(self, w: Sequence[Node], p: Sequence[Node]) -> list[Node]:
        """Omega x p."""
        return cross(w, p)

    def own_inertia(self, G: sp.Matrix) -> sp.Matrix | None:
        """tr(D) I - D where each row of R has the inertia D."""
        D = G[:3, :3]
        return sp.eye(3) * D.trace() - D if sp.diag(D, D, D) == G else None

    def relation_expressions(self) -> list[sp.Expr]:
        """Entries of R R^T - I on and below the diagonal."""
        product = self.z * self.z.T - sp.eye(3)
        return [product[j, k] for j in range(3) for k in range(j + 1)]

    def project(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest rotations; velocities are free."""
        return nearest_rotations(z), w.copy()

    def defects(
        self,
        z: np.ndarray,
        w: np.ndarray,
        names: tuple[str, str],
        beside: tuple[float, float] = (0.0, 0.0),
    ) -> dict[str, np.ndarray]:
        """Of orthogonality; ConstraintError for a determinant that is not positive."""
        first, _ = names
        require_right_handed(f"{first}0", z)  # a reflection is orthogonal
        return {f"|{first}^T {first} - I|": rotation_defect(z)}

    def relation_defects(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Entries of R^T R - I on and above the diagonal."""
        products = np.swapaxes(z, -1, -2) @ z - np.eye(3)
        return np.stack([products[..., a, b] for a, b in _UPPER], axis=-1)

    def generic(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Turned by random vectors, with velocities of size one."""
        return exp(rng.normal(size=(count, 3))), rng.normal(size=(count, 3))

    def rates(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """R hat(Omega)."""
        return z @ hat(w)

    def turned(self, T: np.ndarray, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes turned; velocities are seen from the bodies."""
        return T @ z, w

    def still(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """R^T W."""
        return np.einsum("...ab,a->...b", z, turn)

    def by_velocity(self, z: np.ndarray) -> np.ndarray:
        """Rows r of R: r x."""
        return hat(z).reshape(*z.shape[:-2], 9, 3)

    def by_place(self, w: np.ndarray) -> np.ndarray:
        """-Omega x of each row."""
        return np.kron(np.eye(3), -hat(w)) if w.ndim == 1 else np.stack([self.by_place(v) for v in w])

    def work(self, z: np.ndarray) -> np.ndarray:
        """Moments in the body."""
        return np.broadcast_to(np.eye(3), z.shape)

    def holding(self, z: np.ndarray) -> np.ndarray:
        """Nothing."""
        return np.zeros((*z.shape[:-2], 0, 3))

    def spatial(self, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        """R p."""
        return np.einsum("...ab,...b->...a", z, p)

    def spatial_gradient(self, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """p in each row, and R."""
        return np.einsum("ab,...c->...abc", np.eye(3), p).reshape(*p.shape[:-1], 3, 9), z

    def still_gradient(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Of R^T W, which is linear."""
        return np.broadcast_to(np.kron(turn, np.eye(3)), (*z.shape[:-2], 3, 9))

    def turning(self, turn: np.ndarray) -> np.ndarray:
        """-W x of the columns of R; velocities are seen from the body."""
        out = np.zeros((12, 12))
        out[:9, :9] = -np.kron(hat(turn), np.eye(3))
        return out

    def moments(self, z: np.ndarray, F: np.ndarray) -> np.ndarray:
        """(R^T F - F^T R)^vee."""
        S = np.swapaxes(z, -1, -2) @ F
        S = S - np.swapaxes(S, -1, -2)
        return np.stack([S[..., 2, 1], S[..., 0, 2], S[..., 1, 0]], axis=-1)

    def tangent(self, z: np.ndarray) -> np.ndarray:
        """R hat(e_k)."""
        return np.moveaxis(z[..., None, :, :] @ hat(np.eye(3)), -3, -1)

    def turns(self, z: np.ndarray) -> np.ndarray:
        """The axes of the body."""
        return np.broadcast_to(np.eye(3), z.shape)

    def retract(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """R exp(hat(y))."""
        return z @ exp(y)

    def leaf_gradient(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Of the entries of R^T R - I."""
        out = np.zeros((*w.shape[:-1], 6, 12))
        parts = out[..., :9].reshape(*w.shape[:-1], 6, 3, 3)
        for k, (a, b) in enumerate(_UPPER):
            parts[..., k, :, a] += z[..., :, b]
            parts[..., k, :, b] += z[..., :, a]
        out[..., :9] = parts.reshape(*w.shape[:-1], 6, 9)
        return out

    def leaf_basis(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Turns of the body, and velocities."""
        first, second = np.zeros((2, *w.shape[:-1], 12, 3))
        first[..., :9, :] = self.tangent(z).reshape(*w.shape[:-1], 9, 3) / np.sqrt(2)
        second[..., 9:, :] = np.eye(3)
        return first, second

    @staticmethod
    def share(distance: float) -> float:
        """Of all attitudes: the measure of a ball."""
        angle = 2 * asin(min(1.0, distance / sqrt(8)))
        return (angle - sin(angle)) / pi

    def constant_vectors(self) -> list[list[int]]:
        """Rows and columns."""
        grid = np.arange(9).reshape(3, 3)
        return [list(map(int, line)) for line in (*grid, *grid.T)]
