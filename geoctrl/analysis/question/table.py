"""Expressions as the table of nodes that a certificate holds.

A certificate knows few functions (`geoctrl.checker.reader`); the others are written with them here:
tan = sin/cos, hyperbolic functions by exp, their inverses by log, asin, acos and atan2 by atan, and abs,
sign and both kinds of choice by ``select(c, a, b)``, which is a where c > 0 and b where c < 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from geoctrl import decisions
from geoctrl._scalars import Graph, Node
from geoctrl._scalars.algebra.surds import rational
from geoctrl.decisions.arithmetic.tower import Surd, Surds
from geoctrl.errors import ExpressionError

__all__ = ["Rows", "Stored", "Table"]


@dataclass(frozen=True)
class Stored:
    """A problem of `geoctrl.checker`, ready for JSON, and as the checker has read it.

    Nodes are shared by all problems about the same functions; only the numbers are their own. Those that
    differ by parts alone share the last exact question about their equations, of which the next one need not
    find anew what is proved.
    """

    data: dict[str, Any]
    read: dict[str, Any]
    last: list[decisions.Question] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Stored:
        """What the checker reads from data ready for JSON."""
        return cls(data, decisions.read_problem(data))

    def exactly(self) -> decisions.Question:
        """The question in exact numbers."""
        question = decisions.Question(self.read, exact=True, earlier=next(iter(self.last), None))
        self.last[:] = [question]
        return question

    def with_numbers(self, numbers: Mapping[str, Fraction | Surd]) -> Stored:
        """The problem with other numbers of states, inputs and parameters, by label."""
        held = {part: {k: numbers[k] for k in self.data[part]} for part in ("states", "inputs", "parameters")}
        texts = {part: {k: str(q) for k, q in table.items()} for part, table in held.items()}
        read = {
            part: {k: q if isinstance(q, Surd) else rational(q) for k, q in table.items()}
            for part, table in held.items()
        }
        return Stored(self.data | texts, self.read | read)

    def with_parts(self, **parts: Any) -> Stored:
        """The problem with further parts, read anew but for nodes that are there already."""
        data, known = self.data | parts, self.read["nodes"]
        are_kept = data["nodes"][: len(known)] == self.data["nodes"][: len(known)]
        return Stored(data, decisions.read_problem(data, nodes=known if are_kept else ()), self.last)

    def with_roots(self, field: Surds) -> Stored:
        """The problem with numbers of a field with square roots."""
        return Stored(
            self.data | {"roots": [str(r.radicand) for r in field.roots]}, self.read | {"roots": field}
        )

    def with_box(self, box: dict[str, Any]) -> Stored:
        """The problem of an equilibrium in a box about the point."""
        return Stored(self.data | {"box": box}, self.read | {"box": box})

    def turning(self, spin: tuple[float, ...]) -> Stored:
        """The problem seen from axes that turn."""
        return Stored(self.data | {"spin": list(spin)}, self.read | {"spin": list(spin)})


class Rows:
    """Rows of a table, each written once, behind those that it has already."""

    def __init__(self, written: list[list]) -> None:
        self._written = written
        self._places = {repr(row): i for i, row in enumerate(written)}

    def __call__(self, *row: Any) -> int:
        """The place of a row."""
        key = repr(list(row))
        if key not in self._places:
            self._places[key] = len(self._written)
            self._written.append(list(row))
        return self._places[key]


class Table:
    """Nodes in the order of dependence, each written once.

    Parameters
    ----------
    symbols : mapping from symbol nodes to their names and roles ("state", "input", "parameter", "unknown")

    Attributes
    ----------
    rows : list
        JSON-ready.
    """

    def __init__(self, graph: Graph, symbols: Mapping[Node, tuple[str, str]]) -> None:
        self.rows: list[list] = []
        self._row = Rows(self.rows)
        self._graph = graph
        self._place: dict[Node, int] = {}
        for node, (name, role) in symbols.items():
            self._place[node] = self._row("sym", name, role)

    def places(self, nodes: Sequence[Node]) -> list[int]:
        """Places of nodes, which are written with all below them."""
        for node in self._graph.reachable(nodes, known=self._place):
            self._place[node] = self._write(node)
        return [self._place[node] for node in nodes]

    def total(self, terms: Iterable[tuple[Fraction, Node]]) -> int:
        """The place of a sum of numbers times nodes, written as it is given."""
        return self._row("sum", [[self._number(c), *self.places([node])] for c, node in terms])

    def _write(self, node: Node) -> int:
        if node.kind == "sym":
            raise ExpressionError(f"the symbol {node.payload!r} has no place in a certificate")
        if node.kind == "num":
            return self._number(node.payload)
        if node.kind == "let":  # what has a name stands there itself
            return self._place[node.payload]
        if node.kind == "fun":
            name, args = node.payload
            return self._function(name, *(self._place[a] for a in args))
        if node.kind == "prod":
            q, items = node.payload
            return self._product(q, *((self._place[atom], e) for atom, e in items))
        return self._row("sum", [[self._place[c], self._place[mono]] for c, mono in node.payload])

    # -- the functions that a certificate knows -------------------------------------------------

    def _number(self, q: Fraction | int) -> int:
        return self._row("num", str(q))

    def _product(self, q: Fraction | int, *factors: tuple[int, int]) -> int:
        return self._row("prod", str(q), [list(f) for f in factors])

    def _combination(self, *terms: tuple[int, int]) -> int:
        """Sum of integers times nodes."""
        return self._row("sum", [[self._number(c), node] for c, node in terms])

    def _function_row(self, name: str, *args: int) -> int:
        return self._row("fun", name, list(args))

    def _function(self, name: str, *args: int) -> int:
        translated = _TRANSLATIONS.get(name)
        return self._function_row(name, *args) if translated is None else translated(self, *args)

    def _hyperbolic(self, x: int, sense: int) -> int:
        """exp(x) + sense exp(-x)."""
        e = self._function_row("exp", x)
        return self._combination((1, e), (sense, self._product(1, (e, -1))))

    def _root(self, *terms: tuple[int, int]) -> int:
        return self._function_row("sqrt", self._combination(*terms))

    def _arctangent(self, y: int, x: int) -> int:
        """The angle of (x, y) is 2 atan(y/(x + sqrt(x^2 + y^2))), but where y = 0 and x <= 0."""
        size = self._root((1, self._product(1, (x, 2))), (1, self._product(1, (y, 2))))
        below = self._combination((1, x), (1, size))
        return self._product(2, (self._function_row("atan", self._product(1, (y, 1), (below, -1))), 1))

    def _cosine_of_sine(self, x: int) -> int:
        return self._root((1, self._number(1)), (-1, self._product(1, (x, 2))))


def _tanh(t: Table, x: int) -> int:
    return t._product(1, (t._hyperbolic(x, -1), 1), (t._hyperbolic(x, 1), -1))


def _atanh(t: Table, x: int) -> int:
    one = t._number(1)
    ratio = t._product(1, (t._combination((1, one), (1, x)), 1), (t._combination((1, one), (-1, x)), -1))
    return t._product(Fraction(1, 2), (t._function_row("log", ratio), 1))


def _inverse_hyperbolic(t: Table, x: int, sense: int) -> int:
    root = t._root((1, t._product(1, (x, 2))), (sense, t._number(1)))
    return t._function_row("log", t._combination((1, x), (1, root)))


_TRANSLATIONS: dict[str, Any] = {
    "tan": lambda t, x: t._product(1, (t._function_row("sin", x), 1), (t._function_row("cos", x), -1)),
    "sinh": lambda t, x: t._product(Fraction(1, 2), (t._hyperbolic(x, -1), 1)),
    "cosh": lambda t, x: t._product(Fraction(1, 2), (t._hyperbolic(x, 1), 1)),
    "tanh": _tanh,
    "asinh": lambda t, x: _inverse_hyperbolic(t, x, 1),
    "acosh": lambda t, x: _inverse_hyperbolic(t, x, -1),
    "atanh": _atanh,
    "asin": lambda t, x: t._function_row("atan", t._product(1, (x, 1), (t._cosine_of_sine(x), -1))),
    "acos": lambda t, x: t._arctangent(t._cosine_of_sine(x), x),
    "atan2": lambda t, y, x: t._arctangent(y, x),
    "abs": lambda t, x: t._function_row("select", x, x, t._product(-1, (x, 1))),
    "sign": lambda t, x: t._function_row("select", x, t._number(1), t._number(-1)),
    "select_positive": lambda t, c, a, b: t._function_row("select", c, a, b),
    "select_nonnegative": lambda t, c, a, b: t._function_row("select", c, a, b),
}
