"""Periodic orbits through jumps of equations that hold the time.

Modes, guards and resets are written with a clock in the place of the time (`geoctrl.orbits.clocked_hybrid`),
an angle that has gone on by whole turns after the period. The orbit of these, up to its turns, is found as
others are; the clock is no state of what is returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from geoctrl.orbits.clocked_hybrid import ClockedHybrid
from geoctrl.orbits.forcing import whole_periods
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.hybrid_shooting import hybrid_orbit, names_of_jumps
from geoctrl.orbits.met_jumps import AFTER, require_met
from geoctrl.orbits.orbit import no_orbit
from geoctrl.simulation.run import simulate
from geoctrl.systems import HybridSystem

__all__ = ["forced_hybrid_orbit", "orbit_without_clock"]


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
    clocked, clock, P, *_ = ClockedHybrid.of(system, forcing, params)
    cycles = whole_periods(period, P)
    x = np.append(system.modes[first].start(guess, values[first]), 0.0)
    given = dict(params or {})
    begun = simulate(clocked, [0.0, 2 * cycles * P], x, params=given, mode=first, max_jumps=1, throw=False)
    if not begun.jumps:
        raise no_orbit(f"its motion meets no jump within {2 * cycles * P:.6g} s")
    jump = begun.jumps[0]
    if names and names[0] == jump.name:
        names = [*names[1:], names[0]]
    found = hybrid_orbit(clocked, jump.after, cycles * P, params, jump.mode, names, {clock: cycles})
    return orbit_without_clock(system, found, cycles)


def orbit_without_clock(system: HybridSystem, found: HybridOrbit, cycles: int) -> HybridOrbit:
    """The orbit as one of the equations that hold the time, if a motion of these meets its jumps."""
    P = found.period / cycles
    begin = float(found.x[-1]) * P / (2 * np.pi) % P
    run = simulate(
        system,
        [begin, begin + found.period * (1 + AFTER)],
        found.x[:-1],
        params=found.params,
        mode=found.modes[0],
        max_jumps=len(found.jumps),
        throw=False,
    )
    require_met(run, found.jumps, np.cumsum(found.periods), found.period)
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
