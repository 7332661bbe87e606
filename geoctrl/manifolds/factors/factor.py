"""What every factor of a configuration space answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._checks import require_printable
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node, shown
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.vectors.entries import number_of_bodies, vector

__all__ = ["Factor", "bodies_alike", "cross", "names_of", "symbols_of_bodies"]


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
    relations: tuple[str, ...]
    """What vanishes on the manifold, with ``{first}`` and ``{second}`` for the two parts."""
    bends: ClassVar[bool] = True
    """Whether rates depend on the configuration: linearly."""
    still_bends: ClassVar[bool] = False
    """Whether `still` is quadratic in the configuration, else linear."""

    name: str
    velocity_name: str

    @property
    @abstractmethod
    def z(self) -> sp.Matrix:
        """Symbols of the configuration."""

    @property
    def labels(self) -> list[str]:
        """Labels of the configuration; symbols are made when asked for, of many bodies never."""
        axes = "123"
        places = axes if self.rows == 1 else [a + b for a in axes for b in axes]
        return [f"{self.name}_{place}" for place in places]

    @property
    def velocity_labels(self) -> list[str]:
        """Labels of the velocity."""
        return [f"{self.velocity_name}_{k}" for k in "123"]

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
    def velocity_of(self, rate: sp.Matrix) -> sp.Matrix:
        """The velocity that gives a configuration this derivative, in symbols."""

    def working(self, force: sp.Matrix) -> list[sp.Expr]:
        """What does the work of a generalised force of the description on the entries of the
        configuration.
        """
        return list(force)

    @abstractmethod
    def carried(self, turn: sp.Matrix) -> sp.Matrix:
        """The velocity of a configuration that turns with axes of this rate, in symbols."""

    @abstractmethod
    def rate_matrix(self) -> sp.Matrix:
        """Derivative (3 rows, 3) of `rates_of` by the velocity, in symbols."""

    @abstractmethod
    def moment_nodes(self, z: Sequence[Node], F: Sequence[Node]) -> list[Node]:
        """`moments` in nodes, of entries one after the other."""

    @abstractmethod
    def gyroscopic_nodes(self, w: Sequence[Node], p: Sequence[Node]) -> list[Node]:
        """What the turning of the axes of the velocity adds to the rate of a momentum, in nodes."""

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
    def defects(
        self, z: np.ndarray, w: np.ndarray, names: tuple[str, str], beside: tuple[float, float] = (0.0, 0.0)
    ) -> dict[str, np.ndarray]:
        """Sizes (n,) of what n starts miss the manifold by, in words with the ``names`` of their parts.

        What has a unit is judged beside the largest, of these starts and of other factors: ``beside`` are
        the largest configuration and velocity of places, or of what turns.

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
    def by_velocity(self, z: np.ndarray) -> np.ndarray:
        """Derivatives (..., 3 rows, 3) of `rates` by the velocity."""

    @abstractmethod
    def by_place(self, w: np.ndarray) -> np.ndarray:
        """Derivatives (..., 3 rows, 3 rows) of `rates` by the configuration."""

    def moment_gradient(self, F: np.ndarray) -> np.ndarray:
        """Derivatives (..., 3, 3 rows) of `moments` by the configuration."""
        flat = F.reshape(*F.shape[:-2], 3 * self.rows)
        return np.stack([flat @ self.by_place(unit) for unit in np.eye(3)], axis=-2)

    @abstractmethod
    def work(self, z: np.ndarray) -> np.ndarray:
        """Derivatives (..., 3, 3) of generalised forces in the components of the velocity by forces."""

    def work_gradient(self, f: np.ndarray) -> np.ndarray:
        """Derivatives (..., 3, 3 rows) of these by the configuration: zero where it does not matter."""
        return np.zeros((*f.shape, 3 * self.rows))

    @abstractmethod
    def holding(self, z: np.ndarray) -> np.ndarray:
        """Rows (..., c, 3) of relations of accelerations; `holding_gradients` has the rest of them."""

    def holding_gradients(
        self, z: np.ndarray, w: np.ndarray, a: np.ndarray, turn: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of these relations by configuration and velocity, (..., c, 3 rows) and (..., c, 3)."""
        held = self.holding(z)
        return np.zeros((*held.shape[:-1], 3 * self.rows)), np.zeros_like(held)

    @abstractmethod
    def spatial(self, z: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Moments (..., 3) about the origin of momenta in the components of the velocity."""

    @abstractmethod
    def spatial_gradient(self, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `spatial` by the configuration (..., 3, 3 rows) and the momentum (..., 3, 3)."""

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

    @staticmethod
    @abstractmethod
    def share(distance: float) -> float:
        """The share of all configurations, spread evenly, that are nearer to one than a distance."""

    @abstractmethod
    def constant_vectors(self) -> list[list[int]]:
        """Places in ``z`` of vectors of unit length."""

    def _lines(self) -> list[str]:
        return [f"{type(self).__name__}({self.name!r})"]

    full = full_text
    __repr__ = short_form


def names_of(letters: tuple[str, str], name: Any, velocity: Any) -> tuple[str, str]:
    """Names of a configuration and of its velocity."""
    for what, given in (("name", name), ("velocity", velocity)):
        if not (isinstance(given, str) and given) and not (given is None and what == "velocity"):
            raise DescriptionError(f"{what} of a factor must be text, got {shown(given)}")
    require_printable("the name of a factor", [name, velocity])
    first, second = letters
    rest = name[len(first) :] if name.startswith(first) else "-"
    own = second + rest if not rest or rest.isdigit() else f"{second}_{name}"
    return name, own if velocity is None else velocity


def bodies_alike(kind: Any, n: Any) -> list[Any]:
    """Factors of one kind, of bodies 1 to n; InputError unless n is a positive integer."""
    return [kind(f"{kind.letters[0]}{i}") for i in number_of_bodies(n)]


def symbols_of_bodies(kind: Any, n: Any) -> tuple[tuple[sp.Matrix, ...], tuple[sp.Matrix, ...]]:
    """Symbols of the configurations and of the velocities of n bodies that are alike."""
    bodies = bodies_alike(kind, n)
    return tuple(f.z for f in bodies), tuple(f.velocity for f in bodies)


def cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """a x b, of nodes or any other numbers."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
