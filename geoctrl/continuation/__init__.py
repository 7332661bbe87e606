"""Branches of relative equilibria: followed, their changes located and bracketed by proofs."""

from geoctrl.continuation.branch import Branch, Change
from geoctrl.continuation.folds import TurningPoint
from geoctrl.continuation.following import follow
from geoctrl.continuation.normal_forms.hopf_normal_form import HopfNormalForm

__all__ = ["Branch", "Change", "HopfNormalForm", "TurningPoint", "follow"]
