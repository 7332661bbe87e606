"""What a description itself says of the sizes of states: lengths of vectors, angles, rates of angles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from geoctrl._scalars import Graph, Node
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.units.unit_classes import reference_sizes, units_of_velocities

__all__ = ["Anchors", "anchors_of", "arguments_without_unit"]

_WITH_UNITS = {"sqrt", "abs", "sign", "log", "atan2", "quadrature", "select_positive", "select_nonnegative"}
"""Functions of which the arguments may have units: they measure no state."""


@dataclass(frozen=True)
class Anchors:
    """Sizes of states that a description gives.

    Attributes
    ----------
    size : ndarray (n,)
        Lengths of the references of advected vectors, one for angles; zero where there is none.
    turns : ndarray (n,) of bool
        Rates of angles.
    alike : list of list of int
        Places of velocities to which the bracket gives one unit.
    """

    size: np.ndarray
    turns: np.ndarray
    alike: list[list[int]]


def anchors_of(system: Recorded) -> Anchors:
    """Those of a reduced system, kept with it: each start of a run asks for them.

    A velocity of its frame is one of the algebra where the frame says so by a number 1.
    """
    if "anchors" not in system.cache:
        system.cache["anchors"] = _anchors_of(system)
    return system.cache["anchors"]


def _anchors_of(system: Recorded) -> Anchors:
    mechanism, labels = system.mechanism, list(system.state_labels)
    place = {label: i for i, label in enumerate(labels)}
    size, turns = np.zeros(len(labels)), np.zeros(len(labels), dtype=bool)
    for advected in mechanism.advected:
        for symbol, length in zip(advected.symbols, reference_sizes(advected), strict=True):
            if str(symbol) in place:
                size[place[str(symbol)]] = length
    for c in mechanism.shape:
        if c.angle and c.name in place:  # what the leaf gives is no state
            size[place[c.name]] = 1.0
    rates = [] if mechanism.rotors is None else list(mechanism.rotors.rate_labels)
    turns[[place[label] for label in rates]] = True
    of_angles, classes = units_of_velocities(mechanism.algebra)
    angles = {c.rate_label for c in mechanism.shape if c.angle}
    of_angles |= {i for i, label in enumerate(mechanism.algebra.labels) if label in angles}
    matrix = system.frame.matrix
    velocities: dict[int, int] = {}
    for row in range(matrix.rows):
        for column in range(matrix.cols):
            if matrix[row, column] in (1, -1):
                velocities.setdefault(row, column)
    turns[[column for row, column in velocities.items() if row in of_angles]] = True
    alike = [[velocities[row] for row in places if row in velocities] for places in classes]
    return Anchors(size, turns, [places for places in alike if len(places) > 1])


def arguments_without_unit(graph: Graph, nodes: Iterable[Node]) -> list[Node]:
    """Arguments of functions such as sin and exp below some nodes: numbers without unit, of size one."""
    found = {
        n.payload[1][0]: None
        for n in graph.reachable(nodes)
        if n.kind == "fun" and n.payload[0] not in _WITH_UNITS
    }
    return list(found)
