"""Which of many states are clearly good: on the leaf, and far from where the equations are singular.

By bounds of what `geoctrl.systems.states.projection` and `geoctrl.systems.states.singularity` judge state by
state, of all members at once. A state that is not clearly good may be good: it is to be judged alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl.systems.contract.tolerances import RESIDUAL
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.singularity import CLEARLY, singular_matrices
from geoctrl.systems.states.sizes_at_points import sized_program

__all__ = ["are_clearly_good"]

_TURNS = 3
"""Of rows and columns divided in turn: any units are good enough to see a matrix of full rank by, and of
those in which entries are of size one none is much better than another (van der Sluis, 1969)."""


def are_clearly_good(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
    """Of states (n, N) at parameters that are numbers or arrays (N,): bool (N,)."""
    with np.errstate(all="ignore"):
        return _are_on_leaf(system, x, params) & _are_regular(system, t, x, params)


def _are_on_leaf(system: Recorded, x: np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
    values, terms = sized_program(system, "leaf", lambda: system.leaf.nodes).at_members(0.0, x, params)
    within = (np.abs(values) <= RESIDUAL * terms) & np.isfinite(terms)
    return np.logical_and.reduce(within, axis=0)


def _are_regular(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
    matrices = singular_matrices(system, t, x, params)
    (bordered, of_bordered), (frame, of_frame), (pivots, of_pivots) = matrices
    k = len(system.assembly.velocity)
    clear = ((CLEARLY * of_pivots < np.abs(pivots)) & np.isfinite(pivots)).all(axis=0)
    unit = _symmetric_scalings(of_bordered)
    clear &= _least_conditions(bordered * unit * unit[:, None]) > CLEARLY
    if len(bordered) > k:
        clear &= _least_scaled_conditions(bordered[k:, :k], of_bordered[k:, :k]) > CLEARLY
    if frame.size:
        clear &= _least_scaled_conditions(frame, of_frame) > CLEARLY
    return clear


# Members are last in all arrays, along which numpy is fast: matrices are small, and many.


def _symmetric_scalings(sizes: np.ndarray) -> np.ndarray:
    """`symmetric_scaling` of matrices (n, n, N) in which no row waits for a later one; nan of others."""
    t = np.empty(sizes.shape[1:])
    for i, row in enumerate(sizes):
        size = np.maximum.reduce([np.sqrt(row[i]), *(row[:i] * t[:i])])
        t[i] = np.where(size > 0, 1 / size, np.nan)
    return t


def _least_conditions(matrices: np.ndarray) -> np.ndarray:
    """Lower bounds of reciprocal conditions (N,), as `singularity` has them of one matrix.

    The volume is that of the pivots of the Gram matrix, each in terms of what it is at most on average.
    """
    if not matrices.size:
        return np.ones(matrices.shape[-1])
    rows, columns = matrices.shape[:2]
    if rows < columns:
        matrices = matrices.swapaxes(0, 1)
    gram = np.einsum("ki...,kj...->ij...", matrices, matrices)
    square, others = np.einsum("ii...->...", gram), len(gram) - 1
    found, good = 1 / square, np.ones(square.shape, bool)
    for i, row in enumerate(gram):
        pivot = row[i]
        good &= pivot > 0
        found *= pivot
        if i:
            found *= others / square
        gram[i + 1 :, i + 1 :] -= row[i + 1 :, None] * (row[i + 1 :] / pivot)
    return np.where(good, np.sqrt(found), 0.0)


def _least_scaled_conditions(matrices: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The same in units in which rows and columns of the sizes (r, n, N) are of size one."""
    # Sizes of unit vectors are those of all of them.
    sizes = np.array(sizes[..., :1] if (sizes == sizes[..., :1]).all() else sizes)
    rows, columns = np.ones((len(sizes), 1, sizes.shape[-1])), np.ones((1, *sizes.shape[1:]))
    for _ in range(_TURNS):
        for factors, axis in ((columns, 0), (rows, 1)):
            root = np.sqrt(np.maximum.reduce(sizes, axis=axis, keepdims=True))
            root[root == 0] = 1.0
            factors /= root
            sizes /= root
    scaled = rows * matrices * columns
    largest = np.maximum.reduce(np.abs(scaled), axis=(0, 1))
    return _least_conditions(scaled) * np.minimum(largest, 1.0)
