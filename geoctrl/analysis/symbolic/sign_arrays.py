r"""Signs of polynomials at many points: in floats with a bound of their rounding, exactly where that is open.

A sum of T monomials of degree d at most, evaluated in floats, differs from its value by less than
:math:`(T + 3 d + 8)\, 2^{-53}\, (1 + 2^{-20}) \sum |c_k m_k|`, coefficients and arguments being rounded once
and nothing leaving the range of floats; a root adds its own relative error. What is beyond this bound has the
sign that it shows. The rest is computed again from the numbers as the rationals they are; where these lie
under roots, in balls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl._scalars.graph.special_values import rational_sqrt
from geoctrl.analysis.symbolic.formulas import All, Either, Formula, Nonzero, Polynomial

__all__ = ["Generator", "Points"]

PRECISIONS = (128, 512, 2048)
"""Bits in which a value under roots is computed before its sign is left open."""

_RANGE = 900
"""Binary exponents that monomials keep within: no product overflows or becomes subnormal."""

_UNIT, _SMALL = 2.0**-53, 2.0**-20
"""Rounding of floats; relative error of a root's square up to which the root is used in floats."""

Ratio = tuple[Polynomial, Polynomial]


@dataclass(frozen=True)
class Generator:
    """What a generator of a field stands for.

    Attributes
    ----------
    name : str
        Of the symbol; empty for a function.
    square : pair of polynomials, or None
        Numerator and denominator of its square: a root with the sign of the symbol, positive for a function.
    function : str
        Name of another function.
    arguments : tuple of pairs of polynomials
    """

    name: str = ""
    square: Ratio | None = None
    function: str = ""
    arguments: tuple[Ratio, ...] = ()


class Points:
    """Numbers for the generators of a field at N points.

    Parameters
    ----------
    generators : in the order in which each depends on later ones
    columns : mapping name -> array (N,) of floats, or of exact numbers
        Of symbols.
    """

    def __init__(
        self, generators: Sequence[Generator], columns: Mapping[str, np.ndarray], count: int
    ) -> None:
        self._generators, self._columns, self.count = generators, columns, count
        self._exact: dict[int, list[fmpq | None]] = {}
        self._balls: dict[tuple[int, int], list[arb]] = {}
        self._signs: dict[Polynomial, np.ndarray] = {}
        unknown = np.full(count, np.nan)
        self._floats = [unknown] * len(generators)
        self._errors = [np.zeros(count)] * len(generators)  # relative ones, beyond one rounding
        self._sizes = [unknown] * len(generators)
        with np.errstate(all="ignore"):
            for k in reversed(range(len(generators))):
                g = generators[k]
                if g.square:
                    square, error = self._quotient_in_floats(g.square)
                    sense = np.where(np.asarray(columns[g.name], dtype=float) < 0, -1, 1) if g.name else 1
                    self._floats[k], self._errors[k] = np.sqrt(square) * sense, error
                elif not g.function and g.name in columns:
                    self._floats[k] = np.asarray(columns[g.name], dtype=float)
                x = np.abs(self._floats[k])
                self._sizes[k] = np.where(x == 0, 0.0, np.abs(np.log2(x)))

    def _quotient_in_floats(self, pair: Ratio) -> tuple[np.ndarray, np.ndarray]:
        """A quotient and its relative error, NaN where that is not small."""
        (top, a), (below, b) = map(self._in_floats, pair)
        error = a / np.abs(top) + b / np.abs(below)
        return top / below, np.where(error < _SMALL, 2 * error + 2.0**-51, np.nan)

    def in_floats(self, pair: Ratio) -> np.ndarray:
        """A quotient of polynomials, as floats have it."""
        with np.errstate(all="ignore"):
            return self._quotient_in_floats(pair)[0]

    def holds(self, formula: Formula) -> np.ndarray:
        """Where a formula is true; what is not decided counts as false."""
        if isinstance(formula, bool):
            return np.full(self.count, formula)
        if isinstance(formula, All):
            return np.logical_and.reduce([self.holds(p) for p in formula.parts])
        if isinstance(formula, Either):
            return np.logical_or.reduce([self.holds(p) for p in formula.parts])
        if isinstance(formula, Nonzero):
            return self.sign(formula.factor) != 0
        signs = np.prod([self.sign(p) for p in formula.factors], axis=0)
        return signs == formula.sense

    def sign(self, p: Polynomial) -> np.ndarray:
        """1, -1, or 0 where it vanishes or is not decided."""
        if p not in self._signs:
            value, bound = self._in_floats(p)
            with np.errstate(invalid="ignore"):
                certain = np.abs(value) > bound
            signs = np.where(certain, np.sign(np.where(certain, value, 0.0)), 0.0).astype(np.int8)
            for i in np.flatnonzero(~certain):
                signs[i] = self._exact_sign(p, int(i))
            self._signs[p] = signs
        return self._signs[p]

    def _in_floats(self, p: Polynomial) -> tuple[np.ndarray, np.ndarray]:
        """The value and a bound of its error; NaN where there is none."""
        value, size = np.zeros(self.count), np.zeros(self.count)
        reach = np.zeros(self.count)
        degree = 0
        with np.errstate(all="ignore"):
            for exponents, c in p.terms:
                term = np.full(self.count, float(c)) if _is_tame(c) else np.full(self.count, np.nan)
                magnitude, error = np.zeros(self.count), np.zeros(self.count)
                for k, e in enumerate(exponents):
                    if e:
                        term = term * _power(self._floats[k], e)
                        magnitude = magnitude + e * self._sizes[k]
                        error = error + 2 * e * self._errors[k]
                value, size = value + term, size + np.abs(term) * (1 + error / _UNIT)
                reach = np.maximum(reach, magnitude)
                degree = max(degree, sum(exponents))
            bound = (len(p.terms) + 3 * degree + 8) * _UNIT * (1 + 2.0**-20) * size
            return value, np.where(reach < _RANGE, bound, np.nan)

    # -- one point -------------------------------------------------------------------------------

    def _exact_sign(self, p: Polynomial, i: int) -> int:
        values = self._rationals(i)
        used = {k for exponents, _ in p.terms for k, e in enumerate(exponents) if e}
        if all(values[k] is not None for k in used):
            value = _sum(p, values, lambda q: fmpq(q.numerator, q.denominator))
            return int(value > 0) - int(value < 0)
        for place, bits in enumerate(PRECISIONS):
            with ctx.workprec(bits):
                balls = self._balls_at(i, place)
                total = _sum(p, balls, lambda q: arb(fmpq(q.numerator, q.denominator)))
                if total > 0 or total < 0:
                    return 1 if total > 0 else -1
        return 0

    def _rationals(self, i: int) -> list[fmpq | None]:
        """Exact values of the generators at a point, None where they are not rational or not real."""
        if i not in self._exact:
            values: list[fmpq | None] = [None] * len(self._generators)
            for k in reversed(range(len(values))):
                g = self._generators[k]
                if g.square:
                    square = self._ratio(g.square, values)
                    root = None if square is None else rational_sqrt(Fraction(int(square.p), int(square.q)))
                    if root is not None:
                        values[k] = fmpq(root.numerator, root.denominator) * self._sense(g, i)
                elif not g.function and g.name in self._columns:
                    q = Fraction(self._columns[g.name][i])
                    values[k] = fmpq(q.numerator, q.denominator)
            self._exact[i] = values
        return self._exact[i]

    def _sense(self, g: Generator, i: int) -> int:
        return -1 if g.name and self._columns[g.name][i] < 0 else 1

    @staticmethod
    def _ratio(pair: Ratio, values: Sequence[fmpq | None]) -> fmpq | None:
        used = {k for p in pair for exponents, _ in p.terms for k, e in enumerate(exponents) if e}
        if any(values[k] is None for k in used):
            return None
        top, below = (_sum(p, values, lambda q: fmpq(q.numerator, q.denominator)) for p in pair)
        return top / below if below != 0 else None

    def _balls_at(self, i: int, place: int) -> list[arb]:
        """Enclosures of the generators in the precision at hand."""
        if (i, place) not in self._balls:
            balls: list[arb] = [arb("nan")] * len(self._generators)
            for k, exact in reversed(list(enumerate(self._rationals(i)))):
                g = self._generators[k]
                if exact is not None:
                    balls[k] = arb(exact)
                elif g.square:
                    balls[k] = _quotient(g.square, balls).sqrt() * self._sense(g, i)
                elif g.function in _FUNCTIONS:
                    balls[k] = getattr(_quotient(g.arguments[0], balls), g.function)()
            self._balls[i, place] = balls
        return self._balls[i, place]


_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")


def _quotient(pair: Ratio, balls: Sequence[arb]) -> arb:
    top, below = (_sum(p, balls, lambda q: arb(fmpq(q.numerator, q.denominator))) for p in pair)
    return top / below


def _sum(p: Polynomial, values: Sequence[Any], number: Callable[[Fraction], Any]) -> Any:
    total = number(Fraction(0))
    for exponents, c in p.terms:
        term = number(c)
        for x, e in zip(values, exponents, strict=True):
            for _ in range(e):
                term = term * x
        total = total + term
    return total


def _power(x: np.ndarray, exponent: int) -> np.ndarray:
    """By multiplications, whose rounding is known."""
    result = x
    for _ in range(exponent - 1):
        result = result * x
    return result


def _is_tame(c: Fraction) -> bool:
    return 2.0**-60 < abs(c) < 2.0**60
