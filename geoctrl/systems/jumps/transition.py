"""A jump between two systems of recorded equations: its guard and its reset, as nodes and in numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from geoctrl._checks import nearest
from geoctrl._scalars import STATE, Node
from geoctrl._scalars.arithmetic.magnitudes import Magnitudes
from geoctrl.errors import DescriptionError, ExpressionError, InputError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.projection import onto_leaf

__all__ = ["GivenTransition", "Landing", "NamedMode", "Transition", "landing_state", "size_of"]


class NamedMode(NamedTuple):
    """A mode: its name and its system."""

    name: str
    system: Any


class Landing(NamedTuple):
    """What a jump made of a state."""

    state: np.ndarray
    impulse: np.ndarray
    lost: float
    """Kinetic energy (J); nan where no inertia says what it is."""
    broken: str
    """Words about a promise that was not kept, or none."""


@dataclass(frozen=True, eq=False)
class Transition(ABC):
    """A jump on the systems of its modes.

    Attributes
    ----------
    jump : Jump or Impact
    source, target : NamedMode
        The one that is left, and the one that is entered.
    """

    jump: Any
    source: NamedMode
    target: NamedMode

    @property
    def name(self) -> str:
        """Name of the jump."""
        return self.jump.name

    @property
    @abstractmethod
    def reset(self) -> list[Node]:
        """R: states of the mode entered by those before, in the graph of the mode left."""

    @property
    @abstractmethod
    def promises(self) -> dict[str, Node]:
        """What is positive at the jump where it is one, by name, in the graph of the mode left."""

    @abstractmethod
    def landing(self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Landing:
        """What becomes of a state on the guard."""

    @abstractmethod
    def check(self) -> None:
        """Refuse what is no jump of these modes, before anything runs."""

    @cached_property
    def guard(self) -> Node:
        """h, in the graph of the mode that is left."""
        system: Recorded = self.source.system
        try:
            node = system.expression(self.jump.when)
        except ExpressionError as error:
            raise ExpressionError(f"when of {self.name!r}: {error}") from None
        moving = {*system.state_nodes, system.time_node}
        if node.level < STATE or not system.graph.symbols([node]) & moving:
            raise DescriptionError(
                f"when of {self.name!r} is {self.jump.when}, which no state of the mode "
                f"{self.source.name!r} changes, nor the time; its states are {', '.join(system.state_labels)}"
            )
        return node

    def step_at(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:  # noqa: ARG002
        """How far the origin of the group's frame moves on at a state on the guard; it stays where it is."""
        return np.zeros(1)

    @property
    def rest(self) -> str | None:
        """The mode in which a motion goes on where such jumps accumulate."""
        return getattr(self.jump, "rest", None)


class GivenTransition(Transition):
    """One whose reset is given."""

    @cached_property
    def reset(self) -> list[Node]:
        """What is given, and values that are kept; refused where a state of the mode entered has none."""
        source, target, given = self.source.system, self.target.system, self.jump.reset
        for label in given:
            if label not in target.state_labels:
                raise InputError(
                    f"reset of {self.name!r}: the mode {self.target.name!r} has no state {label!r}"
                    f"{nearest(label, target.state_labels)}"
                )
        found = []
        for symbol, label in zip(target.states, target.state_labels, strict=True):
            try:
                found.append(source.expression(given.get(label, symbol)))
            except ExpressionError as error:
                if label in given:
                    raise ExpressionError(f"reset[{label!r}] of {self.name!r}: {error}") from None
                raise DescriptionError(
                    f"reset of {self.name!r} does not say what {label!r} is in the mode "
                    f"{self.target.name!r}: the mode {self.source.name!r} has no state of that name; add it "
                    "to reset="
                ) from None
        return found

    @property
    def promises(self) -> dict[str, Node]:
        """None: a reset that is given asks for nothing."""
        return {}

    def landing(self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Landing:
        """What becomes of a state on the guard; ConstraintError if it is off the leaf."""
        program = self.source.system.program(self.reset)
        state = np.array(program.scalar([*x.tolist(), t, *u.tolist()], program.constants(params)))
        return Landing(landing_state(self, state, params), np.zeros(0), np.nan, "")

    def check(self) -> None:
        """Refuse a guard that no state changes, and a reset that does not say all."""
        _ = self.guard, self.reset


def landing_state(transition: Transition, state: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """A state on the leaf of the mode entered and within its rows, to rounding."""
    system: Recorded = transition.target.system
    if np.all(np.isfinite(state)) and system.leaf.names:
        a = system.assembly
        gamma = onto_leaf(
            system,
            system.configuration_at(state, params),
            params,
            nearest=False,
            told=f"after the jump {transition.name!r} the state is off the leaf",
            remedy="mend what the jump makes of it",
        )
        start = len(a.velocity)
        state = np.concatenate([state[:start], gamma[system.kept_index], state[start + len(system.kept) :]])
    return system.onto_rows(state, params)


def size_of(
    system: Recorded, node: Node, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> float:
    """Magnitude of a value at a state: rounding leaves some 1e-16 of it where the terms cancel."""
    known = system.cache.setdefault("magnitudes of promises", {})
    if node not in known:
        known[node] = Magnitudes(system.graph, [node])
    values = dict(zip(system.arguments, [*x.tolist(), t, *u.tolist()], strict=True))
    values |= {a: float(params[name]) for name, a in system.assembly.parameters.items()}
    (_, size) = known[node](values)
    return float(size[0])
