"""How far the origin of a group's frame moves on at an impact that names things anew."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars import Node
from geoctrl._scalars.graph.symmetric_elimination import dot
from geoctrl.errors import InputError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.jumps.jump import Impact

__all__ = ["step_nodes", "step_rates"]


def step_nodes(impact: Impact, system: Recorded) -> list[Node]:
    """Nodes of ``step``, none without one; InputError where the group is not R^k, or for other symbols."""
    given, mechanism = impact.step, system.mechanism
    if given is None:
        return []
    factors = () if mechanism.group is None else mechanism.group.factors
    if len(factors) != 1 or factors[0].group != "rn" or factors[0].size != len(given):
        raise InputError(
            f"step of the impact {impact.name!r} has {len(given)} entries: it is for groups R^k, "
            "algebra=gc.rn(k), with an entry for each of k velocities"
        )
    known = {c.symbol for c in mechanism.shape} | {p.symbol for p in mechanism.parameters}
    if others := given.free_symbols - known:
        raise InputError(
            f"step of the impact {impact.name!r} holds {', '.join(sorted(map(str, others)))}: it is given by "
            "coordinates before the impact and parameters"
        )
    a = system.assembly
    return a.restrict([a.configuration(e) for e in given])


def step_rates(steps: Sequence[Node], system: Recorded, velocity: Sequence[Node]) -> list[Node]:
    """d/dt of the step, with the full velocities after the impact."""
    mechanism, g = system.mechanism, system.graph
    labels = list(mechanism.velocity_labels)
    places = [system.state_nodes[system.state_labels.index(c.name)] for c in mechanism.shape]
    rates = [velocity[labels.index(c.rate_label)] for c in mechanism.shape]
    return [dot(g, g.gradient(node, places), rates) for node in steps]
