"""Pendulums with one degree of freedom: on SO(2), and a rigid body on a hinge that is fixed in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import entries, require_choice
from geoctrl._scalars import exact, shown
from geoctrl.algebra import AdvectedVector, so2, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import LLM18, components, per_axis
from geoctrl.models.catalogue_solids import DARK, pointer
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Ellipsoid, Rod, Solid

__all__ = ["planar_pendulum", "rigid_body_planar_pendulum"]


def planar_pendulum() -> EulerPoincare:
    """Pendulum in a vertical plane, its centre of mass at l E1; Gamma is the downward vertical.

    ``J Omegadot = m g l Gamma2``, ``Gammadot = Gamma x Omega E3``. Families "hanging" and "inverted".
    """
    gamma = AdvectedVector("Gamma", reference=(1, 0, 0))
    parameters = (
        Parameter("m", 1.2, "kg", "mass", positive=True),
        Parameter("l", 0.7, "m", "distance from the pivot to the centre of mass", positive=True),
        Parameter("J", 0.8, "kg m^2", "moment of inertia about the pivot", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, l, J, g = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    return EulerPoincare(
        algebra=so2(),
        advected=[gamma],
        inertia=[[J]],
        potential=-m * g * l * gamma.symbols[0],
        equilibria={"hanging": Family({"Gamma1": 1}), "inverted": Family({"Gamma1": -1})},
        parameters=parameters,
        source=f"{LLM18}, problems 6.3 and 6.4",
        picture=[Solid("rod", [Rod((0, 0, 0), (l, 0, 0)), Ellipsoid(l / 4, at=(l, 0, 0))], up=(-1, 0, 0))],
        name="planar-pendulum",
    )


def rigid_body_planar_pendulum(group: str = "so3", axis: Sequence[int] = (3, 0, 4)) -> EulerPoincare:
    r"""Rigid body that turns about a hinge with the direction a, in the body as in space: R a = a.

    The origin is a point of the hinge, rho points from it to the centre of mass, the third axis of space
    is vertical. With the scalar rate omega and the attitude R,

    .. math::
        (a \cdot J a)\, \dot\omega = m g\, a \cdot (R^T e_3 \times \rho), \qquad \dot R = R\,\omega \hat a

    On SO(3) the constraint is ``a x Omega = 0``, omega is the quasivelocity and Gamma = R^T e3 keeps
    ``a . Gamma = a3``. On SO(2) the circle is that of Gamma's part perpendicular to a: C is the direction,
    seen from the body, that the perpendicular part of the vertical has in space,

    .. math:: \Gamma = a_3 a + C_1 (e_3 - a_3 a) + C_2\, (a \times e_3).

    Families "hanging" and "inverted": only ``a . (rho x Gamma) = 0`` is needed. They are exact where the
    distance of the centre of mass from the hinge times the sine of the hinge's inclination is rational,
    as it is by default.

    Parameters
    ----------
    group : {"so3", "so2"}
    axis : three rational numbers
        Direction of the hinge, of any length but neither zero nor vertical.
    """
    numbers = [exact(c, "an entry of axis", ParameterError) for c in entries("axis", axis, ParameterError)]
    if len(numbers) != 3 or numbers[:2] == [0, 0]:
        raise ParameterError(f"axis must be three numbers, neither zero nor vertical, got {shown(axis)}")
    require_choice("group", group, ("so3", "so2"), ParameterError)
    direction = sp.Matrix([sp.Rational(c.numerator, c.denominator) for c in numbers])
    moment = "principal moment of inertia {0} at the origin"
    component = "component {0} of the vector from hinge to centre of mass"
    parameters = (
        Parameter("m", 1.6, "kg", "mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        *per_axis("J", (0.5, 0.35, 0.7), "kg m^2", moment, positive=True),
        *per_axis("rho", (-0.25, 0.234375, 0.1875), "m", component),  # 25/64 m from the default hinge
    )
    m, g = (p.symbol for p in parameters[:2])
    J = sp.diag(*(p.symbol for p in parameters[2:5]))
    rho = sp.Matrix([p.symbol for p in parameters[5:]])
    a, e3 = direction / direction.norm(), sp.Matrix([0, 0, 1])
    across, sideways = e3 - a[2] * a, a.cross(e3)
    heights = sp.Matrix([rho.dot(across), rho.dot(sideways)])
    common: dict[str, Any] = dict(
        parameters=parameters,
        source=f"{LLM18}, sec. 6.6.4, problem 6.6",
        name="rigid-body-planar-pendulum",
    )
    places = {"hanging": -heights / heights.norm(), "inverted": heights / heights.norm()}
    half = sp.sqrt(rho.dot(rho))
    hung = [*pointer(rho), Rod(-half * a, half * a, half / 30, colour=DARK)]
    if group == "so2":
        circle = AdvectedVector("C", reference=(1, 0, 0))
        return EulerPoincare(
            algebra=so2(),
            advected=[circle],
            inertia=[[a.dot(J * a)]],
            potential=m * g * (a[2] * a.dot(rho) + heights.dot(circle.symbols[:2])),
            picture=[
                Solid("body", hung, of=None, turns=[(a, sp.atan2(-circle.symbols[1], circle.symbols[0]))])
            ],
            equilibria={k: Family({"C1": c[0], "C2": c[1]}) for k, c in places.items()},
            **common,
        )
    algebra, gamma = so3(), AdvectedVector("Gamma", reference=(0, 0, 1))
    G = sp.Matrix(gamma.symbols)
    # Of the three rows of a x Omega the two are taken that do not divide by a small component.
    largest = max(range(3), key=lambda i: abs(direction[i]))
    rows = direction.cross(sp.Matrix(algebra.xi)).jacobian(algebra.xi)
    hinge = {f"hinge{i + 1}": list(rows.row(i)) for i in range(3) if i != largest}
    vertical = {k: a[2] * a + c[0] * across + c[1] * sideways for k, c in places.items()}
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=J,
        potential=m * g * rho.dot(G),
        constraints=hinge,
        frame=a,
        velocities=["omega"],
        leaf=[direction.dot(G) - direction[2]],
        picture=[Solid("body", hung)],
        equilibria={k: Family(components("Gamma", v)) for k, v in vertical.items()},
        **common,
    )
