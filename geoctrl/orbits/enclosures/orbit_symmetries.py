"""Symmetries up to which an orbit closes: a matrix, or turns about the declared axis, angle unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, nearest, whole_number
from geoctrl._scalars import shown
from geoctrl.errors import DescriptionError, InputError, LabelError
from geoctrl.systems import System
from geoctrl.systems.promises.declared_symmetry import turn_matrix

__all__ = ["Closing", "closing", "whole_turns"]

_EQUIVARIANT = 1e-9
"""Difference of rates and relations, over their sizes, up to which a matrix counts as a symmetry."""
_STATES = 3
_TURNS = 10_000


class Closing:
    r"""S(phi) with :math:`x(T) = S\,x(0)`, and its derivative by phi.

    Attributes
    ----------
    turns : bool
        Whether phi is to be found.
    """

    def __init__(self, S: np.ndarray | None, system: Any) -> None:
        self._S, self._system, self.turns = S, system, S is None

    def __call__(self, angle: float) -> np.ndarray:
        """S (n, n) at an angle (rad)."""
        return turn_matrix(self._system, angle) if self._S is None else self._S

    def generator(self) -> np.ndarray:
        r"""A with :math:`S(\phi) = e^{\phi A}` (n, n): a turn by a quarter less its part along the axis."""
        quarter, half = (turn_matrix(self._system, angle) for angle in (np.pi / 2, np.pi))
        # S = 1 + sin(phi) A + (1 - cos phi) A^2 for A^3 = -A.
        return quarter - np.eye(len(half)) - (half - np.eye(len(half))) / 2


def closing(system: System, symmetry: Any, params: dict[str, float], period: float) -> Closing:
    """Read ``symmetry=`` of `find_periodic`; what holds the time is asked at some within a period."""
    n = system.nstates
    if symmetry is None:
        return Closing(np.eye(n), system)
    if isinstance(symmetry, str):
        if symmetry != "axis":
            raise InputError(f'symmetry must be None, an (n, n) matrix or "axis", got {shown(symmetry)}')
        found = Closing(None, system)
        _require_symmetry(system, found(1.0), params, period, "turns about the declared axis")
        return found
    S = finite_array("symmetry", symmetry, (n, n))
    if np.linalg.matrix_rank(S) < n:
        raise InputError("symmetry must be a matrix that has an inverse")
    _require_symmetry(system, S, params, period, "symmetry")
    return Closing(S, system)


def whole_turns(
    system: Any, winding: Any, params: dict[str, float], u: np.ndarray, period: float
) -> dict[int, int | None]:
    """Read ``winding=`` of `find_periodic`: places of angles with their turns, None where they are to be
    found; of angles that are not named only those in which the motion is the same after a turn.
    """
    labels = list(system.state_labels)
    angles = [c.name for c in system.mechanism.shape if c.angle and c.name in labels]
    same = [k for k in angles if _same_after_turn(system, labels.index(k), params, u, period)]
    if winding is None:
        return {labels.index(k): None for k in same}
    if not isinstance(winding, Mapping):
        raise TypeError(f'winding must be a mapping as {{"phi": 1}}, got {shown(winding)}')
    for k in winding:
        if k not in angles:
            raise LabelError(f"winding names no coordinate with angle=True: {k!r}{nearest(str(k), angles)}")
        if k not in same:
            raise LabelError(f"the motion is another after a whole turn of {k}")
    return {labels.index(k): whole_number("winding", count, -_TURNS, _TURNS) for k, count in winding.items()}


def _same_after_turn(system: Any, row: int, params: dict[str, float], u: np.ndarray, period: float) -> bool:
    """Whether rates, relations and gradients of what is conserved are the same, at random states of the leaf,
    after a whole turn.
    """
    rng, seen, inputs = np.random.default_rng(1), system.seen_from(None), u if u.size else None
    for _ in range(_STATES):
        x = system.random_state(rng, params)
        there = x.copy()
        there[row] += 2 * np.pi
        sizes = seen.scales(there, u, params)
        t = period * rng.random()
        rate = [system.rhs(t, s, inputs, params) for s in (x, there)]
        leaf = [np.ravel(system.leaf_residual(s, params)) for s in (x, there)]
        kept = [seen.conserved_gradients(s, u, params) for s in (x, there)]
        apart = [_largest(rate[1] - rate[0], sizes.field), _largest(leaf[1] - leaf[0], sizes.leaf)]
        for name, slope in kept[1].items():
            length = np.full(len(x), np.linalg.norm(slope * sizes.column))
            apart.append(_largest((slope - kept[0][name]) * sizes.column, length))
        if max(apart) > _EQUIVARIANT:
            return False
    return True


def _require_symmetry(system: Any, S: np.ndarray, params: dict[str, float], period: float, what: str) -> None:
    """Refuse a matrix that does not carry motions into motions, at random states of the leaf."""
    rng, seen, u = np.random.default_rng(1), system.seen_from(None), np.zeros(system.ninputs)
    for _ in range(_STATES):
        x = system.random_state(rng, params)
        there, t = S @ x, period * rng.random()
        sizes = seen.scales(there, u, params)
        defect = _largest(system.leaf_residual(there, params), sizes.leaf)
        apart = _largest(system.rhs(t, there, None, params) - S @ system.rhs(t, x, None, params), sizes.field)
        if max(defect, apart) > _EQUIVARIANT:
            raise (DescriptionError if what != "symmetry" else InputError)(
                f"{what}: the motion is not the same after it (rates differ by {apart:.3g} of their sizes, "
                f"the leaf is left by {defect:.3g}); take a matrix S with f(S x) = S f(x), or the system "
                "of sys.despun()"
            )


def _largest(values: np.ndarray, sizes: np.ndarray) -> float:
    """Largest of values over their sizes; of one without a size infinite unless it is zero."""
    known = np.where(sizes > 0, sizes, 1.0)
    ratios = np.where(sizes > 0, np.abs(values) / known, np.where(values == 0, 0.0, np.inf))
    return float(np.max(ratios, initial=0.0))
