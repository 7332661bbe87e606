"""Invariants, equilibria, linearisation, certificates and symbolic stability conditions."""

from geoctrl.analysis.certificates import Certificate, certify
from geoctrl.analysis.conditions import StabilityConditions, stability_conditions
from geoctrl.analysis.equilibria import find_equilibrium
from geoctrl.analysis.held import HeldLinearization, linearize_held
from geoctrl.analysis.invariants import InvariantProof, check_invariant
from geoctrl.analysis.linearization import Linearization, linearize

__all__ = [
    "Certificate",
    "HeldLinearization",
    "InvariantProof",
    "Linearization",
    "StabilityConditions",
    "certify",
    "check_invariant",
    "find_equilibrium",
    "linearize",
    "linearize_held",
    "stability_conditions",
]
