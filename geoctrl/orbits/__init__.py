"""Relative periodic orbits, their multipliers, enclosures, Poincare sections; proved catches."""

from geoctrl.orbits.branches.orbit_branch import OrbitBranch, OrbitChange
from geoctrl.orbits.catches.proved_catch import ProvedCatch, prove_catch
from geoctrl.orbits.enclosures.enclosed_orbit import Enclosed, OrbitEnclosure
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.multiple_shooting import find_periodic
from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.orbits.phases.hybrid_enclosure import HybridOrbitEnclosure
from geoctrl.orbits.poincare_sections import PoincareSection, poincare_section

__all__ = [
    "Enclosed",
    "HybridOrbit",
    "HybridOrbitEnclosure",
    "OrbitBranch",
    "OrbitChange",
    "OrbitEnclosure",
    "PeriodicOrbit",
    "PoincareSection",
    "ProvedCatch",
    "find_periodic",
    "poincare_section",
    "prove_catch",
]
