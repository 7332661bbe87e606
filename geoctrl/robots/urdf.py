"""A URDF file as an outline."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from geoctrl._checks import nearest
from geoctrl.robots.outline.body_masses import NOTHING, MassOfBody, tensor, turned_tensor
from geoctrl.robots.outline.exact_vectors import AXES, ZERO, Vector, direction, turn_about
from geoctrl.robots.outline.outline import FIXED, Actuator, RobotJoint, RobotLink, RobotOutline
from geoctrl.robots.xml.attributes import number, vector
from geoctrl.robots.xml.elements import Element, root_element, short
from geoctrl.systems.trees.quaternions import STILL, Quaternion

__all__ = ["BASES", "urdf_outline"]

BASES = ("fixed", "free", "planar")
"""How the root of a URDF tree stands in space."""

_KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_PARTS = frozenset(
    {
        "link",
        "joint",
        "material",
        "transmission",
        "gazebo",
        "sensor",
        "frame",
        "mujoco",
        "drake",
        "pybullet",
        "ros2_control",
    }
)
_LEFT_OUT = ("transmission", "gazebo", "sensor", "frame")
_REFUSED = {
    "force_element": "forces of a medium and of rotors are not read; delete it, and give them as inputs= and "
    "forces= to the mechanism that is returned (mech.replace, mech.tree.acting)",
    "loop_joint": "a closed loop is not read; delete it, and give it as constraints= to the mechanism "
    "that is returned",
}
_ROLLED, _PITCHED, _YAWED = AXES


@dataclass
class _LinkTree:
    """Links and joints of a file by name, and which joint each link hangs on."""

    root: Element
    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, Element] = field(default_factory=dict)
    above: dict[str, tuple[str, Element]] = field(default_factory=dict)
    """By link: its parent, and the joint between them."""
    below: dict[str, list[str]] = field(default_factory=dict)


def urdf_outline(text: str, base: str) -> RobotOutline:
    """What a URDF text says, its root standing in space as `BASES` has it."""
    root = root_element(text)
    if root.tag != "robot":
        hint = "; this is an MJCF file: gc.from_mjcf reads it" if root.tag == "mujoco" else ""
        raise root.error(f"the root of a URDF file is <robot>{hint}")
    _require_no_macros(root)
    tree = _read_tree(root)
    outline = RobotOutline(root.get("name") or "robot")
    for tag in _LEFT_OUT:
        if root.all(tag):
            outline.leave_out("parts without motion", f"<{tag}>")
    first = _first_link(tree)
    pending = [first]
    while pending:
        name = pending.pop()
        _put_link(tree, name, base, outline)
        pending += reversed(tree.below.get(name, []))
    if not outline.joints:
        raise root.error(
            'nothing moves: the root is fixed, and so are all joints; base="free" lets the root move'
        )
    return outline


def _require_no_macros(root: Element) -> None:
    """Refuse what a macro processor has not yet put numbers and parts in the place of."""
    for element in root.descendants():
        macros = [text for text in element.attributes.values() if "${" in text or "$(" in text]
        if macros or element.tag.startswith("xacro:"):
            raise element.error(
                f"{short(macros[0] if macros else element.tag)!r} is a macro of xacro, which is not "
                "expanded here: xacro robot.urdf.xacro > robot.urdf writes the file that is read"
            )


def _read_tree(root: Element) -> _LinkTree:
    tree = _LinkTree(root)
    for element in root.children:
        if element.tag in _REFUSED:
            raise element.error(_REFUSED[element.tag])
        if element.tag not in _PARTS and ":" not in element.tag:
            raise element.error(f"a robot has no such part{nearest(short(element.tag), _PARTS)}")
    for tag, found in (("link", tree.links), ("joint", tree.joints)):
        for element in root.all(tag):
            name = element.get("name")
            if not name or name in found:
                reason = f"there are two of the name {short(name)!r}" if name else "it has no name"
                raise element.error(f"{reason}; each {tag} needs one of its own")
            found[name] = element
    for joint in tree.joints.values():
        parent, child = (_end_of(joint, tag, tree) for tag in ("parent", "child"))
        if joint.one("mimic") is not None:
            raise joint.error(
                "mimic is not read; give the relation of both joints as constraints= to the mechanism"
            )
        if child in tree.above:
            raise joint.error(
                f"{short(child)} hangs on two joints, a closed loop; cut one, and give it as constraints= to "
                "the mechanism that is returned"
            )
        tree.above[child] = parent, joint
        tree.below.setdefault(parent, []).append(child)
    return tree


def _end_of(joint: Element, tag: str, tree: _LinkTree) -> str:
    """The link at one end of a joint."""
    element = joint.one(tag)
    name = None if element is None else element.get("link")
    if name is None:
        raise joint.error(f"<{tag} link=...> is needed")
    if name not in tree.links:
        raise joint.error(f"there is no link {short(name)!r}{nearest(short(name), tree.links)}")
    return name


def _first_link(tree: _LinkTree) -> str:
    """The link that all others hang on."""
    first = [name for name in tree.links if name not in tree.above]
    if len(first) != 1:
        said = ", ".join(short(name) for name in first[:4]) if first else "none: parents go round in a circle"
        raise tree.root.error(f"a tree has one link that hangs on no joint, got {said}")
    reached, pending = set(), [first[0]]
    while pending:
        name = pending.pop()
        reached.add(name)
        pending += tree.below.get(name, [])
    for name, element in tree.links.items():
        if name not in reached:
            raise element.error(f"the parents of {short(name)} go round in a circle; a tree has none")
    return first[0]


def _put_link(tree: _LinkTree, name: str, base: str, outline: RobotOutline) -> None:
    element = tree.links[name]
    solid = _solid(element)
    if name not in tree.above:
        joint = FIXED if base == "fixed" else RobotJoint("base", base)
        outline.links.append(RobotLink(name, None, joint, solid=solid, where=f"line {element.line}"))
        if element.all("collision"):
            outline.contacts.append(name)
        return
    parent: str | None
    parent, given = tree.above[name]
    place, turn = _origin(given)
    joint = _joint(given, outline)
    if joint.kind in ("free", "planar"):
        place, turn, parent = _base_frame(tree, str(parent), given, joint, place, turn, outline)
    outline.links.append(RobotLink(name, parent, joint, place, turn, solid, f"line {element.line}"))
    if element.all("collision"):
        outline.contacts.append(name)


def _base_frame(
    tree: _LinkTree,
    parent: str,
    given: Element,
    joint: RobotJoint,
    place: Vector,
    turn: Quaternion,
    outline: RobotOutline,
) -> tuple[Vector, Quaternion, str | None]:
    """Where a joint stands that moves as a base: on the fixed root alone."""
    name = short(str(given.get("name")))
    if parent in tree.above or outline.links[0].joint is not FIXED:
        raise given.error(f"the {given.get('type')} joint {name} must hang on the root, which must be fixed")
    if joint.kind == "planar":
        if direction(vector(_axis(given), "xyz", 3, (1, 0, 0))) != AXES[2]:
            raise given.error(f"the axis of the planar joint {name} must be 0 0 1; turn its origin")
        return place, turn, parent
    if any(place) or not turn.is_identity:
        raise given.error(
            f"the origin of the floating joint {name} must be zero: place and attitude are states"
        )
    return ZERO, STILL, None


def _axis(given: Element) -> Element:
    """The axis of a joint; an empty one where it has none."""
    return given.one("axis") or Element("axis", {}, given.line)


def _origin(element: Element) -> tuple[Vector, Quaternion]:
    """Site and turn of an element: about the fixed axes by roll, pitch and yaw, in this order."""
    origin = element.one("origin")
    if origin is None:
        return ZERO, STILL
    roll, pitch, yaw = vector(origin, "rpy", 3, (0, 0, 0))
    turn = turn_about(_YAWED, yaw) * turn_about(_PITCHED, pitch) * turn_about(_ROLLED, roll)
    return vector(origin, "xyz", 3, (0, 0, 0)), turn


def _solid(link: Element) -> MassOfBody:
    element = link.one("inertial")
    if element is None:
        return NOTHING
    centre, turn = _origin(element)
    given, mass = element.one("inertia"), element.one("mass")
    if given is None or mass is None:
        raise element.error("<mass value=...> and <inertia ixx=...> are both needed")
    entries = [number(given, key, 0) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    size = number(mass, "value")
    if size < 0 or any(e < 0 for e in entries[:3]):
        raise element.error("mass and moments of inertia must not be negative")
    return MassOfBody(size, centre, turned_tensor(tensor(*entries), turn))


def _joint(element: Element, outline: RobotOutline) -> RobotJoint:
    """A joint of the file, and the actuator on it, in the outline."""
    name, given = str(element.get("name")), str(element.get("type"))
    if given not in _KINDS:
        raise element.error(
            f"joints of the kind {short(given)!r} are not read{nearest(short(given), _KINDS)}"
        )
    kind = _KINDS[given]
    if kind == "fixed":
        return FIXED
    where = f"line {element.line}"
    if kind not in ("hinge", "slide"):
        return RobotJoint(name, kind, where=where)
    axis = direction(vector(_axis(element), "xyz", 3, (1, 0, 0)))
    if axis is None:
        raise element.error(f"the axis of {short(name)} is zero; give it a direction, 0 0 1 say")
    dynamics = element.one("dynamics") or Element("dynamics", {}, element.line)
    damping, dry = number(dynamics, "damping", 0), number(dynamics, "friction", 0)
    if min(damping, dry) < 0:
        raise dynamics.error(f"damping and friction of {short(name)} must not be negative")
    limit = element.one("limit")
    joint = RobotJoint(name, kind, axis, damping=damping, dry=dry, where=where)
    effort = Fraction(0)
    if limit is not None:
        effort = number(limit, "effort", 0)
        low, high = number(limit, "lower", 0), number(limit, "upper", 0)
        if given != "continuous" and low < high:
            joint = replace(joint, limits=(low, high))
        elif given != "continuous":
            outline.leave_out("limits that leave no room", name)
        if number(limit, "velocity", 0):
            outline.leave_out("velocity limits", name)
        if effort < 0:
            raise limit.error(f"effort of {short(name)} must not be negative, got {float(effort):g}")
    for tag in ("safety_controller", "calibration"):
        if element.one(tag) is not None:
            outline.leave_out(tag, name)
    limits = (-effort, effort) if effort else None
    outline.drives.append(Actuator(f"u_{name}", joint=name, limits=limits, where=where))
    return joint
