"""Satellite in a circular orbit with two wheels and three magnetorquers."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import require_choice
from geoctrl.algebra import AdvectedVector, product, rn, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_solids import ACCENT, brick, brick_edges
from geoctrl.systems import EulerPoincare, Family, Parameter, time
from geoctrl.systems.parts.description_entries import gravity_gradient
from geoctrl.systems.picture import Disk, Solid

__all__ = ["magnetic_satellite"]


def magnetic_satellite(field: str = "dipole") -> EulerPoincare:
    r"""Attitude to the orbital frame e1 (forwards), e2 (normal to the orbit), e3 (radial), which turns at n.

    Omega is the angular velocity relative to that frame, a and b are e3 and e2 seen from the body, and
    ``w = Omega + n b``. Wheels along axes 1 and 2 turn at wheel1_dot, wheel2_dot relative to the body. J are
    the moments of the body without the moment J_w of each wheel about its own axis.

    .. math::
        L = \tfrac12 w \cdot J w + \tfrac12 J_w \sum_{i=1}^2 (\dot\psi_i + w_i)^2
        - \tfrac32 n^2\, a \cdot (J + J_w (E_1 E_1^T + E_2 E_2^T))\, a

    The orbit drags the wheels along, L is linear in their rates: they are a factor of the group, not rotors.
    Motors drive them with the torques u1, u2; their momenta h1, h2 are conserved without. On the dipole
    moment (d1, d2, d3) of the torquers acts ``M = d x B``, with the field of a dipole along the earth's axis,

    .. math:: B = B_0 (\sin i \cos n t\, e_1 + \cos i\, e_2 - 2 \sin i \sin n t\, e_3)

    at the inclination i (inc) and the time t from the ascending node. Family "pointing": axis 3 along the
    radius, axis 2 along the normal, the second wheel turning at rate0. On the level of the momenta it has
    least energy where ``J1 > J3 - J_w`` and, with ``h2 = J_w (rate0 + n)``,

        n (J2 - J1) + h2 > 0,   n (4 (J2 - J3) + 3 J_w) + h2 > 0.

    Parameters
    ----------
    field : {"dipole", "none"}
        Without a field there are no torquers. With the torquers off nothing holds the time, and the family is
        the same; their effect depends on it.
    """
    require_choice("field", field, ("dipole", "none"), ParameterError)
    a, b = AdvectedVector("a", reference=(0, 0, 1)), AdvectedVector("b", reference=(0, 1, 0))
    parameters = (
        Parameter("n", 0.0011, "rad/s", "orbital rate", positive=True),
        Parameter("J1", 130.0, "kg m^2", "moment of inertia about axis 1, no wheel", positive=True),
        Parameter("J2", 150.0, "kg m^2", "moment of inertia about axis 2, no wheel", positive=True),
        Parameter("J3", 80.0, "kg m^2", "moment of inertia about axis 3", positive=True),
        Parameter("J_w", 0.4, "kg m^2", "moment of inertia of a wheel about its axis", positive=True),
        Parameter("B0", 2.6e-5, "T", "field above the equator of the dipole", positive=True),
        Parameter("inc", 1.2, "rad", "inclination of the orbit"),
    )
    n, J1, J2, J3, J_w, B0, inc = (p.symbol for p in parameters)
    body = so3()
    algebra = product(body, rn(2)).relabelled(
        [*body.labels, "wheel1_dot", "wheel2_dot"], [*body.momentum_labels, "h1", "h2"]
    )
    Omega, wheels = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:])
    va, vb, J, W = a.symbols, b.symbols, sp.diag(J1, J2, J3), sp.diag(J_w, J_w, 0)
    w = Omega + n * vb
    spun = wheels + w[:2, :]
    inputs = list(sp.symbols("u1 u2", real=True))
    forces = [0, 0, 0, *inputs]
    if field == "dipole":
        swing, d = sp.sin(inc), sp.Matrix(sp.symbols("d1:4", real=True))
        B = swing * sp.cos(n * time) * vb.cross(va) + sp.cos(inc) * vb - 2 * swing * sp.sin(n * time) * va
        forces, inputs = [*(B0 * d.cross(B)), *inputs], [*d, *inputs]
    rate0 = sp.Symbol("rate0", real=True)
    pointing = Family({"wheel2_dot": rate0, "a3": 1, "b2": 1}, symbols=[rate0])
    return EulerPoincare(
        algebra=algebra,
        advected=[a, b],
        lagrangian=(w.dot(J * w) + J_w * spun.dot(spun)) / 2 - gravity_gradient(n, J + W, va),
        forces=forces,
        inputs=inputs,
        equilibria={"pointing": pointing},
        parameters=parameters,
        source=(
            "P. C. Hughes, Spacecraft Attitude Dynamics, Wiley 1986, ch. 9 to 11; field: M. L. Psiaki, "
            "Magnetic torquer attitude control via asymptotic periodic linear quadratic regulation, Journal "
            "of Guidance, Control, and Dynamics 24 (2001)"
        ),
        picture=[
            Solid("body", brick([J1, J2, J3], opacity=0.35)),
            *(
                Solid(
                    f"wheel {k + 1}",
                    [Disk(sp.Rational(1, 4), axis=sp.eye(3).col(k))],
                    place=edge / 3 * sp.eye(3).col(k),
                    turns=[(sp.eye(3).col(k), f"wheel{k + 1}")],
                    colour=ACCENT,
                )
                for k, edge in enumerate(brick_edges([J1, J2, J3])[:2])
            ),
        ],
        name="magnetic-satellite",
    )
