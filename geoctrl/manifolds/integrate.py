"""`integrate`: variational and Runge-Kutta steps of fixed size on any product of factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from geoctrl._checks import flag
from geoctrl.errors import InputError
from geoctrl.manifolds.stepping import take_steps
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.trajectory import ManifoldTrajectory

__all__ = ["integrate"]


def integrate(
    system: ManifoldSystem,
    start: Any,
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
) -> ManifoldTrajectory:
    r"""Take steps of fixed size.

    Parameters
    ----------
    system : ProductSystem, SphereSystem or RotationSystem
    start : dict, pair or array
        As the system takes initial states: ``{name: (configuration, velocity)}`` of a product.
    h : float
        Step (s).
    steps : int
    method : {"variational", "rk2", "heun", "rk4"}
        "variational" is the discrete Euler-Lagrange method for any kinetic energy
        (`geoctrl.stepping.variational`): symplectic, keeps momentum maps and, to rounding, directions and
        rotations. "rk2" (midpoint), "heun" and "rk4" are explicit Runge-Kutta methods.
    order : {2, 4, 6, 8}
        Above 2 by symmetric composition of variational steps (`geoctrl.stepping.composition`).
    record : int
        Keep every ``record``-th step.
    params : dict, optional
    inputs : array (m,), dict, callable or (times, (m, nt)), optional
        Constant, expressions by label, a function f(t) or f(t, x, params), or linear between samples and
        constant beyond them; zero by default.
    project : bool
        Renormalise directions after each step; Runge-Kutta only.
    threads : int
        Of the sums over pairs of bodies.
    throw : bool
        Raise where a step cannot be taken; else return the part done, with its ``status``.
    progress : bool or callable
        True shows a line on stderr if that is a terminal; a callable is told the fraction done.

    Returns
    -------
    ManifoldTrajectory
        With samples at steps 0, record, 2 record, ...; ``run["q"]`` of a product by the name of a factor.

    Raises
    ------
    ConvergenceError
        If a step cannot be taken, naming step, time and residual; ``.trajectory`` is the part done.
    ConstraintError
        If initial values are off the manifold by more than 1e-3.
    InputError, TypeError
        For any other bad argument.
    KeyboardInterrupt
        When interrupted; ``.trajectory`` is the part done.

    Examples
    --------
    A pendulum on a cart that moves along a line:

    >>> import geoctrl as gc
    >>> x, q = gc.manifolds.Place("x", axes=[[1, 0, 0]]), gc.manifolds.Direction("q")
    >>> bob = x.rate + 0.5 * q.rate
    >>> cart = gc.manifolds.ProductSystem(
    ...     [x, q],
    ...     kinetic=2.0 * x.rate.dot(x.rate) / 2 + bob.dot(bob) / 2,
    ...     potential=9.81 * 0.5 * q.z[2],
    ... )
    >>> start = {"x": ([0, 0, 0], [0, 0, 0]), "q": ([1, 0, 0], [0, 0, 1])}
    >>> run = gc.manifolds.integrate(cart, start, h=0.01, steps=500)
    >>> bool(abs(run.energy - run.energy[0]).max() < 1e-2), run["q"].shape
    (True, (501, 3))
    """
    if flag("project", project) and isinstance(method, str) and method == "variational":
        raise InputError("project is for Runge-Kutta methods; the variational method needs none")
    return take_steps(
        system,
        start,
        h,
        steps,
        kind=ManifoldSystem,
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
