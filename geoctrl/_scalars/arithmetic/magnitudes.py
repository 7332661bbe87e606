r"""Magnitudes of values: the size of the terms that a value is made of, in the unit of the value.

The magnitude :math:`\mu(v)` is the change of v, to first order and over :math:`\epsilon`, when every symbol,
every term that is a number and every product of what is none changes by a relative :math:`\epsilon` and all
changes add up (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 3.3). Beside each value it is

.. math::

    \mu(q) = |q|, \qquad \mu\Bigl(\sum c_k m_k\Bigr) = \sum \mu(c_k) |m_k| + |c_k| \mu(m_k), \\
    \mu\Bigl(q \prod a_k^{e_k}\Bigr) = |v| + \sum_k \Bigl|\frac{\partial v}{\partial a_k}\Bigr| \mu(a_k),
    \qquad \mu(\varphi(a)) = |v| + |\varphi'(a)|\, \max(\mu(a), 1),

where multiples by a number are exact, :math:`\mu(q m) = |q| \mu(m)`, and sqrt, abs and log have no 1: their
arguments may have units, those of all other functions are numbers of size one.
So a value that is what rounding leaves of terms that cancel is small beside its magnitude, whatever
its unit: sin(3.14159...) is 1e-16 of magnitude 3.

**Lemma.** If in other units all symbols, and the sizes given for them, go over by factors of their own and an
expression goes over by a factor c, then its magnitude goes over by |c|, also where factors are put into its
numbers. Each rule above is homogeneous in the same degree as the value. With powers of two no digit changes.

Many nodes are evaluated layer by layer of the graph, few one after the other: numpy needs the time of some
dozens of terms for every layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetic.magnitude_layers import Layers
from geoctrl._scalars.arithmetic.magnitude_line import Line
from geoctrl._scalars.arithmetic.magnitude_rules import ROUNDING
from geoctrl._scalars.graph.graph import Graph, Node
from geoctrl._scalars.graph.straight_line import coefficient_in_doubles
from geoctrl.errors import LabelError

__all__ = ["ROUNDING", "Magnitudes", "binary", "magnitudes"]

_SMALLEST = 2.0**-500
"""Power of two down to which sizes are kept: squares and quotients are doubles of this and its inverse."""
_HALFWAY = 0.5**0.5
"""From here on a fraction is nearer to one than to a half."""
_MANY = 2000
"""Parts of sums and products from which on layers are faster."""


def binary(sizes: Any) -> np.ndarray:
    """Nearest powers of two, by which numbers are divided exactly, within 2^-500 .. 2^500; zero for zero.

    A number times a power of two has this multiple of its own, also where two are equally near.

    Examples
    --------
    >>> binary([3.0, 0.3, 0.0])
    array([4.  , 0.25, 0.  ])
    """
    sizes = np.asarray(sizes, dtype=float)
    fractions, exponents = np.frexp(np.minimum(np.maximum(sizes, _SMALLEST), 1 / _SMALLEST))
    return np.where(sizes > 0, np.ldexp(1.0, exponents - (fractions < _HALFWAY)), 0.0)


def magnitudes(
    graph: Graph,
    nodes: Sequence[Node],
    values: Mapping[Node, float],
    sizes: Mapping[Node, float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Values (k,) of nodes and their magnitudes (k,).

    Parameters
    ----------
    values : mapping from symbol to number
    sizes : mapping from symbol to number, optional
        Where larger than the symbol's value, its magnitude.

    Examples
    --------
    >>> from geoctrl._scalars import STATE
    >>> g = Graph()
    >>> x = g.symbol("x", STATE)
    >>> v, mu = magnitudes(g, [3 - x, x**2], {x: 2.0})
    >>> v, mu
    (array([1., 4.]), array([ 5., 12.]))
    """
    return Magnitudes(graph, nodes)(values, sizes)


class Magnitudes:
    """Values and magnitudes of nodes, many times.

    Attributes
    ----------
    symbols : tuple of Node
        What needs values.
    count : int
        Number of the nodes.
    """

    def __init__(self, graph: Graph, nodes: Sequence[Node]) -> None:
        self._graph, self._nodes, self.count = graph, tuple(nodes), len(nodes)
        order = graph.reachable(nodes)
        _require_doubles(order)
        self.symbols = tuple(node for node in order if node.kind == "sym")
        few = sum(len(graph.children(node)) for node in order) <= _MANY
        self._line = Line(order, self._nodes) if few else None
        self._order = order

    @cached_property
    def _layers(self) -> Layers:
        return Layers(self._graph, self._nodes)

    def __call__(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and magnitudes, infinite or nan at a singular point; as `magnitudes`."""
        try:
            return self._values_and_sizes(values, sizes or {})
        except KeyError:
            if missing := [n.payload for n in self.symbols if n not in values]:
                raise LabelError(f"no value for the symbols {', '.join(map(str, missing))}") from None
            raise

    def at_members(
        self, values: Mapping[Node, Any], sizes: Mapping[Node, float], count: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same at many members, (k, count): symbols are numbers, or arrays (count,)."""
        return (self._line or Line(self._order, self._nodes)).at_members(values, sizes, count)

    def _values_and_sizes(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        if self._line is not None:
            try:
                with np.errstate(all="ignore"):
                    found, sized = self._line(values, sizes)
                return np.array(found, dtype=float), np.array(sized, dtype=float)
            except (ArithmeticError, ValueError):
                pass  # a singular point: arrays say so with inf or nan instead of an exception
        return self._layers(values, sizes)

    def bends(self, values: Mapping[Node, float], along: Sequence[Node]) -> np.ndarray:
        r"""How far symbols move until sums bend: the least :math:`\sqrt{\mu(S) / |\partial_j^2 S|}`, (k,).

        Over all sums S below the nodes that are not zero; infinite where none bends. It goes over by the
        factor of the symbol.
        """
        if self._line is not None:
            try:
                with np.errstate(all="ignore"):
                    return np.array(self._line.bends(values, along), dtype=float)
            except (ArithmeticError, ValueError):
                pass
        return self._layers.bends(values, along)


def _require_doubles(nodes: Sequence[Node]) -> None:
    """Refuse numbers beyond the doubles."""
    for node in nodes:
        if node.kind == "num" or node.kind == "prod":
            coefficient_in_doubles(node.payload if node.kind == "num" else node.payload[0])
