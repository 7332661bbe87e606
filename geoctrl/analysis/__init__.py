"""Invariants, equilibria, linearisation, certificates and symbolic stability conditions."""

from geoctrl._names import attributes

_HOME = {
    "AttractedSet": "geoctrl.analysis.regions.attracted_set",
    "BoxCertificate": "geoctrl.analysis.maps.stability_over_box",
    "Certificate": "geoctrl.analysis.certificates.certificates",
    "Controllability": "geoctrl.analysis.linear.controllability",
    "DarbouxPolynomial": "geoctrl.analysis.invariants.darboux",
    "DiscoveredInvariants": "geoctrl.analysis.invariants.discovery",
    "EquilibriaOverCells": "geoctrl.analysis.schedules.equilibria_over_cells",
    "HeldLinearization": "geoctrl.analysis.certificates.sampled_loop",
    "HoldBracket": "geoctrl.analysis.certificates.hold_bracket",
    "Invariant": "geoctrl.analysis.invariants.discovery",
    "InvariantProof": "geoctrl.analysis.invariants.invariants",
    "Linearization": "geoctrl.analysis.linear.linearization",
    "ManyLinearizations": "geoctrl.analysis.linear.many_linearizations",
    "MovingBound": "geoctrl.analysis.schedules.moving_bound",
    "Observability": "geoctrl.analysis.linear.controllability",
    "PiecewiseMap": "geoctrl.analysis.schedules.piecewise_map",
    "FamilyRegion": "geoctrl.analysis.regions.attracted_set",
    "RegionOfAttraction": "geoctrl.analysis.regions.energy_set",
    "StabilityConditions": "geoctrl.analysis.conditions.conditions_result",
    "StabilityMap": "geoctrl.analysis.maps.stability_map",
    "bound_while_moving": "geoctrl.analysis.schedules.moving_bound",
    "certify": "geoctrl.analysis.certificates.certificates",
    "certify_region": "geoctrl.analysis.maps.stability_map",
    "check_invariant": "geoctrl.analysis.invariants.invariants",
    "discover_invariants": "geoctrl.analysis.invariants.discovery",
    "find_equilibrium": "geoctrl.analysis.equilibria",
    "linearize": "geoctrl.analysis.linear.linearization",
    "linearize_held": "geoctrl.analysis.certificates.sampled_loop",
    "linearize_many": "geoctrl.analysis.linear.many_linearizations",
    "region_of_attraction": "geoctrl.analysis.regions.region_of_attraction",
    "stability_conditions": "geoctrl.analysis.conditions.conditions",
}
__all__ = sorted(_HOME)
__getattr__ = attributes(__name__, _HOME)
