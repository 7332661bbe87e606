"""Pendulum on a cart, on flat ground or on an incline."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import flag
from geoctrl.algebra import Coordinate, rn
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Block, Ellipsoid, Rod, Solid

__all__ = ["cart_pendulum"]


def cart_pendulum(incline: bool = False) -> EulerPoincare:
    r"""Cart on a line, driven by the force u along it, with a pendulum whose angle phi is zero upright.

    .. math::
        L = \tfrac12 (M + m)\dot x^2 + m l \cos(\phi + \alpha)\,\dot x \dot\phi
        + \tfrac12 m l^2 \dot\phi^2 - m g l \cos\phi - (M + m) g x \sin\alpha

    On flat ground (alpha = 0) nothing depends on the place of the cart: x_dot is the velocity of a group, and
    the states are x_dot, phi_dot, phi. On an incline x, uphill, is a coordinate as phi is.

    Families "upright" and "hanging"; on an incline at the place x0, held by u = (M + m) g sin(alpha).

    Parameters
    ----------
    incline : bool
        Whether the line rises at the angle alpha.
    """
    phi = Coordinate("phi", angle=True, description="angle of the pendulum from the upward vertical")
    x = Coordinate("x", "m", description="place of the cart, uphill")
    parameters = [
        Parameter("M", 0.44, "kg", "mass of the cart", positive=True),
        Parameter("m", 0.14, "kg", "mass of the pendulum's bob", positive=True),
        Parameter("l", 0.215, "m", "length of the pendulum", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    ]
    M, m, l, g = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    slope = place = weight = sp.Integer(0)
    symbols: list[sp.Symbol] = []
    if flag("incline", incline):
        parameters.append(Parameter("alpha", 0.3, "rad", "angle of the line with the horizontal"))
        slope = parameters[-1].symbol
        place, weight = x.symbol, (M + m) * g * sp.sin(slope)
        symbols = [sp.Symbol("x0", real=True)]

    def family_at(angle: sp.Expr) -> Family:
        if not symbols:
            return Family({"phi": angle})
        return Family({"x": symbols[0], "phi": angle}, symbols=symbols, inputs={"u": weight})

    v, turn, angle = x.rate, phi.rate, phi.symbol
    kinetic = ((M + m) * v**2 + m * l**2 * turn**2) / 2 + m * l * sp.cos(angle + slope) * v * turn
    cart = Solid("cart", [Block((l, l / 2, l / 3), at=(0, 0, -l / 6))])
    rod = Solid(
        "pendulum", [Rod((0, 0, 0), (0, 0, l)), Ellipsoid(l / 4, at=(0, 0, l))], turns=[((0, 1, 0), angle)]
    )
    return EulerPoincare(
        algebra=None if symbols else rn(1).relabelled([x.rate_label], ["p_x"]),  # type: ignore[arg-type]
        shape=[x, phi] if symbols else [phi],
        lagrangian=kinetic - m * g * l * sp.cos(angle) - weight * place,
        forces=[sp.Symbol("u", real=True), 0],
        inputs=["u"],
        equilibria={"upright": family_at(sp.Integer(0)), "hanging": family_at(sp.pi)},
        parameters=parameters,
        source=(
            "A. M. Bloch, N. E. Leonard and J. E. Marsden, Controlled Lagrangians and the stabilization of "
            "mechanical systems I, IEEE Transactions on Automatic Control 45 (2000); incline: A. M. Bloch, "
            "D. E. Chang, N. E. Leonard and J. E. Marsden, II, the same 46 (2001)"
        ),
        picture=() if symbols else (cart, rod),
        name="cart-pendulum",
    )
