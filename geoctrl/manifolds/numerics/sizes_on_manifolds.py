"""Sizes of a system on a manifold at a point: directions and attitudes have size one, turns that of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING
from geoctrl.manifolds.description.description import Description
from geoctrl.systems.contract.scales import Scales, largest_cycle, scales_of
from geoctrl.systems.states.anchors import arguments_without_unit

__all__ = ["sizes_at"]

_PLACE = 0
"""Kind of a factor that is a place."""


def sizes_at(
    system: Any,
    A: np.ndarray,
    B: np.ndarray,
    terms: np.ndarray,
    x: np.ndarray,
    params: Mapping[str, float],
) -> Scales:
    """Sizes at a state (n,), from derivatives of the field by states and inputs and the sizes of its terms.

    Places and their velocities have the lengths that they have as vectors, a place besides what changes an
    argument of a function by one; the other sizes are what those excite. Slopes of potentials and forces
    count as one term each: functions do not say which terms they add.
    """
    C = system.product.leaf_gradient(*system.product.parts(x))
    lengths, turning = _lengths(system, x, params)
    names = system.state_labels, system.input_labels, system.state_units

    def sizes(A: np.ndarray, B: np.ndarray) -> Scales:
        rate = largest_cycle(A)
        anchors = np.where(turning, np.maximum(lengths, rate), lengths)
        return scales_of(A, C, B, terms + np.abs(A) @ np.abs(x), np.zeros(len(C)), anchors, rate, *names)

    # Derivatives in doubles hold what rounding leaves of zeros: known beside what has the same unit, and once
    # there are sizes to compare with.
    A = np.where(_alone(A), A, 0.0)
    fixed = _fixed_states(C) & (lengths == 0)
    A[:, fixed] = 0.0
    raw = sizes(A, B)
    lengths = np.where(
        fixed, np.maximum(lengths, np.repeat(raw.state.reshape(-1, 3).max(axis=1), 3)), lengths
    )
    units = np.where(raw.state > 0, 0.0, raw.column)
    pushed = np.abs(B) / raw.column[:, None]
    weak = ~(pushed > ROUNDING * np.max(pushed, axis=0, initial=0.0))
    faint = np.abs(A) * raw.column <= ROUNDING * (raw.field + np.abs(A) @ units)[:, None]
    return sizes(np.where(faint, 0.0, A), np.where(weak, 0.0, B))


def _fixed_states(C: np.ndarray) -> np.ndarray:
    """States (n,) that a relation of the leaf determines by itself.

    No slope by one of them is felt. Those that nothing measures have the sizes of their vectors.
    """
    return np.any((C != 0) & (np.count_nonzero(C, axis=1, keepdims=True) == 1), axis=0)


def _alone(A: np.ndarray) -> np.ndarray:
    """Entries that are not rounding of others of the same two vectors, which have one unit."""
    blocks = np.abs(A).reshape(len(A) // 3, 3, -1, 3)
    largest = np.max(blocks, axis=(1, 3), keepdims=True, initial=0.0)
    return (blocks > ROUNDING * largest).reshape(A.shape)


def _lengths(system: Any, x: np.ndarray, params: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Anchors (n,) of the states besides rates of turns, and which are those."""
    product = system.product
    z, w = product.parts(x)
    placed = product.kinds == _PLACE
    rows = np.repeat(placed, np.diff([*product.first, product.rows]))
    lengths = np.concatenate([np.linalg.norm(z, axis=-1), np.linalg.norm(w, axis=-1)])
    given = np.where(
        np.concatenate([rows, placed]), lengths, np.concatenate([np.ones(len(z)), np.zeros(len(w))])
    )
    free, turning = np.repeat([*rows, *placed], 3), np.repeat([*np.zeros_like(rows), *~placed], 3)
    found = np.maximum(np.repeat(given, 3), np.abs(x))
    return np.where(free, np.maximum(found, _by_functions(system.description, x, params)), found), turning


def _by_functions(given: Description, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Deviations (n,) that change an argument of a function by one, zero where there is none."""
    if "arguments" not in given.programs:
        given.programs["arguments"] = _slopes(given)
    program, count = given.programs["arguments"]
    if not count:
        return np.zeros(len(x))
    inputs = [0.0] * len(given.driven_nodes)
    slopes = np.abs(np.reshape(program([*x, 0.0, *inputs], params), (count, -1)))
    steepest = np.max(np.where(np.isfinite(slopes), slopes, 0.0), axis=0)
    return np.divide(1.0, steepest, out=np.zeros(len(x)), where=steepest > 0)


def _slopes(given: Description) -> tuple[Program, int]:
    graph, states = given.graph, given.state_nodes
    nodes: list[Node] = list(given.formulas) if not given.inertia_varies else []
    if given.symbolic and _PLACE in given.product.kinds:
        nodes.append(given.to_node(given.potential_expression))
    found = arguments_without_unit(graph, nodes)
    slopes = [e for row in graph.jacobian(found, states) for e in row]
    arguments = [*states, given.time_node, *given.driven_nodes]
    return Program(graph, arguments, given.parameter_nodes, slopes), len(found)
