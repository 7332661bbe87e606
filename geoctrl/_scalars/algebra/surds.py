"""Exact values of numbers and expressions with square roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import fmpq

from geoctrl._scalars.arithmetic.arithmetics import RATIONAL, Arithmetic, NotRationalError, evaluate
from geoctrl._scalars.graph.graph import Graph
from geoctrl._scalars.text.numbers import exact
from geoctrl._scalars.text.sympy_bridge import FromSympy
from geoctrl.decisions.arithmetic.tower import Surd, Surds
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.errors import GeoctrlError, InputError

__all__ = ["exact_numbers", "exact_with_roots", "rational", "root_expression", "surds"]


def rational(q: Fraction) -> fmpq:
    """The same number for the checker."""
    return fmpq(q.numerator, q.denominator)


def exact_with_roots(value: Any) -> Fraction | Surd:
    """A number of the checker, as a Fraction where it is rational."""
    return value if isinstance(value, Surd) else Fraction(int(value.p), int(value.q))


def root_expression(value: Fraction | Surd | fmpq) -> sp.Expr:
    """A number as an expression of sympy."""
    if isinstance(value, Surd):
        root = sp.sqrt(root_expression(value.root.radicand))
        return sp.expand(root_expression(value.a) + root_expression(value.b) * root)
    return sp.Rational(int(value.numerator), int(value.denominator))


class _RootFunctions(dict):
    """Square roots, adjoined where the field lacks them; choices; what is rational of other functions."""

    def __init__(self) -> None:
        super().__init__(select_positive=lambda c, a, b: a if c > 0 else b, sqrt=self._sqrt)
        self["select_nonnegative"] = lambda c, a, b: a if c >= 0 else b
        self["abs"] = abs
        self._field = Surds()

    def _sqrt(self, x: Any) -> Any:
        if x < 0:
            raise NotRationalError(f"sqrt({float(exact_with_roots(x)):.6g}) is not real")
        if (found := self._field.sqrt(x)) is None:
            try:
                self._field = self._field.extended(x)
            except Refusal as refusal:
                raise NotRationalError(str(refusal)) from None
            found = self._field.sqrt(x)
        return found

    def __missing__(self, name: str) -> Callable:
        def function(*args: Any) -> fmpq:
            if any(isinstance(a, Surd) for a in args):
                raise NotRationalError(f"{name} of a number with roots has none")
            return rational(RATIONAL.functions[name](*map(exact_with_roots, args)))

        return function


def exact_numbers(values: Sequence[Any]) -> tuple[Fraction | Surd, ...] | None:
    """What numbers of any type are exactly, expressions of sympy with square roots among them; None where
    there is no such number.
    """
    arithmetic, convert = surds(), FromSympy(Graph(), {})
    found: list[Fraction | Surd] = []
    for value in values:
        try:
            found.append(exact(value))
        except InputError:
            if not isinstance(value, sp.Expr):
                return None
            try:
                (number,) = evaluate([convert(value)], {}, arithmetic)
            except (GeoctrlError, ArithmeticError):
                return None
            found.append(exact_with_roots(number))
    return tuple(found)


def surds() -> Arithmetic:
    """Numbers of a field that grows by the square roots that occur, each new one on top of those before."""
    return Arithmetic("surd", rational, _RootFunctions())
