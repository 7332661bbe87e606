"""Events: zeros of expressions located along a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoctrl._checks import flag
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import STATE, Node, expression, real
from geoctrl.errors import DescriptionError, ExpressionError, InputError
from geoctrl.systems import System
from geoctrl.systems.parts.domain import Side

__all__ = ["Event", "LocatedEvent", "read_events"]


@dataclass(frozen=True)
class Event:
    """A zero of an expression to be located along a run, where it is passed; of a touch see `simulate`.

    Parameters
    ----------
    expr : sympy expression
        In states, full velocities, inputs, ``geoctrl.time`` and parameters.
    terminal : bool
        Stop the run there.
    direction : {-1, 0, 1}
        Count zeros passed downwards, any, or upwards only.

    Raises
    ------
    TypeError
        If ``expr`` is not an expression.
    InputError
        For another direction.

    Examples
    --------
    >>> import geoctrl as gc
    >>> sys = gc.models.get("pendulum-skate")().reduce()
    >>> gc.Event(sys.states[4], terminal=True)
    Event(expr=Gamma3, terminal=True)
    """

    expr: Any
    terminal: bool = False
    direction: int = 0

    def __post_init__(self) -> None:
        # Not by sympify: it evaluates text inside dicts, tuples and sets as a program, strict or not.
        try:
            expr = expression(self.expr, "an event")
        except DescriptionError as error:
            raise TypeError(str(error)) from None
        object.__setattr__(self, "expr", expr)
        if real(self.direction, "direction of an event") not in (-1.0, 0.0, 1.0):
            raise InputError(f"direction of an event must be -1, 0 or 1, got {self.direction!r}")
        object.__setattr__(self, "terminal", flag("terminal", self.terminal))

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True)
class LocatedEvent:
    """An event as the engines see it: an expression and its node, with terminal flag and direction."""

    name: str
    expr: Any
    node: Node
    terminal: bool
    direction: int
    edge: Side | None = None
    """The side of the domain that ends there, where it is one."""
    of_inputs: bool = False
    """Whether it holds inputs, and may jump with them."""


def read_events(
    system: System, events: Mapping[str, Any] | None, edges: bool = False
) -> tuple[LocatedEvent, ...]:
    """Events as nodes in the states, the time and the inputs of a system; then the edges of its domain."""
    if events is not None and not isinstance(events, Mapping):
        raise TypeError(f"events must be a dict of name -> expression or Event, got {type(events).__name__}")
    located = [_located_event(system, name, event) for name, event in (events or {}).items()]
    if not (edges and system.domain):
        return tuple(located)
    kept: dict[str, Any] = system.cache  # type: ignore[attr-defined]  # what has a domain is recorded
    if "edges" not in kept:
        kept["edges"] = tuple(
            LocatedEvent(name, side.margin, system.expression(side.margin), True, -1, side)
            for name, side in system.domain.items()
        )
    return (*located, *kept["edges"])


def _located_event(system: System, name: Any, event: Any) -> LocatedEvent:
    if not isinstance(name, str):
        raise TypeError(f"events must have text as names, got {name!r}")
    if not isinstance(event, Event):
        event = Event(event)
    try:
        node = system.expression(event.expr)
    except ExpressionError as error:
        raise ExpressionError(f"event {name!r}: {error}") from None
    if node.level < STATE:
        raise ExpressionError(f"event {name!r}: {event.expr} depends on no state, input or time")
    of_inputs = bool(system.graph.symbols([node]) & set(system.input_nodes))
    return LocatedEvent(name, event.expr, node, event.terminal, event.direction, of_inputs=of_inputs)
