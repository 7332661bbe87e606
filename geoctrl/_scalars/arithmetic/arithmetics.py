"""The arithmetics that recorded expressions run in, and the compiled program of a set of outputs.

`evaluate` interprets nodes in any arithmetic, `Program` runs the straight-line code of a `Tape` with
Python floats, numpy arrays (vectorised over trajectories) or heyoka expressions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from operator import add, itemgetter
from typing import Any

import numpy as np

from geoctrl._scalars.graph.graph import Graph, Node
from geoctrl._scalars.graph.special_values import rational_sqrt, special_value
from geoctrl._scalars.graph.straight_line import Language, coefficient_in_doubles, results, statements
from geoctrl._scalars.graph.tape import Tape
from geoctrl.errors import DivisionError, ExpressionError, LabelError, ParameterError

__all__ = ["FLOAT", "RATIONAL", "Arithmetic", "NotRationalError", "Program", "evaluate"]


class NotRationalError(ExpressionError):
    """An expression has no exact rational value at a point, so that no exact proof is possible there."""


@dataclass(frozen=True)
class Arithmetic:
    """Numbers and named functions of one arithmetic; + - * / are those of its objects, and so are powers, if
    there is no better one.
    """

    name: str
    number: Callable
    functions: Mapping[str, Callable]
    power: Callable = pow


def _scalar_quadrature(a: float, b: float, s: float) -> float:
    """int_0^s dt/(a t^2 + b) for b > 0 or b < 0: arctan (ab > 0), linear (a = 0), artanh (ab < 0)."""
    z = a * s * s / b
    if abs(z) < 1e-3:
        # atan(sqrt z)/sqrt z and artanh(sqrt -z)/sqrt -z share one series, regular at a = 0.
        return s / b * sum((-z) ** k / (2 * k + 1) for k in range(7))
    root = math.sqrt(abs(z))
    return s / b * ((math.atan(root) if z > 0 else math.atanh(root)) / root)


def _array_quadrature(a, b, s):
    z = a * s * s / b
    series = sum((-z) ** k / (2 * k + 1) for k in range(7))
    small, positive = np.abs(z) < 1e-3, np.real(z) > 0
    root = np.sqrt(np.where(small, 0.5, np.where(positive, z, -z)))
    inverse = np.where(positive, np.arctan(root), np.arctanh(root))
    return s / b * np.where(small, series, inverse / root)


# Complex arguments are complex steps: functions are continued analytically from the real axis.


def _array_abs(x):
    return np.where(np.real(x) < 0, -x, x)


def _array_sign(x):
    return np.sign(np.real(x))


def _array_atan2(y, x):
    base = np.arctan2(np.real(y), np.real(x))
    if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
        return base
    cosine, sine = np.cos(base), np.sin(base)
    return base + np.arctan((cosine * y - sine * x) / (cosine * x + sine * y))


_SHARED = ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"]
_SHARED += ["atanh", "exp", "log"]
_NUMPY_NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}

FLOAT = Arithmetic(
    "float",
    float,
    {name: getattr(math, name) for name in _SHARED}
    | {
        "abs": abs,
        "atan2": math.atan2,
        "sign": lambda x: float((x > 0) - (x < 0)),
        "select_positive": lambda c, a, b: a if c > 0 else b,
        "select_nonnegative": lambda c, a, b: a if c >= 0 else b,
        "quadrature": _scalar_quadrature,
    },
)

ARRAY = Arithmetic(
    "numpy",
    float,
    {name: getattr(np, _NUMPY_NAMES.get(name, name)) for name in _SHARED}
    | {
        "abs": _array_abs,
        "sign": _array_sign,
        "atan2": _array_atan2,
        "select_positive": lambda c, a, b: np.where(np.real(c) > 0, a, b),
        "select_nonnegative": lambda c, a, b: np.where(np.real(c) >= 0, a, b),
        "quadrature": _array_quadrature,
    },
)


class _RationalFunctions(dict):
    """Functions with an exact value: square roots of squares, choices, everything at its zero."""

    def __missing__(self, name: str) -> Callable:
        def refuse(*args: Fraction) -> Fraction:
            special = special_value(name, args[0]) if len(args) == 1 else None
            if special is None:
                raise NotRationalError(f"{name}({', '.join(map(str, args))}) is not rational")
            return Fraction(special)

        return refuse


def _rational_sqrt(x: Fraction) -> Fraction:
    root = rational_sqrt(x)
    if root is None:
        raise NotRationalError(f"sqrt({x}) is not rational")
    return root


def _rational_quadrature(a: Fraction, b: Fraction, s: Fraction) -> Fraction:
    if s == 0:
        return Fraction(0)
    if a == 0:
        return s / b
    raise NotRationalError(f"the integral of 1/({a} t^2 + {b}) up to {s} is not rational")


RATIONAL = Arithmetic(
    "rational",
    Fraction,
    _RationalFunctions(
        sqrt=_rational_sqrt,
        quadrature=_rational_quadrature,
        select_positive=lambda c, a, b: a if c > 0 else b,
        select_nonnegative=lambda c, a, b: a if c >= 0 else b,
    ),
)


def evaluate(
    nodes: Sequence[Node],
    values: Mapping[Node, Any],
    arithmetic: Arithmetic,
    order: Iterable[Node] | None = None,
) -> list:
    """Values of `nodes` in an arithmetic, given those of the symbols (and of any other node).

    Who evaluates the same nodes again and again gives what they are made of, children before parents.
    """
    if not nodes:
        return []
    image: dict[Node, Any] = {}
    for node in nodes[0].graph.reachable(nodes) if order is None else order:
        if node in values:
            image[node] = values[node]
        elif node.kind == "num":
            image[node] = arithmetic.number(node.payload)
        elif node.kind == "sym":
            raise LabelError(f"no value for the symbol {node.payload}")
        elif node.kind == "fun":
            name, args = node.payload
            image[node] = arithmetic.functions[name](*(image[a] for a in args))
        elif node.kind == "prod":
            q, items = node.payload
            product = arithmetic.number(q)
            for atom, e in items:
                power = image[atom] if abs(e) == 1 else arithmetic.power(image[atom], abs(e))
                product = product * power if e > 0 else product / power
            image[node] = product
        elif node.kind == "let":
            image[node] = image[node.payload]
        else:
            (c, mono), *rest = node.payload
            total = image[c] * image[mono]
            for c, mono in rest:
                total = total + image[c] * image[mono]
            image[node] = total
    return [image[n] for n in nodes]


_PYTHON = Language(repr, lambda name, args: f"f_{name}({', '.join(args)})")
"""Functions are those of an arithmetic."""


_INTERPRETED = 3
"""Calls that are interpreted; then code is compiled, ten times faster. To compile it takes as long as dozens
of calls, and most programs are asked at one point."""


def _square(a: Any) -> Any:
    return a * a


_STEPPED = {
    "scalar": replace(FLOAT, number=coefficient_in_doubles, functions={**FLOAT.functions, "square": _square}),
    "array": replace(ARRAY, number=coefficient_in_doubles, functions={**ARRAY.functions, "square": _square}),
}
"""What compiled functions compute in, for the calls before."""


def _from_the_left(terms: Sequence[Any]) -> Any:
    return reduce(add, terms)


_BLOCK = 8192
"""Members that are computed at a time: four times faster than a quarter of a million at once."""


class Program:
    """Some outputs as a function of arguments (states, time, inputs) and parameters.

    Parameters
    ----------
    arguments : state-level symbol nodes, in the order of call
    parameters : mapping name -> parameter-level symbol node
    """

    def __init__(
        self,
        graph: Graph,
        arguments: Sequence[Node],
        parameters: Mapping[str, Node],
        outputs: Sequence[Node],
    ) -> None:
        self.tape = Tape(graph, arguments, outputs)
        self.parameters = dict(parameters)
        self._constants_cache: dict[Any, tuple] = {}
        self._calls = 0
        self._asked = dict.fromkeys(_STEPPED, 0)
        self._order = graph.reachable(self.tape.constants)
        used = {node for node in self._order if node.kind == "sym"}
        self._used = [(name, node) for name, node in self.parameters.items() if node in used]
        self._numbers = itemgetter(*(name for name, _ in self._used)) if self._used else lambda _: ()

    def constants(self, params: Mapping[str, Any]) -> tuple:
        """The hoisted constants for a parameter set, remembered for repeated calls; arrays (N,), or numbers,
        where parameters are arrays, with inf or nan instead of an exception.
        """
        key = self._numbers(params)
        try:
            cached = self._constants_cache.get(key)
        except TypeError:  # arrays are not hashed, nor remembered
            return self._constants_of_members(params)
        if cached is None:
            values = {node: float(params[name]) for name, node in self._used}
            cached = tuple(self._values_at(values))
            if len(self._constants_cache) > 64:
                self._constants_cache.clear()
            self._constants_cache[key] = cached
        return cached

    def _constants_of_members(self, params: Mapping[str, Any]) -> tuple:
        values = {node: np.asarray(params[name], dtype=float) for name, node in self._used}
        with np.errstate(all="ignore"):
            return tuple(evaluate(self.tape.constants, values, ARRAY, self._order))

    def _values_at(self, values: Mapping[Node, float]) -> list | tuple:
        self._calls += 1
        try:
            if self._calls <= _INTERPRETED:
                return evaluate(self.tape.constants, values, FLOAT, self._order)
            return self._constant_line(*values.values())
        except ZeroDivisionError:
            raise DivisionError(f"the equations divide by zero at {_assignment(values)}") from None
        except (OverflowError, ValueError) as error:
            raise ParameterError(f"the equations have no value at {_assignment(values)}: {error}") from None

    @cached_property
    def _constant_line(self) -> Callable[..., tuple]:
        """The constants as a function of the parameters they hold, in order, with the bits of `evaluate`."""
        names = {node: f"p{i}" for i, (_, node) in enumerate(self._used)}
        lines = [f"def constants({', '.join(names.values())}):"]
        for k, node in enumerate(n for n in self._order if n not in names):
            lines.append(f"    t{k} = {_python_text(node, names)}")
            names[node] = f"t{k}"
        lines.append(f"    return ({' '.join(names[n] + ',' for n in self.tape.constants)})")
        namespace: dict = {f"f_{name}": f for name, f in FLOAT.functions.items()}
        exec(compile("\n".join(lines), "<geoctrl constants>", "exec"), namespace)
        return namespace["constants"]

    @cached_property
    def source(self) -> str:
        """Python source of ``value(x, c)``, made of a closed set of operations and names."""
        tape = self.tape
        lines = ["def value(x, c):"]
        for space, count in (("x", len(tape.arguments)), ("c", len(tape.constants))):
            if count:
                lines.append(f"    {', '.join(f'{space}{i}' for i in range(count))}, = {space}")
        lines += [f"    {statement}" for statement in self.statements]
        lines.append(f"    return ({' '.join(name + ',' for name in self.results)})")
        return "\n".join(lines) + "\n"

    @property
    def constants_text(self) -> list[str]:
        """What the hoisted constants are made of, a node a line, and which of these they are."""
        place = {node: i for i, node in enumerate(self._order)}

        def text(part: Any) -> str:
            if isinstance(part, Node):
                return f"#{place[part]}"
            return f"({' '.join(map(text, part))})" if isinstance(part, tuple | list) else str(part)

        nodes = [f"{node.kind} {text(node.payload)}" for node in self._order]
        return [*nodes, text(self.tape.constants)]

    @property
    def statements(self) -> list[str]:
        """Assignments to t0, t1, ... from arguments x0, x1, ... and constants c0, c1, ..., one a line."""
        return [f"t{i} = {text}" for i, text in enumerate(statements(self.tape, _PYTHON))]

    @property
    def results(self) -> list[str]:
        """The outputs: names, or numbers, after the statements."""
        return results(self.tape, _PYTHON)

    def _compile(self, arithmetic: Arithmetic) -> Callable:
        namespace: dict = {f"f_{name}": f for name, f in arithmetic.functions.items()}
        exec(compile(self.source, "<geoctrl program>", "exec"), namespace)
        return namespace["value"]

    @cached_property
    def scalar(self) -> Callable:
        """``value(x, c)`` with Python floats."""
        return self._compile(FLOAT)

    @cached_property
    def array(self) -> Callable:
        """``value(x, c)`` with numpy arrays (real or complex), one per argument."""
        return self._compile(ARRAY)

    def _value(self, name: str) -> Callable:
        """`scalar` or `array`, of which the first calls are interpreted, with the same bits."""
        self._asked[name] += 1
        if self._asked[name] > _INTERPRETED or name in self.__dict__:
            return getattr(self, name)
        return lambda x, c: self.run(x, c, _STEPPED[name], _from_the_left)

    def __call__(self, arguments: Sequence[Any] | np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
        """Outputs stacked as (n_out,) or (n_out, nt), from arguments and parameters that are scalars or
        (nt,).
        """
        arrays = [np.asarray(a) for a in arguments]
        of_members = [v.shape for name, _ in self._used if isinstance(v := params[name], np.ndarray)]
        shape = np.broadcast_shapes(*(a.shape for a in arrays), *of_members)
        if not self.tape.outputs:
            return np.zeros((0, *shape))
        if len(shape) == 1 and shape[0] > _BLOCK:
            return self._in_blocks(arrays, params, shape[0])
        constants = self.constants(params)
        if shape == () and all(a.dtype.kind in "fiu" for a in arrays):
            try:
                return np.array(self._value("scalar")([float(a) for a in arrays], constants))
            except (ArithmeticError, ValueError):
                pass  # a singular point: the array form says so with inf or nan instead of an exception
        with np.errstate(all="ignore"):
            outputs = self._value("array")(arrays, constants)
        return np.array([np.broadcast_to(o, shape) for o in outputs])

    def _in_blocks(self, arrays: Sequence[np.ndarray], params: Mapping[str, Any], count: int) -> np.ndarray:
        """Outputs (n_out, count), part by part, so that what is in between stays in the processor's cache."""
        used = [(name, params[name]) for name, _ in self._used]

        def part(a: Any, first: int) -> Any:
            return a[first : first + _BLOCK] if np.shape(a) == (count,) else a

        def outputs(first: int) -> np.ndarray:
            return self([part(a, first) for a in arrays], {name: part(v, first) for name, v in used})

        return np.concatenate([outputs(first) for first in range(0, count, _BLOCK)], axis=1)

    def run(self, arguments: Sequence, constants: Sequence, namespace: Arithmetic, sum_: Callable) -> list:
        """Interpret the tape on other objects (heyoka expressions), sums taken n at a time."""
        tape = self.tape
        number, functions, one = namespace.number, namespace.functions, ("n", 1)
        temporaries: list = []
        spaces = {"x": arguments, "c": constants, "t": temporaries}

        def get(operand):
            space, i = operand
            return number(i) if space == "n" else spaces[space][i]

        for op, *parts in tape.instructions:
            if op == "sum":
                terms = []
                for c, a in parts[0]:
                    if a == one:
                        terms.append(get(c))
                    else:
                        terms.append(get(a) if c == one else get(c) * get(a))
                temporaries.append(terms[0] if len(terms) == 1 else sum_(terms))
            elif op == "fun":
                name, args = parts
                if name not in functions:
                    raise ExpressionError(f"{namespace.name} has no function {name!r}")
                temporaries.append(functions[name](*(get(a) for a in args)))
            elif op == "square":
                a = get(parts[0])
                temporaries.append(functions["square"](a))
            else:
                a, b = (get(p) for p in parts)
                temporaries.append(a * b if op == "mul" else a / b)
        return [get(o) for o in tape.outputs]


def _python_text(node: Node, names: Mapping[Node, str]) -> str:
    """A node as Python on the names of what it is made of, step by step as `evaluate` takes it."""
    if node.kind == "num":
        return repr(float(node.payload))
    if node.kind == "fun":
        name, args = node.payload
        return f"f_{name}({', '.join(names[a] for a in args)})"
    if node.kind == "prod":
        q, items = node.payload
        text = repr(float(q))
        for atom, e in items:
            power = names[atom] if abs(e) == 1 else f"{names[atom]} ** {abs(e)}"
            text = f"{text} {'*' if e > 0 else '/'} {power}"
        return text
    return " + ".join(f"{names[c]} * {names[mono]}" for c, mono in node.payload)


def _assignment(values: Mapping[Node, float]) -> str:
    return ", ".join(f"{node.payload} = {value:g}" for node, value in values.items()) or "any parameters"
