"""Rigid body in a circular orbit: attitude to the orbital frame under the gravity gradient."""

from __future__ import annotations

from itertools import permutations

import sympy as sp

from geoctrl.algebra import AdvectedVector, so3
from geoctrl.models.catalogue_solids import brick
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.parts.description_entries import gravity_gradient
from geoctrl.systems.picture import Solid

__all__ = ["orbiting_body"]


def orbiting_body() -> EulerPoincare:
    """Attitude dynamics in the frame that turns with the orbit.

    xi is the angular velocity relative to that frame; a is the radial direction, b the orbit's normal, both
    seen from the body. The frame's turning gives a gyroscopic term ``n J b`` and the centrifugal part of the
    potential ``3/2 n^2 a.J a - 1/2 n^2 b.J b``, so that the system's energy is the Jacobi integral.

    All 24 relative equilibria have body axes along the radius and the normal. Families "yaw<i>-pitch<j>":
    axis i along the radius (the yaw axis), axis j along the normal (the pitch axis), their senses given by
    ``radius`` and ``normal``, both 1 or -1; other values are refused with an EquilibriumError. Family
    "aligned": axis 3 along the radius, axis 2 along the normal, both positive.
    """
    a, b = AdvectedVector("a", reference=(0, 0, 1)), AdvectedVector("b", reference=(0, 1, 0))
    parameters = (
        Parameter("n", 0.0011, "rad/s", "orbital rate", positive=True),
        Parameter("J1", 130.0, "kg m^2", "moment of inertia about axis 1", positive=True),
        Parameter("J2", 190.0, "kg m^2", "moment of inertia about axis 2", positive=True),
        Parameter("J3", 80.0, "kg m^2", "moment of inertia about axis 3", positive=True),
    )
    n, *moments = (p.symbol for p in parameters)
    J, va, vb = sp.diag(*moments), sp.Matrix(a.symbols), sp.Matrix(b.symbols)
    radius, normal = senses = sp.symbols("radius normal", real=True, nonzero=True)
    return EulerPoincare(
        algebra=so3(),
        advected=[a, b],
        inertia=J,
        gyroscopic=list(n * J * vb),
        potential=gravity_gradient(n, J, va) - n**2 * vb.dot(J * vb) / 2,
        equilibria={
            "aligned": Family({"a3": 1, "b2": 1}),
            **{
                f"yaw{i}-pitch{j}": Family(
                    {f"a{i}": radius, f"b{j}": normal}, symbols=senses, relations=[s**2 - 1 for s in senses]
                )
                for i, j in permutations((1, 2, 3), 2)
            },
        },
        parameters=parameters,
        source="P. C. Hughes, Spacecraft Attitude Dynamics, Wiley 1986, ch. 9",
        picture=[Solid("body", brick(moments))],
        name="orbiting-body",
    )
