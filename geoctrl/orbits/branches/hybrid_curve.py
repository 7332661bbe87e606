r"""The equations of orbits through jumps along a branch.

Unknowns y are for each phase the state after the last jump and its time, and the value of what the branch
goes along; equations those of `geoctrl.orbits.hybrid_shooting`. With :math:`\varphi_T(x; p)` the flow of a
phase, their derivatives by a parameter are

.. math::

    \frac{d}{dp} R(\varphi_T(x; p); p) = DR\,\frac{\partial\varphi_T}{\partial p}
    + \frac{\partial R}{\partial p}, \qquad
    \frac{d}{dp} h(\varphi_T(x; p); p) = dh\,\frac{\partial\varphi_T}{\partial p}
    + \frac{\partial h}{\partial p} .

No condition chooses the start on an orbit: the strike does. Equations that hold the time have a clock in its
place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import EquilibriumError, LabelError
from geoctrl.orbits.clocked_hybrid import ClockedHybrid
from geoctrl.orbits.forced_hybrid import orbit_without_clock
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.hybrid_shooting import HybridShooting, orbit_of_jumps, shooting_of_jumps
from geoctrl.orbits.met_jumps import AFTER, TIMELY
from geoctrl.orbits.shooting import Along
from geoctrl.simulation.run import simulate
from geoctrl.systems import HybridSystem

__all__ = ["CONTACT", "CORNER", "GRAZING", "HybridCurve"]

GRAZING, CORNER, CONTACT = "grazing", "corner", "contact"
_SLOW = 1e-3
"""Speed at a guard, over the way that it is from the state in the time of the orbit, that is a touch."""
_NUMBERS = re.compile(r",? at t = [-+.\de]*| \([-+.\de]+[^)]*\)")


@dataclass(frozen=True, eq=False)
class HybridCurve:
    """The equations, and orbits of their solutions.

    Attributes
    ----------
    orbit : HybridOrbit
        One that they are about.
    shooting : HybridShooting
        Of its system, or of the one with a clock.
    along : Along
        What the branch goes along.
    doublings : int
        How often its rounds are doubled.
    """

    orbit: HybridOrbit
    shooting: HybridShooting
    along: Along
    doublings: int = 0

    def __reduce__(self):
        return _curve_again, (self.orbit, self.along.name, self.along.size, self.doublings)

    @classmethod
    def curve_through(cls, orbit: HybridOrbit, along: str, width: float) -> tuple[HybridCurve, np.ndarray]:
        """That of an orbit along a parameter or a function that motions and jumps keep, and its unknowns."""
        system, states, turns = orbit.system, list(orbit.states), dict[str, int]()
        level = along in orbit.neutral and along not in ("strike", "impact")
        if not level:
            _require_parameter(orbit, along)
        if orbit.cycles:
            free = None if level else along
            system, clock, P, *_ = ClockedHybrid.of(system, orbit.period / orbit.cycles, orbit.params, free)
            times = orbit.begin + np.cumsum([0.0, *orbit.periods[:-1]])
            states = [np.append(x, 2 * np.pi * t / P) for x, t in zip(states, times, strict=True)]
            turns = {clock: orbit.cycles}
        values, goal = system.parameters_at(orbit.params), Along(along, width, level)
        shooting = shooting_of_jumps(
            system,
            states[0],
            orbit.periods.tolist(),
            orbit.jumps,
            values,
            orbit.modes[0],
            turns,
            goal,
        )
        here = next(own[along] for own in values.values() if along in own) if not level else None
        curve = cls(orbit, shooting, goal)
        return curve, curve.unknowns(states, orbit.periods, curve.level if here is None else here)

    @property
    def system(self) -> HybridSystem:
        """That of the orbits."""
        return self.orbit.system

    @property
    def cycles(self) -> int:
        """How many periods of the equations an orbit has; zero where they do not hold the time."""
        return self.orbit.cycles * 2**self.doublings

    @property
    def level(self) -> float:
        """That of the guess, of what the branch goes along."""
        return float(self.shooting.targets[self.shooting.level_names.index(self.along.name)])

    def unknowns(self, states: Any, times: np.ndarray, value: float) -> np.ndarray:
        """Unknowns of states and times of phases: numbers without units."""
        s = self.shooting
        parts = [
            np.append(x / size, t / unit)
            for x, size, t, unit in zip(states, s.sizes, times, s.times, strict=True)
        ]
        return np.concatenate([*parts, [value / self.along.size]])

    def parts_of_times(self, y: np.ndarray) -> np.ndarray:
        """Times of phases over those of the guess, or their rates in a direction."""
        return y[np.cumsum([size.size + 1 for size in self.shooting.sizes]) - 1]

    def parts(self, y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, float]:
        """States, times and value of unknowns."""
        s = self.shooting
        pieces = np.split(y[:-1], np.cumsum([size.size + 1 for size in s.sizes])[:-1])
        states = [piece[:-1] * size for piece, size in zip(pieces, s.sizes, strict=True)]
        return states, self.parts_of_times(y) * s.times, float(y[-1]) * self.along.size

    def equations(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their derivative."""
        states, times, value = self.parts(y)
        if not np.all(times > 0):
            raise EquilibriumError(f"the search ran to a phase of {times.min():.3g} s")
        return self.shooting.at_value(value).equations(states, times)

    def speeds(self, y: np.ndarray) -> np.ndarray:
        """Rates dh f of the guards at the ends of all phases."""
        states, times, value = self.parts(y)
        return np.array([end.speed for end in self.shooting.at_value(value).ends(states, times)])

    def params_at(self, y: np.ndarray) -> dict[str, float]:
        """Overrides of parameters at a solution."""
        given = dict(self.orbit.params)
        return given if self.along.conserved else given | {self.along.name: self.parts(y)[2]}

    def orbit_at(self, y: np.ndarray, residual: float) -> HybridOrbit:
        """The orbit of a solution, if a run meets these jumps first and they keep what they promise."""
        states, times, value = self.parts(y)
        found = orbit_of_jumps(self.shooting.at_value(value), states, times, residual, self.params_at(y))
        return found if not self.cycles else orbit_without_clock(self.system, found, self.cycles)

    def end_of_run(self, y: np.ndarray) -> tuple[str, str]:
        """What a run next to a solution does instead of its jumps: a kind, if it is one, and words."""
        (states, times, value), wanted = self.parts(y), [p.transition.name for p in self.shooting.phases]
        begin, x, T = 0.0, self.shooting.at_value(value).past_guards(states)[0], float(times.sum())
        if self.cycles:
            begin, x = float(x[-1] / self.shooting.offset[-1]) * T, x[:-1]
        first, most = self.shooting.phases[0].transition.source.name, len(wanted)
        run = simulate(
            self.system,
            [begin, begin + T + AFTER * T],
            x,
            params=self.params_at(y),
            mode=first,
            max_jumps=most,
            throw=False,
        )
        met = [jump.name for jump in run.jumps]
        late = [
            abs(j.time - begin - t) > TIMELY * T for j, t in zip(run.jumps, np.cumsum(times), strict=False)
        ]
        k = next((i for i, name in enumerate(met) if name != wanted[i] or late[i]), None)
        if k is not None:
            if abs(self._speed_at_guard(k, run.jumps[k], run.params)) * T < _SLOW:
                return GRAZING, f"{met[k]!r} is touched"
            return CORNER, f"{met[k]!r} comes before {wanted[k]!r}"
        status = _NUMBERS.sub("", run.status).removeprefix("failed: ")
        if "at one instant" in status:
            return CORNER, status
        if run.status.startswith("failed"):
            return CONTACT, status
        return "", f"{wanted[min(len(met), most - 1)]!r} is not met"

    def _speed_at_guard(self, phase: int, jump: Any, params: Mapping[str, float]) -> float:
        """Rate of the guard of a jump, that is met in a phase, over its way from where states are."""
        struck = next(t for t in self.system.transitions if t.name == jump.name)
        mode, n = struck.source.system, jump.before.size
        slopes = mode.graph.gradient(struck.guard, [*mode.state_nodes, mode.time_node])
        program = mode.program([*slopes, *mode.field_nodes])
        own = {name: params[name] for name in mode.params}
        values = program(mode.arguments_at(jump.time, jump.before, np.zeros(0)), own)
        way, rates = np.ravel(values[: n + 1]), np.append(np.ravel(values[n + 1 :]), 1.0)
        length = np.abs(way[:n]) @ (np.abs(jump.before) + self.shooting.sizes[phase][:n])
        return float(way @ rates / length)

    def two_rounds(self) -> HybridCurve:
        """The equations of orbits that close up after two rounds."""
        s = self.shooting
        twice = replace(s, parts=2 * s.phases, times=np.tile(s.times, 2), offset=2 * s.offset)
        known = {"starts": 2 * s.starts, "sizes": 2 * s.sizes, "level_names": s.level_names}
        twice.__dict__.update(known, targets=s.targets)
        return replace(self, shooting=twice, doublings=self.doublings + 1)

    def unknowns_of_two_rounds(self, y: np.ndarray) -> np.ndarray:
        """Unknowns of these of an orbit."""
        states, times, value = self.parts(y)
        later = [x.copy() for x in states]
        for x in later:
            x[-1] += self.shooting.offset[-1]  # of the clock, in whichever mode
        return self.two_rounds().unknowns([*states, *later], np.tile(times, 2), value)


def _curve_again(orbit: HybridOrbit, along: str, size: float, doublings: int) -> HybridCurve:
    curve, _ = HybridCurve.curve_through(orbit, along, size)
    for _ in range(doublings):
        curve = curve.two_rounds()
    return curve


def _require_parameter(orbit: HybridOrbit, along: str) -> None:
    """Refuse what is no parameter of the equations, guards and resets of an orbit."""
    system = orbit.system
    if along not in system.params:
        levels = [name for name in orbit.neutral if name not in ("strike", "impact")]
        kind = "a state: orbits have no one value of it" if along in system.state_labels else "neither"
        raise LabelError(
            "branches of orbits through jumps go along a parameter, or a function that motions and jumps "
            f"keep, and {along!r} is {kind}{nearest(along, [*system.params, *levels])}"
        )
    for name in dict.fromkeys(orbit.modes):
        mode = system.modes[name]
        nodes = list(mode.field_nodes)
        for t in system.leaving(name):
            nodes += [t.guard, *t.reset] if t.name in orbit.jumps else []
        if mode.parameter_nodes.get(along) in mode.graph.symbols(nodes):
            return
    raise LabelError(f"equations, guards and resets of the orbit do not depend on {along!r}")
