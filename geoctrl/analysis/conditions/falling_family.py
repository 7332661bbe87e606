r"""An energy that falls near the members of a family, in symbols.

Its rate is brought to a sum :math:`\dot E = \sum_i q_i l_i^2` of squares as an identity of rational functions
in states and parameters. Where every :math:`q_i` is negative at the members it is so near them, and E falls
or stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from geoctrl.analysis.conditions.family_point import Falling, FamilyPoint
from geoctrl.analysis.critical.squares import sum_of_squares
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.symbolic.rational_functions import RationalField, RationalFunction, TooLargeError

__all__ = ["falling_energy"]

_TERMS = 4000
"""Terms of a rate from which on it is not looked at."""


class _AtMembers:
    """Polynomials of a field, of which the values at the members are functions of parameters."""

    def __init__(self, members: FamilyPoint, field: RationalField) -> None:
        self._members, self._field = members, field
        number = {node: i for i, node in enumerate(field.generators)}
        self.gens: Sequence[Any] = field.ring.gens()
        self.states = [number[node] for node in members.system.state_nodes if node in number]
        moving = members.system.assembly.velocity
        self.velocities = [number[node] for node in moving if node in number]
        self.point: dict[int, fmpq] = {}

    @property
    def one(self) -> Any:
        """The constant polynomial."""
        return self._field.one.top

    def value_of(self, polynomial: Any) -> RationalFunction:
        """The value as a function of parameters, false where it is zero."""
        (value,) = self._members.at_members(
            [self._field.node(RationalFunction(self._field, polynomial, self.one))]
        )
        return RationalField([value, value.graph.one], self._members.squares, self._members.positive)(value)


def falling_energy(at: FamilyPoint) -> Falling | None:
    """The energy, where its rate under the inputs of the family is a sum of squares; None where it is not."""
    system, graph = at.system, at.system.graph
    (energy,) = at.with_settings([system.assembly.energy])
    motion = dict(zip(system.state_nodes, at.with_settings(system.field_nodes), strict=True))
    (rate,) = graph.push_forward([energy], motion)
    try:
        field = RationalField([rate, graph.one], at.squares, at.positive, branch=False)
        found = field(rate)
        if not found or len(found.top) > _TERMS:
            return None
        terms = sum_of_squares(found.top, _AtMembers(at, field))
    except (NotSolved, TooLargeError, ZeroDivisionError):
        return None
    one = field.one.top
    over = RationalFunction(field, one, found.below)
    factors = (RationalFunction(field, a, one) / RationalFunction(field, b, one) * over for a, b, _ in terms)
    try:
        negative = at.at_members([field.node(q) for q in factors])
    except ZeroDivisionError:  # a factor has no value at the members
        return None
    return Falling(at.jets({"energy": energy})[0], negative)
