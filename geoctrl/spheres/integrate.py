"""`integrate`: variational and Runge-Kutta steps of fixed size on spheres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import flag
from geoctrl.errors import InputError
from geoctrl.manifolds.stepping import take_steps
from geoctrl.spheres.field import TABLEAUX
from geoctrl.spheres.methods import METHODS
from geoctrl.spheres.system import SphereSystem
from geoctrl.spheres.trajectory import SphereTrajectory

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
    threads: int = 1,
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
    inputs : array (m,), dict, callable or (times, (m, nt)), optional
        Constant, expressions by label, a function f(t) or f(t, x, params), or linear between samples and
        constant beyond them; zero by default.
    project : bool
        Renormalise q after each step; Runge-Kutta only.
    threads : int
        Threads that share the sums over all pairs of bodies, if these are many. They are divided into blocks
        that depend on the number of bodies alone: runs have the same digits with any number of threads.
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
    InputError, TypeError
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
    if flag("project", project) and isinstance(method, str) and method == "variational":
        raise InputError("project is for Runge-Kutta methods; the variational method needs none")

    def starter(run, name, stages, q, omega, step, every, rows):
        if name == "variational":
            return _variational(run, stages, q, omega, step, every, rows)
        return _runge_kutta(run, name, q, omega, step, project, every, rows)

    return take_steps(
        system,
        (q0, omega0),
        h,
        steps,
        kind=SphereSystem,
        methods=METHODS,
        starter=starter,
        method=method,
        order=order,
        record=record,
        params=params,
        inputs=inputs,
        threads=threads,
        throw=throw,
        progress=progress,
    )


def _variational(run, stages, q, omega, h, record, rows):
    L = run.mechanics(q[None], omega[None])[2][0]
    state = (q, L, omega, run.slope(q), run.forces(0.0, q, omega))
    common = (run.gradient, run.force, run.forced, run.damped, run.data, run.index, run.table)
    if run.diagonal:
        loop, inertia = run.loop("explicit"), (run.inertia[0],)
    else:
        loop, inertia = run.loop("implicit"), (run.at(q).copy(), run.varies, *run.mass)

    def advance(first, count, row):
        return loop(*state, *inertia, *common, float(first), h, stages, count, record, row, *rows)

    return advance


def _runge_kutta(run, method, q, omega, h, project, record, rows):
    stages, weights, nodes = TABLEAUX[method]
    a = np.zeros((len(weights), len(weights)))
    for i, row in enumerate(stages):
        a[i, : len(row)] = row
    b, c = np.array(weights, dtype=float), np.array(nodes, dtype=float)
    loop = run.loop("runge_kutta")

    def advance(first, count, row):
        return loop(
            q, omega, *run.system_arguments, *run.kernel_arguments,
            float(first), h, a, b, c, project, count, record, row, *rows,
        )  # fmt: skip

    return advance
