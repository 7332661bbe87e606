"""The sign of a rate: the squares of which it is the sum, with factors of one sign.

The rate of a function is a rational function of the states once its weights have eliminated the unknowns. Its
numerator, modulo the leaf, must be a sum of squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from geoctrl import decisions
from geoctrl.analysis.critical.squares import sum_of_squares
from geoctrl.analysis.question.generators import Generators, NotSolved

__all__ = ["Square", "signed_squares", "square_with_root"]

TERMS = 400
"""Terms of a rate from which on its sign is not looked for."""


class Square(NamedTuple):
    """factor * square^2, where root^power = cofactor * square; the factor has a denominator."""

    factor: tuple[Any, Any]
    square: Any
    root: Any
    power: int
    cofactor: Any


def signed_squares(q: decisions.Question, rate: Any, g: Generators) -> tuple[int, list[Square]]:
    """The sense and squares with sense * rate = -sum factor * square^2; NotSolved where none are found."""
    # Before division by the leaf a rate may show its squares, after it it is shorter. Unknowns that are left,
    # forces of constraints, do no work on the leaf.
    for top in (
        _without_generators(rate.top, g.unknowns),
        _without_generators(q.functions.remainder(rate), g.unknowns),
    ):
        if top and len(top) <= TERMS:
            try:
                return _signed_polynomial(q, rate, top, g)
            except NotSolved:
                continue
    raise NotSolved


def _without_generators(p: Any, gone: Sequence[int]) -> Any:
    """A polynomial where some generators are zero."""
    kept = {tuple(map(int, e)): c for e, c in p.terms() if not any(e[i] for i in gone)}
    return p.context().from_dict(kept)


def _signed_polynomial(q: decisions.Question, rate: Any, top: Any, g: Generators) -> tuple[int, list[Square]]:
    """The same for a numerator."""
    F = q.functions
    below = g.one
    for k, e in rate.below.items():
        below = below * F.factors[k].top ** e
    terms = [(a, below * b, square) for a, b, square in sum_of_squares(top, g)]
    values = [g.value_of(a) / g.value_of(b) for a, b, _ in terms]
    sense = -1 if values[0] > 0 else 1
    if not all(sense * value < 0 for value in values):
        raise NotSolved
    return sense, [square_with_root((a * -sense, b), square, g) for a, b, square in terms]


def square_with_root(factor: tuple[Any, Any], square: Any, g: Generators) -> Square:
    """factor square^2 with the square-free root of what vanishes."""
    factors = square.factor()[1]
    power = max((int(m) for _, m in factors), default=1)
    root = prod((p for p, _ in factors), start=g.one)
    return Square(factor, square, root, power, root**power // square)
