"""`integrate`: variational and Runge-Kutta steps of fixed size on any product of factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import finite_array, flag, require_choice, whole_number
from geoctrl.errors import InputError
from geoctrl.manifolds.forms import Form
from geoctrl.manifolds.manifold_trajectory import ManifoldTrajectory
from geoctrl.manifolds.numerics.numbers_of_a_run import Run
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.stepping.drive.inputs import read_inputs
from geoctrl.stepping.methods.loop import on_threads, read_threads, record_steps, record_times, result_of_run
from geoctrl.stepping.methods.methods import METHODS, composition
from geoctrl.stepping.methods.runge_kutta import Tableau, runge_kutta, runge_kutta_signature, tableau
from geoctrl.stepping.methods.variational import Pace, StepMotion, variational, variational_signature

__all__ = ["integrate", "require_kind"]


@paced_call
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
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    *,
    seconds: float | None = None,  # noqa: ARG001
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
        (`geoctrl.stepping.methods.variational`): symplectic, keeps momentum maps and, to rounding, directions
        and rotations; explicit for constant inertia that couples no bodies. "rk2" (midpoint), "heun" and
        "rk4" are explicit Runge-Kutta methods. `METHODS` tells what each preserves.
    order : {2, 4, 6, 8}
        Above 2 by symmetric composition of variational steps (`geoctrl.stepping.methods.methods`).
    record : int
        Keep every ``record``-th step.
    params : dict, optional
    inputs : array (m,), dict, callable or (times, (m, nt)), optional
        Constant, expressions by label, a function f(t) or f(t, x, params), or linear between samples and
        constant beyond them; zero by default.
    project : bool
        Renormalise directions after each step; Runge-Kutta only.
    threads : int
        Threads that share the sums over all pairs of bodies, if these are many. They are divided into blocks
        that depend on the number of bodies alone: runs have the same digits with any number of threads.
    throw : bool
        Raise where a step cannot be taken; else return the part done, with its ``status``.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for the run; the part done by then is returned, with a ``status`` that says so.

    Returns
    -------
    ManifoldTrajectory
        With samples at steps 0, record, 2 record, ...; ``run["q"]`` of a product by the name of a factor.

    Raises
    ------
    ConvergenceError
        If a step cannot be taken, naming step, time and residual; ``.trajectory`` is the part done.
    ConstraintError
        If initial values are off the manifold by more than 1e-3; from 1e-12 on they are projected with a
        `ProjectionWarning`.
    InputError, TypeError
        For any other bad argument.
    KeyboardInterrupt
        When interrupted; ``.trajectory`` is the part done.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> cart = gc.manifolds.pendulum_on_cart()
    >>> start = {"x": ([0, 0, 0], [0, 0, 0]), "R": (np.eye(3), [0, 1, 0])}
    >>> run = gc.manifolds.integrate(cart, start, h=0.01, steps=500)
    >>> bool(abs(run.energy - run.energy[0]).max() < 1e-2), run["R"].shape
    (True, (501, 3, 3))
    """
    require_kind(system, ManifoldSystem)
    if flag("project", project) and isinstance(method, str) and method == "variational":
        raise InputError("project is for Runge-Kutta methods; the variational method needs none")
    require_choice("method", method, METHODS)
    stages = composition(order)
    if order != 2 and not METHODS[method].composable:
        raise InputError(f"order is chosen for method='variational' only; {method!r} has its own")
    h = float(finite_array("h", h, ()))
    if not h > 0:
        raise InputError(f"h must be positive, got {h}")
    steps, record = whole_number("steps", steps, 1), whole_number("record", record, 1)
    threads = read_threads(threads)
    values = system.parameters_at(params)
    drive = read_inputs(system, inputs)
    parts = system.read_start(start)
    acting = system.acting(drive)
    run = acting.run(params, drive if drive.law is None else None)
    if threads > 1:
        run = acting.numerics.parallel(run)
    rows = tuple(np.empty((1 + steps // record, *part.shape)) for part in parts)
    for row, part in zip(rows, parts, strict=True):
        row[0] = part
    with on_threads(threads):
        if method == "variational":
            advance = _variational(run, stages, *parts, h, record, rows)
        else:
            advance = _runge_kutta(run, tableau(method, project), *parts, h, record, rows)
        outcome = record_steps(advance, steps, record, under_way())

    def trajectory(status: str, success: bool) -> ManifoldTrajectory:
        done = outcome.records
        return system.trajectory_of(
            record_times(0.0, h, steps, record)[:done],
            *(row[:done] for row in rows),
            params=values,
            engine=run.engine,
            status=status,
            success=success,
            iterations=outcome.iterations / max(1, outcome.steps),
            drive=drive,
        )

    return result_of_run(outcome, h, trajectory, throw)


def require_kind(system: Any, kind: type) -> None:
    """TypeError for a system of another kind, and a form of one."""
    if not isinstance(system, kind) or isinstance(system, Form):
        raise TypeError(f"system must be a {kind.__name__}, got {type(system).__name__}")


def _variational(
    run: Run, stages: np.ndarray, first: Any, second: Any, h: float, record: int, rows: Any
) -> Any:
    z, L = first.reshape(-1, 3), run.momenta(first, second)
    motion = StepMotion(z, L, second, run.slope(first).reshape(-1, 3), run.forces(0.0, first, second))
    solver, records = run.solver, (rows[0].reshape(len(rows[0]), -1, 3), rows[1])
    spin = run.spin if run.spin.any() else None
    loop = run.loop(variational, variational_signature(solver, spin is not None))
    kernels = (*solver.pointers(python=run.engine == "python"), run.gradient, run.force, *run.kinetics)
    what = (run.bodies, spin, run.solver_system(len(stages)), motion, run.numbers)
    return lambda done, count, row: loop(*kernels, *what, Pace(done, h, stages, count, record, row), *records)


def _runge_kutta(run: Run, rule: Tableau, first: Any, second: Any, h: float, record: int, rows: Any) -> Any:
    z, none = first.reshape(-1, 3), np.zeros(0)
    motion = StepMotion(z, np.zeros_like(second), second, np.zeros_like(z), np.zeros_like(second))
    solver, records = run.solver, (rows[0].reshape(len(rows[0]), -1, 3), rows[1])
    loop = run.loop(runge_kutta, runge_kutta_signature(solver))
    kernels = (solver.accelerator(), run.gradient, run.force, *run.kinetics)
    what = (run.bodies, run.spin, run.solver_system(), motion, run.numbers, rule)
    return lambda done, count, row: loop(*kernels, *what, Pace(done, h, none, count, record, row), *records)
