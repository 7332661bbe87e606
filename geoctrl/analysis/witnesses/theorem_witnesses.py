"""What a file gives for its theorem, by the method of the proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.box_witnesses import in_balls
from geoctrl.analysis.witnesses.falling_witnesses import falling, growing
from geoctrl.analysis.witnesses.family_witnesses import drift, family
from geoctrl.analysis.witnesses.held_witnesses import held_loop
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, form_triangle, growing_form
from geoctrl.analysis.witnesses.orbit_witnesses import growth_across, orbit
from geoctrl.analysis.witnesses.point_witnesses import PointWitnesses
from geoctrl.analysis.witnesses.series_witnesses import (
    falling_lowest_form,
    focus,
    lowest_form,
    zero_root,
)
from geoctrl.analysis.witnesses.shape_witnesses import over_shape
from geoctrl.decisions.theorems.falling_decision import METHOD as FALLING
from geoctrl.decisions.theorems.family_decision import ATTRACTION, DRIFT
from geoctrl.decisions.theorems.focus_decision import METHOD as FOCUS
from geoctrl.decisions.theorems.growing_decision import METHOD as GROWING
from geoctrl.decisions.theorems.held_decision import FAMILY as FIXED_POINTS
from geoctrl.decisions.theorems.held_decision import METHOD, ON_LEVELS
from geoctrl.decisions.theorems.lowest_order import CRITICAL_CASE, FALLING_MINIMUM, MINIMUM
from geoctrl.decisions.theorems.orbit_decision import METHOD as ORBIT

__all__ = ["WitnessesOf", "theorem_of"]

Proof = dict[str, Any]
WitnessesOf = Callable[[PointWitnesses, Proof], dict[str, Any]]


def theorem_of(proof: Proof) -> WitnessesOf:
    """What gives the theorem of a proof with all that it needs; NotSolved where it has no witnesses."""
    if proof["method"] not in THEOREMS:
        raise NotSolved
    witnesses_of = THEOREMS[proof["method"]]
    return over_shape(witnesses_of) if proof["evidence"].get("shape_integrals") else witnesses_of


def spectrum(point: PointWitnesses, proof: Proof) -> dict[str, Any]:
    """A form that grows or falls on the tangents of the leaf and of levels."""
    unstable, levels = proof["verdict"] == "PROVED_UNSTABLE", proof["evidence"]["zero_modes"]
    # What grows needs no integrals over a shape.
    levels = [name for name in levels if not (unstable and name in point.gradients)]
    basis = point.basis([*proof["problem"]["leaf"], *levels])
    B = point.motion(basis)
    if unstable:
        m, P, v = growing_form(B)
        return {"name": "growth", **basis, "m": str(m), "P": form_triangle(P), "v": [str(c) for c in v]}
    return {"name": "attraction", **basis, "P": form_triangle(falling_form(B))}


def energy_casimir(point: PointWitnesses, proof: Proof) -> dict[str, Any]:
    """Multipliers of a combination that is definite on a common kernel."""
    multipliers = proof["evidence"]["multipliers"]
    sense = -1 if proof["evidence"]["inertia"][1] else 1
    basis = point.basis([*proof["problem"]["leaf"], *multipliers])
    return {"name": "energy-Casimir", **basis, "multipliers": multipliers, "sense": sense}


THEOREMS: dict[str, WitnessesOf] = {
    "spectrum": spectrum,
    "spectrum on the level sets of the invariants": spectrum,
    "energy-Casimir": energy_casimir,
    ATTRACTION: lambda point, _: family(point),
    DRIFT: lambda point, _: drift(point),
    MINIMUM: lowest_form,
    FALLING_MINIMUM: falling_lowest_form,
    CRITICAL_CASE: zero_root,
    FOCUS: focus,
    FALLING: falling,
    GROWING: growing,
    ORBIT: orbit,
    "spectrum modulo a group": growth_across,
    f"{FALLING} on the level sets of the invariants": falling,
    "spectrum in balls": in_balls,
    "spectrum in balls on the level sets of the invariants": in_balls,
    "energy-Casimir in balls": in_balls,
    f"{ATTRACTION} in balls": in_balls,
    METHOD: held_loop,
    ON_LEVELS: held_loop,
    FIXED_POINTS: held_loop,
}
