"""Relative periodic orbits: found by multiple shooting, their multipliers counted and named."""

from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.orbits.search import find_periodic

__all__ = ["PeriodicOrbit", "find_periodic"]
