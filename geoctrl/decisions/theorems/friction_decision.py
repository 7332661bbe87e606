r"""What friction would do to a point at rest that gyroscopic terms hold up (Kelvin, Tait, Chetaev).

At rest, with the energy critical on a regular leaf, positive definite in the velocities and not degenerate in
all directions, j of which are negative; with velocities that reach every direction of the configuration, and
are what forces do work on.
Then friction :math:`-D v` with any :math:`D > 0` makes the point unstable: the energy falls wherever anything
moves, nothing but the point stays at rest, and the energy has no minimum there.
"""

from __future__ import annotations

from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import (
    combined_hessian,
    form,
    inertia,
    matrix,
    nullspace,
    product,
)
from geoctrl.decisions.questions.exact_question import Question

_ZERO = fmpq(0)


def destabilised_by_friction(q: Question) -> int:
    """j, or zero where a hypothesis fails."""
    tangent, regular = q.leaf
    n = len(q.labels)
    rows = {p: row for row, p in enumerate(q.moving_places[n:])}
    moving = [i for i, p in enumerate(q.problem["field"]) if p in rows]
    # E' + w.(b - K z) = 0, so that forces in b do the work w: that of -D v is -v.D v where w is v.
    weights = q.problem["weights"].get("energy")
    if not weights or any(weights[rows[q.problem["field"][i]]] != q.moving_places[i] for i in moving):
        return 0
    if not regular or not moving or any(list(q.problem["states"].values())[i] for i in moving):
        return 0
    functions = [q.function(name) for name in ("energy", *q.problem["leaf"])]
    gradients = [g for _, g, _ in functions]
    combinations = nullspace([[g[i] for g in gradients] for i in range(n)], len(gradients))
    y = next((y for y in combinations if y[0]), None)
    if y is None:
        return 0
    H = combined_hessian([(c / y[0], second) for c, (*_, second) in zip(y, functions, strict=True)], n)
    W = nullspace(tangent, n)
    held = [[fmpq(int(i == j)) for j in range(n)] for i in range(n) if i not in moving]
    speeds = nullspace([*tangent, *held], n)
    _, negative, zero = inertia(form(H, W))
    if zero or not speeds or inertia(form(H, speeds))[0] < len(speeds):
        return 0
    images = product(q.linearisation, [[v[i] for v in speeds] for i in range(n)])
    reached = [row for i, row in enumerate(images) if i not in moving]
    if not reached or matrix(reached, len(speeds)).rank() < len(W) - len(speeds):
        return 0
    return negative
