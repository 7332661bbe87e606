"""The file of a periodic orbit through jumps: modes, steps and boxes, with which the checker proves it.

Searched in floats and digits alone; nothing here is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from geoctrl import checker
from geoctrl._calls.long_calls import tell
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.set_witnesses.flow_steps import flow_steps
from geoctrl.analysis.witnesses.lyapunov_forms import contracting_form, form_triangle, multiplying_form
from geoctrl.checker.flows.flow import PARTS
from geoctrl.checker.flows.series import Motion, coefficient, terms_of_series, value_at
from geoctrl.orbits.enclosures.orbit_file import leaf_basis
from geoctrl.orbits.phases.hybrid_modes import ModeContent, WrittenOrbit, mode_contents
from geoctrl.orbits.phases.hybrid_phase import Phase, PhaseEnd
from geoctrl.orbits.phases.stretches import end_of_way, state_sizes

__all__ = ["HybridOrbitFile"]

ATTRACTS, REPELS = "hybrid orbit that attracts", "hybrid orbit that repels"
NEWTON, GAIN, EXACT = 8, 0.5, 5 / 8
"""Steps at most; the part of the one before that each is at most; and the exponent, relative to the bits, of
the last one."""
SINGULAR = 1e15
"""Condition of the equations beyond which floats have no inverse of them."""

Starts = list[list[arb]]


class HybridOrbitFile:
    """What a file holds of an orbit through jumps.

    Parameters
    ----------
    written : WrittenOrbit
    bits, degree : int
        Of its numbers; of the series.
    """

    def __init__(self, written: WrittenOrbit, bits: int, degree: int) -> None:
        self._orbit = orbit = written.orbit
        self._turns = dict(written.turns)
        self._bits, self._degree = bits, degree
        params = orbit.system.parameters_at(orbit.params)
        by_name = {t.name: t for t in orbit.system.transitions}
        transitions = [by_name[name] for name in orbit.jumps]
        self._phases = [Phase(t, params[t.source.name] | params[t.target.name]) for t in transitions]
        self._modes: dict[str, ModeContent] = mode_contents(written, params)
        self._first = self._modes[orbit.modes[0]]
        self._basis = leaf_basis(self._first.point.question, self._first.rows, self._sizes[0][:-1])
        labels = self._first.mode.question.labels
        self._free = [labels.index(k) for k in self._basis["free"]]

    # -- in floats ------------------------------------------------------------------------------

    @cached_property
    def _ends(self) -> list[PhaseEnd]:
        return [end_of_way(phase, way) for phase, way in zip(self._phases, self._orbit.ways, strict=True)]

    @cached_property
    def _sizes(self) -> list[np.ndarray]:
        """Powers of two next to those of the states of each phase, and to its time."""
        times = self._orbit.periods
        sizes = state_sizes(self._phases, self._orbit.states, times)
        return [binary([*size, float(time)]) for size, time in zip(sizes, times, strict=True)]

    def _phase_after(self, i: int) -> tuple[int, list[int]]:
        """The phase after one, and its states that have to be those after the jump: in the first one those
        that the rows leave free.
        """
        j = (i + 1) % len(self._phases)
        return j, list(range(len(self._sizes[j]) - 1)) if j else self._free

    @cached_property
    def _gradients(self) -> np.ndarray:
        """Of the rows at the start, by states over their sizes."""
        q, names = self._first.point.question, self._first.rows
        D = np.array([[float(arb(c).mid()) for c in q.function(k)[1]] for k in names])
        return D.reshape(len(names), -1) * self._sizes[0][:-1] if names else np.zeros((0, 1))

    @cached_property
    def _inverse(self) -> np.ndarray:
        """About that of the derivatives of the equations, in the order of the checker."""
        places, rows = np.cumsum([0, *map(len, self._sizes)]), list[np.ndarray]()
        for i, (end, sizes) in enumerate(zip(self._ends, self._sizes, strict=True)):
            moved = np.column_stack([end.flow, end.rate]) * sizes
            j, closing = self._phase_after(i)
            block = [end.slope @ moved, *(end.derivative[k] @ moved / self._sizes[j][k] for k in closing)]
            more = np.zeros((len(block), places[-1]))
            more[:, places[i] : places[i + 1]] = block
            more[range(1, len(block)), places[j] + np.array(closing, dtype=int)] -= 1
            rows.append(more)
        levels = np.zeros((len(self._first.rows), places[-1]))
        levels[:, : self._gradients.shape[1]] = self._gradients
        J = np.vstack([*rows, levels])
        if not np.all(np.isfinite(J)) or np.linalg.cond(J) > SINGULAR:
            raise NotSolved
        return np.linalg.inv(J)

    @property
    def _multipliers(self) -> np.ndarray:
        """The derivative of the return map on the level, by the states that the rows leave free."""
        sizes, D = self._sizes[0][:-1], self._gradients
        fixed = [i for i in range(sizes.size) if i not in self._free]
        moved = np.zeros((sizes.size, len(self._free)))
        moved[self._free] = np.eye(len(self._free))
        if fixed:
            moved[fixed] = -np.linalg.solve(D[:, fixed], D[:, self._free])
        moved *= sizes[:, None]
        for end in self._ends:
            moved = end.flow @ moved
            moved = end.derivative @ (moved - np.outer(end.rate, end.slope @ moved) / end.speed)
        return (moved / sizes[:, None])[self._free]

    # -- in digits ------------------------------------------------------------------------------

    def content(self, radius: float) -> dict[str, Any]:
        """All of it, the exponent of the box given relative to the bits; NotSolved where no steps, boxes and
        forms are found.
        """
        with ctx.workprec(self._bits):
            return copy_context().run(self._content, radius)

    def _content(self, radius: float) -> dict[str, Any]:
        modes = {name: mode.theorem for name, mode in self._modes.items()}
        theorem = {
            "name": ATTRACTS,
            "bits": self._bits,
            "degree": self._degree,
            "modes": modes | {self._orbit.modes[0]: self._first.part},
            "phases": self._closed_phases,
            "radius": str(fmpq(1, 1 << int(self._bits * radius))),
            "Y": [[str(_number(c)) for c in row] for row in self._inverse],
        } | ({"winding": self._turns} if self._turns else {})
        data = self._first.content | {"theorem": theorem | self._basis | self._form()}
        return data | {"digest": checker.digest_of(data)}

    def _form(self) -> dict[str, Any]:
        """A quadratic form that falls over a round, or one that grows."""
        M = [[arb(c) for c in row] for row in self._multipliers.tolist()]
        try:
            return {"P": form_triangle(contracting_form(M))}
        except NotSolved:
            m, P, v = multiplying_form(M)
            return {"name": REPELS, "m": str(m), "P": form_triangle(P), "v": [str(c) for c in v]}

    @cached_property
    def _closed_phases(self) -> list[dict[str, Any]]:
        """Phases with their steps, and with starts and times in all digits."""
        orbit, motions, starts, found = self._orbit, list[Motion](), Starts(), list[dict[str, Any]]()
        for mode, jump, x, time, sizes in zip(
            orbit.modes, orbit.jumps, orbit.states, orbit.periods, self._sizes, strict=True
        ):
            tell("steps of the flow", f"to {jump!r}")
            units = np.log2(sizes).astype(int).tolist()
            motions.append(Motion(self._modes[mode].mode.question, units, self._degree))
            starts.append([arb(float(v)) / d for v, d in zip([*x, time], motions[-1].sizes, strict=True)])
            steps = flow_steps(motions[-1], starts[-1], self._bits)
            found.append({"mode": mode, "jump": jump, "units": units, "steps": steps})
        closed = self._newton(motions, starts, [part["steps"] for part in found])
        return [
            part | {"start": [str(v.mid().fmpq()) for v in z]} for part, z in zip(found, closed, strict=True)
        ]

    def _newton(self, motions: Sequence[Motion], starts: Starts, steps: Sequence[Any]) -> Starts:
        """Starts and times of an orbit, by steps with one derivative, that of the floats."""
        inverse = arb_mat([[_number(c) for c in row] for row in self._inverse])
        last = np.inf
        for _ in range(NEWTON):
            away = (inverse * arb_mat([[v] for v in self._defects(motions, starts, steps)])).mid().entries()
            places = np.cumsum([0, *map(len, starts)])
            starts = [
                [(v - d).mid() for v, d in zip(z, away[places[i] :], strict=False)]
                for i, z in enumerate(starts)
            ]
            size = max(float(abs(d)) for d in away)
            tell("Newton's steps", f"{size:.1e} (relative)")
            if size < 2.0 ** -int(self._bits * EXACT):
                return starts
            if not size < GAIN * last:
                raise NotSolved
            last = size
        raise NotSolved

    def _defects(self, motions: Sequence[Motion], starts: Starts, steps: Sequence[Any]) -> list[arb]:
        """Values of the equations, in the order of the checker."""
        found = list[arb]()
        for i, (name, motion) in enumerate(zip(self._orbit.jumps, motions, strict=True)):
            jump = self._modes[self._orbit.modes[i]].mode.jumps[name]
            end = _end(motion, starts[i], steps[i])
            h, *x = _values(motion, [jump["guard"], *jump["reset"]], end)
            j, closing = self._phase_after(i)
            if j == 0:
                away = [2 * self._turns.get(k, 0) * arb.pi() for k in motions[0].q.labels]
                x = [v - a for v, a in zip(x, away, strict=True)]
            found += [h, *(x[k] / motions[j].sizes[k] - starts[j][k] for k in closing)]
        q, motion = self._first.mode.question, motions[0]
        places = [q.functions_by_name[k] for k in self._first.rows]
        point = [arb(v) / d for v, d in zip(q.problem["states"].values(), motion.sizes, strict=False)]
        wanted = _values(motion, places, point)
        leaf = len(q.problem["leaf"])
        values = zip(_values(motion, places, starts[0]), [arb(0)] * leaf + wanted[leaf:], strict=True)
        return found + [v - w for v, w in values]


def _number(x: float) -> fmpq:
    return fmpq(*float(x).as_integer_ratio())


def _end(motion: Motion, z: Sequence[arb], steps: Sequence[Any]) -> list[arb]:
    """States after some steps, about: numbers without a bound of what they are off."""
    for h, _ in steps:
        series = motion.coefficients([x.mid() for x in z], motion.degree)
        z = [x.mid() for x in value_at(series, arb(fmpq(h, PARTS))).entries()]
    return list(z[:-1])


def _values(motion: Motion, places: Sequence[int], x: Sequence[arb]) -> list[arb]:
    """Functions of states over their sizes, about."""
    with terms_of_series(1):
        jets = motion.jets(places, motion.symbols_at(x[: len(motion.q.labels)]))
        return [coefficient(jet.value, 0) for jet in jets]
