"""Joints of a body."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from geoctrl.robots.mjcf.settings import FileRules
from geoctrl.robots.mjcf.vocabulary import ATTRIBUTES
from geoctrl.robots.outline.exact_vectors import direction
from geoctrl.robots.outline.outline import RobotJoint
from geoctrl.robots.xml.attributes import choice, number, numbers, vector
from geoctrl.robots.xml.elements import Element, short

__all__ = ["element_joint", "element_limits"]

_TURNING = ("hinge", "ball")


def element_limits(element: Element, name: str, flag: str, autolimits: bool) -> list[Fraction] | None:
    """A range that holds, by its flag or because it is given; None where none does."""
    said = choice(element, flag, ("false", "true", "auto"), "auto")
    given = element.get(name) is not None
    if said == "false" or (said == "auto" and not (given and autolimits)):
        return None
    low, high = vector(element, name, 2)
    if not low < high:
        raise element.error(
            f"{name} must be a lower and a higher number, got {float(low):g} and {float(high):g}"
        )
    return [low, high]


def element_joint(element: Element, name: str, settings: FileRules) -> tuple[RobotJoint, Fraction]:
    """A joint, and the value of its coordinate in which the file draws the robot (ref)."""
    element.require_attributes(ATTRIBUTES["freejoint" if element.tag == "freejoint" else "joint"])
    kind = choice(element, "type", ("free", "ball", "slide", "hinge"), "hinge")
    axis = direction(vector(element, "axis", 3, (0, 0, 1)))
    if axis is None:
        raise element.error(f"the axis of {short(name)} is zero; give it a direction, 0 0 1 say")
    for entry in ("springdamper", "springyield"):
        if any(numbers(element, entry)):
            raise element.error(
                f"{entry} of {short(name)} is not read; give stiffness and damping themselves"
            )
    angle = settings.radians if kind in _TURNING else lambda x: x
    values = {k: _first(element, name, k) for k in ("damping", "stiffness")}
    values |= {k: number(element, k, 0) for k in ("frictionloss", "armature")}
    for k, value in values.items():
        if value < 0:
            raise element.error(f"{k} of {short(name)} must not be negative, got {float(value):g}")
    if settings.off & {"damper", "passive"}:
        values["damping"] = Fraction(0)
    if settings.off & {"spring", "passive"}:
        values["stiffness"] = Fraction(0)
    if settings.off & {"frictionloss", "constraint"}:
        values["frictionloss"] = Fraction(0)
    _require_readable(element, name, kind, values)
    limits = element_limits(element, "range", "limited", settings.autolimits)
    joint = RobotJoint(
        name,
        kind,
        axis,
        damping=values["damping"],
        dry=values["frictionloss"],
        armature=values["armature"],
        stiffness=values["stiffness"],
        rest=angle(number(element, "springref", 0)) if kind in ("hinge", "slide") else Fraction(0),
        limits=None if limits is None or kind == "free" else (angle(limits[0]), angle(limits[1])),
        where=f"line {element.line}",
    )
    ref = number(element, "ref", 0)
    return joint, angle(ref) if kind in ("hinge", "slide") else Fraction(0)


def _first(element: Element, name: str, entry: str) -> Fraction:
    """The linear coefficient of a spring or a damper, which must be the only one."""
    found = numbers(element, entry, [Fraction(0)])
    if not found or any(found[1:]):
        raise element.error(
            f"{entry} of {short(name)} must be one number; further coefficients are not read: give such a "
            "force as forces= to the mechanism that is returned"
        )
    return found[0]


def _require_readable(element: Element, name: str, kind: str, values: dict[str, Fraction]) -> None:
    refused: Sequence[str] = {"free": ("stiffness", "frictionloss", "armature"), "ball": ("stiffness",)}.get(
        kind, ()
    )
    for k in refused:
        if values[k]:
            raise element.error(
                f"{k} of the {kind} joint {short(name)} is not read; set it to zero"
                + (", or write <freejoint/>, which takes nothing from defaults" if kind == "free" else "")
            )
