"""The leaf in words: its relations, and its dimension at the point, as far as that is proved.

Where the gradients of r relations are independent at e, their common zeros near e are a manifold of dimension
n - r. If these are all relations, that is the leaf; if others depend on them, the leaf is a part of it. With
r = n it is the point alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from geoctrl.checker.words.texts import Expressions


class Dimension(NamedTuple):
    """At most ``most``, and exactly that where ``exact``."""

    most: int
    exact: bool

    def __str__(self) -> str:
        return f"{'' if self.exact or not self.most else 'at most '}{self.most}"


def leaf_words(relations: Sequence[str], found: Dimension, at: str = "") -> str:
    """The leaf with its relations and its dimension, ``at`` the point or elsewhere."""
    if not relations:
        return f"the leaf of all states, of dimension {found}"
    alone = ": the point alone" if not found.most else ""
    return f"the leaf {', '.join(relations)}, a leaf of dimension {found}{at}{alone}"


def relations(problem: dict[str, Any]) -> list[str]:
    """The relations of the leaf as equations."""
    table, written = problem["nodes"], Expressions(problem["nodes"])
    found = []
    for place in problem["leaf"].values():
        node = table[place]
        if node[0] == "prod" and node[1] and [e for _, e in node[2]] == [1]:
            place = node[2][0][0]  # a constant factor changes nothing
        found.append(f"{written(place)} = 0")
    return found
