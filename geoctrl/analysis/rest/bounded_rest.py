r"""Points of rest within bounds: which bounds are met, by least squares under inequalities.

About a point of rest, z + N a with :math:`J N = 0`, the least :math:`|E a - w|` with :math:`G a \le h` is a
problem of least distance, solved by non-negative least squares (C. L. Lawson, R. J. Hanson, Solving Least
Squares Problems, 1974, chapter 23). Places that meet their bounds there are held at them, and the search is
made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from geoctrl.analysis.rest.nearest_rest import residual_kernel
from geoctrl.analysis.rest.rest_search import Met
from geoctrl.analysis.rest.unknowns import Unknowns
from geoctrl.errors import EquilibriumError
from geoctrl.systems.contract.tolerances import CONVERGED, UNIT

__all__ = ["bounded_rest"]

Bounds = Mapping[int, tuple[float, float]]

_SMALL = 1e-3
"""Weight of inputs beside states, whose distance comes first; it tells which bounds are met, no more."""


def bounded_rest(
    unknowns: Unknowns,
    at: Met,
    guess: np.ndarray,
    bounds: Bounds,
    solved: Callable[[Unknowns, np.ndarray], Met],
) -> tuple[Unknowns, Met]:
    """A point of rest within bounds, from one that may be outside, and what was left free.

    Parameters
    ----------
    bounds : place in z -> (low, high)
    solved : callable
        The search for a point of rest with some places held.

    Where there is none, the refusal names the bound that is missed by most.
    """
    first, sizes = at, unknowns.distances(at.z, at.scales)
    while _outside(at, bounds, sizes):
        z = _point_within(unknowns, at, guess, bounds, sizes)
        met = [] if z is None else _places_at_bounds(unknowns, z, bounds, sizes)
        if z is None or not met:
            raise _no_rest_within(unknowns, first, bounds, sizes)
        unknowns = unknowns.holding(met)
        at = solved(unknowns, z)
        if not at.measure <= CONVERGED:
            raise _no_rest_within(unknowns, first, bounds, sizes)
    return unknowns, at


def _outside(at: Met, bounds: Bounds, sizes: np.ndarray) -> dict[int, float]:
    """By how much places lie outside, in their sizes."""
    beyond = {i: max(low - at.z[i], at.z[i] - high) for i, (low, high) in bounds.items()}
    return {i: b / sizes[i] for i, b in beyond.items() if b > UNIT * max(abs(at.z[i]), sizes[i])}


def _places_at_bounds(unknowns: Unknowns, z: np.ndarray, bounds: Bounds, sizes: np.ndarray) -> list[int]:
    """Places that are still free and lie at a bound, put onto it."""
    found = []
    for i in set(unknowns.free) & set(bounds):
        nearest = min(bounds[i], key=lambda b: abs(z[i] - b))
        if abs(z[i] - nearest) <= CONVERGED**0.5 * sizes[i]:
            z[i] = nearest
            found.append(i)
    return found


def _point_within(
    unknowns: Unknowns, at: Met, guess: np.ndarray, bounds: Bounds, sizes: np.ndarray
) -> np.ndarray | None:
    """The point within bounds that is nearest, as far as slopes tell; None where there is none."""
    free = unknowns.free
    N, inputs = residual_kernel(unknowns, at, sizes), set(unknowns.with_inputs_alone().free)
    weight = np.array([_SMALL if i in inputs else 1.0 for i in free])
    towards = np.where([i in inputs for i in free], 0.0, guess[free])
    rows, right = [], []
    for place, (low, high) in bounds.items():
        if place in free:
            row = N[free.index(place)]
            for sign, bound in ((1.0, high), (-1.0, low)):
                if np.isfinite(bound):
                    rows.append(sign * row)
                    right.append(sign * (bound - at.z[place]) / sizes[place])
    a = _least_squares_below(
        weight[:, None] * N, weight * (towards - at.z[free]) / sizes[free], np.array(rows), np.array(right)
    )
    if a is None:
        return None
    z = at.z.copy()
    z[free] += sizes[free] * (N @ a)
    return z


def _least_squares_below(E: np.ndarray, w: np.ndarray, G: np.ndarray, h: np.ndarray) -> np.ndarray | None:
    """The a of least |E a - w| with G a <= h, E of full rank; None where no a is below.

    Examples
    --------
    >>> _least_squares_below(np.eye(2), np.array([2.0, 0.0]), np.array([[1.0, 1.0]]), np.array([1.0]))
    array([ 1.5, -0.5])
    """
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    Q, R = np.linalg.qr(E)
    middle = Q.T @ w
    # With y = R a - Q^T w: the least |y| where -G R^-1 y >= G R^-1 Q^T w - h.
    across = -solve_triangular(R, G.T, trans="T").T
    least = -across @ middle - h
    matrix, end = np.vstack([across.T, least]), np.append(np.zeros(len(R)), 1.0)
    r = matrix @ nnls(matrix, end)[0] - end
    if np.linalg.norm(r) <= CONVERGED:
        return None
    return solve_triangular(R, middle - r[:-1] / r[-1])


def _no_rest_within(unknowns: Unknowns, first: Met, bounds: Bounds, sizes: np.ndarray) -> EquilibriumError:
    outside = _outside(first, bounds, sizes)
    worst = max(outside, key=lambda i: outside[i])
    low, high = bounds[worst]
    return EquilibriumError(
        f"no equilibrium within bounds: with least inputs {unknowns.labels[worst]} = {first.z[worst]:.6g} "
        f"lies outside [{low:g}, {high:g}]; widen the bounds, or free more"
    )
