r"""Where a mechanism is, as it is seen from a motion along its group that goes on for ever.

A reference :math:`g_d = \exp(t\,\xi_d)` leaves the error :math:`e = g_d^{-1} g`, :math:`\dot e = e\,\hat\xi -
\hat\xi_d\,e`. In the plane, with the angle :math:`\phi` and the place p of e, in axes that turn with the rate
:math:`\omega_d` and of which the origin moves with the velocity :math:`Y_d`,

.. math:: \dot\phi = \Omega - \omega_d, \qquad \dot p = R(\phi)\, Y - Y_d - \omega_d\, (-p_2, p_1),

and along lines :math:`\dot p = Y - Y_d`. In space, with the attitude E of e,

.. math:: \dot E = E\,\hat\Omega - \hat\omega_d\,E, \qquad \dot p = E\,Y - Y_d - \omega_d \times p.

None holds the time. Rows of E are vectors that the body carries along, :math:`r_i = E^T e_i`, and entries of
p heights along them, which drift by the frame's motion (`SteadyFrame`): what E keeps is of the leaf as
products of other vectors are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import require_declared
from geoctrl._scalars import expression, shown
from geoctrl.algebra import AdvectedParameter, AdvectedVector, Height, SteadyFrame
from geoctrl.algebra.representation.factor import AlgebraFactor
from geoctrl.errors import DescriptionError, InputError
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["frame_words", "seen_from_reference"]

_PLACES = {"so2": 0, "se2": 2, "so3": 0, "se3": 3}
_IN_SPACE = ("so3", "se3")


def seen_from_reference(mechanism: Any, frame_rate: Any, frame_velocity: Any, of: Any) -> dict[str, Any]:
    """What a description changes with the error among its states, by keyword."""
    factor = _factor(mechanism, of)
    count = _PLACES.get(str(factor.group), factor.size)
    W = _rate(frame_rate, factor)
    V = _velocity([0] * count if frame_velocity is None else frame_velocity, count, factor)
    remedy = "a reference goes on with a constant velocity: numbers and parameters"
    known = {p.symbol for p in mechanism.parameters}
    require_declared("frame_rate", W, known, remedy)
    require_declared("frame_velocity", V, known, remedy)
    if factor.group == "rn" and any(W):
        raise InputError("frame_rate turns a frame, and R^n has no turns; give frame_velocity alone")
    suffix = f"_{of}" if of > 1 else ""
    frame = SteadyFrame(_column(W), _column(V[:3]), of)
    for vector in [] if factor.spin is None else frame.vectors(mechanism.advected, mechanism.algebra):
        _require_still(vector, frame)
    if factor.group in _IN_SPACE:
        added = _in_space(mechanism, frame, suffix)
    else:
        rates = _rates(mechanism.algebra.xi[factor.xi_slice], factor, W[0], V, suffix)
        added = {"controller": {**mechanism.controller, **rates}}
    which = f"factor {of} " if mechanism.group and len(mechanism.group.factors) > 1 else ""
    return {
        **added,
        "equilibria": {},
        "parameter_sets": {},
        "name": f"{mechanism.name or 'system'}, {which}seen from {frame_words(W, V)}",
    }


def frame_words(rate: Sequence[sp.Expr], velocity: Sequence[sp.Expr]) -> str:
    """A frame by how it moves."""
    moving = [f"turns at {_velocity_text(rate)}"] if any(rate) else []
    moving += [f"moves at ({', '.join(map(expression_text, velocity))})"] if any(velocity) else []
    return f"a frame that {' and '.join(moving)}" if moving else "a frame at rest"


def _factor(mechanism: Any, of: Any) -> AlgebraFactor:
    factors = mechanism.algebra.factors
    if isinstance(of, bool) or not isinstance(of, int) or not 1 <= of <= len(factors):
        raise InputError(
            f"of must be the number of a factor of the group, 1 to {len(factors)}, got {shown(of)}"
        )
    factor = factors[of - 1]
    if factor.group not in (*_PLACES, "rn"):
        raise DescriptionError(
            f"factor {of} ({factor.name}) is known by its brackets alone, which tell no attitude and no "
            "place; so2, se2, so3, se3 and R^n have them"
        )
    if any(frame.of == of for frame in mechanism.seen_from):
        raise DescriptionError(
            f"factor {of} ({factor.name}) is seen from a frame already; take the mechanism before that"
        )
    return factor


def _rate(given: Any, factor: AlgebraFactor) -> list[sp.Expr]:
    """One entry of a plane or a line, three of space, where zero stands for all of them."""
    if factor.group not in _IN_SPACE:
        return [expression(given, "frame_rate")]
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        if given == 0 and not isinstance(given, bool):
            return [sp.S.Zero] * 3
    elif len(given) == 3:
        return [expression(e, "frame_rate") for e in given]
    raise InputError(f"frame_rate must have 3 entries for {factor.name}, got {shown(given)}")


def _velocity(given: Any, count: int, factor: AlgebraFactor) -> list[sp.Expr]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or len(given) != count:
        raise InputError(f"frame_velocity must have {count} entries for {factor.name}, got {shown(given)}")
    return [expression(e, "frame_velocity") for e in given]


def _velocity_text(rate: Sequence[sp.Expr]) -> str:
    texts = ", ".join(map(expression_text, rate))
    return texts if len(rate) == 1 else f"({texts})"


def _column(entries: Sequence[sp.Expr]) -> sp.ImmutableMatrix:
    """Three entries: a turn of the plane is about the third axis, and its places have none along it."""
    lacking = [0] * (3 - len(entries))
    return sp.ImmutableMatrix([*lacking, *entries] if len(entries) == 1 else [*entries, *lacking])


def _rates(xi: Any, factor: AlgebraFactor, W: sp.Expr, V: list[sp.Expr], suffix: str) -> dict[str, sp.Expr]:
    """Rates of the error by its labels."""
    place = [sp.Symbol(f"place_error{i}{suffix}", real=True) for i in range(1, len(V) + 1)]
    if factor.group == "rn":
        return {str(p): Y - v for p, Y, v in zip(place, xi, V, strict=True)}
    turn = sp.Symbol(f"turn_error{suffix}", real=True)
    rates = {str(turn): xi[0] - W}
    if place:
        c, s = sp.cos(turn), sp.sin(turn)
        rates[str(place[0])] = c * xi[1] - s * xi[2] - V[0] + W * place[1]
        rates[str(place[1])] = s * xi[1] + c * xi[2] - V[1] - W * place[0]
    return rates


# -- space ----------------------------------------------------------------------------------------


def _in_space(mechanism: Any, frame: SteadyFrame, suffix: str) -> dict[str, Any]:
    """Rows of E and entries of p that nothing carried along stands for yet, and the frame."""
    carried = list(mechanism.advected)
    vectors = frame.vectors(carried, mechanism.algebra)
    for parameter in (a for a in carried if isinstance(a, AdvectedParameter)):
        _require_same(parameter, mechanism, frame)
    for height in (a for a in carried if isinstance(a, Height) and a.along in vectors):
        _require_level(height, mechanism, frame)
    rows = frame.axes(vectors)
    for k in (k for k in range(3) if k not in rows):
        rows[k] = AdvectedVector(f"turn_error{suffix}{'_' * bool(suffix)}{k + 1}", sp.eye(3).row(k), frame.of)
        carried.append(rows[k])
    if mechanism.algebra.factors[frame.of - 1].velocity is not None:
        measured = {a.along for a in carried if isinstance(a, Height)}
        free = [k for k in range(3) if rows[k] not in measured]
        carried += [Height(f"place_error{k + 1}{suffix}", rows[k]) for k in free]
    # Products of the rows drift among themselves: they go before those of other vectors into the leaf.
    oblique = [v for v in vectors if v not in rows.values()]
    carried.sort(key=lambda a: getattr(a, "along", a) in oblique)
    return {"advected": carried, "seen_from": (*mechanism.seen_from, frame)}


def _require_still(vector: AdvectedVector, frame: SteadyFrame) -> None:
    if any(turned := frame.turning_rate(vector)):
        rate, fixed = _velocity_text(frame.rate), ", ".join(map(str, vector.reference))
        raise DescriptionError(
            f"the frame turns {vector.name}, which stands still in space: frame_rate x reference = {rate} "
            f"x ({fixed}) = {_velocity_text(turned)}, and the motion is no point of rest of equations that "
            f"hold {vector.name}; turn about it, or leave it out"
        )


def _require_same(parameter: AdvectedParameter, mechanism: Any, frame: SteadyFrame) -> None:
    """Refuse a parameter that the frame's motion changes, rho(xi_d) a != 0."""
    factor = mechanism.algebra.factors[frame.of - 1]
    velocity = [*frame.rate, *frame.velocity][: factor.size]
    rates = [sp.S.Zero] * parameter.dimension
    for i, j, k, value in parameter.action(mechanism.group):
        if factor.start <= j < factor.start + factor.size:
            rates[i] += sp.Rational(value) * velocity[j - factor.start] * sp.Rational(parameter.reference[k])
    if any(e.expand() != 0 for e in rates):
        raise DescriptionError(
            f"the frame's motion changes {parameter.name}, which stands still in space, at "
            f"{_velocity_text(rates)}, and the motion is no point of rest of equations that hold it; leave "
            "it out, or take a motion that keeps it"
        )


def _require_level(height: Height, mechanism: Any, frame: SteadyFrame) -> None:
    """Refuse a height that grows where it is more than a constant slope of the potential."""
    h, U = height.symbol, mechanism.potential
    if sp.Matrix(height.along.reference).dot(frame.velocity).expand() == 0:
        return
    moving = {*mechanism.configuration_symbols}
    grown = bool(sp.diff(U, h).free_symbols & moving) or bool(mechanism.jumps)
    if not grown:
        others = [a for a in mechanism.advected if a is not height]
        try:
            mechanism.replace(advected=others, potential=U.subs(h, 0))
        except DescriptionError:
            grown = True
    if grown:
        raise DescriptionError(
            f"the frame's motion changes {height.name} all the time, and more depends on it than a potential "
            f"with a constant slope; frame_velocity must be perpendicular to {height.along.name}"
        )
