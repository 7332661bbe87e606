r"""The time of a forced orbit as a state that goes round.

The clock :math:`\theta` has the constant rate :math:`a_1/k_1`, and :math:`\sin(a_i t + b_i)` becomes
:math:`\sin(k_i\theta + b_i)`: equations without the time, which are the same after a whole turn of the clock.
A forced orbit is one of these along which the clock goes round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import STATE
from geoctrl._scalars.text.sympy_bridge import to_sympy
from geoctrl.algebra import Coordinate
from geoctrl.errors import InputError
from geoctrl.orbits.enclosures.enclosed_orbit import OrbitEnclosure
from geoctrl.orbits.enclosures.enclosure import orbit_enclosure
from geoctrl.orbits.forcing import Forcing
from geoctrl.systems import VectorField

__all__ = ["ClockedNodes", "clock_of", "clocked_field", "forced_enclosure"]


def forced_enclosure(orbit: Any, bits: int) -> OrbitEnclosure:
    """The enclosure of a forced orbit, without its clock."""
    if orbit.angle is not None:
        raise InputError("forced orbits that close up to a turn about an axis are not enclosed")
    (clocked, clock), n = _with_clock(orbit), len(orbit.x)
    found = orbit_enclosure(clocked, bits, clock)
    Phi = found.monodromy
    return replace(
        found,
        system=orbit.system,
        x=found.x[:n],
        sizes=found.sizes[:n],
        monodromy=type(Phi)([row[:n] for row in Phi.tolist()[:n]]),
        neutral=tuple(name for name in found.neutral if name != "time"),
    )


def _with_clock(orbit: Any) -> tuple[Any, str]:
    """The orbit of the equations in which a clock stands for the time, and the clock's label."""
    n, forcing = len(orbit.x), orbit.forcing
    system, clock = _clocked_system(forcing)
    S, Phi = (np.eye(n + 1) for _ in range(2))
    S[:n, :n], Phi[:n, :n] = orbit.S, orbit.monodromy
    clocked = replace(
        orbit,
        system=system,
        x=np.append(orbit.x, 0.0),
        S=S,
        monodromy=Phi,
        neutral=(*orbit.neutral, "time"),
        winding=orbit.winding | {clock: orbit.cycles},
        forcing=None,
    )
    return clocked, clock


def _clocked_system(forcing: Forcing) -> tuple[Any, str]:
    """Equations with a clock, and its label."""
    clock = clock_of([forcing.system])
    written = ClockedNodes(forcing.system, forcing, clock)
    (rate,) = written([forcing.rates[0] / forcing.turns[0]])
    return clocked_field(written, rate), clock


def clock_of(systems: Iterable[Any]) -> str:
    """A label of no state."""
    taken = {label for system in systems for label in system.state_labels}
    return next(name for name in ("clock", "clock_of_forcing") if name not in taken)


class ClockedNodes:
    """Nodes of a system as expressions in which a clock stands for the time; as they are without forcing."""

    def __init__(self, system: Any, forcing: Forcing | None, label: str) -> None:
        graph, self.system, self.clock = system.graph, system, Coordinate(label, angle=True)
        node, self._turned = graph.symbol(label, STATE), {}
        pairs = [] if forcing is None else zip(forcing.waves, forcing.turns, strict=True)
        for wave, k in pairs:
            name, (argument,) = wave.payload
            (still,) = graph.substitute([argument], {system.time_node: graph.zero})
            self._turned[wave] = graph.fun(name, k * node + still)
        self._symbols = {**system.symbols, node: self.clock.symbol}
        self._plain = {s: sp.Symbol(str(s), real=True) for s in system.states}

    def __call__(self, nodes: Sequence[Any]) -> list[sp.Expr]:
        """The expressions."""
        turned = self.system.graph.substitute(list(nodes), self._turned)
        return [e.xreplace(self._plain) for e in to_sympy(turned, self._symbols)]


def clocked_field(written: ClockedNodes, rate: Any) -> Any:
    """The equations with the clock as their last state."""
    system, kept = written.system, written.system.conserved(written.system.params)
    angles = {c.name for c in system.mechanism.shape if c.angle}
    states = [Coordinate(k, angle=True) if k in angles else k for k in system.state_labels]
    sides = {name: system.expression(side.margin) for name, side in system.domain.items()}
    field = VectorField(
        [*states, written.clock],
        [*written(system.field_nodes), rate],
        leaf=dict(zip(system.leaf.names, written(system.leaf.nodes), strict=True)),
        inputs=list(system.inputs),
        parameters=list(system.mechanism.parameters),
        invariants=dict(zip(kept, written([*kept.values()]), strict=True)),
        domain={k: margin > 0 for k, margin in zip(sides, written([*sides.values()]), strict=True)},
        name=system.name,
    )
    return field.reduce()
