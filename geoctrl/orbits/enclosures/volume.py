"""Mechanisms of which the flow keeps a volume, by what they are made of."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import sympy as sp

from geoctrl.algebra import AdvectedVector
from geoctrl.systems.equations.mechanism import Mechanism

__all__ = ["canonical"]

_ABSENT = [
    "constraints",
    "frame",
    "rotors",
    "controller",
    "feedback",
    "friction",
    "quasicoordinates",
    "seen_from",
]
"""Parts with which the equations are not those of a Lagrangian on the group alone."""


def canonical(mechanism: Mechanism, idle: bool = False) -> bool:
    r"""Whether the equations are Hamiltonian with :math:`\operatorname{div} = 0` in the momenta.

    With momenta :math:`p = M w + a` the equations are :math:`\dot z = J(z)\,\partial h` with the Lie-Poisson
    tensor of the algebra and of the vectors that it turns, beside the canonical one of the coordinates. Its
    divergence :math:`\partial_i J_{ij}` is a trace of ad, and one of rotations, which is zero. In the
    velocities det M is the density that is kept; for groups alone it is V. V. Kozlov, Funct. Anal. Appl. 22
    (1988), 58-59. Forces that vanish without inputs are left out: ``idle`` says that there are none.
    """
    if any(getattr(mechanism, part) for part in _ABSENT) or mechanism.view_of is not None:
        return False
    if mechanism.forces is not None:
        none = dict.fromkeys(mechanism.inputs, sp.S.Zero) if idle else {}
        if any(force.xreplace(none) != 0 for force in mechanism.forces):
            return False
    if not all(isinstance(a, AdvectedVector) for a in mechanism.advected):
        return False
    traces: dict[int, Fraction] = defaultdict(Fraction)
    for i, j, k, c in mechanism.algebra.brackets:
        if j == k:
            traces[i] += c
    return not any(traces.values())
