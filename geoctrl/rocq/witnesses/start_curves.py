"""Rational curves on the leaf that begin at the point in a given direction.

Vectors that the leaf binds by their lengths and products turn together, by Cayley's rotation
x + 2 (s a.x + s^2 a.(a.x)) / (1 + s^2 |a|^2) with vector products; other states move straight, but for one in
each relation that would not be kept: where it is linear in it, it gives it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from flint import fmpq

from geoctrl.checker.numbers import Number, ball
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import (
    ONE,
    ZERO,
    Expression,
    constant,
    inverse,
    minus,
    number,
    plus,
    substitution,
    times,
    variable,
)
from geoctrl.rocq.terms.normal_forms import NormalForms
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.witnesses.rounding import dyadic, middle

FEW, MORE = 8, 24
"""Of the numbers of a curve that is tried before the exact one: long ones cost Rocq most of its time."""

Triple = list[Number]
Choice = Callable[[Sequence[Number]], list[Number]]
_LENGTH, _PRODUCT = re.compile(r"\|(\w+)\|\^2"), re.compile(r"(\w+)\.(\w+)")


def start_curves(equations: ProblemInTerms, direction: Sequence[Number]) -> Iterator[list[Expression]]:
    """The states as terms of one variable s, zero at the point: simple ones first, exact ones last.

    Simple ones turn vectors about one of the axes and have short numbers.
    """
    for digits, axis in ((FEW, _largest), (FEW, list), (MORE, list)):
        with suppress(CertificateError):
            yield _start_curve(equations, direction, partial(_short_numbers, digits), axis)
    yield _start_curve(equations, direction, list, list)


def _short_numbers(digits: int, row: Sequence[Number]) -> list[Number]:
    """Short numbers next to those of a row."""
    return [dyadic(q, digits) for q in row]


def _largest(row: Sequence[Number]) -> list[Number]:
    """The largest number of a row in its place, and zeros."""
    place = max(range(len(row)), key=lambda k: middle(abs(ball(row[k]))))
    return [q if k == place else fmpq(0) for k, q in enumerate(row)]


def _start_curve(
    equations: ProblemInTerms, direction: Sequence[Number], near: Choice, part: Choice
) -> list[Expression]:
    """The curve in a direction near the given one, with parts of the axes."""
    s, point = variable(0), equations.point
    straight = zip(point, near(direction), strict=True)
    states = [plus(constant(e), times(constant(v), s)) for e, v in straight]
    together, other = _vectors(equations)
    for vectors in together:
        axis = part(near(_axis(equations, vectors, other, direction)))
        if any(axis):
            _turn(equations, vectors, axis, states)
    bound = {f"{stem}{k}" for vectors in together for stem in vectors for k in (1, 2, 3)}
    free = [k for k, name in enumerate(equations.labels) if name not in bound]
    for relation in other:
        _solve(equations, relation, free, states)
    return states


def _vectors(equations: ProblemInTerms) -> tuple[list[list[str]], list[Expression]]:
    """Stems of vectors that turn together, and the relations that bind something else."""
    groups: list[set[str]] = []
    other = []
    for name, relation in equations.leaf.items():
        found = _LENGTH.fullmatch(name) or _PRODUCT.fullmatch(name)
        if found is None:
            other.append(relation)
            continue
        own = set(found.groups())
        for group in [g for g in groups if g & own]:
            groups.remove(group)
            own |= group
        groups.append(own)
    return [sorted(group) for group in groups], other


def _axis(
    equations: ProblemInTerms,
    vectors: Sequence[str],
    other: Sequence[Expression],
    direction: Sequence[Number],
) -> Triple:
    """An axis with 2 a.x = w for each vector x and its part w of the direction, along other relations too."""
    rows: list[Triple] = []
    right: list[Number] = []
    for stem in vectors:
        x, w = _triple(equations, stem, equations.point), _triple(equations, stem, direction)
        rows += _cross_rows(x, fmpq(2))
        right += w
        for relation in other:
            slope = _triple(equations, stem, equations.jets.row(relation))
            if any(slope):
                rows += _cross_rows(slope, fmpq(1))
                right += [fmpq(0)] * 3
    return _solution(rows, right)


def _cross_rows(x: Triple, factor: fmpq) -> list[Triple]:
    """Rows of a -> factor a.x, the vector product."""
    zero = fmpq(0)
    return [
        [zero, factor * x[2], -factor * x[1]],
        [-factor * x[2], zero, factor * x[0]],
        [factor * x[1], -factor * x[0], zero],
    ]


def _solution(rows: list[Triple], right: list[Number]) -> Triple:
    """A solution of linear equations with three unknowns, free ones zero."""
    left = [[*row, b] for row, b in zip(rows, right, strict=True)]
    solved: dict[int, list[Number]] = {}
    for column in range(3):
        if (pivot := next((row for row in left if row[column]), None)) is None:
            continue
        left.remove(pivot)
        unit = [q / pivot[column] for q in pivot]
        left = [_row_with_zero(row, unit, column) for row in left]
        solved = {k: _row_with_zero(row, unit, column) for k, row in solved.items()} | {column: unit}
    if any(row[3] for row in left):
        raise CertificateError("no rotation of the leaf's vectors leads into the growing direction")
    return [solved[k][3] if k in solved else fmpq(0) for k in range(3)]


def _row_with_zero(row: list[Number], unit: list[Number], column: int) -> list[Number]:
    """A row less the multiple of one that has a one in a column, so that there is a zero."""
    return [a - row[column] * b for a, b in zip(row, unit, strict=True)]


def _triple(equations: ProblemInTerms, stem: str, values: Sequence[Number]) -> Triple:
    """Components of a vector, zero where it has no such state."""
    place = {label: i for i, label in enumerate(equations.labels)}
    return [values[place[f"{stem}{k}"]] if f"{stem}{k}" in place else fmpq(0) for k in (1, 2, 3)]


def _cross(a: Triple, x: Triple) -> Triple:
    return [sum((c * v for c, v in zip(row, a, strict=True)), fmpq(0)) for row in _cross_rows(x, fmpq(1))]


def _turn(equations: ProblemInTerms, vectors: Sequence[str], axis: Triple, states: list[Expression]) -> None:
    """Put the rotation about an axis into the states of some vectors."""
    s, place = variable(0), {label: i for i, label in enumerate(equations.labels)}
    size = constant(sum((c * c for c in axis), fmpq(0)))
    below = inverse(plus(ONE, times(size, times(s, s))))
    for stem in vectors:
        x = _triple(equations, stem, equations.point)
        once = _cross(axis, x)
        twice = _cross(axis, once)
        for k in range(3):
            turned = plus(times(constant(once[k]), s), times(constant(twice[k]), times(s, s)))
            if (i := place.get(f"{stem}{k + 1}")) is not None:
                states[i] = plus(constant(x[k]), times(number(2), times(below, turned)))
            elif once[k] or twice[k]:
                raise CertificateError("a rotation of the leaf's vectors leaves its plane")


def _solve(
    equations: ProblemInTerms, relation: Expression, free: Sequence[int], states: list[Expression]
) -> None:
    """Put into one of the free states what a relation that is linear in it asks for along the curve."""
    forms = NormalForms(1, [substitution(relation, states)])
    if not forms.form_of(substitution(relation, states)).top:
        return
    for i in free:
        slope = _slope(equations, relation, i)
        if slope is None or not equations.jets.value(slope):
            continue
        others = [ZERO if k == i else x for k, x in enumerate(states)]
        rest, below = substitution(relation, others), substitution(slope, others)
        states[i] = times(minus(rest), inverse(below))
        return
    raise CertificateError("no state was found that a relation of the leaf gives along a curve of starts")


def _slope(equations: ProblemInTerms, relation: Expression, i: int) -> Expression | None:
    """What a state is multiplied by in a relation that is linear in it."""
    n = equations.n
    at = [substitution(relation, [number(q) if k == i else variable(k) for k in range(n)]) for q in (0, 1, 2)]
    slope = plus(at[1], minus(at[0]))
    bend = plus(at[2], plus(minus(at[1]), minus(slope)))
    return None if NormalForms(n, [bend]).form_of(bend).top else slope
