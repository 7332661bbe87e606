"""A body with several joints as a chain of links, one for each."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from geoctrl.robots.outline.body_masses import NOTHING, MassOfBody
from geoctrl.robots.outline.exact_vectors import ZERO, Vector, matrix_times, multiple, turn_about, vector_sum
from geoctrl.robots.outline.outline import FIXED, RobotJoint, RobotLink
from geoctrl.systems.trees.quaternions import STILL, Quaternion

__all__ = ["chain_of_links"]

_BACK = Fraction(-1)


def chain_of_links(
    name: str,
    parent: str | None,
    place: Vector,
    turn: Quaternion,
    solid: MassOfBody,
    joints: Sequence[tuple[RobotJoint, Vector, Fraction]],
    where: str,
) -> list[RobotLink]:
    """Links of a body, the last of its name; those before have no mass.

    The frame of each sits at its joint's anchor, with the axes of the body, so that the body's origin is at
    minus the anchor in the last. A coordinate counts from the body as it is drawn where its start is zero.

    Parameters
    ----------
    place, turn
        Of the body against the frame of its parent.
    joints : sequence of (joint, anchor in the frame of the body, coordinate in which the body is drawn)
    """
    if not joints:
        return [RobotLink(name, parent, FIXED, place, turn, solid, where)]
    found: list[RobotLink] = []
    before = ZERO
    for k, (joint, anchor, start) in enumerate(joints):
        if joint.kind == "free":
            place, turn = ZERO, STILL
        elif k == 0:
            place = vector_sum(place, matrix_times(turn.matrix, anchor))
        else:
            place, turn = vector_sum(anchor, multiple(_BACK, before)), STILL
        if joint.kind == "hinge" and start:
            turn = turn * turn_about(joint.axis, -start)
        elif joint.kind == "slide" and start:
            place = vector_sum(place, matrix_times(turn.matrix, multiple(-start, joint.axis)))
        last = k == len(joints) - 1
        body = (
            MassOfBody(solid.mass, vector_sum(solid.centre, multiple(_BACK, anchor)), solid.inertia)
            if last
            else NOTHING
        )
        link = name if last else f"{name} {joint.name}"
        found.append(RobotLink(link, parent, joint, place, turn, body, where))
        parent, before = link, anchor
    return found
