r"""Periodic orbits through jumps by shooting, a phase for each jump.

Unknowns are for each phase the state :math:`x_i` after the last jump and its time :math:`T_i`:

.. math:: R_i(\varphi_{T_i}(x_i)) = x_{i+1}, \qquad h_i(\varphi_{T_i}(x_i)) = 0,

as many equations as unknowns: the guard chooses the start among the states of one orbit. A phase whose flow
is unstable is cut by planes, which are guards where nothing jumps. Relations of the leaf, and functions that
motions and jumps conserve, at their values at the guess, are added: closing repeats them.
States count over their sizes at the guess, times over those of the guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import tell
from geoctrl._checks import nearest
from geoctrl._scalars import Node, real
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError
from geoctrl.orbits.forcing import holds_time
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.met_jumps import chain_of_jumps, jumps_of_guess, jumps_of_ways
from geoctrl.orbits.orbit import no_orbit
from geoctrl.orbits.phases.hybrid_phase import Phase, PhaseEnd
from geoctrl.orbits.phases.stretches import (
    Stretch,
    Way,
    end_of_way,
    growth_of_part,
    state_sizes,
    stretches_of_part,
    time_to_guard,
)
from geoctrl.orbits.shooting import Along
from geoctrl.systems import HybridSystem, Transition
from geoctrl.systems.jumps.guard_states import states_on_guard
from geoctrl.verification import Verdict

__all__ = ["HybridShooting", "hybrid_orbit", "names_of_jumps", "orbit_of_jumps", "shooting_of_jumps"]

_STEPS, _HALVINGS = 40, 14
_CLOSED = 1e-10
"""Residual, relative to the sizes of states, up to which an orbit counts as found."""
_RANK, _RANK_OF_PARTS = 1e-10, 1e-14
"""Below which directions do not count; the time next to a saddle hangs on few digits of the state."""
_PARTS = 1, 4, 8, 16
"""Into how many parts a phase is cut at least, tried in turn."""
_CUTS = 6
"""How often parts that are too unstable are cut further."""
_GROWS, _APART = 10.0, 1000.0
"""How many times longer differences become in a phase that may have to be cut, and in a part at most."""
_RESTS = 1e-6
"""Part of the time of a phase at the guess below which it is none."""
_MARGIN = 1e-7
_FORCED = 1e-5
"""Distance from zero or one within which a multiplier that is forced is looked for."""


def hybrid_orbit(
    system: HybridSystem,
    guess: Any,
    period: Any,
    params: Mapping[str, float] | None,
    mode: str | None,
    jumps: Sequence[str] | None,
    turns: Mapping[str, int] = MappingProxyType({}),
) -> HybridOrbit:
    """The orbit near a guess, up to whole turns of angles of its first mode; see `find_periodic`."""
    first, values = system.mode_name(mode), system.parameters_at(params)
    if system.input_labels:
        raise InputError(
            f"the inputs {', '.join(system.input_labels)} are open; close them by feedback= of the mechanism"
        )
    if any(holds_time(t.source.system, [t.guard, *t.reset]) for t in system.transitions):
        raise InputError("the equations hold the time: tell its period by forcing=, in seconds")
    x = np.array(system.modes[first].start(guess, values[first]), dtype=float)
    times = _times(period)
    names = names_of_jumps(system, jumps)
    if names is not None and len(times) not in (1, len(names)):
        raise InputError(
            f"there are {len(names)} jumps and {len(times)} periods: give one for each, or their sum"
        )
    if names is None or len(times) != len(names):
        names, times = jumps_of_guess(system, x, float(sum(times)), values, first, names)
    shooting = shooting_of_jumps(system, x, times, names, values, first, turns)
    return orbit_of_jumps(*_solution_in_parts(shooting), dict(params or {}))


def _solution_in_parts(
    whole: HybridShooting,
) -> tuple[HybridShooting, list[np.ndarray], np.ndarray, float]:
    """The equations that an orbit is found by, and their solution: phases that are unstable are cut, into
    more parts, and where the motion of the guess strikes, where that is not enough.
    """
    for least in _PARTS:
        growths = whole.growths
        shooting = whole.cut([least if growth > _GROWS else 1 for growth in growths])
        try:
            for _ in range(_CUTS):
                states, times, residual = shooting.solution()
                finer = shooting.cut_further(states, times)
                if finer is shooting:
                    break
                shooting = finer
            shooting.require_found(times, residual)
            return shooting, states, times, residual
        except EquilibriumError as error:
            failure = error
        if max(growths) <= _GROWS:
            break
        whole = whole.struck
    raise failure


def shooting_of_jumps(
    system: HybridSystem,
    x: np.ndarray,
    times: Sequence[float],
    names: Sequence[str],
    values: Mapping[str, dict[str, float]],
    first: str,
    turns: Mapping[str, int],
    along: Along | None = None,
) -> HybridShooting:
    """The equations of orbits through jumps near a state, along a branch with its parameter."""
    by = None if along is None or along.conserved else along.name
    phases = [Phase(t, _both(values, t), by) for t in chain_of_jumps(system, first, names)]
    offset = 2 * np.pi * np.array([turns.get(k, 0) for k in system.modes[first].state_labels])
    return HybridShooting(system, x, phases, np.array(times), offset, along=along)


def _both(values: Mapping[str, dict[str, float]], transition: Transition) -> dict[str, float]:
    return values[transition.source.name] | values[transition.target.name]


def _times(period: Any) -> list[float]:
    given = list(period) if hasattr(period, "__iter__") and not isinstance(period, str) else [period]
    times = [real(t, "period") for t in given]
    if not times or not all(t > 0 for t in times):
        raise InputError(f"period must be positive, in seconds, or one for each phase, got {period!r}")
    return times


def names_of_jumps(system: HybridSystem, jumps: Any) -> list[str] | None:
    """Those that are asked for, in their order; None for those that are met."""
    if jumps is None:
        return None
    known = [t.name for t in system.transitions]
    if isinstance(jumps, str) or not hasattr(jumps, "__iter__") or not list(jumps):
        raise InputError(f"jumps must be a list of names, in the order in which they come, got {jumps!r}")
    for name in jumps:
        if name not in known:
            raise InputError(f"there is no jump {name!r}{nearest(str(name), known)}")
    return list(jumps)


@dataclass(frozen=True, eq=False)
class HybridShooting:
    """The equations of an orbit near a guess."""

    hybrid: HybridSystem
    guess: np.ndarray
    parts: Sequence[Phase | Stretch]
    times: np.ndarray
    offset: np.ndarray
    known: list[np.ndarray] | None = None
    """States at the begin of each part, where they are not those along the motion of the guess."""
    along: Along | None = None

    def at_value(self, value: float) -> HybridShooting:
        """The same equations at another value of what a branch goes along."""
        assert self.along is not None
        targets = self.targets.copy()
        if self.along.conserved:
            targets[self.level_names.index(self.along.name)] = value
            parts = self.parts
        else:
            parts = [p.at_value(value) for p in self.phases]
        other = replace(self, parts=parts)
        known = {name: getattr(self, name) for name in ("starts", "sizes", "level_names", "_level_nodes")}
        other.__dict__.update(known, targets=targets)
        return other

    @cached_property
    def _level_nodes(self) -> list[Node]:
        kept = self.phases[0].system.conserved(self.phases[0].params, u=np.zeros(0))
        return [kept[name] for name in self.level_names]

    @cached_property
    def targets(self) -> np.ndarray:
        """Levels of what is conserved, those of the guess."""
        return self.phases[0].values_and_slopes(self._level_nodes, self.guess)[0]

    @cached_property
    def starts(self) -> list[np.ndarray]:
        """States at the begin of each part, along the motion of the guess where they are not known."""
        if self.known is not None:
            return self.known
        found = [self.guess]
        for part, time in zip(self.parts[:-1], self.times, strict=False):
            found.append(part.end(found[-1], float(time)).reset)
        return found

    @cached_property
    def sizes(self) -> list[np.ndarray]:
        """Of the states of each part, along the motion of the guess."""
        return state_sizes(self.parts, self.starts, self.times)

    @property
    def phases(self) -> list[Phase]:
        """Those that the parts end with."""
        return [part for part in self.parts if isinstance(part, Phase)]

    @cached_property
    def growths(self) -> list[float]:
        """Of each part, how many times longer differences of states become."""
        found = zip(self.parts, self.starts, self.times, self.sizes, strict=True)
        return [growth_of_part(part, x, float(time), d) for part, x, time, d in found]

    @cached_property
    def struck(self) -> HybridShooting:
        """The same from the times at which the motion of the guess strikes, if it meets these jumps."""
        names = [phase.transition.name for phase in self.phases]
        values = {p.transition.source.name: p.params for p in self.phases}
        try:
            first = self.phases[0].transition.source.name
            _, times = jumps_of_guess(self.hybrid, self.guess, float(self.times.sum()), values, first, names)
        except EquilibriumError:
            return self
        return replace(self, times=np.array(times))

    def cut(self, counts: Sequence[int]) -> HybridShooting:
        """The same with each part in so many."""
        parts, times, known = list[Phase | Stretch](), list[float](), list[np.ndarray]()
        found = zip(self.parts, self.starts, self.times, self.sizes, counts, strict=True)
        for part, x, time, sizes, count in found:
            more, states = stretches_of_part(part, x, float(time), sizes, count)
            parts, known = [*parts, *more], [*known, *states]
            times += [float(time) / count] * count
        return replace(self, parts=parts, times=np.array(times), known=known) if max(counts) > 1 else self

    def cut_further(self, states: list[np.ndarray], times: np.ndarray) -> HybridShooting:
        """The same from states and times where parts of their motions are too unstable, these in more."""
        there = replace(self, times=times, known=states)
        counts = [1 + max(0, int(np.log(g) / np.log(_APART))) for g in there.growths]
        return there.cut(counts) if max(counts) > 1 else self

    def ways(self, states: Sequence[np.ndarray], times: np.ndarray) -> list[Way]:
        """Phase by phase the states at which its parts begin, and their times."""
        found, way = list[Way](), list[tuple[np.ndarray, float]]()
        for part, x, time in zip(self.parts, states, times, strict=True):
            way.append((x, float(time)))
            if isinstance(part, Phase):
                found.append(tuple(way))
                way = []
        return found

    def past_guards(self, states: Sequence[np.ndarray]) -> list[np.ndarray]:
        """States at the begin of each part, beyond the guards that they were made on."""
        found, last = list(states), self.parts[-1]
        for i, part in enumerate(self.parts):
            if isinstance(last, Phase):
                found[i] = last.past_guard(states[i], _CLOSED * (np.abs(states[i]) + self.sizes[i]))
            last = part
        return found

    @cached_property
    def level_names(self) -> list[str]:
        """Names of what all modes keep, and all jumps."""
        kept = [set(p.system.conserved(p.params, u=np.zeros(0))) for p in self.phases]
        if not (shared := set.intersection(*kept)):
            return []
        struck = [(p, self._states_on_guard(p, i)) for i, p in enumerate(self.parts) if isinstance(p, Phase)]
        return sorted(n for n in shared if all(phase.keeps(n, states) for phase, states in struck))

    def _states_on_guard(self, phase: Phase, place: int) -> list[np.ndarray]:
        """States on the guard at the end of a phase, of the sizes that states have on the orbit."""
        x, sizes = self.starts[place], self.sizes[place]
        end = phase.end(x, float(self.times[place])).x
        return states_on_guard(phase.system, phase.transition.guard, phase.params, (end, sizes))

    def ends(self, states: Sequence[np.ndarray], times: np.ndarray) -> list[PhaseEnd]:
        """The parts at their ends."""
        return [p.end(x, float(t)) for p, x, t in zip(self.parts, states, times, strict=True)]

    def equations(self, states: Sequence[np.ndarray], times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals in sizes, and their derivative by unknowns in sizes; along a branch by its value too."""
        m, widths = len(self.parts), [x.size + 1 for x in states]
        places = np.concatenate([[0], np.cumsum(widths)])
        residuals, rows, by_value = [], [], []
        for i, end in enumerate(self.ends(states, times)):
            j, n = (i + 1) % m, states[i].size
            by_state = np.column_stack([end.flow * self.sizes[i], end.rate * self.times[i]])
            length = float(np.abs(end.slope) @ (np.abs(end.x) + self.sizes[i])) or 1.0
            closing = np.zeros((states[j].size, places[-1]))
            closing[:, places[i] : places[i + 1]] += end.derivative @ by_state / self.sizes[j][:, None]
            closing[:, places[j] : places[j] + states[j].size] -= np.eye(states[j].size)
            guard = np.zeros((1, places[-1]))
            guard[0, places[i] : places[i + 1]] = end.slope @ by_state / length
            there = states[j] + self.offset if i == m - 1 else states[j]
            residuals += [(end.reset - there) / self.sizes[j], [end.guard / length]]
            rows += [closing, guard]
            by_value += [end.reset_by_value / self.sizes[j], [end.guard_by_value / length]]
            values, gradients, slopes = self._further_conditions(i, states[i])
            weight = np.linalg.norm(gradients * self.sizes[i], axis=1)
            weight[weight == 0] = 1.0
            more = np.zeros((len(values), places[-1]))
            more[:, places[i] : places[i] + n] = gradients * self.sizes[i] / weight[:, None]
            residuals.append(values / weight)
            rows.append(more)
            by_value.append(slopes / weight)
        columns = [] if self.along is None else [np.concatenate(by_value) * self.along.size]
        return np.concatenate(residuals), np.column_stack([np.vstack(rows), *columns])

    def _further_conditions(self, i: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and derivatives of the leaf; in the first part of levels, less those of the guess."""
        leaf = list(self._phase(i).system.leaf.nodes)
        found = self._phase(i).values_and_slopes([*leaf, *(self._level_nodes if i == 0 else [])], x)
        values, gradients, slopes = (v.copy() for v in found)
        if i == 0:
            values[len(leaf) :] -= self.targets
            if self.along is not None and self.along.conserved:
                slopes[len(leaf) + self.level_names.index(self.along.name)] = -1.0
        return values, gradients, slopes

    def _phase(self, place: int) -> Phase:
        """That of a part."""
        part = self.parts[place]
        return part if isinstance(part, Phase) else part.phase

    def solution(self) -> tuple[list[np.ndarray], np.ndarray, float]:
        """Newton's steps, halved where the next one with the same derivative would be no shorter."""
        states, times = [x.copy() for x in self.starts], self.times.copy()
        rank = _RANK if len(self.parts) == len(self.phases) else _RANK_OF_PARTS
        try:
            residual, J = self.equations(states, times)
            for _ in range(_STEPS):
                tell("searching the orbit")
                step = np.linalg.lstsq(J, -residual, rcond=rank)[0]
                for halving in range(_HALVINGS):
                    trial = self._trial_at(states, times, step / 2**halving)
                    if np.all(trial[1] > 0):
                        better = self.equations(*trial)
                        further = np.linalg.lstsq(J, -better[0], rcond=rank)[0]
                        if np.linalg.norm(further) < np.linalg.norm(step):
                            break
                else:
                    break
                (states, times), (residual, J) = trial, better
        except (GeoctrlError, ArithmeticError, ValueError) as error:
            raise no_orbit(f"{error}; start nearer, or with other periods") from None
        return states, times, float(np.max(np.abs(residual)))

    def require_found(self, times: np.ndarray, defect: float) -> None:
        """Refuse what is no orbit, or a point."""
        if not defect <= _CLOSED:
            raise no_orbit(
                f"the defect is {defect:.3g} after the last step; start nearer, or with other periods"
            )
        if np.any(times <= _RESTS * self.times):
            raise no_orbit(
                "the search came to a point, where jumps follow each other without any time between"
            )

    def _trial_at(
        self, states: Sequence[np.ndarray], times: np.ndarray, step: np.ndarray
    ) -> tuple[list[np.ndarray], np.ndarray]:
        moved, later, start = [], times.copy(), 0
        for i, x in enumerate(states):
            moved.append(x + step[start : start + x.size] * self.sizes[i])
            later[i] += step[start + x.size] * self.times[i]
            start += x.size + 1
        if len(self.parts) > len(self.phases):
            later = np.array(
                [time_to_guard(p, x, t) for p, x, t in zip(self.parts, moved, later, strict=True)]
            )
        return moved, later


def orbit_of_jumps(
    shooting: HybridShooting, states: list[np.ndarray], times: np.ndarray, residual: float, params: dict
) -> HybridOrbit:
    """The orbit with its multipliers, if it meets these jumps first and keeps what they promise."""
    phases, ways = shooting.phases, shooting.ways(shooting.past_guards(states), times)
    ends = [end_of_way(phase, way) for phase, way in zip(phases, ways, strict=True)]
    states, times, m = (
        [way[0][0] for way in ways],
        np.array([sum(t for _, t in way) for way in ways]),
        len(ways),
    )
    names, jumps = [p.transition.name for p in phases], jumps_of_ways(shooting.hybrid, phases, ways)
    sizes_of = [d for d, part in zip(shooting.sizes, shooting.parts, strict=True) if isinstance(part, Phase)]
    P, saltation, least = np.eye(states[0].size), [], states[0].size
    for i, end in enumerate(ends):
        if not end.speed:
            raise no_orbit(f"it touches the guard of {names[i]!r} and does not pass it")
        strike = np.eye(end.x.size) - np.outer(end.rate, end.slope) / end.speed
        P = end.derivative @ strike @ end.flow @ P
        after = phases[(i + 1) % m].rate(states[(i + 1) % m])
        saltation.append(end.derivative @ strike + np.outer(after, end.slope) / end.speed)
        own, later = sizes_of[i], sizes_of[(i + 1) % m]
        along = np.linalg.qr(_leaf_basis(phases[i], end.x) / own[:, None])[0]
        scaled = (end.derivative @ strike * own) @ along / later[:, None]
        least = min(least, int(np.linalg.matrix_rank(scaled, tol=_FORCED * float(np.linalg.norm(scaled, 2)))))
    sizes = sizes_of[0]
    W = np.linalg.qr(_leaf_basis(phases[0], states[0]) / sizes[:, None])[0]
    relative = W.T @ (P * sizes / sizes[:, None]) @ W
    zeros = W.shape[1] - least
    neutral = [*shooting.level_names, *(["strike"] * min(zeros, 1)), *(["impact"] * max(zeros - 1, 0))]
    forced = [1.0] * len(shooting.level_names) + [0.0] * zeros
    others = np.linalg.eigvals(relative)
    for value in forced:
        others = np.delete(others, np.argmin(np.abs(others - value)))
    left = others[np.lexsort((others.imag.round(9), -np.abs(others).round(9)))]
    margin = _MARGIN * max(1.0, float(np.linalg.norm(relative, 2)))
    radius = float(np.abs(left).max(initial=0.0))
    verdict = Verdict.NUMERICALLY_UNSTABLE if radius > 1 + margin else Verdict.SPECTRALLY_STABLE_ONLY
    if radius < 1 - margin:
        verdict = Verdict.NUMERICALLY_STABLE
    return HybridOrbit(
        system=shooting.hybrid,
        states=tuple(states),
        modes=tuple(p.transition.source.name for p in phases),
        jumps=tuple(names),
        periods=times,
        multipliers=np.concatenate([forced, left]),
        neutral=tuple(neutral),
        saltation=tuple(saltation),
        impulses=tuple(jump.impulse for jump in jumps),
        lost=np.array([jump.lost for jump in jumps]),
        verdict=verdict,
        margin=margin,
        residual=residual,
        params=params,
        ways=tuple(ways),
    )


def _leaf_basis(phase: Phase, x: np.ndarray) -> np.ndarray:
    return phase.system.seen_from(None).leaf_basis(x, phase.params)
