"""Taylor integration by heyoka: one compilation serves all parameter values, inputs and initial states."""

from __future__ import annotations

import importlib.util
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from functools import cache
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Arithmetic, Program
from geoctrl.errors import ExpressionError
from geoctrl.simulation.recorded import RecordedFlow, workspace, written
from geoctrl.stepping.flow import Block, Ending, Flow
from geoctrl.stepping.passages import Mark, Passages, early_times
from geoctrl.systems.singularity import breaks_down

__all__ = [
    "DEFAULT_TOLERANCE",
    "available",
    "describe",
    "exchanged",
    "look_again",
    "obstacle",
    "require",
    "run",
    "taken",
]

DEFAULT_TOLERANCE = 1e-15

_CHUNK = 20_000
"""Steps between two returns to Python, where an interrupt is noticed and progress reported."""

_SHORT = 1e-3
"""Steps shorter than this part of the longest one are looked at: a singularity may be near."""

_LARGE = 250
"""Instructions above which code is generated in compact mode: compiled ten times faster, run slower."""

_EFFORT = 2100.0
"""Instructions up to which equations are written out unasked: four links of a chain, eight bodies that their
inertia does not couple, some three seconds the first time. Ten links take minutes, and then run slower."""

_LOOSE = 1e-12
"""Tolerance above which multipliers let a manifold drift within some hundred seconds."""

_FUNCTIONS: tuple[str, ...] = (
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
)
_FUNCTIONS += ("atanh", "exp", "log", "atan2")


@cache
def available() -> bool:
    """Whether heyoka is installed."""
    return importlib.util.find_spec("heyoka") is not None


def describe(flow: Flow) -> str:
    """Words for `Trajectory.engine`."""
    tolerance = DEFAULT_TOLERANCE if flow.rtol is None else flow.rtol
    return f"heyoka Taylor, tolerance {tolerance:.3g}"


def obstacle(flow: Flow) -> str | None:
    """Why heyoka cannot run a flow, or None.

    Raises
    ------
    DescriptionError
        If the system cannot be written out.
    """
    if flow.drive.obstacle is not None:
        return flow.drive.obstacle
    flow = written(flow)
    recorded = RecordedFlow(flow)
    held = {*recorded.extra} if flow.drive.constant else set()
    for event, node in zip(flow.events, recorded.events, strict=True):
        if not {s for s in flow.system.graph.symbols([node]) if s.level >= STATE} - held:
            return f"event {event.name!r} does not change along the run"
    key = recorded.key(flow, "obstacle")
    return workspace(flow.system).get(key, lambda: _unknown_function(flow, recorded))


def drawback(flow: Flow) -> str | None:
    """Why the field of a system that is not recorded serves it better, or None; nothing is written out."""
    if flow.system.recorded:
        return None
    if math.isinf(flow.system.recording_effort):
        return "it cannot be written out for heyoka"
    if flow.system.recording_effort > _EFFORT:
        return "its equations are too long to write out for heyoka"
    if flow.rtol is not None and flow.rtol > _LOOSE:
        return "its equations written out hold the manifold by multipliers, for rtol up to 1e-12"
    return None


def require(flow: Flow) -> None:
    """Raise ExpressionError with the reason if heyoka cannot run a flow; see `obstacle`."""
    why = obstacle(flow)
    if why is not None:
        raise ExpressionError(f"engine='heyoka' cannot run this: {why}; take engine='scipy' or 'auto'")


def _unknown_function(flow: Flow, recorded: RecordedFlow) -> str | None:
    parts = [("the equations of motion", recorded.rates)]
    parts += [
        (f"event {event.name!r}", [node]) for event, node in zip(flow.events, recorded.events, strict=True)
    ]
    for what, nodes in parts:
        for op, *operands in recorded.program(nodes).tape.instructions:
            if op == "fun" and operands[0] not in _FUNCTIONS:
                return f"heyoka lacks the function {operands[0]!r} of {what}"
    return None


class _Target:
    """Where zeros are told; apart from the integrator, which would else hold itself."""

    log: Passages | None = None


class _Callback(ABC):
    """Told of the zeros of one event, in either direction; heyoka copies callbacks, this one stays itself."""

    def __init__(self, target: _Target, index: int) -> None:
        self._target, self._index = target, index

    def __deepcopy__(self, memo: dict) -> Any:
        return self

    @abstractmethod
    def __call__(self, integrator: Any, *told: Any) -> bool | None:
        """A zero was found; of a terminal event: whether the run goes on."""


class _Recorder(_Callback):
    """Of an event that does not stop a run."""

    def __call__(self, integrator: Any, *told: Any) -> None:
        t, sign = told
        log = self._target.log
        if log is not None and log.meets(self._index, t, sign):
            integrator.update_d_output(t)
            log.add(self._index, t, integrator.d_output.copy())


class _Stopper(_Callback):
    """Of a terminal event: whether the run goes on."""

    def __call__(self, integrator: Any, *told: Any) -> bool:
        (sign,) = told
        log = self._target.log
        if log is None or not log.meets(self._index, integrator.time, sign):
            return True
        log.add(self._index, integrator.time, integrator.state.copy())
        return False


class _Compiled:
    """A compiled integrator; its state, time and parameters are set anew for each run."""

    def __init__(self, flow: Flow, recorded: RecordedFlow, tolerance: float) -> None:
        import heyoka as hy

        self.success = hy.taylor_outcome.success
        self.not_finite = hy.taylor_outcome.err_nf_state
        self.time_limit = hy.taylor_outcome.time_limit
        self.step_limit = hy.taylor_outcome.step_limit
        self.program = recorded.right_hand_side
        self.target = _Target()
        self.watched = recorded.watched
        self.terminal = any(flow.events[i].terminal for i in self.watched)
        n, n_const = len(recorded.state_nodes), len(self.program.tape.constants)
        names = [f"x{i}" for i in range(n)]
        variables = [hy.expression(name) for name in names]
        extra = [hy.par[n_const + i] for i in range(len(recorded.extra))]
        outputs = _expressions(self.program, [*variables, hy.time, *extra])
        # Zeros in both directions, so that those found can be compared with the signs between them.
        stopping, passing = [], []
        for i, expression in zip(self.watched, outputs[n:], strict=True):
            if flow.events[i].terminal:
                stopping.append(hy.t_event(expression, callback=_Stopper(self.target, i)))
            else:
                passing.append(hy.nt_event(expression, _Recorder(self.target, i)))
        self.integrator = hy.taylor_adaptive(
            list(zip(variables, outputs[:n], strict=True)),
            state=[0.0] * n,
            pars=[0.0] * (n_const + len(extra)),
            tol=tolerance,
            # A reconstruction follows a run once: its compilation counts, not its speed.
            compact_mode=flow.follow is not None or len(self.program.tape.instructions) > _LARGE,
            t_events=stopping,
            nt_events=passing,
        )
        self.n_constants = n_const
        self.longest = 0.0

    def serves(self, flow: Flow) -> bool:
        """Whether it watches the events that are to be watched."""
        return len(self.watched) == len(flow.events) - flow.log.unwatched

    def reset(self, flow: Flow) -> None:
        """Initial state, time and hoisted constants of a run."""
        ta = self.integrator
        ta.time = float(flow.times[0])
        ta.state[:] = flow.x0
        ta.pars[: self.n_constants] = self.program.constants(flow.params)
        if self.terminal:
            ta.reset_cooldowns()
        self.target.log = flow.log
        self.longest = 0.0


def _expressions(program: Program, arguments: list) -> list:
    """The tape on heyoka expressions, hoisted constants as runtime parameters."""
    import heyoka as hy

    functions = {name: getattr(hy, name) for name in _FUNCTIONS}
    functions["square"] = lambda a: a * a
    arithmetic = Arithmetic("heyoka", lambda q: hy.expression(float(q)), functions)
    constants = [hy.par[i] for i in range(len(program.tape.constants))]
    return program.run(arguments, constants, arithmetic, hy.sum)


def taken(flow: Flow) -> tuple[_Compiled, Callable[[], None]]:
    """An integrator for a flow that is about to begin, an idle one or a new one, and how to give it back.

    Events on whose surface the run is are not watched: nothing tells their zero there from the next.
    """
    tolerance = DEFAULT_TOLERANCE if flow.rtol is None else flow.rtol
    watched = [i for i in range(len(flow.events)) if not flow.log.leaves(i)]
    recorded = RecordedFlow(flow, watched)
    kept, key = workspace(flow.system), recorded.key(flow, "heyoka", tolerance)
    compiled = kept.take(key) or _Compiled(flow, recorded, tolerance)
    compiled.reset(flow)
    return compiled, lambda: kept.give(key, compiled)


def run(flow: Flow) -> Generator[Block, None, Ending]:
    """Integrate a flow on recorded equations, yielding the samples reached; see `Ending` for the rest."""
    flow.begin()
    compiled, give = taken(flow)
    yield flow.times[:1], flow.x0[None, :]
    for grid, known in flow.pieces():
        if not compiled.serves(flow):
            compiled, give = exchanged(flow, compiled, give)
        if known is not None:
            compiled.integrator.state[: known.size] = known
        compiled.integrator.pars[compiled.n_constants :] = flow.drive.extra(float(grid[0]))
        if flow.events:
            flow.log.again(float(grid[0]), compiled.integrator.state)
        ending = yield from _piece(flow, compiled, grid)
        if ending.failure or flow.log.over:
            break
    # An integrator that an exception or an interrupt has left half way is dropped rather than given back.
    give()
    return ending


def exchanged(
    flow: Flow, compiled: _Compiled, give: Callable[[], None]
) -> tuple[_Compiled, Callable[[], None]]:
    """An integrator that watches what there is to watch now, where the other is; how to give it back."""
    t, x = compiled.integrator.time, compiled.integrator.state.copy()
    give()
    compiled, give = taken(flow)
    _set(compiled.integrator, t, x)
    return compiled, give


def _piece(flow: Flow, compiled: _Compiled, grid: np.ndarray) -> Generator[Block, None, Ending]:
    ta, log = compiled.integrator, flow.log
    rest = grid[1:]
    last = float(grid[0]), ta.state.copy()
    while True:
        before, start, mark = ta.time, ta.state.copy(), log.mark()
        # Continued from where it is, the integrator takes the same steps as without a pause.
        ahead = np.concatenate([[before], rest])
        outcome, shortest, longest, steps, _, rows = ta.propagate_grid(ahead, max_steps=_CHUNK)
        rows = rows[1:]
        compiled.longest = max(compiled.longest, longest)
        if shortest < _SHORT * compiled.longest or outcome == compiled.step_limit:
            broken = _breakdown(flow, compiled, before, start, steps)
            if broken is not None:
                log.forget_after(broken.time)
                reached = int(np.searchsorted(rest[: len(rows)], broken.time))
                yield rest[:reached], rows[:reached]
                return broken
        if flow.events and outcome != compiled.not_finite:
            look_again(flow, compiled, before, start, mark)
            if log.end is not None:
                rows = rows[: int(np.searchsorted(rest[: len(rows)], log.end[0], side="right"))]
        good = np.isfinite(rows)
        finite = bool(good.all())
        if not finite:
            rows = rows[: int(np.argmin(good.all(axis=1)))]
        if len(rows):
            last = float(rest[len(rows) - 1]), rows[-1]
        yield rest[: len(rows)], rows
        rest = rest[len(rows) :]
        if not finite or outcome == compiled.not_finite:
            compiled.target.log = None
            return Ending(*_last_finite(ta, *last))
        if outcome == compiled.time_limit or log.over:
            return Ending(ta.time)
        if outcome == compiled.step_limit:
            floor = 16 * np.finfo(float).eps * max(abs(before), abs(ta.time), 1e-3 * abs(grid[-1] - grid[0]))
            if abs(ta.time - before) <= floor * steps:
                return Ending(ta.time, "the step size collapsed", ta.state.copy())
            last = ta.time, ta.state.copy()
            continue
        return Ending(ta.time)


def look_again(flow: Flow, compiled: _Compiled, t: float, x: np.ndarray, mark: Mark) -> None:
    """Compare the passages found since a mark with the sides now, and search what was lost, step by step."""
    ta, log = compiled.integrator, flow.log
    end = float(ta.time)
    if not _lost(ta, log):
        return
    log.back_to(mark)
    _set(ta, t, x)
    while ta.time < end and log.stopped is None:
        t, x, mark = ta.time, ta.state.copy(), log.mark()
        ta.propagate_until(end, max_steps=1)
        if not _lost(ta, log):
            continue
        until = float(ta.time)
        log.back_to(mark)
        _set(ta, t, x)
        # A zero lies well within one of the windows that grow, however near to the beginning it is.
        for cut in [*early_times(t, until), until]:
            mark = log.mark()
            ta.propagate_until(cut)
            if log.stopped is not None:
                return
            if lost := log.settle(float(ta.time), ta.state.copy()):
                log.give_up(lost, float(ta.time), ta.state.copy())


def _lost(ta: Any, log: Passages) -> bool:
    return bool(log.settle(float(ta.time), ta.state.copy())) or log.doubtful


def _set(ta: Any, t: float, x: np.ndarray) -> None:
    ta.time, ta.state[:] = t, x
    if ta.with_events:
        ta.reset_cooldowns()


def _breakdown(flow: Flow, compiled: _Compiled, t: float, x: np.ndarray, steps: int) -> Ending | None:
    """Where a stretch that has been run from `x` at `t` met a state at which no run could start.

    An integrator may go on behind a singularity, or along it, with numbers that mean nothing.
    """
    system: Any = flow.system
    ta, n, log = compiled.integrator, system.nstates, compiled.target.log

    def singular() -> bool:
        return breaks_down(system, ta.time, ta.state[:n], flow.params)

    end = ta.time, ta.state.copy()
    limit = np.inf if singular() else _SHORT * compiled.longest
    compiled.target.log = None
    ta.time, ta.state[:] = t, x
    for _ in range(steps):
        _, h = ta.step()
        if h < limit and np.isfinite(ta.state).all() and singular():
            return Ending(ta.time, "the equations break down", ta.state.copy())
    ta.time, ta.state[:] = end
    compiled.target.log = log
    return None


def _last_finite(ta: Any, t: float, x: np.ndarray) -> tuple[float, str, np.ndarray]:
    """Step again from a good state to the last finite one."""
    ta.time = t
    ta.state[:] = x
    for _ in range(_CHUNK):
        ta.step()
        if not np.isfinite(ta.state).all():
            break
        t, x = ta.time, ta.state.copy()
    return t, "the state is no longer finite", x
