"""Boxes of states in which a region that motions do not leave lies: what pictures of it are made of."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx, fmpq

from geoctrl.checker.limits import Refusal
from geoctrl.checker.sublevels.energy import BITS, Cell
from geoctrl.checker.sublevels.file import SublevelRegion
from geoctrl.checker.sublevels.limited_outputs import bounded_velocities
from geoctrl.errors import CertificateError

__all__ = ["boxes_of"]

FURTHER = 4
"""Halvings of each side of a piece beyond those asked for, where no bound of velocities is found."""

Interval = tuple[float, float]


def boxes_of(region: SublevelRegion, pieces: int) -> list[dict[str, Interval]]:
    """Boxes over pieces of the cells of K, of which each side is at most the extent over ``pieces``.

    Pieces over which nothing lies below the level are left out. Rounded outwards: all of the region is in the
    boxes.
    """
    energy = region.energy
    finest = [(b - a) / pieces for a, b in region.extent().values()]
    pending = [(node.cell, 0) for node in region.inside]
    found = []
    while pending:
        cell, beyond = pending.pop()
        k = max(range(len(cell)), key=lambda i: (cell[i][1] - cell[i][0]) / finest[i])
        coarse = cell[k][1] - cell[k][0] > finest[k]
        try:
            with ctx.workprec(BITS):
                bounded = bounded_velocities(energy, cell, arb(region.level))
            if bounded is None:
                continue
            *_, velocities = bounded
        except Refusal as refusal:
            if not coarse and beyond >= FURTHER * len(cell):
                raise CertificateError(f"the region has no bounds here: {refusal}") from None
            velocities = None
        if coarse or velocities is None:
            pending += [(half, beyond + (not coarse)) for half in _halves(cell, k)]
            continue
        labels, box = energy.question.labels, {}
        for i, v in zip(energy.velocities, velocities, strict=True):
            box[labels[i]] = _outwards(v)
        for i, (a, b) in zip(energy.shapes, cell, strict=True):
            box[labels[i]] = _double_beyond(a, -math.inf), _double_beyond(b, math.inf)
        found.append({k: box[k] for k in labels})
    return found


def _halves(cell: Cell, k: int) -> tuple[Cell, Cell]:
    low, high = cell[k]
    middle = (low + high) / 2
    return (*cell[:k], (low, middle), *cell[k + 1 :]), (*cell[:k], (middle, high), *cell[k + 1 :])


def _double_beyond(value: fmpq, towards: float) -> float:
    """The number, where it is a double, or the next one beyond."""
    number = Fraction(int(value.p), int(value.q))
    near = float(number)
    return near if (near <= number if towards < 0 else near >= number) else math.nextafter(near, towards)


def _outwards(v: arb) -> Interval:
    """Doubles around a ball."""
    return math.nextafter(float(v.lower()), -math.inf), math.nextafter(float(v.upper()), math.inf)
