"""Matching, feedback laws, linear laws and the choice of gains."""

from geoctrl.synthesis.export.linear_estimator import LinearEstimator
from geoctrl.synthesis.gains.design import SigmaDesign
from geoctrl.synthesis.gains.motor import RecommendedGains
from geoctrl.synthesis.gains.shaped_design import ShapedDesign
from geoctrl.synthesis.linear.delayed_law import DelayedLaw
from geoctrl.synthesis.linear.estimators import OutputFeedback, SampledEstimator, lqe
from geoctrl.synthesis.linear.given_gains import linear_law
from geoctrl.synthesis.linear.linear_law import LinearLaw
from geoctrl.synthesis.linear.manifold_law import ManifoldLaw
from geoctrl.synthesis.linear.regulators import lqr, place
from geoctrl.synthesis.matching import Matching, match
from geoctrl.synthesis.periodic.held_cycle_file import HeldCycleEnclosure
from geoctrl.synthesis.periodic.periodic_law import PeriodicLaw
from geoctrl.synthesis.rotors.damped_energy import ModifiedEnergy
from geoctrl.synthesis.rotors.damping import DampedLaw
from geoctrl.synthesis.rotors.feedback_law import FeedbackLaw
from geoctrl.synthesis.rotors.rank_branches import Branch
from geoctrl.synthesis.schedules.gain_schedule import GainSchedule
from geoctrl.synthesis.schedules.schedule_along import schedule
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.synthesis.shaped_matching import ShapedMatching
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.matching_class import Shaping
from geoctrl.synthesis.shaping.performance import Performance
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.obstruction import Obstruction
from geoctrl.synthesis.swing_up_by_energy import EnergyLaw, energy_law

__all__ = [
    "Branch",
    "Controlled",
    "DampedLaw",
    "DelayedLaw",
    "EnergyLaw",
    "FeedbackLaw",
    "GainSchedule",
    "HeldCycleEnclosure",
    "LinearEstimator",
    "LinearLaw",
    "ManifoldLaw",
    "Matching",
    "ModifiedEnergy",
    "Obstruction",
    "OutputFeedback",
    "Performance",
    "PeriodicLaw",
    "Plant",
    "RecommendedGains",
    "SampledEstimator",
    "ShapedDesign",
    "ShapedLaw",
    "ShapedMatching",
    "Shaping",
    "SigmaDesign",
    "energy_law",
    "linear_law",
    "lqe",
    "lqr",
    "match",
    "place",
    "schedule",
]
