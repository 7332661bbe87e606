"""What a system on a manifold is given, checked: symbols, gradients, inertia at the defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import require_declared
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.description.moving_frame import require_moving
from geoctrl.manifolds.factors import Place
from geoctrl.manifolds.vectors.calculus import rational
from geoctrl.manifolds.vectors.entries import check_gradient, examine_potential
from geoctrl.systems import time

__all__ = ["check_description", "check_gradients", "require"]

_SEED = 7
_ROUNDING = 1e-12
"""Of axes, which have unit length."""


def check_description(system: Any) -> None:
    """Refuse what a system is given if it cannot be read, in the order in which it is needed."""
    check_potential(system)
    check_lagrangian(system)
    check_holding(system)
    check_forces(system)
    require_moving(system)
    check_invariants(system)
    check_numbers(system)
    check_picture(system)


def require(what: str, values: Sequence[Any], allowed: set[Any]) -> None:
    """DescriptionError for symbols that are not ``allowed`` there."""
    remedy = (
        "take parameter.symbol, and the symbols of the bodies: what `symbols` of geoctrl.spheres or "
        "geoctrl.rotations gives, or z, rate and velocity of a factor"
    )
    require_declared(what, values, allowed, remedy)


def check_picture(system: Any) -> None:
    """Refuse a picture with poses in anything but configurations and parameters."""
    for body in system.own_arguments.get("picture", ()):
        known = system.configuration_symbols | system.parameter_symbols
        require(f"the pose of {body.name} in picture", body.expressions, known)
        lengths = [e for shape in body.shapes for e in shape.lengths]
        require(f"the shapes of {body.name} in picture", lengths, system.parameter_symbols)


def check_lagrangian(system: Any) -> None:
    """Refuse symbols and functions in the kinetic energy and the rate of the frame that are not known."""
    given = dict(system.kinetic.given)
    for name in ("frame_rate", "frame_velocity"):
        frame = getattr(system, name)
        given[name] = ([] if frame is None else [frame], set())
    for what, (values, symbols) in given.items():
        require(what, values, symbols | system.parameter_symbols)
    for expr in (e for values, _ in given.values() for M in values for e in flat(M)):
        system.lagrangian_node(expr)


def check_holding(system: Any) -> None:
    """Refuse lines and planes of places that a turning frame carries along.

    The velocity of such a place, an inertial one, would not be along its axes.
    """
    if system.frame_rate is None:
        return
    for f in system.product.factors:
        if isinstance(f, Place) and f.freedom < 3:
            axes = sp.Matrix(f.freedom, 3, [rational(float(e)) for e in f.axes.ravel()])
            turned = rational(system.frame_rate).hat() * axes.T
            left = [e for n in axes.nullspace() for e in (n.T * turned)]
            sizes = [abs(c) for e in left for c in sp.expand(e).as_coefficients_dict().values()]
            if any(size > _ROUNDING for size in sizes):
                raise DescriptionError(
                    f"{f.name} is held to a line or plane that the turning frame would carry along, so that "
                    "its inertial velocity leaves it; take axes that frame_rate leaves in place, or hold it "
                    "by a potential"
                )


def flat(value: Any) -> list[Any]:
    """The entries of a matrix, or an expression alone."""
    return list(value) if isinstance(value, sp.MatrixBase) else [value]


def check_numbers(system: Any) -> None:
    """Check inertia and gradient at the defaults, where all parameters have one."""
    if any(v is None for v in system.params.values()):
        return
    params = system.parameters_at(None)
    system.inertia_at(params)
    if system.computed:
        values = np.array(list(params.values()), dtype=float)
        place = system.product.generic(_SEED)[0].reshape(system.shape)
        examine_potential(system.potential_given, system.gradient_given, place, values)
        check_gradients(
            system,
            lambda place: system.potential_given(place, values),
            lambda place: system.gradient_given(place, values),
            seeds=(_SEED,),
        )


def check_gradients(system: Any, potential: Callable, gradient: Callable, seeds: Sequence[int]) -> bool:
    """Whether potential and gradient, functions of the configuration, could be compared and agree."""
    states = [system.product.generic(seed) for seed in seeds]
    pairs = [(z, system.product.rates(z, w)) for z, w in states]
    compared = [
        check_gradient(potential, gradient, z.reshape(system.shape), v.reshape(system.shape))
        for z, v in pairs
    ]
    return any(compared)


def check_invariants(system: Any) -> None:
    """Refuse declared invariants that cannot be read, or go by names that are taken."""
    taken = set(system.quantity_names) & set(system.invariants_given)
    if taken:
        raise DescriptionError(f"the system has {', '.join(sorted(taken))} of its own: choose another name")
    if not system.invariants_given:
        return
    known = system.parameter_symbols | set(system.states)
    require("invariants", list(system.invariants_given.values()), known)
    for name, expr in system.invariants_given.items():
        if expr.has(sp.sign, sp.Piecewise):
            raise DescriptionError(f"invariant {name!r} may jump; write it without sign and Piecewise")
        system.to_node(expr)


def check_potential(system: Any) -> None:
    """Refuse symbols and functions in the terms of the potential that are not known."""
    for term in system.potential_terms:
        require(term.what, [term.small.expr], term.own_symbols | system.parameter_symbols)
        term.small.nodes(system)


def check_forces(system: Any) -> None:
    """Refuse symbols and functions in the forces that are not known."""
    if system.has_forces and not callable(system.forces_given):
        known = system.parameter_symbols | set(system.states) | set(system.driven) | {time}
        require("forces", system.forces_given, known)
        for expr in (e for f in system.forces_given for e in f):
            system.to_node(expr)
