"""Three-dimensional pendulum: a rigid body about a fixed pivot, with the centre of mass anywhere in it."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, so3
from geoctrl.models.catalogue_parts import LLM18, components, per_axis
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.parts.description_entries import weight
from geoctrl.systems.picture import Ellipsoid, Rod, Solid

__all__ = ["pendulum_3d"]


def pendulum_3d() -> EulerPoincare:
    r"""Rigid body about a fixed pivot under gravity, in principal axes of inertia at the pivot.

    rho = (rho1, rho2, rho3) points from the pivot to the centre of mass (the source's rho0 is -rho), Gamma
    is the upward vertical:

    .. math:: \dot\Pi = \Pi \times \Omega + m g\, \Gamma \times \rho, \qquad \dot\Gamma = \Gamma \times \Omega

    Families: "hanging" and "inverted", Gamma along -rho and +rho, and "permanent", Staude's rotations about
    a vertical axis fixed in the body: Omega = w Gamma with ``w^2 (J - s) Gamma = m g rho``. Its symbol s
    is any number but a principal moment; the axis is along ``(J - s)^(-1) rho`` and these axes fill the cone
    ``det(Gamma, J Gamma, rho) = 0``, each of its lines in one sense only. Members are exact where the
    square roots are rational, as ``|rho|`` is by default.
    """
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    moment = "principal moment of inertia {0} at the pivot"
    component = "component {0} of the vector from pivot to centre of mass"
    parameters = (
        Parameter("m", 1.4, "kg", "mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        *per_axis("J", (0.65, 0.9, 0.4), "kg m^2", moment, positive=True),
        *per_axis("rho", (0.1875, -0.125, 0.375), "m", component),  # of length 7/16
    )
    m, g = (p.symbol for p in parameters[:2])
    J = sp.diag(*(p.symbol for p in parameters[2:5]))
    rho = sp.Matrix([p.symbol for p in parameters[5:]])
    s = sp.Symbol("s", real=True)
    along = sp.Matrix([r / (moment - s) for r, moment in zip(rho, J.diagonal(), strict=True)])
    size = sp.sqrt(along.dot(along))
    places = {
        "hanging": (components("Gamma", -rho / sp.sqrt(rho.dot(rho))), ()),
        "inverted": (components("Gamma", rho / sp.sqrt(rho.dot(rho))), ()),
        "permanent": (
            components("Gamma", along / size) | components("Omega", sp.sqrt(m * g * size) * along / size),
            (s,),
        ),
    }
    return EulerPoincare(
        algebra=so3(),
        advected=[gamma],
        inertia=J,
        potential=weight(m * g, gamma.symbols, rho),
        parameters=parameters,
        equilibria={k: Family(states, symbols=symbols) for k, (states, symbols) in places.items()},
        source=f"{LLM18}, sec. 6.6.2; O. Staude, J. reine angew. Math. 113 (1894)",
        picture=[
            Solid(
                "body",
                [Rod((0, 0, 0), rho), Ellipsoid([sp.sqrt(rho.dot(rho)) / k for k in (2, 3, 1)], at=rho)],
            )
        ],
        name="pendulum-3d",
    )
