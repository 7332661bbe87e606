"""Symbols and weights of a tree: which label stands for what, and what gravity and springs do at rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._scalars import expression, read_matrix
from geoctrl.systems import Parameter, Planar, Tree

__all__ = ["TreeSymbols"]


@dataclass(frozen=True)
class TreeSymbols:
    """A tree by the names of its joints."""

    tree: Tree
    parameters: Sequence[Parameter] = ()

    @cached_property
    def link_of(self) -> dict[str, int]:
        """Number of the link that each joint moves."""
        tree = self.tree
        return {joint.name: i for i, joint in tree.moving}

    @property
    def velocity_labels(self) -> tuple[str, ...]:
        """Labels of the velocities."""
        return self.tree.labels

    @cached_property
    def configuration(self) -> dict[str, sp.Symbol]:
        """Symbols of the configuration by label."""
        own = [s for part in self.tree.vectors for s in getattr(part, "symbols", ())]
        return {s.name: s for s in (*own, *(c.symbol for c in self.tree.shape))}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of velocities and configuration."""
        return (*self.velocity_labels, *self.configuration)

    @cached_property
    def velocities(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the velocities."""
        return tuple(sp.Symbol(label, real=True) for label in self.velocity_labels)

    @property
    def defaults(self) -> dict[sp.Symbol, Any]:
        """RobotNumbers of the parameters."""
        return {p.symbol: expression(p.default, p.name) for p in self.parameters}

    def symbols(self, expressions: Iterable[sp.Expr]) -> set[sp.Symbol]:
        """All symbols that occur."""
        return set().union(*(e.free_symbols for e in expressions))

    def places(self, joint: str) -> range:
        """Places of a joint's velocities among all."""
        return self.tree.velocity_places[self.link_of[joint]]

    def velocity_values(self, joint: str, values: Sequence[Any]) -> dict[str, sp.Expr]:
        """Velocities of a joint by label."""
        labels = [self.velocity_labels[k] for k in self.places(joint)]
        return {label: expression(x, label) for label, x in zip(labels, values, strict=True)}

    def attitude_values(self, joint: str, rows: Sequence[Sequence[Any]]) -> dict[str, sp.Expr]:
        """Rows of a joint's turn by label."""
        vectors = self.tree.rows[self.link_of[joint]]
        return {
            symbol.name: expression(value, symbol.name)
            for k, vector in vectors.items()
            for symbol, value in zip(vector.symbols, rows[k], strict=True)
        }

    def place_values(self, joint: str, place: Sequence[Any]) -> dict[str, sp.Expr]:
        """Components of a free joint's place by label."""
        heights = self.tree.heights[self.link_of[joint]]
        return {height.symbol.name: expression(place[k], height.name) for k, height in heights.items()}

    def weights(self, values: Mapping[str, sp.Expr]) -> list[sp.Expr]:
        """Generalised forces of gravity and of springs at a configuration, one for each velocity."""
        tree = self.tree
        turns: dict[int, sp.Matrix] = {}
        world: dict[int, sp.Matrix] = {}
        for i in tree.order:
            turns[i] = self._turn(i, values)
            parent = tree.parents[i]
            world[i] = turns[i] if parent is None else world[parent] * turns[i]
        couples = {i: sp.zeros(3, 1) for i in tree.order}
        forces = {i: sp.zeros(3, 1) for i in tree.order}
        found = [sp.Integer(0)] * len(tree.labels)
        for i in reversed(tree.order):
            link = tree.links[i]
            own = link.mass * world[i].T * tree.gravity
            couples[i] += link.centre.cross(own)
            forces[i] += own
            for k, (b, t) in zip(tree.velocity_places.get(i, ()), link.joint.columns, strict=False):
                found[k] += sp.Matrix(b).dot(couples[i]) + sp.Matrix(t).dot(forces[i])
            parent = tree.parents[i]
            if parent is not None:
                moved = turns[i] * forces[i]
                couples[parent] += turns[i] * couples[i] + self._place(i, values).cross(moved)
                forces[parent] += moved
        for coordinate, (i, joint) in zip(tree.shape, tree.axis_joints, strict=True):
            found[tree.velocity_places[i][0]] -= joint.stiffness * (values[coordinate.name] - joint.rest)
        return found

    def _turn(self, i: int, values: Mapping[str, sp.Expr]) -> sp.Matrix:
        """Turn of a link against its parent."""
        link = self.tree.links[i]
        fixed = read_matrix("turn", link.turn.matrix)
        if i in self.tree.rows:
            # Rows that nothing depends on are left as they are at rest; of a free joint they are not known.
            rows = sp.eye(3).tolist() if isinstance(link.joint, Planar) else sp.zeros(3, 3).tolist()
            for k, vector in self.tree.rows[i].items():
                rows[k][: len(vector.symbols)] = [values[s.name] for s in vector.symbols]
            return fixed * sp.Matrix(rows)
        axis = getattr(link.joint, "axis", None)
        if axis is None or not any(x for b, _ in link.joint.columns for x in b):
            return fixed
        if link.joint.name not in values:  # a wheel looks the same at all angles
            return fixed
        a = sp.Matrix(axis)
        angle = values[link.joint.name]
        hat = sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
        return fixed * (sp.eye(3) + sp.sin(angle) * hat + (1 - sp.cos(angle)) * hat * hat)

    def _place(self, i: int, values: Mapping[str, sp.Expr]) -> sp.Matrix:
        """Site of a link on its parent."""
        link = self.tree.links[i]
        axis = getattr(link.joint, "axis", None)
        if axis is None or any(x for b, _ in link.joint.columns for x in b):
            return sp.Matrix(link.place)
        fixed = read_matrix("turn", link.turn.matrix)
        return sp.Matrix(link.place) + fixed * sp.Matrix(axis) * values[link.joint.name]
