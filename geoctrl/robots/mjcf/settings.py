"""What holds for a whole MJCF file: compiler, options, gravity."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from geoctrl.robots.mjcf.vocabulary import ATTRIBUTES
from geoctrl.robots.outline.exact_vectors import Vector
from geoctrl.robots.xml.attributes import choice, number, numbers, vector, yes
from geoctrl.robots.xml.elements import Element, short

__all__ = ["FileRules", "file_rules"]

_UNREAD_SIZES = ("density", "viscosity", "wind")
_SWITCHES = ("spring", "damper", "passive", "frictionloss", "constraint", "gravity", "clampctrl")
"""Flags that turn a part of the dynamics off."""


@dataclass
class FileRules:
    """Rules by which the rest of the file is read."""

    degrees: bool = True
    euler: str = "xyz"
    autolimits: bool = True
    from_shapes: str = "auto"
    shape_groups: tuple[int, int] = (0, 5)
    least_mass: Fraction = Fraction(0)
    total_mass: Fraction = Fraction(-1)
    """Mass that all bodies are scaled to, where it is positive."""
    gravity: Vector = field(default_factory=lambda: [Fraction(0), Fraction(0), Fraction("-9.81")])
    off: frozenset[str] = frozenset()
    unbalanced: list[int] = field(default_factory=list)
    """Lines of balanceinertia, which is not done."""

    def radians(self, angle: Fraction) -> Fraction:
        """An angle of the file in rad: exactly where it is given so, else the double."""
        return Fraction(repr(math.radians(float(angle)))) if self.degrees else angle


def file_rules(root: Element) -> FileRules:
    """Compiler and options of a file."""
    found = FileRules()
    for element in root.all("compiler"):
        _read_compiler(element, found)
    off: set[str] = set()
    for element in root.all("option"):
        found.gravity = vector(element, "gravity", 3) if element.get("gravity") else found.gravity
        for name in _UNREAD_SIZES:
            if any(numbers(element, name)):
                raise element.error(
                    f"{name}: forces of a medium are not read; set it to zero, and give drag as forces= to "
                    "the mechanism that is returned"
                )
        if element.get("actuatorgroupdisable", "").strip():  # type: ignore[union-attr]
            raise element.error("actuatorgroupdisable is not read; delete the actuators that are off")
        for flag in element.all("flag"):
            off |= {name for name in _SWITCHES if flag.get(name) == "disable"}
            if flag.get("actuation") == "disable":
                raise flag.error("actuation is disabled; delete the actuators instead")
    if "gravity" in off:
        found.gravity = [Fraction(0)] * 3
    found.off = frozenset(off)
    return found


def _read_compiler(element: Element, found: FileRules) -> None:
    element.require_attributes(ATTRIBUTES["compiler"])
    if element.get("coordinate", "local") != "local":
        raise element.error("coordinate must be local: save the model once more with a newer version")
    found.degrees = (
        choice(element, "angle", ("degree", "radian"), "degree" if found.degrees else "radian") == "degree"
    )
    found.autolimits = yes(element, "autolimits", found.autolimits)
    found.from_shapes = choice(element, "inertiafromgeom", ("false", "true", "auto"), found.from_shapes)
    found.euler = element.get("eulerseq", found.euler)  # type: ignore[assignment]
    if len(found.euler) != 3 or any(letter not in "xyzXYZ" for letter in found.euler):
        raise element.error(f"eulerseq must be three of x, y, z, X, Y, Z, got {short(found.euler)!r}")
    if element.get("inertiagrouprange") is not None:
        low, high = vector(element, "inertiagrouprange", 2)
        found.shape_groups = (math.floor(low), math.floor(high))
    found.least_mass = number(element, "boundmass", found.least_mass)
    if number(element, "boundinertia", 0):
        raise element.error("boundinertia is not read; give the bodies that are too light an <inertial>")
    found.total_mass = number(element, "settotalmass", found.total_mass)
    if yes(element, "alignfree"):
        raise element.error("alignfree is not read: it changes the axes of free bodies; delete it")
    if yes(element, "balanceinertia"):
        found.unbalanced.append(element.line)
