"""Whether an inertia is one: positive semidefinite at the parameters in use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl._scalars.graph.symmetric_elimination import Factorisation
from geoctrl.errors import DescriptionError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.trees.links import are_bodies, body_entries, require_bodies

__all__ = ["BodiesOfLinks", "Definiteness"]

_ROUNDING = 1e-12
"""Negative eigenvalue, relative to the largest, that is rounding: a singular inertia is let pass."""
_CLEARLY = 1e-6
"""Part of a diagonal entry from which on a pivot is clearly positive."""
_POINTS = 24


class Definiteness:
    """The inertia of a system, rotors included, judged at several points of the leaf."""

    def __init__(self, system: Recorded) -> None:
        a, mechanism = system.assembly, system.mechanism
        matrix = mechanism.inertia
        if mechanism.rotors:
            matrix = mechanism.rotors.with_body(matrix)
        rows = [[a.configuration(e) for e in row] for row in matrix.tolist()]
        entries = [e for row in rows for e in row]
        positive = {a.parameters[name] for name in mechanism.positive}
        self.admits_all: bool = mechanism.indefinite or _is_definite(system, rows, positive)
        self._system, self._size, self._rows = system, len(rows), rows
        self._program = Program(a.graph, a.gamma, a.parameters, entries)
        self._constant = not system.graph.symbols(entries) & set(a.gamma)
        moving = system.graph.symbols(system.leaf.nodes) & set(a.parameters.values())
        self._points: np.ndarray | None = None
        self._leaf_moves = bool(moving)

    def require(self, values: Mapping[str, Any]) -> None:
        """Judge the inertia at a full set of parameters."""
        if self.admits_all:
            return
        points = self._leaf_points(values)
        # One point goes through scalars, which is many times faster than arrays of one.
        entries = self._program(points[0] if self._constant else list(points.T), values)
        matrices = entries.T.reshape(-1, self._size, self._size)
        # Poles are refused where equations are evaluated at them.
        usable = np.all(np.isfinite(matrices), axis=(1, 2))
        if not np.any(usable):
            return
        eigenvalues, vectors = np.linalg.eigh(matrices[usable])
        worst = int(np.argmin(eigenvalues[:, 0]))
        if eigenvalues[worst, 0] < -_ROUNDING * np.max(np.abs(eigenvalues[worst])):
            gamma = points[usable][worst]
            words = self._refusal(eigenvalues[worst], vectors[worst, :, 0], gamma, values)
            raise DescriptionError(words, key="inertia-indefinite")

    def clearly_admits(self, values: Mapping[str, Any], count: int) -> np.ndarray:
        """Which of several members (count,) pass by pivots that are far from zero."""
        if self._pivots is None or self._leaf_moves:
            return np.zeros(count, dtype=bool)
        clear = np.ones(count, dtype=bool)
        for point in self._leaf_points(values):
            found = self._pivots(list(point), values)
            pivots, diagonal = np.split(np.broadcast_to(found.T, (count, len(found))).T, 2)
            clear &= (np.isfinite(pivots) & (pivots > _CLEARLY * diagonal)).all(axis=0)
        return clear

    @cached_property
    def _pivots(self) -> Program | None:
        """Pivots and the diagonal entries that they are left of; None where one is zero."""
        a, rows = self._system.assembly, self._rows
        if a.pivot_places is not None:
            pivots = [*a.pivots, *(rows[i][i] for i in a.pivot_places)]
            return Program(a.graph, a.gamma, a.parameters, pivots)
        try:
            found = Factorisation(a.graph, rows)
        except ZeroDivisionError:
            return None
        if len(found.pivots) < len(rows):
            return None
        return Program(a.graph, a.gamma, a.parameters, [*found.pivots, *(rows[i][i] for i in found.order)])

    def _leaf_points(self, values: Mapping[str, Any]) -> np.ndarray:
        """Advected components (points, d) on the leaf; drawn anew where it depends on parameters."""
        if self._points is None or self._leaf_moves:
            rng = np.random.default_rng(13)
            count = 1 if self._constant else _POINTS
            draws = [
                self._system.configuration_at(self._system.sample(rng, values), values) for _ in range(count)
            ]
            self._points = np.array(draws)
        return self._points

    def _refusal(
        self, eigenvalues: np.ndarray, direction: np.ndarray, gamma: np.ndarray, values: Mapping[str, Any]
    ) -> str:
        mechanism = self._system.mechanism
        along = mechanism.velocity_labels[int(np.argmax(np.abs(direction)))]
        numbers = ", ".join(f"{name} = {value}" for name, value in values.items())
        point = ", ".join(
            f"{s} = {value:.4g}" for s, value in zip(mechanism.configuration_symbols, gamma, strict=True)
        )
        where = "" if self._constant else f" at {point}"
        return (
            f"the inertia is not positive semidefinite{where}{f' for {numbers}' if numbers else ''}: its "
            f"least eigenvalue is {eigenvalues[0]:.6g}, mostly along {along}, the largest "
            f"{eigenvalues[-1]:.6g}; no body has such a kinetic energy. Mend the inertia, or declare "
            "indefinite=True where it is that of a controlled Lagrangian"
        )


class BodiesOfLinks:
    """The inertia of a tree: semidefinite where that of every link is."""

    def __init__(self, system: Recorded) -> None:
        a, tree = system.assembly, system.mechanism.tree
        assert tree is not None
        self._links = [link for link in tree.links if any(e.free_symbols for e in body_entries([link]))]
        self.admits_all: bool = system.mechanism.indefinite or not self._links
        nodes = [a.configuration(e) for e in body_entries(self._links)]
        self._program = Program(a.graph, [], a.parameters, nodes)

    def _values(self, values: Mapping[str, Any], *shape: int) -> np.ndarray:
        found = np.asarray(self._program([], values), dtype=float)
        several = np.broadcast_to(found.reshape(len(found), -1), (len(found), *(shape or (1,))))
        return several.T.reshape(*shape, len(self._links), 10)

    def require(self, values: Mapping[str, Any]) -> None:
        """Judge the bodies at a full set of parameters."""
        if not self.admits_all:
            require_bodies(self._links, self._values(values))

    def clearly_admits(self, values: Mapping[str, Any], count: int) -> np.ndarray:
        """Which of several members (count,) pass."""
        return np.all(are_bodies(self._links, self._values(values, count)), axis=-1)


def _is_definite(system: Recorded, rows: list[list[Node]], positive: set[Node]) -> bool:
    """Whether all pivots are seen to be positive, whatever positive numbers the parameters are.

    What is eliminated along a tree has differences in its pivots. Others are taken from the last velocity to
    the first as well: with the masses eliminated, what is left of an inertia about
    another point is that about the centre of mass.
    """
    if system.assembly.pivot_places is not None:
        return False
    for order in (slice(None), slice(None, None, -1)):
        try:
            pivots = Factorisation(system.graph, [row[order] for row in rows[order]]).pivots
        except ZeroDivisionError:
            continue
        if all(_is_positive(pivot, positive) for pivot in pivots):
            return True
    return False


def _is_positive(node: Node, positive: set[Node]) -> bool:
    """Whether a node is a product or sum of positive symbols and numbers."""
    if node.kind == "num":
        return bool(node.payload > 0)
    if node.kind == "prod":
        q, items = node.payload
        return q > 0 and all(_is_positive(atom, positive) for atom, _ in items)
    if node.kind == "sum":
        return all(_is_positive(part, positive) for term in node.payload for part in term)
    return node in positive
