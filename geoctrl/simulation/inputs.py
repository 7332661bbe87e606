"""What drives the inputs: nothing, expressions, samples between which they are linear, or a callable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._checks import accepts, finite_array, nearest, real_array
from geoctrl._scalars import STATE, Node, Program, is_number, real
from geoctrl.errors import ExpressionError, InputError

if TYPE_CHECKING:
    from geoctrl.systems import ReducedSystem

__all__ = ["Inputs", "read_inputs"]


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of one run.

    Attributes
    ----------
    kind : {"zero", "expressions", "samples", "callable"}
    mapping : dict
        Input node -> node that takes its place; empty for a callable.
    arguments : list of Node
        Further arguments of the equations, of which `extra` gives the values.
    constant : tuple of float
        Their values where they do not change.
    """

    system: ReducedSystem
    kind: str
    mapping: dict[Node, Node]
    arguments: list[Node]
    constant: tuple[float, ...] = ()
    time: np.ndarray = field(default_factory=lambda: np.zeros(0))
    samples: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    function: Callable | None = field(default=None, repr=False)

    @property
    def piecewise(self) -> bool:
        """Whether a run must be stopped and continued at the times of samples."""
        return self.kind == "samples"

    @property
    def reason(self) -> str | None:
        """Why the heyoka engine cannot run these inputs."""
        if self.kind != "callable":
            return None
        labels = self.system.input_labels
        words = f"input {labels[0]!r}" if len(labels) == 1 else f"inputs {', '.join(map(repr, labels))}"
        return f"{words} {'is' if len(labels) == 1 else 'are'} a Python callable"

    def extra(self, t: float) -> tuple[float, ...]:
        """Values of `arguments` from `t` on: for samples value, slope (each input) and time of the piece."""
        if self.kind != "samples":
            return self.constant
        k = self._piece(t)
        value = self.samples[:, k]
        slope = (self.samples[:, k + 1] - value) / (self.time[k + 1] - self.time[k])
        return (*value.tolist(), *slope.tolist(), float(self.time[k]))

    def _piece(self, t: float) -> int:
        k = int(np.searchsorted(self.time, t, side="right")) - 1
        return min(max(k, 0), self.time.size - 2)

    def at(self, t: float, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Value (m,) of the callable, its shape checked."""
        assert self.function is not None
        u = np.atleast_1d(real_array("inputs(t, x, params)", self.function(t, x, params)))
        m = self.system.ninputs
        if u.shape != (m,):
            raise InputError(
                f"inputs(t, x, params) must return {m} values ({', '.join(self.system.input_labels)}), "
                f"got shape {u.shape}"
            )
        return u

    def values(self, t: np.ndarray, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Inputs applied at times (nt,) and states (n, nt): (m, nt)."""
        m = self.system.ninputs
        if self.kind == "zero":
            return np.zeros((m, t.size))
        if self.kind == "samples":
            return np.array([np.interp(t, self.time, row) for row in self.samples])
        if self.kind == "callable":
            return np.array([self.at(float(s), column, params) for s, column in zip(t, x.T, strict=True)]).T
        g, a = self.system.graph, self.system.assembly
        program = Program(
            g,
            [*self.system.state_nodes, a.time, *self.arguments],
            a.parameters,
            [self.mapping[node] for node in a.inputs],
        )
        return program([*x, t, *self.constant], params)


def read_inputs(system: ReducedSystem, inputs: Any, timepts: np.ndarray) -> Inputs:
    """Check and translate the argument ``inputs`` of `simulate`.

    Raises
    ------
    InputError
        For an unknown label, a wrong shape, a value that is not finite, or inputs for a system without any.
    ExpressionError
        For an expression that cannot be translated or holds an input.
    TypeError
        For a value of another kind.
    """
    nodes = system.assembly.inputs
    zero = system.graph.zero
    if inputs is None or (isinstance(inputs, Mapping) and not inputs):
        return Inputs(system, "zero", dict.fromkeys(nodes, zero), [])
    if not nodes:
        raise InputError("inputs were given, but this system has none; leave inputs out")
    if isinstance(inputs, Mapping):
        return _from_expressions(system, inputs)
    if callable(inputs):
        if not accepts(inputs, 3):
            raise TypeError(f"inputs as a function must take (t, x, params), got {inputs!r}")
        return Inputs(system, "callable", {}, list(nodes), function=inputs)
    return _from_samples(system, inputs, timepts)


def _from_expressions(system: ReducedSystem, inputs: Mapping[Any, Any]) -> Inputs:
    g, labels = system.graph, system.input_labels
    mapping = dict.fromkeys(system.assembly.inputs, g.zero)
    arguments: list[Node] = []
    constant: list[float] = []
    for key, value in inputs.items():
        label = str(key)
        if label not in labels:
            raise InputError(f"unknown input {label!r}{nearest(label, labels)}")
        node = system.assembly.inputs[labels.index(label)]
        if is_number(value):
            number = real(value, f"input {label!r}")
            # A runtime argument, so that one compilation serves every constant input.
            if number:
                mapping[node] = g.symbol(f"constant {label}", STATE)
                arguments.append(mapping[node])
                constant.append(number)
            continue
        if not isinstance(value, sp.Expr):
            raise TypeError(
                f"input {label!r} must be a number or a sympy expression in states, geoctrl.time and "
                f"parameters, got {type(value).__name__}; samples are given as one array (m, nt) and a "
                "callable as inputs=f with f(t, x, params) -> (m,)"
            )
        if value.free_symbols & set(system.inputs):
            raise ExpressionError(f"input {label!r} is given by {value}, which holds an input itself")
        try:
            mapping[node] = system.expression(value)
        except ExpressionError as error:
            raise ExpressionError(f"input {label!r}: {error}") from error
    kind = "zero" if all(node.is_zero for node in mapping.values()) else "expressions"
    return Inputs(system, kind, mapping, arguments, tuple(constant))


def _from_samples(system: ReducedSystem, inputs: Any, timepts: np.ndarray) -> Inputs:
    m, labels = system.ninputs, system.input_labels
    try:
        array = real_array("inputs", inputs)
    except InputError as error:
        if isinstance(inputs, (list, tuple, np.ndarray)):
            raise
        raise TypeError(
            "inputs must be a dict of label -> expression, a callable (t, x, params) -> (m,) or an array "
            f"(m, nt), got {type(inputs).__name__}"
        ) from error
    if m == 1 and array.ndim == 1:
        array = array[None, :]
    if array.shape != (m, timepts.size):
        raise InputError(
            f"inputs as samples must have shape (m, nt) = ({m}, {timepts.size}) for {', '.join(labels)} at "
            f"timepts, got {array.shape}"
        )
    samples = finite_array("inputs", array).copy()
    g, a = system.graph, system.assembly
    value = [g.symbol(f"sample {label}", STATE) for label in labels]
    slope = [g.symbol(f"slope {label}", STATE) for label in labels]
    base = g.symbol("time of the sample", STATE)
    mapping = {node: v + s * (a.time - base) for node, v, s in zip(a.inputs, value, slope, strict=True)}
    return Inputs(system, "samples", mapping, [*value, *slope, base], time=timepts, samples=samples)
