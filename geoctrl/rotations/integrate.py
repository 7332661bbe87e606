"""`integrate`: variational and Runge-Kutta steps of fixed size on rotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from geoctrl.manifolds.integrate import integrate as take_steps
from geoctrl.manifolds.integrate import require_kind
from geoctrl.rotations.system import RotationSystem
from geoctrl.rotations.trajectory import RotationTrajectory

__all__ = ["integrate"]


def integrate(
    system: RotationSystem,
    R0: Any,
    Omega0: Any,
    h: float,
    steps: int,
    method: str = "variational",
    order: int = 2,
    record: int = 1,
    params: Mapping[str, float] | None = None,
    inputs: Any = None,
    threads: int = 1,
    throw: bool = True,
    progress: bool | Callable[..., object] = False,
    *,
    seconds: float | None = None,
) -> RotationTrajectory:
    """Take steps of fixed size: `geoctrl.manifolds.integrate` of a start in two arrays.

    Parameters
    ----------
    system : RotationSystem
    R0 : array (n, 3, 3)
        Attitudes, body to reference; (3, 3) will do for one body.
    Omega0 : array (n, 3)
        Angular velocities in body components (rad/s); (3,) will do for one body.
    h, steps, method, order, record, params, inputs, threads, throw, progress, seconds
        As there.

    Returns
    -------
    RotationTrajectory
        With samples at steps 0, record, 2 record, ...

    Raises
    ------
    ConvergenceError, ConstraintError, InputError, TypeError, KeyboardInterrupt
        As there.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> body = gc.rotations.free_body([1.0, 2.0, 2.5])
    >>> r = gc.rotations.integrate(body, np.eye(3), [0.1, 2.0, 0.1], h=0.01, steps=1000)
    >>> bool(abs(r.momentum - r.momentum[0]).max() < 1e-13), bool(r.orthogonality_error.max() < 1e-13)
    (True, True)
    """
    require_kind(system, RotationSystem)
    given = (method, order, record, params, inputs, False, threads, throw, progress)
    run: Any = take_steps(system, (R0, Omega0), h, steps, *given, seconds=seconds)
    return run
