"""Invariants, equilibria, linearisation, certificates and symbolic stability conditions."""

from geoctrl.analysis.certificates.certificates import Certificate, certify
from geoctrl.analysis.certificates.hold_bracket import HoldBracket
from geoctrl.analysis.certificates.sampled_loop import HeldLinearization, linearize_held
from geoctrl.analysis.conditions.conditions import stability_conditions
from geoctrl.analysis.conditions.conditions_result import StabilityConditions
from geoctrl.analysis.equilibria import find_equilibrium
from geoctrl.analysis.invariants.darboux import DarbouxPolynomial
from geoctrl.analysis.invariants.discovery import DiscoveredInvariants, Invariant, discover_invariants
from geoctrl.analysis.invariants.invariants import InvariantProof, check_invariant
from geoctrl.analysis.linear.controllability import Controllability, Observability
from geoctrl.analysis.linear.linearization import Linearization, linearize
from geoctrl.analysis.linear.many_linearizations import ManyLinearizations, linearize_many
from geoctrl.analysis.maps.stability_map import StabilityMap, certify_region
from geoctrl.analysis.maps.stability_over_box import BoxCertificate
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.energy_set import RegionOfAttraction
from geoctrl.analysis.regions.region_of_attraction import region_of_attraction
from geoctrl.analysis.schedules.moving_bound import MovingBound, bound_while_moving
from geoctrl.analysis.schedules.piecewise_map import PiecewiseMap

__all__ = [
    "AttractedSet",
    "BoxCertificate",
    "Certificate",
    "Controllability",
    "DarbouxPolynomial",
    "DiscoveredInvariants",
    "HeldLinearization",
    "HoldBracket",
    "Invariant",
    "InvariantProof",
    "Linearization",
    "ManyLinearizations",
    "MovingBound",
    "Observability",
    "PiecewiseMap",
    "RegionOfAttraction",
    "StabilityConditions",
    "StabilityMap",
    "bound_while_moving",
    "certify",
    "certify_region",
    "check_invariant",
    "discover_invariants",
    "find_equilibrium",
    "linearize",
    "linearize_held",
    "linearize_many",
    "region_of_attraction",
    "stability_conditions",
]
