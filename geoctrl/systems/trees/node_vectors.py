"""Vectors of three recorded scalars and 3 x 3 matrices of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geoctrl._scalars import Graph, Node

__all__ = ["Rows", "Triple", "Triples"]

Triple = list[Node]
Rows = list[list[Node]]


class Triples:
    """Sums and products of triples.

    Parameters
    ----------
    named : bool
        Whether values that are used more than once get names (`Graph.let`), or sums would be written out.
    """

    def __init__(self, graph: Graph, named: bool) -> None:
        self.graph, self._named = graph, named
        self.zero: Triple = [graph.zero] * 3
        self.unit: Rows = [[graph.one if i == j else graph.zero for j in range(3)] for i in range(3)]

    def let(self, value: Any) -> Any:
        """A node, triple or matrix under names."""
        if not self._named:
            return value
        return [self.let(e) for e in value] if isinstance(value, list) else self.graph.let(value)

    def numbers(self, given: Sequence[Any]) -> Any:
        """Nodes of exact numbers, of rows of them too."""
        return [self.numbers(e) if isinstance(e, (tuple, list)) else self.graph.number(e) for e in given]

    def dot(self, a: Sequence[Node], b: Sequence[Node]) -> Node:
        """Inner product."""
        return self.graph.add([x * y for x, y in zip(a, b, strict=True) if not (x.is_zero or y.is_zero)])

    def add(self, *parts: Sequence[Node]) -> Triple:
        """Sum of triples."""
        return [self.graph.add([*entries]) for entries in zip(*parts, strict=True)]

    def times(self, size: Node, a: Sequence[Node]) -> Triple:
        """A multiple."""
        return [size * x for x in a]

    def minus(self, a: Sequence[Node]) -> Triple:
        """The opposite."""
        return [-x for x in a]

    def cross(self, a: Sequence[Node], b: Sequence[Node]) -> Triple:
        """a x b."""
        pairs = ((1, 2), (2, 0), (0, 1))
        return [self.dot([a[i], -a[j]], [b[j], b[i]]) for i, j in pairs]

    def image(self, matrix: Rows, a: Sequence[Node]) -> Triple:
        """Matrix times triple."""
        return [self.dot(row, a) for row in matrix]

    def transpose(self, matrix: Rows) -> Rows:
        """The transpose."""
        return [list(row) for row in zip(*matrix, strict=True)]

    def product(self, a: Rows, b: Rows) -> Rows:
        """Matrix product; what is multiplied by the unit matrix stays as it is."""
        if a == self.unit or b == self.unit:
            return b if a == self.unit else a
        columns = self.transpose(b)
        return [[self.dot(row, column) for column in columns] for row in a]

    def sum(self, *parts: Rows) -> Rows:
        """Sum of matrices."""
        return [self.add(*rows) for rows in zip(*parts, strict=True)]

    def hat(self, a: Sequence[Node]) -> Rows:
        """The matrix of a x."""
        zero = self.graph.zero
        return [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]

    def symmetric(self, entry: Any) -> Rows:
        """The symmetric matrix with these entries (i, j), j <= i."""
        lower = {(i, j): entry(i, j) for i in range(3) for j in range(i + 1)}
        return [[lower[max(i, j), min(i, j)] for j in range(3)] for i in range(3)]

    def seen_from_outside(self, R: Rows, matrix: Rows) -> Rows:
        """R A R^T of a symmetric A."""
        if self.unit == R:
            return matrix
        half = self.let(self.product(R, matrix))
        return self.symmetric(lambda i, j: self.dot(half[i], R[j]))
