"""Branches of relative equilibria: followed, their changes located and bracketed by proofs."""

from geoctrl.continuation.branch import Branch, Change
from geoctrl.continuation.folds import TurningPoint
from geoctrl.continuation.following import follow

__all__ = ["Branch", "Change", "TurningPoint", "follow"]
