"""Invariants, equilibria, linearisation, certificates and symbolic stability conditions."""

from geoctrl.analysis.attracted_set import AttractedSet
from geoctrl.analysis.attraction import region_of_attraction
from geoctrl.analysis.certificates import Certificate, certify
from geoctrl.analysis.condition_set import StabilityConditions
from geoctrl.analysis.conditions import stability_conditions
from geoctrl.analysis.controllability import Controllability, Observability
from geoctrl.analysis.darboux import DarbouxPolynomial
from geoctrl.analysis.discovery import DiscoveredInvariants, Invariant, discover_invariants
from geoctrl.analysis.energy_set import RegionOfAttraction
from geoctrl.analysis.equilibria import find_equilibrium
from geoctrl.analysis.held import HeldLinearization, linearize_held
from geoctrl.analysis.hold_bracket import HoldBracket
from geoctrl.analysis.invariants import InvariantProof, check_invariant
from geoctrl.analysis.linearization import Linearization, linearize
from geoctrl.analysis.region import StabilityMap, certify_region

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
