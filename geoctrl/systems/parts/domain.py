"""Where a model holds: strict inequalities between expressions, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sympy as sp

from geoctrl._scalars import shown, without_floats
from geoctrl.errors import DescriptionError

__all__ = ["EVERYWHERE", "Side", "read_domain"]


_LONG = 300
"""Characters of a relation that nobody reads in a message."""


@dataclass(frozen=True)
class Side:
    """One side of the domain: where ``margin`` is positive; ``relation`` is what was written."""

    margin: sp.Expr
    relation: sp.Basic

    @property
    def words(self) -> str:
        """The relation in a message, its beginning where it is long, as the margin of a law may be."""
        written = str(self.relation)
        return written if len(written) <= _LONG else f"{written[:_LONG]}... ({len(written)} characters)"


EVERYWHERE: Mapping[str, Side] = MappingProxyType({})
"""The domain of a model without limits."""


def read_domain(given: Any) -> dict[str, Side]:
    """Sides by name, from a dict of name -> inequality or `Side`."""
    if not isinstance(given, Mapping):
        raise TypeError(f"domain must be a dict of name -> inequality, got {shown(given)}")
    found = {}
    for name, relation in given.items():
        if not isinstance(name, str) or not name.strip():
            raise DescriptionError(f"the name of a side of the domain must be text, got {shown(name)}")
        found[name] = relation if isinstance(relation, Side) else _side(name, relation)
    return found


def _side(name: str, relation: Any) -> Side:
    if isinstance(relation, (sp.logic.boolalg.BooleanAtom, bool)):
        always = "everywhere" if relation else "nowhere"
        raise DescriptionError(
            f"domain[{name!r}] holds {always}: write an inequality in advected symbols, coordinates or "
            "velocities"
        )
    if isinstance(relation, (sp.StrictGreaterThan, sp.GreaterThan, sp.StrictLessThan, sp.LessThan)):
        exact = without_floats(relation, f"domain[{name!r}]")
        return Side(exact.gts - exact.lts, relation)
    raise DescriptionError(
        f"domain[{name!r}] must be an inequality (left > right), one for each name, got {shown(relation)}"
    )
