"""Invariants, equilibria, linearisation, certificates and symbolic stability conditions."""

from geoctrl.analysis.certificates.certificates import Certificate, certify
from geoctrl.analysis.certificates.held import HeldLinearization, linearize_held
from geoctrl.analysis.certificates.hold_bracket import HoldBracket
from geoctrl.analysis.conditions.condition_set import StabilityConditions
from geoctrl.analysis.conditions.conditions import stability_conditions
from geoctrl.analysis.equilibria import find_equilibrium
from geoctrl.analysis.invariants.darboux import DarbouxPolynomial
from geoctrl.analysis.invariants.discovery import DiscoveredInvariants, Invariant, discover_invariants
from geoctrl.analysis.invariants.invariants import InvariantProof, check_invariant
from geoctrl.analysis.linear.controllability import Controllability, Observability
from geoctrl.analysis.linear.linearization import Linearization, linearize
from geoctrl.analysis.maps.region import StabilityMap, certify_region
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.attraction import region_of_attraction
from geoctrl.analysis.regions.energy_set import RegionOfAttraction

__all__ = [
    "AttractedSet",
    "Certificate",
    "Controllability",
    "DarbouxPolynomial",
    "DiscoveredInvariants",
    "HeldLinearization",
    "HoldBracket",
    "Invariant",
    "InvariantProof",
    "Linearization",
    "Observability",
    "RegionOfAttraction",
    "StabilityConditions",
    "StabilityMap",
    "certify",
    "certify_region",
    "check_invariant",
    "discover_invariants",
    "find_equilibrium",
    "linearize",
    "linearize_held",
    "region_of_attraction",
    "stability_conditions",
]
