"""`simulate`: checks, choice of the engine, the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import require_choice, time_grid
from geoctrl.errors import DependencyError, InputError
from geoctrl.simulation import heyoka_engine, scipy_engine
from geoctrl.simulation.checks import read_tolerance
from geoctrl.simulation.events import read_events
from geoctrl.simulation.execution import execute
from geoctrl.simulation.inputs import read_inputs
from geoctrl.simulation.manifolds import simulate_manifold
from geoctrl.simulation.problem import Outcome, Problem
from geoctrl.simulation.trajectory import Trajectory
from geoctrl.stepping import Progress
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.singularity import find_singularity, require_regular

__all__ = ["simulate"]

_ENGINES = ("auto", "heyoka", "scipy")
LEAF_LIMIT = 1e-6
"""Largest defect of a leaf relation with which a run in multiplier form goes on."""


def simulate(
    sys: ReducedSystem,
    timepts: Any,
    x0: Any,
    params: Mapping[str, float] | None = None,
    inputs: Any = None,
    engine: str = "auto",
    rtol: float | None = None,
    events: Mapping[str, Any] | None = None,
    progress: bool | Callable[[float], object] = False,
    throw: bool = True,
) -> Trajectory:
    r"""Solve the reduced equations of motion from an initial state.

    .. math:: M(\Gamma)\,\dot w = h(w, \Gamma, u, t), \qquad \dot\Gamma = -(E(\Gamma) w)\,\Gamma

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
        An open or a closed loop. Systems on spheres and rotations run on their compiled field (DOP853), or
        with ``engine="heyoka"`` on their equations written out; their inputs may also be constants (m,), a
        function of time ``f(t)``, or (times, (m, nt)).
    timepts : (nt,) array
        Strictly increasing times (s) of the samples; ``timepts[0]`` is the initial time.
    x0 : (n,) array, Equilibrium, or pair (q, omega) or (R, Omega)
        Initial state on the leaf; `ReducedSystem.project` makes one.
    params : dict, optional
        Overrides of the default parameters by name.
    inputs : dict, array or callable, optional
        Zero by default. A dict gives labels numbers or expressions in states, ``geoctrl.time`` and
        parameters; labels left out are zero. An array (m, nt) is linear between ``timepts``. A callable
        ``f(t, x, params) -> (m,)`` runs on the scipy engine only.
    engine : {"auto", "heyoka", "scipy"}
        "auto" takes heyoka (Taylor, tolerance 1e-15) where it is installed and can run everything, else
        scipy (DOP853, 1e-12); `Trajectory.engine` says which ran and why.
    rtol : float, optional
        Tolerance of either engine instead of its own; scipy's is at least 2.3e-14.
    events : dict, optional
        Name -> expression or `Event`. Zeros are located along the run (`Trajectory.events`); a terminal one
        ends it, and its point is appended as the last sample. A zero at ``timepts[0]`` does not count. The
        scipy engine sees changes of sign from step to step, heyoka all zeros.
    progress : bool or callable
        True shows a line on stderr if that is a terminal; a callable is told the fraction done.
    throw : bool
        Raise if the run cannot be finished; else return the part done, with `Trajectory.status`.

    Returns
    -------
    Trajectory, SphereTrajectory or RotationTrajectory

    Raises
    ------
    SimulationError
        If the state is no longer finite, the step size collapses, frame, mass matrix or constraint rows
        become singular, or in multiplier form a leaf relation drifts beyond 1e-6; ``.trajectory`` holds the
        samples reached. With ``throw=False`` not raised.
    ParameterError
        For an unknown, missing or non-positive parameter.
    ConstraintError
        If ``x0`` is off the leaf.
    FrameError, SingularMassError
        If frame or mass matrix is singular at ``x0``.
    ExpressionError
        For an expression that cannot be translated, or that the engine asked for cannot run.
    InputError, TypeError
        For any other bad argument.
    KeyboardInterrupt
        When interrupted; ``.trajectory`` holds the part done.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> sys = gc.models.get("pendulum-skate")().reduce()
    >>> start = sys.project([0.1, 0, 0, 1, 0, 0], {"Gamma": [0, np.sin(0.1), np.cos(0.1)]})
    >>> fall = gc.Event(sys.states[4], terminal=True)
    >>> traj = gc.simulate(sys, np.linspace(0, 5, 51), start, events={"fall": fall})
    >>> traj.success, traj.events["fall"].time.size
    (True, 1)
    """
    as_system(sys, "simulate")
    if not sys.recorded:
        return simulate_manifold(
            sys,
            timepts,
            x0,
            params,
            inputs=inputs,
            engine=engine,
            rtol=rtol,
            events=events,
            progress=progress,
            throw=throw,
        )
    require_choice("engine", engine, _ENGINES)
    tolerance = read_tolerance(rtol)
    times = time_grid(timepts).copy()
    report = Progress(progress)
    values = sys.parameters(params)
    x = sys.start(x0, values)
    require_regular(sys, float(times[0]), x, values, "x0")
    drive = read_inputs(sys, inputs, times)
    located = read_events(sys, events, drive.mapping)
    problem = Problem.of(
        sys, drive, events=located, params=values, x0=np.array(x, dtype=float), times=times, rtol=tolerance
    )
    _check_field(problem)
    run, name = choose_engine(problem, engine)

    def trajectory(time: np.ndarray, states: np.ndarray, **rest: Any) -> Trajectory:
        return Trajectory.of_run(problem, time, states, run, engine=name, **rest)

    return execute(
        problem,
        run(problem),
        trajectory,
        report,
        throw,
        watch=_within_leaf if sys.assembly.rows else None,
        explain=_explain,
    )


def choose_engine(problem: Problem, engine: str) -> tuple[Callable, str]:
    """The function that runs a problem, and its name with the reason."""
    if engine == "scipy":
        return scipy_engine.run, scipy_engine.describe(problem)
    if not heyoka_engine.available():
        if engine == "heyoka":
            raise DependencyError(
                "engine='heyoka' needs the package heyoka; install it, or take engine='scipy'"
            )
        return scipy_engine.run, scipy_engine.describe(problem, "heyoka is not installed")
    why = None if engine == "heyoka" else heyoka_engine.obstacle(problem)
    if why is not None:
        return scipy_engine.run, scipy_engine.describe(problem, why)
    if engine == "heyoka":
        heyoka_engine.require(problem)
    return heyoka_engine.run, heyoka_engine.describe(problem)


def _check_field(problem: Problem) -> None:
    """Evaluate the equations once, so that a bad start is found before any compilation."""
    t, x = float(problem.times[0]), problem.x0
    if problem.inputs.kind == "callable":
        n = problem.system.nstates
        extra = tuple(problem.inputs.at(t, x[:n], dict(problem.params)).tolist())
        if not np.isfinite(extra).all():
            raise InputError(f"inputs(t, x, params) must be finite, got {list(extra)} at timepts[0] and x0")
    else:
        extra = problem.inputs.extra(t)
    try:
        program = problem.right_hand_side
        value = np.array(program.scalar([*x.tolist(), t, *extra], program.constants(problem.params)))
    except (ArithmeticError, ValueError) as error:
        raise InputError(
            f"the equations or events cannot be evaluated at x0 and t = {t:.9g}: {error}"
        ) from error
    if not np.isfinite(value).all():
        raise InputError(f"the equations or events are not finite at x0 and t = {t:.9g}: {value.tolist()}")


def _within_leaf(
    problem: Problem, block: tuple[np.ndarray, np.ndarray]
) -> tuple[tuple[np.ndarray, np.ndarray], str | None]:
    """The samples of a block up to the first that is off the leaf, and the words about that one."""
    times, rows = block
    if not times.size:
        return block, None
    system = problem.system
    defects = np.abs(system.leaf_residual(rows.T, problem.params))
    bad = ~(defects <= LEAF_LIMIT).all(axis=0)
    if not bad.any():
        return block, None
    k = int(np.argmax(bad))
    worst = int(np.argmax(defects[:, k]))
    words = (
        f"leaf relation {system.leaf.names[worst]!r} drifted to {defects[worst, k]:.2e} "
        f"at t = {times[k]:.9g} (limit {LEAF_LIMIT:g}); the multiplier form is not stabilised: "
        "take a smaller rtol"
    )
    return (times[:k], rows[:k]), words


def _explain(problem: Problem, blocks: list, outcome: Outcome) -> str:
    words = f"{outcome.failure} at t = {outcome.time:.12g}"
    n = problem.system.nstates
    cause = find_singularity(
        problem.system,
        outcome.time,
        outcome.state[:n] if outcome.state is not None else blocks[-1][1][-1],
        problem.params,
    )
    # A sample that coincides with the break is none.
    edge = outcome.time - 1e-9 * (problem.times[-1] - problem.times[0])
    for i in range(1, len(blocks)):
        keep = blocks[i][0] < edge
        blocks[i] = blocks[i][0][keep], blocks[i][1][keep]
    return f"{words}: {cause}" if cause else words
