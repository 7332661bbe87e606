"""`integrate`: variational and Runge-Kutta steps of fixed size on rotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from geoctrl.manifolds.stepping import take_steps
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
    progress: bool | Callable[[float], object] = False,
) -> RotationTrajectory:
    r"""Take steps of fixed size.

    Parameters
    ----------
    system : RotationSystem
    R0 : array (n, 3, 3)
        Attitudes, body to reference; (3, 3) will do for one body.
    Omega0 : array (n, 3)
        Angular velocities in body components (rad/s); (3,) will do for one body.
    h : float
        Step (s).
    steps : int
    method : {"variational", "rk2", "heun", "rk4"}
        One of `METHODS`. "variational" is the Lie group variational method (`geoctrl.stepping.apart`):
        symplectic, keeps momentum maps and, to rounding, rotations. "rk2" (midpoint), "heun" and
        "rk4" are explicit Runge-Kutta methods on :math:`(R, \Omega)`.
    order : {2, 4, 6, 8}
        Above 2 by symmetric composition of variational steps (`geoctrl.stepping.composition`).
    record : int
        Keep every ``record``-th step.
    params : dict, optional
    inputs : array (m,), dict, callable or (times, (m, nt)), optional
        Constant, expressions by label, a function f(t) or f(t, x, params), or linear between samples and
        constant beyond them; zero by default.
    threads : int
        Threads that share the sums over all pairs of bodies, if these are many. They are divided into blocks
        that depend on the number of bodies alone: runs have the same digits with any number of threads.
    throw : bool
        Raise where a step cannot be taken; else return the part done, with its ``status``.
    progress : bool or callable
        True shows a line on stderr if that is a terminal; a callable is told the fraction done.

    Returns
    -------
    RotationTrajectory
        With samples at steps 0, record, 2 record, ...

    Raises
    ------
    ConvergenceError
        If a step cannot be taken, naming step, time and residual; ``.trajectory`` is the part done.
    ConstraintError
        If attitudes miss being rotations by more than 1e-3; from 1e-12 on they are projected with a
        `ProjectionWarning`.
    InputError, TypeError
        For any other bad argument.
    KeyboardInterrupt
        When interrupted; ``.trajectory`` is the part done.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> body = gc.rotations.free_body([1.0, 2.0, 2.5])
    >>> r = gc.rotations.integrate(body, np.eye(3), [0.1, 2.0, 0.1], h=0.01, steps=1000)
    >>> bool(abs(r.momentum - r.momentum[0]).max() < 1e-13), bool(r.orthogonality_error.max() < 1e-13)
    (True, True)
    """
    return take_steps(
        system,
        (R0, Omega0),
        h,
        steps,
        kind=RotationSystem,
        method=method,
        order=order,
        record=record,
        params=params,
        inputs=inputs,
        threads=threads,
        throw=throw,
        progress=progress,
    )
