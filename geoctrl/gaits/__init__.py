"""Gaits of the shape that move the group as far as they can."""

from geoctrl.gaits.best_gait import BestGait
from geoctrl.gaits.optimal_gait import optimal_gait

__all__ = ["BestGait", "optimal_gait"]
