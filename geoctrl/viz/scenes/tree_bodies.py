"""Links of a tree as solids: a rod to each joint, a knob where it hangs, a wheel that rolls."""

from __future__ import annotations

from typing import Any

import sympy as sp

from geoctrl.systems.picture import Block, Disk, Ellipsoid, Rod, Shape, Solid
from geoctrl.systems.trees.joints import Fixed, GroupJoint, Hinge, Planar, Slide

__all__ = ["solids_of_tree"]


class _LinkPose:
    """Where a link is: in the frame of a factor of the group or in space, its place, turn and turns there."""

    def __init__(self, of: int | None, place: sp.Matrix, turn: sp.Matrix, turns: list[Any]) -> None:
        self.of, self.place, self.turn, self.turns = of, place, turn, turns

    def frame_of(self, link: Any) -> _LinkPose:
        """The frame of a link that hangs on this one, its joint at zero."""
        fixed = sp.Matrix(link.turn.matrix)
        return _LinkPose(
            self.of,
            self.place + self.turn * sp.Matrix(link.place),
            self.turn * fixed,
            [*self.turns, *_fixed_turn(link.turn)],
        )


def _fixed_turn(turn: Any) -> list[Any]:
    w, *axis = turn.quaternion
    size = sp.sqrt(sum(a**2 for a in axis))
    return [] if size == 0 else [(axis, 2 * sp.atan2(size, w))]


def _rotation(axis: Any, angle: Any) -> sp.Matrix:
    x, y, z = axis
    cross = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return sp.eye(3) + sp.sin(angle) * cross + (1 - sp.cos(angle)) * cross * cross


def solids_of_tree(tree: Any) -> list[Solid]:
    """A solid for each link; none for a tree in which a ball, free or planar joint hangs on what moves.

    Sizes are those of the tree itself: distances between joints, from joints to centres of mass, and, where
    nothing is apart, lengths of gyration.
    """
    frames: dict[int, _LinkPose] = {}
    still = _LinkPose(None, sp.zeros(3, 1), sp.eye(3), [])
    for i in tree.order:
        link, joint, parent = tree.links[i], tree.links[i].joint, tree.parents[i]
        frame = (still if parent is None else frames[parent]).frame_of(link)
        if isinstance(joint, GroupJoint):
            beside = frame.place[:2] if isinstance(joint, Planar) else list(frame.place)
            if frame.turns or frame.of is not None or any(beside):
                return []
            number = 1 + [j for j, _ in tree.group_joints].index(i)
            frame = _LinkPose(number, frame.place, sp.eye(3), [])
        elif isinstance(joint, Hinge) and not joint.angle:
            frame.turns.append((joint.axis, joint.name))
        elif isinstance(joint, Hinge):
            q = sp.Symbol(joint.name, real=True)
            frame.turns.append((joint.axis, q))
            frame.turn = frame.turn * _rotation(joint.axis, q)
        elif isinstance(joint, Slide):
            frame.place = frame.place + frame.turn * sp.Matrix(joint.axis) * sp.Symbol(joint.name, real=True)
        elif not isinstance(joint, Fixed):
            return []
        frames[i] = frame
    size = _size(tree)
    return [
        Solid(link.name, _shapes(tree, i, size), frames[i].of, frames[i].place, frames[i].turns)
        for i, link in enumerate(tree.links)
    ]


def _ends(tree: Any, i: int) -> list[Any]:
    """Places of the joints that hang on a link, and of its centre of mass, apart from its own."""
    below = [tree.links[j].place for j, parent in enumerate(tree.parents) if parent == i]
    return [end for end in (*below, tree.links[i].centre) if any(end)]


def _size(tree: Any) -> Any:
    """A length of the tree: the mean of its distances, or of gyration."""
    lengths = [sp.sqrt(sum(e**2 for e in end)) for i in range(len(tree.links)) for end in _ends(tree, i)]
    if not lengths:
        lengths = [sp.sqrt(link.tensor.trace() / link.mass) for link in tree.links if link.mass != 0]
    return sum(lengths) / len(lengths) if lengths else sp.S.One


def _shapes(tree: Any, i: int, size: Any) -> list[Shape]:
    link, ends = tree.links[i], _ends(tree, i)
    shapes: list[Shape] = [Rod((0, 0, 0), end, size / 16) for end in ends]
    if isinstance(link.joint, Hinge) and not ends:
        gyration = sp.sqrt(2 * sp.Abs(sum(a * a * link.tensor[k, k] for k, a in enumerate(link.joint.axis))))
        radius = gyration / sp.sqrt(link.mass) if link.mass != 0 else size / 8
        return [Disk(sp.Min(radius, size), axis=link.joint.axis, colour="#D55E00")]
    if isinstance(link.joint, Slide):
        return [*shapes, Block((size / 3, size / 3, size / 4))]
    if any(link.centre):
        shapes.append(Ellipsoid(size / 4, at=link.centre))
    return [*shapes, Ellipsoid(size / 6, colour="#64748b")]
