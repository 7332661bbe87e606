"""Turns of elements, and masses of geoms."""

from __future__ import annotations

import math
from fractions import Fraction

from geoctrl.robots.mjcf.settings import FileRules
from geoctrl.robots.mjcf.vocabulary import ATTRIBUTES
from geoctrl.robots.outline.body_masses import MassOfBody, moments, shape_moments, shape_volume, turned_tensor
from geoctrl.robots.outline.exact_vectors import (
    AXES,
    Vector,
    direction,
    multiple,
    scalar_product,
    transpose,
    turn_about,
    turn_to,
    vector_sum,
)
from geoctrl.robots.xml.attributes import choice, number, numbers, vector, yes
from geoctrl.robots.xml.elements import Element
from geoctrl.systems.trees.quaternions import STILL, Quaternion, turn

__all__ = ["element_turn", "fromto_place", "has_contact", "is_mesh", "shape_solid"]

_TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""RobotNumbers that the size of a shape takes."""
_KINDS = (*_SIZES, "plane", "hfield", "mesh", "sdf")


def element_turn(element: Element, settings: FileRules) -> Quaternion:
    """The turn of an element's axes against those around it."""
    given = [name for name in _TURNS if element.get(name) is not None]
    if len(given) > 1:
        raise element.error(f"{' and '.join(given)} both give a turn; leave one")
    if not given:
        return STILL
    name = given[0]
    if name == "quat":
        quaternion = vector(element, name, 4)
        if not any(quaternion):
            raise element.error("quat is zero, which is no turn; the one that turns nothing is 1 0 0 0")
        return turn(quaternion=quaternion)
    if name == "axisangle":
        *axis, angle = vector(element, name, 4)
        return turn_about(_unit(element, name, axis), settings.radians(angle))
    if name == "euler":
        return _euler_turn(vector(element, name, 3), settings)
    if name == "zaxis":
        return turn_to(_unit(element, name, vector(element, name, 3)))
    return _frame_turn(element)


def _unit(element: Element, name: str, axis: Vector) -> Vector:
    unit = direction(axis)
    if unit is None:
        raise element.error(f"{name} has an axis of length zero; give it a direction, 0 0 1 say")
    return unit


def _euler_turn(angles: Vector, settings: FileRules) -> Quaternion:
    """Turns one after another: about the axes as they move (small letters), or as they stand."""
    total = STILL
    for letter, angle in zip(settings.euler, angles, strict=True):
        one = turn_about(AXES["xyz".index(letter.lower())], settings.radians(angle))
        total = total * one if letter.islower() else one * total
    return total


def _frame_turn(element: Element) -> Quaternion:
    """xyaxes: the first axis, and a second that is made orthogonal to it."""
    six = vector(element, "xyaxes", 6)
    first = _unit(element, "xyaxes", six[:3])
    across = vector_sum(six[3:], multiple(-scalar_product(first, six[3:]), first))
    second = direction(across)
    if second is None:
        raise element.error("xyaxes: both axes have one direction; give two that differ")
    # `second` is orthogonal to `first` within rounding; a turn about `first` keeps both exact.
    base = turn_to(first, 0)
    columns = transpose([list(row) for row in base.matrix])
    angle = math.atan2(float(scalar_product(columns[2], second)), float(scalar_product(columns[1], second)))
    return turn_about(first, Fraction(angle)) * base


def fromto_place(element: Element) -> tuple[Vector, Quaternion, Fraction]:
    """Middle, turn and half length of an element that is given by the ends of its axis."""
    six = vector(element, "fromto", 6)
    middle = multiple(Fraction(1, 2), vector_sum(six[:3], six[3:]))
    along = vector_sum(six[:3], multiple(Fraction(-1), six[3:]))
    unit = direction(along)
    if unit is None:
        raise element.error("fromto: both ends are one point")
    return middle, turn_to(unit), scalar_product(unit, along) / 2


def has_contact(element: Element) -> bool:
    """Whether a geom may touch another."""
    return any(number(element, name, 1) for name in ("contype", "conaffinity"))


def is_mesh(element: Element) -> bool:
    """Whether a geom's shape stands in another file."""
    return element.get("type") in ("mesh", "sdf") or element.get("mesh") is not None


def shape_solid(element: Element, settings: FileRules) -> MassOfBody | None:
    """The body of a geom; None where it has no mass."""
    element.require_attributes(ATTRIBUTES["geom"])
    kind = choice(element, "type", _KINDS, "sphere")
    low, high = settings.shape_groups
    if kind in ("plane", "hfield") or not low <= number(element, "group", 0) <= high:
        return None
    density = number(element, "density", 1000)
    mass = number(element, "mass") if element.get("mass") is not None else None
    if (mass is None and not density) or mass == 0:
        return None
    if is_mesh(element):
        raise element.error(
            "the mass of a mesh is known from its file alone, which is not opened; give the body an "
            "<inertial>, or pass the model that mujoco compiles to gc.from_mujoco"
        )
    if yes(element, "shellinertia"):
        raise element.error("shellinertia is not read; give the body an <inertial>")
    size = numbers(element, "size")
    centre, turn = vector(element, "pos", 3, (0, 0, 0)), STILL
    if element.get("fromto") is not None:
        if kind == "sphere":
            raise element.error("a sphere has no fromto; give pos")
        centre, turn, half = fromto_place(element)
        size = [*size[:1] * (_SIZES[kind] - 1), half]
    else:
        turn = element_turn(element, settings)
    size = size[: _SIZES[kind]]
    if len(size) != _SIZES[kind] or min(size) <= 0:
        raise element.error(f"a {kind} needs {_SIZES[kind]} positive numbers as its size")
    if mass is None:
        mass = Fraction(repr(float(density * shape_volume(kind, size))))
    if mass < 0:
        raise element.error(f"a mass must be positive, got {float(mass):g}")
    principal = moments(multiple(mass, shape_moments(kind, size)))
    return MassOfBody(mass, centre, turned_tensor(principal, turn))
