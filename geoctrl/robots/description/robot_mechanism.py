"""An outline as a mechanism."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._checks import entries, flag, require_choice, user_level
from geoctrl._scalars import exact, expression
from geoctrl.errors import GeoctrlError, InputError, ModelFileError, ModelFileWarning
from geoctrl.robots.description.actuators import actuator_forces
from geoctrl.robots.description.keyframes import keyframe_values, resting_families
from geoctrl.robots.description.symbol_names import SymbolNames, symbol_names
from geoctrl.robots.description.symbols import TreeSymbols
from geoctrl.robots.description.tree_links import (
    RobotNumbers,
    described_links,
    with_planar_base,
    without_idle_angles,
)
from geoctrl.robots.outline.outline import RobotOutline
from geoctrl.systems import EulerPoincare, Tree
from geoctrl.systems.imported import Imported

__all__ = ["Wishes", "mechanism_of"]

_MOST_VELOCITIES = 200
"""Velocities of a robot; the equations of more are not worth their time."""


@dataclass(frozen=True)
class Wishes:
    """What the caller of a reader asks for, checked."""

    place: bool
    rolling: tuple[Any, ...]
    contact: str
    friction_scale: Any
    keep: tuple[str, ...]
    parameters: str
    gravity: tuple[Any, ...] | None

    @classmethod
    def read(
        cls,
        place: Any,
        rolling: Any,
        contact: Any,
        friction_scale: Any,
        keep: Any,
        parameters: Any,
        gravity: Any,
    ) -> Wishes:
        """Checked arguments."""
        require_choice("contact", contact, ("leave out", "refuse"))
        require_choice("parameters", parameters, ("numbers", "symbols"))
        given = (
            None
            if gravity is None
            else tuple(exact(g, "gravity") for g in entries("gravity", gravity, InputError))
        )
        if given is not None and len(given) != 3:
            raise InputError(f"gravity must have three entries, got {len(given)}")
        scale = None if friction_scale is None else expression(friction_scale, "friction_scale", InputError)
        return cls(
            flag("place", place),
            tuple(entries("rolling", rolling, InputError)),
            contact,
            scale,
            tuple(map(str, entries("keep", [keep] if isinstance(keep, str) else keep, InputError))),
            parameters,
            given,
        )


def mechanism_of(outline: RobotOutline, wishes: Wishes, source: str) -> EulerPoincare:
    """The mechanism of an outline; what is left out is told by one `ModelFileWarning`."""
    try:
        found = _mechanism(outline, wishes, source)
    except ModelFileError:
        raise
    except GeoctrlError as error:
        raise ModelFileError(str(error)) from None
    if outline.left_out:
        warnings.warn(
            f"{outline.name}: left out are {'; '.join(outline.left_out)}",
            ModelFileWarning,
            stacklevel=user_level(),
        )
    return found


def _mechanism(outline: RobotOutline, wishes: Wishes, source: str) -> EulerPoincare:
    _require_readable(outline, wishes)
    if wishes.gravity is not None:
        outline.gravity = list(wishes.gravity)
    if not wishes.place:
        with_planar_base(outline, wishes.keep)
    for name in wishes.keep:
        if name not in outline.joints:
            raise ModelFileError(f"keep names no coordinate of the file: {name!r}")
    names, numbers = symbol_names(outline), RobotNumbers(wishes.parameters == "symbols")
    links = described_links(outline, names, numbers)
    if not wishes.place:
        links = without_idle_angles(links, outline, names, wishes.keep)
    tree = Tree(
        links,
        gravity=outline.gravity,
        place=wishes.place,
        friction_scale=wishes.friction_scale,
        rolling=wishes.rolling,
        sites=_sites(outline),
    )
    symbols = TreeSymbols(tree, numbers.parameters)
    forces = actuator_forces(outline, names, symbols, numbers)
    keys = {key.name: keyframe_values(key, outline, names, symbols) for key in outline.keyframes}
    families = resting_families(keys, symbols, forces)
    for name in keys:
        if name not in families:
            outline.leave_out("keyframes that are no equilibria exactly, which stay in keys", name)
    return EulerPoincare(
        tree=tree,
        forces=forces,
        inputs=[names.inputs[drive.name] for drive in outline.drives],
        parameters=numbers.parameters,
        equilibria=families,
        imported=_file_extras(outline, names, keys),
        source=source,
        name=outline.name,
    )


def _require_readable(outline: RobotOutline, wishes: Wishes) -> None:
    if outline.contacts:
        if wishes.contact == "refuse":
            raise ModelFileError(
                f"bodies may touch ({', '.join(outline.contacts[:4])}), and contact is not read; with "
                'contact="leave out" they pass through each other'
            )
        for name in outline.contacts:
            outline.leave_out("contact of bodies", name)
    count = sum({"free": 6, "ball": 3, "planar": 3}.get(j.kind, 1) for j in outline.joints.values())
    if count > _MOST_VELOCITIES:
        raise ModelFileError(f"the robot has {count} velocities; at most {_MOST_VELOCITIES} are read")
    for joint in outline.joints.values():
        if joint.dry and wishes.friction_scale is None:
            raise ModelFileError(
                f"{joint.where}: the joint {joint.name!r} has dry friction, which is not smooth at rest; "
                "give friction_scale=, the velocity below which it is smoothed: friction_scale=1e-3"
            )
        if joint.kind == "ball" and joint.limits is not None:
            outline.leave_out("ranges of balls", joint.name)


def _sites(outline: RobotOutline) -> dict[str, tuple[str, Any, Any]]:
    return {name: (site.link, tuple(site.place), site.turn) for name, site in outline.sites.items()}


def _file_extras(outline: RobotOutline, names: SymbolNames, keys: dict[str, dict[str, sp.Expr]]) -> Imported:
    def ends(pair: Sequence[Any]) -> tuple[float, float]:
        low, high = pair
        return (-math.inf if low is None else float(low), math.inf if high is None else float(high))

    return Imported(
        limits={names.inputs[d.name]: ends(d.limits) for d in outline.drives if d.limits is not None},
        ranges={
            names.joints[joint.name]: ends(joint.limits)
            for joint in outline.joints.values()
            if joint.limits is not None and joint.kind in ("hinge", "slide")
        },
        keys={name: {label: float(x) for label, x in values.items()} for name, values in keys.items()},
        sites=_sites(outline),
        left_out=tuple(outline.left_out),
    )
