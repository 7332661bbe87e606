"""`integrate`: variational and Runge-Kutta steps of fixed size on spheres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from geoctrl._checks import flag
from geoctrl.errors import InputError
from geoctrl.manifolds.stepping import take_steps
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
        One of `METHODS`, which tells what each preserves. "variational" is the discrete Euler-Lagrange method
        on spheres (`geoctrl.stepping.variational`): symplectic, keeps unit length to rounding and momentum
        maps; explicit for constant diagonal mass, else implicit. "rk2" (midpoint), "heun" and "rk4" are
        explicit Runge-Kutta methods on :math:`(q, \omega)`.
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

    return take_steps(
        system,
        (q0, omega0),
        h,
        steps,
        kind=SphereSystem,
        method=method,
        order=order,
        record=record,
        params=params,
        inputs=inputs,
        threads=threads,
        throw=throw,
        progress=progress,
        project=project,
    )
