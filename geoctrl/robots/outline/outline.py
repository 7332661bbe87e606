"""What a model file says of a robot, in exact numbers, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from geoctrl.robots.outline.body_masses import NOTHING, MassOfBody
from geoctrl.robots.outline.exact_vectors import ZERO, Vector
from geoctrl.robots.xml.elements import short
from geoctrl.systems.trees.quaternions import STILL, Quaternion

__all__ = ["FIXED", "Actuator", "Keyframe", "RobotJoint", "RobotLink", "RobotOutline", "Site"]


@dataclass(frozen=True)
class RobotJoint:
    """How a link moves against its parent; ``kind`` is hinge, slide, ball, free, planar or fixed.

    The axis has length one; ``rest`` is where a spring has no force, ``limits`` are those of the coordinate.
    """

    name: str
    kind: str
    axis: Vector = field(default_factory=lambda: ZERO)
    damping: Fraction = Fraction(0)
    dry: Fraction = Fraction(0)
    armature: Fraction = Fraction(0)
    stiffness: Fraction = Fraction(0)
    rest: Fraction = Fraction(0)
    limits: tuple[Fraction, Fraction] | None = None
    where: str = ""


FIXED = RobotJoint("", "fixed")


@dataclass(frozen=True)
class RobotLink:
    """A link: its frame against that of its parent (None: of the world), and its body in that frame."""

    name: str
    parent: str | None
    joint: RobotJoint = FIXED
    place: Vector = field(default_factory=lambda: ZERO)
    turn: Quaternion = STILL
    solid: MassOfBody = NOTHING
    where: str = ""


@dataclass(frozen=True)
class Site:
    """A place on a link, with axes."""

    link: str
    place: Vector
    turn: Quaternion


@dataclass(frozen=True)
class Actuator:
    """An actuator: force ``gain u + bias . (1, l, dl/dt)``, with the length l = gear q of the joint.

    On a site the six of the gear are force and couple in the site's axes, on a ball's joint the first three
    the couple in the child's axes (the parent's with ``in_parent``). ``limits`` are those of u.
    """

    name: str
    joint: str = ""
    site: str = ""
    gear: Vector = field(default_factory=lambda: [Fraction(1), *[Fraction(0)] * 5])
    gain: Fraction = Fraction(1)
    bias: Vector = field(default_factory=lambda: ZERO)
    limits: tuple[Fraction | None, Fraction | None] | None = None
    in_parent: bool = False
    where: str = ""


@dataclass(frozen=True)
class Keyframe:
    """Coordinates and rates of joints, by name, as the file's numbers, and inputs by actuator.

    Of a free joint: place, then quaternion; its rates are those of the place in the axes of the world, then
    the angular velocity in those of the body. Of a ball: the quaternion, and the angular velocity.
    """

    name: str
    coordinates: dict[str, Vector]
    rates: dict[str, Vector]
    inputs: dict[str, Fraction]
    where: str = ""


@dataclass
class RobotOutline:
    """A robot: links, parents before children, with what acts on them and what is told about them."""

    name: str
    links: list[RobotLink] = field(default_factory=list)
    drives: list[Actuator] = field(default_factory=list)
    sites: dict[str, Site] = field(default_factory=dict)
    keyframes: list[Keyframe] = field(default_factory=list)
    omissions: dict[str, list[str]] = field(default_factory=dict)
    contacts: list[str] = field(default_factory=list)
    gravity: Vector = field(default_factory=lambda: [Fraction(0), Fraction(0), Fraction("-9.81")])
    planar_parts: tuple[str, ...] = ()
    """Names of the two slides and the hinge that a planar joint stands for."""

    def leave_out(self, what: str, name: str) -> None:
        """Note that something of a joint, an actuator, a site is left out."""
        self.omissions.setdefault(what, []).append(name)

    @property
    def left_out(self) -> list[str]:
        """What is left out, one line a kind."""
        return [f"{what}: {_list_of_names(names)}" for what, names in self.omissions.items()]

    @property
    def joints(self) -> dict[str, RobotJoint]:
        """Joints that move, by name."""
        return {link.joint.name: link.joint for link in self.links if link.joint.kind != "fixed"}

    def put_joint(self, name: str, **changes: object) -> None:
        """Change entries of a joint."""
        for k, link in enumerate(self.links):
            if link.joint.name == name:
                self.links[k] = replace(link, joint=replace(link.joint, **changes))  # type: ignore[arg-type]


_LISTED = 4


def _list_of_names(names: list[str]) -> str:
    """Some of the names, and how many there are."""
    said = ", ".join(short(name) for name in names[:_LISTED])
    return said if len(names) <= _LISTED else f"{said}, ... ({len(names)} in all)"
