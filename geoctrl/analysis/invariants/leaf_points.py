"""Random states on the leaf, modulo a prime.

An identity on the leaf is tested best where all of its points are alike: modulo a large prime a rational
function that is not zero vanishes at a random point with a probability of its degree over the prime.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import Graph, Node
from geoctrl._scalars.arithmetic.residues import RandomFunctions, RandomResidues, Residues, residues_of
from geoctrl.algebra import AdvectedVector
from geoctrl.errors import ConstraintError
from geoctrl.systems import ReducedSystem

__all__ = ["states_on_leaf"]

Values = dict[Node, Residues]


def states_on_leaf(
    system: ReducedSystem,
    parameters: Mapping[Node, Residues],
    functions: RandomFunctions,
    rng: RandomResidues,
) -> Values:
    """Residues (count,) of all states; where ``functions.valid`` is false they are off the leaf.

    Vectors are their references turned by a random rotation for each factor. Where relations of the
    description are not kept by that, all relations are solved one after the other, each for an entry in which
    it is of degree one or two.
    """
    shape = (functions.count,)
    relations = system.leaf.nodes[: system.leaf.geometric]
    drawn = {node: Residues.draw(rng, shape) for node in system.state_nodes}
    turned: Values = drawn | {k: v for k, v in _rotated_values(system, rng, shape).items() if k in drawn}
    defects = residues_of(relations, {**parameters, **turned}, functions)
    if not any(np.any(d.values) for d in defects):
        states = turned
    else:
        states = _values_on_leaf(system.graph, relations, system.kept, {**parameters, **drawn}, functions)
        states = {node: states[node] for node in system.state_nodes}
    a = system.assembly
    if a.rows:
        flat = residues_of([e for row in a.rows for e in row], {**parameters, **states}, functions)
        k = len(a.velocity)
        rows = [flat[i * k : (i + 1) * k] for i in range(len(a.rows))]
        w = _in_kernel(rows, [states[node] for node in a.velocity])
        states |= dict(zip(a.velocity, w, strict=True))
    return states


def _rotated_values(system: ReducedSystem, rng: RandomResidues, shape: tuple[int, ...]) -> Values:
    """Vectors of a factor turned by one rotation (Cayley's formula)."""
    mechanism, gamma = system.mechanism, iter(system.assembly.gamma)
    rotations: dict[int, list[list[Residues]]] = {}
    values: Values = {}
    for advected in mechanism.advected:
        nodes = [next(gamma) for _ in advected.symbols]
        if not isinstance(advected, AdvectedVector):
            continue
        index = advected.factor_index(mechanism.algebra)
        if index not in rotations:
            planar = mechanism.algebra.factors[index].name in ("so2", "se2")
            rotations[index] = _rotation(rng, shape, planar)
        reference = [Fraction(q) for q in advected.reference]
        for node, row in zip(nodes, rotations[index], strict=False):  # a vector of the plane has two
            values[node] = _sum(r * q for r, q in zip(row, reference, strict=False))
    return values


def _rotation(rng: RandomResidues, shape: tuple[int, ...], planar: bool) -> list[list[Residues]]:
    x, y, z = (Residues(np.zeros(shape)) if planar and i < 2 else Residues.draw(rng, shape) for i in range(3))
    n = (1 + x * x + y * y + z * z).inverse()
    rows = [
        [1 + x * x - y * y - z * z, 2 * (x * y - z), 2 * (x * z + y)],
        [2 * (x * y + z), 1 - x * x + y * y - z * z, 2 * (y * z - x)],
        [2 * (x * z - y), 2 * (y * z + x), 1 - x * x - y * y + z * z],
    ]
    return [[e * n for e in row] for row in rows]


def _sum(terms: Any) -> Residues:
    return sum(terms, Residues.number(0))


def _values_on_leaf(
    graph: Graph,
    relations: Sequence[Node],
    entries: Sequence[Node],
    values: Values,
    functions: RandomFunctions,
) -> Values:
    """The values with one entry for each relation replaced by a root of it."""
    order, left = [], list(relations)
    while left:
        held = {r: graph.symbols([r]) for r in left}
        choice = next(
            ((r, v) for r in left for v in entries if [s for s in left if v in held[s]] == [r]), None
        )
        if choice is None:
            raise ConstraintError(
                "no random points of the leaf are known: its relations cannot be solved one after the other; "
                "check_invariant proves an invariant that is given"
            )
        order.append(choice)
        left.remove(choice[0])
    values = dict(values)
    for relation, entry in reversed(order):
        derivatives = [relation]
        for _ in range(3):
            derivatives += graph.gradient(derivatives[-1], [entry])
        at_zero = residues_of(derivatives, {**values, entry: Residues.number(0)}, functions)
        c, b, a, further = at_zero[0], at_zero[1], at_zero[2] / 2, at_zero[3]
        if np.any(further.values):
            raise ConstraintError(
                "no random points of the leaf are known: a relation is of a degree beyond two in "
                f"{entry.payload}; check_invariant proves an invariant that is given"
            )
        if not np.any(a.values):
            values[entry] = -c / b
            continue
        root, found = (b * b - 4 * a * c).root()
        functions.valid &= found
        values[entry] = (root - b) / (2 * a)
    return values


def _in_kernel(rows: list[list[Residues]], w: list[Residues]) -> list[Residues]:
    """Velocities with those at the pivots of the rows replaced, so that the rows vanish on them."""
    w, done = list(w), []
    for i in range(len(rows)):
        j = next((j for j, e in enumerate(rows[i]) if np.any(e.values)), None)
        if j is None:
            continue
        rows[i] = [e / rows[i][j] for e in rows[i]]
        done.append((i, j))
        for k in range(len(rows)):
            if k != i:
                factor = rows[k][j]
                rows[k] = [e - factor * p for e, p in zip(rows[k], rows[i], strict=True)]
    pivots = {j for _, j in done}
    for i, j in done:
        w[j] = -_sum(e * w[m] for m, e in enumerate(rows[i]) if m not in pivots)
    return w
