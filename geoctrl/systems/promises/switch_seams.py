"""Whether quantities with a vanishing rate are kept where branches of Abs, sign and Piecewise meet.

A switch is sought by Newton's method, within the leaf, and passed by a small step to either side. There a
quantity may jump, or have a value of its own on the switch; or the motions of both sides lead onto it, or
away from it, and one that slides along changes the quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from geoctrl._scalars import STATE, Node, Program
from geoctrl._scalars.graph.freed_switches import with_free_switches
from geoctrl.systems.equations.recorded_system import Recorded

__all__ = ["Seams"]

_POINTS, _TRIES, _STEPS = 16, 40, 100
"""Points on each switch, random states from which they are sought, and steps of Newton's method."""
_MISSED = 1e-10
"""Value, relative to gradient times state, that counts as on the switch and on the leaf."""
_ASIDE = 1e-5
"""Step to either side, relative to what the switch is made of: jumps are seen to its square."""
_JUMP, _SLIDING = 1e-7, 1e-3
"""Jump relative to gradient times state, and rate while sliding relative to its terms, that count."""


class Seams:
    """The switches of some quantities and of a motion.

    Parameters
    ----------
    nodes : the quantities
    field : rates of the states
    """

    def __init__(self, system: Recorded, nodes: Sequence[Node], field: Sequence[Node]) -> None:
        graph, x = system.graph, system.state_nodes
        asked = dict.fromkeys(graph.switches([*nodes, *field]))
        self._switches = [a for a in asked if a.level == STATE and graph.symbols([a]) & set(x)]
        self._system, self._count = system, len(nodes)
        self._leaf = list(system.leaf.nodes)
        if self._switches:
            slopes = [e for row in graph.jacobian(list(nodes), x) for e in row]
            self._values = system.program([*nodes, *slopes, *field])
            free, numbers = with_free_switches(graph, nodes)
            arguments = [*system.arguments, *numbers.values()]
            self._free = Program(graph, arguments, system.parameter_nodes, free)
            self._conditions = system.program(list(numbers))

    @property
    def has_switches(self) -> bool:
        """Whether there are any."""
        return bool(self._switches)

    def discontinuities(
        self,
        sample: Callable[[], np.ndarray],
        t: float,
        u: np.ndarray,
        params: Mapping[str, float],
    ) -> np.ndarray:
        """Which quantities are seen to change at some switch, (q,)."""
        found = np.zeros(self._count, dtype=bool)
        with np.errstate(all="ignore"):
            for switch in self._switches:
                for x, normal in self._points(switch, sample, t, u, params):
                    found |= self._changes(x, normal, t, u, params)
        return found

    def _points(
        self,
        switch: Node,
        sample: Callable[[], np.ndarray],
        t: float,
        u: np.ndarray,
        params: Mapping[str, float],
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Points of the leaf on a switch, and steps along the leaf that lead to its positive side."""
        n, nodes = self._system.nstates, [switch, *self._leaf]
        graph = self._system.graph
        slopes = [e for row in graph.jacobian(nodes, self._system.state_nodes) for e in row]
        program = self._system.program([*nodes, *slopes])
        given = 0
        for _ in range(_TRIES):
            x = sample()
            sizes = np.abs(x)
            for _ in range(_STEPS):
                out = program(self._system.arguments_at(t, x, u), params)
                values, J = out[: len(nodes)], out[len(nodes) :].reshape(-1, n)
                if not np.all(np.isfinite(out)):
                    break
                terms = np.abs(J) @ sizes
                if np.all(np.abs(values) <= _MISSED * terms):
                    tangent = _tangent(J[1:])
                    across = tangent @ (tangent.T @ J[0])
                    if across @ across > _MISSED * (J[0] @ J[0]):
                        given += 1
                        yield x, _ASIDE * terms[0] * across / (across @ across)
                    break
                x = x - np.linalg.lstsq(J, values, rcond=None)[0]
            if given == _POINTS:
                return

    def _changes(
        self, x: np.ndarray, step: np.ndarray, t: float, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """Which quantities jump or change while sliding, at one point."""
        (a, A, f), (b, B, g) = (self._quantities_at(z, t, u, params) for z in (x + step, x - step))
        size = np.abs(A) @ np.abs(x) + np.abs(B) @ np.abs(x) + np.abs(a) + np.abs(b)
        changed = np.abs(a - b - A @ step - B @ step) > _JUMP * size
        # A quantity without a finite value on the switch is not defined there: no motion passes that point.
        there = self._on_switch(x, step, t, u, params)
        half, slopes, _ = self._quantities_at(x + step / 2, t, u, params)
        near = (4 * (half - slopes @ step / 2) - (a - A @ step)) / 3  # exact to third order in the step
        changed |= np.isfinite(there) & (np.abs(there - near) > _JUMP * size)
        outward, inward = step @ f, step @ g
        if outward * inward < 0:
            slide = (inward * f - outward * g) / (inward - outward)
            changed |= np.abs(A @ slide) > _SLIDING * (np.abs(A) @ np.abs(slide))
        return changed

    def _on_switch(
        self, x: np.ndarray, step: np.ndarray, t: float, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """The quantities on the switch itself: there is no sign of what has opposite ones beside."""
        beside = [self._conditions(self._system.arguments_at(t, z, u), params) for z in (x + step, x - step)]
        signs = np.mean(np.sign(beside), axis=0)
        return self._free([*self._system.arguments_at(t, x, u), *signs], params)

    def _quantities_at(
        self, x: np.ndarray, t: float, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Quantities, their gradients and the rates of the states."""
        q, n = self._count, self._system.nstates
        out = self._values(self._system.arguments_at(t, x, u), params)
        return out[:q], out[q : q + q * n].reshape(q, n), out[q + q * n :]


def _tangent(rows: np.ndarray) -> np.ndarray:
    """A basis of the directions that rows leave."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, values, vt = np.linalg.svd(rows)
    return vt[int(np.sum(values > _MISSED * values[0])) :].T
