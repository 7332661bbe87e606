"""What drives the inputs of a run: they are held, linear between samples, a function, or expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import ParameterValues, accepts, as_python, finite_array, nearest, real_array
from geoctrl._scalars import STATE, Graph, Node, Program, is_number, real, without_floats
from geoctrl.errors import ExpressionError, InputError
from geoctrl.runs import SampleRecord
from geoctrl.systems import System

__all__ = ["Drive", "DriveExpressions", "Function", "Held", "Sampled"]


class Drive(ABC):
    """Inputs of one run.

    Attributes
    ----------
    labels : tuple of str
        Of the inputs of the system.
    outside : bool
        Whether something else than the state and expressions decided on them, so that what the run conserves
        must be conserved whatever they do.
    times, samples : ndarray (k,), (m, k)
        Linear between these times and constant beyond them; zero where something else decides.
    of_time : callable or None
        The function of the time, where they are one.
    law : callable, list of expressions or None
        The feedback that they are, as `closed_loop` takes it.
    controls : bool
        Whether a controller was given for the run: its inputs are told among the outputs.
    record : SampleRecord or None
        What a sampled controller did, once the run is over.
    """

    outside = False
    of_time: Callable | None = None
    law: Any = None
    controls: bool = False
    record: SampleRecord | None = None

    labels: tuple[str, ...]
    times: np.ndarray
    samples: np.ndarray

    @property
    def constant(self) -> bool:
        """Whether they do not change along a run."""
        return False

    @property
    def off(self) -> bool:
        """Whether they are known to be zero."""
        return False

    @property
    def breaks(self) -> np.ndarray:
        """Times of their kinks, which no step may cross."""
        return self.times[:0]

    @property
    def obstacle(self) -> str | None:
        """Why recorded equations cannot hold them, or None."""
        return None

    def begin(self, t: float) -> None:
        """Told by an engine that has reached one of the `breaks`, t: up to the next one `at` is smooth."""
        del t

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on: of a drive that takes commands."""
        raise InputError(f"the inputs of this run take no commands, got {list(u)} at t = {t:.9g}")

    @abstractmethod
    def inputs_at(self, t: float, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m,) at a time and a state (n,)."""

    def values(self, time: np.ndarray, states: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m, nt) at times (nt,) and states (n, nt)."""
        rows = [self.inputs_at(float(t), x, params) for t, x in zip(time, states.T, strict=True)]
        return np.array(rows, dtype=float).T.reshape(len(self.labels), time.size)

    def images(self, system: System) -> tuple[list[Node], list[Node]]:  # noqa: ARG002
        """What stands for each input in the equations of a system, and the symbols in it besides its own.

        `extra` gives the numbers of these: one compilation serves them all.
        """
        raise ExpressionError(str(self.obstacle))

    def extra(self, t: float) -> list[float]:  # noqa: ARG002
        """Numbers of the further symbols of `images` from the time t on, up to the next of the `breaks`."""
        return []

    def translation(self, system: System, translate: Callable[[Any], Any]) -> Drive:  # noqa: ARG002
        """The same on a system in other states, of which ``translate`` gives expressions."""
        return self


def _nothing(labels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Times and samples of inputs that something else decides on."""
    return np.zeros(1), np.zeros((len(labels), 1))


class Held(Drive):
    """Inputs that do not change; ``outside`` unless they are known to be zero."""

    def __init__(self, labels: tuple[str, ...], values: np.ndarray | None = None) -> None:
        self.labels, self.outside = labels, values is not None
        self._u = np.zeros(len(labels)) if values is None else values
        self.times, self.samples = np.zeros(1), self._u[:, None]

    @classmethod
    def read(cls, labels: tuple[str, ...], values: np.ndarray) -> Held:
        """Of a number for each input."""
        m = len(labels)
        u = finite_array(f"inputs ({', '.join(labels)})", np.atleast_1d(values), (m,)).copy()
        return cls(labels, u)

    @property
    def constant(self) -> bool:
        """They are."""
        return True

    @property
    def off(self) -> bool:
        """Whether they are zero."""
        return not self._u.any()

    def inputs_at(self, _t: float, _x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m,)."""
        return self._u

    def images(self, system: System) -> tuple[list[Node], list[Node]]:
        """A symbol for each input that is not zero."""
        return _number_symbols(system.graph, self.labels, self._u.tolist())

    def extra(self, _t: float) -> list[float]:
        """Numbers of these."""
        return [u for u in self._u.tolist() if u]


class Sampled(Drive):
    """Inputs that are linear between samples and constant beyond them."""

    outside = True

    def __init__(self, labels: tuple[str, ...], times: np.ndarray, samples: np.ndarray) -> None:
        self.labels, self.times, self.samples = labels, times, samples

    @classmethod
    def read(cls, labels: tuple[str, ...], times: np.ndarray, values: Any, where: str) -> Sampled:
        """Of a row of samples for each input at times, which ``where`` names."""
        m = len(labels)
        samples = finite_array("inputs", np.atleast_2d(values) if m == 1 else values).copy()
        if samples.shape != (m, times.size):
            raise InputError(
                f"inputs as samples must have shape (m, nt) = ({m}, {times.size}) for {', '.join(labels)} at "
                f"{where}, got {samples.shape}"
            )
        return cls(labels, times, samples)

    @property
    def breaks(self) -> np.ndarray:
        """The times of the samples."""
        return self.times

    def inputs_at(self, t: float, _x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m,) at a time."""
        value, slope, base = self._piece(t)
        return value + slope * (min(max(t, self.times[0]), self.times[-1]) - base)

    def values(self, time: np.ndarray, _states: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m, nt) at times (nt,)."""
        return np.array([np.interp(time, self.times, row) for row in self.samples])

    def _piece(self, t: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Value, slope and time of the sample before t, or of the first."""
        k = min(max(int(np.searchsorted(self.times, t, side="right")) - 1, 0), self.times.size - 2)
        value, step = self.samples[:, k], self.times[k + 1] - self.times[k]
        return value, (self.samples[:, k + 1] - value) / step, float(self.times[k])

    def images(self, system: System) -> tuple[list[Node], list[Node]]:
        """Value and slope for each input, linear from the time of a sample on."""
        g = system.graph
        value, slope = ([g.symbol(f"{what} {u}", STATE) for u in self.labels] for what in ("sample", "slope"))
        base = g.symbol("time of the sample", STATE)
        away = system.time_node - base
        return [v + s * away for v, s in zip(value, slope, strict=True)], [*value, *slope, base]

    def extra(self, t: float) -> list[float]:
        """Values, slopes, and the time of the sample; beyond the samples they do not change."""
        value, slope, base = self._piece(t)
        if t >= self.times[-1]:
            value, slope = self.samples[:, -1], 0 * slope
        elif t < self.times[0]:
            slope = 0 * slope
        return [*value.tolist(), *slope.tolist(), base]


class Function(Drive):
    """Inputs by a function of the time, or of time, state and parameters."""

    def __init__(self, labels: tuple[str, ...], function: Callable, of_state: bool) -> None:
        self.labels, (self.times, self.samples) = labels, _nothing(labels)
        self._function, self._of_state = function, of_state
        self.outside = not of_state
        if of_state:
            self.law = function
        else:
            self.of_time = function

    @classmethod
    def read(cls, labels: tuple[str, ...], function: Callable) -> Function:
        """Of (t, x, params), or of the time alone."""
        of_time, of_state = accepts(function, 1), accepts(function, 3)
        if of_time and of_state:
            raise TypeError(
                "inputs as a function that takes any number of arguments, or one as well as three, may be "
                f"f(t) or f(t, x, params), got {function!r}: name the arguments, without defaults"
            )
        if not of_time and not of_state:
            raise TypeError(
                "inputs as a function must take (t, x, params), or be a function of time alone, f(t); got "
                f"{function!r}"
            )
        return cls(labels, function, not of_time)

    @property
    def obstacle(self) -> str | None:
        """That it is a function."""
        words = f"input{'s' * (len(self.labels) > 1)} {', '.join(map(repr, self.labels))}"
        return f"{words} {'is' if len(self.labels) == 1 else 'are'} a Python callable"

    @property
    def _call(self) -> str:
        return "inputs(t, x, params)" if self._of_state else "inputs(t)"

    def inputs_at(self, t: float, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """What the function returns, InputError unless that is a number for each input."""
        # Copies: a function may write into what it is given.
        given = (
            self._function(t, x.copy(), self._parameters_by_name(params))
            if self._of_state
            else self._function(t)
        )
        u, m = real_array(self._call, given), len(self.labels)
        if u.shape != (m,):
            u = np.atleast_1d(np.squeeze(u))  # a row, a column, and a number where there is one
            if u.shape != (m,):
                raise InputError(
                    f"{self._call} must return {m} values ({', '.join(self.labels)}), got shape "
                    f"{np.shape(given)}"
                )
        return u

    def _parameters_by_name(self, params: Mapping[str, float]) -> Any:
        """Parameters by name, for a function that numba compiled a record: it knows no dict of this kind."""
        if as_python(self._function) is self._function or not params:
            return ParameterValues(params)
        return np.array([tuple(params.values())], dtype=[(name, float) for name in params])[0]


class DriveExpressions(Drive):
    """Inputs by expressions in states, time and parameters, and numbers.

    Parameters
    ----------
    terms : sequence of float or expression
        One for each input.
    """

    def __init__(self, system: System, terms: Sequence[Any]) -> None:
        self.labels = system.input_labels
        self.times, self.samples = _nothing(self.labels)
        self.law = list(terms)
        self._system = system
        self._nodes = [self._node(u, e) for u, e in zip(self.labels, terms, strict=True)]

    @classmethod
    def read(cls, system: System, inputs: Mapping[Any, Any]) -> Drive:
        """Of labels with expressions or numbers; labels left out are zero."""
        labels = system.input_labels
        given = {str(key): value for key, value in inputs.items()}
        for label in given:
            if label not in labels:
                raise InputError(f"unknown input {label!r}{nearest(label, labels)}")
        drive = cls(system, [_term(u, given.get(u, 0.0), system.inputs) for u in labels])
        return Held(labels) if drive.zero else drive

    def _node(self, label: str, term: Any) -> Node:
        if isinstance(term, float):
            return self._system.graph.node(term)
        try:
            return self._system.expression(term)
        except ExpressionError as error:
            raise ExpressionError(f"input {label!r}: {error}") from None

    @property
    def zero(self) -> bool:
        """Whether they all vanish."""
        return all(node.is_zero for node in self._nodes)

    @property
    def constant(self) -> bool:
        """Whether they all are numbers."""
        return all(isinstance(term, float) for term in self.law)

    @cached_property
    def _program(self) -> Program:
        system = self._system
        arguments = [*system.state_nodes, system.time_node]
        return Program(system.graph, arguments, system.parameter_nodes, self._nodes)

    def inputs_at(self, t: float, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m,), nan where an expression has no value."""
        try:
            return np.array(self._program.scalar([*x.tolist(), t], self._program.constants(params)))
        except (ArithmeticError, ValueError):
            return np.full(len(self.labels), np.nan)

    def values(self, time: np.ndarray, states: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Inputs (m, nt) at times (nt,) and states (n, nt)."""
        return self._program([*states, time], params)

    def images(self, system: System) -> tuple[list[Node], list[Node]]:
        """The expressions, and a symbol for each number that is not zero."""
        numbers = [e if isinstance(e, float) else 0.0 for e in self.law]
        held, arguments = _number_symbols(system.graph, self.labels, numbers)
        pairs = zip(self.law, self._nodes, held, strict=True)
        return [h if isinstance(e, float) else node for e, node, h in pairs], arguments

    def extra(self, _t: float) -> list[float]:
        """The numbers."""
        return [e for e in self.law if isinstance(e, float) and e]

    def translation(self, system: System, translate: Callable[[Any], Any]) -> Drive:
        """The same expressions in the states of another system."""
        return DriveExpressions(system, [e if isinstance(e, float) else translate(e) for e in self.law])


def _term(label: str, value: Any, inputs: Sequence[sp.Symbol]) -> Any:
    """A float, or an expression that holds no input."""
    if is_number(value):
        return real(value, f"input {label!r}")
    if isinstance(value, sp.MatrixBase) and value.shape == (1, 1):  # a product of vectors
        value = value[0]
    if not isinstance(value, sp.Expr):
        raise TypeError(
            f"input {label!r} must be a number or a sympy expression in states, geoctrl.time and parameters, "
            f"got {type(value).__name__}; samples and functions are given for all inputs at once: an array "
            "(m, nt), (times, values (m, nt)), or a callable as inputs=f with f(t) or f(t, x, params) -> (m,)"
        )
    if value.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise InputError(f"input {label!r} must be finite, got {value}")
    value = without_floats(value, f"input {label!r}", InputError)
    if value.free_symbols & set(inputs):
        raise ExpressionError(f"input {label!r} is given by {value}, which holds an input itself")
    return value


def _number_symbols(
    graph: Graph, labels: Sequence[str], numbers: Sequence[float]
) -> tuple[list[Node], list[Node]]:
    """A symbol for each number that is not zero, zero for the others; and the symbols."""
    nodes = [
        graph.symbol(f"constant {u}", STATE) if e else graph.zero
        for u, e in zip(labels, numbers, strict=True)
    ]
    return nodes, [node for node in nodes if not node.is_zero]
