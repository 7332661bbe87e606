"""What a run moves, for every kind of system: its own picture, or axes, dials and rods that stand for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.simulation import HybridTrajectory
from geoctrl.systems.picture import Block, Disk, Ellipsoid, Rod
from geoctrl.systems.picture.shapes import turns_to
from geoctrl.viz.scenes.pieces import joined_bodies, joined_ways
from geoctrl.viz.scenes.poses import Moving, attitude_of, moving_body, moving_body_of_product, position_of
from geoctrl.viz.scenes.tree_bodies import solids_of_tree
from geoctrl.viz.style import COLOURS

__all__ = ["bodies_of", "contact_of", "up_of"]

AXES = ("#0072B2", "#009E73", "#D55E00")
"""Colours of the axes 1, 2, 3 of a frame."""

SPACE = "#475569"
"""What is fixed in space."""


def _no_turn(count: int) -> np.ndarray:
    return np.broadcast_to(np.eye(3), (count, 3, 3))


def _one_place(count: int, place: Any = (0, 0, 0)) -> np.ndarray:
    return np.broadcast_to(np.asarray(place, dtype=float), (count, 3))


def _frame(size: float, colour: str) -> list[dict[str, Any]]:
    """A body of unequal sides with its three axes."""
    block = Block((0.55 * size, 0.4 * size, 0.26 * size), colour=colour, opacity=0.55)
    rods = [Rod((0, 0, 0), [size * (i == k) for i in range(3)], size / 45, colour=AXES[k]) for k in range(3)]
    return [shape.data({}, colour) for shape in (block, *rods)]


def _needle(length: float, colour: str) -> list[dict[str, Any]]:
    """An arrow along axis 3."""
    rod = Rod((0, 0, 0), (0, 0, 0.86 * length), length / 40, colour=colour).data({}, colour)
    tip = {"kind": "cone", "radius": length / 16, "length": 0.14 * length, "place": [0, 0, 0.93 * length]}
    return [rod, tip | {"turn": [0, 0, 0, 1], "colour": colour, "opacity": 1.0}]


def bodies_of(run: Any, colour: str, parts: Any = None) -> list[Moving]:
    """All bodies of a run with their poses.

    Parameters
    ----------
    parts : list of Solid, optional
        In place of the picture of the description.
    """
    if isinstance(run, HybridTrajectory):
        return joined_bodies(run, lambda piece: bodies_of(piece, colour, parts))
    if hasattr(run.system, "assembly"):
        return list(_reduced_bodies(run, colour, parts))
    picture = run.system.arguments.get("picture", ()) if parts is None else parts
    if picture:
        return [moving_body_of_product(run, body, colour) for body in picture]
    return list(_on_manifold(run, colour))


def contact_of(run: Any) -> np.ndarray | None:
    """The way of the point of contact (nt, 3), or else of what moves over the ground; None without any."""
    if isinstance(run, HybridTrajectory):
        return joined_ways(run, contact_of)
    system = run.system
    if not hasattr(system, "assembly"):
        return None
    if system.mechanism.contact is not None:
        return run.contact()
    for of, factor in enumerate(system.mechanism.algebra.factors, start=1):
        if factor.velocity is not None:
            return position_of(run, of)
    return None


def up_of(run: Any, parts: Any) -> np.ndarray:
    """What is up in a picture, as its first solid that says so: a unit vector in the axes of space."""
    picture = getattr(getattr(run.system, "mechanism", None), "picture", ()) if parts is None else parts
    said = next((body.up for body in picture if body.up is not None), (0, 0, 1))
    up = np.array(said, dtype=float)
    return up / np.linalg.norm(up)


def _reduced_bodies(run: Any, colour: str, parts: Any) -> Iterator[Moving]:
    mechanism = run.system.mechanism
    picture = mechanism.picture if parts is None else parts
    if not picture and parts is None and mechanism.tree is not None:
        picture = solids_of_tree(mechanism.tree)
    numbers = {p.symbol: run.params[p.name] for p in mechanism.parameters}
    if picture:
        for body in picture:
            yield moving_body(run, body, numbers, colour)
        return
    factors = () if mechanism.group is None else mechanism.group.factors
    for of, name in enumerate(factor_names(factors), start=1):
        yield Moving(name, _frame(1.0, colour), position_of(run, of), attitude_of(run, of))
    yield from _coordinates(run, colour, first=1.5 if factors else 0.0)


def factor_names(factors: Sequence[Any]) -> list[str]:
    """Names of the factors of a group, with their number where one stands for more than one."""
    names = [factor.name or "factor" for factor in factors]
    return [f"{name} {of}" if names.count(name) > 1 else name for of, name in enumerate(names, start=1)]


def _coordinates(run: Any, colour: str, first: float) -> Iterator[Moving]:
    """A dial for each angle and a block for each length, side by side from a first place on."""
    count = run.time.size
    face = Disk(0.6, axis=(0, 1, 0), thickness=0.02, colour="#cbd5e1", opacity=0.6).data({}, SPACE)
    hand = Rod((0, -0.02, 0), (0, -0.02, 0.55), 0.025, colour=colour).data({}, colour)
    block = Block((0.5, 0.3, 0.3), colour=colour).data({}, colour)
    for k, coordinate in enumerate(run.system.mechanism.shape):
        values, name = run[coordinate.name], coordinate.name
        if coordinate.angle:
            place = _one_place(count, (first + 1.4 * k, 0, 0))
            turns = Rotation.from_rotvec(values[:, None] * np.array([0.0, -1.0, 0.0])).as_matrix()
            yield Moving(name, [hand], place, turns)
            yield Moving(f"zero of {name}", [face | {"mark": False}], place, _no_turn(count))
        else:
            way = values[:, None] * np.array([1.0, 0, 0]) + np.array([0, 0.8 * (k + 1), 0])
            yield Moving(name, [block], way, _no_turn(count))


def _on_manifold(run: Any, colour: str) -> Iterator[Moving]:
    """Balls at places, frames at attitudes, arrows along directions; a single place is where these are."""
    factors, count = run.system.product.factors, run.time.size
    places = [b for b, f in enumerate(factors) if isinstance(f, Place)]
    origin = run.configuration(places[0]) if len(places) == 1 else _one_place(count)
    shades = (colour, *(c for c in COLOURS if c != colour))
    for b, factor in enumerate(factors):
        z, shade = run.configuration(b), shades[b % len(shades)]
        if isinstance(factor, Attitude):
            beside = 0.0 if len(places) == 1 else 1.6 * b
            yield Moving(factor.name, _frame(1.0, shade), origin + np.array([beside, 0, 0]), z)
        elif isinstance(factor, Direction):
            yield Moving(factor.name, _needle(1.0, shade), origin, turns_to(z).as_matrix())
        else:
            yield Moving(factor.name, [Ellipsoid(0.16, colour=shade).data({}, shade)], z, _no_turn(count))
