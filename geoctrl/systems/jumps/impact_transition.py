"""Impacts on the systems of their modes: resets that follow from the inertia, and what they promise."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import nearest, user_level
from geoctrl._scalars import FromSympy, Node
from geoctrl._scalars.graph.symmetric_elimination import Factorisation, dot
from geoctrl.errors import ConstraintError, DescriptionError, ExpressionError, InputError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.jumps.frame_step import step_nodes, step_rates
from geoctrl.systems.jumps.guard_states import states_on_guard
from geoctrl.systems.jumps.impact_equations import (
    Collision,
    collision,
    gains_energy,
    inverse_loads,
    worst_dependence,
)
from geoctrl.systems.jumps.transition import Landing, Transition, landing_state, size_of

__all__ = ["ImpactTransition", "kinetic_energy"]

_ROUNDING = 1e-12
"""Part of the magnitude of a velocity, an impulse or a force below which there is no sign."""

_ENERGY = 1e-10
"""Part of the kinetic energies by which states and formula may differ."""

_PARALLEL = 1e-9
"""What two directions may differ by from one cosine to count as one."""

Rows = list[list[Node]]


def kinetic_energy(system: Recorded) -> Node:
    """1/2 w.M w."""
    a, g = system.assembly, system.graph
    return dot(g, a.velocity, [dot(g, row, a.velocity) for row in a.mass]) / 2


class ImpactTransition(Transition):
    """One whose reset follows from the inertia of the mechanism."""

    # -- nodes ------------------------------------------------------------------------------------

    @cached_property
    def _covectors(self) -> tuple[Rows, Rows]:
        """Rows that are struck and rows that stay, in the velocities that the impact is solved in."""
        a, g, names = self.source.system.assembly, self.source.system.graph, self._row_names
        struck = self._rows_by_name(self.jump.rows) if self.jump.names_rows else self._nodes(self.jump.rows)
        if self.jump.releases:
            return struck, self._rows_by_name([name for name in names if name not in self.jump.releases])
        E = g.jacobian(a.xi, a.velocity)
        columns = list(zip(*E, strict=True))
        return [[dot(g, row, column) for column in columns] for row in struck], a.rows

    @property
    def _mass(self) -> tuple[Rows, list[Node]]:
        """Inertia and velocities that the impact is solved in."""
        a = self.source.system.assembly
        return (a.mass, a.velocity) if not self.jump.releases else (a.inertia, a.xi)

    @property
    def _row_names(self) -> tuple[str, ...]:
        return self.source.system.mechanism.row_names

    def _rows_by_name(self, names: Sequence[str]) -> Rows:
        known = {
            **(self.target.system.mechanism.named_rows or {}),
            **(self.source.system.mechanism.named_rows or {}),
        }
        return self._nodes(sp.Matrix([known[name] for name in names])) if names else []

    def _nodes(self, rows: sp.MatrixBase) -> Rows:
        a, n = self.source.system.assembly, self.source.system.mechanism.algebra.n
        if rows.cols != n:
            labels = ", ".join(self.source.system.mechanism.algebra.labels)
            raise ConstraintError(
                f"rows of the impact {self.name!r} must have length {n}, in the order {labels}; got "
                f"{rows.cols}"
            )
        flat = a.restrict([a.configuration(e) for e in rows])
        more = [a.graph.zero] * (a.n - n)
        return [[*flat[i * n : (i + 1) * n], *more] for i in range(rows.rows)]

    @cached_property
    def collision(self) -> Collision:
        """The impact, in the velocities of the mode that is left, or in all where rows are released."""
        a, (struck, kept), (mass, velocity) = self.source.system.assembly, self._covectors, self._mass
        e = [a.configuration(value) for value in self.jump.restitution]
        found = collision(a.graph, mass, velocity, struck, kept, e)
        if not found.solvable:
            raise self._dependent(range(len(struck)))
        return found

    @cached_property
    def full_velocity(self) -> list[Node]:
        """xi+, rotor rates appended, before anything is named anew."""
        a, after = self.source.system.assembly, self.collision.velocity
        if self.jump.releases:
            return after
        return a.graph.substitute(a.xi, dict(zip(a.velocity, after, strict=True)))

    @cached_property
    def reset(self) -> list[Node]:
        """Velocities after the impact and configuration, named anew, in states of the mode entered."""
        a, mechanism = self.source.system.assembly, self.source.system.mechanism
        gamma = zip(map(str, mechanism.configuration_symbols), a.restrict(a.gamma), strict=True)
        values = dict(gamma) | dict(zip(mechanism.velocity_labels, self.full_velocity, strict=True))
        values |= {node.payload: node for node in a.controller}
        for label in self.jump.relabel:
            if label not in values:
                raise InputError(
                    f"relabel of {self.name!r}: there is no velocity or coordinate {label!r}"
                    f"{nearest(label, values)}"
                )
        read = self._reader(values)
        try:
            values |= {label: read(e) for label, e in self.jump.relabel.items()}
        except ExpressionError as error:
            raise ExpressionError(f"relabel of {self.name!r}: {error}") from None
        return self._states_of(values)

    def _reader(self, values: Mapping[str, Node]) -> FromSympy:
        symbols = {sp.Symbol(label, real=True): node for label, node in values.items()}
        return self.source.system.assembly.configuration.knowing(symbols)

    def _states_of(self, values: Mapping[str, Node]) -> list[Node]:
        """States of the mode entered that have velocities and configuration by label."""
        target, g = self.target.system, self.source.system.graph
        mechanism, frame = target.mechanism, target.frame
        if mechanism.frame is None:  # velocities of a frame that was made are some of all
            w = [values[label] for label in frame.labels]
        else:
            read = self._reader(values)
            columns = [[read(e) for e in frame.matrix.col(a)] for a in range(frame.matrix.cols)]
            xi = [values[label] for label in mechanism.algebra.labels]
            gram = [[dot(g, p, q) for q in columns] for p in columns]
            w = Factorisation(g, gram).solve([dot(g, p, xi) for p in columns])
        found = dict(values) | dict(zip(frame.labels, w, strict=True))
        return [found[label] for label in target.state_labels]

    @cached_property
    def _kinetic_after(self) -> Node:
        return kinetic_energy(self.target.system)

    @cached_property
    def leaving(self) -> Node:
        """Velocity of what leaves, after the impact; zero where nothing is to leave."""
        given, g = self.jump.leaving, self.source.system.graph
        if given is None:
            return g.zero
        row = self._rows_by_name([given])[0] if isinstance(given, str) else self._nodes(given)[0]
        return dot(g, row, self.full_velocity)

    @property
    def promises(self) -> dict[str, Node]:
        """Pivots, by which inertia and loads are positive definite; that what is struck comes nearer, and its
        impulse pushes; that what leaves does not sink in.
        """
        hit, k = self.collision, self.jump.normal
        found = {f"pivot {i} of the impact": pivot for i, pivot in enumerate(hit.pivots, 1)}
        if k is not None:
            found |= {f"speed at which row {k} closes": -hit.approach[k]}
            found |= {f"impulse along row {k}": hit.impulses[k]}
        if self.jump.leaving is not None:
            name = self.jump.leaving if isinstance(self.jump.leaving, str) else "the row that leaves"
            found |= {f"speed of {name} after": self.leaving}
        return found

    # -- numbers ----------------------------------------------------------------------------------

    @cached_property
    def _landing_nodes(self) -> list[Node]:
        """All that a landing asks for, one after the other."""
        hit, kinetic = self.collision, kinetic_energy(self.source.system)
        return [*self.reset, *hit.impulses, *hit.approach, hit.change, kinetic, self.leaving]

    @cached_property
    def _matrices(self) -> list[Node]:
        struck, kept = self._covectors
        return [e for part in (self._mass[0], struck, kept) for row in part for e in row]

    def _values(
        self, nodes: Sequence[Node], t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        program = self.source.system.program(nodes)
        return np.array(program.scalar([*x.tolist(), t, *u.tolist()], program.constants(params)))

    def matrices_at(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, rows that are struck and rows that stay."""
        values, n = self._values(self._matrices, t, x, u, params), len(self._mass[0])
        k = len(self._covectors[0])
        ends = n * n, n * n + k * n
        return (
            values[: ends[0]].reshape(n, n),
            values[ends[0] : ends[1]].reshape(k, n),
            values[ends[1] :].reshape(-1, n),
        )

    def landing(self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Landing:
        """What becomes of a state on the guard; ConstraintError where the impact is not determined."""
        self._require_regular(t, x, u, params)
        values = self._values(self._landing_nodes, t, x, u, params)
        n, k = len(self.reset), len(self.collision.impulses)
        state, impulse, approach = values[:n], values[n : n + k], values[n + k : n + 2 * k]
        change, before, leaving = values[n + 2 * k :]
        broken = self._broken_promise(impulse, approach, leaving, (t, x, u, params))
        state = landing_state(self, state, params)
        after = self._kinetic_energy_after(state, params)
        if not broken:
            self._require_energy(before, after, change)
        return Landing(state, impulse, float(-change), broken or self._pull(t, state, u, params))

    def _kinetic_energy_after(self, state: np.ndarray, params: Mapping[str, float]) -> float:
        program = self.target.system.program([self._kinetic_after])
        arguments = [*state.tolist(), 0.0, *[0.0] * self.target.system.ninputs]
        return float(program.scalar(arguments, program.constants(params))[0])

    def _require_energy(self, before: float, after: float, change: float) -> None:
        size = abs(before) + abs(after) + abs(change)
        if not abs(after - before - change) <= _ENERGY * size:
            raise ConstraintError(
                f"after the impact {self.name!r} the mode {self.target.name!r} has the kinetic energy "
                f"{after:.12g}, and the velocities before leave {before + change:.12g}: its rows are not "
                "those that are struck or stay, or relabel= names something else than the same motion"
            )

    def _require_regular(self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse rows that depend on each other at a state, and restitutions that would gain energy there."""
        mass, struck, kept = self.matrices_at(t, x, u, params)
        loads = inverse_loads(mass, struck, kept)
        alone = np.diag(inverse_loads(mass, struck, kept[:0]))
        dependent = worst_dependence(loads, alone)
        if dependent:
            raise self._dependent(dependent)
        e = self._restitutions(params)
        if np.ptp(e) and gains_energy(loads, e):
            raise ConstraintError(
                f"the impact {self.name!r} would gain energy with the restitutions "
                f"{', '.join(f'{v:.6g}' for v in e)}: W - E W E has a negative eigenvalue at this state; "
                "rows that are coupled by the inertia take restitutions that differ less"
            )

    def _restitutions(self, params: Mapping[str, float]) -> np.ndarray:
        a = self.source.system.assembly
        nodes = [a.configuration(value) for value in self.jump.restitution]
        program = self.source.system.program(nodes)
        zero = [0.0] * len(self.source.system.arguments)
        e = np.array(program.scalar(zero, program.constants(params)))
        if not np.all((e >= 0) & (e <= 1)):
            raise InputError(
                f"restitution of {self.name!r} must lie between 0 (plastic) and 1 (elastic), got {e.tolist()}"
            )
        return e

    def _dependent(self, places: Sequence[int] | range) -> ConstraintError:
        names = self.jump.rows if self.jump.names_rows else [f"{i}" for i in range(self.jump.rows.rows)]
        told = ", ".join(names[i] for i in places)
        return ConstraintError(
            f"rows {told} are not independent at the impact {self.name!r}: of each other, or of the rows "
            "that stay in force; leave out what follows from the others"
        )

    def _broken_promise(
        self, impulse: np.ndarray, approach: np.ndarray, leaving: float, at: tuple[Any, ...]
    ) -> str:
        """Words about a contact that moves apart before, pulls, or sinks in after."""
        k, system = self.jump.normal, self.source.system

        def is_wrong(value: float, node: Node) -> bool:
            return value < 0 and value < -_ROUNDING * size_of(system, node, *at)

        if k is not None:
            if is_wrong(-approach[k], self.collision.approach[k]):
                return (
                    f"row {k} of the impact {self.name!r} moves apart already (at {approach[k]:.6g}): its "
                    "velocity must be negative where something is struck; either the row or direction= has "
                    "the wrong sign, or the run began a little before the guard, as rounded digits of a "
                    "state just after a strike do: begin past it, with the state of gc.find_periodic"
                )
            if is_wrong(impulse[k], self.collision.impulses[k]):
                return f"the impact {self.name!r} would pull: its impulse along row {k} is {impulse[k]:.6g}"
        if is_wrong(leaving, self.leaving):
            name = self.jump.leaving if isinstance(self.jump.leaving, str) else "that leaves"
            return f"the row {name} would sink in after the impact {self.name!r} (at {leaving:.6g})"
        return ""

    def _pull(self, t: float, state: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> str:
        """Words about a contact of the mode entered that would have to pull."""
        system, impact = self.target.system, self.jump
        held = system.mechanism.row_names
        asked = [impact.leaving] if isinstance(impact.leaving, str) else []
        if impact.names_rows and impact.normal is not None:
            asked.append(impact.rows[impact.normal])
        asked = [name for name in asked if name in held]
        if not asked:
            return ""
        forces = system.reactions(state, u if system.ninputs else None, params, t)
        pulling = [name for name in asked if forces[name] < 0]
        nodes = system.assembly.reactions if pulling else {}
        for name in pulling:
            if forces[name] < -_ROUNDING * size_of(system, nodes[name], t, state, u, params):
                return f"contact {name!r} would pull after the impact {self.name!r}"
        return ""

    # -- checks before anything runs ----------------------------------------------------------------

    def check(self) -> None:
        """Refuse names that do not exist, and what at three states on the guard is no motion afterwards."""
        source, target = self.source.system, self.target.system
        named = [*self.jump.releases]
        if isinstance(self.jump.leaving, str):
            named.append(self.jump.leaving)
        for name in named:
            if name not in self._row_names:
                raise InputError(
                    f"the impact {self.name!r}: no row {name!r} is in force in the mode {self.source.name!r}"
                    f"{nearest(name, self._row_names)}"
                )
        for name in self.jump.rows if self.jump.names_rows else ():
            if name not in target.mechanism.row_names:
                raise InputError(
                    f"the impact {self.name!r}: no row {name!r} is in force in the mode {self.target.name!r}"
                    f"{nearest(name, target.mechanism.row_names)}"
                )
        for what in ("velocity_labels", "configuration_symbols"):
            if getattr(source.mechanism, what) != getattr(target.mechanism, what):
                raise DescriptionError(f"the impact {self.name!r} leads to another mechanism; take a gc.Jump")
        _ = self.guard, self.reset, self._step
        values, u = source.mechanism.generic, np.zeros(source.ninputs)
        for x in states_on_guard(source, self.guard, values):
            self._require_regular(0.0, x, u, values)
            told, n = self._values(self._landing_nodes, 0.0, x, u, values), len(self.reset)
            change, before = told[n + 2 * len(self.collision.impulses) :][:2]
            after = self._kinetic_energy_after(landing_state(self, told[:n], values), values)
            self._require_energy(before, after, change)
            self._require_same_motion(x, landing_state(self, told[:n], values), values)
            self._warn_of_another_normal(x, values)

    def _require_same_motion(self, x: np.ndarray, state: np.ndarray, values: Mapping[str, float]) -> None:
        """Where nothing is named anew, the velocities left by the impact are those of the state entered.

        Where something is and ``step`` says by how much the frame moves on, those of the group are.
        """
        if self.jump.relabel and self.jump.step is None:
            return
        if not self._is_another_motion(x, state, values):
            return
        target = self.target
        if self.jump.step is not None:
            raise ConstraintError(
                f"step= of the impact {self.name!r} does not lead to the point of the group's velocity in "
                f"the mode {target.name!r}: after the impact that point moves otherwise"
            )
        raise ConstraintError(
            f"what the impact {self.name!r} leaves moving is no motion of the mode {target.name!r}, whose "
            f"rows are {', '.join(target.system.mechanism.row_names) or 'none'}: strike these, or say by "
            "relabel= what is named anew"
        )

    def _is_another_motion(self, x: np.ndarray, state: np.ndarray, values: Mapping[str, float]) -> bool:
        """Whether velocities after the impact, at its step, are other than those of the state entered."""
        u, mechanism = np.zeros(self.source.system.ninputs), self.source.system.mechanism
        count = len(mechanism.group.xi) if self.jump.relabel and mechanism.group else mechanism.algebra.n
        left = self._values(self.full_velocity, 0.0, x, u, values)[: mechanism.algebra.n]
        if self._step:
            moves = self._values(self._step, 0.0, x, u, values)[len(self._step) // 2 :]
            left[: moves.size] += moves
        held = self.target.system.velocity(state, values)
        # An impact may leave nothing but rounding of what moved before it.
        size = max(np.max(np.abs(left)), np.max(np.abs(self.source.system.velocity(x, values))))
        return bool(np.any(np.abs(left - held)[:count] > _ENERGY * size))

    @cached_property
    def _step(self) -> list[Node]:
        """Nodes of ``step``, and of its rate after the impact; none without one."""
        system = self.source.system
        steps = step_nodes(self.jump, system)
        return [*steps, *step_rates(steps, system, self.full_velocity)] if steps else []

    @cached_property
    def _names_the_frame_anew(self) -> bool:
        """Whether the group's velocity is that of another point afterwards, and no ``step`` says of which."""
        if not self.jump.relabel or self.jump.step is not None:
            return False
        system, found = self.source.system, []
        values, u = system.mechanism.generic, np.zeros(system.ninputs)
        for x in states_on_guard(system, self.guard, values):
            state = landing_state(self, self._values(self.reset, 0.0, x, u, values), values)
            found.append(self._is_another_motion(x, state, values))
        return any(found) or not found

    def step_at(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """How far the origin of the group's frame moves on; InputError where nothing says it."""
        if self._names_the_frame_anew:
            raise InputError(
                f"the impact {self.name!r} names things anew, and nothing says by how much the point moves "
                "on whose velocity the group has: give it step=, or ask for places in run.pieces one by one"
            )
        if not self._step:
            return np.zeros(1)
        found = self._values(self._step, 0.0, x, np.zeros(self.source.system.ninputs), params)
        return found[: found.size // 2]

    def _warn_of_another_normal(self, x: np.ndarray, values: Mapping[str, float]) -> None:
        """Warn where the rate of the guard is no multiple of the velocity of the row that can only push."""
        k, system = self.jump.normal, self.source.system
        if k is None:
            return
        a, g = system.assembly, system.graph
        slopes = g.gradient(self.guard, system.state_nodes)
        rate = dot(g, slopes[len(a.velocity) :], system.field_nodes[len(a.velocity) :])
        (y,) = g.substitute([self.collision.approach[k]], {})
        rows = self._values(
            [*g.gradient(rate, a.velocity), *g.gradient(y, a.velocity)],
            0.0,
            x,
            np.zeros(system.ninputs),
            values,
        ).reshape(2, -1)
        lengths = np.linalg.norm(rows, axis=1)
        if np.all(lengths > 0) and 1 - abs(rows[0] @ rows[1]) / np.prod(lengths) > _PARALLEL:
            warnings.warn(
                f"the rate of when={self.jump.when} of {self.name!r} is no multiple of row {k}, the velocity "
                "of what can only push: the guard tells another distance than the row",
                UserWarning,
                stacklevel=user_level(),
            )
