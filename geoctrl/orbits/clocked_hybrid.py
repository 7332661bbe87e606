"""Systems with jumps that hold the time, written with a clock in its place.

Modes, guards and resets are those of `geoctrl.orbits.clocked_orbit`; resets leave the clock as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl.errors import InputError
from geoctrl.orbits.clocked_orbit import ClockedNodes, clock_of, clocked_field
from geoctrl.orbits.forcing import Forcing, forcing_of, holds_time, rate_of_clock
from geoctrl.orbits.phases.hybrid_modes import WrittenOrbit, promised_reactions
from geoctrl.systems import HybridSystem, Jump

__all__ = ["ClockedHybrid", "orbit_with_clock"]


class ClockedHybrid(NamedTuple):
    """Modes and jumps with a clock.

    Attributes
    ----------
    system : HybridSystem
    clock : str
        Label of the last state of each mode, an angle.
    period : float
        Of the equations (s), in which the clock goes round once.
    promises : dict
        By jumps and names what is positive there.
    kept : dict
        By modes and names what rows promise all along.
    """

    system: HybridSystem
    clock: str
    period: float
    promises: dict[str, dict[str, sp.Expr]]
    kept: dict[str, dict[str, sp.Expr]]

    @classmethod
    def of(
        cls,
        system: HybridSystem,
        forcing: Any,
        params: Mapping[str, float] | None,
        free: str | None = None,
    ) -> ClockedHybrid:
        """That of a system, for ``forcing=`` of `find_periodic`; with a parameter that may change."""
        values = system.parameters_at(params)
        forced = _forcing_of_modes(system, forcing, values)
        fixed = {k: {name: v for name, v in own.items() if name != free} for k, own in values.items()}
        period, rate = next((f.period(values[k]), rate_of_clock(f, fixed[k])) for k, f in forced.items() if f)
        for k, f in forced.items():
            if free is not None and f is not None:
                f.require_along(free, values[k])
        clock = clock_of(system.modes.values())
        written = {name: ClockedNodes(mode, forced[name], clock) for name, mode in system.modes.items()}
        jumps, promises = [], {}
        for t in system.transitions:
            when, *reset = written[t.source.name]([t.guard, *t.reset])
            after = dict(zip(t.target.system.state_labels, reset, strict=True))
            jumps.append(Jump(t.name, when, t.jump.direction, after, of=t.source.name, to=t.target.name))
            asked = written[t.source.name]([*t.promises.values()])
            promises[t.name] = dict(zip(t.promises, asked, strict=True))
        kept = {}
        for name, nodes in written.items():
            reactions = promised_reactions(system, name)
            kept[name] = dict(zip(reactions, nodes([*reactions.values()]), strict=True))
        modes = {k: clocked_field(nodes, rate) for k, nodes in written.items()}
        return cls(HybridSystem(modes=modes, jumps=jumps, name=system.name), clock, period, promises, kept)


def orbit_with_clock(orbit: Any) -> WrittenOrbit:
    """A forced orbit as one of the system with a clock, which closes up to turns."""
    clocked = ClockedHybrid.of(orbit.system, orbit.period / orbit.cycles, orbit.params)
    times = orbit.begin + np.cumsum([0.0, *orbit.periods[:-1]])
    states = (np.append(x, 2 * np.pi * t / clocked.period) for x, t in zip(orbit.states, times, strict=True))
    written = replace(orbit, system=clocked.system, states=tuple(states))
    return WrittenOrbit(written, {clocked.clock: orbit.cycles}, clocked.promises, clocked.kept)


def _forcing_of_modes(
    system: HybridSystem, forcing: Any, values: Mapping[str, Mapping[str, float]]
) -> dict[str, Forcing | None]:
    """The forcing of each mode, with all of its jumps; None where these do not hold the time."""
    found: dict[str, Forcing | None] = {}
    for name, mode in system.modes.items():
        nodes = [*promised_reactions(system, name).values()]
        for t in system.leaving(name):
            nodes += [t.guard, *t.reset, *t.promises.values()]
        held = holds_time(mode, nodes)
        found[name] = forcing_of(mode, forcing, values[name], nodes) if held else None
    rates = [rate_of_clock(f, values[name]) for name, f in found.items() if f is not None]
    if not rates:
        raise InputError("the equations do not hold the time: leave forcing= out")
    if any(sp.simplify(rate - rates[0]) != 0 for rate in rates[1:]):
        raise InputError(f"forcing = {forcing!r} is not proved to be one period of all modes")
    return found
