"""A family with the further directions in which its members are points of rest."""

from __future__ import annotations

from typing import NamedTuple

from geoctrl._scalars import PARAMETER, Node
from geoctrl.analysis.conditions.equilibrium_manifolds import resting_states
from geoctrl.analysis.conditions.family_point import FamilyPoint
from geoctrl.analysis.symbolic.rational_functions import RationalField, TooLargeError
from geoctrl.decisions.reading.problem_reader import Refusal

__all__ = ["WiderMembers", "wider_members"]


class WiderMembers(NamedTuple):
    """States of a family with further symbols, zero at its members, and the names of these."""

    states: list[Node]
    symbols: dict[Node, str]


def wider_members(at: FamilyPoint, dimension: int) -> WiderMembers:
    """A manifold of equilibria of a dimension through the members of a family, held by the same inputs.

    It is written over the states that the equations of rest leave free, each of which is that of a member
    plus a symbol, so far as the symbols of the family do not move it; Refusal where none is found.
    """
    system, graph = at.system, at.system.graph
    try:
        rest = resting_states(at)
        if rest is None or len(rest.free) != dimension or not at.same_inputs:
            raise Refusal(
                "no manifold of equilibria of that dimension is found through the members", "problem"
            )
        free = at.at_members(rest.free)
        left = _places_beside_symbols(at, free)
    except (TooLargeError, ZeroDivisionError):
        raise Refusal("equations of rest are too large to be solved", "problem") from None
    labels = dict(zip(system.state_nodes, system.state_labels, strict=True))
    names = {k: f"shift of {labels[rest.free[k]]}" for k in left}
    shifts = {k: graph.symbol(name, PARAMETER) for k, name in names.items()}
    at_free = {
        node: value + shifts[k] if k in shifts else value
        for k, (node, value) in enumerate(zip(rest.free, free, strict=True))
    }
    held = dict(zip(rest.values, graph.substitute(list(rest.values.values()), at_free), strict=True))
    return WiderMembers(
        [(at_free | held)[node] for node in system.state_nodes], {shifts[k]: names[k] for k in left}
    )


def _places_beside_symbols(at: FamilyPoint, free: list[Node]) -> list[int]:
    """Free states that stand beside the symbols of a family as its coordinates; Refusal where these are none
    themselves.
    """
    rows = at.tangents(free)
    field = RationalField([*(e for row in rows for e in row), at.system.graph.one], at.squares, at.positive)
    left, columns = [field.all(row) for row in rows], list(range(len(free)))
    while left:
        row = left.pop()
        pivot = next((j for j in columns if row[j]), None)
        if pivot is None:
            raise Refusal("the symbols of the family are no coordinates", "problem")
        columns.remove(pivot)
        left = [
            [a - other[pivot] / row[pivot] * b for a, b in zip(other, row, strict=True)] for other in left
        ]
    return columns
