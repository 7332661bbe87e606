"""Proofs for points that are known in floats alone, each in a box that holds an equilibrium.

What is looked for here are the states to hold, those to omit, and a middle good to many digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb_mat, ctx, fmpq

from geoctrl import checker, decisions
from geoctrl._scalars.arithmetic.ball_matrices import middles
from geoctrl.analysis.linear.subspaces import kernel, pivot_columns
from geoctrl.analysis.proofs.numerical import in_sizes
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.tower import ball
from geoctrl.decisions.functions.ball_jets import Balls, radii
from geoctrl.decisions.functions.derivatives import reachable
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION, Box
from geoctrl.decisions.theorems.idle_decision import equations_of_rest
from geoctrl.systems.contract.tolerances import INDEPENDENT

__all__ = ["Judged", "box_at_rest", "box_judgement", "exponents_of", "judged_by_root", "refined_middle"]

BITS = 64, 128, 192
"""Of the radius of the box: far below what a double tells, far above what Newton's steps leave. The later
ones where the linearisation is not narrow over the box, as that of many coupled joints."""
NARROW = 1e-12
"""Radii of the linearisation, relative to its largest entry, both by the sizes of the states."""
NEAR = 1e-6
"""Distance from the given point, relative to it, up to which an equilibrium is the one that is meant."""
_STEPS, _SMALL, _FINE = 8, 26, 96
"""Newton's steps at most; how many bits below the radius the length is from which on they end, and the digits
that a middle is kept with.
"""
_MULTIPLE = 1e-3
"""Distance of two roots, relative to them, below which they may be one: a polynomial and its derivative are
both rounding there.
"""
_WEAKEST = 1e-12
"""Rows of the linearisation, relative to the largest entry, that count as none."""

Judged = tuple[Stored, str, str, dict[str, Any]]
Moment = tuple[Stored, list[Any], list[list[Any]]]
"""A problem at a point, and values and derivatives of equations there."""
Equations = Callable[[Box, Sequence[Any]], tuple[list[Any], list[list[Any]]]]


def box_judgement(problem: Problem, names: Sequence[str]) -> Judged | None:
    """A problem with a box, and verdict, method and findings of the checker; None where nothing is proved.

    Parameters
    ----------
    names : of invariants that are conserved
    """
    rounded, sizes = problem.question_in_doubles, _sizes(problem)
    with ctx.workprec(PRECISION):
        for attempt in (_by_idle, _by_spectrum, _by_energy):
            try:
                return attempt(problem, rounded, sizes, list(names))
            except (checker.Refusal, np.linalg.LinAlgError):
                continue
    return None


def box_at_rest(problem: Problem, names: Sequence[str]) -> Stored | None:
    """A problem with a box that holds an equilibrium of the family of conserved functions, all of which are
    independent there; None where none is found.
    """
    rounded, sizes = problem.question_in_doubles, _sizes(problem)
    with ctx.workprec(PRECISION):
        try:
            if len(_independent(rounded, sizes, names)) < len(names):
                return None
            return _box_about_middle(problem, rounded, sizes, names, lambda box, _: box.rest(), [])[0]
        except (checker.Refusal, np.linalg.LinAlgError):
            return None


def _by_spectrum(
    problem: Problem, rounded: decisions.Question, sizes: np.ndarray, names: list[str]
) -> Judged:
    names = _independent(rounded, sizes, names)

    def motion_in_box(asked: Problem, bits: int) -> tuple[Stored, arb_mat, np.ndarray]:
        stored, _ = _box_about_middle(asked, rounded, sizes, names, lambda box, _: box.rest(), [], bits)
        box = Box(stored.read, names, whole=True)
        return stored, box.motion(), sizes[box.others]

    stored, B = _narrow_motion(problem, motion_in_box)
    return judged_by_root(stored, {"conserved": names}, np.linalg.eigvals(middles(B.tolist())))


def _narrow_motion(
    problem: Problem, motion_in_box: Callable[[Problem, int], tuple[Stored, arb_mat, np.ndarray]]
) -> tuple[Stored, arb_mat]:
    """The problem with a box, and the motion next to the point over it, which is narrow if any box tried has
    it so.

    Parameters
    ----------
    motion_in_box : callable
        Takes a problem and the bits of a box; gives it about a refined middle, the motion, and the sizes of
        the states that this is by.
    """
    for bits in BITS:
        stored, B, sizes = motion_in_box(problem, bits)
        entries = [(B[i, j], sizes[j] / sizes[i]) for i in range(B.nrows()) for j in range(B.ncols())]
        largest = max((abs(float(c.mid())) * unit for c, unit in entries), default=0.0)
        if all(float(c.rad()) * unit <= NARROW * largest for c, unit in entries):
            break
        labels = list(problem.motion.states)
        problem = replace(problem, point=[Fraction(stored.data["states"][k]) for k in labels])
    return stored, B


def judged_by_root(stored: Stored, proposal: dict[str, Any], roots: np.ndarray) -> Judged:
    """The problem and what is decided, with a root to the right of the axis where there is one.

    Within d |p/p'| of any number lies a root of p, of the degree d: at the last root itself, if that is
    simple. A step s to the right of it all terms of p'/p, 1/(x - root), have a positive real part, and |p/p'|
    is at most s, of a multiple one too.
    """
    last = complex(roots[int(np.argmax(roots.real))]) if roots.size else 0j
    if not last.real > 0:
        return stored, *decisions.decide(stored.read, proposal)
    numbers = [last]
    if np.sum(np.abs(roots - last) < _MULTIPLE * abs(last)) > 1:
        numbers.append(last + last.real / (2 * len(roots)))
    *first, further = (proposal | {"root": [number.real, number.imag]} for number in numbers)
    for tried in first:
        with suppress(checker.Refusal):
            return stored, *decisions.decide(stored.read, tried)
    return stored, *decisions.decide(stored.read, further)


def _by_idle(problem: Problem, rounded: decisions.Question, sizes: np.ndarray, names: list[str]) -> Judged:
    """Coordinates on which nothing depends are taken out: the point rests for all of their values."""
    del names
    labels, table = list(problem.motion.states), rounded.table
    data = rounded.problem
    nodes = [*data["field"], *data["right"], *(p for *_, p in data["matrix"])]
    moving = {table[i][1] for i in reachable(table, nodes) if table[i][0] == "sym"}
    idle = [k for k in labels if k not in moving]
    rates = {k: table[p] for k, p in zip(labels, data["field"], strict=True)}
    if not idle or problem.motion.leaf or any(rates[k][0] != "sym" for k in idle):
        raise checker.Refusal("no coordinate is idle")
    dropped = [rates[k][1] for k in idle]
    free = [i for i, k in enumerate(labels) if k not in idle]

    def motion_in_box(asked: Problem, bits: int) -> tuple[Stored, arb_mat, np.ndarray]:
        box: dict[str, Any] = {"held": idle, "omitted": [], "bits": exponents_of(sizes, bits)}

        def moment(x: list[Fraction], _: list[Fraction]) -> Moment:
            stored = replace(asked, point=list(x)).question().with_box(box)
            stored = stored.with_parts(idle={"dropped": dropped})
            question = decisions.Question(stored.read, True, Balls([fmpq(0)] * len(labels)))
            jets = question.jets([p for k, p in equations_of_rest(question).items() if k not in dropped])
            return stored, [j.value for j in jets], [[question.gradient(j)[i] for i in free] for j in jets]

        stored, _ = refined_middle(asked.point, moment, free, sizes, [], bits)
        around = zip(labels, radii(box["bits"], len(labels)), strict=True)
        whole = decisions.Question(stored.read, True, Balls([fmpq(0) if k in idle else c for k, c in around]))
        A = whole.linearisation
        return stored, arb_mat([[A[i][j] for j in free] for i in free]), sizes[free]

    stored, B = _narrow_motion(problem, motion_in_box)
    return judged_by_root(stored, {}, np.linalg.eigvals(middles(B.tolist())))


def _by_energy(problem: Problem, rounded: decisions.Question, sizes: np.ndarray, names: list[str]) -> Judged:
    if not names:
        raise checker.Refusal("there is no invariant")
    energy = "energy" if "energy" in names else names[0]
    others = _independent(rounded, sizes, [name for name in names if name != energy])
    labels = [*problem.motion.leaf, *others]
    gradients = [middles([in_sizes(rounded.function(k), sizes)[1]])[0] for k in (energy, *labels)]
    y = np.linalg.lstsq(np.array(gradients[1:]).T, -gradients[0], rcond=None)[0] if labels else []

    def critical(box: Box, multipliers: Sequence[Any]) -> tuple[list[Any], list[list[Any]]]:
        return box.critical(energy, [ball(fmpq(c.numerator, c.denominator)) for c in multipliers])[:2]

    stored, found = _box_about_middle(
        problem, rounded, sizes, others, critical, [Fraction(float(c)) for c in y]
    )
    multipliers = {label: str(c) for label, c in zip(labels, found, strict=True)}
    proposal = {"conserved": [energy, *others], "multipliers": multipliers}
    return stored, *decisions.decide(stored.read, proposal)


def _sizes(problem: Problem) -> np.ndarray:
    """Powers of two next to the sizes of the states; ones where no system is known."""
    if problem.scales is None:
        return np.ones(len(problem.motion.states))
    return problem.scales().unit


def _independent(rounded: decisions.Question, sizes: np.ndarray, names: Sequence[str]) -> list[str]:
    """Invariants whose gradients are independent, of the leaf's too; the energy is taken last."""
    rows = [_direction(rounded, sizes, name) for name in rounded.problem["leaf"]]
    found = []
    for name in sorted(names, key=lambda name: name == "energy"):
        row = _direction(rounded, sizes, name)
        if np.linalg.matrix_rank(np.array([*rows, row]), tol=INDEPENDENT) > len(rows):
            rows.append(row)
            found.append(name)
    return found


def _direction(rounded: decisions.Question, sizes: np.ndarray, name: str) -> np.ndarray:
    """A gradient by the states in their sizes, of length one."""
    row = middles([in_sizes(rounded.function(name), sizes)[1]])[0]
    return row / (np.linalg.norm(row) or 1.0)


def _box_about_middle(
    problem: Problem,
    rounded: decisions.Question,
    sizes: np.ndarray,
    names: Sequence[str],
    equations: Equations,
    multipliers: list[Fraction],
    bits: int = BITS[0],
) -> tuple[Stored, list[Fraction]]:
    """The problem with a box about a refined middle, and refined multipliers.

    Along the family that the invariants belong to some states are held: those that change most along it.
    """
    labels = list(problem.motion.states)
    relations = [_direction(rounded, sizes, name) for name in problem.motion.leaf]
    D = np.array([*relations, *(_direction(rounded, sizes, name) for name in names)]).reshape(-1, len(labels))
    omitted = pivot_columns(D)
    A = middles(rounded.linearisation) * sizes / sizes[:, None]
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    rows = A / np.maximum(lengths, _WEAKEST * (np.max(np.abs(A), initial=0.0) or 1.0))
    family = kernel(np.vstack([rows, *relations]), INDEPENDENT)
    if family.shape[1] != len(names):
        raise checker.Refusal("the family of equilibria is not that of the invariants")
    held = pivot_columns(family.T)
    units = [*sizes, *(2.0 ** np.round(np.log2(abs(float(y)))) if y else 1.0 for y in multipliers)]
    box: dict[str, Any] = {
        "held": [labels[i] for i in held],
        "omitted": [labels[i] for i in omitted],
        "bits": exponents_of(units, bits),
    }

    def moment(x: list[Fraction], y: list[Fraction]) -> Moment:
        stored = replace(problem, point=list(x)).question().with_box(box)
        return stored, *equations(Box(stored.read, names, whole=False), y)

    free = [i for i, label in enumerate(labels) if label not in box["held"]]
    return refined_middle(problem.point, moment, free, units, multipliers, bits)


def exponents_of(units: Sequence[float] | np.ndarray, bits: int) -> int | list[int]:
    """Exponents of the radii of a box: one where all are the same."""
    found = [bits - round(np.log2(c)) for c in units]
    return bits if set(found) == {bits} else found


def refined_middle(
    point: Sequence[Fraction | decisions.Surd],
    at: Callable[[list[Fraction], list[Fraction]], Moment],
    free: Sequence[int],
    units: Sequence[float] | np.ndarray,
    multipliers: list[Fraction],
    bits: int,
) -> tuple[Stored, list[Fraction]]:
    """The problem at a middle that Newton's steps lead to, by the states that are free and by multipliers;
    refused where they come to another point than the one that is meant.
    """
    x: list[Fraction] = [Fraction(float(q)) if isinstance(q, decisions.Surd) else q for q in point]
    start, n = list(x), len(x)
    c = np.array([*(units[i] for i in free), *units[n:]])
    for _ in range(_STEPS):
        stored, values, jacobian = at(x, multipliers)
        step = _newton(middles(jacobian) * c, middles([values])[0])
        if np.max(np.abs(step), initial=0.0) < 2.0 ** -(bits + _SMALL):
            near = (NEAR * max(d, abs(float(b))) for d, b in zip(units, start, strict=False))
            if any(abs(float(a - b)) > most for a, b, most in zip(x, start, near, strict=True)):
                raise checker.Refusal("the equilibrium is not that point")
            return stored, multipliers
        for i, change in zip(free, step, strict=False):
            x[i] = _after_step(x[i], change, units[i], bits + _FINE)
        changes = zip(multipliers, step[len(free) :], units[n:], strict=True)
        multipliers = [_after_step(y, change, unit, bits + _FINE) for y, change, unit in changes]
    raise checker.Refusal("Newton's steps do not come to an end")


def _newton(J: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A step in units of the unknowns, from rows that are made of length one."""
    lengths = np.linalg.norm(J, axis=1)
    if not np.all(lengths > 0):
        raise checker.Refusal("an equation of rest depends on nothing")
    return np.linalg.solve(J / lengths[:, None], values / lengths)


def _after_step(value: Fraction, step: float, unit: float, bits: int) -> Fraction:
    """A number less a step in a unit, in parts of that."""
    fine = Fraction(unit) / (1 << bits)
    return round((value - Fraction(float(step)) * Fraction(unit)) / fine) * fine
