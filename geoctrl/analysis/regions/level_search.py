"""The search for the highest level at which a sublevel set closes below the next critical point.

What is found is proposed to `geoctrl.checker.sublevels`, which asks for no critical points: they say where to
stop, and are looked for in doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from flint import ctx, fmpq

from geoctrl.checker.limits import Refusal
from geoctrl.checker.sublevels.cover import Cells, CoverNode
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy, first, seconds
from geoctrl.checker.sublevels.limited_outputs import require_limits
from geoctrl.checker.words.texts import nearest_double

__all__ = ["highest_levels"]

COARSE = 3
"""Halvings of each side of the box that all cells of the set have."""
FINE = {1: 6, 2: 6}
"""The same of cells of which the middle is above the level, by the number of sides: a large one may reach
into another well. With more sides these cells are too many."""
FINER = 2**30
"""Parts of the size of the function to which its value at the point is rounded."""
GROWTH, BISECTIONS = 60, 14
"""Steps to a level that closes and one that does not, and halvings of the way between them."""
NEAR = 1 / 8
"""Of the box about the point, the part in which the critical point that is seen is the point itself."""


def highest_levels(
    energy: Energy, depth: int, size: Fraction
) -> Iterator[tuple[fmpq, list[CoverNode], str, str]]:
    """Higher and higher levels that close, the last one next to one that does not; their cells, the tree of
    all cells, and why no higher level was taken, as far as that is known.

    Parameters
    ----------
    depth : int
        Halvings of each side of the box, at most.
    size : Fraction
        Of the function: the first step from its value at the point.
    """
    cells = Cells(energy)
    halving = _Halving(cells, depth)
    inside: list[CoverNode] = []

    def closes(level: fmpq) -> str:
        """Why a level does not close; empty where it does."""
        try:
            halving.level = level
            found = cells.cover(level, halving)
            require_limits(energy, found, level)
        except Refusal as refusal:
            return str(refusal)
        inside[:] = found
        return ""

    def tree() -> str:
        return _tree_of(cells.top, halving.halved.__contains__)

    step, low, high, why, cover = fmpq(size.numerator, size.denominator), None, None, "", ""
    fine = step / FINER
    bottom = fmpq(round(nearest_double(energy.value_at_point.upper().fmpq() / fine))) * fine
    for _ in range(GROWTH):
        if fault := closes(bottom + step):
            high, why = bottom + step, fault
            step /= 4
        else:
            low, cover = bottom + step, tree()
            yield low, [*inside], cover, why
            step *= 2
        if low is not None and high is not None:
            break
    if low is None or high is None:
        raise Refusal(why or "no level is found that motions could cross")
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if fault := closes(middle):
            high, why = middle, fault
        else:
            low, cover = middle, tree()
            yield low, [*inside], cover, why
    yield low, [*inside], cover, why


def _tree_of(top: CoverNode, is_halved: Callable[[CoverNode], bool]) -> str:
    """The letters of a tree."""
    letters, stack = [], [top]
    while stack:
        node = stack.pop()
        halved = is_halved(node)
        letters.append("+" if halved else ".")
        stack += reversed(node.halves()) if halved else ()
    return "".join(letters)


class _Halving:
    """Which boxes are halved: large ones, those across the level, and those that cannot be in the set.

    At each level anew; of a level that closes ``halved`` are those that are.
    """

    def __init__(self, cells: Cells, depth: int) -> None:
        self._cells, self._avoid = cells, _Critical(cells.energy, cells.energy.box)
        sides = len(cells.energy.box)
        self._coarse, self._deepest = COARSE * sides, depth * sides
        self._fine = min(FINE.get(sides, COARSE) * sides, self._deepest)
        self._avoided: set[CoverNode] = set()
        self.halved: set[CoverNode] = set()
        self.level = fmpq(0)

    def __call__(self, node: CoverNode) -> bool:
        cells = self._cells
        if node is cells.top:
            self.halved = set()
        cells.ask(node)
        if node.least is not None and node.least > self.level:
            return False
        if node not in self._avoided:
            self._avoided.add(node)
            node.open = cells.fault(node) or self._avoid(node.cell)
        above = node.middle is not None and node.middle > self.level
        to = self._deepest if node.open else self._fine if above else self._coarse
        if node.level < to:
            self.halved.add(node)
            return True
        return False


class _Critical:
    """Why a cell is left out: Newton's method leads from its middle to a critical point that is not far."""

    def __init__(self, energy: Energy, box: Cell) -> None:
        self._energy, self._box = energy, box
        self._point = np.array([nearest_double(x) for x in energy.at_point(energy.shapes)])
        self._near = NEAR * np.array([nearest_double(b - a) for a, b in box]) / 2

    def __call__(self, cell: Cell) -> str:
        low, high = np.array([[nearest_double(x) for x in side] for side in cell]).T
        if np.all((low >= self._point - self._near) & (high <= self._point + self._near)):
            return ""
        try:
            step = self._step([((a + b) / 2,) * 2 for a, b in cell])
        except (Refusal, np.linalg.LinAlgError):
            return ""
        there = (low + high) / 2 + step
        if np.all(np.abs(step) <= high - low) and np.any(np.abs(there - self._point) > self._near / 2):
            return "there is another critical point"
        return ""

    def _step(self, middle: Sequence[tuple[fmpq, fmpq]]) -> np.ndarray:
        """Newton's step of the shapes towards a zero of the gradient of V + y C + lambda g, with C and g."""
        energy = self._energy
        with ctx.workprec(BITS):
            start = energy.start(middle)
            if start is None:
                raise Refusal("no least value")
            w, y, leaf, _ = start
            jets = energy.jets(middle, w)
            total = energy.combined(jets, y, leaf)
        places = [*energy.shapes, *energy.velocities]
        functions = [*jets[1], *jets[2]]
        n, m = len(places), len(functions)
        K, right = np.zeros((n + m, n + m)), np.zeros(n + m)
        for k, i in enumerate(places):
            right[k] = -float(first(total, i))
            K[k, :n] = [float(c) for c in seconds(total, i, places)]
            for r, f in enumerate(functions):
                K[k, n + r] = K[n + r, k] = float(first(f, i))
        levels = [*energy.levels, *[0.0] * len(jets[2])]
        right[n:] = [float(level) - float(f.value) for f, level in zip(functions, levels, strict=True)]
        return np.linalg.solve(K, right)[: len(energy.shapes)]
