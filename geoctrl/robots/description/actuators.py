"""Forces of actuators along the velocities of a tree."""

from __future__ import annotations

from typing import Any

import sympy as sp

from geoctrl._scalars import expression
from geoctrl.robots.description.symbol_names import SymbolNames
from geoctrl.robots.description.symbols import TreeSymbols
from geoctrl.robots.description.tree_links import RobotNumbers
from geoctrl.robots.outline.exact_vectors import matrix_times
from geoctrl.robots.outline.outline import Actuator, RobotOutline

__all__ = ["actuator_forces"]


def actuator_forces(
    outline: RobotOutline, names: SymbolNames, tree: TreeSymbols, numbers: RobotNumbers
) -> list[sp.Expr]:
    """The sum of all actuators' generalised forces, one expression for each velocity."""
    total = [sp.Integer(0)] * len(tree.velocity_labels)
    for drive in outline.drives:
        symbol = sp.Symbol(names.inputs[drive.name], real=True)
        for k, force in enumerate(_forces(drive, symbol, outline, names, tree, numbers)):
            total[k] += force
    return total


def _forces(
    drive: Actuator,
    u: sp.Symbol,
    outline: RobotOutline,
    names: SymbolNames,
    tree: TreeSymbols,
    numbers: RobotNumbers,
) -> list[sp.Expr]:
    name = names.inputs[drive.name]
    gain, bias, gear = (
        _rational(drive.gain),
        list(map(_rational, drive.bias)),
        list(map(_rational, drive.gear)),
    )
    found = [sp.Integer(0)] * len(tree.velocity_labels)
    if drive.site:
        site = outline.sites[drive.site]
        force = matrix_times(site.turn.matrix, drive.gear[:3])
        couple = matrix_times(site.turn.matrix, drive.gear[3:])
        entries = tree.tree.acting(site.link, force, couple, site.place)
        return [(gain * u + bias[0]) * entry for entry in entries]
    joint = names.joints[drive.joint]
    kind = outline.joints[drive.joint].kind
    places = tree.places(joint)
    if kind == "ball":
        torque = sp.Matrix(gear[:3])
        if drive.in_parent:
            rows = [list(vector.symbols) for vector in tree.tree.rows[tree.link_of[joint]].values()]
            torque = sp.Matrix(rows).T * torque
        for k, entry in zip(places, torque, strict=True):
            found[k] = (gain * u + bias[0]) * entry
        return found
    factor = numbers.entry(f"gear_{name}", drive.gear[0], "") if drive.gear[0] != 1 else sp.Integer(1)
    factor = _rational(factor) if not isinstance(factor, sp.Basic) else factor
    length = factor * tree.configuration.get(joint, sp.Integer(0))  # an angle that nothing depends on is none
    rate = factor * tree.velocities[places[0]]
    found[places[0]] = factor * (gain * u + bias[0] + bias[1] * length + bias[2] * rate)
    return found


def _rational(value: Any) -> sp.Expr:
    return expression(value, "a number of an actuator")
