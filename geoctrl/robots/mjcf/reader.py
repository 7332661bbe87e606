"""An MJCF file as an outline."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from geoctrl._checks import nearest
from geoctrl.robots.mjcf.defaults import default_classes
from geoctrl.robots.mjcf.drives import read_drives
from geoctrl.robots.mjcf.file_bodies import BodyReader
from geoctrl.robots.mjcf.settings import FileRules, file_rules
from geoctrl.robots.mjcf.vocabulary import ATTRIBUTES
from geoctrl.robots.outline.body_masses import MassOfBody
from geoctrl.robots.outline.exact_vectors import Vector, multiple
from geoctrl.robots.outline.outline import Keyframe, RobotJoint, RobotOutline
from geoctrl.robots.xml.attributes import numbers
from geoctrl.robots.xml.elements import Element, root_element, short

__all__ = ["COORDINATES", "RATES", "mjcf_outline"]

_COMPILED = "let mujoco compile the model, and pass it to gc.from_mujoco"
_REFUSED = {
    "include": f"no other file is opened: merge the files, or {_COMPILED}",
    "frame": f"write the turn and place into the elements, or {_COMPILED}",
    "replicate": f"write the bodies out, or {_COMPILED}",
    "attach": f"write the bodies out, or {_COMPILED}",
    "composite": "bodies that bend are not read",
    "flexcomp": "bodies that bend are not read",
    "flex": "bodies that bend are not read",
    "deformable": "bodies that bend are not read",
    "skin": "skins are not read; delete it, it has no mass",
    "plugin": "what a plugin does is not in the file; delete it",
}
_REFUSED_PARTS = {
    "tendon": "tendons are not read; give their forces as forces= to the mechanism that is returned",
    "equality": "equality constraints are not read; cut one joint of a closed loop, and give it as "
    "constraints= to the mechanism that is returned",
}
_UNREAD = {
    "sensor": "sensors",
    "asset": "assets",
    "visual": "looks",
    "statistic": "statistics",
    "custom": "custom numbers",
    "extension": "extensions",
}
_SECTIONS = frozenset(
    {*_UNREAD, "compiler", "option", "size", "default", "worldbody", "contact", "actuator", "keyframe"}
)

COORDINATES = {"free": 7, "ball": 4}
"""RobotNumbers of a joint in qpos; one of others."""
RATES = {"free": 6, "ball": 3}
"""RobotNumbers of a joint in qvel; one of others."""


def mjcf_outline(text: str) -> RobotOutline:
    """What an MJCF text says."""
    root = root_element(text)
    if root.tag != "mujoco":
        hint = "; this is a URDF file: gc.from_urdf reads it" if root.tag == "robot" else ""
        raise root.error(f"the root of an MJCF file is <mujoco>{hint}")
    _require_readable(root)
    settings, defaults = file_rules(root), default_classes(root)
    outline = RobotOutline(root.get("model") or "robot", gravity=settings.gravity)
    for line in settings.unbalanced:
        outline.leave_out("balanceinertia, so that moments that no body can have stay", f"line {line}")
    bodies = BodyReader(settings, defaults, outline)
    worlds = root.all("worldbody")
    for world in worlds:
        bodies.read_world(world)
    if not outline.links:
        raise root.error("there is no <body> in a <worldbody>: nothing can move")
    if not outline.joints:
        raise root.error(
            "nothing moves: no body has a <joint>; <freejoint/> in a body of the world's lets it move"
        )
    _scale_masses(outline, settings)
    read_drives(root, settings, defaults, outline, bodies.torques)
    for element in (child for section in root.all("keyframe") for child in section.all("key")):
        outline.keyframes.append(_keyframe(element, outline, bodies.order, bodies.starts))
    for tag, what in _UNREAD.items():
        count = sum(len(section.children) for section in root.all(tag))
        if count and tag in ("sensor", "asset"):
            outline.leave_out(what, f"{count} of them")
    return outline


def _require_readable(root: Element) -> None:
    """Refuse what would change the motion and is not read, and sections that there are not."""
    for section in root.children:
        if section.tag in _REFUSED_PARTS:
            active = [child for child in section.children if child.get("active") != "false"]
            if active:
                raise active[0].error(_REFUSED_PARTS[section.tag])
        elif section.tag not in _SECTIONS and section.tag not in _REFUSED:
            raise section.error(f"there is no such section{nearest(short(section.tag), _SECTIONS)}")
        if section.tag in ("default", "asset", "sensor", "extension", *_REFUSED_PARTS):
            continue
        for element in section.descendants():
            if element.tag in _REFUSED:
                raise element.error(_REFUSED[element.tag])


def _scale_masses(outline: RobotOutline, settings: FileRules) -> None:
    """Scale all bodies to the sum of masses that is asked for."""
    total = sum((link.solid.mass for link in outline.links), Fraction(0))
    if settings.total_mass <= 0 or not total:
        return
    factor = settings.total_mass / total
    for k, link in enumerate(outline.links):
        inertia = [multiple(factor, row) for row in link.solid.inertia]
        outline.links[k] = replace(
            link, solid=MassOfBody(factor * link.solid.mass, link.solid.centre, inertia)
        )


def _keyframe(
    element: Element, outline: RobotOutline, order: list[RobotJoint], starts: dict[str, Vector]
) -> Keyframe:
    """A keyframe; what it does not give is that of the robot as the file draws it, at rest."""
    element.require_attributes(ATTRIBUTES["key"])
    name = element.get("name") or f"key{len(outline.keyframes)}"
    if any(name == key.name for key in outline.keyframes):
        raise element.error(f"there are two keyframes {short(name)!r}; rename one")
    joints = [outline.joints[joint.name] for joint in order]
    coordinates = _values_by_joint(element, "qpos", joints, COORDINATES, starts)
    zeros = {joint.name: [Fraction(0)] * RATES.get(joint.kind, 1) for joint in joints}
    rates = _values_by_joint(element, "qvel", joints, RATES, zeros)
    given = numbers(element, "ctrl")
    if given and len(given) != len(outline.drives):
        raise element.error(f"ctrl must have {len(outline.drives)} numbers, got {len(given)}")
    inputs = [*given, *[Fraction(0)] * (len(outline.drives) - len(given))]
    for joint in joints:
        if joint.kind in COORDINATES and not any(coordinates[joint.name][-4:]):
            raise element.error(f"the quaternion of {short(joint.name)} is zero, which is no turn")
    names = [drive.name for drive in outline.drives]
    return Keyframe(name, coordinates, rates, dict(zip(names, inputs, strict=True)), f"line {element.line}")


def _values_by_joint(
    element: Element,
    attribute: str,
    joints: list[RobotJoint],
    sizes: dict[str, int],
    default: dict[str, Vector],
) -> dict[str, Vector]:
    """RobotNumbers of an attribute, shared among the joints in their order."""
    given = numbers(element, attribute)
    if not given:
        return dict(default)
    needed = sum(sizes.get(joint.kind, 1) for joint in joints)
    if len(given) != needed:
        raise element.error(f"{attribute} must have {needed} numbers, got {len(given)}")
    found, start = {}, 0
    for joint in joints:
        size = sizes.get(joint.kind, 1)
        found[joint.name] = given[start : start + size]
        start += size
    return found
