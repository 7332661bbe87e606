r"""The point of rest that is nearest to a guess, and inputs of least size that hold it.

States and inputs are never added up, which would depend on their units: first the states (and parameters) are
brought as near to the guess as they go, then, with these held, the inputs become as small as they can. In
directions N that leave the residual as it is, :math:`J N = 0`, a step is :math:`N a` with the least
:math:`|z + N a - w|` over the places that count; it is corrected by the search, and halved where that does
not lead nearer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from geoctrl.analysis.rest.rest_search import Met, RestSearch
from geoctrl.analysis.rest.unknowns import Unknowns
from geoctrl.systems.contract.scales import kernel
from geoctrl.systems.contract.tolerances import CONVERGED, INDEPENDENT, KERNEL

__all__ = ["idle_directions", "least_inputs", "nearest_rest", "residual_kernel"]

_STEPS, _HALVINGS = 60, 6
_SAME = 1e-13
"""Share of a distance by which a step has to lead nearer."""


def residual_kernel(unknowns: Unknowns, at: Met, sizes: np.ndarray) -> np.ndarray:
    """Orthonormal basis (k, d), of free places in their sizes, along which the residual stays."""
    free = unknowns.free
    # Derivatives by parameters are differences, good to half their digits.
    threshold = INDEPENDENT if set(unknowns.parameters) - set(unknowns.still) else KERNEL
    return kernel(unknowns.slopes(at.z) * sizes[free] / at.rows[:, None], threshold)


def nearest_rest(unknowns: Unknowns, at: Met, guess: np.ndarray) -> Met:
    """A point of rest whose states and parameters are as near to the guess as steps lead from another."""
    inputs = set(unknowns.with_inputs_alone().free)
    return _closest_rest(unknowns, at, guess, [i for i in unknowns.free if i not in inputs])


def least_inputs(unknowns: Unknowns, at: Met) -> Met:
    """The inputs of least size that hold the states of a point of rest."""
    alone = unknowns.with_inputs_alone()
    return _closest_rest(alone, at, np.zeros(len(at.z)), alone.free)


def idle_directions(unknowns: Unknowns, at: Met) -> tuple[dict[str, float], ...]:
    """Directions of free inputs in which the point stays one of rest: by label, the largest entry one.

    They are told in steps: each has an input that no other has.
    """
    alone = unknowns.with_inputs_alone()
    free, sizes = alone.free, alone.distances(at.z, at.scales)
    rows = residual_kernel(alone, at, sizes).T
    found = []
    for row in _echelon_rows(rows):
        values = row * sizes[free]
        values = values / values[np.argmax(np.abs(values))]
        named = zip((alone.labels[i] for i in free), values.tolist(), strict=True)
        found.append({label: round(v, 12) for label, v in named if abs(v) > CONVERGED})
    return tuple(found)


def _echelon_rows(rows: np.ndarray) -> np.ndarray:
    """Rows of the same span, each with an entry of one where the others have none."""
    from scipy.linalg import qr

    if not len(rows):
        return rows
    _, _, order = qr(rows, mode="economic", pivoting=True)
    return np.linalg.solve(rows[:, order[: len(rows)]], rows)


def _closest_rest(unknowns: Unknowns, at: Met, towards: np.ndarray, places: Sequence[int]) -> Met:
    """Points of rest whose places come nearer to others, while they do."""
    free, sizes = unknowns.free, unknowns.distances(at.z, at.scales)
    counted = [free.index(i) for i in places]

    def distance(met: Met) -> float:
        return float(np.linalg.norm(((met.z - towards) / sizes)[list(places)]))

    for _ in range(_STEPS):
        if not counted or not (before := distance(at)):
            break
        N = residual_kernel(unknowns, at, sizes)
        if not N.shape[1]:
            break
        wanted = ((towards - at.z) / sizes)[list(places)]
        step = sizes[free] * (N @ np.linalg.lstsq(N[counted], wanted, rcond=KERNEL)[0])
        nearer = _rest_after(unknowns, at, step, lambda met: distance(met) < before * (1 - _SAME))
        if nearer is None:
            break
        at = nearer
    return at


def _rest_after(
    unknowns: Unknowns, at: Met, step: np.ndarray, is_nearer: Callable[[Met], bool]
) -> Met | None:
    """The point of rest next to a step's end, the step halved until it is nearer; None where it never is."""
    for halving in range(_HALVINGS):
        z = at.z.copy()
        z[unknowns.free] += step / 2**halving
        search = RestSearch(unknowns, z)
        met = search.rest_point()
        if met.measure <= CONVERGED and is_nearer(met):
            return met
    return None
