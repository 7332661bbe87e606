r"""Exact first derivatives of the equations of motion, in every arithmetic.

The accelerations z = (w', lambda) solve K(x) z = b(x) with the saddle matrix K. Differentiating,
K dz = db - dK z, so that only derivatives of the small expressions M, h, B, Bdot w are recorded and
the solve is left to the linear algebra of the arithmetic at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Node, Program
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING
from geoctrl.errors import SingularMassError
from geoctrl.systems.contract.scales import binary_scaling, symmetric_inverse
from geoctrl.systems.equations.recorded_system import Recorded

__all__ = ["Differential", "RatesAlong", "slopes_of"]


class Differential:
    """Nodes of K, of the derivatives of ``b - K z`` at fixed z, and of those of Gammadot.

    Attributes
    ----------
    saddle : rows of nodes of K = [[M, -B^T], [B, 0]]
    residual_x, residual_u : rows of nodes, derivatives of b - K z by states and inputs
    advection_x, advection_u : rows of nodes, derivatives of Gammadot by states and inputs
    unknowns : list of Node
        Symbols that stand for z.
    """

    def __init__(self, system: Recorded) -> None:
        self._system = system
        a, g = system.assembly, system.graph
        k, r = len(a.velocity), len(a.rows)
        self.unknowns = [g.symbol(f"unknown {i}", STATE) for i in range(k + r)]
        self.saddle = [
            *([*a.mass[i], *(-a.rows[b][i] for b in range(r))] for i in range(k)),
            *([*a.rows[b], *[g.zero] * r] for b in range(r)),
        ]
        right = [*a.force, *(-d for d in a.drift)]
        residual = a.left_over(self.unknowns)
        self.right = right
        self.residual_x = g.jacobian(residual, system.state_nodes)
        self.residual_u = g.jacobian(residual, a.inputs)
        self.advection_x = g.jacobian(system.field_nodes[k:], system.state_nodes)
        self._flat = [e for row in self.saddle for e in row]
        self._flat += [e for row in self.residual_x for e in row] + [
            e for row in self.residual_u for e in row
        ]
        self._flat += [e for row in self.advection_x for e in row]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of unknowns, states and inputs."""
        return len(self.unknowns), self._system.nstates, self._system.ninputs

    def split(self, values: Iterable[Any]) -> tuple[list, list, list, list]:
        """Rows of K, residual_x, residual_u and advection_x from their flat values."""
        it = iter(values)
        blocks = [[[next(it) for _ in range(cols)] for _ in range(rows)] for rows, cols in self._shapes()]
        return blocks[0], blocks[1], blocks[2], blocks[3]

    def _shapes(self) -> tuple[tuple[int, int], ...]:
        z, n, m = self.shape
        return (z, z), (z, n), (z, m), (n - len(self._system.assembly.velocity), n)

    @property
    def nodes(self) -> list[Node]:
        """All nodes, flat, in the order that `split` expects."""
        return self._flat

    @cached_property
    def _solution(self) -> Program:
        a = self._system.assembly
        return self._system.program([*a.acceleration, *a.multipliers])

    @cached_property
    def _program(self) -> Program:
        system = self._system
        arguments = [*system.arguments, *self.unknowns]
        return Program(system.graph, arguments, system.assembly.parameters, self._flat)

    @cached_property
    def _equations(self) -> Program:
        return self._system.program([*(e for row in self.saddle for e in row), *self.right])

    def refined_accelerations(
        self, acceleration: np.ndarray, arguments: Sequence[Any], params: Mapping[str, float]
    ) -> np.ndarray:
        r"""Accelerations (k,) as K z = b has them where the recorded elimination has lost them.

        Elimination adds terms where K has zeros, and what is left where they cancel may exceed a relative
        change of the entries of K and b. One step of refinement is free of that, componentwise,
        :math:`|\delta z| \le \epsilon |K^{-1}| (|b| + |K| |z|)` (R. D. Skeel, Iterative refinement implies
        numerical stability for Gaussian elimination, 1980). Accelerations within this bound stay as they are;
        so do all where K is singular.
        """
        values, n = np.asarray(self._equations(arguments, params), dtype=float), len(self.unknowns)
        K, b = values[: n * n].reshape(n, n), values[n * n :]
        if not np.all(np.isfinite(values)):
            return acceleration
        try:
            inverse = symmetric_inverse(K)
        except np.linalg.LinAlgError:
            return acceleration
        z = inverse @ b
        z = z + inverse @ (b - K @ z)
        rounding = ROUNDING * (np.abs(inverse) @ (np.abs(b) + np.abs(K) @ np.abs(z)))
        k = len(acceleration)
        return np.where(np.abs(z[:k] - acceleration) > rounding[:k], z[:k], acceleration)

    def numeric(
        self, arguments: Sequence[Any], params: Mapping[str, Any], throw: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians (n, n) and (n, m) of the field; a leading axis nt where arguments or parameters have one.

        Where masses are singular an error, or nan if not ``throw``.
        """
        system = self._system
        z = self._solution(arguments, params)
        values = self._program([*arguments, *z], params)
        saddle, by_x, by_u, advection = (
            np.moveaxis(
                np.array(block, dtype=values.dtype).reshape(*shape, *values.shape[1:]), (0, 1), (-2, -1)
            )
            for block, shape in zip(self.split(values), self._shapes(), strict=True)
        )
        k = len(system.assembly.velocity)
        right = np.concatenate([by_x, by_u], axis=-1)
        sizes = np.abs(saddle, where=np.isfinite(saddle), out=np.zeros(saddle.shape))
        t = binary_scaling(np.max(sizes, axis=tuple(range(saddle.ndim - 2)), initial=0.0))[:, None]
        try:
            solved = (t * np.linalg.solve(t * saddle * t.T, t * right))[..., :k, :]
        except np.linalg.LinAlgError:
            if throw:
                raise SingularMassError(
                    "the equations have no derivative here: the mass matrix, bordered by the constraint "
                    "rows, is singular"
                ) from None
            solved = (t * _single_solutions(t * saddle * t.T, t * right))[..., :k, :]
        n, m = system.nstates, system.ninputs
        top_x, top_u = solved[..., :n], solved[..., n:]
        if self.moved_by_inputs:
            given = self._explicit(arguments, params)
            below = np.moveaxis(given.reshape(n - k, m, *given.shape[1:]), (0, 1), (-2, -1))
        else:
            below = np.zeros((*top_u.shape[:-2], n - k, m))
        return np.concatenate([top_x, advection], axis=-2), np.concatenate([top_u, below], axis=-2)

    @cached_property
    def advection_u(self) -> list[list[Node]]:
        """Rows of nodes, derivatives of the rates below the accelerations by the inputs."""
        k = len(self._system.assembly.velocity)
        return self._system.graph.jacobian(self._system.field_nodes[k:], self._system.assembly.inputs)

    @cached_property
    def moved_by_inputs(self) -> bool:
        """Whether inputs enter rates that are no accelerations, as those of a vector field are."""
        return any(not e.is_zero for row in self.advection_u for e in row)

    @cached_property
    def _explicit(self) -> Program:
        return self._system.program([e for row in self.advection_u for e in row])


class RatesAlong:
    """Jacobians of rates that are evaluated along a tree, by their derivative along a direction.

    The derivative takes some twice the instructions of the rates, for any number of states.
    """

    def __init__(self, system: Recorded) -> None:
        g, self._system = system.graph, system
        moving = [*system.state_nodes, *system.assembly.inputs]
        directions = [g.symbol(f"direction {i}", STATE) for i in range(len(moving))]
        rates = g.push_forward(system.evaluated_rates, dict(zip(moving, directions, strict=True)))
        self._program = Program(g, [*system.arguments, *directions], system.assembly.parameters, rates)

    def numeric(
        self, arguments: Sequence[Any], params: Mapping[str, Any], throw: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `Differential.numeric`."""
        n, m = self._system.nstates, self._system.ninputs
        shape = np.broadcast_shapes(*map(np.shape, arguments), *map(np.shape, params.values()))
        count = int(np.prod(shape))

        def for_each(a: Any) -> np.ndarray:
            return np.repeat(np.broadcast_to(a, shape).ravel(), n + m)

        unit = np.tile(np.eye(n + m), count)
        many = {k: for_each(v) if np.ndim(v) else v for k, v in params.items()}
        found = self._program([*map(for_each, arguments), *unit], many)
        if throw and not np.all(np.isfinite(found)) and np.all([np.isfinite(a).all() for a in arguments]):
            raise SingularMassError("the equations have no derivative here: the mass matrix is singular")
        slopes = np.moveaxis(found.reshape(n, *shape, n + m), 0, -2)
        return slopes[..., :n], slopes[..., n:]


def slopes_of(system: Any) -> Differential | RatesAlong:
    """What Jacobians of a recorded system are evaluated by, kept with it."""
    if system.assembly.pivot_places is None:
        return system.differential
    if "slopes" not in system.cache:
        system.cache["slopes"] = RatesAlong(system)
    return system.cache["slopes"]


def _single_solutions(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solutions of some systems, nan of those that are singular."""
    found = np.full(right.shape, np.nan)
    for place in np.ndindex(matrices.shape[:-2]):
        with suppress(np.linalg.LinAlgError):
            found[place] = np.linalg.solve(matrices[place], right[place])
    return found
