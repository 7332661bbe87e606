"""A certificate's equations, evaluated without geoctrl: in power series over the rationals, or in floats.

The unknowns are solved for, K z = b, by elimination in the same numbers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx, fmpq, fmpq_series
from scipy.integrate import quad

from tests.attack.oracle.motion import solve
from tests.attack.oracle.oracle import rational

NEAR = 1e-11
"""How near floats have to be to what they stand for."""
ROLES = {"state": "states", "input": "inputs", "parameter": "parameters", "unknown": "unknowns"}


class NotJudgedError(Exception):
    """The file holds something that is not understood here."""


class Roots:
    """Numbers of a file, with square roots as floats."""

    def __init__(self, radicands: Sequence[str]) -> None:
        self._roots: list[float] = []
        for text in radicands:
            self._roots.append(float(self.number(text)) ** 0.5)

    def number(self, text: Any) -> Any:
        if not isinstance(text, str):
            return text
        total: Any = Fraction(0)
        for part in text.replace(" - ", " + -").split(" + "):
            c, *held = part.split("*")
            term: Any = Fraction(c)
            for r in held:
                term = float(term) * self._roots[int(r[1:]) - 1]
            total = total + term
        return total

    def agree(self, text: Any, told: Any) -> bool:
        """Exactly, if both are rational; else up to rounding."""
        number = self.number(text)
        if isinstance(number, Fraction) and isinstance(told, Fraction):
            return number == told
        return bool(abs(float(number) - float(told)) <= NEAR * max(abs(float(number)), 1e-300))


class Table:
    """The equations of a file.

    Attributes
    ----------
    point : list of Fraction
        Values of the states in their order; floats where square roots occur.
    exact : whether none does
    """

    def __init__(self, problem: Mapping[str, Any], radicands: Sequence[str] = ()) -> None:
        self.problem, self.nodes = problem, problem["nodes"]
        number = Roots(radicands).number
        self.point = [number(v) for v in problem["states"].values()]
        self.exact = all(isinstance(v, Fraction) for v in self.point)
        self._symbols = {(node[2], node[1]): i for i, node in enumerate(self.nodes) if node[0] == "sym"}
        self._held = {
            (role, k): number(v) for role in ("input", "parameter") for k, v in problem[ROLES[role]].items()
        }

    @property
    def honest(self) -> bool:
        """Whether states, inputs, parameters and unknowns are the symbols, each once and of its role."""
        named = [(role, k) for role, part in ROLES.items() for k in self.problem[part]]
        symbols = [(node[2], node[1]) for node in self.nodes if node[0] == "sym"]
        names = [k for _, k in symbols]
        own = [symbol for symbol in symbols if symbol[0] != "family"]
        return len(set(names)) == len(names) and sorted(named) == sorted(own)

    def with_inputs(self, values: Mapping[str, Any]) -> Table:
        """The same equations under other inputs."""
        found = copy.copy(self)
        found._held = self._held | {("input", k): v for k, v in values.items()}
        return found

    def exactly(self, outputs: Sequence[int], x: Sequence[fmpq_series]) -> list[fmpq_series]:
        """Outputs at states given as power series.

        Raises
        ------
        NotJudgedError
            Where a function has no rational series.
        """
        try:
            return self._run(outputs, list(x), rational, fmpq_series([0]), _SERIES)
        except (ValueError, NotImplementedError) as error:
            raise NotJudgedError(str(error)) from error

    def in_floats(self, outputs: Sequence[int], x: Sequence[float]) -> np.ndarray:
        return np.array(self._run(outputs, [float(v) for v in x], float, 0.0, _FLOATS), dtype=float)

    def _run(self, outputs: Sequence[int], x: list, number: Callable, zero: Any, functions: Mapping) -> list:
        given = dict(zip((("state", k) for k in self.problem["states"]), x, strict=True))
        given |= {key: zero + number(q) for key, q in self._held.items()}
        values = {self._symbols[key]: v for key, v in given.items()}

        def evaluate(wanted: Sequence[int]) -> None:
            for i in sorted(self._below(wanted) - values.keys()):
                values[i] = _node(self.nodes[i], values, lambda q: zero + number(Fraction(q)), functions)

        unknowns = [self._symbols["unknown", k] for k in self.problem["unknowns"]]
        if set(unknowns) & self._below(outputs):
            cells, right = self.problem["matrix"], self.problem["right"]
            evaluate([*(p for *_, p in cells), *right])
            K = [[zero] * len(right) for _ in right]
            for i, j, p in cells:
                K[i][j] = values[p]
            values |= dict(zip(unknowns, solve(K, [values[p] for p in right]), strict=True))
        evaluate(outputs)
        return [values[i] for i in outputs]

    def _below(self, outputs: Sequence[int]) -> set[int]:
        """Nodes that the outputs are made of."""
        found, waiting = set(), list(outputs)
        while waiting:
            if (i := waiting.pop()) not in found:
                found.add(i)
                waiting += parts(self.nodes[i])
        return found


def parts(node: Sequence[Any]) -> list[int]:
    """Places that a node refers to."""
    kind, *rest = node
    if kind == "prod":
        return [atom for atom, _ in rest[1]]
    if kind == "sum":
        return [k for term in rest[0] for k in term]
    return list(rest[1]) if kind == "fun" else []


def _node(node: Sequence[Any], values: Mapping[int, Any], number: Callable, functions: Mapping) -> Any:
    kind, *rest = node
    if kind == "num":
        return number(rest[0])
    if kind == "prod":
        value = number(rest[0])
        for atom, exponent in rest[1]:
            part = values[atom] ** abs(exponent)
            value = value * part if exponent > 0 else value / part
        return value
    if kind == "sum":
        value = number(0)
        for c, monomial in rest[0]:
            value = value + values[c] * values[monomial]
        return value
    if kind == "fun" and rest[0] in functions:
        return functions[rest[0]](*(values[k] for k in rest[1]))
    raise NotJudgedError(f"a node {kind} {rest[0]!r} in a place where it has no value")


def _integral(a: float, b: float, s: float) -> float:
    return quad(lambda t: 1 / (a * t * t + b), 0.0, s)[0]


def _primitive(slope: fmpq_series, first: float) -> fmpq_series:
    """The function with a rational derivative; its value at the point, if it is not rational, is rounded.

    What a motion keeps for the true value it keeps for any: identities that are proved know the function by
    its derivative alone.
    """
    return slope.integral() + rational(Fraction(first))


def _integral_series(a: fmpq_series, b: fmpq_series, s: fmpq_series) -> fmpq_series:
    if any(v[k] != 0 for v in (a, b) for k in range(1, ctx.cap)):
        raise NotJudgedError("an integral whose coefficients are not constant")
    first = _integral(*(int(v[0].p) / int(v[0].q) for v in (a, b, s)))
    return _primitive(s.derivative() / (a * s * s + b), first)


def _logarithm(x: fmpq_series) -> fmpq_series:
    return _primitive(x.derivative() / x, math.log(int(x[0].p) / int(x[0].q)))


def _arctangent(x: fmpq_series) -> fmpq_series:
    return _primitive(x.derivative() / (1 + x * x), math.atan(int(x[0].p) / int(x[0].q)))


def _root(x: fmpq_series) -> fmpq_series:
    p, q = (math.isqrt(int(v)) for v in (x[0].p, x[0].q))
    if x[0] <= 0 or fmpq(p * p, q * q) != x[0]:
        raise NotJudgedError("a root that is not rational at the point")
    return fmpq(p, q) * (x / x[0]).sqrt()


_SERIES: dict[str, Callable] = {name: getattr(fmpq_series, name) for name in ("sin", "cos", "exp")} | {
    "sqrt": _root,
    "log": _logarithm,
    "atan": _arctangent,
    "select": lambda c, a, b: a if c[0] > 0 else b,
    "quadrature": _integral_series,
}
_FLOATS: dict[str, Callable] = {
    name: getattr(math, name) for name in ("sqrt", "sin", "cos", "exp", "log", "atan")
} | {"select": lambda c, a, b: a if c > 0 else b, "quadrature": _integral}
