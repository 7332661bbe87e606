r"""Velocities after an impact, from the inertia and the rows of what is struck.

With rows J of what is struck, of which :math:`y = J\xi` are the velocities, and rows A that stay in force,

.. math::

    M(\xi^+ - \xi^-) = J^T\lambda + A^T\nu, \qquad y^+ = -E y^-, \qquad A\xi^+ = 0,
    \qquad E = \mathrm{diag}(e_1, \dots, e_k).

From :math:`A\xi^- = 0` and with :math:`W = (J N J^T)^{-1}`, where N is the inverse of M on the kernel of A,

.. math::

    \lambda = W(y^+ - y^-), \qquad
    T^+ - T^- = \tfrac12\lambda\cdot(y^+ + y^-) = \tfrac12 (y^{+T} W y^+ - y^{-T} W y^-),

which is not positive whatever strikes where W - E W E is positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geoctrl._scalars import Graph, Node
from geoctrl._scalars.graph.symmetric_elimination import dot, solve_saddle

__all__ = ["Collision", "collision", "gains_energy", "inverse_loads", "worst_dependence"]

_ROUNDING = 1e-12

Matrix = Sequence[Sequence[Node]]


@dataclass(frozen=True)
class Collision:
    """Nodes of an impact.

    Attributes
    ----------
    velocity : list of Node
        Velocities after it.
    impulses : list of Node
        One for each row that is struck.
    approach, departure : list of Node
        Velocities of the rows before and after.
    change : Node
        T+ - T-, by the formula.
    pivots : list of Node
        Of the inertia, then of what impulses change the velocities of the rows by: both are positive definite
        where all of them are positive.
    solvable : bool
        Whether the rows are independent of each other at all.
    """

    velocity: list[Node]
    impulses: list[Node]
    approach: list[Node]
    departure: list[Node]
    change: Node
    pivots: list[Node]
    solvable: bool


def collision(
    graph: Graph, mass: Matrix, velocity: Sequence[Node], struck: Matrix, kept: Matrix, e: Sequence[Node]
) -> Collision:
    """The impact of rows ``struck`` with restitutions ``e``, while rows ``kept`` stay in force."""
    momentum = [dot(graph, row, velocity) for row in mass]
    approach = [dot(graph, row, velocity) for row in struck]
    departure = [-(factor * y) for factor, y in zip(e, approach, strict=True)]
    drift = [*(-y for y in departure), *[graph.zero] * len(kept)]
    after, multipliers, pivots = solve_saddle(graph, mass, momentum, [*struck, *kept], drift)
    impulses = multipliers[: len(struck)]
    parts = [impulse * (a + b) for impulse, a, b in zip(impulses, departure, approach, strict=False)]
    half = graph.one / graph.number(2)
    return Collision(after, impulses, approach, departure, half * graph.add(parts), pivots, bool(multipliers))


def inverse_loads(mass: np.ndarray, struck: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """J N J^T (k, k): what impulses of one change the velocities of the rows by."""
    n, a = mass.shape[0], kept.shape[0]
    bordered = np.block([[mass, kept.T], [kept, np.zeros((a, a))]])
    right = np.vstack([struck.T, np.zeros((a, struck.shape[0]))])
    return struck @ np.linalg.lstsq(bordered, right, rcond=None)[0][:n]


def worst_dependence(loads: np.ndarray, alone: np.ndarray) -> list[int]:
    """Rows that depend on each other at an impact, empty where none do.

    Parameters
    ----------
    loads, alone : (k, k) and (k,)
        J N J^T, and the diagonal of J M^-1 J^T: rows which those in force leave no motion have nothing left.
    """
    if not np.all(np.isfinite(loads)):
        return list(range(len(alone)))
    size = np.sqrt(np.where(alone > 0, alone, 1.0))
    values, vectors = np.linalg.eigh(loads / np.outer(size, size))
    if values[0] > _ROUNDING:
        return []
    return [i for i, share in enumerate(np.abs(vectors[:, 0])) if share > _ROUNDING**0.5]


def gains_energy(loads: np.ndarray, e: np.ndarray) -> bool:
    """Whether some velocity before the impact has more energy after it: W - E W E is not semidefinite."""
    size = np.sqrt(np.diag(loads))
    W = np.linalg.inv(loads / np.outer(size, size))
    least = np.linalg.eigvalsh(W - e[:, None] * W * e)[0]
    return bool(least < -_ROUNDING * np.linalg.norm(W, 2))
