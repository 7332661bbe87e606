"""`simulate`: checks, choice of the engine, the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import flag, require_choice, time_grid
from geoctrl._collector import rare_collections
from geoctrl._scalars import real
from geoctrl.errors import DependencyError, ExpressionError, InputError
from geoctrl.runs import EventRecord, Events, Samples
from geoctrl.sampling import Applied, HeldCourse
from geoctrl.simulation import heyoka_engine
from geoctrl.simulation.controller_argument import drive_and_hold, drives_of_modes
from geoctrl.simulation.execution import execute
from geoctrl.simulation.held_runs import run_held
from geoctrl.simulation.jumps.hybrid_run import hybrid_run
from geoctrl.simulation.lanes_engine import InLanes
from geoctrl.simulation.trajectory import trajectory_of
from geoctrl.stepping.drive.dormand_prince import DormandPrince
from geoctrl.stepping.drive.engine import Engine
from geoctrl.stepping.drive.events import read_events
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.inputs import read_inputs
from geoctrl.systems import HybridSystem, System, as_system

__all__ = ["ENGINES", "choose_engine", "simulate", "tolerance_given"]

ENGINES = ("auto", "heyoka", "lanes", "scipy")


@paced_call
@rare_collections
def simulate(
    sys: System | HybridSystem,
    timepts: Any,
    x0: Any,
    params: Mapping[str, float] | None = None,
    inputs: Any = None,
    engine: str = "auto",
    rtol: float | None = None,
    events: Mapping[str, Any] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    throw: bool = True,
    domain: bool = True,
    controller: Any = None,
    *,
    optimised: bool = False,
    mode: str | None = None,
    max_jumps: int = 1000,
    seconds: float | None = None,  # noqa: ARG001
) -> Any:
    r"""Solve the reduced equations of motion from an initial state.

    .. math:: M(\Gamma)\,\dot w = h(w, \Gamma, u, t), \qquad \dot\Gamma = -(E(\Gamma) w)\,\Gamma

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem, RotationSystem or HybridSystem
        Of a system with jumps each mode is run up to the next guard, and from what the jump makes of it on.
        An open or a closed loop. Systems on spheres and rotations run on their equations written out, or
        where these are too long on their compiled field (DOP853).
    timepts : (nt,) array, or float
        Strictly increasing times (s) of the samples; ``timepts[0]`` is the initial time. A number is the end
        of a run that begins at 0, with 501 samples evenly in between.
    x0 : (n,) array, Equilibrium, or pair (q, omega) or (R, Omega)
        Initial state on the leaf; `ReducedSystem.project` makes one.
    params : dict, optional
        Overrides of the default parameters by name.
    inputs : dict, array, tuple or callable, optional
        Zero by default. A dict gives labels numbers or expressions in states, ``geoctrl.time`` and
        parameters; labels left out are zero. An array (m,) is constant, one (m, nt) linear between
        ``timepts``, (times, values (m, k)) linear between times of its own and constant beyond them. A
        callable ``f(t) -> (m,)`` or ``f(t, x, params) -> (m,)`` runs on the scipy engine only.
    engine : {"auto", "heyoka", "lanes", "scipy"}
        "auto" takes heyoka (Taylor, tolerance 1e-15) where it is installed and can run everything. Where it
        is not installed, recorded equations run in a lane of compiled code (DOP853, 3e-15). All else runs by
        scipy (DOP853, 1e-12); `Trajectory.engine` says which ran and why. On spheres and rotations it takes
        heyoka up to some four bodies that the inertia couples or eight that it does not, if ``rtol`` is at
        most 1e-12. heyoka's code of large systems is optimised from step 20,000 of a run on, or as
        ``optimised`` says; the same call gives the same bits whatever was run before it.
    rtol : float, optional
        Tolerance of the engine instead of its own; scipy's is at least 2.3e-14, that of lanes 1e-15. Errors
        are relative to the motion, be it small or slow: states and time are then computed in sizes of their
        own, which `Trajectory.engine` tells.
    events : dict, optional
        Name -> expression or `Event`. Zeros are located along the run (`Trajectory.events`); a terminal one
        ends it, and its point is appended as the last sample, with the passing ones at its time. A zero at
        ``timepts[0]`` does not count: the run is on the side to which the rate points, at rest on the one
        that the motion takes. Passages found are compared with the signs between them, so that none is lost
        to a long step; where doubles do not resolve one, `Trajectory.status` says "grazes", and a terminal
        event ends the run there. Lanes and scipy see at most two zeros of an event in a step. What touches
        zero and turns back is no passage: rounding decides whether none or two next to each other are seen.
        Where a touch matters, take the rate of the expression for the event: it passes zero there.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    throw : bool
        Raise if the run cannot be finished; else return the part done, with `Trajectory.status`.
    domain : bool
        End the run at the edge of the system's domain, with a `Trajectory.status` that names it; False goes
        on, beyond what the model says.
    controller : law, ``law.sampled(...)`` or callable, optional
        Sets the inputs instead of ``inputs``: with the parameters of its own model, while ``params`` are the
        plant's. A sampled one holds them from sample to sample, and the pieces are run exactly, one after the
        other; a law, or a callable as in ``inputs``, acts continuously. Through jumps a sampled one goes on
        from sample to sample, and no callable is taken. What was applied is among `Trajectory.outputs`, and
        `Trajectory.samples` tells what a sampled one did.
    optimised : bool
        For one run of many: heyoka's code is optimised from the first step on. It takes some 20 ms an
        instruction when a machine meets it first, and runs two to four times as fast.
    mode : str, optional
        Of a system with jumps the mode that the run begins in, its first one by default.
    max_jumps : int
        Jumps after which a run ends, with a `Trajectory.status` that says so.
    seconds : float, optional
        Time for the run; the part done by then is returned, and `Trajectory.status` says so.

    Returns
    -------
    Trajectory, SphereTrajectory, RotationTrajectory or HybridTrajectory

    Raises
    ------
    SimulationError
        If the state is no longer finite, the step size collapses, frame, mass matrix or constraint rows
        become singular, in multiplier form a leaf relation drifts beyond 1e-6, or a contact would have to
        pull at an impact; ``.trajectory`` holds the samples reached. With ``throw=False`` not raised.
    ParameterError
        For an unknown, missing or non-positive parameter.
    ConstraintError
        If ``x0`` is off the leaf; if rows depend on each other at an impact, or it would gain energy.
    FrameError, SingularMassError
        If frame or mass matrix is singular at ``x0``.
    ExpressionError
        For an expression that cannot be translated, or that the engine asked for cannot run.
    LabelError
        If the controller measures or sets what this system does not have.
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
    if not isinstance(sys, HybridSystem):
        as_system(sys, "simulate")
    require_choice("engine", engine, ENGINES)
    tolerance = tolerance_given(rtol)
    times = time_grid(timepts).copy()
    if isinstance(sys, HybridSystem):
        edges, fast = flag("domain", domain), flag("optimised", optimised)

        drives = drives_of_modes(sys, inputs, controller, times, params)

        def advance(system: Any, times: Any, x: Any, params: Any, drive: Any, events: Any) -> Any:
            flow = Flow(system, drive, params, x, times, tolerance, events, optimised=fast)
            return _piece_of_run(flow, engine, drives.course)

        return hybrid_run(sys, times, x0, params, drives, events, mode, max_jumps, edges, advance, throw)
    if mode is not None:
        raise InputError("mode= is one of a system with jumps; this system has none")
    values = sys.parameters_at(params)
    drive, hold = (
        (read_inputs(sys, inputs, times), None)
        if controller is None
        else drive_and_hold(sys, inputs, controller, times, values)
    )
    flow = Flow(
        system=sys,
        drive=drive,
        params=values,
        x0=np.array(sys.start(x0, values), dtype=float),
        times=times,
        rtol=tolerance,
        events=read_events(sys, events, edges=flag("domain", domain)),
        optimised=flag("optimised", optimised),
    )
    flow.require_start()
    chosen = choose_engine(flow, engine)

    def samples(time: np.ndarray, states: np.ndarray, events: Events, **rest: Any) -> Samples:
        # What Taylor series of recorded equations run is told as a run of the system that was given.
        if chosen.flow is not flow:
            states = sys.from_recording(states, values)
            for event, found in events.items():
                events[event] = EventRecord(found.time, sys.from_recording(found.states, values))
        if isinstance(drive, Applied) and hold is not None:
            drive.record = hold.record(float(times[0]))
        return trajectory_of(flow, type(chosen), time, states, engine=chosen.words, events=events, **rest)

    steps = chosen.run() if hold is None else run_held(chosen, HeldCourse(hold, float(times[0])))
    return execute(chosen.flow, steps, samples, under_way(), throw)


def _piece_of_run(flow: Flow, engine: str, course: HeldCourse | None) -> Any:
    """The run of a flow, whatever becomes of it; under a controller from where that is."""
    flow.require_start()
    chosen = choose_engine(flow, engine)

    def samples(time: np.ndarray, states: np.ndarray, events: Events, **rest: Any) -> Samples:
        return trajectory_of(flow, type(chosen), time, states, engine=chosen.words, events=events, **rest)

    steps = chosen.run() if course is None else run_held(chosen, course)
    return execute(chosen.flow, steps, samples, under_way(), throw=False)


def tolerance_given(rtol: float | None) -> float | None:
    """``rtol`` as a float between 0 and 1, or None."""
    if rtol is None:
        return None
    value = real(rtol, "rtol")
    if not 0.0 < value < 1.0:
        raise InputError(f"rtol must lie between 0 and 1, got {rtol!r}")
    return value


def choose_engine(flow: Flow, name: str) -> Engine:
    """The engine of a flow by the name that was asked for."""
    if name == "scipy":
        return DormandPrince(flow)
    if name == "lanes":
        in_lanes = InLanes(flow)
        if in_lanes.obstacle is not None:
            raise ExpressionError(
                f"engine='lanes' cannot run this: {in_lanes.obstacle}; take engine='scipy' or 'auto'"
            )
        return in_lanes
    if not heyoka_engine.available():
        if name == "heyoka":
            raise DependencyError(
                "engine='heyoka' needs the package heyoka; install it, or take engine='lanes' or 'scipy'"
            )
        return _without_heyoka(flow, "heyoka is not installed")
    taylor = heyoka_engine.Heyoka(flow)
    why = (None if name == "heyoka" else taylor.drawback) or taylor.obstacle
    if why is None:
        return taylor
    if name == "heyoka":
        raise ExpressionError(f"engine='heyoka' cannot run this: {why}; take engine='scipy' or 'auto'")
    return DormandPrince(flow, why)


def _without_heyoka(flow: Flow, why: str) -> Engine:
    """Lanes where equations are recorded and no input is a function, else scipy, which runs everything."""
    in_lanes = InLanes(flow, why)
    return in_lanes if in_lanes.obstacle is None else DormandPrince(flow, why)
