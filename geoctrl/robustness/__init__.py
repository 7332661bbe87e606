"""How much a controller tolerates of what a model leaves out."""

from geoctrl.robustness.report import RobustnessReport, RobustnessRow
from geoctrl.robustness.search import robustness

__all__ = ["RobustnessReport", "RobustnessRow", "robustness"]
