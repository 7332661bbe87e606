r"""Where a mechanism is, as it is seen from a motion along its group that goes on for ever.

A reference :math:`g_d = \exp(t\,\xi_d)` leaves the error :math:`e = g_d^{-1} g`, :math:`\dot e = e\,\hat\xi -
\hat\xi_d\,e`. In the plane, with the angle :math:`\phi` and the place p of e, in axes that turn with the rate
:math:`\omega_d` and of which the origin moves with the velocity :math:`Y_d`,

.. math:: \dot\phi = \Omega - \omega_d, \qquad \dot p = R(\phi)\, Y - Y_d - \omega_d\, (-p_2, p_1),

and along lines :math:`\dot p = Y - Y_d`. Neither holds the time.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from geoctrl._checks import require_declared
from geoctrl._scalars import expression, shown
from geoctrl.algebra.representation.factor import AlgebraFactor
from geoctrl.errors import DescriptionError, InputError
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["seen_from_reference"]

_PLACES = {"so2": 0, "se2": 2}


def seen_from_reference(mechanism: Any, frame_rate: Any, frame_velocity: Any, of: Any) -> dict[str, Any]:
    """What a description changes with the error among its states, by keyword."""
    factor = _factor(mechanism, of)
    count = _PLACES.get(str(factor.group), factor.size)
    W = expression(frame_rate, "frame_rate")
    V = _velocity([0] * count if frame_velocity is None else frame_velocity, count, factor)
    remedy = "a reference goes on with a constant velocity: numbers and parameters"
    known = {p.symbol for p in mechanism.parameters}
    require_declared("frame_rate", [W], known, remedy)
    require_declared("frame_velocity", V, known, remedy)
    if factor.group == "rn" and W != 0:
        raise InputError("frame_rate turns a frame, and R^n has no turns; give frame_velocity alone")
    rates = _rates(mechanism.algebra.xi[factor.xi_slice], factor, W, V, f"_{of}" if of > 1 else "")
    moving = [f"turns at {expression_text(W)}"] if W != 0 else []
    moving += [f"moves at ({', '.join(map(expression_text, V))})"] if any(V) else []
    frame = f"a frame that {' and '.join(moving)}" if moving else "a frame at rest"
    name = f"{mechanism.name or 'system'}, seen from {frame}"
    return {
        "controller": {**mechanism.controller, **rates},
        "equilibria": {},
        "parameter_sets": {},
        "name": name,
    }


def _factor(mechanism: Any, of: Any) -> AlgebraFactor:
    factors = mechanism.algebra.factors
    if isinstance(of, bool) or not isinstance(of, int) or not 1 <= of <= len(factors):
        raise InputError(
            f"of must be the number of a factor of the group, 1 to {len(factors)}, got {shown(of)}"
        )
    factor = factors[of - 1]
    if factor.group not in ("so2", "se2", "rn"):
        raise DescriptionError(
            f"factor {of} ({factor.name}) has attitudes in space, of which no three numbers are states "
            "everywhere; describe it as a product, gc.manifolds.ProductSystem of Attitude and Place, which "
            "takes frame_rate= and frame_velocity="
        )
    return factor


def _velocity(given: Any, count: int, factor: AlgebraFactor) -> list[sp.Expr]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or len(given) != count:
        raise InputError(f"frame_velocity must have {count} entries for {factor.name}, got {shown(given)}")
    return [expression(e, "frame_velocity") for e in given]


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
