"""SI units of states and inputs, where the description says what they are."""

from __future__ import annotations

import sympy as sp

from geoctrl.systems.mechanism import Mechanism

__all__ = ["input_units", "state_units"]

_FORCES = {"rad": "N m", "m": "N"}
"""Of a generalised force, by the unit of the coordinate along which it works."""
_POINTING = ("so3", "se3")


def state_units(mechanism: Mechanism) -> dict[str, str]:
    """Units by label of coordinates and their rates, rotor rates, and velocities of the standard groups.

    Frame velocities and advected components have none here: their units are the user's.
    """
    found = dict(_velocities(mechanism))
    for c in mechanism.shape:
        if c.unit:
            found |= {c.name: c.unit, c.rate_label: f"{c.unit}/s"}
    if mechanism.rotors is not None:
        found |= dict.fromkeys(mechanism.rotors.rate_labels, "rad/s")
    return found


def input_units(mechanism: Mechanism) -> dict[str, str]:
    """Units by label of rotor torques, and of inputs that are the force along one velocity of known unit."""
    units = state_units(mechanism)
    found: dict[str, str] = {}
    if mechanism.rotors is not None:
        found |= dict.fromkeys(mechanism.rotors.input_labels, "N m")
    if mechanism.forces is None:
        return found
    for u in mechanism.inputs:
        effects = [sp.diff(force, u) for force in mechanism.forces]
        along = [label for label, e in zip(mechanism.algebra.labels, effects, strict=True) if e != 0]
        if len(along) == 1 and sp.Integer(1) in effects:
            unit = _FORCES.get(units.get(along[0], "").removesuffix("/s"))
            if unit:
                found[str(u)] = unit
    return found


def _velocities(mechanism: Mechanism) -> dict[str, str]:
    """Of rotation and translation of a body, under the labels that these groups have."""
    group = mechanism.group
    if group is None or not {f.name for f in group.factors} & set(_POINTING):
        return {}
    kinds = {"Omega": "rad/s", "Y": "m/s"}
    parts = ((label, label.partition("_")[0].rstrip("0123456789")) for label in group.labels)
    return {label: kinds[stem] for label, stem in parts if stem in kinds}
