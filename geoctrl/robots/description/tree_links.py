"""Links of an outline as those of a tree; numbers, or parameters of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

from geoctrl._scalars import plain
from geoctrl.robots.description.symbol_names import SymbolNames
from geoctrl.robots.outline.exact_vectors import AXES, matrix_times, vector_sum
from geoctrl.robots.outline.outline import FIXED, RobotJoint, RobotLink, RobotOutline
from geoctrl.systems import Ball, Fixed, Free, Hinge, Link, Parameter, Planar, Slide, Tree

__all__ = ["RobotNumbers", "described_links", "with_planar_base", "without_idle_angles"]

_GROUPS: dict[str, Any] = {"ball": Ball, "free": Free, "planar": Planar}
_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
_PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass
class RobotNumbers:
    """RobotNumbers of a robot in its description: as they are, or as parameters with these defaults."""

    symbolic: bool
    parameters: list[Parameter] = field(default_factory=list)

    def entry(self, name: str, value: Fraction, unit: str, positive: bool = False) -> Any:
        """A number, or the parameter that stands for it; zero stays zero."""
        if not self.symbolic or not value:
            return value
        self.parameters.append(Parameter(name, plain(value, name), unit, positive=positive))
        return self.parameters[-1].symbol


def described_links(outline: RobotOutline, names: SymbolNames, numbers: RobotNumbers) -> list[Link]:
    """Links of a tree."""
    known = SymbolNames()
    for link in outline.links:
        known.add_joint(link.name)
    return [_link(link, known.joints[link.name], names, numbers) for link in outline.links]


def _link(link: RobotLink, name: str, names: SymbolNames, numbers: RobotNumbers) -> Link:
    solid = link.solid
    centre = [
        numbers.entry(f"centre_{name}_{axis}", x, "m") for axis, x in zip("xyz", solid.centre, strict=True)
    ]
    inertia = [
        numbers.entry(f"inertia_{name}_{entry}", solid.inertia[i][j], "kg m^2", i == j)
        for entry, (i, j) in zip(_ENTRIES, _PLACES, strict=True)
    ]
    return Link(
        link.name,
        link.parent,
        _joint(link.joint, names, numbers),
        place=link.place,
        turn=link.turn,
        mass=numbers.entry(f"mass_{name}", solid.mass, "kg", True),
        centre=centre if solid.mass else [0, 0, 0],
        inertia=inertia,
    )


def _joint(joint: RobotJoint, names: SymbolNames, numbers: RobotNumbers) -> Any:
    if joint is FIXED:
        return Fixed()
    name, turning = names.joints[joint.name], joint.kind != "slide"
    damping = numbers.entry(f"damping_{name}", joint.damping, "N m s" if turning else "N s/m", True)
    acting = {"damping": damping, "dry": joint.dry, "armature": joint.armature}
    if joint.kind in _GROUPS:
        return _GROUPS[joint.kind](name, **acting)
    kind = Hinge if turning else Slide
    spring: dict[str, Any] = {"stiffness": joint.stiffness, "rest": joint.rest if joint.stiffness else 0}
    return kind(name, axis=joint.axis, range=joint.limits, **spring, **acting)


def without_idle_angles(
    links: Sequence[Link], outline: RobotOutline, names: SymbolNames, keep: Sequence[str]
) -> list[Link]:
    """Links of which wheels have no angles: nothing hangs on them, they look the same at all angles, and no
    spring, range, drive or place on them depends on it.
    """
    tree = Tree(links, gravity=outline.gravity, friction_scale=1)
    felt = {drive.joint for drive in outline.drives if any(drive.bias[1:2])} | set(keep)
    felt = {names.joints[name] for name in felt if name in names.joints}
    watched = {place.link for place in outline.sites.values()}

    def is_idle(i: int, link: Link) -> bool:
        joint: Any = link.joint
        return (
            tree.is_symmetric(i)
            and link.name not in watched
            and joint.name not in felt
            and joint.stiffness == 0
            and joint.range is None
        )

    return [
        replace(link, joint=replace(cast(Hinge, link.joint), angle=False)) if is_idle(i, link) else link
        for i, link in enumerate(links)
    ]


def with_planar_base(outline: RobotOutline, keep: Sequence[str]) -> bool:
    """Make two slides and a hinge at the root one planar joint, where nothing depends on its place.

    Their axes must be 1, 2 and 3 of one frame that is not turned, gravity along the third, the first two
    links without mass, and nothing may act on the three but what acts on the links behind.

    Returns
    -------
    bool
        Whether there was such a base.
    """
    links = outline.links
    first = [link for link in links if link.parent is None]
    if len(first) != 1 or len(links) < 3 or any(outline.gravity[:2]):
        return False
    chain = links[:3]
    joints = [link.joint for link in chain]
    free = all(
        link.joint.kind == kind
        and link.joint.axis == AXES[axis]
        and (k == 0 or (link.parent == chain[k - 1].name and link.turn.is_identity))
        for k, (link, kind, axis) in enumerate(
            zip(chain, ("slide", "slide", "hinge"), (0, 1, 2), strict=True)
        )
    )
    acted = {drive.joint for drive in outline.drives} | set(keep)
    bare = all(
        joint.name not in acted
        and not (joint.damping or joint.dry or joint.armature or joint.stiffness or joint.limits)
        for joint in joints
    )
    massless = not any(link.solid.mass or any(map(any, link.solid.inertia)) for link in chain[:2])
    alone = all(sum(link.parent == parent.name for link in links) == 1 for parent in chain[:2])
    on_chain = {place.link for place in outline.sites.values()} & {link.name for link in chain[:2]}
    if not (free and bare and massless and alone and chain[0].turn.is_identity and not on_chain):
        return False
    place = chain[0].place
    for link in chain[1:]:
        place = vector_sum(place, matrix_times(chain[0].turn.matrix, link.place))
    base = RobotJoint(joints[2].name, "planar", where=joints[2].where)
    outline.planar_parts = tuple(joint.name for joint in joints)
    outline.links[:3] = [replace(chain[2], parent=None, joint=base, place=place)]
    return True
