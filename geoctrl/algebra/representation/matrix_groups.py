"""The matrix groups behind SO(2), SO(3), SE(2), SE(3) and R^k: hat, vee, exp, log and the adjoint action.

All are made of a rotation R and a translation p of R^d, written ``[[R, p], [0, 1]]``, or ``R`` alone where
nothing is translated. An element of the algebra is ``(w, y)`` with matrix ``[[skew(w), y], [0, 0]]``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl.errors import DescriptionError

ROTATION_TOLERANCE = 1e-6
"""Largest defect of a matrix that still counts as a rotation: far above rounding and integration errors."""

PLANE_TURN = np.array([[0, -1], [1, 0]])
"""Rotation of the plane by +90 degrees."""


def skew(w: np.ndarray) -> np.ndarray:
    """Matrix of ``y -> w x y`` in R^3 for three entries, of ``y -> w J y`` in the plane for one.

    With J the rotation by +90 degrees.
    """
    if len(w) == 1:
        return PLANE_TURN * w[0]
    zero = 0 * w[0]
    return np.array([[zero, -w[2], w[1]], [w[2], zero, -w[0]], [-w[1], w[0], zero]])


@dataclass(frozen=True)
class MatrixGroup:
    """Group of rotations and translations of R^d, in matrices.

    Parameters
    ----------
    dimension : int
        d.
    spins : int
        Number of angular velocities: 3 for d = 3, 1 for d = 2, or 0 for translations alone.
    translates : bool
        Whether there are translations; they follow the angular velocities in the algebra.
    """

    dimension: int
    spins: int
    translates: bool

    @property
    def matrix_size(self) -> int:
        """Number of rows of the matrices."""
        return self.dimension + self.translates

    def hat(self, x: np.ndarray) -> np.ndarray:
        """Matrix of an algebra element, in the arithmetic of `x`."""
        d, s = self.dimension, self.spins
        matrix = np.zeros((self.matrix_size, self.matrix_size), dtype=x.dtype)
        if s:
            matrix[:d, :d] = skew(x[:s])
        if self.translates:
            matrix[:d, d] = x[s:]
        return matrix

    def vee(self, matrix: np.ndarray) -> np.ndarray:
        """Algebra element of the matrix nearest in the algebra (skew part; unused entries are dropped)."""
        d = self.dimension
        pairs = {0: (), 1: ((1, 0),), 3: ((2, 1), (0, 2), (1, 0))}[self.spins]
        spin = [(matrix[a, b] - matrix[b, a]) / 2 for a, b in pairs]
        return np.array(spin + (list(matrix[:d, d]) if self.translates else []), dtype=matrix.dtype)

    def exp(self, x: np.ndarray) -> np.ndarray:
        """Matrix exponential of ``hat(x)``, floats only."""
        from scipy.spatial.transform import RigidTransform, Rotation

        d, s = self.dimension, self.spins
        if not s:
            return np.eye(self.matrix_size) + self.hat(x)
        if not self.translates:
            return Rotation.from_rotvec(self._in_space(x)[:3]).as_matrix()[:d, :d]
        keep = [*range(d), 3]
        return RigidTransform.from_exp_coords(self._in_space(x)).as_matrix()[np.ix_(keep, keep)]

    def log(self, g: np.ndarray) -> np.ndarray:
        """Algebra element with ``exp(x) = g`` and angle at most pi, floats only; `g` must pass `check`."""
        from scipy.spatial.transform import RigidTransform, Rotation

        d, s = self.dimension, self.spins
        if not s:
            return g[:d, d].copy()
        space = np.eye(4)
        space[:d, :d] = g[:d, :d]
        if not self.translates:
            return Rotation.from_matrix(space[:3, :3]).as_rotvec()[3 - s :]
        space[:d, 3] = g[:d, d]
        coordinates = RigidTransform.from_matrix(space).as_exp_coords()
        return np.concatenate([coordinates[3 - s : 3], coordinates[3 : 3 + d]])

    def _in_space(self, x: np.ndarray) -> np.ndarray:
        """Rotation vector and translation in R^3: the plane is that of the first two axes."""
        space = np.zeros(6)
        space[3 - self.spins : 3] = x[: self.spins]
        space[3 : 3 + len(x) - self.spins] = x[self.spins :]
        return space

    def adjoint(self, g: np.ndarray) -> np.ndarray:
        """Matrix of ``x -> vee(g hat(x) g^{-1})``, in the arithmetic of `g`.

        In R^3, ``(w, y) -> (R w, p x R w + R y)``; in the plane, ``(w, y) -> (w, R y - w J p)``.
        """
        d, s = self.dimension, self.spins
        size = s + d * self.translates
        rotation = g[:d, :d]
        matrix = np.zeros((size, size), dtype=g.dtype)
        turned = rotation if s == 3 else np.eye(s, dtype=int)
        matrix[:s, :s] = turned
        if self.translates:
            matrix[s:, s:] = rotation if s else np.eye(d, dtype=int)
            if s:
                p = g[:d, d]
                matrix[s:, :s] = skew(p) @ turned if s == 3 else -(PLANE_TURN @ p)[:, None]
        return matrix

    def check(self, g: np.ndarray, what: str) -> None:
        """Raise `DescriptionError` with the defect unless the float matrix `g` belongs to the group."""
        d = self.dimension
        rotation = g[:d, :d]
        if self.spins:
            defect = float(np.max(np.abs(rotation.T @ rotation - np.eye(d))))
            if defect > ROTATION_TOLERANCE:
                raise DescriptionError(f"{what} is not a rotation: max |R^T R - I| = {defect:.3g}")
            if np.linalg.det(rotation) < 0:
                raise DescriptionError(f"{what} is a reflection: det R = -1, a rotation has +1")
        elif np.max(np.abs(rotation - np.eye(d))) > ROTATION_TOLERANCE:
            raise DescriptionError(f"{what} is not a translation: its upper left block is not the identity")
        if self.translates and np.max(np.abs(g[d] - np.eye(d + 1)[d])) > ROTATION_TOLERANCE:
            raise DescriptionError(f"{what} has last row {g[d]}; (0, ..., 0, 1) is needed")


def matrix_group(name: str, size: int) -> MatrixGroup:
    """Matrix group ``so2``, ``so3``, ``se2``, ``se3`` or ``rn`` whose algebra has dimension `size`."""
    if name == "rn":
        return MatrixGroup(size, 0, True)
    dimension = int(name[-1])
    return MatrixGroup(dimension, 3 if dimension == 3 else 1, name.startswith("se"))
