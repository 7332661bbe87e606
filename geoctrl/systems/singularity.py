"""Where equations of motion are singular: a frame, constraint rows or the mass matrix lose rank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geoctrl._scalars import Program
from geoctrl.errors import ConstraintError, FrameError, ParameterError, SingularMassError
from geoctrl.systems.recorded import Recorded
from geoctrl.systems.tolerances import NEARLY, SINGULAR_FRAME, SINGULAR_MASS

__all__ = ["breaks_down", "find_singularity", "require_rank", "require_regular"]


def _program(system: Recorded) -> Program:
    """Entries of the bordered mass matrix, of the frame, and the pivots."""
    a = system.assembly

    if "singularity" not in system.cache:
        frame = a.restrict([a.configuration(e) for e in system.frame.matrix])
        nodes = [*(e for row in a.bordered for e in row), *frame]
        system.cache["singularity"] = system.program([*nodes, *a.pivots])
    return system.cache["singularity"]


def _conditions(
    system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]
) -> tuple[float, float, float, float]:
    """Reciprocal condition and least relative pivot of the bordered mass matrix; conditions of rows and E."""
    a = system.assembly
    k, size, (rows, columns) = len(a.velocity), len(a.bordered), system.frame.matrix.shape
    arguments = [*x.tolist(), t, *[0.0] * system.ninputs]
    # Pivots after one that vanishes come out infinite or nan: counted as zero below.
    values = _program(system)(arguments, params)
    flat, frame, pivots = np.split(values, [size**2, size**2 + rows * columns])
    bordered = flat.reshape(size, size)
    pivots = np.where(np.isfinite(pivots), np.abs(pivots), 0.0)
    return (
        _inverse_condition(bordered),
        float(pivots.min(initial=np.inf) / max(np.abs(flat).max(initial=0.0), 1e-300)) if k else 1.0,
        _inverse_condition(bordered[k:, :k]) if size > k else 1.0,
        _inverse_condition(frame.reshape(rows, columns), 1.0) if system.mechanism.frame is not None else 1.0,
    )


def _inverse_condition(matrix: np.ndarray, least: float = 1e-300) -> float:
    """Smallest singular value over the largest, which counts as `least` where it is less."""
    if not np.isfinite(matrix).all():
        return 0.0
    s = np.linalg.svd(matrix, compute_uv=False)
    return float(s[-1] / max(s[0], least)) if s.size else 1.0


def _named(system: Recorded, x: np.ndarray) -> str:
    return ", ".join(f"{k} = {v:.6g}" for k, v in zip(system.state_labels, x, strict=True))


def require_regular(
    system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float], place: str
) -> None:
    """Refuse a point x at which the accelerations are not determined; ``place`` names it in the message.

    Raises
    ------
    FrameError
        Where the frame is singular.
    ConstraintError
        Where constraint rows that multipliers keep are dependent.
    SingularMassError
        Where the mass matrix is singular at these parameters.
    ParameterError
        Where the equations cannot be evaluated at these parameters.
    """
    try:
        condition, pivot, rows, frame = _conditions(system, t, x, params)
    except (ArithmeticError, ValueError) as error:
        raise ParameterError(
            f"the equations cannot be evaluated at {place} with params {dict(params)}: {error}; check their "
            "values"
        ) from None
    if not _singular(condition, pivot, rows, frame):
        return
    where = f"at {place} ({_named(system, x)})"
    if frame < SINGULAR_FRAME:
        raise FrameError(
            f"the frame is singular {where}: smallest singular value {frame:.2e}; take another point, "
            "another frame, or frame=None"
        )
    if rows < SINGULAR_MASS:
        raise ConstraintError(
            f"the constraint rows are dependent {where}: condition number {_inverse(rows)}; take another "
            "point or leave a row out"
        )
    raise SingularMassError(
        f"the mass matrix is singular {where} with params {dict(params)}: condition number "
        f"{_inverse(condition)}, smallest pivot {pivot:.3g} of the largest entry; change the "
        "parameters or the point"
    )


def require_rank(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> None:
    """Refuse a point at which the rows that a user's frame solves lose rank.

    The frame goes on there, but the mechanism does not: where a row vanishes it constrains nothing, and what
    the equations in the frame say of stability holds for other motions than those of the mechanism.

    Raises
    ------
    ConstraintError
        If they do.
    """
    a, mechanism = system.assembly, system.mechanism
    if mechanism.frame is None or mechanism.constraints is None:
        return
    if "rows of the frame" not in system.cache:
        nodes = a.restrict([a.configuration(e) for e in mechanism.constraints])
        system.cache["rows of the frame"] = system.program(nodes)
    values = system.cache["rows of the frame"](system.arguments_at(0.0, x, None), params)
    condition = _inverse_condition(np.reshape(values, mechanism.constraints.shape))
    if condition < SINGULAR_MASS:
        raise ConstraintError(
            f"the constraint rows lose rank at this point ({_named(system, x)}): condition number "
            f"{_inverse(condition)}. The frame given hides it: there the constraints allow more velocities; "
            "take another point, or other rows"
        )


def _singular(condition: float, pivot: float, rows: float, frame: float) -> bool:
    return frame < SINGULAR_FRAME or min(condition, pivot, rows) < SINGULAR_MASS


def breaks_down(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether no run could be started here: frame, mass matrix or constraint rows are singular."""
    try:
        return _singular(*_conditions(system, t, x, params))
    except (ArithmeticError, ValueError):
        return True


def _inverse(value: float) -> str:
    return f"{1 / value:.2e}" if value else "infinite"


def find_singularity(system: Recorded, t: float, x: np.ndarray, params: Mapping[str, float]) -> str:
    """Words about a frame or mass matrix close to singular at the last good state, or ""."""
    try:
        condition, pivot, rows, frame = _conditions(system, t, x, params)
    except (ArithmeticError, ValueError):
        return ""
    if frame**2 < NEARLY:  # the mass matrix E^T G E holds the frame twice
        return (
            f"the frame becomes singular (smallest singular value {frame:.2e}); take another frame, or "
            "frame=None"
        )
    if rows < NEARLY:
        return f"the constraint rows become dependent (condition number {_inverse(rows)})"
    if min(condition, pivot) < NEARLY:
        return (
            f"the mass matrix becomes singular (condition number {_inverse(condition)}, smallest pivot "
            f"{pivot:.2e} of the largest entry)"
        )
    return ""
