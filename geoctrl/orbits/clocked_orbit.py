r"""The time of a forced orbit as a state that goes round.

The clock :math:`\theta` has the constant rate :math:`a_1/k_1`, and :math:`\sin(a_i t + b_i)` becomes
:math:`\sin(k_i\theta + b_i)`: equations without the time, which are the same after a whole turn of the clock.
A forced orbit is one of these along which the clock goes round.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
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

__all__ = ["forced_enclosure"]


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
    system, graph = forcing.system, forcing.system.graph
    label = next(name for name in ("clock", "clock_of_forcing") if name not in system.state_labels)
    clock = Coordinate(label, angle=True)
    node, t = graph.symbol(label, STATE), system.time_node
    turned = {}
    for wave, k in zip(forcing.waves, forcing.turns, strict=True):
        name, (argument,) = wave.payload
        (still,) = graph.substitute([argument], {t: graph.zero})
        turned[wave] = graph.fun(name, k * node + still)
    symbols = {**system.symbols, node: clock.symbol}
    rate = forcing.rates[0] / forcing.turns[0]
    kept = system.conserved(system.params)
    margins = [system.expression(side.margin) for side in system.domain.values()]
    nodes = [*system.field_nodes, rate, *system.leaf.nodes, *kept.values(), *margins]
    written = iter(to_sympy(graph.substitute(nodes, turned), symbols))
    angles = {c.name for c in system.mechanism.shape if c.angle}
    states = [
        Coordinate(k, angle=k in angles) if k in angles else str(s)
        for k, s in zip(system.state_labels, system.states, strict=True)
    ]
    field = VectorField(
        [*states, clock],
        [e.xreplace(_plain(system)) for e in islice(written, system.nstates + 1)],
        leaf=dict(zip(system.leaf.names, islice(written, len(system.leaf.names)), strict=True)),
        inputs=list(system.inputs),
        parameters=list(system.mechanism.parameters),
        invariants=dict(zip(kept, islice(written, len(kept)), strict=True)),
        domain={name: margin > 0 for name, margin in zip(system.domain, written, strict=True)},
        name=system.name,
    )
    return field.reduce(), label


def _plain(system: Any) -> dict[sp.Symbol, sp.Symbol]:
    """Symbols of the states as plain real ones of their names."""
    return {s: sp.Symbol(str(s), real=True) for s in system.states}
