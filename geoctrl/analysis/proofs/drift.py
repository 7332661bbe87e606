r"""The search for motions that drift away from a point, however near to it they begin.

Along a drift all velocities are constant, :math:`v = v_e + w\,c`, and the other states move as
:math:`\dot X = w\,(B X + b)`: straight on where the direction :math:`Z = B e + b` has :math:`B Z = 0`, and
on a circle where :math:`B^2 Z = -\beta^2 Z`, which :math:`t = \tan(\beta\theta/2)/\beta` makes rational. A
drift may begin beside the point, :math:`X = e + w\,d + \dots`, as that of a satellite on a lower orbit.
A plain field is looked at on the flat that the kernel of a power of its linearisation spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import Rows, matrix, nullspace, product, solve
from geoctrl.decisions.functions.derivatives import Jet, evaluate

__all__ = ["DriftPath", "drift_paths", "drift_states", "drifts"]

Vector = list[fmpq]
_ZERO = fmpq(0)


class DriftPath(NamedTuple):
    """The changes c of the velocities, the direction Z of the other states, B Z, and beta^2."""

    c: Vector
    Z: Vector
    turned: Vector
    square: fmpq


def drifts(stored: Stored) -> Iterator[Stored]:
    """The problem with drifts that may be motions of its equations."""
    question = stored.exactly()
    known = set(question.moving_places[len(question.labels) :])
    moving = [p in known for p in question.problem["field"]]
    if not any(moving):
        yield from _flat_drifts(stored, question)
        return
    for path in drift_paths(question):
        yield _drift_problem(stored, question, path)


def drift_paths(q: Any) -> Iterator[DriftPath]:
    """Ways of drifts that the first and second derivatives at the point of a question admit."""
    known = set(q.moving_places[len(q.labels) :])
    moving = [p in known for p in q.problem["field"]]
    for c in _steady_velocities(q, moving):
        path = _path(q, moving, c)
        if path is not None:
            yield DriftPath(c, *path)


def _steady_velocities(q: Any, moving: Sequence[bool]) -> Iterator[Vector]:
    """Changes that the leaf admits, and that no force answers to first order, nor the displacements to which
    they lead: of the velocities alone, then with displacements.
    """
    n = len(q.labels)
    held = [[fmpq(int(i == j)) for j in range(n)] for i in range(n) if not moving[i]]
    A = matrix(q.linearisation, n)
    answered = [
        row for power in (A, A * A) for row, moves in zip(power.tolist(), moving, strict=True) if moves
    ]
    yield from nullspace([*held, *answered, *q.leaf[0]], n)
    displaced = nullspace([*answered, *q.leaf[0]], n)
    yield from (c for c in displaced if any(x for x, moves in zip(c, moving, strict=True) if not moves))


def _path(q: Any, moving: Sequence[bool], c: Vector) -> tuple[Vector, Vector, fmpq] | None:
    """Z, B Z and beta^2 of the way of the other states; None where it is neither straight nor a circle."""
    n = range(len(q.labels))
    jets = q.jets(q.problem["field"])
    if any(jet.second is None for jet, moves in zip(jets, moving, strict=True) if not moves):
        return None
    Z, B = [_ZERO] * len(n), [[_ZERO] * len(n) for _ in n]
    for i, jet in enumerate(jets):
        if not moving[i]:
            Z[i] = sum((slope * c[j] for j, slope in jet.first.items() if c[j]), _ZERO)
            for (j, k), bend in (jet.second or {}).items():
                for a, b in {(j, k), (k, j)}:
                    if c[a] and not moving[b]:
                        B[i][b] = B[i][b] + bend * c[a]
    if not any(Z):
        return None
    first = _times(B, Z)
    second = _times(B, first)
    if not any(first):
        return Z, first, _ZERO
    lead = next((i for i in n if Z[i] and second[i]), None)
    if lead is None:
        return None
    square = -second[lead] / Z[lead]
    if not square > 0 or any(s != -square * z for s, z in zip(second, Z, strict=True)):
        return None
    return Z, first, square


def _times(B: Rows, v: Vector) -> Vector:
    return [row[0] for row in product(B, [[x] for x in v])]


def _unknowns_at(q: decisions.Question, state: Vector) -> Vector:
    """z of K z = b at a state."""
    labels = q.labels
    values = {q.place["state", k]: Jet(v) for k, v in zip(labels, state, strict=True)}
    values |= {p: Jet(v) for p, v in q.numbers_of("input", "parameter").items()}
    k = len(q.problem["unknowns"])
    K = [[_ZERO] * k for _ in range(k)]
    for i, j, p in q.problem["matrix"]:
        K[i][j] = evaluate(q.table, [p], values, q.numbers, 1)[0].value
    right = [[jet.value] for jet in evaluate(q.table, q.problem["right"], values, q.numbers, 1)]
    return [row[0] for row in solve(K, right)]


def drift_states(
    table: Appended, e: Sequence[tuple[fmpq, int]], path: DriftPath, w: int, t: int
) -> tuple[list[int], int]:
    """Places of the states along a drift of speed w, from those of a point as multiples of nodes, and of the
    slope of its way t.
    """
    one, below = fmpq(1), table.total([(fmpq(1), table.product()), (path.square, table.product((t, 2)))])
    along = table.product((t, 1), (below, -1))
    across = table.product((t, 2), (below, -1))
    factor = fmpq(2) if path.square else one
    states = [
        table.total([v, (x, w), (factor * z, along), (factor * y, across)])
        for v, x, z, y in zip(e, path.c, path.Z, path.turned, strict=True)
    ]
    return states, table.total([(one / factor, below)])


def _drift_problem(stored: Stored, q: decisions.Question, path: DriftPath) -> Stored:
    """The problem with the drift of two symbols, its speed w and its way t."""
    table = Appended(stored)
    (w_name, w), (t_name, t) = table.symbol("w", "family"), table.symbol("t", "family")
    e = list(q.problem["states"].values())
    states, slope = drift_states(table, [(v, table.product()) for v in e], path, w, t)
    # At a steady turn the unknowns are quadratic in its speed: centrifugal and gyroscopic forces.
    speeds = (fmpq(-1), _ZERO, fmpq(1))
    low, mid, high = (_unknowns_at(q, [v + s * x for v, x in zip(e, path.c, strict=True)]) for s in speeds)
    unknowns = [
        table.total(
            [
                (b, table.product()),
                ((d - a) / 2, w),
                ((a + d) / 2 - b, table.product((w, 2))),
            ]
        )
        for a, b, d in zip(low, mid, high, strict=True)
    ]
    return table.with_parts(
        family={
            "symbols": {w_name: "0", t_name: "0"},
            "states": states,
            "unknowns": unknowns,
            "rates": [table.number(_ZERO), table.product((w, 1), (slope, 1))],
        },
        drift={"constant": w_name, "drifting": t_name, "power": 1, "slope": slope},
    )


def _flat_drifts(stored: Stored, q: decisions.Question) -> Iterator[Stored]:
    """On the flat through the point along the kernel of a power of the linearisation."""
    n = len(q.labels)
    power = matrix(q.linearisation, n)
    for _ in range(n.bit_length()):
        power = power * power
    U = nullspace([*power.tolist(), *q.leaf[0]], n)
    if not U:
        return
    free = [next(j for j in range(n) if u[j] == 1 and not any(v[j] for v in U if v is not u)) for u in U]
    rates = q.ratios(q.problem["field"])
    g = Generators.of(q)
    e = [g.point[i] for i in g.states if i in g.point]
    if len(e) < n or any(r.below for r in rates):
        return
    images = list(g.gens)
    for i, s in enumerate(g.states):
        shift = sum((u[i] * (g.gens[g.states[j]] - e[j]) for u, j in zip(U, free, strict=True)), g.one * 0)
        images[s] = shift + e[i]
    on_flat = {j: rates[j].top.compose(*images, ctx=g.one.context()) for j in free}
    for still in free:
        away = g.gens[g.states[still]] - e[still]
        for moving in free:
            if on_flat[still] or not on_flat[moving]:
                continue
            count, slope = 0, on_flat[moving]
            while not (parts := divmod(slope, away))[1]:
                count, slope = count + 1, parts[0]
            try:
                steep = bool(g.value_of(slope))
            except NotSolved:
                continue
            if count and steep:
                yield _flat_written(stored, g, U, free, e, on_flat, (still, moving, count, slope))


def _flat_written(
    stored: Stored,
    g: Generators,
    U: Rows,
    free: Sequence[int],
    e: Vector,
    on_flat: dict[int, Any],
    found: tuple[int, int, int, Any],
) -> Stored:
    """The problem with the flat and its drift."""
    table = Appended(stored)
    named = {j: table.symbol(f"s{k}", "family") for k, j in enumerate(free, 1)}
    places = {g.states[j]: place for j, (_, place) in named.items()}
    states = []
    for i in range(len(e)):
        shift = e[i] - sum((u[i] * e[j] for u, j in zip(U, free, strict=True)), _ZERO)
        terms = [(u[i], named[j][1]) for u, j in zip(U, free, strict=True) if u[i]]
        states.append(table.total([(shift, table.product()), *terms]))
    still, moving, count, slope = found
    return table.with_parts(
        family={
            "symbols": {name: str(e[j]) for j, (name, _) in named.items()},
            "states": states,
            "unknowns": [],
            "rates": [table.polynomial(on_flat[j], places) for j in free],
        },
        drift={
            "constant": named[still][0],
            "drifting": named[moving][0],
            "power": count,
            "slope": table.polynomial(slope, places),
        },
    )
