r"""A reference frame that moves along with a constant velocity: straight flights, climbing turns.

With places and their velocities taken beside the frame's, :math:`x = y + V t` and :math:`v = w + V` in the
axes of the frame, :math:`\dot y = w - W \times y` is what it is without V where V lies along the rate W. What
is added to the Lagrangian has no equation of motion where the inertia G of the rates is constant,
:math:`V \cdot G u + \tfrac12 V \cdot G V` with :math:`G V`, for each vector of the configuration, along W;
nor has what is added to the potential, where moving all places by V changes it by a constant. Forces are felt
with the velocities in space: :math:`f(v) = f(w + V)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl.errors import DescriptionError
from geoctrl.manifolds.factors import Place
from geoctrl.manifolds.vectors.calculus import gradient, rational
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["forces_in_frame", "forces_of_loop", "name_with_frame", "require_moving"]


def forces_in_frame(system: Any, forces: Any) -> Any:
    """Forces as functions of velocities beside those of the frame; as they are where it stands still."""
    table = _velocities_beside(system, 1)
    if not table or forces is None:
        return forces
    if callable(forces):
        raise DescriptionError(
            "frame_velocity needs forces that are expressions: a function is not seen to take the velocities "
            "in space; give expressions, or describe the system in axes that stand still"
        )
    return tuple(f.xreplace(table) for f in forces)


def forces_of_loop(system: Any, terms: Sequence[sp.Expr]) -> list[sp.Matrix]:
    """Forces of velocities in space, with laws in states of the frame in place of all inputs."""
    table = _velocities_beside(system, -1)
    laws = [rational(e).xreplace(table) if table else e for e in terms]
    acting = dict(zip(system.inputs, laws, strict=True))
    return [f.xreplace(acting) for f in system.forces_in_space]


def _velocities_beside(system: Any, sign: int) -> dict[sp.Symbol, sp.Expr]:
    """Velocities of all places with those of the frame added or taken away."""
    V = system.frame_velocity
    if V is None:
        return {}
    pairs = [(s, v) for f in _places(system) for s, v in zip(f.velocity, rational(V), strict=True)]
    return {s: s + sign * v for s, v in pairs if v != 0}


def _places(system: Any) -> list[Place]:
    return [f for f in system.product.factors if isinstance(f, Place)]


def require_moving(system: Any) -> None:
    """DescriptionError where a frame that moves so would see other equations."""
    if system.frame_velocity is None:
        return
    V, W = rational(system.frame_velocity), rational(system.frame_rate or sp.zeros(3, 1))
    if not _places(system):
        raise DescriptionError("frame_velocity moves places, and this system has none")
    if not _are_zero(V.cross(W)):
        raise DescriptionError(
            "frame_velocity must lie along frame_rate: any other velocity is a turn about an axis somewhere "
            "else; take the origin on that axis"
        )
    for f in _places(system):
        if not _are_zero(n.dot(V) for n in sp.Matrix(f.exact_axes).nullspace()):
            raise DescriptionError(
                f"{f.name} is held to a line or plane that frame_velocity leaves; take a velocity along it"
            )
    _require_same_inertia(system, V, W)
    _require_same_potential(system, V)
    if (
        system.driven
        and system.forces_given
        and not _are_zero(_changes_along(system, system.forces_given, V))
    ):
        raise DescriptionError(
            "the forces depend on where places are along frame_velocity, so that they would change with time "
            "in a frame that moves so"
        )


def _require_same_inertia(system: Any, V: sp.Matrix, W: sp.Matrix) -> None:
    """V.G u has no equation of motion."""
    kinetic, product = system.kinetic, system.product
    if kinetic.varies or kinetic.linear:
        raise DescriptionError(
            "frame_velocity needs a kinetic energy of constant inertia in the rates; describe the system in "
            "axes that do not move along"
        )
    rows = {3 * int(first) + k: V[k] for f, first in zip(product.factors, product.first, strict=True)
            for k in range(3) if isinstance(f, Place)}  # fmt: skip
    covector = [sp.S.Zero] * (3 * product.rows)
    for (i, j), g in kinetic.G.items():
        covector[i] += g * rows.get(j, 0)
    if not _are_zero(e for r in range(product.rows) for e in sp.Matrix(covector[3 * r : 3 * r + 3]).cross(W)):
        raise DescriptionError(
            "the inertia is not the same about the axis of frame_rate, so that a frame which moves along it "
            "would see other equations"
        )


def _require_same_potential(system: Any, V: sp.Matrix) -> None:
    """Its change along V is a constant."""
    if system.computed:
        raise DescriptionError(
            "frame_velocity needs a potential that is an expression: of a function nothing proves that it is "
            "the same further on"
        )
    (change,) = _changes_along(system, [[system.potential_expression]], V)
    if not _are_zero(sp.diff(change, s) for s in system.configuration_symbols):
        raise DescriptionError(
            "the potential is not proved to be the same, but for a constant, where all places are moved by "
            "frame_velocity: it would change with time in a frame that moves so"
        )


def _changes_along(system: Any, vectors: Any, V: sp.Matrix) -> list[sp.Expr]:
    """Derivatives of entries as all places are moved by V."""
    return [
        sp.expand(sum((gradient(e, f.z).dot(V) for f in _places(system)), sp.S.Zero))
        for vector in vectors
        for e in map(rational, vector)
    ]


def _are_zero(expressions: Any) -> bool:
    return all(sp.expand(e) == 0 for e in expressions)


def name_with_frame(system: Any) -> str:
    """The name of a system, and from which frame it is seen, unless that stands still; in numbers of the
    system, as all of a claim is.
    """
    frame = (("turns at", system.frame_rate), ("moves at", system.frame_velocity))
    told = [
        f"{words} ({', '.join(map(expression_text, rational(given)))})"
        for words, given in frame
        if given is not None and any(given)
    ]
    return f"{system.name or 'system'}, seen from a frame that {' and '.join(told)}" if told else system.name
