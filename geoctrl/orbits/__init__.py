"""Relative periodic orbits, their multipliers counted and named, and Poincare sections."""

from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.orbits.search import find_periodic
from geoctrl.orbits.sections import PoincareSection, poincare_section

__all__ = ["PeriodicOrbit", "PoincareSection", "find_periodic", "poincare_section"]
