"""Rigid body about its centre of mass under a moment or a force, fixed in the body or in space."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import require_choice
from geoctrl.algebra import AdvectedVector, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import LLM18, components, per_axis
from geoctrl.models.catalogue_solids import brick, pointer
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Solid

__all__ = [
    "body_with_body_moment",
    "body_with_point_force",
    "body_with_spatial_force",
    "body_with_spatial_moment",
]

_MOMENTS = per_axis("J", (1.3, 2.2, 1.7), "kg m^2", "principal moment of inertia {0}", positive=True)
_PLACE = (-0.375, 0.1875, 0.375)  # at a distance of 9/16
_POINT = per_axis("r", _PLACE, "m", "point of application, component {0}")
_J = sp.diag(*(p.symbol for p in _MOMENTS))
_R = sp.Matrix([p.symbol for p in _POINT])


def body_with_body_moment() -> EulerPoincare:
    r"""``J Omegadot = J Omega x Omega + M`` with the moment M in body axes; inputs M1, M2, M3.

    Family "steady": any constant angular velocity W is held by the constant moment ``M = W x J W``. So a
    given moment has the steady rotations with ``W2 W3 = M1/(J3 - J2)`` and so on in circles.
    """
    algebra = so3()
    M, W = sp.symbols("M1:4", real=True), sp.symbols("W1:4", real=True)
    rate = sp.Matrix(W)
    return EulerPoincare(
        algebra=algebra,
        inertia=_J,
        forces=M,
        inputs=M,
        equilibria={
            "steady": Family(
                components("Omega", rate), symbols=W, inputs=components("M", rate.cross(_J * rate))
            )
        },
        parameters=_MOMENTS,
        source=f"{LLM18}, problem 6.2 and 6.14",
        picture=[Solid("body", brick(_J.diagonal()))],
        name="body-with-body-moment",
    )


def body_with_spatial_moment() -> EulerPoincare:
    r"""``J Omegadot = J Omega x Omega + M Gamma``: a moment of constant direction and size in space.

    It is no gradient and feeds energy in: the spatial momentum grows as M t along Gamma = R^T e3, its
    components along e1 (seen as b) and e2 are conserved. No rotation is steady: ``Omega x J Omega = M Gamma``
    with Gamma at rest in the body would need Gamma parallel to Omega.
    """
    algebra = so3()
    gamma, b = AdvectedVector("Gamma", reference=(0, 0, 1)), AdvectedVector("b", reference=(1, 0, 0))
    M = Parameter("M", 0.8, "N m", "moment")
    G, e1, Pi = (sp.Matrix(v) for v in (gamma.symbols, b.symbols, algebra.mu))
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, b],
        inertia=_J,
        forces=list(M.symbol * G),
        invariants={"momentum1": Pi.dot(e1), "momentum2": Pi.dot(G.cross(e1))},
        parameters=(*_MOMENTS, M),
        source=f"{LLM18}, problem 6.13 as it is worded",
        picture=[Solid("body", brick(_J.diagonal()))],
        name="body-with-spatial-moment",
    )


def body_with_spatial_force() -> EulerPoincare:
    r"""``J Omegadot = J Omega x Omega + f r x Gamma``: a force f e3, constant in space, at the point r.

    It has the potential ``-f r . Gamma``, Gamma = R^T e3; its moment is constant neither in the body nor in
    space. Families "pulled" (r along the force) and "pushed" (against it): at rest, Omega0 = 0, or with r
    along a principal axis at any spin Omega0 about it; other members are refused by ``Omega0 r x J r = 0``.
    """
    algebra = so3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    f = Parameter("f", 2.6, "N", "force", positive=True)
    along = _R / sp.sqrt(_R.dot(_R))
    spin = sp.Symbol("Omega0", real=True)
    turning = components("Omega", spin * along)
    steady = [e for e in spin * _R.cross(_J * _R) if e != 0]
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=_J,
        potential=-f.symbol * _R.dot(gamma.symbols),
        # Of a body with an axis of symmetry through the point of application; dropped for any other.
        invariants={"Pi3": algebra.mu[2]},
        equilibria={
            "pulled": Family(components("Gamma", along) | turning, symbols=[spin], relations=steady),
            "pushed": Family(components("Gamma", -along) | turning, symbols=[spin], relations=steady),
        },
        parameters=(*_MOMENTS, f, *_POINT),
        source=f"{LLM18}, problem 6.13 by its equation",
        picture=[Solid("body", [*brick(_J.diagonal(), opacity=0.35), *pointer(_R)])],
        name="body-with-spatial-force",
    )


def body_with_point_force(axes: str = "space") -> EulerPoincare:
    r"""``J Omegadot = J Omega x Omega + r x F_b``: any force at the body's point r; inputs F1, F2, F3.

    They are components in space axes, ``F_b = R^T F``, or in body axes. The component along r does nothing,
    so that a body with r along its axis of symmetry keeps the momentum Pi3 whatever the force does. Family
    "still": at rest without force, at R = I and so in any attitude.

    Parameters
    ----------
    axes : {"space", "body"}
    """
    require_choice("axes", axes, ("space", "body"), ParameterError)
    algebra = so3()
    F = sp.symbols("F1:4", real=True)
    rows, force = [], sp.Matrix(F)
    if axes == "space":  # the rows of R
        rows = [AdvectedVector(v, reference=e) for v, e in zip("abc", sp.eye(3).tolist(), strict=True)]
        force = sp.Matrix.hstack(*(row.symbols for row in rows)) * force
    return EulerPoincare(
        algebra=algebra,
        advected=rows,
        inertia=_J,
        forces=list(_R.cross(force)),
        inputs=F,
        # Pi3 is dropped but for J1 = J2 and r along axis 3; the spatial momentum is kept where no force acts.
        invariants={"Pi3": algebra.mu[2]} | components("momentum", (r.symbols.dot(algebra.mu) for r in rows)),
        equilibria={"still": Family({f"{row.name}{i}": 1 for i, row in enumerate(rows, start=1)})},
        parameters=(*_MOMENTS, *_POINT),
        source=f"{LLM18}, problem 6.10",
        picture=[Solid("body", [*brick(_J.diagonal(), opacity=0.35), *pointer(_R)])],
        name="body-with-point-force",
    )
