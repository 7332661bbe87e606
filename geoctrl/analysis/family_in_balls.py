"""Families through exact points of equations that hold functions of parameters, for proofs in balls.

The family is guessed flat, along the kernel of the linearisation in floats, and the unknowns are solved for
along it; the checker decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx, fmpq

from geoctrl import checker
from geoctrl.analysis.enclosures import Judged
from geoctrl.analysis.family import written_family
from geoctrl.analysis.generators import Generators, NotSolved
from geoctrl.analysis.problem import Problem
from geoctrl.checker.balls import Balls
from geoctrl.checker.boxes import PRECISION
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.polynomials import Functions

__all__ = ["family_in_balls"]

KERNEL = 1e-8, 1e-12
"""Singular values, relative to the largest, that count as none: next to a change of stability a root is small
and no zero."""
SMALL, NEAR = 1000, 1e-9
"""Denominators of a flat family's slopes, and the distance up to which they are recognised."""


def family_in_balls(problem: Problem) -> Judged | None:
    """A problem with a family and what the checker proves of it in balls; None where that is nothing."""
    try:
        rounded = checker.Question(problem.question().read, exact=False)
    except checker.Refusal:
        return None
    for tolerance in KERNEL:
        try:
            tangents, omitted, root = _in_floats(problem, rounded, tolerance)
            with ctx.workprec(PRECISION):
                stored = _with_family(problem, tangents)
            stored = stored.with_parts(enclosed={"omitted": omitted})
            proposal = {"root": [root.real, root.imag]} if root.real > 0 else {}
            return stored, *checker.decide(stored.read, proposal, exact=True)
        except (checker.Refusal, NotSolved, np.linalg.LinAlgError):
            continue
    return None


def _in_floats(
    problem: Problem, rounded: checker.Question, tolerance: float
) -> tuple[list[list[fmpq]], list[str], complex]:
    """Tangents of the family by row, states to omit, and the last root of the linearisation on the leaf."""
    from scipy.linalg import null_space, qr

    labels = rounded.labels
    A = np.array([[float(c) for c in row] for row in rounded.linearisation])
    gradients = [rounded.function(name)[1] for name in problem.motion.leaf]
    D = np.array([[float(c) for c in row] for row in gradients]).reshape(-1, len(labels))
    scaled = D / np.maximum(np.linalg.norm(D, axis=1, keepdims=True), 1e-300)
    kernel = null_space(np.vstack([A / max(np.max(np.abs(A)), 1e-300), scaled]), rcond=tolerance)
    if not kernel.shape[1]:
        raise NotSolved
    pivots = qr(kernel.T, pivoting=True, mode="r")[1][: kernel.shape[1]]
    tangents = [[_recognised(v) for v in row] for row in np.linalg.solve(kernel[pivots].T, kernel.T)]
    omitted = [labels[i] for i in qr(scaled, pivoting=True, mode="r")[1][: len(D)]] if len(D) else []
    W = null_space(D) if len(D) else np.eye(len(labels))
    roots = np.linalg.eigvals(W.T @ A @ W)
    return tangents, omitted, complex(roots[int(np.argmax(roots.real))])


def _recognised(value: float) -> fmpq:
    q = Fraction(float(value)).limit_denominator(SMALL)
    if abs(float(q) - value) > NEAR * max(1.0, abs(value)):
        raise NotSolved
    return fmpq(q.numerator, q.denominator)


def _with_family(problem: Problem, tangents: Sequence[Sequence[fmpq]]) -> Any:
    """The problem with the flat family along its tangents."""
    stored = problem.question()
    q = checker.Question(stored.read, True, Balls([fmpq(0)] * len(stored.read["states"])))
    n, k = len(q.labels), len(tangents)
    e = list(q.problem["states"].values())
    free = [
        next(j for j in range(n) if row[j] == 1 and sum(bool(other[j]) for other in tangents) == 1)
        for row in tangents
    ]
    F = Functions(k + len(q.problem["unknowns"]), q.count_of_functions, q.sign, q.numbers.deadline)
    symbols, z = F.variables[:k], F.variables[k:]
    states = [
        sum(
            (s * row[i] - row[i] * e[j] for s, row, j in zip(symbols, tangents, free, strict=True)),
            F.number(e[i]),
        )
        for i in range(n)
    ]
    jets = {p: Jet(F.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
    jets |= {p: Jet(value) for p, value in zip(q.moving_places, [*states, *z], strict=True)}

    def values(nodes: Sequence[int]) -> list[Any]:
        return [jet.value for jet in evaluate(q.table, list(nodes), jets, F, 1)]

    equations = [*values(q.problem["field"]), *values(list(q.problem["leaf"].values()))]
    defects = values(q.problem["right"])
    for i, j, p in q.problem["matrix"]:
        defects[i] = defects[i] - values([p])[0] * z[j]
    number = {str(g): i for i, g in enumerate(F.gens)}
    at_symbols = [number[str(s.top)] for s in symbols]
    unknowns = [number[str(x.top)] for x in z]
    point = dict(zip(at_symbols, (e[j] for j in free), strict=True))
    point |= dict(zip(unknowns, q.values_at_point()[n:], strict=True))
    places = _constants(q, jets, number)
    point |= {i: q.jets([p])[0].value for i, p in places.items()}
    g = Generators(F.gens, places, point, at_symbols, [], unknowns, {}, F.relations, frozenset(places))
    tops = [F.remainder(ratio) for ratio in [*equations, *defects]]
    return written_family(
        stored, g, [top for top in tops if top], list(zip(at_symbols, free, strict=True)), tangents
    )


def _constants(q: checker.Question, jets: dict[int, Jet], number: dict[str, int]) -> dict[int, int]:
    """Places of the functions of parameters alone, by their generators."""
    moving = set(q.moving_places)
    found: dict[int, int] = {}
    for place, node in enumerate(q.table):
        if node[0] != "fun" or place not in jets or moving & set(reachable(q.table, [place])):
            continue
        ratio = jets[place].value
        if not ratio.below and str(ratio.top) in number:
            found.setdefault(number[str(ratio.top)], place)
    return found
