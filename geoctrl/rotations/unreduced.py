r"""A mechanism of Euler-Poincare equations on :math:`SO(3)^n`, its attitudes not reduced.

Advected vectors are directions of the reference seen from a body, :math:`\Gamma = R_i^T \gamma`; put in, the
reduced Lagrangian

.. math:: \ell = \tfrac12 \sum_i \Omega_i \cdot J_i \Omega_i + A(\Gamma) \cdot \Omega - U(\Gamma)

is one of attitudes, with the linear terms :math:`a_i = A_i` and the same parameters.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from geoctrl.algebra import AdvectedVector
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.description.kept_along_runs import QUANTITIES
from geoctrl.rotations.attitudes import symbols
from geoctrl.systems import EulerPoincare, as_mechanism

__all__ = ["arguments_of"]


def arguments_of(mechanism: Any) -> dict[str, Any]:
    """What a `RotationSystem` is made of, from the description of a mechanism."""
    m = as_mechanism(mechanism, "RotationSystem.of")
    n = len(m.algebra.factors)
    held = _obstacles(m)
    if held:
        raise DescriptionError(
            f"{m.name or 'the mechanism'} is no system of free attitudes: it has {', and '.join(held)}"
        )
    R, Omega = symbols(n)
    table: dict[Any, sp.Expr] = dict(zip(m.algebra.xi, (e for v in Omega for e in v), strict=True))
    for vector in _vectors(m):
        seen = R[vector.factor_index(m.algebra)].T * sp.Matrix(vector.reference)
        table |= dict(zip(vector.symbols, seen, strict=True))
    J = [m.inertia[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in range(n)]
    linear = None if m.gyroscopic is None else _bodies(m.gyroscopic.xreplace(table))
    still = linear or [sp.zeros(3, 1)] * n
    momenta = [M * v + a for M, v, a in zip(J, Omega, still, strict=True)]
    table |= dict(zip(m.algebra.mu, (e for v in momenta for e in v), strict=True))
    return {
        "inertias": J,
        "potential": m.potential.xreplace(table),
        "linear": linear,
        "forces": None if m.acting is None else _bodies(m.acting.xreplace(table)),
        "inputs": m.inputs,
        "parameters": m.parameters,
        "invariants": {k: e.xreplace(table) for k, e in m.invariants.items() if k not in QUANTITIES},
        "name": m.name,
        "source": m.source,
    }


def _obstacles(m: EulerPoincare) -> list[str]:
    """What a mechanism has that attitudes alone do not move, in words."""
    n, free = len(m.algebra.factors), {p.symbol for p in m.parameters}
    blocks = sp.diag(*(m.inertia[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in range(n)))
    found = {
        f"the group of {m.algebra.name}": any(f.group != "so3" for f in m.algebra.factors),
        "constraints": m.constraints is not None,
        "rotors": m.rotors is not None,
        "a controller": bool(m.controller or m.feedback),
        "axes that move": bool(m.seen_from),
        "advected parameters that are no vectors": len(_vectors(m)) < len(m.advected),
        "an inertia that couples bodies": blocks.shape == m.inertia.shape
        and blocks != m.inertia.as_mutable(),
        "an inertia that depends on attitudes": bool(m.inertia.free_symbols - free),
    }
    return [words for words, holds in found.items() if holds]


def _vectors(m: EulerPoincare) -> list[AdvectedVector]:
    return [a for a in m.advected if isinstance(a, AdvectedVector)]


def _bodies(column: sp.Matrix) -> list[sp.Matrix]:
    return [sp.Matrix(column[i : i + 3]) for i in range(0, len(column), 3)]
