"""Checks of a start before any work, and what can be said of the state where a run broke off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from geoctrl.errors import ConstraintError, FrameError, InputError, ParameterError, SingularMassError
from geoctrl.simulation.problem import workspace
from geoctrl.systems.projection import check_initial_state

if TYPE_CHECKING:
    from geoctrl._scalars import Program
    from geoctrl.systems import ReducedSystem

__all__ = ["breaks_down", "check_start", "find_singularity", "read_tolerance"]

_SINGULAR_FRAME = 1e-10
_SINGULAR_MASS = 1e-13
_NEARLY = 1e-5
"""Reciprocal condition number below which a run that broke off is put down to a singularity."""


def read_tolerance(rtol: float | None) -> float | None:
    """``rtol`` as a float between 0 and 1, or None."""
    if rtol is None:
        return None
    try:
        value = float(rtol)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0.0 < value < 1.0:
        raise InputError(f"rtol must lie between 0 and 1, got {rtol!r}")
    return value


def _program(system: ReducedSystem) -> Program:
    """Entries of the bordered mass matrix, of the frame, and the pivots."""
    a = system.assembly

    def make() -> Program:
        frame = a.restrict([a.configuration(e) for e in system.frame.matrix])
        nodes = [*(e for row in a.bordered for e in row), *frame]
        return system.program([*nodes, *a.pivots])

    return workspace(system).get("start", make)


def _conditions(
    system: ReducedSystem, t: float, x: np.ndarray, params: Mapping[str, float]
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


def _named(system: ReducedSystem, x: np.ndarray) -> str:
    return ", ".join(f"{k} = {v:.6g}" for k, v in zip(system.state_labels, x, strict=True))


def check_start(system: ReducedSystem, t: float, x0, params: Mapping[str, float]) -> np.ndarray:
    """The initial state, checked together with frame, mass matrix and constraint rows there.

    Raises
    ------
    InputError, ConstraintError
        As `geoctrl.systems.projection.check_initial_state`; also where constraint rows are dependent.
    FrameError
        Where the frame is singular.
    SingularMassError
        Where the mass matrix is singular at these parameters.
    ParameterError
        Where the equations cannot be evaluated at these parameters.
    """
    x = check_initial_state(system, x0, params)
    try:
        condition, pivot, rows, frame = _conditions(system, t, x, params)
    except (ArithmeticError, ValueError) as error:
        raise ParameterError(
            f"the equations cannot be evaluated at x0 with params {dict(params)}: {error}; check their values"
        ) from error
    if not _singular(condition, pivot, rows, frame):
        return x
    where = f"at x0 ({_named(system, x)})"
    if frame < _SINGULAR_FRAME:
        raise FrameError(
            f"the frame is singular {where}: smallest singular value {frame:.2e}; start elsewhere, use "
            "another frame, or frame=None"
        )
    if rows < _SINGULAR_MASS:
        raise ConstraintError(
            f"the constraint rows are dependent {where}: condition number {_inverse(rows)}; start "
            "elsewhere or leave a row out"
        )
    raise SingularMassError(
        f"the mass matrix is singular {where} with params {dict(params)}: condition number "
        f"{_inverse(condition)}, smallest pivot {pivot:.3g} of the largest entry; change the "
        "parameters or the initial state"
    )


def _singular(condition: float, pivot: float, rows: float, frame: float) -> bool:
    return frame < _SINGULAR_FRAME or min(condition, pivot, rows) < _SINGULAR_MASS


def breaks_down(system: ReducedSystem, t: float, x: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether no run could be started here: frame, mass matrix or constraint rows are singular."""
    try:
        return _singular(*_conditions(system, t, x, params))
    except (ArithmeticError, ValueError):
        return True


def _inverse(value: float) -> str:
    return f"{1 / value:.2e}" if value else "infinite"


def find_singularity(system: ReducedSystem, t: float, x: np.ndarray, params: Mapping[str, float]) -> str:
    """Words about a frame or mass matrix close to singular at the last good state, or ""."""
    try:
        condition, pivot, rows, frame = _conditions(system, t, x, params)
    except (ArithmeticError, ValueError):
        return ""
    if frame**2 < _NEARLY:  # the mass matrix E^T G E holds the frame twice
        return (
            f"the frame becomes singular (smallest singular value {frame:.2e}); take another frame, or "
            "frame=None"
        )
    if rows < _NEARLY:
        return f"the constraint rows become dependent (condition number {_inverse(rows)})"
    if min(condition, pivot) < _NEARLY:
        return (
            f"the mass matrix becomes singular (condition number {_inverse(condition)}, smallest pivot "
            f"{pivot:.2e} of the largest entry)"
        )
    return ""
