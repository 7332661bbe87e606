r"""Turning points that are proved: Krawczyk's test on the extended system of a fold.

With the held states put in, y the others and p what the course goes along, equilibria on the leaf are the
zeros of as many equations F(y, p) as y has entries: the rates of the states that are not omitted, and the
relations of the leaf. Invariants and relations with gradients D have :math:`D f = 0` on the leaf, and where
the columns of D at the omitted states are invertible all of f vanishes with the rest. Zeros of

.. math::

    F(y, p) = 0, \qquad F_y(y, p)\,v = 0, \qquad l \cdot v = 1

at which the derivative of this system is invertible are folds: the kernel of :math:`F_y` is the line of v,
:math:`F_p` is not in its range (a curve goes through) and :math:`F_{yy} v v` is not either (the curve turns).
[Moore and Spence, SIAM J. Numer. Anal. 17 (1980), 567-576]. Krawczyk's test proves that there is one, and
only one, in a box, and that the derivative is invertible all over it.

Unknowns are taken in sizes of the states (powers of two), and so is the radius of the box.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl import checker, decisions
from geoctrl._scalars import exact
from geoctrl._scalars.arithmetic.ball_matrices import ball_dot, middles
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.proofs.numerical import in_sizes
from geoctrl.analysis.question.motion import EquationsOfMotion, Stored
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Table
from geoctrl.continuation.arclength import SolvedCourse
from geoctrl.continuation.curve import CurvePlace
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION, matrix, require_zero, solved
from geoctrl.systems.contract.tolerances import INDEPENDENT

__all__ = ["turning_point"]

_BITS = 64
"""Of the radius of the box, in sizes of the unknowns; so are the others of these."""
_STEPS, _SMALL, _UNIT = 12, 2.0**-90, 1 << 160
"""Newton's steps at most, the length from which on they end, and the denominator of the middle."""
_NEAR = 1e-5
"""Distance from the place in floats up to which the fold is the one that is meant."""


def turning_point(course: SolvedCourse, place: CurvePlace) -> tuple[float, float] | None:
    """An interval of the value in which the course is proved to turn; None where no proof is found."""
    if not course.seen.system.recorded:
        return None
    try:
        question = _Written.of(course, place)
        with ctx.workprec(PRECISION):
            value, size = _Fold(question, course, place).value_and_unit()
    except (checker.Refusal, np.linalg.LinAlgError, ZeroDivisionError):
        return None
    radius = size / (1 << _BITS)
    low, high = float(value - radius), float(value + radius)
    return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


@dataclass(frozen=True)
class _Written:
    """Equations for the checker, with the parameter that the course goes along among the states.

    Attributes
    ----------
    kept : Stored
        With the accelerations unsolved: for identities.
    solved : Stored
        With the rates as functions of the states: for second derivatives.
    names : list of str
        Candidates for invariants.
    """

    kept: Stored
    solved: Stored
    names: list[str]

    @classmethod
    def of(cls, course: SolvedCourse, place: CurvePlace) -> _Written:
        """Those at a place."""
        problem = Problem.of(course.seen, place.point)
        if problem is None:
            raise checker.Refusal("there are no equations in expressions")
        motion, along = problem.motion, course.along
        numbers: dict[str, Any] = {**problem.numbers, **dict(zip(motion.states, problem.point, strict=True))}
        numbers |= dict(zip(motion.inputs, problem.input_point, strict=True))
        if along in motion.parameters:
            motion = _with_state(motion, along)
            numbers[along] = exact(place.value)
        kept = motion.question(numbers, problem.invariants)
        return cls(
            kept, _solved_question(motion, problem.invariants).with_numbers(numbers), list(problem.invariants)
        )


def _with_state(motion: EquationsOfMotion, name: str) -> EquationsOfMotion:
    """The motion with a parameter as a state that does not move."""
    node, zero = motion.parameters[name], motion.graph.zero
    return dataclasses.replace(
        motion,
        states={**motion.states, name: node},
        parameters={k: v for k, v in motion.parameters.items() if k != name},
        rates={**motion.rates, node: zero},
        solve=lambda: [*motion.all_rates, zero],
        _written={},
        _consequences=None,
        _shapes=[],
        _turned={},
    )


def _solved_question(motion: EquationsOfMotion, invariants: dict[str, Any]) -> Stored:
    """The problem with the rates solved for, all numbers zero."""
    roles = {"state": motion.states, "input": motion.inputs, "parameter": motion.parameters}
    table = Table(motion.graph, {n: (k, role) for role, named in roles.items() for k, n in named.items()})
    data: dict[str, Any] = {f"{role}s": dict.fromkeys(named, "0") for role, named in roles.items()}
    data |= {"kind": "equations", "unknowns": [], "matrix": [], "right": [], "weights": {}}
    data["field"] = table.places(motion.all_rates)
    for part, named in (("leaf", motion.leaf), ("invariants", invariants)):
        data[part] = dict(zip(named, table.places(list(named.values())), strict=True))
    return Stored.of(data | {"nodes": table.rows})


class _Fold:
    """The extended system at a middle that is moved to its zero, and over a box about it."""

    def __init__(self, written: _Written, course: SolvedCourse, place: CurvePlace) -> None:
        self._written, read = written, written.solved.read
        self._labels = list(read["states"])
        self._moving = [i for i, label in enumerate(self._labels) if label in course.seen.system.state_labels]
        self._free = [i for i, label in enumerate(self._labels) if label not in course.held]
        self._along = self._labels.index(course.along)
        self._rest = [i for i in self._free if i != self._along]
        self._z = [Fraction(float(v)) for v in place.z]
        for label, value in course.held.items():
            self._z[self._labels.index(label)] = exact(value)
        self._start = [float(v) for v in self._z]
        self._sizes = [Fraction(float(c)) for c in binary(course.sizes(place.z))]
        self._names, self._omitted = self._levels_and_states()
        self._others = [i for i in self._moving if i not in self._omitted]
        if len(self._others) + len(read["leaf"]) != len(self._rest):
            raise checker.Refusal("the curve is not that of the invariants")
        F_y = middles(self._derivatives(self._question(whole=False))[1])
        F_y = F_y * np.array([float(self._sizes[i]) for i in self._rest])
        lengths = np.linalg.norm(F_y, axis=1, keepdims=True)
        v = np.linalg.svd(F_y / np.where(lengths > 0, lengths, 1.0))[2][-1]
        self._normal = [Fraction(float(c)) for c in v]
        self._v = list(self._normal)

    def _question(self, whole: bool) -> Any:
        """The solved equations at the middle, or over the box."""
        numbers = dict(zip(self._labels, self._z, strict=True))
        read = self._written.solved.read
        values = {k: _rational(q) for k, q in numbers.items()}
        radii = [_rational(c) / (1 << _BITS) for c in self._sizes]
        widths = [r if whole and i in self._free else fmpq(0) for i, r in enumerate(radii)]
        return decisions.Question({**read, "states": values}, True, Balls(widths))

    def _levels_and_states(self) -> tuple[list[str], list[int]]:
        """Invariants that are proved to be kept, with independent gradients, and the states to omit."""
        from scipy.linalg import qr

        kept = decisions.Question(self._written.kept.read, True, Balls([fmpq(0)] * len(self._labels)))
        kept.require_kept([])
        question = self._question(whole=False)
        rows: list[np.ndarray] = []
        names: list[str] = []
        for name in question.problem["leaf"]:
            rows.append(self._slopes(question, name))
        for name in sorted(self._written.names, key=lambda name: name == "energy"):
            row = self._slopes(question, name)
            trial = np.array([*rows, row])
            if np.linalg.matrix_rank(trial, tol=INDEPENDENT) == len(trial) and kept.conserved(name):
                rows, names = [*rows, row], [*names, name]
        if not rows:
            return [], []
        order = qr(np.array(rows), pivoting=True, mode="r")[1]
        return names, [self._moving[i] for i in order[: len(rows)]]

    def _slopes(self, question: Any, name: str) -> np.ndarray:
        """Direction of a gradient by the states, in floats."""
        sizes = [float(c) for c in self._sizes[: len(question.labels)]]
        (row,) = middles([in_sizes(question.function(name), sizes)[1]])
        row = row[self._moving]
        return row / (np.linalg.norm(row) or 1.0)

    def _derivatives(self, question: Any) -> tuple[list[Any], list[list[Any]], list[Any]]:
        """Jets of F, their slopes by y, and all slopes by (y, p) in the order of the free states."""
        problem = question.problem
        nodes = [problem["field"][i] for i in self._others] + list(problem["leaf"].values())
        jets = question.jets(nodes)
        slopes = [question.gradient(jet) for jet in jets]
        return jets, [[row[j] for j in self._rest] for row in slopes], slopes

    def _system(self, question: Any, v: Sequence[arb]) -> tuple[list[Any], list[list[Any]]]:
        """Values and Jacobian of the extended system, for free states and v in their sizes."""
        jets, F_y, slopes = self._derivatives(question)
        place = {j: k for k, j in enumerate(self._rest)}
        free, rest = ([_rational(self._sizes[j]) for j in places] for places in (self._free, self._rest))
        there = [c * size for c, size in zip(v, rest, strict=True)]
        values = [jet.value for jet in jets]
        values += [ball_dot(row, there) for row in F_y]
        none = [fmpq(0)] * len(v)
        rows = [[*(row[j] * c for j, c in zip(self._free, free, strict=True)), *none] for row in slopes]
        for jet, row in zip(jets, F_y, strict=True):
            bent = dict.fromkeys(self._free, arb(0))
            for (i, j), value in (jet.second or {}).items():
                for a, b in {(i, j), (j, i)}:
                    if a in place and b in bent:
                        bent[b] = bent[b] + value * there[place[a]]
            entries = [bent[j] * c for j, c in zip(self._free, free, strict=True)]
            rows.append([*entries, *(e * c for e, c in zip(row, rest, strict=True))])
        normal = [_rational(c) for c in self._normal]
        values.append(ball_dot(normal, v) - 1)
        rows.append([*[fmpq(0)] * len(self._free), *normal])
        return values, rows

    def value_and_unit(self) -> tuple[Fraction, Fraction]:
        """The value at the middle of a box that holds a fold, and one alone, and the unit of its radius."""
        for _ in range(_STEPS):
            values, rows = self._system(self._question(whole=False), _balls(self._v, fmpq(0)))
            slopes, defects = middles(rows), middles([values])[0]
            lengths = np.linalg.norm(slopes, axis=1)
            lengths[lengths == 0] = 1.0
            step = np.linalg.solve(slopes / lengths[:, None], defects / lengths)
            for i, change in zip(self._free, step, strict=False):
                self._z[i] = _after_step(self._z[i] / self._sizes[i], change) * self._sizes[i]
            self._v = [_after_step(c, d) for c, d in zip(self._v, step[len(self._free) :], strict=True)]
            if np.max(np.abs(step)) < _SMALL:
                break
        else:
            raise checker.Refusal("Newton's steps do not come to an end")
        apart = zip(self._z, self._start, self._sizes, strict=True)
        if any(abs(float(a) - b) > _NEAR * float(size) for a, b, size in apart):
            raise checker.Refusal("the fold is not that one")
        radius, whole = fmpq(1, 1 << _BITS), self._question(whole=True)
        self._require_all_rates(whole)
        values, _ = self._system(self._question(whole=False), _balls(self._v, fmpq(0)))
        require_zero(values, self._system(whole, _balls(self._v, radius))[1], [radius] * len(values))
        return self._z[self._along], self._sizes[self._along]

    def _require_all_rates(self, whole: Any) -> None:
        """Refused unless the columns of D at the omitted states are invertible all over the box."""
        if not self._omitted:
            return
        gradients = [whole.function(name)[1] for name in [*whole.problem["leaf"], *self._names]]
        size = len(self._omitted)
        unit = [[fmpq(int(i == j)) for j in range(size)] for i in range(size)]
        solved(matrix([[row[j] for j in self._omitted] for row in gradients], size), matrix(unit, size))


def _rational(q: Fraction) -> fmpq:
    return fmpq(q.numerator, q.denominator)


def _balls(values: Sequence[Fraction], radius: fmpq) -> list[arb]:
    return [arb(_rational(q)) + arb(0, radius) for q in values]


def _after_step(value: Fraction, step: float) -> Fraction:
    return Fraction(round((value - Fraction(float(step))) * _UNIT), _UNIT)
