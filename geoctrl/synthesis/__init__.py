"""Matching, feedback laws, linear laws and the choice of gains."""

from geoctrl.synthesis.branches import Branch
from geoctrl.synthesis.controlled import Controlled
from geoctrl.synthesis.damped_energy import ModifiedEnergy
from geoctrl.synthesis.damping import DampedLaw
from geoctrl.synthesis.design import SigmaDesign
from geoctrl.synthesis.law import FeedbackLaw
from geoctrl.synthesis.linear_estimator import LinearEstimator
from geoctrl.synthesis.linear_law import LinearLaw
from geoctrl.synthesis.matching import Matching, match
from geoctrl.synthesis.motor import RecommendedGains
from geoctrl.synthesis.obstruction import Obstruction
from geoctrl.synthesis.performance import Performance
from geoctrl.synthesis.plant import Plant
from geoctrl.synthesis.regulators import lqe, lqr, place
from geoctrl.synthesis.shaped import ShapedMatching
from geoctrl.synthesis.shaped_design import ShapedDesign
from geoctrl.synthesis.shaped_law import ShapedLaw
from geoctrl.synthesis.shaping import Shaping

__all__ = [
    "Branch",
    "Controlled",
    "DampedLaw",
    "FeedbackLaw",
    "LinearEstimator",
    "LinearLaw",
    "Matching",
    "ModifiedEnergy",
    "Obstruction",
    "Performance",
    "Plant",
    "RecommendedGains",
    "ShapedDesign",
    "ShapedLaw",
    "ShapedMatching",
    "Shaping",
    "SigmaDesign",
    "lqe",
    "lqr",
    "match",
    "place",
]
