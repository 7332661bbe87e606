"""Bounds of functions of the state over a region: what a law asks of its actuators there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.sublevels.cover import CoverNode, is_off_leaf, require_over
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy, Quadratic, first, middle_of, steps_of

FURTHER = 6
"""Halvings of each side of a cell of K, at most, beyond those that it has."""


def require_limits(energy: Energy, inside: Sequence[CoverNode], level: fmpq) -> None:
    """Every input stays within its bound over K below the level; refused where that is not proved."""
    with ctx.workprec(BITS):
        for name, row in energy.given["limits"].items():
            fault = f"it is not proved that {name[:80]!r} stays within its limit", "limits"
            _require_limit(energy, inside, level, row, *fault)


def _require_limit(
    energy: Energy, inside: Sequence[CoverNode], level: fmpq, row: dict[str, Any], *fault: str
) -> None:
    bound = arb(row["bound"])

    def is_within(cell: Cell) -> bool:
        found = _largest(energy, cell, row["input"], arb(level))
        return found is None or bool(found <= bound)

    def is_in_vain(cell: Cell) -> bool:
        """Whether the function is beyond its bound at the middle of a cell as well."""
        with suppress(Refusal):
            return not is_within(middle_of(cell))
        return False

    def holds(cell: Cell) -> bool:
        within = is_within(cell)
        require(within or not is_in_vain(cell), *fault)
        return within

    require_over(inside, holds, FURTHER, *fault)


def _largest(energy: Energy, cell: Cell, place: int, level: arb) -> arb | None:
    """A bound of the size of a function over a cell below a level; None where nothing of the region is
    there.

    By the mean value theorem from the middle, with velocities w = w_* + p + N S q and |q| bounded.
    """
    if (found := bounded_velocities(energy, cell, level)) is None:
        return None
    quadratic, reach, w = found
    at = energy.jets(middle_of(cell), quadratic.start, [place], order=1)[3][0]
    over = energy.jets(cell, w, [place], order=1)[3][0]
    slopes = arb_mat(1, len(w), [first(over, i) for i in energy.velocities])
    value = energy.over_cell(at, over, steps_of(cell)) + (slopes * quadratic.shift)[0, 0]
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


def norm(entries: Sequence[arb]) -> arb:
    """A bound of the length of a vector in balls."""
    return sum((c.abs_upper() * c.abs_upper() for c in entries), arb(0)).sqrt().upper()
