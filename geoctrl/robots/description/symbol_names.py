"""Names of a file as names of symbols, none for two things."""

from __future__ import annotations

import re
from keyword import iskeyword

from geoctrl.robots.outline.outline import RobotOutline

__all__ = ["SymbolNames", "symbol_names"]

_LONGEST = 60
_TAKEN = {"time"}


class SymbolNames:
    """Names of joints and inputs by those of the file."""

    def __init__(self) -> None:
        self._taken = set(_TAKEN)
        self.joints: dict[str, str] = {}
        self.inputs: dict[str, str] = {}

    def add_joint(self, name: str) -> None:
        """A joint, whose name a coordinate and, with an end, its rate and its momentum have."""
        self.joints[name] = self._new(name, ("{}", "{}_dot", "p_{}"))

    def add_input(self, name: str) -> None:
        """An input, which is ``u_<name>`` where something else has its name."""
        found = _identifier(name)
        self.inputs[name] = self._new(f"u_{name}" if found in self._taken else name, ("{}",))

    def _new(self, name: str, forms: tuple[str, ...]) -> str:
        base, k = _identifier(name), 1
        found = base
        while any(form.format(found) in self._taken for form in forms):
            k += 1
            found = f"{base}_{k}"
        self._taken |= {form.format(found) for form in forms}
        return found

    def take(self, names: set[str]) -> None:
        """Leave names to others."""
        self._taken |= names


def _identifier(name: str) -> str:
    """A name with letters, digits and underscores alone."""
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)[:_LONGEST]
    if not text or not text[0].isalpha():
        text = f"q{text}"
    return f"{text}_" if iskeyword(text) else text


def symbol_names(outline: RobotOutline) -> SymbolNames:
    """Names of all joints and actuators of an outline."""
    found = SymbolNames()
    kinds = {joint.kind for joint in outline.joints.values()}
    if kinds & {"ball", "free", "planar"}:
        ends = ("", "1", "2", "3")
        rows = {f"E{k}{end}" for k in (1, 2, 3) for end in ends}
        found.take({"x", "y", "z", *rows, *(f"{v}{end}" for v in ("Omega", "Y") for end in ends)})
    for name in outline.joints:
        found.add_joint(name)
    for drive in outline.drives:
        found.add_input(drive.name)
    return found
