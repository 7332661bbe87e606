"""Where equations of motion are singular: a frame, constraint rows or the mass matrix lose rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from geoctrl._scalars import Node
from geoctrl.errors import ConstraintError, FrameError, ParameterError, SingularMassError
from geoctrl.systems.contract.scales import condition_of, inverse_condition, shares, symmetric_scaling
from geoctrl.systems.contract.tolerances import NEARLY, SINGULAR_FRAME, SINGULAR_MASS
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.sizes_at_points import sized_program

__all__ = [
    "Conditions",
    "breaks_down",
    "conditions",
    "find_singularity",
    "is_regular_at",
    "require_rank",
    "require_regular",
]

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
    a = system.assembly
    k, size, shape = len(a.velocity), len(a.bordered_matrix), system.frame.matrix.shape
    program = sized_program(system, "singularity", lambda: [*_entries(system), *a.pivots])
    values, sizes = program(t, x, params)
    cuts = [size**2, size**2 + shape[0] * shape[1]]
    (flat, frame, pivots), (flat_sizes, frame_sizes, pivot_sizes) = (
        np.split(values, cuts),
        np.split(sizes, cuts),
    )
    bordered, of_bordered = flat.reshape(size, size), flat_sizes.reshape(size, size)
    unit = symmetric_scaling(of_bordered)
    mass, direction = inverse_condition(bordered * unit * unit[:, None])
    # Pivots after one that vanishes come out infinite or nan.
    parts = np.where(np.isfinite(pivots), shares(pivots, pivot_sizes), 0.0)
    share = np.abs(direction[:k])
    named = [node.payload for node, s in zip(a.velocity, share, strict=True) if s > _NAMED]
    given = system.mechanism.frame is not None
    return Conditions(
        mass,
        float(np.min(parts, initial=1.0)),
        condition_of(bordered[k:, :k], of_bordered[k:, :k]) if size > k else 1.0,
        condition_of(frame.reshape(shape), frame_sizes.reshape(shape)) if given else 1.0,
        tuple(named),
    )


def _entries(system: Recorded) -> list[Node]:
    """Entries of the bordered mass matrix and of the frame."""
    a = system.assembly
    frame = a.restrict([a.configuration(e) for e in system.frame.matrix])
    return [*(e for row in a.bordered_matrix for e in row), *frame]


def _state_text(system: Recorded, x: np.ndarray) -> str:
    return ", ".join(f"{k} = {v:.6g}" for k, v in zip(system.state_labels, x, strict=True))


def require_regular(
    system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float], place: str
) -> None:
    """Refuse a point x at which the accelerations are not determined; ``place`` names it in the message."""
    found = _conditions_or_error(system, t, x, params)
    if isinstance(found, Exception):
        raise ParameterError(
            f"the equations cannot be evaluated at {place} with params {dict(params)}: {found}; check their "
            "values"
        ) from None
    if not found.singular:
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
        "parameters or the point"
    )


def _conditions_or_error(
    system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]
) -> Conditions | ArithmeticError | ValueError:
    """The conditions, or why the equations have no values."""
    try:
        return conditions(system, t, x, params)
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
    condition = condition_of(*(v.reshape(mechanism.constraints.shape) for v in program(0.0, x, params)))
    if condition < SINGULAR_MASS:
        raise ConstraintError(
            f"the constraint rows lose rank at this point ({_state_text(system, x)}): condition number "
            f"{_inverse(condition)}. The frame given hides it: there the constraints allow more velocities; "
            "take another point, or other rows"
        )


def breaks_down(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether no run could be started here: frame, mass matrix or constraint rows are singular."""
    found = _conditions_or_error(system, t, x, params)
    return isinstance(found, Exception) or found.singular


def is_regular_at(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether frame, rows and mass matrix are regular at a state (n,), at a full set of parameters."""
    return not breaks_down(system, 0.0, x, params)


def _inverse(value: float) -> str:
    return f"{1 / value:.2e}" if value else "infinite"


def find_singularity(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> str:
    """Words about a frame or mass matrix close to singular at the last good state, or ""."""
    found = _conditions_or_error(system, t, x, params)
    if isinstance(found, Exception):
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
