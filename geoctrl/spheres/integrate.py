"""`integrate`: variational and Runge-Kutta steps of fixed size on spheres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, nearest
from geoctrl.spheres.field import TABLEAUX
from geoctrl.spheres.methods import METHODS
from geoctrl.spheres.start import initial_values
from geoctrl.spheres.system import SphereSystem
from geoctrl.spheres.trajectory import SphereTrajectory, conserved_names
from geoctrl.stepping import Progress, composition, concluded, record_steps, record_times, whole

__all__ = ["integrate"]


def integrate(
    system: SphereSystem,
    q0: Any,
    omega0: Any,
    h: float,
    steps: int,
    method: str = "variational",
    order: int = 2,
    record: int = 1,
    params: Mapping[str, float] | None = None,
    inputs: Any = None,
    project: bool = False,
    throw: bool = True,
    progress: bool | Callable[[float], object] = False,
) -> SphereTrajectory:
    r"""Take steps of fixed size.

    Parameters
    ----------
    system : SphereSystem
    q0, omega0 : array (n, 3)
        Unit directions and angular velocities (rad/s) orthogonal to them.
    h : float
        Step (s).
    steps : int
    method : {"variational", "rk2", "heun", "rk4"}
        One of `METHODS`, which tells what each preserves. "variational" is the discrete Euler-Lagrange
        method on spheres (`geoctrl.spheres.stepper`): symplectic, keeps unit length to rounding and momentum
        maps; explicit for constant diagonal mass, else implicit.
        "rk2" (midpoint), "heun" and "rk4" are explicit Runge-Kutta methods on :math:`(q, \omega)`.
    order : {2, 4, 6, 8}
        Above 2 by symmetric composition of variational steps (`geoctrl.stepping.composition`).
    record : int
        Keep every ``record``-th step.
    params : dict, optional
    inputs : array (m,), callable u(t) or (times, (m, nt)), optional
        Constant, a function of time, or linear between samples; zero by default.
    project : bool
        Renormalise q after each step; Runge-Kutta only.
    throw : bool
        Raise where a step cannot be taken; else return the part done, with its ``status``.
    progress : bool or callable
        True shows a line on stderr if that is a terminal; a callable is told the fraction done.

    Returns
    -------
    SphereTrajectory
        With samples at steps 0, record, 2 record, ...

    Raises
    ------
    ConvergenceError
        If a step cannot be taken, naming step, time and residual; ``.trajectory`` is the part done.
    ConstraintError
        If initial values are off the spheres by more than 1e-3; from 1e-12 on they are projected with a
        `ProjectionWarning`.
    ValueError, TypeError
        For any other bad argument.
    KeyboardInterrupt
        When interrupted; ``.trajectory`` is the part done.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pendulum = gc.spheres.double_pendulum(1.0, 2.0, 0.7, 0.4)
    >>> r = gc.spheres.integrate(pendulum, [[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 0, 0]], h=1e-3, steps=2000)
    >>> float(abs(r.energy - r.energy[0]).max()) < 1e-2
    True
    """
    if not isinstance(system, SphereSystem):
        raise TypeError(f"system must be a SphereSystem, got {type(system).__name__}")
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}{nearest(str(method), METHODS)}")
    variational = method == "variational"
    if variational and project:
        raise ValueError("project is for Runge-Kutta methods; the variational method needs none")
    if not variational and order != 2:
        raise ValueError(f"order is chosen for method='variational' only; {method!r} has its own")
    h = float(finite_array("h", h, ()))
    if not h > 0:
        raise ValueError(f"h must be positive, got {h}")
    steps, record = whole("steps", steps), whole("record", record)
    report = Progress(progress, "integrate")
    values = system.parameters_at(params)
    q, omega = initial_values(system, q0, omega0)
    run = system.run(params, inputs)
    conserved = conserved_names(system, values) if inputs is None else ()
    rows = 1 + steps // record
    Q, W = np.empty((rows, system.n, 3)), np.empty((rows, system.n, 3))
    Q[0], W[0] = q, omega
    if variational:
        advance = _variational(run, q, omega, h, composition(order), record, Q, W)
    else:
        advance = _runge_kutta(run, q, omega, h, method, project, record, Q, W)
    outcome = record_steps(advance, steps, record, report)

    def part(status: str, success: bool) -> SphereTrajectory:
        done = outcome.records
        return SphereTrajectory(
            system,
            record_times(0.0, h, steps, record)[:done],
            Q[:done],
            W[:done],
            params=values,
            engine=run.engine,
            status=status,
            success=success,
            iterations=outcome.iterations / max(1, outcome.steps),
            conserved=conserved,
        )

    return concluded(outcome, h, part, throw)


def _variational(run, q, omega, h, stages, record, Q, W):
    L = run.mechanics(q, omega)[2]
    state = (q, L, omega, run.slope(q), run.forces(0.0, q, omega))
    common = (run.gradient, run.force, run.forced, run.damped, run.data, run.index, run.table)
    if run.diagonal:
        loop, inertia = run.loop("explicit"), (np.diag(run.M).copy(),)
    else:
        loop, inertia = run.loop("implicit"), (run.at(q).copy(), run.varies, *run.mass)

    def advance(first, count, row):
        return loop(*state, *inertia, *common, float(first), h, stages, count, record, row, Q, W)

    return advance


def _runge_kutta(run, q, omega, h, method, project, record, Q, W):
    rows, weights, nodes = TABLEAUX[method]
    a = np.zeros((len(weights), len(weights)))
    for i, row in enumerate(rows):
        a[i, : len(row)] = row
    b, c = np.array(weights, dtype=float), np.array(nodes, dtype=float)
    loop = run.loop("runge_kutta")

    def advance(first, count, row):
        return loop(
            q, omega, *run.system_arguments, *run.kernel_arguments,
            float(first), h, a, b, c, project, count, record, row, Q, W,
        )  # fmt: skip

    return advance
