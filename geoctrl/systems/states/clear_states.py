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
    clear = ((CLEARLY * of_pivots < np.abs(pivots)) & np.isfinite(pivots)).all(axis=-1)
    unit = _symmetric_scalings(of_bordered)
    clear &= _least_conditions(bordered * unit[:, None, :] * unit[:, :, None]) > CLEARLY
    if bordered.shape[1] > k:
        clear &= _least_scaled_conditions(bordered[:, k:, :k], of_bordered[:, k:, :k]) > CLEARLY
    if frame[0].size:
        clear &= _least_scaled_conditions(frame, of_frame) > CLEARLY
    return clear


def _symmetric_scalings(sizes: np.ndarray) -> np.ndarray:
    """`symmetric_scaling` of matrices (N, n, n) in which no row waits for a later one; nan of others."""
    t = np.zeros(sizes.shape[:2])
    for i in range(sizes.shape[1]):
        size = np.maximum(np.sqrt(sizes[:, i, i]), np.max(sizes[:, i] * t, axis=1))
        t[:, i] = np.where(size > 0, 1 / size, np.nan)
    return t


def _least_conditions(matrices: np.ndarray) -> np.ndarray:
    """Lower bounds of reciprocal conditions (N,), as `singularity` has them of one matrix."""
    rows, columns = matrices.shape[1:]
    if not matrices[0].size:
        return np.ones(len(matrices))
    turned = matrices.swapaxes(1, 2)
    gram = turned @ matrices if rows >= columns else matrices @ turned
    good = np.isfinite(gram).all(axis=(1, 2))
    sign, volume = np.linalg.slogdet(np.where(good[:, None, None], gram, 0.0))
    square, others = np.trace(gram, axis1=1, axis2=2), gram.shape[1] - 1
    per_other = np.log(square / others) if others else 0.0
    found = np.exp(0.5 * (volume - np.log(square) - others * per_other))
    return np.where(good & (sign > 0) & (square > 0), found, 0.0)


def _least_scaled_conditions(matrices: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The same in units in which rows and columns of the sizes (N, r, n) are of size one."""
    # Members last, along which numpy is fast: matrices are small.
    sizes = np.array(np.moveaxis(sizes, 0, -1), order="C")
    rows, columns = np.ones((len(sizes), 1, len(matrices))), np.ones((1, *sizes.shape[1:]))
    for _ in range(_TURNS):
        for factors, axis in ((columns, 0), (rows, 1)):
            root = np.sqrt(sizes.max(axis=axis, keepdims=True))
            root[root == 0] = 1.0
            factors /= root
            sizes /= root
    scaled = rows * np.moveaxis(matrices, 0, -1) * columns
    largest = np.abs(scaled).max(axis=(0, 1))
    return _least_conditions(np.ascontiguousarray(np.moveaxis(scaled, -1, 0))) * np.minimum(largest, 1.0)
