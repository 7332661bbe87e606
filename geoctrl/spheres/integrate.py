"""`integrate`: variational and Runge-Kutta steps of fixed size on spheres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from geoctrl.manifolds.integrate import integrate as take_steps
from geoctrl.manifolds.integrate import require_kind
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
    progress: bool | Callable[..., object] = False,
    *,
    seconds: float | None = None,
) -> SphereTrajectory:
    """Take steps of fixed size: `geoctrl.manifolds.integrate` of a start in two arrays.

    Parameters
    ----------
    system : SphereSystem
    q0, omega0 : array (n, 3)
        Unit directions and angular velocities (rad/s) orthogonal to them.
    h, steps, method, order, record, params, inputs, project, threads, throw, progress, seconds
        As there.

    Returns
    -------
    SphereTrajectory
        With samples at steps 0, record, 2 record, ...

    Raises
    ------
    ConvergenceError, ConstraintError, InputError, TypeError, KeyboardInterrupt
        As there.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pendulum = gc.spheres.double_pendulum(1.0, 2.0, 0.7, 0.4)
    >>> r = gc.spheres.integrate(pendulum, [[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 0, 0]], h=1e-3, steps=2000)
    >>> float(abs(r.energy - r.energy[0]).max()) < 1e-2
    True
    """
    require_kind(system, SphereSystem)
    given = (method, order, record, params, inputs, project, threads, throw, progress)
    run: Any = take_steps(system, (q0, omega0), h, steps, *given, seconds=seconds)
    return run
