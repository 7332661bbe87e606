"""What a tree makes of the other fields of a description, and inertia and potential in symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from geoctrl._scalars import shown, to_sympy
from geoctrl.errors import DescriptionError
from geoctrl.systems.parts.friction import Friction
from geoctrl.systems.trees.link_frames import symbolic_frames
from geoctrl.systems.trees.newton_euler import composite_inertia, gravity_potential
from geoctrl.systems.trees.tree import Tree

__all__ = [
    "FieldOfTree",
    "fields_of_tree",
    "inertia_of_tree",
    "potential_of_tree",
    "springs_of_joints",
    "symbols_of_tree",
]

_NOT_WITH_A_TREE = {
    "algebra": "velocities are those of its joints",
    "inertia": "it is that of its links",
    "lagrangian": "it is that of its links",
    "shape": "coordinates are those of its joints",
    "rotors": "a rotor is a link with a hinge",
    "quasicoordinates": "rates of its frames are not functions that they go with",
}


class FieldOfTree:
    """A field of a description that a tree makes when it is asked for: what is put there comes first."""

    def __init__(self, default: Any, make: Callable[[Any], Any]) -> None:
        self._default, self._make = default, make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, description: Any, owner: type | None = None) -> Any:
        if description is None:
            return self._default
        if self._name not in description.__dict__:
            description.__dict__[self._name] = self._make(description)
        return description.__dict__[self._name]

    def __set__(self, description: Any, value: Any) -> None:
        # With it no tool takes the field for a method.
        description.__dict__[self._name] = value


def fields_of_tree(description: Any) -> dict[str, Any]:
    """Fields of a description with a tree, joined with what is given beside it.

    Inertia and potential are left to be made.
    """
    tree = description.tree
    if not isinstance(tree, Tree):
        raise TypeError(f"tree must be a gc.Tree, got {shown(tree)}")
    for name, words in _NOT_WITH_A_TREE.items():
        given = getattr(description, name)
        if given is not None and not (isinstance(given, (tuple, list)) and not given):
            raise DescriptionError(f"a description with tree= has no {name}=: {words}")
    found = {
        "algebra": tree.algebra,
        "advected": (*tree.vectors, *description.advected),
        "shape": tree.shape,
        "friction": (*friction_of_joints(tree), *description.friction),
        "domain": {**ranges_of_joints(tree), **description.domain},
    }
    if tree.rolling:
        found["constraints"] = joined_rows(tree.rows_of_wheels, description.constraints)
    return found


def friction_of_joints(tree: Tree) -> list[Friction]:
    """Damping and dry friction of all joints."""
    found = []
    for i, joint in tree.moving:
        if joint.damping == 0 and joint.dry == 0:
            continue
        angular = [p for p, (b, _) in zip(tree.velocity_places[i], joint.columns, strict=True) if any(b)]
        linear = [p for p in tree.velocity_places[i] if p not in angular]
        scale = tree.friction_scale if joint.dry != 0 else None
        for places in filter(None, (angular, linear)):
            rows = [[int(k == p) for k in range(len(tree.labels))] for p in places]
            found.append(Friction(rows, joint.damping, joint.dry, scale))
    return found


def ranges_of_joints(tree: Tree) -> dict[str, Any]:
    """Ranges of hinges and slides as sides of a domain."""
    found = {}
    for c, (_, joint) in zip(tree.shape, tree.axis_joints, strict=True):
        if joint.range is not None:
            low, high = joint.range
            found[f"{joint.name} range"] = (c.symbol - low) * (high - c.symbol) > 0
    return found


def springs_of_joints(tree: Tree) -> sp.Expr:
    """Potential of the springs in joints."""
    pairs = zip(tree.shape, tree.axis_joints, strict=True)
    return sp.Add(*(j.stiffness * (c.symbol - j.rest) ** 2 / 2 for c, (_, j) in pairs))


def joined_rows(rows: dict[str, list[sp.Expr]], given: Any) -> dict[str, Any]:
    """Rows of wheels and those that are given beside them, by name."""
    if given is None or isinstance(given, Mapping):
        return {**rows, **(given or {})}
    listed = given.tolist() if hasattr(given, "tolist") else list(given)
    return {**rows, **{f"constraint{k}": row for k, row in enumerate(listed, start=1)}}


def inertia_of_tree(description: Any) -> sp.ImmutableMatrix:
    """The inertia of all velocities in symbols, nested as the composite bodies are."""
    frames, symbols = symbolic_frames(description.tree)
    M = composite_inertia(frames)
    n = len(M)
    entries = iter(to_sympy([M[i][j] for i in range(n) for j in range(i + 1)], symbols))
    lower = {(i, j): next(entries) for i in range(n) for j in range(i + 1)}
    return sp.ImmutableMatrix(n, n, lambda i, j: lower[max(i, j), min(i, j)])


def potential_of_tree(description: Any) -> sp.Expr:
    """Of gravity and of the joints' springs, and what is given beside the tree."""
    frames, symbols = symbolic_frames(description.tree)
    (weight,) = to_sympy([gravity_potential(frames)], symbols)
    return weight + springs_of_joints(description.tree) + description.beside_tree["potential"]


def symbols_of_tree(description: Any) -> set[sp.Symbol]:
    """What inertia and potential hold."""
    frames, symbols = symbolic_frames(description.tree)
    M = composite_inertia(frames)
    nodes = [gravity_potential(frames), *(e for row in M for e in row)]
    found = {symbols[node] for node in frames.graph.symbols(nodes)}
    return found | (springs_of_joints(description.tree) + description.beside_tree["potential"]).free_symbols
