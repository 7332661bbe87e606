r"""Factors of a configuration space: a place in R^3, a direction on S^2, an attitude in SO(3).

A factor has rows of three numbers (a place x, a direction q, the three rows of an attitude R) and a velocity
of three. What is the same for all of them is asked of a factor, of stacks of its kind at once: arrays
``z (..., rows, 3)`` and ``w (..., 3)``.

================  =====================================  =========================  =====================
factor            rate                                   velocity                   tangent vectors
================  =====================================  =========================  =====================
`Place`           :math:`\dot x = v`                     of the reference (m/s)     all, or given axes
`Direction`       :math:`\dot q = \omega \times q`       in space, orthogonal to q  :math:`\eta \times q`
`Attitude`        :math:`\dot R = R \hat\Omega`          in the body (rad/s)        :math:`R \hat\eta`
================  =====================================  =========================  =====================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import exact, shown
from geoctrl.errors import ConstraintError, DescriptionError, InputError
from geoctrl.manifolds.reading import vector
from geoctrl.manifolds.turns import exp, hat, nearest_rotations, require_right_handed, rotation_defect

__all__ = ["Attitude", "Direction", "Factor", "Place", "lengths_of"]

PLACE, DIRECTION, ATTITUDE = 0, 1, 2
_UPPER = tuple((a, b) for a in range(3) for b in range(a, 3))


class Factor(ABC):
    """One factor of a configuration space, with its symbols.

    Parameters
    ----------
    name : str
        Of the configuration; its symbols are ``name_1``, ``name_2``, ... or ``name_11``, ...
    velocity : str, optional
        Name of the velocity. By default the letter of the kind with what the name adds to its own:
        "omega2" for the direction "q2", "omega_arm" for "arm".

    Attributes
    ----------
    z : sympy Matrix
        Symbols of the configuration, (3, 1) or (3, 3).
    rate : sympy Matrix
        Symbols of its derivative.
    velocity : sympy Matrix (3, 1)
        Symbols of the velocity.
    """

    kind: ClassVar[int]
    letters: ClassVar[tuple[str, str]]
    shape: ClassVar[tuple[int, ...]]
    rows: ClassVar[int]
    relations: ClassVar[tuple[str, ...]]
    """What vanishes on the manifold, with ``{first}`` and ``{second}`` for the two parts."""

    def __init__(self, name: str, velocity: str | None = None) -> None:
        for what, given in (("name", name), ("velocity", velocity)):
            if not (given is None and what == "velocity") and not (isinstance(given, str) and given):
                raise DescriptionError(f"{what} of a factor must be text, got {shown(given)}")
        self.name = name
        self.velocity_name = self._velocity_of(name) if velocity is None else velocity

    def _velocity_of(self, name: str) -> str:
        first, second = self.letters
        rest = name[len(first) :] if name.startswith(first) else None
        return second + rest if rest is not None and (not rest or rest.isdigit()) else f"{second}_{name}"

    @property
    @abstractmethod
    def z(self) -> sp.Matrix:
        """Symbols of the configuration."""

    @cached_property
    def rate(self) -> sp.Matrix:
        """Symbols of the derivative of the configuration."""
        return self.z.applyfunc(lambda s: sp.Symbol(f"{s}_dot", real=True))

    @cached_property
    def velocity(self) -> sp.Matrix:
        """Symbols of the velocity."""
        return vector(self.velocity_name)

    @property
    def key(self) -> Any:
        """What factors have in common that are asked as one stack."""
        return self.kind

    @property
    @abstractmethod
    def freedom(self) -> int:
        """Degrees of freedom."""

    # -- in symbols -----------------------------------------------------------------------------

    @abstractmethod
    def rates_of(self, velocity: sp.Matrix) -> sp.Matrix:
        """The derivative of the configuration that a velocity gives it, in symbols."""

    @abstractmethod
    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """The velocity of a configuration that turns with axes of this rate, in symbols."""

    @abstractmethod
    def rate_matrix(self) -> sp.Matrix:
        """Derivative (3 rows, 3) of `rates_of` by the velocity, in symbols."""

    @abstractmethod
    def own_inertia(self, G: sp.Matrix) -> sp.Matrix | None:
        """Inertia (3, 3) of the velocity where that is simpler than by `rate_matrix`; else None.

        Parameters
        ----------
        G : sympy Matrix (3 rows, 3 rows)
            Of the rates of the configuration.
        """

    @abstractmethod
    def relation_expressions(self) -> list[sp.Expr]:
        """What vanishes for configurations, in symbols."""

    # -- values ---------------------------------------------------------------------------------

    @abstractmethod
    def project(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest configurations, where there are such, and velocities that go with them."""

    @abstractmethod
    def defects(self, z: np.ndarray, w: np.ndarray, names: tuple[str, str]) -> dict[str, np.ndarray]:
        """Sizes (n,) of what n starts miss the manifold by, in words with the ``names`` of their parts.

        Raises
        ------
        ConstraintError
            If nothing on the manifold is nearest.
        """

    @abstractmethod
    def relation_defects(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Values (..., r) of the `relations`."""

    @abstractmethod
    def generic(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Configurations (count, rows, 3) and velocities (count, 3) of no particular kind."""

    @abstractmethod
    def rates(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Derivatives of configurations."""

    @abstractmethod
    def turned(self, T: np.ndarray, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States turned by rotations T (..., 3, 3) of the reference."""

    @abstractmethod
    def still(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Velocities of configurations that turn with axes of this rate (3,)."""

    @abstractmethod
    def still_gradient(self, z: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Derivatives (..., 3, 3 rows) of `still` by the configuration."""

    @abstractmethod
    def turning(self, turn: np.ndarray) -> np.ndarray:
        """Derivative (3 rows + 3, 3 rows + 3) of the rate that axes add which turn with this rate."""

    @abstractmethod
    def moments(self, z: np.ndarray, F: np.ndarray) -> np.ndarray:
        """What ambient covectors F (..., rows, 3) are in the components of the velocity."""

    @abstractmethod
    def tangent(self, z: np.ndarray) -> np.ndarray:
        """Derivatives (..., rows, 3, freedom) of configurations by tangent coordinates."""

    @abstractmethod
    def turns(self, z: np.ndarray) -> np.ndarray:
        """Velocities (..., 3, freedom) that move a configuration along the columns of `tangent`."""

    @abstractmethod
    def retract(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Configurations moved by tangent coordinates y (..., freedom)."""

    @abstractmethod
    def leaf_gradient(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Gradients (..., r, 3 rows + 3) of the `relations`."""

    @abstractmethod
    def leaf_basis(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Orthonormal variations of states that stay on the leaf: those that move configurations, and those
        of velocities alone, (..., 3 rows + 3, freedom) each.
        """

    @abstractmethod
    def constant_vectors(self) -> list[list[int]]:
        """Places in ``z`` of vectors of unit length."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


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

    kind, letters, shape, rows = PLACE, ("x", "v"), (3,), 1

    def __init__(self, name: str, velocity: str | None = None, axes: Any = None) -> None:
        super().__init__(name, velocity)
        self.axes = np.eye(3) if axes is None else _axes(axes)
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

    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """W x x."""
        return turn.cross(self.z)

    def rate_matrix(self) -> sp.Matrix:
        """The identity."""
        return sp.eye(3)

    def own_inertia(self, G: sp.Matrix) -> sp.Matrix | None:
        """The inertia itself."""
        return G

    def relation_expressions(self) -> list[sp.Expr]:
        """Products with normals of the line or plane, which annihilate the axes exactly."""
        axes = sp.Matrix(self.freedom, 3, [sp.Rational(exact(float(e))) for e in self.axes.ravel()])
        return [n.dot(self.z) for n in axes.nullspace()]

    def project(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Within the line or the plane."""
        P = self.axes.T @ self.axes
        return (z.copy(), w.copy()) if len(self.axes) == 3 else (z @ P, w @ P)

    def defects(self, z: np.ndarray, w: np.ndarray, names: tuple[str, str]) -> dict[str, np.ndarray]:
        """Distances from the line or plane, and of the velocity from it."""
        if not len(self.normals):
            return {}
        off = [np.linalg.norm(a @ self.normals.T, axis=-1) for a in (z[..., 0, :], w)]
        return {f"{name} across the axes that hold it": size for name, size in zip(names, off, strict=True)}

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

    def constant_vectors(self) -> list[list[int]]:
        """None."""
        return []


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

    kind, letters, shape, rows = DIRECTION, ("q", "omega"), (3,), 1
    freedom = 2
    relations = ("|{first}|^2 - 1", "{first}.{second}")

    @cached_property
    def z(self) -> sp.Matrix:
        """Symbols of the direction."""
        return vector(self.name)

    def rates_of(self, velocity: sp.Matrix) -> sp.Matrix:
        """omega x q."""
        return velocity.cross(self.z)

    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """W - q (q.W)."""
        return turn - self.z * self.z.dot(turn)

    def rate_matrix(self) -> sp.Matrix:
        """-hat(q)."""
        return self.z.hat().T

    def own_inertia(self, G: sp.Matrix) -> sp.Matrix | None:
        """m I of m I: of velocities that are orthogonal to q."""
        return G if G[0, 0] * sp.eye(3) == G else None

    def relation_expressions(self) -> list[sp.Expr]:
        """q.q - 1."""
        return [self.z.dot(self.z) - 1]

    def project(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unit directions, and velocities made orthogonal to them."""
        q = z[..., 0, :]
        q = q / np.linalg.norm(q, axis=-1, keepdims=True)
        return q[..., None, :], w - np.sum(q * w, axis=-1, keepdims=True) * q

    def defects(self, z: np.ndarray, w: np.ndarray, names: tuple[str, str]) -> dict[str, np.ndarray]:
        """Of unit length, and of the angle between direction and velocity."""
        q, size = z[:, 0], np.maximum(1.0, np.linalg.norm(w, axis=-1))
        first, second = names
        length = lengths_of(f"{first}0", q)
        return {
            f"|{first}| - 1": np.abs(length - 1),
            f"{first}.{second}": np.abs(np.sum(q * w, axis=-1)) / size,
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

    def constant_vectors(self) -> list[list[int]]:
        """The direction."""
        return [[0, 1, 2]]


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

    kind, letters, shape, rows = ATTITUDE, ("R", "Omega"), (3, 3), 3
    freedom = 3
    relations = tuple(f"({{first}}^T {{first}}){a + 1}{b + 1}{' - 1' * (a == b)}" for a, b in _UPPER)

    @cached_property
    def z(self) -> sp.Matrix:
        """Symbols of the matrix."""
        axes = (1, 2, 3)
        return sp.Matrix([[sp.Symbol(f"{self.name}_{a}{b}", real=True) for b in axes] for a in axes])

    def rates_of(self, velocity: sp.Matrix) -> sp.Matrix:
        """R hat(Omega)."""
        return self.z * velocity.hat()

    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """R^T W."""
        return self.z.T * turn

    def rate_matrix(self) -> sp.Matrix:
        """R hat(Omega), row by row."""
        return sp.Matrix.vstack(*(self.z[r, :].T.hat() for r in range(3)))  # rows r x Omega

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

    def defects(self, z: np.ndarray, w: np.ndarray, names: tuple[str, str]) -> dict[str, np.ndarray]:
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

    def constant_vectors(self) -> list[list[int]]:
        """Rows and columns."""
        grid = np.arange(9).reshape(3, 3)
        return [list(map(int, line)) for line in (*grid, *grid.T)]


def lengths_of(name: str, q: np.ndarray) -> np.ndarray:
    """Lengths (n,) of vectors (n, 3); ConstraintError for zero."""
    size = np.linalg.norm(q, axis=-1)
    if np.any(size == 0):
        raise ConstraintError(
            f"{name}[{int(np.argmin(size))}] is zero and has no direction; give a vector that has one"
        )
    return size


def _axes(given: Any) -> np.ndarray:
    """Orthonormal axes (k, 3); InputError for any other."""
    axes = np.atleast_2d(finite_array("axes", given))
    sizes = np.linalg.norm(axes, axis=-1)
    if axes.ndim != 2 or axes.shape[1] != 3 or not 1 <= len(axes) <= 3 or not np.all(sizes > 0):
        raise InputError(f"axes must be 1 to 3 directions (k, 3), got {np.asarray(given).tolist()}")
    axes = axes / sizes[:, None]
    if np.max(np.abs(axes @ axes.T - np.eye(len(axes)))) > 1e-12:
        raise InputError(f"axes must be orthogonal to each other, got {np.asarray(given).tolist()}")
    return axes
