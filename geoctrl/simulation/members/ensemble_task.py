"""What an ensemble asks for, as data that other processes can be sent, and what follows from it in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import Node, evaluate
from geoctrl._scalars.arithmetic.arithmetics import ARRAY
from geoctrl.simulation import heyoka_engine
from geoctrl.simulation.heyoka_compiled import DEFAULT_TOLERANCE
from geoctrl.simulation.lanes_engine import InLanes, tolerance_of
from geoctrl.simulation.members.ensemble_members import EnsembleMembers, MembersPart
from geoctrl.simulation.members.quantities import node_of
from geoctrl.simulation.recorded_flow import RecordedFlow
from geoctrl.simulation.run import choose_engine
from geoctrl.stepping.drive.drive import Drive
from geoctrl.stepping.drive.engine import Engine
from geoctrl.stepping.drive.events import LocatedEvent, read_events
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.inputs import read_inputs
from geoctrl.stepping.drive.passages import stop_words
from geoctrl.systems import System

__all__ = ["EnsembleTask", "member_constants"]


@dataclass(frozen=True, eq=False)
class EnsembleTask:
    """Runs of one system: of each member from its start, over the same times.

    Attributes
    ----------
    times : ndarray (nt,)
    inputs : as of `simulate`
        What all members have; `EnsembleMembers.inputs` are besides.
    events : dict or None
        As they were given.
    record : tuple of KeptQuantity or None
        What is kept instead of states.
    """

    system: System
    times: np.ndarray
    members: EnsembleMembers
    inputs: Any = None
    events: Mapping[str, Any] | None = None
    record: Any = None
    engine: str = "auto"
    rtol: float | None = None
    domain: bool = True

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    # -- what drives the members ------------------------------------------------------------------

    def inputs_of(self, part: MembersPart, i: int) -> Any:
        """Inputs of a member, as `simulate` takes them."""
        own = part.inputs_of(i)
        return {**(self.inputs or {}), **own} if own else self.inputs

    @cached_property
    def drive(self) -> Drive:
        """What drives all members, with ones for the numbers that are a member's own."""
        ones = dict.fromkeys(self.members.inputs, 1.0)
        return read_inputs(self.system, {**(self.inputs or {}), **ones} if ones else self.inputs, self.times)

    def extra_numbers(self, part: MembersPart, t: float) -> np.ndarray:
        """Numbers (e, k) of the further symbols of the recorded equations from a time on."""
        common = self.drive.extra(t)
        found = np.repeat(np.array(common)[:, None], len(part), axis=1).reshape(-1, len(part))
        if part.inputs:
            numbers = [(u, e) for u, e in zip(self.drive.labels, self.drive.law, strict=True)]
            held = [u for u, e in numbers if isinstance(e, float) and e]
            for label, values in part.inputs.items():
                found[held.index(label)] = values
        return found

    # -- how they are run -------------------------------------------------------------------------

    @cached_property
    def located_events(self) -> tuple[LocatedEvent, ...]:
        """The events, and the edges of the domain."""
        return read_events(self.system, self.events, edges=self.domain)

    @cached_property
    def pattern(self) -> Flow:
        """A flow of the equations that all members have; its start and parameters are none."""
        return Flow(
            system=self.system,
            drive=self.drive,
            params={},
            x0=np.zeros(self.system.nstates),
            times=self.times,
            rtol=self.rtol,
            events=self.located_events,
        )

    @cached_property
    def pattern_without_events(self) -> Flow:
        """The same, cut where the inputs have kinks and nowhere else."""
        return replace(self.pattern, events=())

    @property
    def keeps_rows(self) -> bool:
        """Whether multipliers keep rows of constraints, off which runs may drift."""
        return bool(getattr(getattr(self.system, "assembly", None), "rows", ()))

    @cached_property
    def equations(self) -> RecordedFlow:
        """The equations that the batches run."""
        return RecordedFlow(self.pattern)

    @cached_property
    def engine_alone(self) -> Engine:
        """The engine of a member that is run alone."""
        return choose_engine(self.pattern, self.engine)

    @property
    def runs_in_lanes(self) -> bool:
        """Whether members run in lanes of ours, else of heyoka."""
        return isinstance(self.engine_alone, InLanes)

    @cached_property
    def obstacle(self) -> str | None:
        """Why members are run one by one, None where batches run them."""
        if not self.runs_in_lanes and not isinstance(self.engine_alone, heyoka_engine.Heyoka):
            return "scipy runs one at a time"
        if not self.system.recorded:
            return "the equations are not recorded"
        if not self.drive.constant and any(event.of_inputs for event in self.located_events):
            return "events hold inputs that change"
        return None

    @cached_property
    def usual_words(self) -> tuple[str, ...]:
        """Statuses of members that come to an end."""
        return ("completed", *(stop_words(event) for event in self.located_events))

    @cached_property
    def record_nodes(self) -> list[Node]:
        """What is recorded, with what drives the inputs put in."""
        return self.equations.with_inputs([node_of(self.system, quantity) for quantity in self.record or ()])

    @property
    def tolerance(self) -> float:
        """That of the batches."""
        return self.pattern.tolerance(DEFAULT_TOLERANCE)

    @cached_property
    def words(self) -> str:
        """What runs the members, for `Ensemble.engine`."""
        if self.obstacle is not None:
            return f"simulate, member by member ({self.obstacle})"
        if self.runs_in_lanes:
            return f"DOP853 in 16 lanes, tolerance {tolerance_of(self.pattern):.3g}"
        return f"heyoka Taylor in batches of 8, tolerance {self.tolerance:.3g}"

    # -- values of all members at once --------------------------------------------------------------

    def values(
        self,
        nodes: Sequence[Node],
        part: MembersPart,
        times: Any,
        states: Sequence[Any],
        extra: Sequence[Any] = (),
    ) -> list[Any]:
        """Values of nodes in states, time and what drives the inputs, at arrays that broadcast.

        The first axis of arrays is that of members, or is missing.
        """
        if not nodes:
            return []
        program = self.equations.program(nodes)
        arguments = [*states, times, *extra]
        depth = max(map(np.ndim, arguments))
        constants = [_over_members(c, depth) for c in member_constants(program, part)]
        shape = np.broadcast_shapes(*map(np.shape, arguments))
        with np.errstate(all="ignore"):
            found = program.array(arguments, constants)
        return [np.broadcast_to(value, np.broadcast_shapes(np.shape(value), shape)) for value in found]


def member_constants(program: Any, part: MembersPart) -> list[Any]:
    """Hoisted constants of a program: a number, or one for each member."""
    values = {node: part.params[name] for name, node in program.parameters.items()}
    with np.errstate(all="ignore"):
        return evaluate(
            program.tape.constants, {node: _array(value) for node, value in values.items()}, ARRAY
        )


def _array(value: Any) -> np.ndarray:
    """A parameter as an array, of which divisions by zero are infinite."""
    return np.asarray(np.nan if value is None else value, dtype=float)


def _over_members(values: Any, depth: int) -> Any:
    """Values (k,) with further axes, so that they go with arrays of this depth."""
    values = np.asarray(values)
    return values.reshape(values.shape + (1,) * (depth - 1)) if values.ndim else values
