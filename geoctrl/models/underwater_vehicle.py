"""Neutrally buoyant underwater vehicle in an ideal fluid: Kirchhoff's equations, with and without gravity."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import flag, require_choice
from geoctrl.algebra import AdvectedParameter, AdvectedVector, se3
from geoctrl.algebra.groups import LEVI_CIVITA
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import per_axis
from geoctrl.models.catalogue_solids import ACCENT
from geoctrl.systems import EulerPoincare, Family, Parameter, Rotors
from geoctrl.systems.picture import Block, Disk, Ellipsoid, Solid

__all__ = ["underwater_vehicle"]


def underwater_vehicle(
    centres: str = "noncoincident",
    thrusters: bool = False,
    rotors: bool = False,
    position: bool = False,
) -> EulerPoincare:
    """Ellipsoidal body; the origin is the centre of buoyancy, the axes are those of the ellipsoid.

    ``2 T = Omega.J Omega + Y.M Y + 2 m l Y.(Omega x E3)`` and ``U = -m g l Gamma3``: J and M include the
    fluid, the centre of mass is at l E3, and Gamma is the direction of gravity, so that l > 0 with Gamma = E3
    is bottom-heavy. The library finds the Casimirs P.P and Pi.P, or P.P and P.Gamma where gravity acts.

    Families, centres coincident: "along1", "along2", "along3", translation at Y0 along an axis with spin
    Omega0 about it. Noncoincident: "level1", "level2", horizontal translation; "vertical", along E3 with spin
    (momentum and gravity parallel, a value of the Casimirs that is not generic). With ``position`` these move
    through states that are known, and "hover" is left, at the origin of space with spin Omega0.

    Parameters
    ----------
    centres : {"noncoincident", "coincident"}
        Centres of gravity and buoyancy; where they coincide there is no l and gravity does not act.
    thrusters : bool
        Whether forces F1, F2, F3 along the body's axes drive it.
    rotors : bool
        Whether rotors of inertias R1, R2 turn about the first and the second axis, driven by ``u_theta1``,
        ``u_theta2``. Their transverse moments belong to J.
    position : bool
        Whether the origin of space, seen from the body, is advected: ``(q1, q2, q3, 1) = (-R^T x, 1)`` is
        carried by rotations and translations, ``qdot = q x Omega - Y``, the last component q4 = 1.
    """
    forces = [0, 0, 0, *sp.symbols("F1:4", real=True)] if flag("thrusters", thrusters) else None
    inputs = ("F1", "F2", "F3") if forces else ()
    known = ("noncoincident", "coincident")
    require_choice("centres", centres, known, ParameterError)
    algebra = se3()
    moment, mass = "moment of inertia about axis {0}", "mass for motion along axis {0}"
    fluid = (
        *per_axis("J", (3.1, 2.6, 1.4), "kg m^2", f"{moment}, fluid included", positive=True),
        *per_axis("M", (25.0, 21.0, 17.0), "kg", f"{mass}, fluid included", positive=True),
    )
    inertia = sp.diag(*(p.symbol for p in fluid))
    wheels: tuple[Parameter, ...] = ()
    if flag("rotors", rotors):
        what = "moment of inertia of rotor {0} about its axis"
        wheels = per_axis("R", (0.3, 0.25), "kg m^2", what, positive=True)
    R = sp.diag(*(p.symbol for p in wheels))
    turning = Rotors(coupling=R.col_join(sp.zeros(4, 2)), inertia=R) if wheels else None
    inertia += sp.diag(R, sp.zeros(6 - len(wheels)))
    masses = [p.symbol for p in fluid[3:]]
    sizes = [sum(masses) / (3 * mass) for mass in masses]  # heavy where it pushes much water
    hull = [
        Solid(
            "hull",
            [
                Ellipsoid(sizes, opacity=0.7 if wheels else 1.0),
                Block((sizes[0] / 15, sizes[1], sizes[2] / 4), at=(0, 0, -sizes[2] / 2), colour=ACCENT),
                Block((sizes[0], sizes[1] / 15, sizes[2] / 4), at=(0, 0, -sizes[2] / 2), colour=ACCENT),
            ],
            up=(0, 0, -1),
        ),
        *(
            Solid(
                f"rotor {k + 1}",
                [Disk(sizes[0] / 4, axis=sp.eye(3).col(k))],
                turns=[(sp.eye(3).col(k), f"theta{k + 1}")],
                colour=ACCENT,
            )
            for k in range(len(wheels))
        ),
    ]
    Pi3 = {"Pi3": algebra.mu[2]}  # of a body of revolution; dropped for any other
    Y0, Omega0 = sp.symbols("Y0 Omega0", real=True)
    place = [_origin()] if flag("position", position) else []
    source = "N. E. Leonard, Stability of a bottom-heavy underwater vehicle, Automatica 33 (1997)"
    if centres == "coincident":
        families = {
            f"along{i}": Family({f"Y{i}": Y0, f"Omega{i}": Omega0}, symbols=[Y0, Omega0]) for i in (1, 2, 3)
        }
        if place:
            families = {"hover": Family({"Omega3": Omega0, "q4": 1}, symbols=[Omega0])}
        return EulerPoincare(
            algebra=algebra,
            advected=place,
            inertia=inertia,
            invariants=Pi3,
            equilibria=families,
            forces=forces,
            inputs=inputs,
            parameters=(*fluid, *wheels),
            rotors=turning,
            source=source,
            picture=hull,
            name="underwater-vehicle",
        )
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    gravity = (
        Parameter("m", 15.0, "kg", "mass, that of the displaced fluid", positive=True),
        Parameter("l", 0.06, "m", "centre of mass below the centre of buoyancy"),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, l, g = (p.symbol for p in gravity)  # noqa: E741 - the length's name in the literature
    Omega, Y = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:])
    coupling = m * l * Y.dot(Omega.cross(sp.Matrix([0, 0, 1])))
    families = {f"level{i}": Family({f"Y{i}": Y0, "Gamma3": 1}, symbols=[Y0]) for i in (1, 2)}
    families["vertical"] = Family({"Y3": Y0, "Omega3": Omega0, "Gamma3": 1}, symbols=[Y0, Omega0])
    if place:
        families = {"hover": Family({"Omega3": Omega0, "Gamma3": 1, "q4": 1}, symbols=[Omega0])}
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, *place],
        lagrangian=algebra.xi.dot(inertia * algebra.xi) / 2 + coupling + m * g * l * gamma.symbols[2],
        invariants=Pi3,
        equilibria=families,
        forces=forces,
        inputs=inputs,
        parameters=(*gravity, *fluid, *wheels),
        rotors=turning,
        source=source,
        picture=hull,
        name="underwater-vehicle",
    )


def _origin() -> AdvectedParameter:
    """(q, 1), q = -R^T x, in the representation of se(3) by 4 x 4 matrices."""
    action = [[[0] * 4 for _ in range(6)] for _ in range(4)]
    for i, j, k, sign in LEVI_CIVITA:
        action[i][j][k] = sign
    for i in range(3):
        action[i][3 + i][3] = 1
    return AdvectedParameter("q", action, reference=(0, 0, 0, 1))
