"""Keyframes as numbers of states and inputs, and which of them are equilibria exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import sympy as sp

from geoctrl.robots.description.symbol_names import SymbolNames
from geoctrl.robots.description.symbols import TreeSymbols
from geoctrl.robots.outline.exact_vectors import matrix_times, transpose
from geoctrl.robots.outline.outline import Keyframe, RobotOutline
from geoctrl.systems import Family
from geoctrl.systems.trees.quaternions import turn

__all__ = ["keyframe_values", "resting_families"]

_QUARTER = sp.pi / 2
_NEAR = 1e-9
"""Angle (rad) within which a quarter turn is meant."""


def keyframe_values(
    key: Keyframe, outline: RobotOutline, names: SymbolNames, tree: TreeSymbols
) -> dict[str, sp.Expr]:
    """RobotNumbers of a keyframe by label of state or input; quarter turns exactly."""
    found: dict[str, sp.Expr] = {}
    for joint in outline.joints.values():
        name = names.joints[joint.name]
        if joint.kind == "planar":
            continue
        q, v = key.coordinates[joint.name], key.rates[joint.name]
        if joint.kind in ("hinge", "slide"):
            found[name] = _angle(q[0]) if joint.kind == "hinge" else _number(q[0])
            found[f"{name}_dot"] = _number(v[0])
            continue
        rows = [list(row) for row in turn(quaternion=q[-4:]).matrix]
        found |= tree.attitude_values(name, rows)
        turning = v[-3:]
        if joint.kind == "free":
            found |= tree.place_values(name, q[:3])
            found |= tree.velocity_values(name, [*turning, *matrix_times(transpose(rows), v[:3])])
        else:
            found |= tree.velocity_values(name, turning)
    if outline.planar_parts:
        found |= _planar_values(key, outline, names, tree)
    known = set(tree.labels)
    found = {label: value for label, value in found.items() if label in known}
    return found | {names.inputs[k]: _number(u) for k, u in key.inputs.items()}


def _planar_values(
    key: Keyframe, outline: RobotOutline, names: SymbolNames, tree: TreeSymbols
) -> dict[str, sp.Expr]:
    """Velocities of a planar base in its own axes."""
    x, y, yaw = outline.planar_parts
    angle = float(key.coordinates[yaw][0])
    c, s = Fraction(math.cos(angle)), Fraction(math.sin(angle))
    vx, vy = key.rates[x][0], key.rates[y][0]
    return tree.velocity_values(names.joints[yaw], [key.rates[yaw][0], c * vx + s * vy, c * vy - s * vx])


def _number(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


def _angle(value: Fraction) -> sp.Expr:
    quarters = round(float(value) / (math.pi / 2))
    if quarters and abs(float(value) - quarters * math.pi / 2) < _NEAR:
        return quarters * _QUARTER
    return _number(value)


def resting_families(
    keys: Mapping[str, Mapping[str, sp.Expr]], tree: TreeSymbols, forces: list[sp.Expr]
) -> dict[str, Family]:
    """Families of one member, of the keyframes that are equilibria exactly.

    A keyframe is one where the velocities are zero and, with its inputs, gravity, springs and forces add up
    to zero along every velocity.
    """
    inputs = {s.name for force in forces for s in force.free_symbols} - set(tree.labels)
    found = {}
    for name, values in keys.items():
        if any(values[label] != 0 for label in tree.velocity_labels):
            continue
        if _is_equilibrium(values, tree, forces):
            states = {k: v for k, v in values.items() if k in tree.labels and v != 0}
            used = {k: v for k, v in values.items() if k in inputs and v != 0}
            found[name] = Family(states, inputs=used)
    return found


def _is_equilibrium(values: Mapping[str, sp.Expr], tree: TreeSymbols, forces: list[sp.Expr]) -> bool:
    """Whether all forces at rest vanish: in doubles first, and then exactly."""
    numbers = {
        symbol: value for symbol in tree.symbols(forces) if (value := values.get(symbol.name)) is not None
    }
    acting = [force.subs(numbers, simultaneous=True) for force in forces]
    weights = tree.weights(values)
    defaults = tree.defaults
    near = np.array([complex((f + w).subs(defaults)) for f, w in zip(acting, weights, strict=True)])
    size = max((abs(complex(w.subs(defaults))) for w in (*weights, *acting)), default=0.0)
    if np.max(np.abs(near)) > _NEAR * size:
        return False
    return all(sp.expand(f + w) == 0 for f, w in zip(acting, weights, strict=True))
