"""How much a controller tolerates of what a model leaves out."""

from geoctrl.trials.report import RobustnessReport, RobustnessRow
from geoctrl.trials.tolerance_search import robustness

__all__ = ["RobustnessReport", "RobustnessRow", "robustness"]
