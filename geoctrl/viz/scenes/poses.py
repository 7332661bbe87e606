"""Poses of the bodies of a run: places and rotations at each sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation

from geoctrl._scalars import shown
from geoctrl.errors import InputError
from geoctrl.manifolds.factors import Attitude, Place
from geoctrl.systems.picture import Solid
from geoctrl.systems.picture.shapes import turns_to

__all__ = ["Moving", "attitude_of", "moving_body", "moving_body_of_product", "position_of"]


@dataclass(frozen=True)
class Moving:
    """A body with its poses.

    Attributes
    ----------
    name : str
    shapes : list of dict
        In numbers, as `geoctrl.systems.picture.Shape.data` gives them.
    places : (nt, 3) array
        Its origin in space (m).
    turns : (nt, 3, 3) array
        From its axes to those of space.
    """

    name: str
    shapes: list[dict[str, Any]] = field(repr=False)
    places: np.ndarray = field(repr=False)
    turns: np.ndarray = field(repr=False)


def _in_space(values: np.ndarray) -> np.ndarray:
    """Positions with up to three entries as points of space."""
    return np.pad(values[:, :3], ((0, 0), (0, max(0, 3 - values.shape[1]))))


def attitude_of(run: Any, of: int) -> np.ndarray:
    """Rotations of a factor of the group, those of space where it has none."""
    try:
        return run.attitude(of=of)
    except InputError:
        return np.broadcast_to(np.eye(3), (run.time.size, 3, 3))


def position_of(run: Any, of: int) -> np.ndarray:
    """Places of the frame of a factor, the origin where it has no translations."""
    try:
        return _in_space(run.position(of=of))
    except InputError:
        return np.zeros((run.time.size, 3))


def moving_body(run: Any, body: Solid, numbers: dict, colour: str) -> Moving:
    """A body of a description as a run moves it."""
    system = run.system
    count = len(system.mechanism.algebra.factors)
    if body.of is not None and body.of > count:
        raise InputError(
            f"body {body.name} is placed in the frame of factor {body.of}, but the group has "
            f"{count}; of=None places it in the axes of space"
        )
    place, turns = _pose_in_frame(
        body, _values_along(run, body.expressions), lambda name: _rotor_turn(run, body, name)
    )
    if body.of is not None:
        frame = attitude_of(run, body.of)
        place = position_of(run, body.of) + np.einsum("tij,tj->ti", frame, place)
        turns = frame @ turns
    return Moving(body.name, [s.data(numbers, body.colour or colour) for s in body.shapes], place, turns)


def moving_body_of_product(run: Any, body: Solid, colour: str) -> Moving:
    """A body of a system on a product of factors as a run moves it."""
    system = run.system
    factors, count = system.product.factors, run.time.size
    if body.of is not None and body.of > len(factors):
        raise InputError(f"body {body.name} is placed in factor {body.of}, but the system has {len(factors)}")
    numbers = {p.symbol: run.params[p.name] for p in system.parameters}
    poses = [e.xreplace(numbers) for e in body.expressions]
    given = system.states[: system.split]
    values = sp.lambdify([given], poses, cse=True)(run.states[: system.split])
    rows = np.array([np.broadcast_to(row, count) for row in values], dtype=float)
    place, turns = _pose_in_frame(body, rows, lambda name: _no_rotor(body, name))
    if body.of is not None and isinstance(factors[body.of - 1], Attitude):
        frame = run.configuration(body.of - 1)
        place, turns = np.einsum("tij,tj->ti", frame, place), frame @ turns
    elif body.of is not None and isinstance(factors[body.of - 1], Place):
        place = place + run.configuration(body.of - 1)
    return Moving(body.name, [s.data(numbers, body.colour or colour) for s in body.shapes], place, turns)


def _no_rotor(body: Solid, name: str) -> np.ndarray:
    raise InputError(f"body {body.name} turns with {shown(name)}: a system on a product has no rotors")


def _pose_in_frame(body: Solid, rows: Any, rotor_turn: Any) -> tuple[np.ndarray, np.ndarray]:
    """Place (nt, 3) and turns (nt, 3, 3) of a body in its frame, from the values of its expressions."""
    values = iter(rows)
    place = np.stack([next(values) for _ in range(3)], axis=1)
    turns = np.broadcast_to(np.eye(3), (len(place), 3, 3))
    if body.along is not None:
        way = np.stack([next(values) for _ in body.along], axis=1)
        turns = turns_to(way / np.linalg.norm(way, axis=1)[:, None]).as_matrix()
    for axis, angle in body.turns:
        along = np.stack([next(values) for _ in axis], axis=1)
        along = along / np.linalg.norm(along, axis=1)[:, None]
        turn = rotor_turn(angle) if isinstance(angle, str) else next(values)
        turns = turns @ Rotation.from_rotvec(along * turn[:, None]).as_matrix()
    return place, turns


def _values_along(run: Any, exprs: Sequence[Any]) -> np.ndarray:
    """Expressions of the configuration along a run, (k, nt)."""
    system, count = run.system, run.time.size
    a = system.assembly
    program = system.program(a.restrict([a.configuration(e) for e in exprs]))
    found = program(system.arguments_at(0.0, run.states, None), run.params)
    return np.broadcast_to(np.reshape(found, (len(exprs), -1)), (len(exprs), count))


def _rotor_turn(run: Any, body: Solid, name: str) -> np.ndarray:
    """The turn of a rotor, or of what has a rate among the velocities, since the start of a run."""
    system = run.system
    rates = [*system.mechanism.velocity_labels, *(w for w in run.output_labels if w.endswith("_dot"))]
    label = next((w for w in (f"{name}_dot", name) if w in rates), None)
    if label is None:
        turning = [w.removesuffix("_dot") for w in rates if w.endswith("_dot")]
        raise InputError(
            f"body {body.name} turns with {shown(name)}, which has no rate {name}_dot; known are "
            f"{', '.join(turning) or 'none'}"
        )
    if label in (*run.state_labels, *run.output_labels):
        rate = run[label]
    else:
        rate = system.velocity(run.states, run.params)[system.mechanism.velocity_labels.index(label)]
    before = getattr(run, "turned", {})  # of a piece of a run with jumps
    turn = before.get(name, 0.0) + cumulative_simpson(rate, x=run.time, initial=0.0)
    before[name] = turn[-1]
    return turn
