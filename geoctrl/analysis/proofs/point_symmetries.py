r"""The search for isometries of the states that keep energy, leaf and levels of the conserved functions.

Fields :math:`Z(x) = B x + b` with skew B and :math:`Z.E = 0`, :math:`Z.g = 0`, :math:`Z.Q = 0` for
:math:`Q = \sum (C_j - C_j(e))^2` form a linear space, found from gradients at random points modulo a prime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from random import Random
from typing import Any

from flint import fmpq

from geoctrl import checker, decisions
from geoctrl._scalars.arithmetic.modular import rational, residue, sampled_kernel
from geoctrl.analysis.proofs.energy_casimir import exact_multipliers
from geoctrl.analysis.question.generators import independent_invariants
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import independent
from geoctrl.decisions.arithmetic.tower import RATIONALS
from geoctrl.decisions.functions.derivatives import Jet, Numbers, evaluate

__all__ = ["modulo_orbit"]

MOST, SMALL, SLOPES = 32, 10**6, 3
"""States from which on no symmetries are looked for, size of the numbers in those that are kept, and points
at which multipliers are asked to give a function that they keep."""

_ZERO = fmpq(0)
Field = tuple[dict[tuple[int, int], fmpq], list[fmpq]]


def modulo_orbit(stored: Stored, conserved: Sequence[str]) -> tuple[Stored, dict[str, Any]] | None:
    """The problem with the symmetries that move its point, and a proposal; None where there are none."""
    question = stored.exactly()
    problem, labels = question.problem, question.labels
    if len(labels) > MOST:
        return None
    held = independent_invariants(question, conserved)
    functions = {name: problem["invariants"][name] for name in conserved}
    functions |= problem["leaf"]
    level = {name: question.jets([functions[name]])[0].value for name in held}
    numbers = [*level.values(), *problem["states"].values()]
    if any(not isinstance(v, fmpq) for v in numbers):
        return None
    try:
        found = _fields(question, functions, level)
        samples = list(islice(_samples(question, functions), SLOPES))
    except checker.Refusal:
        return None
    fields: list[Field] = []
    T: list[list[fmpq]] = []
    for B, b in found:
        direction = _direction_at(B, b, list(problem["states"].values()))
        if any(direction) and independent(T, direction):
            fields.append((B, b))
            T.append(direction)
    if not fields:
        return None
    slopes = [
        [
            sum((g * z for g, z in zip(gradients[k], _direction_at(*field, x), strict=True)), _ZERO)
            for k in functions
        ]
        for x, _, gradients in samples
        for field in fields
    ]
    y = exact_multipliers([question.function(k) for k in functions], T, slopes)
    symmetries = [
        {
            "turns": [[labels[i], labels[j], str(c)] for (i, j), c in B.items()],
            "shifts": {labels[i]: str(c) for i, c in enumerate(b) if c},
        }
        for B, b in fields
    ]
    proposal: dict[str, Any] = {"conserved": list(conserved), "held": held}
    if y is not None:
        proposal["orbit_multipliers"] = {name: str(c) for name, c in zip(functions, y, strict=True)}
    return stored.with_parts(symmetries=symmetries), proposal


def _direction_at(B: dict[tuple[int, int], fmpq], b: Sequence[fmpq], x: Sequence[fmpq]) -> list[fmpq]:
    direction = list(b)
    for (i, j), c in B.items():
        direction[i] += c * x[j]
    return direction


class _Anywhere:
    """Exact numbers at points where sines and cosines are those of any rational direction."""

    number = staticmethod(fmpq)

    def __init__(self) -> None:
        self._exact = Numbers(exact=True, field=RATIONALS)
        self.quadrature, self.sign, self.settled = (
            self._exact.quadrature,
            self._exact.sign,
            self._exact.settled,
        )

    def function(self, name: str, x: fmpq) -> fmpq | None:
        """The value of a function of one argument."""
        if name in ("sin", "cos"):
            t = x / 3 + fmpq(2, 7)
            return (2 * t if name == "sin" else 1 - t * t) / (1 + t * t)
        return self._exact.function(name, x)


Sample = tuple[list[fmpq], dict[str, fmpq], dict[str, list[fmpq]]]


def _samples(q: decisions.Question, functions: dict[str, int]) -> Iterator[Sample]:
    """Random points with values and gradients of functions; Refusal where these are not rational there."""
    n, rng = len(q.labels), Random(1)
    numbers, constants = _Anywhere(), q.numbers_of("input", "parameter")
    while True:
        x = [fmpq(rng.randint(-40, 40), rng.randint(1, 9)) for _ in range(n)]
        at = {p: Jet(v) for p, v in constants.items()}
        at |= {p: Jet(v, {i: fmpq(1)}) for i, (p, v) in enumerate(zip(q.moving_places, x, strict=False))}
        jets = dict(zip(functions, evaluate(q.table, list(functions.values()), at, numbers, 1), strict=True))
        if any(jet.value is None for jet in jets.values()):
            raise decisions.NotExact("a function is not rational")
        yield x, {k: jet.value for k, jet in jets.items()}, {k: q.gradient(jet) for k, jet in jets.items()}


def _fields(q: decisions.Question, functions: dict[str, int], level: dict[str, fmpq]) -> list[Field]:
    """All fields of small numbers under which functions and the distance of the levels rest."""
    n = len(q.labels)
    pairs = list(combinations(range(n), 2))

    def rows() -> Iterator[list[list[int]]]:
        for x, values, gradients in _samples(q, functions):
            slopes = [gradient for name, gradient in gradients.items() if name not in q.problem["invariants"]]
            slopes += [gradients["energy"]] if "energy" in functions else []
            if level:
                deviations = {k: values[k] - c for k, c in level.items()}
                slopes.append(
                    [sum((d * gradients[k][i] for k, d in deviations.items()), _ZERO) for i in range(n)]
                )
            whole = [[*(g[i] * x[j] - g[j] * x[i] for i, j in pairs), *g] for g in slopes]
            yield [[residue(c) for c in row] for row in whole]

    found = []
    for vector in sampled_kernel(rows(), len(pairs) + n):
        entries = [rational(v) for v in vector]
        if any(c is None or abs(c.numerator * c.denominator) > SMALL for c in entries):
            continue
        numbers = [fmpq(c.numerator, c.denominator) for c in entries if c is not None]
        B = {}
        for (i, j), c in zip(pairs, numbers, strict=False):
            if c:
                B[i, j], B[j, i] = c, -c
        found.append((B, numbers[len(pairs) :]))
    return found
