"""What drives a run on a manifold: feedback closes the loop; events see the inputs that are applied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import accepts, finite_array, nearest, shape_of
from geoctrl._scalars import STATE, Program
from geoctrl.errors import ExpressionError, InputError
from geoctrl.manifolds.laws import callable_law
from geoctrl.manifolds.reading import read_scalar
from geoctrl.simulation.events import Event
from geoctrl.stepping.applied import Applied

__all__ = ["Switch", "Switches", "applied_inputs", "closed", "is_feedback", "read_switches", "with_times"]

Switches = Callable[[Sequence[float], Mapping[str, float]], np.ndarray]
"""Values of the events at states followed by the time, and parameters."""


@dataclass(frozen=True)
class Switch:
    """An event, named."""

    name: str
    terminal: bool
    direction: int


_ANY = 64
"""A function that takes so many arguments takes any number."""


def is_feedback(inputs: Any) -> bool:
    """Whether inputs may depend on the state: expressions by name, or a function of (t, x, params).

    Raises
    ------
    TypeError
        For a function of any number of arguments, which may be meant as f(t) or as f(t, x, params).
    """
    if isinstance(inputs, Mapping):
        return True
    if callable(inputs) and accepts(inputs, 1) and accepts(inputs, _ANY):
        raise TypeError(
            f"inputs as a function of any number of arguments may be f(t) or f(t, x, params), got "
            f"{inputs!r}: name them"
        )
    return callable(inputs) and not accepts(inputs, 1) and accepts(inputs, 3)


def applied_inputs(system: Any, inputs: Any, times: np.ndarray) -> tuple[Any, Applied]:
    """The system that runs, a loop for feedback, and the inputs that act."""
    if is_feedback(inputs):
        loop, _, applied = closed(system, inputs, None)
        return loop, applied
    return system, Applied.of(with_times(inputs, system.input_labels, times), system.input_labels)


def closed(system: Any, inputs: Any, events: Any) -> tuple[Any, Any, Applied]:
    """The system with its inputs set by feedback, those left out zero, the events in terms of it, the inputs.

    Raises
    ------
    InputError
        For an unknown label, what is no finite expression, or a function for a system without inputs.
    TypeError
        For what is given by label and is neither a number nor an expression.
    """
    labels = system.input_labels
    if not isinstance(inputs, Mapping):
        if not labels:
            raise InputError("inputs were given, but this system has none; leave inputs out")
        return system.closed_loop(inputs), events, Applied.by_law(inputs, labels)
    given = {str(key): value for key, value in inputs.items()}
    for label in given:
        if label not in labels:
            raise InputError(f"unknown input {label!r}{nearest(label, labels)}")
    if not labels:
        return system, events, Applied.none(labels)
    terms = [_term(label, given.get(label, 0), system.inputs) for label in labels]
    table = dict(zip(system.inputs, terms, strict=True))
    if isinstance(events, Mapping):
        events = {name: _replaced(event, table) for name, event in events.items()}
    return system.closed_loop(terms), events, Applied.by_law(callable_law(system, terms), labels)


def with_times(inputs: Any, labels: tuple[str, ...], times: np.ndarray) -> Any:
    """Samples (m, nt) at the times of the run with their times, (nt,) for one input; all else as it is.

    Raises
    ------
    InputError
        For rows of another number of samples, or values that are no finite numbers.
    """
    if inputs is None or isinstance(inputs, tuple) or callable(inputs):
        return inputs
    samples, m = finite_array("inputs", inputs), len(labels)
    if m == 1 and samples.shape == times.shape:
        samples = samples[None]
    if samples.ndim < 2 or not m:
        return inputs
    if samples.shape != (m, times.size):
        raise InputError(
            f"inputs as samples must have shape (m, nt) = ({m}, {times.size}) for {', '.join(labels)} at "
            f"timepts, got {samples.shape}"
        )
    return times, samples


def _term(label: str, value: Any, inputs: Sequence[sp.Symbol]) -> sp.Expr:
    single = isinstance(value, sp.Basic) or shape_of(value) == ()
    if callable(value) or isinstance(value, str) or not single:
        raise TypeError(
            f"input {label!r} must be a number or a sympy expression in states, geoctrl.time and parameters, "
            f"got {type(value).__name__}; samples and functions are given for all inputs at once: (times, "
            "values (m, nt)), f(t) or f(t, x, params) -> (m,)"
        )
    term = read_scalar(f"input {label!r}", value)
    if term.free_symbols & set(inputs):
        raise ExpressionError(f"input {label!r} is given by {term}, which holds an input itself")
    return term


class _DrivenEvent(Event):
    """An event on inputs, what drives them put in: a constant, without zeros, where that is one."""


def _replaced(given: Any, table: Mapping[sp.Symbol, sp.Expr]) -> Event:
    event = given if isinstance(given, Event) else Event(given)
    if not event.expr.free_symbols & set(table):
        return event
    return _DrivenEvent(event.expr.xreplace(table), event.terminal, event.direction)


def read_switches(
    system: Any, events: Mapping[str, Any] | None, inputs: Any
) -> tuple[tuple[Switch, ...], Switches | None]:
    """Events by name, and their values at states, time and the inputs that drive the run.

    Raises
    ------
    TypeError
        If ``events`` is not a mapping of names to expressions.
    ExpressionError
        For an expression that cannot be translated, does not change along a run, or holds an input that a
        law sets.
    """
    from geoctrl.stepping.drive import read_drive, sample

    if not events:
        return (), None
    if not isinstance(events, Mapping):
        raise TypeError(f"events must be a dict of name -> expression or Event, got {type(events).__name__}")
    switches, nodes = [], []
    for name, given in events.items():
        if not isinstance(name, str):
            raise TypeError(f"events must have text as names, got {name!r}")
        event = given if isinstance(given, Event) else Event(given)
        try:
            node = system.to_node(event.expr)
        except ExpressionError as error:
            raise ExpressionError(f"event {name!r}: {error}") from error
        if node.level < STATE and not isinstance(event, _DrivenEvent):
            raise ExpressionError(f"event {name!r}: {event.expr} depends on no state, input or time")
        lost = sorted(str(s) for s in event.expr.free_symbols & (set(system.driven) - set(system.inputs)))
        if lost:
            raise ExpressionError(
                f"event {name!r} holds {', '.join(lost)}, which a law sets; write what it gives in states"
            )
        nodes.append(node)
        switches.append(Switch(name, event.terminal, event.direction))
    arguments = [*system.state_nodes, system.time_node, *(system.input_nodes if system.inputs else ())]
    program = Program(system.graph, arguments, system.parameter_nodes, nodes)
    table, drive = read_drive(inputs, system.input_labels)
    count = len(system.inputs)

    def values(place: Sequence[float], params: Mapping[str, float]) -> np.ndarray:
        t = place[-1]
        u = np.ravel(drive(t)) if drive else [sample(table, t, j) for j in range(count)]
        return program([*place, *u], params)

    return tuple(switches), values
