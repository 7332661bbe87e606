"""Matching, feedback laws and the choice of gains."""

from geoctrl.synthesis.branches import Branch
from geoctrl.synthesis.damping import DampedLaw
from geoctrl.synthesis.design import SigmaDesign
from geoctrl.synthesis.law import FeedbackLaw
from geoctrl.synthesis.matching import Matching, match
from geoctrl.synthesis.shaped import ShapedMatching
from geoctrl.synthesis.shaped_design import ShapedDesign
from geoctrl.synthesis.shaped_law import ShapedLaw

__all__ = [
    "Branch",
    "DampedLaw",
    "FeedbackLaw",
    "Matching",
    "ShapedDesign",
    "ShapedLaw",
    "ShapedMatching",
    "SigmaDesign",
    "match",
]
