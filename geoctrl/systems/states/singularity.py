"""Where equations of motion are singular: a frame, constraint rows or the mass matrix lose rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np

from geoctrl._scalars import Node
from geoctrl.errors import ConstraintError, FrameError, ParameterError, SingularMassError
from geoctrl.systems.contract.scales import (
    condition_of,
    equilibration,
    inverse_condition,
    shares,
    symmetric_scaling,
)
from geoctrl.systems.contract.tolerances import NEARLY, SINGULAR_FRAME, SINGULAR_MASS
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.sizes_at_points import Pair, SizedProgram, sized_program

__all__ = [
    "CLEARLY",
    "Conditions",
    "breaks_down",
    "conditions",
    "find_singularity",
    "is_regular_at",
    "require_rank",
    "require_regular",
    "singular_matrices",
]

CLEARLY = 1e-4
"""Reciprocal condition above which a bound of it says enough: far above what rounding makes of the bound."""

_NAMED = 0.1
"""Share of a direction from which on a velocity is named."""


class Conditions(NamedTuple):
    """How far from singular a system is at a state: reciprocal conditions, one where nothing can be singular.

    Attributes
    ----------
    mass : float
        Of the mass matrix, bordered by the constraint rows.
    pivot : float
        The least part that a pivot of its elimination is of its terms.
    rows : float
        Of the constraint rows that multipliers keep.
    frame : float
        Of the frame.
    along : tuple of str
        Velocities along which there is the least inertia.
    """

    mass: float
    pivot: float
    rows: float
    frame: float
    along: tuple[str, ...]

    @property
    def singular(self) -> bool:
        """Whether accelerations are not determined."""
        return self.frame < SINGULAR_FRAME or min(self.mass, self.pivot, self.rows) < SINGULAR_MASS


def conditions(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> Conditions:
    """Conditions at a state (n,), in units in which the *terms* of entries have the size one.

    What vanishes because terms cancel, or with the sine of an angle, stays small in these units; what is
    small as one of two masses is beside the other does not.
    """
    return _conditions(system, _matrices(system, t, x, params))


class _Matrices(NamedTuple):
    """What may be singular at a state, each with the sizes of the terms of its entries."""

    bordered: Pair
    frame: Pair
    """No row where the mechanism does not give its frame."""
    pivots: Pair


def _matrices(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> _Matrices:
    return _cut(system, *_program(system)(t, x, params))


def singular_matrices(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, Any]) -> Sequence[Pair]:
    """Bordered mass matrices, frames and pivots at states (n, N), (..., N) each, with their sizes."""
    return _cut(system, *_program(system).at_members(t, x, params))


def _program(system: Recorded) -> SizedProgram:
    return sized_program(system, "singularity", lambda: _entries(system))


def _cut(system: Recorded, values: np.ndarray, sizes: np.ndarray) -> _Matrices:
    """Entries (k, ...) as matrices."""
    a, given = system.assembly, system.mechanism.frame is not None
    n, shape = len(a.velocity) + len(a.rows), system.frame.matrix.shape if given else (0, 0)
    first = n * n
    second = first + shape[0] * shape[1]
    several = values.shape[1:]

    def part(low: int, high: int | None, *of: int) -> Pair:
        return tuple(v[low:high].reshape(*of, *several) for v in (values, sizes))  # type: ignore[return-value]

    of_pivots = sizes[second:]
    if a.pivot_places is not None:
        # Along a tree the sizes of terms add up to far more than rounding makes of them. A pivot is what is
        # left of a diagonal entry when terms that are not negative are taken from it.
        of_pivots = sizes[[i * n + i for i in a.pivot_places]]
    return _Matrices(part(0, first, n, n), part(first, second, *shape), (values[second:], of_pivots))


def _entries(system: Recorded) -> list[Node]:
    """Entries of the bordered mass matrix and of a frame that is given, and the pivots."""
    a, given = system.assembly, system.mechanism.frame is not None
    frame = a.restrict([a.configuration(e) for e in system.frame.matrix]) if given else []
    return [*(e for row in a.bordered_matrix for e in row), *frame, *a.pivots]


def _conditions(system: Recorded, at: _Matrices) -> Conditions:
    (bordered, of_bordered), frame, (pivots, of_pivots) = at
    k = len(system.assembly.velocity)
    unit = symmetric_scaling(of_bordered)
    mass, direction = inverse_condition(bordered * unit * unit[:, None])
    # Pivots after one that vanishes come out infinite or nan.
    parts = np.where(np.isfinite(pivots), shares(pivots, of_pivots), 0.0)
    share = np.abs(direction[:k])
    named = [node.payload for node, s in zip(system.assembly.velocity, share, strict=True) if s > _NAMED]
    return Conditions(
        mass,
        float(np.min(parts, initial=1.0)),
        condition_of(bordered[k:, :k], of_bordered[k:, :k]) if len(bordered) > k else 1.0,
        condition_of(*frame) if frame[0].size else 1.0,
        tuple(named),
    )


def _clearly_regular(system: Recorded, at: _Matrices) -> bool:
    """Whether nothing is near to singular, by tests of a third of the cost: true at most starts of runs.

    With the same units as `_conditions`, and bounds of what is judged there.
    """
    (bordered, of_bordered), (frame, of_frame), (pivots, of_pivots) = at
    k = len(system.assembly.velocity)
    parts = zip(pivots.tolist(), of_pivots.tolist(), strict=True)
    if not all(CLEARLY * size < abs(pivot) < inf for pivot, size in parts):
        return False
    unit = symmetric_scaling(of_bordered)
    if not _least_condition(bordered * unit * unit[:, None]) > CLEARLY:
        return False
    if len(bordered) > k and not _least_condition_of(bordered[k:, :k], of_bordered[k:, :k]) > CLEARLY:
        return False
    return not frame.size or _least_condition_of(frame, of_frame) > CLEARLY


def _least_condition(matrix: np.ndarray) -> float:
    r"""A lower bound of `inverse_condition`, by the volume of a matrix A (m, k), or its transpose.

    The volume :math:`\sqrt{\det A^T A}` is the product of the k singular values. The largest is at most the
    norm :math:`|A|_F`, and the product of all but the least at most :math:`(|A|_F^2/(k-1))^{(k-1)/2}`.
    """
    if not matrix.size:
        return 1.0
    gram = matrix.T @ matrix if len(matrix) >= len(matrix[0]) else matrix @ matrix.T
    sign, volume = np.linalg.slogdet(gram)
    square, others = sum(gram.diagonal().tolist()), len(gram) - 1
    if not (sign > 0 and 0 < square < inf):
        return 0.0
    return exp(0.5 * (float(volume) - log(square) - others * log(square / max(others, 1))))


def _least_condition_of(matrix: np.ndarray, sizes: np.ndarray) -> float:
    """The same of `condition_of`."""
    units = _equilibration(sizes.tobytes(), sizes.shape)
    if units is None:
        return 0.0
    scaled = units[0][:, None] * matrix * units[1]
    return _least_condition(scaled) * min(float(np.abs(scaled).max()), 1.0)


@lru_cache(maxsize=256)
def _equilibration(sizes: bytes, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray] | None:
    """As `equilibration`, None where a size is no number. Sizes of unit vectors are those of all of them."""
    found = np.frombuffer(sizes).reshape(shape)
    return equilibration(found) if np.isfinite(found).all() else None


def _state_text(system: Recorded, x: np.ndarray) -> str:
    return ", ".join(f"{k} = {v:.6g}" for k, v in zip(system.state_labels, x, strict=True))


def require_regular(
    system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float], place: str
) -> None:
    """Refuse a point x at which the accelerations are not determined; ``place`` names it in the message.

    The last point that passed is kept: a start is asked about again where it is run again.
    """
    asked = t, x.tobytes(), tuple(params.items())
    if system.cache.get("regular") == asked:
        return
    found = _conditions_in_doubt(system, t, x, params)
    if isinstance(found, Exception):
        raise ParameterError(
            f"the equations cannot be evaluated at {place} with params {dict(params)}: {found}; check their "
            "values"
        ) from None
    if found is None or not found.singular:
        system.cache["regular"] = asked
        return
    where = f"at {place} ({_state_text(system, x)})"
    if found.frame < SINGULAR_FRAME:
        raise FrameError(
            f"the frame is singular {where}: smallest singular value {found.frame:.2e} of the largest; take "
            "another point, another frame, or frame=None"
        )
    if found.rows < SINGULAR_MASS:
        raise ConstraintError(
            f"the constraint rows are dependent {where}: condition number {_inverse(found.rows)}; take "
            "another point or leave a row out"
        )
    along = f", no inertia along {', '.join(found.along)}" if found.along else ""
    raise SingularMassError(
        f"the mass matrix is singular {where} with params {dict(params)}: condition number "
        f"{_inverse(found.mass)}, smallest pivot {found.pivot:.3g} of its terms{along}; change the "
        "parameters or the point",
        key="mass-singular",
    )


def _conditions_in_doubt(
    system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]
) -> Conditions | ArithmeticError | ValueError | None:
    """None where nothing is near to singular, else the conditions, or why the equations have no values."""
    try:
        at = _matrices(system, t, x, params)
        with np.errstate(all="ignore"):
            clear = _clearly_regular(system, at)
        return None if clear else _conditions(system, at)
    except (ArithmeticError, ValueError) as error:
        return error


def require_rank(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> None:
    """Refuse a point at which the rows that a user's frame solves lose rank.

    The frame goes on there, but the mechanism does not: where a row vanishes it constrains nothing, and what
    the equations in the frame say of stability holds for other motions than those of the mechanism.
    """
    a, mechanism = system.assembly, system.mechanism
    if mechanism.frame is None or mechanism.constraints is None:
        return
    program = sized_program(
        system, "rows of the frame", lambda: a.restrict([a.configuration(e) for e in mechanism.constraints])
    )
    rows, sizes = (v.reshape(mechanism.constraints.shape) for v in program(0.0, x, params))
    with np.errstate(all="ignore"):
        clear = _least_condition_of(rows, sizes) > CLEARLY
    if not clear and (condition := condition_of(rows, sizes)) < SINGULAR_MASS:
        raise ConstraintError(
            f"the constraint rows lose rank at this point ({_state_text(system, x)}): condition number "
            f"{_inverse(condition)}. The frame given hides it: there the constraints allow more velocities; "
            "take another point, or other rows"
        )


def breaks_down(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether no run could be started here: frame, mass matrix or constraint rows are singular."""
    found = _conditions_in_doubt(system, t, x, params)
    return isinstance(found, Exception) or (found is not None and found.singular)


def is_regular_at(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether frame, rows and mass matrix are regular at a state (n,), at a full set of parameters."""
    return not breaks_down(system, 0.0, x, params)


def _inverse(value: float) -> str:
    return f"{1 / value:.2e}" if value else "infinite"


def find_singularity(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> str:
    """Words about a frame or mass matrix close to singular at the last good state, or ""."""
    try:
        found = conditions(system, t, x, params)
    except (ArithmeticError, ValueError):
        return ""
    if found.frame**2 < NEARLY:  # the mass matrix E^T G E holds the frame twice
        return (
            f"the frame becomes singular (smallest singular value {found.frame:.2e} of the largest); take "
            "another frame, or frame=None"
        )
    if found.rows < NEARLY:
        return f"the constraint rows become dependent (condition number {_inverse(found.rows)})"
    if min(found.mass, found.pivot) < NEARLY:
        return (
            f"the mass matrix becomes singular (condition number {_inverse(found.mass)}, smallest pivot "
            f"{found.pivot:.2e} of its terms)"
        )
    return ""
