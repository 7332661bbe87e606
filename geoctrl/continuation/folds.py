r"""Turning points that are proved: the file of one, from a place in floats.

Unknowns are the states that are not held, with the accelerations and multipliers, the value that the course
goes along, and the kernel of the derivatives at the fold. Newton's method moves them to the fold; what is
proved there is proved by the checker alone, which reads the equations, the box and the matrix of Krawczyk's
test from the file (`geoctrl.checker.theorems.turning_point`, where the theorem stands).

A parameter that the course goes along is a state that does not move. Unknowns are taken in sizes of the
states (powers of two), and so are the radii of the box.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx, fmpq

from geoctrl import checker
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node, exact
from geoctrl._scalars.arithmetic.ball_matrices import middles
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.proofs.numerical import in_sizes
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.problem import Problem, with_still_state
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.analysis.witnesses.box_witnesses import INVERSE_BITS, BallWitnesses, rounded_inverse
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.analysis.witnesses.point_witnesses import texts
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.numbers import BITS
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.checker.theorems.boxes import require_zero
from geoctrl.checker.theorems.turning_point import TURN, Fold
from geoctrl.continuation.arclength import SolvedCourse
from geoctrl.continuation.curve import CurvePlace
from geoctrl.systems.contract.tolerances import INDEPENDENT
from geoctrl.verification import Verdict

__all__ = ["TurningPoint", "turning_point"]

_BITS = 64
"""Of the radii of the box, in sizes of the unknowns; so are the others of these."""
_STEPS, _SMALL, _UNIT = 12, 2.0**-90, 1 << 128
"""Newton's steps at most, the length from which on they end, and the denominator of the middle."""
_NEAR = 1e-5
"""Distance from the place in floats up to which the fold is the one that is meant."""
_KRAWCZYK = 24, 53, 128
"""Bits of the matrix of Krawczyk's test, tried in turn."""


@dataclass(frozen=True, eq=False, repr=False)
class TurningPoint(ProofFile):
    """A turning point of a curve of equilibria, which the checker confirms; made by `follow`.

    Attributes
    ----------
    along : str
        What has its least or greatest value of the curve there.
    bracket : tuple of two floats
        An interval of it.
    verdict : Verdict
        PROVED_TURNING_POINT.
    claim : str
        The checker's sentence.
    data : dict
        What the file holds.
    """

    along: str
    bracket: tuple[float, float]
    verdict: Verdict
    claim: str
    data: dict[str, Any]

    def _lines(self) -> list[str]:
        return [f"<TurningPoint along {self.along}: {self.verdict.value}>", f"  {self.claim}"]

    full = full_text
    __repr__ = short_form


def turning_point(course: SolvedCourse, place: CurvePlace) -> TurningPoint | None:
    """The proof that the course turns at a place; None where none is found."""
    if not course.seen.system.recorded:
        return None
    try:
        with ctx.workprec(BITS):
            found = _FoldSearch(course, place)
            data = found.content()
        report = checker.check(data)
    except (checker.Refusal, NotSolved, np.linalg.LinAlgError, ZeroDivisionError):
        return None
    return TurningPoint(course.along, found.bracket(), Verdict(report.verdict), report.claim, data)


class _FoldSearch:
    """A fold near a place: its equations as a file has them, and a middle that is moved to their zero."""

    def __init__(self, course: SolvedCourse, place: CurvePlace) -> None:
        self._course, asked = course, Problem.of(course.seen, place.point)
        if asked is None:
            raise NotSolved
        motion = asked.motion
        numbers: dict[str, Any] = {**asked.numbers, **dict(zip(motion.states, asked.point, strict=True))}
        numbers |= dict(zip(motion.inputs, asked.input_point, strict=True))
        moving = list(motion.states)
        if course.along in motion.parameters:
            motion = with_still_state(motion, course.along)
            numbers[course.along] = exact(place.value)
        numbers |= {k: exact(v) for k, v in course.held.items()}
        sizes = dict(zip(motion.states, binary(course.sizes(place.z)), strict=True))
        point, names = _equations(motion, asked.invariants, numbers, [sizes[k] for k in moving])
        title = heading(FORMAT, course.seen.system.name)
        del title["version"]
        self._content = content_of_file(title, point, {}, names, in_balls(point.question.problem))
        self._problem, self._witness = parts_as_read(self._content)
        self._rest = [k for k in motion.states if k not in (*course.held, course.along)]
        self._given = {
            "name": "turning point",
            **_basis(point, names, [sizes[k] for k in moving]),
            "held": list(course.held),
            "along": course.along,
        }
        self._begin([sizes[k] for k in [*self._rest, course.along]])

    def _begin(self, sizes: list[float]) -> None:
        """Unknowns and kernel next to the place, and sizes of all."""
        problem, labels = self._problem, list(self._problem["states"])
        q = Question(problem, self._witness, Balls([fmpq(0)] * len(labels)))
        z = [q.at[p] for p in q.unknowns]
        slopes = np.abs(middles([jet.gradient(len(labels)) for jet in z])).reshape(len(z), len(labels))
        known = dict(zip([*self._rest, self._course.along], sizes, strict=True))
        moved = slopes @ [known.get(k, 0.0) for k in labels]
        values = [abs(float(jet.value.mid())) for jet in z]
        of_unknowns = binary([a or b or 1.0 for a, b in zip(moved, values, strict=True)])
        m = len(self._rest) + len(z)
        first = np.array([*sizes[:-1], *of_unknowns])
        self._sizes = [Fraction(float(c)) for c in (*first, sizes[-1], *first)]
        self._middle = [Fraction(str(problem["states"][k])) for k in self._rest]
        self._middle += [Fraction(float(jet.value.mid())) for jet in z]
        self._middle += [Fraction(str(problem["states"][self._course.along])), *[Fraction(0)] * m]
        self._start = self._middle[: m + 1]
        self._normal = [fmpq(0)] * m
        F_y = middles(self._fold().equations(whole=False)[1])[:m, :m] * first
        lengths = np.linalg.norm(F_y, axis=1, keepdims=True)
        v = np.linalg.svd(F_y / np.where(lengths > 0, lengths, 1.0))[2][-1]
        kernel = [Fraction(float(c)) * size for c, size in zip(v, self._sizes, strict=False)]
        self._middle[m + 1 :] = kernel
        self._normal = [_rational(Fraction(float(c)) / size) for c, size in zip(v, self._sizes, strict=False)]

    def _theorem(self) -> dict[str, Any]:
        """What the theorem is given at the middle, but for the inverse."""
        m, known = len(self._normal), [_rational(q) for q in self._middle]
        return self._given | {
            "unknowns": known[len(self._rest) : m],
            "kernel": known[m + 1 :],
            "normal": self._normal,
            "radii": [_rational(c / (1 << _BITS)) for c in self._sizes],
            "Y": [],
        }

    def _states(self) -> dict[str, fmpq]:
        """States at the middle."""
        m = len(self._normal)
        moved = dict(
            zip(
                [*self._rest, self._course.along],
                [*self._middle[: len(self._rest)], self._middle[m]],
                strict=True,
            )
        )
        return {k: _rational(moved[k]) if k in moved else q for k, q in self._problem["states"].items()}

    def _fold(self) -> Fold:
        """The fold of the file as the checker asks for it."""
        given = self._theorem() | {"inverse": conform(self._given["inverse"], TURN["inverse"])}
        return Fold(self._problem | {"states": self._states()}, self._witness, given)

    def content(self) -> dict[str, Any]:
        """The content of the file, with the middle moved to the fold."""
        for _ in range(_STEPS):
            values, rows = self._fold().equations(whole=False)
            sizes = np.array([float(c) for c in self._sizes])
            slopes, defects = middles(rows) * sizes, middles([values])[0]
            lengths = np.linalg.norm(slopes, axis=1)
            lengths[lengths == 0] = 1.0
            step = np.linalg.solve(slopes / lengths[:, None], defects / lengths)
            self._middle = [
                Fraction(round((x / size - Fraction(float(d))) * _UNIT), _UNIT) * size
                for x, size, d in zip(self._middle, self._sizes, step, strict=True)
            ]
            if np.max(np.abs(step)) < _SMALL:
                break
        else:
            raise NotSolved
        apart = zip(self._middle, self._start, self._sizes, strict=False)
        if any(abs(float(a - b)) > _NEAR * float(size) for a, b, size in apart):
            raise NotSolved
        fold, given = self._fold(), self._theorem()
        given["Y"] = _inverse(fold, given["radii"])
        theorem = given | {k: [str(c) for c in given[k]] for k in ("unknowns", "kernel", "normal", "radii")}
        content = self._content | {"theorem": theorem | {"Y": texts(given["Y"])}}
        states = {k: str(q) for k, q in self._states().items()}
        content["problem"] = self._content["problem"] | {"states": states}
        return content | {"digest": checker.digest_of(content)}

    def bracket(self) -> tuple[float, float]:
        """Doubles around the box of what the course goes along."""
        m = len(self._normal)
        value, radius = self._middle[m], self._sizes[m] / (1 << _BITS)
        low, high = float(value - radius), float(value + radius)
        return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


def _equations(
    motion: EquationsOfMotion, candidates: dict[str, Node], numbers: dict[str, Any], sizes: list[float]
) -> tuple[BallWitnesses, list[str]]:
    """The problem with what is proved to be kept and has independent gradients, and the names of that."""
    for further in (False, True):
        stored = motion.question(numbers, candidates, further=further)
        q = in_balls(stored.read)
        if all(map(q.conserved, motion.leaf)):
            break
    rows = [_slopes(q, name, sizes) for name in motion.leaf]
    kept: dict[str, Node] = {}
    for name in sorted(candidates, key=lambda name: name == "energy"):
        row = _slopes(q, name, sizes)
        trial = np.array([*rows, row])
        if np.linalg.matrix_rank(trial, tol=INDEPENDENT) == len(trial) and q.conserved(name):
            rows.append(row)
            kept[name] = candidates[name]
    data = motion.question(numbers, kept, further=further).data
    return BallWitnesses(data), [*motion.leaf, *kept]


def _slopes(q: Any, name: str, sizes: list[float]) -> np.ndarray:
    """Direction of a gradient by the states that move, in floats."""
    value, gradient, second = q.function(name)
    n = len(sizes)
    moving = {pair: c for pair, c in second.items() if max(pair) < n}
    (row,) = middles([in_sizes((value, gradient[:n], moving), sizes)[1]])
    return row / (np.linalg.norm(row) or 1.0)


def _basis(point: BallWitnesses, names: list[str], sizes: list[float]) -> dict[str, Any]:
    """Functions, the states that they leave free, and the inverse of their gradients by the others."""
    from scipy.linalg import qr

    q, fixed = point.question, list[int]()
    if names:
        D = np.array([_slopes(q, name, sizes) for name in names])
        fixed = sorted(int(i) for i in qr(D, pivoting=True, mode="r")[1][: len(names)])
    gradients = [q.function(name)[1] for name in names]
    inverse = rounded_inverse([[row[i] for i in fixed] for row in gradients], INVERSE_BITS)
    free = [k for i, k in enumerate(q.labels) if i not in fixed]
    return {"rows": names, "free": free, "inverse": texts(inverse)}


def _inverse(fold: Fold, radii: list[fmpq]) -> list[list[fmpq]]:
    """A matrix for Krawczyk's test in few bits; NotSolved where there is none."""
    (values, _), (_, J) = fold.equations(whole=False), fold.equations(whole=True)
    for bits in _KRAWCZYK:
        Y = rounded_inverse(J, bits)
        with suppress(checker.Refusal):
            require_zero({"Y": Y, "radii": radii}, values, J)
            return Y
    raise NotSolved


def _rational(q: Fraction) -> fmpq:
    return fmpq(q.numerator, q.denominator)
