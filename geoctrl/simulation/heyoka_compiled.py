"""Compiled integrators of heyoka: of states as they are, or in sizes of their own, and who has one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._scalars import Arithmetic, Program
from geoctrl.simulation.recorded_flow import RecordedFlow
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.passages import Mark, Passages, early_times
from geoctrl.stepping.drive.run_sizes import SMALL, Sizes

__all__ = ["DEFAULT_TOLERANCE", "FUNCTIONS", "Compiled", "Taken", "heyoka_for", "taylor_expressions"]

DEFAULT_TOLERANCE = 1e-15

_LARGE = 250
"""Instructions above which code is generated in compact mode: compiled ten times faster, run slower."""

_SMALL = 30
"""Instructions up to which code is optimised at once, in a quarter of a second. Others take some 20 ms an
instruction for it, ten times what they take without, and then run up to twice as fast."""

_FEW_LOOPS = 48
"""Loops up to which compact code is optimised at once: that takes some 8 ms a loop."""

_LONG = 20_000
"""Steps after which a run goes on in optimised code: a run alone decides, not what was run before it, so that
its last bits are the same in every process."""

FUNCTIONS: tuple[str, ...] = (
    *("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "atan2"),
)


_STORES = 64
"""Folders on which compiled code is spread, by the number of instructions."""

_STORE = 1 << 26
"""Bytes that one of them holds, at most: the code used longest ago goes first."""


@cache
def _loaded_heyoka() -> Any:
    """heyoka. It would print a warning where a run with events turns to no number: that is told as a failure
    of the run, and zeros that it misses are looked for again.
    """
    import heyoka

    heyoka.set_logger_level_error()
    return heyoka


def heyoka_for(program: Program) -> Any:
    """heyoka, which finds and keeps compiled code of these equations in a small store below its own.

    It reads all of a store when a process first compiles something: a third of a second for a gigabyte, which
    its one store for everything grows to. Where code is kept, and whether it is, the user says as ever.
    """
    heyoka = _loaded_heyoka()
    state, number = heyoka.llvm_state, len(program.tape.instructions) % _STORES
    given = getattr(state, "get_diskcache_path", Path)()
    whole = given.parents[1] if given.parent.name == "geoctrl" else given
    own = whole / "geoctrl" / f"{number:02}"
    if whole != Path() and given != own:  # there is none in older versions, nor for a user without a home
        state.set_diskcache_path(own)
        state.set_diskcache_limit(min(state.get_diskcache_limit(), _STORE))  # kept with the store
    return heyoka


# -- zeros of events -------------------------------------------------------------------------------


class _Target:
    """Where zeros are told; apart from the integrator, which would else hold itself."""

    log: Passages | None = None
    sizes: Sizes | None = None

    def in_system_units(self, t: float, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Time and state in the units of the system."""
        return (t, z.copy()) if self.sizes is None else (t / self.sizes.rate, z * self.sizes.state)


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
        theta, sign = told
        log, sizes = self._target.log, self._target.sizes
        if log is None:
            return
        t = theta if sizes is None else theta / sizes.rate
        if log.meets(self._index, t, sign):
            integrator.update_d_output(theta)
            log.add(self._index, *self._target.in_system_units(theta, integrator.d_output))


class _Stopper(_Callback):
    """Of a terminal event: whether the run goes on."""

    def __call__(self, integrator: Any, *told: Any) -> bool:
        (sign,) = told
        log = self._target.log
        if log is None:
            return True
        t, x = self._target.in_system_units(integrator.time, integrator.state)
        if not log.meets(self._index, t, sign):
            return True
        log.add(self._index, t, x)
        return False


# -- integrators -----------------------------------------------------------------------------------


class _Measured:
    """An integrator of z = x/d over theta = omega t, asked and answering in the units of the system."""

    def __init__(self, integrator: Any, target: _Target, first: int) -> None:
        self._ta, self._target, self._first = integrator, target, first
        self.pars = integrator.pars
        self.with_events, self.reset_cooldowns = integrator.with_events, integrator.reset_cooldowns

    def measure(self, sizes: Sizes) -> None:
        """Take up sizes; state and time are to be set anew."""
        self._target.sizes = sizes
        d, rate = sizes
        # The last of them may not occur in the equations: the compiled code then does not have them.
        numbers = [*d, *(1 / (rate * d)), 1 / rate]
        self.pars[self._first :] = numbers[: len(self.pars) - self._first]

    @property
    def sizes(self) -> Sizes:
        """Those in use."""
        assert self._target.sizes is not None
        return self._target.sizes

    @property
    def time(self) -> float:
        """Time (s)."""
        return self._ta.time / self.sizes.rate

    @property
    def dtime(self) -> tuple[float, float]:
        """Time (s) in two doubles."""
        high, low = self._ta.dtime
        return high / self.sizes.rate, low / self.sizes.rate

    @property
    def state(self) -> np.ndarray:
        """The state, a copy."""
        return self._ta.state * self.sizes.state

    def set(self, t: float, x: Any) -> None:
        """Begin at a time and state."""
        self._ta.time, self._ta.state[:] = t * self.sizes.rate, np.asarray(x) / self.sizes.state

    def step(self, most: float = np.inf) -> tuple[Any, float]:
        """One step, as long as it may be."""
        outcome, h = self._ta.step(most * self.sizes.rate)
        return outcome, h / self.sizes.rate

    def propagate_until(self, t: float, max_steps: int = 0) -> tuple:
        """On to a time."""
        outcome, *rest = self._ta.propagate_until(t * self.sizes.rate, max_steps=max_steps)
        return outcome, *rest

    def propagate_grid(self, times: np.ndarray, max_steps: int = 0) -> tuple:
        """On along a grid; the states of the rows reached."""
        rate = self.sizes.rate
        outcome, low, high, steps, _, rows = self._ta.propagate_grid(times * rate, max_steps=max_steps)
        return outcome, low / rate, high / rate, steps, None, rows * self.sizes.state


class Compiled:
    """A compiled integrator; its state, time and parameters are set anew for each run.

    Parameters
    ----------
    measured : bool
        Whether states and time are taken in sizes, which are parameters of the compiled code too.
    optimised : bool
        Whether the code is compiled to run fast; else soon.
    """

    def __init__(self, recorded: RecordedFlow, tolerance: float, measured: bool, optimised: bool) -> None:
        self.program = recorded.right_hand_side
        hy, flow = heyoka_for(self.program), recorded.flow
        self.success = hy.taylor_outcome.success
        self.not_finite = hy.taylor_outcome.err_nf_state
        self.time_limit = hy.taylor_outcome.time_limit
        self.step_limit = hy.taylor_outcome.step_limit
        self.target = _Target()
        self.watched = recorded.watched
        self.terminal = any(flow.events[i].terminal for i in self.watched)
        n, n_const = len(recorded.state_nodes), len(self.program.tape.constants)
        n_extra = len(recorded.extra)
        variables = [hy.expression(f"x{i}") for i in range(n)]
        extra = [hy.par[n_const + i] for i in range(n_extra)]
        first = n_const + n_extra
        states, time, slopes = variables, hy.time, [1] * n
        if measured:
            states = [hy.par[first + i] * z for i, z in enumerate(variables)]
            slopes = [hy.par[first + n + i] for i in range(n)]
            time = hy.par[first + 2 * n] * hy.time
        outputs = taylor_expressions(self.program, [*states, time, *extra])
        # Zeros in both directions, so that those found can be compared with the signs between them.
        stopping, passing = [], []
        for i, expression in zip(self.watched, outputs[n:], strict=True):
            if flow.events[i].terminal:
                stopping.append(hy.t_event(expression, callback=_Stopper(self.target, i)))
            else:
                passing.append(hy.nt_event(expression, _Recorder(self.target, i)))
        rates = [r * f for r, f in zip(slopes, outputs[:n], strict=True)] if measured else outputs[:n]
        compact = len(self.program.tape.instructions) > _LARGE
        integrator = hy.taylor_adaptive(
            list(zip(variables, rates, strict=True)),
            state=[0.0] * n,
            tol=tolerance,
            **({} if measured else {"pars": [0.0] * first}),
            compact_mode=compact,
            # Loops over gathered coefficients do not gain by more than the first level, which is compiled in
            # five sixths of the time; all levels but 0 give the same bits.
            opt_level=(1 if compact else 3) if optimised else 0,
            t_events=stopping,
            nt_events=passing,
        )
        self.measured = _Measured(integrator, self.target, first) if measured else None
        self.integrator: Any = self.measured or integrator
        self.n_constants = n_const
        self.held = integrator.pars[n_const:first]
        """Numbers of what drives the inputs, a view."""
        self.longest = 0.0

    def set(self, t: float, x: Any) -> None:
        """Begin anew at a time and state."""
        ta = self.integrator
        if self.measured is not None:
            self.measured.set(t, x)
        else:
            ta.time, ta.state[:] = t, x
        if self.watched:
            ta.reset_cooldowns()

    def reset(self, flow: Flow, sizes: Sizes | None) -> None:
        """Initial state, time and hoisted constants of a run."""
        if self.measured is not None and sizes is not None:
            self.measured.measure(sizes)
        self.set(float(flow.times[0]), flow.x0)
        self.integrator.pars[: self.n_constants] = self.program.constants(flow.params)
        self.target.log = flow.log
        self.longest = 0.0


def taylor_expressions(program: Program, arguments: list) -> list:
    """The tape on heyoka expressions, hoisted constants as runtime parameters."""
    hy = _loaded_heyoka()
    functions = {name: getattr(hy, name) for name in FUNCTIONS}
    functions["square"] = lambda a: a * a
    arithmetic = Arithmetic("heyoka", lambda q: hy.expression(float(q)), functions)
    constants = [hy.par[i] for i in range(len(program.tape.constants))]
    return program.run(arguments, constants, arithmetic, hy.sum)


def _loops(program: Program) -> int:
    """Loops of compact code, roughly: one for each kind of instruction at each depth."""
    depths, found = list[int](), set[tuple]()
    for name, *operands in program.tape.instructions:
        used = operands[0] if name == "sum" else operands[-1] if name == "fun" else operands
        values = [pair[1] for pair in used] if name == "sum" else used
        depths.append(1 + max((depths[k] for kind, k in values if kind == "t"), default=0))
        found.add((depths[-1], name, len(values), operands[0] if name == "fun" else None))
    return len(found)


class Taken:
    """The integrator that a flow is run by: another one where its events or sizes ask for it.

    Events on whose surface the run is are not watched: nothing tells their zero there from the next.
    """

    def __init__(self, recorded: RecordedFlow) -> None:
        self._recorded, self._flow = recorded, recorded.flow
        self._sizes = self._flow.sizes(SMALL)
        size = len(recorded.right_hand_side.tape.instructions)
        # A reconstruction follows a run once: its compilation counts, not its speed.
        followed = self._flow.follow is not None
        quick = size <= _SMALL or (size > _LARGE and _loops(recorded.right_hand_side) <= _FEW_LOOPS)
        self._optimised = (quick or self._flow.optimised) and not followed
        self.left: float = inf if self._optimised or followed else _LONG
        """Steps until the run is long enough for optimised code."""
        self._take()

    def _take(self) -> None:
        flow = self._flow
        watched = [i for i in range(len(flow.events)) if not flow.log.leaves(i)]
        recorded, tolerance = self._recorded.watching(watched), flow.tolerance(DEFAULT_TOLERANCE)
        measured = self._sizes is not None
        self._kept = recorded.workspace
        self._key = recorded.key("heyoka", tolerance, measured, self._optimised)
        self.compiled = self._kept.take(self._key) or Compiled(recorded, tolerance, measured, self._optimised)
        self.compiled.reset(flow, self._sizes)

    @property
    def serves(self) -> bool:
        """Whether it watches the events that are to be watched now."""
        return len(self.compiled.watched) == len(self._flow.events) - self._flow.log.unwatched_count

    def optimise(self) -> None:
        """Go on in optimised code."""
        self._optimised, self.left = True, inf
        self.exchange()

    def exchange(self) -> None:
        """Take the integrator that watches what is to be watched now, and set it to where the other is."""
        ta, held = self.compiled.integrator, self.compiled.held.copy()
        t, x, longest = float(ta.time), ta.state.copy(), self.compiled.longest
        self.give()
        self._take()
        self.compiled.held[:], self.compiled.longest = held, longest
        self.compiled.set(t, x)

    def resize(self, t: float, x: np.ndarray) -> None:
        """Go on from a state in its sizes."""
        self._sizes = self._flow.sizes_at(t, x, np.inf)
        if self._sizes is not None and self.compiled.measured is not None:
            self.compiled.measured.measure(self._sizes)
        elif (self._sizes is None) != (self.compiled.measured is None):
            self.exchange()
        self.compiled.set(t, x)

    def look_again(self, t: float, x: np.ndarray, mark: Mark) -> None:
        """Compare the passages found since a mark with the sides now; search what was lost, step by step."""
        compiled, log = self.compiled, self._flow.log
        ta = compiled.integrator
        end = float(ta.time)
        if not self._loses_any():
            return
        log.back_to(mark)
        compiled.set(t, x)
        while ta.time < end and log.stopped is None:
            t, x, mark = ta.time, ta.state.copy(), log.mark()
            ta.propagate_until(end, max_steps=1)
            if not self._loses_any():
                continue
            until = float(ta.time)
            log.back_to(mark)
            compiled.set(t, x)
            # A zero lies well within one of the windows that grow, however near to the beginning it is.
            for cut in [*early_times(t, until), until]:
                mark = log.mark()
                ta.propagate_until(cut)
                if log.stopped is not None:
                    return
                if lost := log.settle(float(ta.time), ta.state.copy()):
                    log.give_up(lost, float(ta.time), ta.state.copy())

    def _loses_any(self) -> bool:
        ta, log = self.compiled.integrator, self._flow.log
        return bool(log.settle(float(ta.time), ta.state.copy())) or log.doubtful

    def give(self) -> None:
        """Give it back."""
        self._kept.give(self._key, self.compiled)
