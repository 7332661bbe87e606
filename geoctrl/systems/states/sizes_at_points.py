r"""Sizes of a recorded system at a point, from its expressions.

Accelerations z solve K z = b and their derivatives :math:`K\, \partial z = \partial b - \partial K\, z`. The
magnitude of a solution is :math:`|K^{-1}| (\mu(b) + \mu(K) |z|)`, row by row: what relative changes of all
entries make of it (Oettli and Prager).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING, Magnitudes
from geoctrl.errors import EquilibriumError, SingularMassError
from geoctrl.systems.contract.scales import Scales, largest_cycle, scales_of, symmetric_inverse
from geoctrl.systems.contract.tolerances import GAINS
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.anchors import anchors_of, arguments_without_unit
from geoctrl.systems.states.differential import Differential

__all__ = ["Measured", "SizedProgram", "moving_alike", "sized_program", "values_of"]

Pair = tuple[np.ndarray, np.ndarray]
"""Values and their magnitudes."""


def values_of(
    system: Recorded, t: float, x: np.ndarray, u: Any, params: Mapping[str, float]
) -> dict[Node, float]:
    """Numbers of all symbols of a system, by node."""
    values: dict[Node, float] = dict(zip(system.arguments, system.arguments_at(t, x, u), strict=True))
    return values | {
        node: float(params[name]) for name, node in system.parameter_nodes.items() if name in params
    }


def moving_alike(w: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Velocities (k,) of which each alone has the kinetic energy of all; zero where there is none."""
    energy, own = float(w @ M @ w), np.diag(M)
    return np.sqrt(np.where(own > 0, max(energy, 0.0) / np.where(own > 0, own, 1.0), 0.0))


class SizedProgram:
    """Nodes and the sizes of their terms, where states have at least the sizes that the description says."""

    def __init__(self, system: Recorded, nodes: Sequence[Node]) -> None:
        self._program = Magnitudes(system.graph, nodes)
        self._sizes = dict(zip(system.state_nodes, anchors_of(system).size.tolist(), strict=True))
        self._arguments, self._no_inputs = system.arguments, [0.0] * system.ninputs
        needed = {*self._program.symbols}
        self._parameters = [(k, node) for k, node in system.parameter_nodes.items() if node in needed]

    def __call__(self, t: float, x: np.ndarray, params: Mapping[str, float]) -> Pair:
        """Values and sizes (k,) each, without inputs; infinite or nan where they have none."""
        values = dict(zip(self._arguments, [*np.asarray(x).tolist(), t, *self._no_inputs], strict=True))
        for name, node in self._parameters:
            values[node] = float(params[name])
        return self._program(values, self._sizes)

    def at_members(self, t: float, x: np.ndarray, params: Mapping[str, Any]) -> Pair:
        """Values and sizes (k, N) at states (n, N), of parameters that are numbers or arrays (N,)."""
        values: dict[Node, Any] = dict(zip(self._arguments, [*x, t, *self._no_inputs], strict=True))
        values |= {node: params[name] for name, node in self._parameters}
        return self._program.at_members(values, self._sizes, x.shape[1])


def sized_program(system: Recorded, name: str, nodes: Callable[[], Sequence[Node]]) -> SizedProgram:
    """That of nodes which go by a name, kept with the system."""
    if name not in system.cache:
        system.cache[name] = SizedProgram(system, nodes())
    return system.cache[name]


class Measured:
    """Sizes of a recorded system, point by point.

    Parameters
    ----------
    differential : Differential
        Of the system.
    """

    def __init__(self, system: Recorded, differential: Differential) -> None:
        self._system, self._differential = system, differential
        g, states = system.graph, system.state_nodes
        k = len(system.assembly.velocity)
        own = [*(e for row in differential.saddle for e in row), *differential.right, *system.field_nodes[k:]]
        leaf = list(system.leaf.nodes)
        slopes = [e for row in g.jacobian(leaf, states) for e in row]
        arguments = arguments_without_unit(g, [*own, *leaf])
        angles = [e for row in g.jacobian(arguments, states) for e in row]
        counts = [len(differential.unknowns) ** 2, len(differential.unknowns), system.nstates - k]
        self._cuts = np.cumsum([*counts, len(leaf), len(slopes)])
        self._values = Magnitudes(g, [*own, *leaf, *slopes, *angles])
        self._bending = Magnitudes(g, [*own, *leaf])
        rates = (
            differential.residual_x,
            differential.residual_u,
            differential.advection_x,
            differential.advection_u,
        )
        self._rates = Magnitudes(g, [e for block in rates for row in block for e in row])
        laws = system.assembly.feedbacks
        rows = [*range(k), *(k + i for i in system.kept_index)]
        gains = [e for row in g.jacobian([law for law, _ in laws], states) for e in row]
        self._gains = Magnitudes(g, gains) if laws else None
        self._driven = Magnitudes(g, [column[i] for _, column in laws for i in rows]) if laws else None
        self._anchors = anchors_of(system)

    def __call__(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Scales:
        """Sizes at a state (n,) under inputs (m,), at a full set of parameters."""
        system, n = self._system, self._system.nstates
        values = values_of(system, 0.0, x, u, params)
        v, mu = self._values(values)
        parts = [(a, b) for a, b in zip(np.split(v, self._cuts), np.split(mu, self._cuts), strict=True)]
        saddle, right, rest, leaf, slopes, angles = parts
        inverse, saddle = self._inverse(saddle)
        z = _solution(inverse, saddle, right)
        A, B = self._derivatives(values, z, inverse, saddle)
        C = _without_rounding(slopes).reshape(-1, n)
        sizes = np.concatenate([z[1][: n - len(rest[0])], rest[1]])
        _require_numbers(A, C, sizes, leaf[1])
        rate = largest_cycle(A)
        return scales_of(
            A,
            C,
            B,
            sizes,
            leaf[1],
            self._anchor_sizes(x, values, angles[0].reshape(-1, n), rate, saddle[0]),
            rate,
            labels=system.state_labels,
            input_labels=system.input_labels,
            units=system.state_units,
        )

    def _inverse(self, saddle: Pair) -> tuple[np.ndarray, Pair]:
        """Inverse of the saddle matrix, and the matrix with its magnitudes."""
        size = len(self._differential.unknowns)
        K, sizes = (part.reshape(size, size) for part in saddle)
        if not np.all(np.isfinite(K)):
            raise _no_numbers()
        K = _without_rounding((K, sizes))
        try:
            inverse = symmetric_inverse(K)
        except np.linalg.LinAlgError:
            raise SingularMassError(
                "there are no sizes here: the mass matrix, bordered by the constraint rows, is singular"
            ) from None
        return inverse, (K, sizes)

    def _derivatives(
        self, values: Mapping[Node, float], z: Pair, inverse: np.ndarray, saddle: Pair
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the field by states and inputs without what is rounding alone."""
        unknowns, n, m = self._differential.shape
        k = len(self._system.assembly.velocity)
        known = dict(zip(self._differential.unknowns, map(float, z[0]), strict=True))
        sizes = dict(zip(self._differential.unknowns, map(float, z[1]), strict=True))
        v, mu = self._rates({**values, **known}, sizes)
        cuts = np.cumsum([unknowns * n, unknowns * m, (n - k) * n])
        by_x, by_u, advection, explicit = zip(np.split(v, cuts), np.split(mu, cuts), strict=True)
        through_laws = self._feedback_terms(values)
        by_x[1].reshape(unknowns, n)[:k] += through_laws[:k]
        advection[1].reshape(n - k, n)[: len(through_laws) - k] += through_laws[k:]
        solved = [
            _solution(inverse, saddle, (part[0].reshape(unknowns, width), part[1].reshape(unknowns, width)))
            for part, width in ((by_x, n), (by_u, m))
        ]
        top_x, top_u = (_without_rounding((value[:k], size[:k])) for value, size in solved)
        A = np.vstack([top_x, _without_rounding(advection).reshape(n - k, n)])
        return A, np.vstack([top_u, _without_rounding(explicit).reshape(n - k, m)])

    def _feedback_terms(self, values: Mapping[Node, float]) -> np.ndarray:
        """Derivatives by states that go through feedbacks, terms added up: as much as counts as rounding.

        The numbers of such a derivative are one number in the equations of a loop, in which nothing tells of
        the terms that cancelled.
        """
        n = self._system.nstates
        if self._gains is None or self._driven is None:
            return np.zeros((len(self._system.assembly.velocity), n))
        gains, driven = self._gains(values)[1].reshape(-1, n), self._driven(values)[1]
        with np.errstate(all="ignore"):
            found = GAINS / ROUNDING * (driven.reshape(len(gains), -1).T @ gains)
        return np.where(np.isfinite(found), found, 0.0)

    def _anchor_sizes(
        self,
        x: np.ndarray,
        values: Mapping[Node, float],
        slopes: np.ndarray,
        rate: float,
        saddle: np.ndarray,
    ) -> np.ndarray:
        """Anchors (n,) of the states."""
        given, own = np.abs(x), self._anchors.size.copy()
        own[self._anchors.turns] = np.maximum(own[self._anchors.turns], rate)
        steepest = np.max(np.abs(slopes), axis=0, initial=0.0)
        with np.errstate(divide="ignore"):
            own = np.where((steepest > 0) & np.isfinite(steepest), np.maximum(own, 1 / steepest), own)
        for places in self._anchors.alike:
            given[places] = np.max(given[places])
        k = len(self._system.assembly.velocity)
        own[:k] = np.where(own[:k] > 0, own[:k], moving_alike(x[:k], saddle[:k, :k]))
        bare = np.flatnonzero(own == 0)
        if bare.size:
            bent = self._bending.bends(values, [self._system.state_nodes[i] for i in bare])
            own[bare] = np.where(np.isfinite(bent), bent, 0.0)
        return np.maximum(own, given)


def _solution(inverse: np.ndarray, saddle: Pair, right: Pair) -> Pair:
    z = inverse @ right[0]
    return z, np.abs(inverse) @ (right[1] + saddle[1] @ np.abs(z))


def _without_rounding(given: Pair) -> np.ndarray:
    value, size = given
    return np.where(np.abs(value) > ROUNDING * size, value, 0.0)


def _require_numbers(*arrays: np.ndarray) -> None:
    if not all(np.all(np.isfinite(a)) for a in arrays):
        raise _no_numbers()


def _no_numbers() -> EquilibriumError:
    return EquilibriumError(
        "there are no sizes at this point: a value or a derivative of the equations is no number there, or "
        "exceeds the doubles; take another point, or other units"
    )
