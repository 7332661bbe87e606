"""What makes links a tree of bodies: names, no circle, something to move behind every joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import nearest
from geoctrl.errors import DescriptionError
from geoctrl.systems.trees.joints import Fixed
from geoctrl.systems.trees.links import Link, body_entries, require_bodies, warn_of_bodies

__all__ = [
    "judge_bodies",
    "require_bodies_everywhere",
    "require_idle_angles",
    "require_names",
    "require_no_circle",
]


def require_names(tree: Any) -> None:
    """Refuse names that stand for two things or none, and dry friction without a scale."""
    names = [link.name for link in tree.links]
    joints = [joint.name for _, joint in tree.moving]
    for what, given in (("links", names), ("joints", joints)):
        repeated = sorted({name for name in given if given.count(name) > 1})
        if repeated:
            raise DescriptionError(f"{what} repeat the name {', '.join(map(repr, repeated))}; rename one")
    for link in tree.links:
        if link.parent is not None and link.parent not in names:
            raise DescriptionError(
                f"the link {link.name!r} hangs on {link.parent!r}, which is no link of the tree"
                f"{nearest(link.parent, names)}"
            )
    for _, joint in tree.moving:
        if joint.dry != 0 and tree.friction_scale is None:
            raise DescriptionError(
                f"dry friction of the joint {joint.name!r} is not smooth at rest: give the tree "
                "friction_scale=, the velocity below which it is smoothed (1e-3 rad/s, say)"
            )


def require_no_circle(tree: Any) -> None:
    """Refuse what is no tree, or does not move."""
    if not tree.moving:
        raise DescriptionError("nothing in the tree moves: every joint is gc.Fixed()")
    if len(tree.order) < len(tree.links):
        left = [link for i, link in enumerate(tree.links) if i not in set(tree.order)]
        raise DescriptionError(
            f"parents go round in a circle: {', '.join(repr(link.name) for link in left)}; a tree has a "
            "link without parent= that all others hang on"
        )


def require_bodies_everywhere(tree: Any) -> None:
    """Refuse a joint on which no body hangs."""
    reached = [link.has_body for link in tree.links]
    for i in reversed(tree.order):
        parent, joint = tree.parents[i], tree.links[i].joint
        if isinstance(joint, Fixed):
            pass
        elif not reached[i] and joint.armature == 0:
            raise DescriptionError(
                f"the joint {joint.name!r} of the link {tree.links[i].name!r} moves nothing that has "
                "inertia: give that link, or one that hangs on it, mass= and inertia=, or the joint "
                "armature="
            )
        if parent is not None:
            reached[parent] |= reached[i] or joint.armature != 0


def judge_bodies(given_links: Sequence[Link], numbers: Mapping[sp.Symbol, Any]) -> None:
    """Judge the bodies of links at these numbers of the parameters, as far as they have any."""
    given = [
        [e.subs({s: numbers[s] for s in e.free_symbols if s in numbers}) for e in body_entries([link])]
        for link in given_links
    ]
    known = [k for k, entries in enumerate(given) if all(e.is_real and e.is_finite for e in entries)]
    links = [given_links[k] for k in known]
    values = np.array([[float(e) for e in given[k]] for k in known]).reshape(-1, 10)
    require_bodies(links, values)
    warn_of_bodies(links, values)


def require_idle_angles(tree: Any) -> None:
    """Refuse hinges without an angle on which something depends."""
    for i, joint in tree.spins:
        if not tree.is_symmetric(i):
            raise DescriptionError(
                f"the joint {joint.name!r} has no angle (angle=False), but the equations depend on it: "
                "nothing may hang on its link, whose body must be symmetric about the axis"
            )
