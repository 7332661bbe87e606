"""Magnitudes one node after the other, in numbers: of some hundred nodes faster than arrays of a few."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetic.arithmetics import ARRAY, FLOAT, Arithmetic
from geoctrl._scalars.arithmetic.magnitude_rules import (
    ROUNDING,
    is_multiple,
    magnitude,
    moving_parts,
    product_parts,
    slope_and_curvature,
)
from geoctrl._scalars.graph.graph import Node

__all__ = ["Line"]


class Line:
    """Nodes one after the other; a singular point is an ArithmeticError or a ValueError.

    Parameters
    ----------
    order : sequence of Node
        All that the nodes are made of, children before parents.
    """

    def __init__(self, order: Sequence[Node], nodes: Sequence[Node]) -> None:
        place = {node: i for i, node in enumerate(order)}
        self._place = place
        self._symbols = [(i, node) for node, i in place.items() if node.kind == "sym"]
        self._ground = [float(node.payload) if node.kind == "num" else 0.0 for node in order]
        self._ground_sizes = [abs(number) for number in self._ground]
        self._steps = [_step(node, place) for node in order if node.kind not in ("sym", "num")]
        self._outputs = [place[node] for node in nodes]

    def __call__(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float]
    ) -> tuple[list[float], list[float]]:
        """Values and magnitudes (k,) of the nodes."""
        v, mu = self._values_and_sizes(values, sizes)
        return [v[i] for i in self._outputs], [mu[i] for i in self._outputs]

    def at_members(
        self, values: Mapping[Node, Any], sizes: Mapping[Node, float], count: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and magnitudes (k, count) at symbols that are numbers or arrays; as of `Magnitudes`."""
        v: list[Any] = [*self._ground]
        mu: list[Any] = [*self._ground_sizes]
        own = mu.copy()
        for i, node in self._symbols:
            v[i] = number = np.asarray(values[node], dtype=float)
            own[i] = np.abs(number)
            mu[i] = np.maximum(own[i], sizes.get(node, 0.0))
        with np.errstate(all="ignore"):
            self._follow(v, own, mu, ARRAY, np.asarray)
        found = np.empty((2, len(self._outputs), count))
        for k, i in enumerate(self._outputs):
            found[0, k], found[1, k] = v[i], mu[i]
        return found[0], found[1]

    def _values_and_sizes(
        self, values: Mapping[Node, float], sizes: Mapping[Node, float]
    ) -> tuple[list[float], list[float]]:
        v, own = self._ground.copy(), self._ground_sizes.copy()
        for i, node in self._symbols:
            v[i] = number = float(values[node])
            own[i] = abs(number)
        mu = own.copy()
        if sizes:
            for i, node in self._symbols:
                if node in sizes and sizes[node] > mu[i]:
                    mu[i] = float(sizes[node])
        self._follow(v, own, mu, FLOAT, float)
        return v, mu

    def _follow(
        self, v: list, own: list, mu: list, arithmetic: Arithmetic, number: Callable[[Any], Any]
    ) -> None:
        """Values, their absolute values and magnitudes from those of symbols and numbers on."""
        functions = arithmetic.functions
        value: Any
        size: Any
        for at, kind, what, parts, exact in self._steps:
            if kind == "sum":
                value = size = 0.0
                for c, m, moves_c, moves_m in parts:
                    value += v[c] * v[m]
                    if moves_c:
                        size += mu[c] * own[m]
                    if moves_m:
                        size += own[c] * mu[m]
            elif kind == "prod":
                value, size = what, 0.0 if exact else abs(what)
                for a, e in parts:
                    if e == 1:
                        size = size * own[a] + abs(value) * mu[a]
                        value *= v[a]
                    else:
                        power, change = v[a] ** e, abs(e * v[a] ** (e - 1)) * mu[a]
                        size = size * abs(power) + abs(value) * change
                        value *= power
            else:
                args = [v[a] for a in parts]
                value = functions[what](*args)
                size = number(magnitude(what, value, args, [mu[a] for a in parts], functions))
            v[at], own[at], mu[at] = value, abs(value), size

    def bends(self, values: Mapping[Node, float], along: Sequence[Node]) -> list[float]:
        """As `Magnitudes.bends`."""
        v, mu = self._values_and_sizes(values, {})
        return [self._bend(v, mu, self._place[n]) if n in self._place else math.inf for n in along]

    def _bend(self, v: list[float], mu: list[float], along: int) -> float:
        first, second, least = [0.0] * len(v), [0.0] * len(v), math.inf
        first[along] = 1.0
        for at, kind, what, parts, _ in self._steps:
            d = dd = 0.0
            if kind == "sum":
                for c, m, *_ in parts:  # coefficients are of a lower level than what they multiply: they stay
                    d += v[c] * first[m]
                    dd += v[c] * second[m]
                if dd and abs(v[at]) > ROUNDING * mu[at]:
                    bent = math.sqrt(mu[at] / abs(dd))
                    least = bent if 0 < bent < least else least
            elif kind == "prod":
                value = what
                for a, e in parts:
                    power, by, twice = v[a], first[a], second[a]
                    if e != 1:
                        slope, curvature = e * power ** (e - 1), e * (e - 1) * power ** (e - 2)
                        by, twice = slope * by, slope * twice + curvature * by**2
                        power **= e
                    dd = dd * power + 2 * d * by + value * twice
                    d = d * power + value * by
                    value *= power
            elif len(parts) == 1:
                (a,) = parts
                slope, curvature = map(float, slope_and_curvature(what, v[a], v[at], FLOAT.functions))
                d, dd = slope * first[a], slope * second[a] + curvature * first[a] ** 2
            elif what.startswith("select"):
                taken = FLOAT.functions[what](v[parts[0]], *parts[1:])
                d, dd = first[taken], second[taken]
            first[at], second[at] = d, dd
        return least


def _step(node: Node, place: Mapping[Node, int]) -> tuple:
    """Place, kind, number or name, the places of parts, and whether a product is a multiple.

    Of the terms of a sum it is told which parts move, see `moving_parts`.
    """
    if node.kind == "sum":
        terms = zip(node.payload, moving_parts(node), strict=True)
        return place[node], "sum", None, tuple((place[c], place[m], *moves) for (c, m), moves in terms), None
    if node.kind == "fun":
        name, args = node.payload
        return place[node], "fun", name, tuple(place[a] for a in args), None
    q, items = product_parts(node)
    return place[node], "prod", float(q), tuple((place[a], int(e)) for a, e in items), is_multiple(node)
