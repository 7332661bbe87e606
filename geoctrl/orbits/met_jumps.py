"""Jumps that motions meet: that of a guess, and those from what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from geoctrl.errors import GeoctrlError, InputError
from geoctrl.orbits.orbit import no_orbit
from geoctrl.orbits.phases.hybrid_phase import Phase
from geoctrl.orbits.phases.stretches import Way
from geoctrl.simulation.jumps.hybrid_trajectory import HybridTrajectory, JumpRecord
from geoctrl.simulation.run import simulate
from geoctrl.systems import HybridSystem, Transition

__all__ = ["AFTER", "TIMELY", "chain_of_jumps", "jumps_of_guess", "jumps_of_ways", "require_met"]

_FIRST = 1e-2
"""Part of the period that the guess is run without guards: published starts are on one to their digits."""
AFTER = 1e-3
"""Part of the time by which the orbit is run past its jumps."""
TIMELY = 1e-4
"""Part of the period up to which a run meets a jump at its time: states are told to 1e-10 of their sizes, and
where a guard is touched the time of that to the root, 1e-5."""


def chain_of_jumps(system: HybridSystem, first: str, names: Sequence[str]) -> list[Transition]:
    """The jumps, each from the mode that the one before enters."""
    by_name, mode, chain = {t.name: t for t in system.transitions}, first, []
    for name in names:
        if by_name[name].source.name != mode:
            raise InputError(
                f"the jump {name!r} leads from the mode {by_name[name].source.name!r}, and the motion is in "
                f"{mode!r}"
            )
        chain.append(by_name[name])
        mode = by_name[name].target.name
    if mode != first:
        raise InputError(f"after the jumps {', '.join(names)} the mode is {mode!r}, not {first!r} again")
    return chain


def jumps_of_guess(
    system: HybridSystem,
    x: np.ndarray,
    period: float,
    values: Mapping[str, dict[str, float]],
    first: str,
    wanted: list[str] | None,
) -> tuple[list[str], list[float]]:
    """Jumps that the motion of the guess meets within its period, and the times between them."""
    bit = _FIRST * period
    try:
        y = simulate(system.modes[first], [0, bit], x, params=values[first]).states[:, -1]
        given = {k: v for own in values.values() for k, v in own.items()}
        run = simulate(system, [bit, 1.25 * period], y, params=given, mode=first)
    except GeoctrlError as error:
        raise no_orbit(f"its motion cannot be followed: {error}") from None
    names, ends = [jump.name for jump in run.jumps], [jump.time for jump in run.jumps]
    if not names:
        raise no_orbit(f"within {1.25 * period:.6g} s its motion meets no jump")
    count = int(np.argmin(np.abs(np.array(ends) - period))) + 1 if wanted is None else len(wanted)
    if wanted is not None and names[:count] != wanted:
        raise no_orbit(f"its motion meets {', '.join(names)}, not {', '.join(wanted)}")
    return names[:count], np.diff([0.0, *ends[:count]]).tolist()


def jumps_of_ways(hybrid: HybridSystem, phases: Sequence[Phase], ways: Sequence[Way]) -> list[JumpRecord]:
    """The jumps of a motion from what was found, if they are those; where phases are cut, of one from each
    place where a part begins.
    """
    names = [phase.transition.name for phase in phases]
    runs, whole = list[tuple[Phase, np.ndarray, float, list[str]]](), sum(t for way in ways for _, t in way)
    if max(map(len, ways)) == 1:
        runs = [(phases[0], ways[0][0][0], whole, names)]
    else:
        for phase, way in zip(phases, ways, strict=True):
            runs += [(phase, x, time, []) for x, time in way[:-1]]
            runs.append((phase, *way[-1], [phase.transition.name]))
    found = list[JumpRecord]()
    for phase, x, time, wanted in runs:
        given = {k: v for p in phases for k, v in p.params.items()}
        run = simulate(
            hybrid,
            [0.0, time * (1 + AFTER) if wanted else time],
            x,
            params=given,
            mode=phase.transition.source.name,
            max_jumps=len(wanted) or 1,
            throw=False,
        )
        lasting = [sum(t for _, t in way) for way in ways] if len(runs) == 1 else [time]
        require_met(run, wanted, np.cumsum(lasting)[: len(wanted)], whole)
        found += run.jumps
    return found


def require_met(run: HybridTrajectory, names: Sequence[str], times: np.ndarray, period: float) -> None:
    """Refuse a run from what was found that does not meet these jumps at these times from its start."""
    met, begin = [jump.name for jump in run.jumps], float(run.time[0])
    if met != list(names) or run.status.startswith("failed"):
        raise no_orbit(
            f"a motion from what was found meets {', '.join(met) or 'no jump'} instead of "
            f"{', '.join(names) or 'none'} ({run.status})"
        )
    for jump, time in zip(run.jumps, times, strict=True):
        if abs(jump.time - begin - time) > TIMELY * period:
            raise no_orbit(
                f"a motion from what was found meets {jump.name!r} {jump.time - begin:.6g} s after its "
                f"start, not {time:.6g} s"
            )
