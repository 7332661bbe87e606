"""RobotNumbers in attributes: decimal text as the rational that it is."""

from __future__ import annotations

import re
from fractions import Fraction

from geoctrl._checks import nearest
from geoctrl.robots.xml.elements import Element, short

__all__ = ["choice", "number", "numbers", "vector", "yes"]

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_LONGEST = 40
"""Characters of a number: more than twice those of a double."""
_EXPONENT = 60
"""Size of an exponent: 1e999999999 would be held with all its digits, and never come back."""
_MOST = 2_000
"""RobotNumbers in one attribute: more than any robot has coordinates."""


def _rational(element: Element, name: str, text: str) -> Fraction:
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise element.error(f"{name} must be finite decimal numbers, got {short(text)!r}")
    exponent = match[1] or "0"
    if len(text) > _LONGEST or len(exponent) > 4 or abs(int(exponent)) > _EXPONENT:
        raise element.error(
            f"{name}: {short(text)!r} is no number of a robot: at most {_LONGEST} characters are read, and "
            f"exponents from -{_EXPONENT} to {_EXPONENT}"
        )
    return Fraction(text)


def numbers(element: Element, name: str, default: list[Fraction] | None = None) -> list[Fraction]:
    """All numbers of an attribute."""
    text = element.get(name)
    if text is None:
        return [] if default is None else default
    words = text.split()
    if len(words) > _MOST:
        raise element.error(f"{name} has {len(words)} numbers; at most {_MOST} are read")
    return [_rational(element, name, word) for word in words]


def vector(element: Element, name: str, size: int, default: tuple[int, ...] | None = None) -> list[Fraction]:
    """Exactly ``size`` numbers of an attribute; raises as `numbers`, and if they are more or fewer."""
    if element.get(name) is None:
        if default is None:
            raise element.error(f"{name} is needed: {size} numbers")
        return [Fraction(x) for x in default]
    found = numbers(element, name)
    if len(found) != size:
        raise element.error(f"{name} must have {size} number{'s' * (size > 1)}, got {len(found)}")
    return found


def number(element: Element, name: str, default: Fraction | int | None = None) -> Fraction:
    """One number of an attribute; raises as `vector`."""
    if element.get(name) is None and default is not None:
        return Fraction(default)
    return vector(element, name, 1)[0]


def choice(element: Element, name: str, known: tuple[str, ...], default: str) -> str:
    """An attribute that is one of some words."""
    text = element.get(name, default)
    if text not in known:
        words = ", ".join(known)
        raise element.error(
            f"{name} must be one of {words}, got {short(str(text))!r}{nearest(short(str(text)), known)}"
        )
    return str(text)


def yes(element: Element, name: str, default: bool = False) -> bool:
    """An attribute that is true or false; raises as `choice`."""
    return choice(element, name, ("true", "false"), "true" if default else "false") == "true"
