"""Random states with sixty digits, and what vanishes there: above 1e-40 of its terms nothing is zero.

Numbers are the rationals that they are and states lie on the leaf to nearly all digits, so that what is left
of terms that cancel is told from what rounding leaves, however small it is beside them and in any units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Node, evaluate, exact
from geoctrl._scalars.arithmetic.precise import PRECISE, finite_real, number, shortest_solution
from geoctrl.errors import DivisionError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.units.unit_classes import reference_sizes

__all__ = ["TRIES", "PreciseStates"]

TRIES = 30
"""States that are drawn at most."""
_ZERO = number(Fraction(1, 10**40))
"""Relative to the terms of an expression; sixty digits leave twenty for what cancels within them."""
_ON_LEAF = number(Fraction(1, 10**55))
"""Relative to the terms of a relation."""
_LEAST = number(Fraction(1, 10**10))
"""Part of its own size that a state or a function of states counts with at least: what the leaf makes zero is
not quite."""
_DEGREES = {"sqrt": number(Fraction(1, 2)), "abs": 1}
"""Of functions that have the unit of a power of their argument; others are numbers."""
_NEWTON = 12
"""Steps that double the digits, from the 1e-2 of a state beside the leaf on; with some to spare."""

Numbers = Mapping[str, Any]


class PreciseStates:
    """States of a system with sixty digits."""

    def __init__(self, system: Recorded) -> None:
        self._system, self._own = system, _own_sizes(system)

    def states(self, values: Numbers, aside: float = 0.0) -> Iterator[dict[Node, Any]]:
        """Random states on the leaf, inputs and times, by node; moved from states that far beside samples."""
        system = self._system
        a = system.assembly
        rng = np.random.default_rng(3)
        parameters = {node: number(exact(values[name])) for name, node in a.parameters.items()}
        for _ in range(TRIES):
            x = system.sample(rng, values)
            x = x + aside * rng.normal(size=x.size) * [float(self._own[q]) for q in system.state_nodes]
            others = {node: number(float(rng.normal())) for node in (a.time, *a.inputs)}
            try:
                yield self._on_leaf(x, {**parameters, **others})
            except ZeroDivisionError:  # a state near which the leaf is not regular
                continue

    def values(self, nodes: Sequence[Node], at: Mapping[Node, Any]) -> dict[Node, Any] | None:
        """Values of nodes and of all below them at a state; None where one of the nodes has none."""
        parts = self._system.graph.reachable(nodes)
        try:
            found = dict(zip(parts, evaluate(parts, at, PRECISE, parts), strict=True))
        except (ZeroDivisionError, ValueError, TypeError):  # a pole, or an order of complex numbers
            return None
        return found if all(finite_real(found[node]) for node in nodes) else None

    def zeros(self, nodes: Sequence[Node], found: Mapping[Node, Any]) -> list[bool]:
        """Which nodes are zero, from the values of all below them, children first."""
        sizes = _sizes(found, self._own)
        return [abs(found[node]) <= _ZERO * sizes[node] for node in nodes]

    def zeros_at(self, nodes: Sequence[Node], at: Mapping[Node, Any]) -> list[bool | None]:
        """Which nodes are zero at a state; None for those that have no value there."""
        found = self.values(nodes, at)
        if found is not None:
            return list(self.zeros(nodes, found))
        return [self.zeros_at([node], at)[0] for node in nodes] if len(nodes) > 1 else [None]

    @cached_property
    def _gradients(self) -> list[list[Node]]:
        """Of the relations of the leaf by the states."""
        return self._system.graph.jacobian(self._system.leaf.nodes, self._system.state_nodes)

    def _on_leaf(self, x: np.ndarray, others: dict[Node, Any]) -> dict[Node, Any]:
        """The state moved onto the leaf by least Newton steps; DivisionError if none is near."""
        system = self._system
        nodes, variables = system.leaf.nodes, system.state_nodes
        at = others | {node: number(float(v)) for node, v in zip(variables, x, strict=True)}
        if not nodes:
            return at
        gradients, parts = self._gradients, system.graph.reachable(nodes)
        for _ in range(_NEWTON):
            found = dict(zip(parts, evaluate(parts, at, PRECISE, parts), strict=True))
            sizes = _sizes(found, self._own)
            if all(abs(found[node]) <= _ON_LEAF * sizes[node] for node in nodes):
                break
            rows = [evaluate(row, at, PRECISE) for row in gradients]
            step = shortest_solution(rows, [found[node] for node in nodes])
            at |= {node: at[node] - s for node, s in zip(variables, step, strict=True)}
        else:
            raise DivisionError("no state of the leaf near by")
        return at


def _own_sizes(system: Recorded) -> dict[Node, Any]:
    """Sizes of the states: of components of what is advected that of their reference, else one, as drawn."""
    sizes = {
        str(symbol): size
        for advected in system.mechanism.advected
        for symbol, size in zip(advected.symbols, reference_sizes(advected), strict=True)
    }
    named = zip(system.state_labels, system.state_nodes, strict=True)
    return {node: number(sizes.get(label) or 1.0) for label, node in named}


def _sizes(values: Mapping[Node, Any], own: Mapping[Node, Any]) -> dict[Node, Any]:
    """For each node, children first, what relative changes of one in all terms make of it, at first.

    Where the leaf holds a coordinate, its rate is zero but for the last digits of the state. Parameters are
    exact, and may be as small as they are. Products of the sizes themselves would bound more, and by far too
    much where what cancels is eliminated with in turns.

    Parameters
    ----------
    own : of states; functions have the size one, but for roots and absolute values
    """
    sizes: dict[Node, Any] = {}
    for node, value in values.items():
        if node.kind == "sum":
            sizes[node] = sum(sizes[c] * abs(values[m]) + abs(values[c]) * sizes[m] for c, m in node.payload)
        elif node.kind == "prod":
            q, items = node.payload
            value = size = abs(number(q))
            for atom, e in items:
                a, change = abs(values[atom]), sizes[atom]
                power, change = (a, change) if e == 1 else (a**e, abs(e) * a ** (e - 1) * change)
                size, value = size * power + value * change, value * power
            sizes[node] = size
        else:
            sizes[node] = abs(value)
            if node.level == STATE:
                sizes[node] = max(abs(value), _LEAST * _own_size(node, sizes, own))
    return sizes


def _own_size(node: Node, sizes: Mapping[Node, Any], own: Mapping[Node, Any]) -> Any:
    """Size of a state or of a function of states."""
    if node.kind != "fun":
        return own.get(node, 1)
    name, arguments = node.payload
    return sizes[arguments[0]] ** _DEGREES[name] if name in _DEGREES else 1
