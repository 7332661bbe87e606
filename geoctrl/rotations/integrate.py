"""`integrate`: variational and Runge-Kutta steps of fixed size on rotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, nearest
from geoctrl.rotations.attitudes import initial_values
from geoctrl.rotations.methods import METHODS
from geoctrl.rotations.system import RotationSystem
from geoctrl.rotations.trajectory import RotationTrajectory, conserved_names
from geoctrl.stepping import Progress, composition, concluded, record_steps, record_times, whole

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
    method : {"variational", "rk4"}
        One of `METHODS`. "variational" is the Lie group variational method (`geoctrl.rotations.stepper`):
        symplectic, keeps momentum maps and, to the rounding of products, rotations. "rk4" is the classical
        Runge-Kutta method on :math:`(R, \Omega)`.
    order : {2, 4, 6, 8}
        Above 2 by symmetric composition of variational steps (`geoctrl.stepping.composition`).
    record : int
        Keep every ``record``-th step.
    params : dict, optional
    inputs : array (m,), callable u(t) or (times, (m, nt)), optional
        Constant, a function of time, or linear between samples; zero by default.
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
    ValueError, TypeError
        For any other bad argument.
    KeyboardInterrupt
        When interrupted; ``.trajectory`` is the part done.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = gc.rotations.free_body([1.0, 2.0, 2.5])
    >>> r = gc.rotations.integrate(body, np.eye(3), [0.1, 2.0, 0.1], h=0.01, steps=1000)
    >>> bool(abs(r.momentum - r.momentum[0]).max() < 1e-13), bool(r.orthogonality_error.max() < 1e-13)
    (True, True)
    """
    if not isinstance(system, RotationSystem):
        raise TypeError(f"system must be a RotationSystem, got {type(system).__name__}")
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}{nearest(str(method), METHODS)}")
    variational = method == "variational"
    if not variational and order != 2:
        raise ValueError(f"order is chosen for method='variational' only; {method!r} has its own")
    h = float(finite_array("h", h, ()))
    if not h > 0:
        raise ValueError(f"h must be positive, got {h}")
    steps, record = whole("steps", steps), whole("record", record)
    report = Progress(progress, "integrate")
    values = system.parameters_at(params)
    R0, Omega0 = initial_values(system, R0, Omega0)
    run = system.run(params, inputs)
    conserved = conserved_names(system, values) if inputs is None else ()
    rows, n = 1 + steps // record, system.n
    attitudes, rates = np.empty((rows, 3 * n, 3)), np.empty((rows, n, 3))
    attitudes[0], rates[0] = R0.reshape(-1, 3), Omega0
    advance = _advance(run, R0, Omega0, h, method, order, record, attitudes, rates)
    outcome = record_steps(advance, steps, record, report)

    def part(status: str, success: bool) -> RotationTrajectory:
        done = outcome.records
        return RotationTrajectory(
            system,
            record_times(0.0, h, steps, record)[:done],
            attitudes[:done].reshape(done, n, 3, 3),
            rates[:done],
            params=values,
            engine=run.engine,
            status=status,
            success=success,
            iterations=outcome.iterations / max(1, outcome.steps),
            conserved=conserved,
        )

    return concluded(outcome, h, part, throw)


def _advance(run, R0, Omega0, h, method, order, record, attitudes, rates):
    loop, R, w = run.loop(method), R0.reshape(-1, 3).copy(), Omega0.copy()
    if method == "rk4":
        return lambda first, count, row: loop(
            R, w, *run.arguments(method), first, h, count, record, row, attitudes, rates
        )
    stages = composition(order)
    momenta = run.mechanics(R0[None], Omega0[None])[2][0].copy()
    return lambda first, count, row: loop(
        R, momenta, *run.arguments(method), first, h, stages, count, record, row, attitudes, rates
    )
