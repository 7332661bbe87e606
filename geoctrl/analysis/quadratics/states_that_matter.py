"""States on which the motion depends: all but those that no rate of the others depends on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geoctrl.analysis.quadratics.ring import occurring

__all__ = ["states_that_matter"]


def states_that_matter(
    field: Any, states: list[int], rates: list[Any], rows: Iterable[Any] = ()
) -> list[int]:
    """Places among the states of what is left when states go on which no rate that is left depends.

    A state that moves by itself stays; a position that is only carried along goes.

    Parameters
    ----------
    field : field of functions
        With what its generators are made of.
    states : list of int
        Generators of the states.
    rates : list of Ratio
        Their rates.
    rows : iterable of polynomials
        Equations of unknowns that stand in rates.
    """
    held = [_states_in(field, rate) for rate in rates]
    of_rows = [_generators_in(field, row) for row in rows]
    held = [h.union(*(own for own in of_rows if own - {*states} - {*field.made} & h)) for h in held]
    left = set(range(len(states)))
    while True:
        reached = set().union(*(held[k] for k in left))
        kept = {k for k in left if states[k] in reached}
        if kept == left:
            return sorted(left)
        left = kept


def _states_in(field: Any, ratio: Any) -> set[int]:
    """Generators of a ratio, and of the arguments of functions in it, however deep."""
    return set().union(*(_generators_in(field, field.factors[k].top) for k in ratio.below)) | (
        _generators_in(field, ratio.top)
    )


def _generators_in(field: Any, p: Any) -> set[int]:
    """The same of a polynomial."""
    found = set(occurring(p))
    for i in found & set(field.made):
        found |= set().union(*(_states_in(field, argument) for argument in field.made[i][1]))
    return found
