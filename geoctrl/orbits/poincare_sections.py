"""Poincare sections: where runs cross a surface in the space of states."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import nearest, real_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import real
from geoctrl.errors import InputError, LabelError
from geoctrl.runs import EventRecord
from geoctrl.simulation.run import simulate
from geoctrl.stepping.drive.events import Event
from geoctrl.systems import System, as_system

__all__ = ["PoincareSection", "poincare_section"]

_SENSES = {1: "upwards", -1: "downwards", 0: "either way"}
_SAME = 1e-9
"""Difference of levels, relative to their sizes, up to which starts are on the same one."""

_INSTANT = 1e-3
"""Seconds for a run for which no time is left: it tells its start."""


@dataclass(frozen=True, eq=False)
class PoincareSection:
    r"""Crossings of runs with the surface :math:`g(x) = 0`; made by `poincare_section`.

    ``section[label]`` is a tuple of arrays (k_i,): a state at the crossings of each run.

    Attributes
    ----------
    system : System
    surface : sympy expression
        g.
    direction : {-1, 0, 1}
        The sense in which g passes zero.
    starts : ndarray (N, n)
    crossings : tuple of EventRecord
        For each start ``.time`` (k_i,) and ``.states`` (n, k_i), in the order of time.
    levels : dict of name -> ndarray (N,)
        What is conserved along all runs, at the starts. A section is a picture of one map where these agree.
    status : tuple of str
        How each run ended.
    units : dict of label -> str
        Of states, as far as the description tells.
    sizes : dict of name -> float
        Of what is conserved: its value, and its change by deviations of the states' sizes, at most.
    """

    system: System
    surface: Any
    direction: int
    starts: np.ndarray
    crossings: tuple[EventRecord, ...]
    levels: dict[str, np.ndarray]
    status: tuple[str, ...]
    units: dict[str, str]
    sizes: dict[str, float]

    def __len__(self) -> int:
        return len(self.crossings)

    def __getitem__(self, label: str) -> tuple[np.ndarray, ...]:
        """A state at the crossings of each run; LabelError for another label."""
        row = _row(list(self.system.state_labels), label)
        return tuple(found.states[row] for found in self.crossings)

    @property
    def shared(self) -> dict[str, float]:
        """Levels on which all starts are."""
        return {k: float(v[0]) for k, v in self.levels.items() if np.ptp(v) <= _SAME * self.sizes[k]}

    def plot(self, x: str | None = None, y: str | None = None, ax: Any = None) -> Any:
        """The section as `geoctrl.viz.poincare` draws it."""
        from importlib import import_module

        return import_module("geoctrl.viz").poincare(self, x=x, y=y, ax=ax)

    def _lines(self) -> list[str]:
        shared = self.shared
        levels = [
            f"{name} = {shared[name]:.9g}" if name in shared else f"{name} differs" for name in self.levels
        ]
        counts = ", ".join(str(len(found)) for found in self.crossings)
        return [
            f"<PoincareSection of {self.system.name or 'a system'}: {self.surface} = 0, "
            f"{_SENSES[self.direction]}>",
            f"  crossings: {counts}",
            f"  levels: {', '.join(levels) or '-'}",
        ]

    full = full_text
    __repr__ = short_form


@paced_call
def poincare_section(
    sys: System,
    section: Any,
    starts: Any,
    time: float,
    params: Mapping[str, float] | None = None,
    *,
    direction: int = 1,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
    **options: Any,
) -> PoincareSection:
    r"""Crossings of motions with the surface :math:`g(x) = 0`, located as the events of a run.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
    section : sympy expression or dict
        g, in states and parameters; ``{label: level}`` is a state at a level. Angles are not wrapped:
        ``sin(phi)`` with a direction is an angle at all its turns.
    starts : (N, n) array or (n,) array
        States on the leaf. Systems with conserved functions have one section for each level: take starts on
        the same one.
    time : float
        For which each runs (s).
    params : dict, optional
        Overrides of the defaults.
    direction : {-1, 0, 1}
        Crossings with falling g, all, or with rising g.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for all runs; `PoincareSection.status` tells how far each came.
    options
        Of `simulate`: ``engine``, ``rtol``, ``inputs``, ``domain``, ``throw``.

    Returns
    -------
    PoincareSection
        A start on the surface is no crossing. Where a run touches the surface without passing through, a
        direction leaves the point out.

    Raises
    ------
    LabelError
        For a level of what is no state.
    InputError, TypeError
        For starts that are no states, a time that is not positive, another direction, a section that is no
        expression.
    ExpressionError
        For an expression that cannot be translated or that does not change along a run.
    ConstraintError, ParameterError, SimulationError
        As of `simulate`.

    Notes
    -----
    H. Poincare, Les methodes nouvelles de la mecanique celeste, vol. 3 (1899), chapter 27.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = gc.models.get("free-rigid-body")().reduce()
    >>> found = gc.poincare_section(body, {"Omega2": 0}, [0.2, 0.3, 1.0], 30.0)
    >>> [len(crossings) for crossings in found.crossings]
    [3]
    """
    system = as_system(sys, "poincare_section")
    event = Event(_surface(system, section), direction=direction)
    span = real(time, "time")
    if not span > 0:
        raise InputError(f"time must be positive, in seconds, got {time!r}")
    points = np.atleast_2d(real_array("starts", starts))
    if points.ndim != 2 or points.shape[1] != system.nstates or not len(points):
        raise InputError(
            f"starts must be states of {system.nstates} numbers, one (n,) or several (N, n); "
            f"got the shape {np.shape(starts)}"
        )
    for x in points:
        system.start(x, params)  # refuses what is off the leaf before any run
    call = under_way()
    runs: list[Any] = []
    for x in points:
        left = None if math.isinf(call.budget.seconds) else max(call.budget.seconds_left, _INSTANT)
        crossings = sum(len(run.events["section"]) for run in runs)
        call.tell(
            f"start {len(runs) + 1} of {len(points)}", f"{crossings} crossings", len(runs) / len(points)
        )
        run = simulate(
            system, [0.0, span], x, params=params, events={"section": event}, seconds=left, **options
        )
        runs.append(run)
    # What given functions leave conserved is judged along each run.
    kept = [name for name in runs[0].invariants if all(name in run.invariants for run in runs)]
    levels = {name: np.array([run.invariants[name][0] for run in runs]) for name in kept}
    return PoincareSection(
        system=system,
        surface=event.expr,
        direction=int(event.direction),
        starts=points,
        crossings=tuple(run.events["section"] for run in runs),
        levels=levels,
        status=tuple(run.status for run in runs),
        units=system.state_units,
        sizes=_sizes(system, levels, points, system.parameters_at(params)),
    )


def _sizes(
    system: System, levels: Mapping[str, np.ndarray], points: np.ndarray, params: Mapping[str, float]
) -> dict[str, float]:
    """Sizes of conserved functions at the starts."""
    found = {name: float(np.max(np.abs(values))) for name, values in levels.items()}
    seen, u = system.seen_from(None), np.zeros(system.ninputs)
    for x in points:
        d = seen.scales(x, u, params).column
        for name, gradient in seen.conserved_gradients(x, u, params).items():
            if name in found:
                found[name] = max(found[name], float(np.abs(gradient) @ d))
    return found


def _surface(system: System, section: Any) -> Any:
    """g of a section."""
    if not isinstance(section, Mapping):
        return section
    if len(section) != 1:
        raise InputError(
            f"a section is one state at a level, as {{label: level}}, got {len(section)} entries"
        )
    ((label, level),) = section.items()
    row = _row(list(system.state_labels), label)
    return system.states[row] - real(level, f"the level of {label}")


def _row(labels: list[str], label: str) -> int:
    if label not in labels:
        raise LabelError(f"no state {label!r}{nearest(str(label), labels)}")
    return labels.index(label)
