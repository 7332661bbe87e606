r"""Magnitudes of values: the size of the terms that a value is made of, in the unit of the value.

The magnitude :math:`\mu(v)` is the change of v, to first order and over :math:`\epsilon`, when every number
and every operation changes by a relative :math:`\epsilon` and all changes add up (N. J. Higham, Accuracy and
Stability of Numerical Algorithms, 3.3). Beside each value it is

.. math::

    \mu(q) = |q|, \qquad \mu\Bigl(\sum c_k m_k\Bigr) = \sum \mu(c_k) |m_k| + |c_k| \mu(m_k), \\
    \mu\Bigl(q \prod a_k^{e_k}\Bigr) = |v| + \sum_k \Bigl|\frac{\partial v}{\partial a_k}\Bigr| \mu(a_k),
    \qquad \mu(\varphi(a)) = |v| + |\varphi'(a)|\, \max(\mu(a), 1),

where sqrt, abs and log have no 1: their arguments may have units, those of all other functions are numbers of
size one. So a value that is what rounding leaves of terms that cancel is small beside its magnitude, whatever
its unit: sin(3.14159...) is 1e-16 of magnitude 3.

**Lemma.** If in other units all symbols, and the sizes given for them, go over by factors of their own and an
expression goes over by a factor c, then its magnitude goes over by |c|. Each rule above is homogeneous in the
same degree as the value. With powers of two no digit changes.

Nodes are evaluated layer by layer of the graph: all sums, products and functions of a layer at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetics import ARRAY
from geoctrl._scalars.graph import Graph, Node
from geoctrl.errors import ExpressionError, LabelError

__all__ = ["ROUNDING", "Magnitudes", "binary", "magnitudes"]

ROUNDING = 64 * 2.0**-53
"""Part of its magnitude up to which a value is what rounding leaves: some dozens of operations."""

_LARGEST = 500
"""Exponent of two to which sizes are kept: their squares and quotients are doubles."""
_STEEPEST = 2.0**26
"""Slope of asin and the like at the end of their range, where a change e of the argument makes sqrt(2 e)."""


def binary(sizes: Any) -> np.ndarray:
    """Nearest powers of two, by which numbers are divided exactly, within 2^-500 .. 2^500; zero for zero.

    Examples
    --------
    >>> binary([3.0, 0.3, 0.0])
    array([4.  , 0.25, 0.  ])
    """
    sizes = np.asarray(sizes, dtype=float)
    with np.errstate(divide="ignore"):
        exponents = np.rint(np.log2(sizes))
    return np.where(sizes > 0, np.exp2(np.clip(exponents, -_LARGEST, _LARGEST)), 0.0)


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

    Raises
    ------
    LabelError
        If a symbol has no value.

    Examples
    --------
    >>> from geoctrl._scalars import STATE
    >>> g = Graph()
    >>> x = g.symbol("x", STATE)
    >>> v, mu = magnitudes(g, [3 - x, x**2], {x: 2.0})
    >>> v, mu
    (array([1., 4.]), array([10., 12.]))
    """
    return Magnitudes(graph, nodes)(values, sizes)


class Magnitudes:
    """Values and magnitudes of nodes, many times.

    Parameters
    ----------
    graph : Graph
    nodes : sequence of Node

    Attributes
    ----------
    symbols : tuple of Node
        What needs values.
    count : int
        Number of the nodes.
    """

    def __init__(self, graph: Graph, nodes: Sequence[Node]) -> None:
        layers = _layers(graph, nodes)
        place: dict[Node, int] = {}
        for layer in layers:
            for group in layer.values():
                for node in group:
                    place[node] = len(place)
        self._size = len(place)
        ground = layers[0] if layers else {}
        self.symbols = tuple(ground.get("sym", ()))
        self._symbols = _range(place, self.symbols)
        numbers = ground.get("num", ())
        self._numbers = _range(place, numbers), np.array([_double(n) for n in numbers])
        self._steps = [_STEPS[kind[0]](group, place) for layer in layers[1:] for kind, group in layer.items()]
        self._outputs = np.array([place[n] for n in nodes], dtype=int)
        self.count = len(nodes)

    def __call__(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and magnitudes, infinite or nan at a singular point; as `magnitudes`."""
        v, mu = self._evaluated(values, sizes)
        return v[self._outputs], mu[self._outputs]

    def _evaluated(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        missing = [n.payload for n in self.symbols if n not in values]
        if missing:
            raise LabelError(f"no value for the symbols {', '.join(map(str, missing))}")
        v, mu = np.zeros(self._size), np.zeros(self._size)
        where, numbers = self._numbers
        v[where] = numbers
        v[self._symbols] = [values[n] for n in self.symbols]
        np.abs(v, out=mu)
        if sizes:
            mu[self._symbols] = np.maximum(mu[self._symbols], [sizes.get(n, 0.0) for n in self.symbols])
        with np.errstate(all="ignore"):
            for step in self._steps:
                step.evaluate(v, mu)
        return v, mu

    def bends(self, values: Mapping[Node, float], along: Sequence[Node]) -> np.ndarray:
        r"""How far symbols move until sums bend: the least :math:`\sqrt{\mu(S) / |\partial_j^2 S|}`, (k,).

        Over all sums S below the nodes that are not zero; infinite where none bends. It goes over by the
        factor of the symbol.
        """
        v, mu = self._evaluated(values, None)
        first, second = (np.zeros((self._size, len(along))) for _ in range(2))
        places = {node: i for i, node in zip(range(self._size)[self._symbols], self.symbols, strict=True)}
        for j, node in enumerate(along):
            if node in places:
                first[places[node], j] = 1.0
        least = np.full(len(along), np.inf)
        with np.errstate(all="ignore"):
            for step in self._steps:
                step.differentiate(v, first, second)
                if isinstance(step, _Sums):
                    own = step.where
                    bent = np.sqrt(mu[own, None] / np.abs(second[own]))
                    felt = (np.abs(v[own]) > ROUNDING * mu[own])[:, None] & (second[own] != 0) & (bent > 0)
                    least = np.minimum(least, np.min(np.where(felt, bent, np.inf), axis=0, initial=np.inf))
        return least


def _double(node: Node) -> float:
    try:
        return float(node.payload)
    except OverflowError:
        raise ExpressionError(
            "a coefficient of the expressions exceeds the doubles, 1.8e308: it has no value in floats; "
            "choose other units"
        ) from None


def _range(place: Mapping[Node, int], group: Sequence[Node]) -> slice:
    """Places of nodes of a group, which follow each other."""
    start = place[group[0]] if group else 0
    return slice(start, start + len(group))


def _layers(graph: Graph, nodes: Iterable[Node]) -> list[dict[tuple | str, list[Node]]]:
    """Nodes by their depth, and by what they are: kinds, and functions by name."""
    depth: dict[Node, int] = {}
    layers: list[dict[Any, list[Node]]] = []
    for node in graph.reachable(nodes):
        depth[node] = at = 1 + max((depth[child] for child in graph.children(node)), default=-1)
        while len(layers) <= at:
            layers.append({})
        kind = node.kind if at == 0 else (node.kind, node.payload[0] if node.kind == "fun" else "")
        layers[at].setdefault(kind, []).append(node)
    for layer in layers[1:]:
        for kind, group in layer.items():
            if (
                kind[0] == "prod"
            ):  # those of many factors first: the k-th factors are those of the first so many
                group.sort(key=lambda node: -len(node.payload[1]))
    return layers


class _Sums:
    """All sums of a layer."""

    def __init__(self, group: Sequence[Node], place: Mapping[Node, int]) -> None:
        self.where = _range(place, group)
        terms = [term for node in group for term in node.payload]
        self._factor = np.array([place[c] for c, _ in terms])
        self._mono = np.array([place[m] for _, m in terms])
        self._starts = np.concatenate([[0], np.cumsum([len(node.payload) for node in group])[:-1]])

    def _added(self, terms: np.ndarray) -> np.ndarray:
        return np.add.reduceat(terms, self._starts, axis=0)

    def evaluate(self, v: np.ndarray, mu: np.ndarray) -> None:
        c, m = v[self._factor], v[self._mono]
        v[self.where] = self._added(c * m)
        mu[self.where] = self._added(mu[self._factor] * np.abs(m) + np.abs(c) * mu[self._mono])

    def differentiate(self, v: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        # Coefficients are of a lower level than what they multiply, and do not move.
        c = v[self._factor][:, None]
        first[self.where] = self._added(c * first[self._mono])
        second[self.where] = self._added(c * second[self._mono])


class _Products:
    """All products of a layer."""

    def __init__(self, group: Sequence[Node], place: Mapping[Node, int]) -> None:
        self.where = _range(place, group)
        self._number = np.array([float(node.payload[0]) for node in group])
        self._factors = []
        for k in range(len(group[0].payload[1])):
            items = [node.payload[1][k] for node in group if len(node.payload[1]) > k]
            self._factors.append(
                (np.array([place[a] for a, _ in items]), np.array([float(e) for _, e in items]))
            )

    def evaluate(self, v: np.ndarray, mu: np.ndarray) -> None:
        value, size = self._number.copy(), np.abs(self._number)
        for atom, e in self._factors:
            k, a = len(atom), v[atom]
            power, change = a**e, np.abs(e * a ** (e - 1)) * mu[atom]
            size[:k] = size[:k] * np.abs(power) + np.abs(value[:k]) * change
            value[:k] *= power
        v[self.where], mu[self.where] = value, size

    def differentiate(self, v: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        shape = (len(self._number), first.shape[1])
        value, d, dd = self._number[:, None].copy(), np.zeros(shape), np.zeros(shape)
        for atom, e in self._factors:
            k, a, e = len(atom), v[atom][:, None], e[:, None]
            slope = e * a ** (e - 1)
            curvature = np.where(e == 1, 0.0, e * (e - 1) * a ** (e - 2))
            by, twice = slope * first[atom], slope * second[atom] + curvature * first[atom] ** 2
            dd[:k] = dd[:k] * a**e + 2 * d[:k] * by + value[:k] * twice
            d[:k] = d[:k] * a**e + value[:k] * by
            value[:k] *= a**e
        first[self.where], second[self.where] = d, dd


class _Functions:
    """All values of one function in a layer."""

    def __init__(self, group: Sequence[Node], place: Mapping[Node, int]) -> None:
        self.where = _range(place, group)
        self._name = group[0].payload[0]
        self._args = [
            np.array([place[a] for a in args]) for args in zip(*(n.payload[1] for n in group), strict=True)
        ]

    def evaluate(self, v: np.ndarray, mu: np.ndarray) -> None:
        values = [v[a] for a in self._args]
        v[self.where] = value = ARRAY.functions[self._name](*values)
        sizes = [mu[a] for a in self._args]
        if self._name in _SEVERAL:
            mu[self.where] = _SEVERAL[self._name](value, values, sizes)
            return
        (a,), (size,) = values, sizes
        if self._name == "sqrt":  # of what rounding leaves of zero the root is that of its size
            change = np.where(a == 0, np.sqrt(size), size / (2 * value))
        else:
            at = size if self._name in _WITH_UNITS else np.maximum(size, 1.0)
            change = np.abs(_SLOPES[self._name](a, value)) * at
        mu[self.where] = np.abs(value) + change

    def differentiate(self, v: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        if self._name in _SEVERAL:
            if self._name.startswith("select"):
                condition, *branches = self._args
                taken = np.where(ARRAY.functions[self._name](v[condition], True, False), *branches)
                first[self.where], second[self.where] = first[taken], second[taken]
            return
        (atom,) = self._args
        a, value = v[atom], v[self.where]
        slope = _SLOPES[self._name](a, value)[:, None]
        curvature = _CURVATURES.get(self._name, lambda a, _: np.zeros_like(a))(a, value)[:, None]
        first[self.where] = slope * first[atom]
        second[self.where] = slope * second[atom] + curvature * first[atom] ** 2


_STEPS: dict[str, Any] = {"sum": _Sums, "prod": _Products, "fun": _Functions}

_WITH_UNITS = {"sqrt", "abs", "sign", "log"}
"""Functions of arguments that may have units."""


def _ended(slope: np.ndarray) -> np.ndarray:
    return np.minimum(slope, _STEEPEST)


_SLOPES: dict[str, Any] = {
    "sin": lambda a, v: np.cos(a),
    "cos": lambda a, v: -np.sin(a),
    "tan": lambda a, v: 1 + v * v,
    "asin": lambda a, v: _ended(1 / np.sqrt(1 - a * a)),
    "acos": lambda a, v: -_ended(1 / np.sqrt(1 - a * a)),
    "atan": lambda a, v: 1 / (1 + a * a),
    "sinh": lambda a, v: np.cosh(a),
    "cosh": lambda a, v: np.sinh(a),
    "tanh": lambda a, v: 1 - v * v,
    "asinh": lambda a, v: 1 / np.sqrt(1 + a * a),
    "acosh": lambda a, v: _ended(1 / np.sqrt(a * a - 1)),
    "atanh": lambda a, v: 1 / (1 - a * a),
    "exp": lambda a, v: v,
    "log": lambda a, v: 1 / a,
    "sqrt": lambda a, v: 1 / (2 * v),
    "abs": lambda a, v: np.sign(a),
    "sign": lambda a, v: np.zeros_like(a),
}
"""Derivatives of functions of one argument a with the value v."""

_CURVATURES: dict[str, Any] = {
    "sin": lambda a, v: -v,
    "cos": lambda a, v: -v,
    "tan": lambda a, v: 2 * v * (1 + v * v),
    "asin": lambda a, v: a / (1 - a * a) ** 1.5,
    "acos": lambda a, v: -a / (1 - a * a) ** 1.5,
    "atan": lambda a, v: -2 * a / (1 + a * a) ** 2,
    "sinh": lambda a, v: v,
    "cosh": lambda a, v: v,
    "tanh": lambda a, v: -2 * v * (1 - v * v),
    "asinh": lambda a, v: -a / (1 + a * a) ** 1.5,
    "acosh": lambda a, v: -a / (a * a - 1) ** 1.5,
    "atanh": lambda a, v: 2 * a / (1 - a * a) ** 2,
    "exp": lambda a, v: v,
    "log": lambda a, v: -1 / (a * a),
    "sqrt": lambda a, v: -1 / (4 * a * v),
}
"""Second derivatives, likewise; zero for what is linear in pieces."""

Several = Sequence[np.ndarray]


def _of_angle(value: np.ndarray, args: Several, sizes: Several) -> np.ndarray:
    (y, x), (of_y, of_x) = args, sizes
    return np.abs(value) + (np.abs(x) * of_y + np.abs(y) * of_x) / (x * x + y * y)


def _of_quadrature(value: np.ndarray, args: Several, sizes: Several) -> np.ndarray:
    (a, b, s), (of_a, of_b, of_s) = args, sizes
    slope = 1 / np.abs(a * s * s + b)
    return np.abs(value) * (1 + slope * (of_a * s * s + of_b)) + slope * of_s


_SEVERAL: dict[str, Any] = {
    "atan2": _of_angle,
    "quadrature": _of_quadrature,
    "select_positive": lambda value, args, sizes: np.where(args[0] > 0, *sizes[1:]),
    "select_nonnegative": lambda value, args, sizes: np.where(args[0] >= 0, *sizes[1:]),
}
"""Magnitudes of functions of several arguments."""
