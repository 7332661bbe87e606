r"""Cells that a sublevel set cannot leave.

K is a union of closed cells of shapes that holds the point. Every cell that touches K without being in it
has :math:`V > c` on the level sets over it, and K does not touch the side of the box: the boundary of K lies
in such cells. What begins over K with :math:`V \le c` stays over K as long as V does not grow.

A box is one cell, or it is halved along one side, the sides in turn. In preorder ``+`` is a box that is
halved, ``.`` a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic

from flint import arb, ctx, fmpq

from geoctrl.checker.reading import Refusal
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy

CELLS, SECONDS, HALVINGS = 200_000, 300.0, 64
"""Letters of a tree, the time that its cells may take, and halvings of a box."""


class Node:
    """A box, with what is known over it.

    Attributes
    ----------
    cell : sides
    level : halvings that it comes from
    least : a number below V on the level sets over it; None where none is known
    open : why it cannot be in K, where it cannot
    """

    __slots__ = ("_halves", "asked", "cell", "least", "level", "open")

    def __init__(self, cell: Cell, level: int = 0) -> None:
        self.cell, self.level = cell, level
        self._halves: tuple[Node, Node] | None = None
        self.least: arb | None = None
        self.asked, self.open = False, ""

    def halves(self) -> tuple[Node, Node]:
        """Its halves, the same ones each time."""
        if self._halves is None:
            k = self.level % len(self.cell)
            low, high = self.cell[k]
            middle = (low + high) / 2
            first, second = (
                Node((*self.cell[:k], side, *self.cell[k + 1 :]), self.level + 1)
                for side in ((low, middle), (middle, high))
            )
            self._halves = first, second
        return self._halves


class Cells:
    """The cells of a box, each asked about once.

    Parameters
    ----------
    energy : Energy
    """

    def __init__(self, energy: Energy) -> None:
        self.energy, self.top = energy, Node(energy.box)
        self._deadline = monotonic() + SECONDS
        point = energy.at_point(energy.shapes)
        if not all(a < x < b for x, (a, b) in zip(point, energy.box, strict=True)):
            raise Refusal("the point is not within the box", "problem.sublevel.box")
        self._point: Cell = tuple((x, x) for x in point)

    def ask(self, node: Node) -> None:
        """Find what there is to know over a box."""
        if node.asked:
            return
        if monotonic() > self._deadline:
            raise Refusal(f"the check of the cells takes more than {SECONDS:g} s", "cells")
        node.asked = True
        with ctx.workprec(BITS):
            if self._off_leaf(node.cell):
                node.least = arb("inf")
                return
            with suppress(Refusal):  # where a function has no value everywhere in the cell
                node.least = self.energy.least(self.energy.quadratic(node.cell))
            node.open = self._fault(node)

    def _off_leaf(self, cell: Cell) -> bool:
        """Whether a relation of the leaf vanishes nowhere in a cell."""
        middle = [((a + b) / 2,) * 2 for a, b in cell]
        try:
            at, over = self.energy.relations_over(middle), self.energy.relations_over(cell)
        except Refusal:
            return False
        steps = [arb(0, 1) * ((b - a) / 2) for a, b in cell]
        for g, whole in zip(at, over, strict=True):
            slopes = [whole.first.get(i, arb(0)) for i in self.energy.shapes]
            value = g.value + sum((p * q for p, q in zip(slopes, steps, strict=True)), arb(0))
            if not value.contains(0) or not whole.value.contains(0):
                return True
        return False

    def _fault(self, node: Node) -> str:
        if any(a <= p or b >= q for (a, b), (p, q) in zip(node.cell, self.energy.box, strict=True)):
            return "it reaches the side of the box"
        if node.least is None:
            return "V has no value or is not definite in the velocities"
        return self.energy.irregular(node.cell)

    def cover(self, level: fmpq, is_halved: Callable[[Node], bool]) -> list[Node]:
        """The cells of K.

        Raises
        ------
        Refusal
            If what is below the level cannot be kept in cells of this tree.
        """
        inside: list[Node] = []
        marks: dict[Node, str] = {}

        def meeting(cell: Cell) -> Iterator[Node]:
            stack = [self.top]
            while stack:
                node = stack.pop()
                if all(b >= p and q >= a for (a, b), (p, q) in zip(cell, node.cell, strict=True)):
                    if marks.get(node) == "halved":
                        stack += node.halves()
                    else:
                        yield node

        def touches(node: Node) -> bool:
            near = any(marks.get(other) == "in" for other in meeting(node.cell))
            return near or any(other is node for other in meeting(self._point))

        pending = [self.top]
        while pending:
            node = pending.pop()
            if node in marks:
                continue
            if is_halved(node):
                marks[node] = "halved"
                pending += [half for half in node.halves() if touches(half)]
                continue
            self.ask(node)
            if node.least is not None and node.least > level:
                marks[node] = "out"
                continue
            if node.open:
                raise Refusal(f"at this level {node.open} in the cell {_words(node.cell)}", "cells")
            marks[node] = "in"
            inside.append(node)
            pending += [other for other in meeting(node.cell) if other not in marks]
        return inside


def tree_of(top: Node, is_halved: Callable[[Node], bool]) -> str:
    """The letters of a tree."""
    letters, stack = [], [top]
    while stack:
        node = stack.pop()
        halved = is_halved(node)
        letters.append("+" if halved else ".")
        stack += reversed(node.halves()) if halved else ()
    return "".join(letters)


def read_tree(top: Node, letters: str) -> Callable[[Node], bool]:
    """Which boxes of a tree are halved; refused where the letters are none."""
    halved, stack = set[Node](), [top]
    for letter in letters:
        if letter not in "+." or not stack:
            raise Refusal("the cells are no tree", "cells")
        node = stack.pop()
        if letter == "+":
            if node.level >= HALVINGS * len(node.cell):
                raise Refusal("the cells are no tree", "cells")
            halved.add(node)
            stack += reversed(node.halves())
    if stack:
        raise Refusal("the cells are no tree", "cells")
    return halved.__contains__


def _words(cell: Cell) -> str:
    return " x ".join(f"[{float(a.p) / float(a.q):.6g}, {float(b.p) / float(b.q):.6g}]" for a, b in cell)
