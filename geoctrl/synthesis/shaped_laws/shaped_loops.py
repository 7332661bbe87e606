"""What a loop of a controlled Lagrangian keeps of its plant: families that the law holds, and the domain."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl.synthesis.shaped_laws.shaped_damping import inertia_at_rest
from geoctrl.synthesis.shaping.controlled import Controlled
from geoctrl.synthesis.shaping.performance import EDGE
from geoctrl.systems import Family

__all__ = ["held_families", "regular_domain"]

_DETERMINANT = 3.0
"""Seconds for det Gc."""


def regular_domain(made: Controlled) -> dict[str, Any]:
    """That of the plant, and the side of the singularities of Gc on which the reference is."""
    plant, mechanism = made.plant, made.mechanism
    domain, moving = dict(plant.mechanism.domain), set(mechanism.configuration_symbols)
    inertia = inertia_at_rest(made)
    E = plant.frame.matrix
    reduced = E.T * mechanism.inertia * E
    if inertia is None or not reduced.free_symbols & moving:
        return domain
    det = Budget(_DETERMINANT).attempt("det Gc", lambda: reduced.det(method="berkowitz"), None)
    if det is None or not det.free_symbols & moving:
        return domain
    sign = int(np.sign(np.linalg.det(inertia)))
    references = zip(mechanism.configuration_symbols, map(sp.Rational, mechanism.reference), strict=True)
    rest = det.subs(dict(references))
    edge = rest * sp.Rational(EDGE)
    return domain | {"where the law is regular": sign * (det - edge) > 0} if sign else domain


def held_families(made: Controlled) -> dict[str, Family]:
    """Those of the plant that the law holds: without inputs, at rest at home where it holds positions.

    Symbols of a family that would ask for an input, or for an actuated position or its rate, are zero.
    """
    plant = made.plant
    held = {plant.mechanism.algebra.labels[i] for i in plant.driven}
    held |= {c.name for c in plant.mechanism.shape if c.rate_label in held}
    if not made.holds_positions:
        held = set()
    found = {}
    for name, f in plant.mechanism.equilibria.items():
        asked = [e for label, e in f.states.items() if label in held]
        asked += [e for e in f.inputs.values() if e.free_symbols & set(f.symbols)]
        none = {s: 0 for e in asked for s in e.free_symbols & set(f.symbols)}
        if all(e.subs(none) == 0 for e in asked):
            states = {label: e.subs(none) for label, e in f.states.items()}
            left = [s for s in f.symbols if s not in none]
            found[name] = Family(states, left, relations=[e.subs(none) for e in f.relations])
    return found
