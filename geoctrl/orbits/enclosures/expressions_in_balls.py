"""Recorded equations in balls: of real numbers, of power series, and over squares of the complex plane.

A complex value is that of an analytic function all over its square, or `UnprovedError` is raised: cuts of
roots and logarithms are kept out, and a pole gives no finite ball.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any, NamedTuple

from flint import acb, arb, fmpq

from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.arithmetics import Arithmetic, Program, evaluate

__all__ = ["BALLS", "BallProgram", "Given", "UnprovedError", "ball"]


class UnprovedError(Exception):
    """What was to be shown does not follow at this precision, or there is no such orbit."""


def ball(value: Any) -> arb:
    """A rational number or a double, which is one, as a ball."""
    exact = Fraction(value)
    return arb(fmpq(exact.numerator, exact.denominator))


def _analytic(name: str, inside: Callable[[Any], bool] | None = None) -> Callable:
    """A function of balls and series, over complex squares only where ``inside`` holds."""

    def value(x: Any) -> Any:
        if inside is not None and isinstance(x, acb) and not inside(x):
            raise UnprovedError(f"{name} has a cut near the orbit")
        return getattr(x, name)()

    return value


def _exponentials(name: str, sign: int, quotient: bool) -> Callable:
    """sinh, cosh and tanh, which series have by the exponential alone."""

    def value(x: Any) -> Any:
        if hasattr(x, name):
            return getattr(x, name)()
        e = x.exp()
        up, down = e + sign / e, e - sign / e
        return up / down if quotient else up / 2

    return value


def _product(x: Any, count: int) -> Any:
    """A power as a product: arb(0, 1)**2 is no number in python-flint 0.9, and no series of such a ball."""
    return reduce(mul, [x] * count)


BALLS = Arithmetic(
    "balls",
    ball,
    dict(
        sqrt=_analytic("sqrt", lambda x: bool(x.real > 0)),
        log=_analytic("log", lambda x: bool(x.real > 0)),
        atan=_analytic("atan", lambda x: bool(abs(x.imag) < 1)),
        sinh=_exponentials("sinh", -1, False),
        cosh=_exponentials("cosh", 1, False),
        tanh=_exponentials("tanh", -1, True),
        square=lambda x: _product(x, 2),
        **{name: _analytic(name) for name in ("exp", "sin", "cos", "tan")},
    ),
    _product,
)


class Given(NamedTuple):
    """At what a system is: all but its states.

    Attributes
    ----------
    u : inputs, as rationals or doubles
    params : values of all parameters by name, likewise
    sizes : powers of two (n,), by which states are multiplied that the programs are given
    """

    u: tuple[Any, ...]
    params: dict[str, Any]
    sizes: tuple[arb, ...]


class BallProgram:
    """Some nodes as a function of the states, at fixed inputs and parameters.

    Parameters
    ----------
    system : System
    nodes : of its graph
    given : inputs, parameters and sizes of the states
    along : name of a parameter that is not fixed, optional
        It is given after the states, and has a size after theirs.
    """

    def __init__(self, system: Any, nodes: Sequence[Node], given: Given, along: str | None = None) -> None:
        u, params, self._sizes = given
        self._program: Program = system.program(list(nodes))
        self._rest = [arb(0), *map(ball, u)]
        if unknown := sorted(_functions(nodes) - BALLS.functions.keys()):
            raise UnprovedError(f"{unknown[0]} is no analytic function, or none that balls have")
        named = self._program.parameters
        self._along = named[along] if along is not None else None
        self._symbols = {node: ball(params[name]) for name, node in named.items() if name != along}
        self._constants = [] if along is not None else self._constants_at({})

    def __call__(self, x: Sequence[Any]) -> list[Any]:
        """Values at states over their sizes that are balls, series, or complex squares."""
        states, constants = [v * d for v, d in zip(x, self._sizes, strict=True)], self._constants
        if self._along is not None:
            constants = self._constants_at({self._along: states.pop()})
        return self._program.run([*states, *self._rest], constants, BALLS, _sum)

    def _constants_at(self, further: dict[Node, Any]) -> list[Any]:
        """What depends on parameters alone, with those that are not fixed."""
        return evaluate(self._program.tape.constants, self._symbols | further, BALLS)


def _sum(terms: Sequence[Any]) -> Any:
    first, *others = terms
    for term in others:
        first = first + term
    return first


def _functions(nodes: Sequence[Node]) -> set[str]:
    """Names of the functions that nodes call."""
    if not nodes:
        return set()
    return {node.payload[0] for node in nodes[0].graph.reachable(nodes) if node.kind == "fun"}
