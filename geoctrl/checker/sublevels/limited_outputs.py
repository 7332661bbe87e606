"""Bounds of functions of the state over a region: what a law asks of its actuators there."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.limits import Refusal
from geoctrl.checker.sublevels.cover import CoverNode, is_off_leaf
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy, Quadratic, dot, first

FURTHER = 6
"""Halvings of each side of a cell of K, at most, beyond those that it has."""


def require_limits(energy: Energy, inside: Sequence[CoverNode], level: fmpq) -> None:
    """Every input stays within its bound over K below the level; refused where that is not proved."""
    with ctx.workprec(BITS):
        for name, row in energy.given["limits"].items():
            bound = arb(row["bound"])
            for node in inside:
                pending = [(node.cell, 0)]
                while pending:
                    cell, halved = pending.pop()
                    found = _largest(energy, cell, row["input"], arb(level))
                    if found is None or found <= bound:
                        continue
                    if halved >= FURTHER * len(cell) or _exceeds(energy, cell, row["input"], level, bound):
                        raise Refusal(f"it is not proved that {name[:80]!r} stays within its limit", "limits")
                    k = halved % len(cell)
                    low, high = cell[k]
                    for side in ((low, (low + high) / 2), ((low + high) / 2, high)):
                        pending.append(((*cell[:k], side, *cell[k + 1 :]), halved + 1))


def _largest(energy: Energy, cell: Cell, place: int, level: arb) -> arb | None:
    """A bound of the size of a function over a cell below a level; None where nothing of the region is
    there.

    By the mean value theorem from the middle, with velocities w = w_* + p + N S q and |q| bounded.
    """
    if (found := bounded_velocities(energy, cell, level)) is None:
        return None
    quadratic, reach, w = found
    middle = [((a + b) / 2,) * 2 for a, b in cell]
    at = energy.jets(middle, quadratic.start, [place], order=1)[3][0]
    over = energy.jets(cell, w, [place], order=1)[3][0]
    steps = [arb(0, 1) * ((b - a) / 2) for a, b in cell]
    slopes = arb_mat(1, len(w), [first(over, i) for i in energy.velocities])
    value = at.value + dot([first(over, i) for i in energy.shapes], steps) + (slopes * quadratic.shift)[0, 0]
    along = (slopes * quadratic.frame).entries()
    return (abs(value) + norm(along) * reach).upper()


def bounded_velocities(energy: Energy, cell: Cell, level: arb) -> tuple[Quadratic, arb, list[arb]] | None:
    """phi over a cell, a bound of |q| below a level, and the velocities that these leave; None where nothing
    of the region is there: the cell is off the leaf, or V lies above the level over it.
    """
    if is_off_leaf(energy, cell):
        return None
    quadratic = energy.quadratic(cell)
    least = energy.least(quadratic)
    if quadratic is None or least is None:
        raise Refusal("V is not definite in the velocities", "limits")
    if least > level:
        return None
    reach = energy.reach(quadratic, level) if quadratic.slope.nrows() else arb(0)
    w = []
    for i, v in enumerate(quadratic.start):
        row = [quadratic.frame[i, j] for j in range(quadratic.frame.ncols())]
        w.append(arb(v) + quadratic.shift[i, 0] + arb(0, 1) * norm(row) * reach)
    return quadratic, reach, w


def _exceeds(energy: Energy, cell: Cell, place: int, level: fmpq, bound: arb) -> bool:
    """Whether a function is beyond its bound at the middle of a cell as well, so that halving is in vain."""
    middle = tuple(((a + b) / 2,) * 2 for a, b in cell)
    try:
        found = _largest(energy, middle, place, arb(level))
    except Refusal:
        return False
    return found is not None and not found <= bound


def norm(entries: Sequence[arb]) -> arb:
    """A bound of the length of a vector in balls."""
    return sum((c.abs_upper() * c.abs_upper() for c in entries), arb(0)).sqrt().upper()
