"""Terms of a potential over the bodies of a system, each a small expression summed over instances.

The configuration is an array (N, 3). An instance of a term is one body, a pair of bodies or, for an
expression, all rows; the symbols of the small expression stand for the entries of its rows. The `Domain`
knows the instances and how to loop over them, the `Sum` everything else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._scalars import STATE, FromSympy, Node, Program
from geoctrl.manifolds.energies.kernels import Lines, Loops
from geoctrl.manifolds.factors import Factor
from geoctrl.manifolds.product.body_matrices import Bodies
from geoctrl.stepping.compiled.writer import KernelWriter

__all__ = ["AllPairs", "Listed", "NearPairs", "Small", "Sum", "Whole"]


_FEW = 10
"""Bodies of which all pairs are summed faster from a list than by loops that vectorise."""


@dataclass(frozen=True)
class Small:
    """An expression in the entries of the rows of one instance, and in its row of data."""

    expr: sp.Expr
    symbols: tuple[sp.Symbol, ...]
    data: tuple[sp.Symbol, ...]

    def rewritten(self, rule: Callable[[sp.Expr], sp.Expr]) -> Small:
        """Another expression in the same symbols."""
        return replace(self, expr=rule(self.expr))

    def nodes(self, system: Any) -> tuple[list[Node], list[Node], Node]:
        """Nodes of symbols, data and expression in the graph of a system."""
        table = {s: system.graph.symbol(_label(s), STATE) for s in (*self.symbols, *self.data)}
        parameters = {p.symbol: system.parameter_nodes[p.name] for p in system.parameters}
        energy = FromSympy(system.graph, table | parameters)(self.expr)
        return [table[s] for s in self.symbols], [table[s] for s in self.data], energy


def _label(symbol: sp.Symbol) -> str:
    """What a symbol goes by in a graph: those of small expressions are nobody's state."""
    return f"of a sum: {symbol}" if isinstance(symbol, sp.Dummy) else symbol.name


class Domain(ABC):
    """What a small expression is summed over.

    Attributes
    ----------
    rows : int
        Rows of each body of an instance.
    kind : type of Factor, or None
        What the bodies of an instance are; none for the whole configuration.
    indices : tuple of str
        Letters of the bodies of an instance in formulas; none for the whole configuration.
    sign : str
        The sign of the sum in LaTeX.
    c : ndarray (m, k) or None
        Data of the instances.
    obstacle : str or None
        What stands against writing the sum out, in words.
    """

    rows: int
    kind: type[Factor] | None = None
    indices: tuple[str, ...] = ()
    sign: str = ""
    c: np.ndarray | None = None
    obstacle: ClassVar[str | None] = None

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of instances."""

    @abstractmethod
    def instances(self, z: np.ndarray | None = None) -> np.ndarray:
        """First rows of the bodies of each instance, (bodies, m); at a configuration of those that act."""

    @abstractmethod
    def lines(self, writer: KernelWriter, loops: Loops) -> Lines:
        """Lines of kernels that add value and gradient."""


class Whole(Domain):
    """The whole configuration of a number of rows, as one instance."""

    count = 1

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def instances(self, z: np.ndarray | None = None) -> np.ndarray:  # noqa: ARG002
        """One, from the first row on."""
        return np.zeros((1, 1), dtype=int)

    def lines(self, writer: KernelWriter, loops: Loops) -> Lines:
        """No loop."""
        return loops.loop_lines(writer, self.instances(), self.rows, None)


class Listed(Domain):
    """Instances with first rows ``first`` (bodies, m), bodies of one kind."""

    def __init__(
        self,
        bodies: Bodies,
        first: np.ndarray,
        c: np.ndarray | None,
        indices: tuple[str, ...],
        sign: str,
    ) -> None:
        self.rows, self.kind = bodies.kind.rows, bodies.kind
        self.first, self.c, self.indices, self.sign = first, c, indices, sign

    @property
    def count(self) -> int:
        """Number of instances."""
        return self.first.shape[1]

    def instances(self, z: np.ndarray | None = None) -> np.ndarray:  # noqa: ARG002
        """First rows of the bodies of each instance."""
        return self.first

    def lines(self, writer: KernelWriter, loops: Loops) -> Lines:
        """Loops over the list."""
        return loops.loop_lines(writer, self.first, self.rows, self.c)


class AllPairs(Domain):
    """All pairs of bodies."""

    indices = ("i", "j")
    sign = r"\sum_{i < j}"

    def __init__(self, bodies: Bodies) -> None:
        self.rows, self.kind, self.first = bodies.kind.rows, bodies.kind, bodies.first

    @property
    def count(self) -> int:
        """Number of pairs."""
        return len(self.first) * (len(self.first) - 1) // 2

    def instances(self, z: np.ndarray | None = None) -> np.ndarray:  # noqa: ARG002
        """First rows of the bodies of each pair."""
        return _pairs(self.first)

    def lines(self, writer: KernelWriter, loops: Loops) -> Lines:
        """Half loops over all pairs; of few bodies a list, which needs no further arrays."""
        if len(self.first) <= _FEW:
            return loops.loop_lines(writer, self.instances(), self.rows, None)
        return loops.all_pairs(writer, self.first, self.rows)


class NearPairs(Domain):
    """Those pairs of bodies that are no farther apart than ``cutoff``."""

    obstacle = "its potential has a cutoff"
    indices = ("i", "j")

    def __init__(self, bodies: Bodies, cutoff: float) -> None:
        self.rows, self.kind, self.first = bodies.kind.rows, bodies.kind, bodies.first
        self.cutoff, self._share = cutoff, bodies.kind.share
        self.sign = rf"\sum_{{i < j,\; |{bodies.letter}_i - {bodies.letter}_j| < {cutoff:g}}}"

    @property
    def count(self) -> int:
        """Number of pairs, near or not."""
        return len(self.first) * (len(self.first) - 1) // 2

    def instances(self, z: np.ndarray | None = None) -> np.ndarray:
        """First rows of the bodies of each pair; at a configuration of the near ones."""
        pairs = _pairs(self.first)
        if z is None:
            return pairs
        a, b = (z[first[:, None] + np.arange(self.rows)].reshape(len(first), -1) for first in pairs)
        return pairs[:, np.linalg.norm(a - b, axis=1) <= self.cutoff]

    def lines(self, writer: KernelWriter, loops: Loops) -> Lines:
        """Loops over a list of neighbours."""
        return loops.near_pairs(writer, self.first, self.rows, self.cutoff, self._share)


def _pairs(first: np.ndarray) -> np.ndarray:
    """Rows of all pairs a < b of bodies, (2, m)."""
    return first[np.array(np.triu_indices(len(first), 1))]


@dataclass(frozen=True)
class Sum:
    """One term of the potential of a system.

    Attributes
    ----------
    what : str
        What it was given as, for messages.
    """

    what: str
    small: Small
    domain: Domain

    # -- in symbols -----------------------------------------------------------------------------

    @property
    def own_symbols(self) -> set[sp.Symbol]:
        """Symbols that its expression may hold besides parameters."""
        return {*self.small.symbols, *self.small.data}

    def expression(self, symbols: Sequence[sp.Symbol]) -> sp.Expr:
        """The sum written out in the symbols of the configuration, row by row."""
        places, data = self._places(self.domain.instances()), self.domain.c
        small, terms = self.small, []
        for k, place in enumerate(places.T):
            entries = (symbols[3 * row + j] for row in place for j in range(3))
            table: dict[Any, Any] = dict(zip(small.symbols, entries, strict=True))
            if data is not None:
                table |= dict(zip(small.data, map(sp.Float, data[k]), strict=True))
            terms.append(small.expr.xreplace(table))
        return sp.Add(*terms)

    # -- in numbers -----------------------------------------------------------------------------

    def source(self, system: Any, writer: KernelWriter) -> Lines:
        """Lines of kernels that add its value and its gradient."""
        symbols, data, energy = self.small.nodes(system)
        return self.domain.lines(writer, Loops(writer, energy, symbols, data))

    def add_second(self, system: Any, z: np.ndarray, params: Mapping[str, float], H: np.ndarray) -> None:
        """Add its second derivatives at a configuration z (N, 3) to H (N, 3, N, 3)."""
        symbols, data, energy = self.small.nodes(system)
        places = self._places(self.domain.instances(z))
        if not places.size:
            return
        k, m = places.shape
        flat = second_derivatives(system, energy, symbols, data, self._values(z, places), params)
        blocks = np.broadcast_to(flat.reshape(3 * k, 3 * k, -1), (3 * k, 3 * k, m)).reshape(k, 3, k, 3, m)
        at: Any = (places[:, None], slice(None), places[None], slice(None))
        np.add.at(H, at, blocks.transpose(0, 2, 4, 1, 3))

    def switches(self, system: Any, z: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise in all instances at a configuration z (N, 3)."""
        symbols, data, energy = self.small.nodes(system)
        switches = system.graph.switches([energy])
        if not switches:
            return np.zeros(0)
        program = Program(system.graph, [*symbols, *data], system.parameter_nodes, switches)
        return np.ravel(program(self._values(z, self._places(self.domain.instances(z))), params))

    def _places(self, first: np.ndarray) -> np.ndarray:
        """Rows of each instance, (k, m)."""
        bodies, m = first.shape
        rows = self.domain.rows
        return (first[:, None] + np.arange(rows)[:, None]).reshape(bodies * rows, m)

    def _values(self, z: np.ndarray, places: np.ndarray) -> list[np.ndarray]:
        """Values of symbols and data, instance by instance."""
        entries = [z[row, j] for row in places for j in range(3)]
        return entries + ([] if self.domain.c is None else list(self.domain.c.T))


def second_derivatives(
    system: Any,
    energy: Node,
    symbols: Sequence[Node],
    data: Sequence[Node],
    values: Sequence[np.ndarray],
    params: Mapping[str, float],
) -> np.ndarray:
    """Second derivatives (k, k, ...) by k symbols, at arrays of values."""
    graph, k = system.graph, len(symbols)
    key = ("second", energy.index)
    if key not in system.programs:
        gradient = graph.gradient(energy, list(symbols))
        lower = [e for i in range(k) for e in graph.gradient(gradient[i], list(symbols[: i + 1]))]
        system.programs[key] = Program(graph, [*symbols, *data], system.parameter_nodes, lower)
    flat = np.asarray(system.programs[key](values, params))
    out = np.zeros((k, k, *flat.shape[1:]))
    rows, columns = np.tril_indices(k)
    out[rows, columns] = flat
    out[columns, rows] = flat
    return out
