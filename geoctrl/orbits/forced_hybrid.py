"""Periodic orbits through jumps of equations that hold the time.

Modes, guards and resets are written with a clock in the place of the time (`geoctrl.orbits.clocked_orbit`),
an angle that has gone on by whole turns after the period. The orbit of these, up to its turns, is found as
others are; the clock is no state of what is returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from geoctrl.errors import EquilibriumError, InputError
from geoctrl.orbits.clocked_orbit import ClockedNodes, clock_of, clocked_field
from geoctrl.orbits.forcing import Forcing, forcing_of, holds_time, rate_of_clock, whole_periods
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.hybrid_shooting import hybrid_orbit, names_of_jumps
from geoctrl.simulation.run import simulate
from geoctrl.systems import HybridSystem, Jump

__all__ = ["forced_hybrid_orbit"]

_AFTER = 1e-3
"""Part of the period by which the orbit is run past its end."""


def forced_hybrid_orbit(
    system: HybridSystem,
    guess: Any,
    period: Any,
    forcing: Any,
    params: Mapping[str, float] | None,
    mode: str | None,
    jumps: Sequence[str] | None,
) -> HybridOrbit:
    """The orbit next to the motion of a guess at t = 0; see `find_periodic`."""
    first, values = system.mode_name(mode), system.parameters_at(params)
    names = names_of_jumps(system, jumps)
    forced = _forcing_of_modes(system, forcing, values)
    P, rate = next((f.period(values[k]), rate_of_clock(f, values[k])) for k, f in forced.items() if f)
    cycles = whole_periods(period, P)
    clocked, clock = _clocked_hybrid(system, forced, rate)
    x = np.append(system.modes[first].start(guess, values[first]), 0.0)
    given = dict(params or {})
    begun = simulate(clocked, [0.0, 2 * cycles * P], x, params=given, mode=first, max_jumps=1, throw=False)
    if not begun.jumps:
        raise EquilibriumError(f"the motion of the guess meets no jump within {2 * cycles * P:.6g} s")
    jump = begun.jumps[0]
    if names and names[0] == jump.name:
        names = [*names[1:], names[0]]
    found = hybrid_orbit(clocked, jump.after, cycles * P, params, jump.mode, names, {clock: cycles})
    return _without_clock(system, found, float(P / (2 * np.pi)), cycles)


def _nodes_of_jumps(system: HybridSystem, mode: str) -> list[Any]:
    """Guards and resets of the jumps from a mode."""
    return [node for t in system.leaving(mode) for node in (t.guard, *t.reset)]


def _forcing_of_modes(
    system: HybridSystem, forcing: Any, values: Mapping[str, Mapping[str, float]]
) -> dict[str, Forcing | None]:
    """The forcing of each mode, with its guards and resets; None where these do not hold the time."""
    found: dict[str, Forcing | None] = {}
    for name, mode in system.modes.items():
        nodes = _nodes_of_jumps(system, name)
        held = holds_time(mode, nodes)
        found[name] = forcing_of(mode, forcing, values[name], nodes) if held else None
    rates = [rate_of_clock(f, values[name]) for name, f in found.items() if f is not None]
    if not rates:
        raise InputError("the equations do not hold the time: leave forcing= out")
    if any(sp.simplify(rate - rates[0]) != 0 for rate in rates[1:]):
        raise InputError(f"forcing = {forcing!r} is not proved to be one period of all modes")
    return found


def _clocked_hybrid(
    system: HybridSystem, forced: Mapping[str, Forcing | None], rate: sp.Expr
) -> tuple[HybridSystem, str]:
    """Modes and jumps with a clock in the place of the time, and its label."""
    clock = clock_of(system.modes.values())
    written = {name: ClockedNodes(mode, forced[name], clock) for name, mode in system.modes.items()}
    jumps = []
    for t in system.transitions:
        when, *reset = written[t.source.name]([t.guard, *t.reset])
        jumps.append(
            Jump(
                *(t.name, when, t.jump.direction),
                dict(zip(t.target.system.state_labels, reset, strict=True)),
                of=t.source.name,
                to=t.target.name,
            )
        )
    modes = {name: clocked_field(w, rate) for name, w in written.items()}
    return HybridSystem(modes=modes, jumps=jumps, name=system.name), clock


def _without_clock(system: HybridSystem, found: HybridOrbit, unit: float, cycles: int) -> HybridOrbit:
    """The orbit as one of the equations that hold the time, if a motion of these meets its jumps."""
    begin = float(found.x[-1]) * unit % (found.period / cycles)
    run = simulate(
        system,
        [begin, begin + found.period * (1 + _AFTER)],
        found.x[:-1],
        params=found.params,
        mode=found.modes[0],
        max_jumps=len(found.jumps),
        throw=False,
    )
    met = tuple(jump.name for jump in run.jumps)
    if met != found.jumps or run.status.startswith("failed"):
        raise EquilibriumError(
            f"no periodic orbit was found near the guess: a motion from what was found meets "
            f"{', '.join(met) or 'no jump'} instead of {', '.join(found.jumps)} ({run.status})"
        )
    # On the guard the time tells the place along it: the zero of the strike is the clock's.
    strike = found.neutral.index("strike")
    return replace(
        found,
        system=system,
        states=tuple(x[:-1] for x in found.states),
        saltation=tuple(S[:-1, :-1] for S in found.saltation),
        multipliers=np.delete(found.multipliers, strike),
        neutral=tuple(np.delete(np.array(found.neutral, dtype=object), strike)),
        impulses=tuple(jump.impulse for jump in run.jumps),
        lost=np.array([jump.lost for jump in run.jumps]),
        begin=begin,
        cycles=cycles,
    )
