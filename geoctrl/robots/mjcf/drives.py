"""Actuators: force = gain u + bias . (1, length, velocity)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from geoctrl._checks import nearest
from geoctrl.robots.mjcf.body_joints import element_limits
from geoctrl.robots.mjcf.defaults import Defaults
from geoctrl.robots.mjcf.drive_kinds import READ_DRIVES
from geoctrl.robots.mjcf.settings import FileRules
from geoctrl.robots.mjcf.vocabulary import ATTRIBUTES
from geoctrl.robots.outline.outline import Actuator, RobotOutline
from geoctrl.robots.xml.attributes import choice, number, numbers
from geoctrl.robots.xml.elements import Element, short

__all__ = ["read_drives"]

_ON = ("joint", "jointinparent", "site", "tendon", "cranksite", "slidersite", "body", "refsite")
_CARRIED = ("gear", "ctrllimited", "ctrlrange", "forcelimited", "forcerange", "armature", "damping")
"""Attributes that all kinds have, taken from the innermost element that sets them."""
_REFUSED = ("dampratio", "timeconst", "inheritrange", "delay", "actdim", "cranklength")


@dataclass
class _Law:
    """The force of an actuator, and its other attributes, as defaults and the element set them in turn."""

    gain: Fraction = Fraction(1)
    bias: list[Fraction] = field(default_factory=lambda: [Fraction(0)] * 3)
    affine: bool = False
    carried: dict[str, str] = field(default_factory=dict)

    def set_by(self, element: Element) -> None:
        """What an element of some kind sets."""
        tag = element.tag
        if tag not in READ_DRIVES:
            raise element.error(
                f"actuators of the kind {short(tag)} are not read; {', '.join(READ_DRIVES)} are: give its "
                "force as forces= to the mechanism that is returned"
            )
        element.require_attributes(ATTRIBUTES["drive"])
        for name in _REFUSED:
            if any(numbers(element, name)):
                raise element.error(
                    f"{name} of an actuator is not read; write gain and bias in numbers (kp, kv)"
                )
        self.carried |= {k: v for k in _CARRIED if (v := element.get(k)) is not None}
        if tag == "motor":
            self.gain, self.bias, self.affine = Fraction(1), [Fraction(0)] * 3, False
        elif tag == "position":
            self.gain = number(element, "kp", self.gain)
            rate = -number(element, "kv") if element.get("kv") is not None else self.bias[2]
            self.bias, self.affine = [self.bias[0], -self.gain, rate], True
        elif tag == "velocity":
            self.gain = number(element, "kv", self.gain)
            self.bias, self.affine = [Fraction(0), Fraction(0), -self.gain], True
        else:
            self._set_by_general(element)

    def _set_by_general(self, element: Element) -> None:
        if element.get("dyntype", "none") != "none" or element.get("gaintype", "fixed") != "fixed":
            raise element.error(
                "only dyntype none and gaintype fixed are read, since others have states of their own"
            )
        given = numbers(element, "gainprm")
        if given:
            self.gain = given[0]
        given = numbers(element, "biasprm")
        if given:
            self.bias = [*given, *self.bias[len(given) :]][:3]
        if element.get("biastype") is not None:
            self.affine = choice(element, "biastype", ("none", "affine"), "none") == "affine"


def read_drives(
    root: Element,
    settings: FileRules,
    defaults: Defaults,
    outline: RobotOutline,
    torques: dict[str, list[Fraction]],
) -> None:
    """Put the actuators of a file into an outline.

    Parameters
    ----------
    torques : mapping of joint -> range of the sum of forces that actuators put on it
    """
    names: set[str] = set()
    for element in (child for section in root.all("actuator") for child in section.children):
        law = _Law()
        if element.tag in READ_DRIVES:
            for default in defaults.drive_defaults(element):
                law.set_by(default)
        law.set_by(element)
        name = element.get("name") or f"u{len(outline.drives) + 1}"
        if name in names:
            raise element.error(f"there are two actuators {short(name)!r}; rename one")
        names.add(name)
        outline.drives.append(_drive(element, name, law, settings, outline))
    _limit_by_joints(outline, torques)


def _drive(element: Element, name: str, law: _Law, settings: FileRules, outline: RobotOutline) -> Actuator:
    on = [k for k in _ON if element.get(k) is not None]
    if len(on) != 1 or on[0] not in ("joint", "jointinparent", "site"):
        what = " and ".join(on) or "nothing"
        raise element.error(f"an actuator acts on a joint or a site, got {what}: others are not read")
    at = str(element.get(on[0]))
    full = Element(element.tag, {**law.carried, **element.attributes}, element.line)
    gear = numbers(full, "gear", [Fraction(1)])
    gear = [*gear, *[Fraction(0)] * 6][:6]
    bias = law.bias if law.affine else [Fraction(0)] * 3
    limits = (
        None
        if "clampctrl" in settings.off
        else element_limits(full, "ctrlrange", "ctrllimited", settings.autolimits)
    )
    low, high = limits or (None, None)
    force = element_limits(full, "forcerange", "forcelimited", settings.autolimits)
    if force is not None:
        if any(bias) or law.gain <= 0:
            outline.leave_out("forcerange of actuators whose force is not their input alone", name)
        else:
            low, high = _tighter((low, high), (force[0] / law.gain, force[1] / law.gain))
    drive = Actuator(
        name,
        joint=at if on[0] != "site" else "",
        site=at if on[0] == "site" else "",
        gear=gear,
        gain=law.gain,
        bias=bias,
        limits=None if low is None and high is None else (low, high),
        in_parent=on[0] == "jointinparent",
        where=f"line {element.line}",
    )
    _require_target(element, drive, outline)
    if drive.joint:
        _add_rotor(full, drive, outline, settings)
    elif any(numbers(full, k) != [] and any(numbers(full, k)) for k in ("armature", "damping")):
        raise element.error("armature and damping of an actuator on a site are not read; put them at a joint")
    return drive


def _tighter(
    a: tuple[Fraction | None, Fraction | None], b: tuple[Fraction | None, Fraction | None]
) -> tuple[Fraction | None, Fraction | None]:
    """The range in both of two; None stands for no bound."""
    low = max((x for x in (a[0], b[0]) if x is not None), default=None)
    high = min((x for x in (a[1], b[1]) if x is not None), default=None)
    return low, high


def _require_target(element: Element, drive: Actuator, outline: RobotOutline) -> None:
    """Refuse an actuator on something that there is not, or that it cannot move."""
    if drive.site:
        if drive.site not in outline.sites:
            raise element.error(
                f"there is no site {short(drive.site)!r}{nearest(short(drive.site), outline.sites)}"
            )
        if any(drive.bias[1:]):
            raise element.error("a servo on a site is not read; a motor on it is")
        return
    joints = outline.joints
    if drive.joint not in joints:
        raise element.error(f"there is no joint {short(drive.joint)!r}{nearest(short(drive.joint), joints)}")
    kind = joints[drive.joint].kind
    if kind == "free":
        raise element.error(
            f"{short(drive.joint)} is a free joint; put a site on the body, and let it act there"
        )
    if kind == "ball" and any(drive.bias[1:]):
        raise element.error("a servo on a ball is not read; a motor on it is")


def _add_rotor(element: Element, drive: Actuator, outline: RobotOutline, settings: FileRules) -> None:
    """What an actuator adds to armature and damping of its joint: its own, by the square of the gear."""
    joint = outline.joints[drive.joint]
    off = {"damping"} if settings.off & {"damper", "passive"} else set()
    for name in ("armature", "damping"):
        own = numbers(element, name)
        if any(own[1:]) or (any(own) and joint.kind == "ball"):
            raise element.error(f"{name} of an actuator must be one number, on a hinge or a slide")
        if any(own) and name not in off:
            outline.put_joint(joint.name, **{name: getattr(joint, name) + drive.gear[0] ** 2 * own[0]})


def _limit_by_joints(outline: RobotOutline, torques: dict[str, list[Fraction]]) -> None:
    """Ranges of the forces on joints, as limits of the one motor that acts there."""
    for name, (low, high) in torques.items():
        on = [k for k, drive in enumerate(outline.drives) if drive.joint == name]
        drive = outline.drives[on[0]] if len(on) == 1 else None
        if drive is None or any(drive.bias) or not drive.gain * drive.gear[0]:
            if on:
                outline.leave_out("actuatorfrcrange of joints that no one motor alone drives", name)
            continue
        ends = sorted((low / (drive.gain * drive.gear[0]), high / (drive.gain * drive.gear[0])))
        limits = _tighter(drive.limits or (None, None), (ends[0], ends[1]))
        outline.drives[on[0]] = Actuator(**{**drive.__dict__, "limits": limits})
