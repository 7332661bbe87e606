"""What the structure of a group says of units: velocities that are rates of angles, and those alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars.algebra.rational_matrix import nullspace
from geoctrl.algebra import AdvectedVector, LieAlgebra

__all__ = ["reference_sizes", "units_of_velocities"]


def reference_sizes(advected: Any) -> list[float]:
    """Sizes of the components of what is advected: of a vector its length, else those of the reference."""
    own = [abs(float(q)) for q in advected.reference]
    return [float(np.hypot.reduce(own))] * len(own) if isinstance(advected, AdvectedVector) else own


def units_of_velocities(algebra: LieAlgebra) -> tuple[set[int], list[list[int]]]:
    """Places of velocities that are rates of angles in any units, and classes of those with one unit.

    Where [e_i, e_j] has a part along e_k, the velocity xi_k has the unit of xi_i xi_j times a time. Of all
    choices of units besides that of time, velocities that have none in any are rates of angles, and those
    that have the same in all are alike.

    Examples
    --------
    >>> from geoctrl.algebra import se2
    >>> units_of_velocities(se2())
    ({0}, [[1, 2]])
    """
    rows = set()
    for i, j, k, _ in algebra.brackets:
        row = [0] * algebra.n
        for place, step in ((i, 1), (j, 1), (k, -1)):
            row[place] += step
        rows.add(tuple(row))
    kernel = nullspace([[Fraction(q) for q in row] for row in sorted(rows)], algebra.n)
    exponents = list(zip(*kernel, strict=True)) if kernel else [()] * algebra.n
    turns = {i for i, e in enumerate(exponents) if not any(e)}
    classes: dict[tuple, list[int]] = {}
    for i, e in enumerate(exponents):
        if i not in turns:
            classes.setdefault(e, []).append(i)
    return turns, [places for places in classes.values() if len(places) > 1]
