"""Routh's sphere: a rolling ball, its mass distributed symmetrically about an axis; also with a rotor."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import flag
from geoctrl.algebra import AdvectedVector, Height, se3
from geoctrl.models.catalogue_parts import no_slip
from geoctrl.models.catalogue_solids import ACCENT, turning_ball
from geoctrl.systems import Axis, EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Rod, Solid

__all__ = ["top_on_sphere"]


def top_on_sphere(gyrostat: bool = False) -> EulerPoincare:
    r"""Body axes at the centre of mass, E3 the axis of symmetry; Gamma is the upward vertical.

    The ball's centre is at -b E3, the contact at ``rho = -a Gamma - b E3``: where Gamma = E3 the centre of
    mass is b above the ball's centre (below, for b < 0). With ``h`` the rotor's momentum,

        M = J Omega + h E3 + m rho x (Omega x rho),
        Mdot = M x Omega + m rhodot x (Omega x rho) + m g rho x Gamma,     Y = rho x Omega.

    Invariants: "Jellett" ``(J Omega + h E3) . rho``, and "Routh", the solution of the linear equation
    ``d(Omega3 N) = -(m a h/P(1)) (a Gamma3 + b)/N dGamma3`` with ``N^2 = P(Gamma3)/P(1)`` and
    ``P = J1 J3 + m rho . J rho``. Without a rotor it is Omega3 N; with one the quadrature is elementary up to
    an arctan or artanh, by the sign of J1 - J3. It is scaled to N = 1 where the axis is vertical, so that its
    derivatives are rational there.

    Family "sleeping": spin Omega0 about the vertical axis, stable where
    ``((J3 + m a (a + b)) Omega0 + h)^2 > 4 m g b (J1 + m (a + b)^2)``. Family "precessing": the axis,
    inclined by 2 arctan t, turns about the vertical at the rate omega; of ``reduce().despun()``.

    Parameters
    ----------
    gyrostat : bool
        With the rotor. "Routh" then needs J1 different from J3; at J1 = J3 it is undefined.
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    z = Height("z", along=gamma)
    parameters = [
        Parameter("m", 1.3, "kg", "mass", positive=True),
        Parameter("a", 0.4, "m", "radius", positive=True),
        Parameter("b", 0.11, "m", "height of the centre of mass above the centre, along the axis"),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter(
            "J1", 0.083, "kg m^2", "moment of inertia across the axis, at the centre of mass", positive=True
        ),
        Parameter("J3", 0.061, "kg m^2", "moment of inertia about the axis", positive=True),
    ]
    if flag("gyrostat", gyrostat):
        parameters.append(Parameter("h", 0.7, "kg m^2/s", "momentum of the rotor relative to the body"))
    m, a, b, g, J1, J3 = (p.symbol for p in parameters[:6])
    h = parameters[6].symbol if gyrostat else sp.Integer(0)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    E3, J = sp.Matrix([0, 0, 1]), sp.diag(J1, J1, J3)
    rho = -a * G - b * E3
    top = J1 * J3 + m * J3 * (a + b) ** 2
    difference = m * a * (G[2] - 1) * ((J3 - J1) * a * (G[2] + 1) + 2 * J3 * b)  # P(Gamma3) - P(1)
    scale = sp.sqrt(1 + difference / top)
    routh = Omega[2] * scale
    if gyrostat:
        # a s + b = (P'/(2 m a) - J1 b)/(J3 - J1): the first part integrates to N, the second to
        # int_1^z ds/N = 2 int_0^sigma ds/(1 - k s^2) with P = k s^2 + .. over P(1), sigma = (z - 1)/(N + 1).
        s = sp.Symbol("s", real=True)
        k = m * a**2 * (J3 - J1) / top
        quadrature = 2 * sp.Integral(1 / (1 - k * s**2), (s, 0, (G[2] - 1) / (scale + 1)))
        routh += h / (J3 - J1) * (scale - m * a * J1 * b / top * quadrature)
    Omega0, omega, t = sp.symbols("Omega0 omega t", real=True)
    sine, cosine = 2 * t / (1 + t**2), (1 - t**2) / (1 + t**2)
    lever = a + b * cosine
    spin = m * g * b / omega + omega * (J1 * cosine + m * (a * cosine + b) * lever) - h
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, z],
        inertia=sp.diag(J, m * sp.eye(3)),
        gyroscopic=[*(h * E3), 0, 0, 0] if gyrostat else None,
        potential=m * g * z.symbol,
        leaf={"on the plane": z.symbol + rho.dot(G)},
        constraints=no_slip(algebra, Y + Omega.cross(rho)),
        reactions={"normal": [0, 0, 0, *G]},
        contact=rho,
        picture=[Solid("ball", [*turning_ball(a, at=-b * E3), Rod(-a * E3, 3 * a / 2 * E3, a / 30, ACCENT)])],
        symmetry=Axis((0, 0, 1)),
        invariants={"Jellett": (J * Omega + h * E3).dot(rho), "Routh": routh},
        equilibria={
            "sleeping": Family({"Omega3": Omega0, "Gamma3": 1}, symbols=[Omega0]),
            "precessing": Family(
                {
                    "Omega2": omega * sine,
                    "Omega3": spin / (J3 + m * a * lever),
                    "Gamma2": sine,
                    "Gamma3": cosine,
                },
                symbols=[omega, t],
            ),
        },
        parameters=parameters,
        source=(
            "E. J. Routh, The Advanced Part of a Treatise on the Dynamics of a System of Rigid Bodies, "
            "Macmillan 1905, art. 243; S. A. Chaplygin, On a motion of a heavy body of revolution on a "
            "horizontal plane, 1897, translated in Regul. Chaotic Dyn. 7 (2002)"
        ),
        name="top-on-sphere-gyrostat" if gyrostat else "top-on-sphere",
    )
