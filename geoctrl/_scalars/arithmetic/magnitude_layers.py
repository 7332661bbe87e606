"""Magnitudes layer by layer of the graph: all sums, products and functions of a layer at once, in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetic.arithmetics import ARRAY
from geoctrl._scalars.arithmetic.magnitude_rules import (
    ROUNDING,
    is_multiple,
    magnitude,
    moving_parts,
    product_parts,
    slope_and_curvature,
)
from geoctrl._scalars.graph.graph import Graph, Node

__all__ = ["Layers"]


class Layers:
    """Nodes in layers; a singular point has infinite values, or none (nan)."""

    def __init__(self, graph: Graph, nodes: Sequence[Node]) -> None:
        layers = _layers(graph, nodes)
        place: dict[Node, int] = {}
        for layer in layers:
            for group in layer.values():
                for node in group:
                    place[node] = len(place)
        self._size = len(place)
        ground = layers[0] if layers else {}
        self._symbols = tuple(ground.get("sym", ()))
        self._ground = _range(place, self._symbols)
        numbers = ground.get("num", ())
        self._numbers = _range(place, numbers), np.array([float(n.payload) for n in numbers])
        self._steps = [_STEPS[kind[0]](group, place) for layer in layers[1:] for kind, group in layer.items()]
        self._outputs = np.array([place[n] for n in nodes], dtype=int)

    def __call__(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and magnitudes (k,) of the nodes."""
        v, mu = self._values_and_sizes(values, sizes)
        return v[self._outputs], mu[self._outputs]

    def _values_and_sizes(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        v, mu = np.zeros(self._size), np.zeros(self._size)
        where, numbers = self._numbers
        v[where] = numbers
        v[self._ground] = [values[n] for n in self._symbols]
        np.abs(v, out=mu)
        mu[self._ground] = np.maximum(mu[self._ground], [sizes.get(n, 0.0) for n in self._symbols])
        with np.errstate(all="ignore"):
            for step in self._steps:
                step.evaluate(v, mu)
        return v, mu

    def bends(self, values: Mapping[Node, float], along: Sequence[Node]) -> np.ndarray:
        """As `Magnitudes.bends`."""
        v, mu = self._values_and_sizes(values, {})
        first, second = (np.zeros((self._size, len(along))) for _ in range(2))
        places = {node: i for i, node in zip(range(self._size)[self._ground], self._symbols, strict=True)}
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
        named = "prod" if node.kind == "let" else node.kind
        kind = node.kind if at == 0 else (named, node.payload[0] if node.kind == "fun" else "")
        layers[at].setdefault(kind, []).append(node)
    for layer in layers[1:]:
        for kind, group in layer.items():
            if (
                kind[0] == "prod"
            ):  # those of many factors first: the k-th factors are those of the first so many
                group.sort(key=lambda node: -len(product_parts(node)[1]))
    return layers


class _Sums:
    """All sums of a layer."""

    def __init__(self, group: Sequence[Node], place: Mapping[Node, int]) -> None:
        self.where = _range(place, group)
        terms = [term for node in group for term in node.payload]
        self._factor = np.array([place[c] for c, _ in terms])
        self._mono = np.array([place[m] for _, m in terms])
        moving = np.array([pair for node in group for pair in moving_parts(node)])
        self._moves_c, self._moves_m = moving.T
        self._starts = np.concatenate([[0], np.cumsum([len(node.payload) for node in group])[:-1]])

    def _sums(self, terms: np.ndarray) -> np.ndarray:
        return np.add.reduceat(terms, self._starts, axis=0)

    def evaluate(self, v: np.ndarray, mu: np.ndarray) -> None:
        c, m = v[self._factor], v[self._mono]
        v[self.where] = self._sums(c * m)
        by_c = np.where(self._moves_c, mu[self._factor] * np.abs(m), 0.0)
        by_m = np.where(self._moves_m, np.abs(c) * mu[self._mono], 0.0)
        mu[self.where] = self._sums(by_c + by_m)

    def differentiate(self, v: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        # Coefficients are of a lower level than what they multiply, and do not move.
        c = v[self._factor][:, None]
        first[self.where] = self._sums(c * first[self._mono])
        second[self.where] = self._sums(c * second[self._mono])


class _Products:
    """All products of a layer."""

    def __init__(self, group: Sequence[Node], place: Mapping[Node, int]) -> None:
        self.where = _range(place, group)
        parts = [product_parts(node) for node in group]
        self._number = np.array([float(q) for q, _ in parts])
        self._exact = np.array([is_multiple(node) for node in group])
        self._factors = []
        for k in range(len(parts[0][1])):
            items = [factors[k] for _, factors in parts if len(factors) > k]
            self._factors.append(
                (np.array([place[a] for a, _ in items]), np.array([float(e) for _, e in items]))
            )

    def evaluate(self, v: np.ndarray, mu: np.ndarray) -> None:
        value, size = self._number.copy(), np.where(self._exact, 0.0, np.abs(self._number))
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
        args, functions = [v[a] for a in self._args], ARRAY.functions
        v[self.where] = value = functions[self._name](*args)
        mu[self.where] = magnitude(self._name, value, args, [mu[a] for a in self._args], functions)

    def differentiate(self, v: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        if len(self._args) > 1:
            if self._name.startswith("select"):
                condition, *branches = self._args
                taken = np.where(ARRAY.functions[self._name](v[condition], True, False), *branches)
                first[self.where], second[self.where] = first[taken], second[taken]
            return
        (atom,) = self._args
        found = slope_and_curvature(self._name, v[atom], v[self.where], ARRAY.functions)
        slope, curvature = (part[:, None] for part in found)
        first[self.where] = slope * first[atom]
        second[self.where] = slope * second[atom] + curvature * first[atom] ** 2


_STEPS: dict[str, Any] = {"sum": _Sums, "prod": _Products, "fun": _Functions}
