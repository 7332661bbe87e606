r"""The equations of a relative periodic orbit near a guess, by multiple shooting.

Unknowns are states :math:`x_0, \dots, x_{m-1}` at equal parts of the period, the period T, up to turns their
angle :math:`\phi`, and along a branch the value of a parameter p:

.. math::

    \varphi_{T/m}(x_i; p) = x_{i+1}, \qquad \varphi_{T/m}(x_{m-1}; p) = S(\phi)\,x_0 + d,

with the relations of the leaf, the conserved functions at their values at the guess, and conditions that
choose the start among the states of one orbit: :math:`f(\bar x)\cdot(x_0 - \bar x) = 0`, and
:math:`A\bar x\cdot(x_0 - \bar x) = 0` for turns. In equations that hold the time with a period P the period
:math:`T = kP` is no unknown, the start is the state at t = 0, and there is no first condition. Integrals over
a shape, which have gradients and no values,
are held to first order. Closing repeats what is conserved, so that there are more
equations than unknowns, of full rank: Gauss-Newton. What is found does not depend on m.

Unknowns and equations are numbers without units: states over their sizes at the guess
(`geoctrl.systems.contract.scales`), the period over that of the guess, a parameter over its own size, what is
conserved over the lengths of its gradients there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.analysis.question.shape_integrals import shape_jets
from geoctrl.errors import EquilibriumError
from geoctrl.orbits.enclosures.orbit_symmetries import Closing
from geoctrl.orbits.forcing import Forcing
from geoctrl.simulation.derivatives.flow_derivative import FlowVariations

__all__ = ["RANK", "Along", "Shooting"]

RANK = 1e-10
"""Singular value, relative to the largest, along which no step is taken."""
_SAMPLES = 16
"""Of the motion of a guess, by which sizes are told."""
_RESTS = 1e-6
"""Way over a period at the rate of a state, in sizes of states, below which a solution is an equilibrium."""


@dataclass(frozen=True)
class Along:
    """The parameter, or the conserved function, that a branch goes along, and its size."""

    name: str
    size: float
    conserved: bool = False


@dataclass(frozen=True, eq=False)
class Shooting:
    """The equations of an orbit near a guess.

    Attributes
    ----------
    guess : ndarray (n,)
        The state x-bar.
    params : dict
        At the guess, all by name.
    segments : int
        m.
    period : float
        That of the guess, which periods are told in.
    along : Along or None
        A parameter that is an unknown, or a conserved function whose level is one.
    offset : ndarray (n,) or 0
        d, whole turns of angles.
    forcing : Forcing or None
        P, where the equations hold the time.
    cycles : int
        k.
    """

    system: Any
    guess: np.ndarray
    u: np.ndarray
    params: dict[str, float]
    closing: Closing
    segments: int
    period: float
    along: Along | None = None
    offset: np.ndarray | float = 0.0
    forcing: Forcing | None = None
    cycles: int = 1

    def next_to_state(self, x: np.ndarray, params: dict[str, float]) -> Shooting:
        """The same equations and levels with the start chosen next to another state."""
        other = replace(self, guess=x, params=params)
        other.__dict__.update(flow=self.flow, sizes=self.sizes, target_levels=self.target_levels)
        return other

    @cached_property
    def flow(self) -> FlowVariations:
        """The flow with its derivatives."""
        return FlowVariations(
            *(self.system, self.u, self.params, self._parameter),
            by_start=self.forcing is not None,
        )

    @property
    def _parameter(self) -> str | None:
        """Name of the parameter that is an unknown."""
        return None if self.along is None or self.along.conserved else self.along.name

    @cached_property
    def _conserved_nodes(self) -> dict[str, Any]:
        """Nodes of what motions under these inputs keep."""
        return dict(self.system.conserved(self.params, u=self.u))

    @cached_property
    def sizes(self) -> np.ndarray:
        """Sizes (n,) of the states at the guess; where the time tells these, along its motion."""
        if self.forcing is None:
            return self.system.seen_from(None).scales(self.guess, self.u, self.params).column
        states = np.array([self.guess, *self.parts_of_motion(self.guess, self.period, parts=_SAMPLES)])
        times = np.linspace(0.0, self.period, len(states), endpoint=False)
        rates = [self.rate(x, time=t) for x, t in zip(states, times, strict=True)]
        size = np.max(np.abs([*states, *(f * self.period / (2 * np.pi) for f in rates)]), axis=0)
        return np.where(size > 0, size, 1.0)

    def parts_of_motion(self, x: np.ndarray, period: float, parts: int | None = None) -> list[np.ndarray]:
        """States after the first of equal parts of a time, and the others but the last."""
        m, found = parts or self.segments, [x]
        for i in range(m - 1):
            found.append(self.flow(found[-1], period / m, since=self.since(i * period / m))[0])
        return found[1:]

    def since(self, time: float) -> float:
        """The time that the equations hold after one of an orbit."""
        return 0.0 if self.forcing is None else time

    def params_at(self, value: float | None) -> dict[str, float]:
        """All parameters at a value of the one that is an unknown."""
        name = self._parameter
        return self.params if name is None or value is None else self.params | {name: value}

    def rate(self, x: np.ndarray, value: float | None = None, time: float = 0.0) -> np.ndarray:
        """The field at a state."""
        return self.system.rhs(self.since(time), x, self.u if self.u.size else None, self.params_at(value))

    def moves(self, x: np.ndarray, time: float) -> bool:
        """Whether the state goes anywhere within a time; rest is an orbit where the equations hold it."""
        return self.forcing is not None or bool(np.linalg.norm(self.rate(x) / self.sizes) * time > _RESTS)

    def levels(self, x: np.ndarray, value: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Leaf relations and conserved functions at a state, and their gradients; with a parameter that is an
        unknown, the derivatives by this as a last column.
        """
        system, seen, params = self.system, self.system.seen_from(None), self.params_at(value)
        nodes = list(self._conserved_nodes.values())
        values = self._numbers(nodes, x, params)
        gradients = seen._gradients(nodes, x, self.u, params) if nodes else np.zeros((0, len(x)))
        slopes = np.vstack([seen.leaf_gradient(x, params).reshape(-1, len(x)), gradients])
        if self.along is not None:
            slopes = np.column_stack([slopes, self._numbers(self._slope_nodes, x, params)])
        return np.concatenate([np.ravel(system.leaf_residual(x, params)), values]), slopes

    def _numbers(self, nodes: Sequence[Any], x: np.ndarray, params: dict[str, float]) -> np.ndarray:
        """Values of nodes at a state."""
        return np.ravel(self.system.program(nodes)(self.system.arguments_at(0.0, x, self.u), params))

    @cached_property
    def _slope_nodes(self) -> list[Any]:
        """Derivatives of relations and conserved functions by the parameter that is an unknown."""
        graph, nodes = self.system.graph, [*self.system.leaf.nodes, *self._conserved_nodes.values()]
        if self._parameter is None:
            return [graph.zero for _ in nodes]
        node = self.system.program(self.system.field_nodes).parameters[self._parameter]
        return [row[0] for row in graph.jacobian(nodes, [node])] if nodes else []

    def gradients(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Of what is conserved, integrals over a shape included, by name."""
        found = self.system.seen_from(None).conserved_gradients(x, self.u, self.params)
        return found | {jet.name: np.array(jet.gradient) for jet in self._jets(x)}

    def directions(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """These gradients in the sizes of states, over their lengths at the guess."""
        there = self.gradients(self.guess)
        lengths = {name: float(np.linalg.norm(row * self.sizes)) or 1.0 for name, row in there.items()}
        return {name: row * self.sizes / lengths[name] for name, row in self.gradients(x).items()}

    # -- unknowns -------------------------------------------------------------------------------

    def unknowns(
        self, states: Sequence[np.ndarray], period: float, angle: float, value: float | None = None
    ) -> np.ndarray:
        """Unknowns y of states at parts of the period, in their order."""
        more = [] if self.forcing else [period / self.period]
        more += [angle] if self.closing.turns else []
        if self.along is not None and value is not None:
            more.append(value / self.along.size)
        return np.concatenate([*(x / self.sizes for x in states), more])

    def parts(self, y: np.ndarray) -> tuple[np.ndarray, float, float, float | None]:
        """States (m, n), period, angle and value of unknowns."""
        k = len(self.guess) * self.segments
        states = y[:k].reshape(self.segments, -1) * self.sizes
        value = None if self.along is None else float(y[-1]) * self.along.size
        if self.forcing:
            period = self.cycles * self.forcing.period(self.params_at(value))
        else:
            period, k = float(y[k]) * self.period, k + 1
        return states, period, float(y[k]) if self.closing.turns else 0.0, value

    def relative(self, matrix: np.ndarray) -> np.ndarray:
        """A map (n, n) of deviations, in their sizes."""
        return matrix * self.sizes / self.sizes[:, None]

    # -- equations ------------------------------------------------------------------------------

    def equations(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their derivative."""
        (states, T, angle, value), n, m = self.parts(y), len(self.guess), self.segments
        if not T > 0:
            raise EquilibriumError(f"the search ran to a period of {T:.3g} s")
        S, size, turn = self.closing(angle), len(y), n * m + (self.forcing is None)
        residual, rows = np.zeros(n * m), np.zeros((n * m, size))
        for i, x in enumerate(states):
            end, Phi = self.flow(x, T / m, value, self.since(i * T / m))
            here, last = slice(n * i, n * i + n), i == m - 1
            there = slice(0, n) if last else slice(n * i + n, n * i + 2 * n)
            residual[here] = (end - (S @ states[0] + self.offset if last else states[i + 1])) / self.sizes
            rows[here, here] += self.relative(Phi[:, :n])
            rows[here, there] -= self.relative(S) if last else np.eye(n)
            by_period = self.rate(end, value, i * T / m + T / m) / m
            if self.forcing is None:
                rows[here, n * m] = by_period / self.sizes * self.period
            if last and self.closing.turns:
                rows[here, turn] = -(S @ self.closing.generator() @ states[0]) / self.sizes
            if self.along is not None and self._parameter is not None:
                by_value = Phi[:, n]
                if self.forcing:
                    change = self.cycles * self.forcing.slope(self.params_at(value), self.along.name)
                    by_value = by_value + change * (by_period + i / m * Phi[:, n + 1])
                rows[here, -1] = by_value / self.sizes * self.along.size
        if self.forcing is None:  # motions that end at once close up as well, and are no orbits
            part = T / self.period
            residual, rows = residual / part, rows / part
            rows[:, n * m] -= residual / part
        x = states[0]
        values, gradients = self.levels(x, value)
        count = len(self._conditions)
        target = self.target_levels.copy()
        if (k := self._level_along) is not None:
            target[k] = value
            gradients[k, n] = -1.0
        apart = np.concatenate([values - target, self._conditions @ (x - self.guess)])
        more = np.zeros((len(self._level_combinations), size))
        steps = np.vstack([gradients[:, :n], self._conditions]) * self.sizes
        more[:, :n] = self._level_combinations @ steps
        if self.along is not None:
            slopes = np.concatenate([gradients[:, n], np.zeros(count)]) * self.along.size
            more[:, -1] = self._level_combinations @ slopes
        return np.concatenate([residual, self._level_combinations @ apart]), np.vstack([rows, more])

    @property
    def _level_along(self) -> int | None:
        """The place of the level that is an unknown, among relations and conserved functions."""
        if self.along is None or not self.along.conserved:
            return None
        return len(self.system.leaf.names) + list(self._conserved_nodes).index(self.along.name)

    @cached_property
    def _level_combinations(self) -> np.ndarray:
        """Combinations of levels and conditions that are orthonormal at the guess: near an equilibrium the
        energy says little beside the momenta, and has to be heard all the same.
        """
        _, gradients = self.levels(self.guess)
        rows = np.vstack([gradients[:, : len(self.guess)], self._conditions]) * self.sizes
        lengths = np.linalg.norm(rows, axis=1)
        lengths[lengths == 0] = 1.0
        U, sizes, _ = np.linalg.svd(rows / lengths[:, None], full_matrices=False)
        known = sizes > RANK * sizes.max(initial=0.0)
        return U[:, known].T / sizes[known, None] / lengths

    @cached_property
    def _conditions(self) -> np.ndarray:
        """What chooses the start on an orbit, and the orbit among those with other integrals over a shape.

        Of lengths in the sizes of states; a plane across the motion is one in these.
        """
        x, sizes = self.guess, self.sizes
        along = [] if self.forcing else [self.rate(x)]
        if self.closing.turns:
            along.append(self.closing.generator() @ x)
        rows = [a / sizes**2 for a in along] + [np.array(jet.gradient) for jet in self._jets(x)]
        rows = [row / (np.linalg.norm(row * sizes) or 1.0) for row in rows]
        return np.array(rows).reshape(-1, len(x))

    def _jets(self, x: np.ndarray) -> list[Any]:
        return shape_jets(self.system, x, self.u, self.params)

    @cached_property
    def target_levels(self) -> np.ndarray:
        """Zero for relations, and the levels of the guess."""
        values, _ = self.levels(self.guess)
        relations = len(self.system.leaf.names)
        return np.concatenate([np.zeros(relations), values[relations:]])
