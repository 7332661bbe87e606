"""Which conserved functions hold levels of their own at a point."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl import checker
from geoctrl.checker.matrices import independent

__all__ = ["independent_invariants"]


def independent_invariants(q: checker.Question, names: Sequence[str]) -> list[str]:
    """Names of functions with gradients independent of those before and of the leaf's, the energy's left
    out.
    """
    rows, found = list(q.leaf[0]), []
    for name in names:
        gradient = q.function(name)[1]
        if name != "energy" and independent(rows, gradient):
            rows.append(gradient)
            found.append(name)
    return found
