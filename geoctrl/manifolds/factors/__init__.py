r"""Factors of a configuration space: a place in R^3, a direction on S^2, an attitude in SO(3).

A factor has rows of three numbers (a place x, a direction q, the three rows of an attitude R) and a velocity
of three. What is the same for all of them is asked of a factor, of stacks of its kind at once: arrays
``z (..., rows, 3)`` and ``w (..., 3)``.

================  =====================================  =========================  =====================
factor            rate                                   velocity                   tangent vectors
================  =====================================  =========================  =====================
`Place`           :math:`\dot x = v`                     of the reference (m/s)     all, or given axes
`Direction`       :math:`\dot q = \omega \times q`       in space, orthogonal to q  :math:`\eta \times q`
`Attitude`        :math:`\dot R = R \hat\Omega`          in the body (rad/s)        :math:`R \hat\eta`
================  =====================================  =========================  =====================
"""

from geoctrl.manifolds.factors.attitude import Attitude
from geoctrl.manifolds.factors.direction import Direction, lengths_of
from geoctrl.manifolds.factors.factor import Factor, bodies_alike, symbols_of_bodies
from geoctrl.manifolds.factors.place import Place

__all__ = ["Attitude", "Direction", "Factor", "Place", "bodies_alike", "lengths_of", "symbols_of_bodies"]
