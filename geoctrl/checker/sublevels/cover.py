r"""Cells that a sublevel set cannot leave.

K is a union of closed cells of shapes that holds the point. Every cell that touches K without being in it
has :math:`V > c` on the level sets over it, and K does not touch the side of the box: the boundary of K lies
in such cells. What begins over K with :math:`V \le c` stays over K as long as V does not grow.

A box is one cell, or it is halved along one side, the sides in turn. In preorder ``+`` is a box that is
halved, ``.`` a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from flint import arb, ctx, fmpq

from geoctrl.checker import numbers
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy, halves_of, middle_of
from geoctrl.checker.words.texts import short

CELLS, HALVINGS, SIDES = 200_000, 64, 3_000_000
"""Letters of a tree, halvings of a side of the box, and sides of all cells, at most."""

Span = tuple[tuple[int, int], ...]


class CoverNode:
    """A box, with what is known over it.

    Attributes
    ----------
    cell : sides
    span : the same sides, as multiples of 2^-64 of the whole box's
    level : halvings that it comes from
    least : a number below V on the level sets over it; None where none is known
    middle : V on the level sets over its middle, nearly; None where that is not known
    open : why it cannot be in K, empty where it can; None before that is asked
    """

    __slots__ = ("_halves", "asked", "cell", "least", "level", "middle", "open", "span")

    def __init__(self, cell: Cell, span: Span, level: int = 0) -> None:
        self.cell, self.span, self.level = cell, span, level
        self._halves: tuple[CoverNode, CoverNode] | None = None
        self.least: arb | None = None
        self.middle: arb | None = None
        self.asked = False
        self.open: str | None = None

    def halves(self) -> tuple[CoverNode, CoverNode]:
        """Its halves, the same ones each time."""
        if self._halves is None:
            k = self.level % len(self.cell)
            (a, b), between = self.span[k], sum(self.span[k]) // 2
            spans = ((*self.span[:k], side, *self.span[k + 1 :]) for side in ((a, between), (between, b)))
            low, high = zip(halves_of(self.cell, k), spans, strict=True)
            self._halves = CoverNode(*low, self.level + 1), CoverNode(*high, self.level + 1)
        return self._halves


class Cells:
    """The cells of a box, each asked about once.

    Parameters
    ----------
    energy : Energy
    """

    def __init__(self, energy: Energy) -> None:
        whole = 1 << HALVINGS
        self.energy, self.top = energy, CoverNode(energy.box, ((0, whole),) * len(energy.box))
        point = zip(energy.at_point(energy.shapes), energy.box, strict=True)
        parts = [(x - a) / (b - a) for x, (a, b) in point]
        require(
            all(numbers.positive(x) and numbers.positive(1 - x) for x in parts),
            "the point is not within the box",
            "theorem.sides",
        )
        self._point: Span = tuple(_neighbours(x * whole) for x in parts)

    def ask(self, node: CoverNode) -> None:
        """Find bounds of V over a box."""
        if node.asked:
            return
        spend()
        node.asked = True
        with ctx.workprec(BITS):
            if is_off_leaf(self.energy, node.cell):
                node.least = arb("inf")
                return
            with suppress(Refusal):  # where a function has no value everywhere in the cell
                if (quadratic := self.energy.quadratic(node.cell)) is not None:
                    node.least = self.energy.least(quadratic)
                    node.middle = quadratic.middle

    def fault(self, node: CoverNode) -> str:
        """Why a box cannot be in K; empty where it can."""
        if node.open is None:
            with ctx.workprec(BITS):
                node.open = self._fault(node)
        return node.open

    def _fault(self, node: CoverNode) -> str:
        self.ask(node)
        if any(a <= p or b >= q for (a, b), (p, q) in zip(node.span, self.top.span, strict=True)):
            return "it reaches the side of the box"
        if node.least is None:
            return "V has no value or is not definite in the velocities"
        return self.energy.irregular(node.cell)

    def cover(self, level: fmpq, is_halved: Callable[[CoverNode], bool]) -> list[CoverNode]:
        """The cells of K."""
        inside: list[CoverNode] = []
        marks: dict[CoverNode, str] = {}

        def meeting(span: Span) -> Iterator[CoverNode]:
            stack = [self.top]
            while stack:
                node = stack.pop()
                for (a, b), (p, q) in zip(span, node.span, strict=True):
                    if b < p or q < a:
                        break
                else:
                    if marks.get(node) == "halved":
                        stack += node.halves()
                    else:
                        yield node

        def touches(node: CoverNode) -> bool:
            near = any(marks.get(other) == "in" for other in meeting(node.span))
            return near or any(other is node for other in meeting(self._point))

        pending = [self.top]
        while pending:
            node = pending.pop()
            spend()
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
            if fault := self.fault(node):
                raise Refusal(f"at this level {fault} in the cell {_words(node.cell)}", "cells")
            marks[node] = "in"
            inside.append(node)
            pending += [other for other in meeting(node.span) if other not in marks]
        return inside


def require_over(
    inside: Sequence[CoverNode], holds: Callable[[Cell], bool], further: int, *fault: str
) -> None:
    """Refused unless something holds over each cell, or over the parts of it that some more halvings of each
    side make.
    """
    for node in inside:
        pending = [(node.cell, 0)]
        while pending:
            cell, halved = pending.pop()
            spend()
            if not holds(cell):
                require(halved < further * len(cell), *fault)
                pending += [(half, halved + 1) for half in halves_of(cell, halved % len(cell))]


def is_off_leaf(energy: Energy, cell: Cell) -> bool:
    """Whether a relation of the leaf vanishes nowhere in a cell."""
    try:
        return energy.vanishes_nowhere(
            energy.relations_over(middle_of(cell)), energy.relations_over(cell), cell
        )
    except Refusal:
        return False


def _neighbours(x: numbers.Number) -> tuple[int, int]:
    """The least whole number that is not below a number, and the largest not above it, or not certainly:
    written so, as the ends of a span are, the point touches the spans that it is in and no others.
    """
    with ctx.workprec(numbers.BITS):
        near = numbers.ball(x)
        return int(near.lower().ceil().fmpz()), int(near.upper().floor().fmpz())


def read_tree(top: CoverNode, letters: str) -> Callable[[CoverNode], bool]:
    """Which boxes of a tree are halved; refused where the letters are none."""
    if len(letters) * len(top.cell) > SIDES:
        raise Refusal("the cells have too many sides", "cells")
    halved, stack = set[CoverNode](), [top]
    for letter in letters:
        require(letter in "+." and stack, "the cells are no tree", "cells")
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
    return " x ".join(f"[{short(a)}, {short(b)}]" for a, b in cell)[:200]
