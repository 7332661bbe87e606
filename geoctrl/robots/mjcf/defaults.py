"""Default classes: what an element says that is not written at it."""

from __future__ import annotations

from dataclasses import dataclass, field

from geoctrl._checks import nearest
from geoctrl.robots.mjcf.drive_kinds import DRIVE_KINDS
from geoctrl.robots.xml.elements import Element, short

__all__ = ["Defaults", "default_classes"]


@dataclass
class _Class:
    """Attributes that elements start from, by tag; those of actuators one after another.

    Actuators of all kinds have one default, in which each element of the class sets what its kind sets.
    """

    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    drives: list[Element] = field(default_factory=list)

    def copy(self) -> _Class:
        return _Class({tag: dict(own) for tag, own in self.attributes.items()}, list(self.drives))


@dataclass
class Defaults:
    """The classes of a file by name."""

    classes: dict[str, _Class]

    def _class_of(self, element: Element, inherited: str | None) -> _Class:
        self.require(element, element.get("class"))
        return self.classes[element.get("class") or inherited or "main"]

    def require(self, element: Element, name: str | None) -> None:
        """Refuse a class that there is not."""
        if name is not None and name not in self.classes:
            words = f"there is no default class {short(name)!r}"
            raise element.error(f"{words}{nearest(short(name), self.classes)}")

    def with_defaults(self, element: Element, inherited: str | None) -> Element:
        """An element with the attributes of its class, or of the class of the bodies around it."""
        rest = self._class_of(element, inherited).attributes.get(element.tag, {})
        return Element(element.tag, {**rest, **element.attributes}, element.line, element.children)

    def drive_defaults(self, element: Element) -> list[Element]:
        """Defaults that an actuator starts from, in the order in which they are set."""
        return self._class_of(element, None).drives


def default_classes(root: Element) -> Defaults:
    """All classes of a file, each with what it takes over from those around it."""
    classes = {"main": _Class()}

    def read(element: Element, around: _Class, name: str) -> None:
        own = around.copy()
        for child in element.children:
            if child.tag in DRIVE_KINDS:
                own.drives.append(child)
            elif child.tag != "default":
                own.attributes[child.tag] = own.attributes.get(child.tag, {}) | child.attributes
        classes[name] = own
        for child in element.all("default"):
            inner = child.get("class")
            if inner is None or inner in classes:
                reason = (
                    "needs a name, class=" if inner is None else f"has the name of another, {short(inner)!r}"
                )
                raise child.error(f"a default class inside another {reason}")
            read(child, own, inner)

    for element in root.all("default"):
        read(element, classes["main"], "main")
        outermost = element.get("class", "main")
        classes[str(outermost)] = classes["main"]
    return Defaults(classes)
