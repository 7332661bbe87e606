"""Relative periodic orbits, their multipliers counted and named, their enclosures, and Poincare sections."""

from geoctrl.orbits.enclosures.enclosed_orbit import Enclosed, OrbitEnclosure
from geoctrl.orbits.multiple_shooting import find_periodic
from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.orbits.poincare_sections import PoincareSection, poincare_section

__all__ = [
    "Enclosed",
    "OrbitEnclosure",
    "PeriodicOrbit",
    "PoincareSection",
    "find_periodic",
    "poincare_section",
]
