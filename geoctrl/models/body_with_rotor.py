"""Rigid body carrying rotors, free in space: the gyrostat with one rotor, and a body with three."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import whole_number
from geoctrl.algebra import so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import components, per_axis
from geoctrl.models.catalogue_solids import ACCENT, brick, brick_edges
from geoctrl.systems import EulerPoincare, Family, Parameter, Rotors
from geoctrl.systems.picture import Disk, Solid

__all__ = ["body_with_rotor", "body_with_rotors"]

_MOMENT = "body's principal moment of inertia {0}, no rotor"
_BODY = per_axis("I", (2.9, 2.1, 1.2), "kg m^2", _MOMENT, positive=True)


def body_with_rotor(axis: int = 3) -> EulerPoincare:
    """Gyrostat: one symmetric rotor along a principal axis of the body, driven by the torque ``u_theta``.

    ``theta_dot`` is the rotor's rate relative to the body. The library finds the total momentum |Pi|^2, which
    torques on the rotor keep; ``rotor_momentum`` J (Omega_axis + theta_dot) is kept by the free rotor alone.

    Families: "about1", "about2", "about3", the rotor at rest in the body; "dual-spin", both turning about the
    rotor's axis at rates of their own.

    Parameters
    ----------
    axis : {1, 2, 3}
        Principal axis along which the rotor lies.
    """
    axis = whole_number("axis", axis, 1, 3, ParameterError)
    algebra = so3()
    parameters = (
        *_BODY,
        Parameter("J", 0.3, "kg m^2", "rotor's moment of inertia about its axis", positive=True),
        Parameter("Jt", 0.2, "kg m^2", "rotor's moment of inertia across its axis", positive=True),
    )
    *moments, J, Jt = (p.symbol for p in parameters)
    e = sp.eye(3).col(axis - 1)
    rotors = Rotors(coupling=J * e, inertia=J, names=["theta"])
    Omega0, rate0 = sp.symbols("Omega0 rate0", real=True)
    return EulerPoincare(
        algebra=algebra,
        inertia=sp.diag(*moments) + Jt * sp.eye(3) + (J - Jt) * e * e.T,
        rotors=rotors,
        invariants={"rotor_momentum": J * (algebra.xi[axis - 1] + rotors.rates[0])},
        equilibria={
            **{f"about{i}": Family({f"Omega{i}": Omega0}, symbols=[Omega0]) for i in (1, 2, 3)},
            "dual-spin": Family({f"Omega{axis}": Omega0, "theta_dot": rate0}, symbols=[Omega0, rate0]),
        },
        parameters=parameters,
        source=(
            "A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden and G. Sanchez de Alvarez, Stabilization of "
            "rigid body dynamics by internal and external torques, Automatica 28 (1992)"
        ),
        picture=[
            Solid("body", brick([*moments], opacity=0.35)),
            Solid("rotor", [Disk(sp.Rational(2, 5), axis=e)], turns=[(e, "theta")], colour=ACCENT),
        ],
        name="body-with-rotor",
    )


def body_with_rotors() -> EulerPoincare:
    """Body with a rotor along each principal axis, driven by ``u_theta1 .. u_theta3``.

    The rotors' transverse moments belong to the body. Torques exchange momentum between rotors and body and
    keep its total |Pi|^2; ``rotor<i>`` is the momentum J_i (Omega_i + theta<i>_dot) of a free rotor.

    Families: "parked", the body at rest with rotors turning at any rates; "about1", "about2", "about3", the
    body and the rotor along that axis turning at rates of their own.
    """
    algebra = so3()
    what = "moment of inertia of rotor {0} about its axis"
    parameters = (*_BODY, *per_axis("J", (0.25, 0.3, 0.35), "kg m^2", what, positive=True))
    symbols = [p.symbol for p in parameters]
    moments, J = sp.diag(*symbols[:3]), sp.diag(*symbols[3:])
    rotors = Rotors(coupling=J, inertia=J)
    momentum = J * (algebra.xi + sp.Matrix(rotors.rates))
    Omega0, rate0 = sp.symbols("Omega0 rate0", real=True)
    rates = sp.symbols("rate1:4", real=True)
    spins = {
        f"about{i}": Family({f"Omega{i}": Omega0, f"theta{i}_dot": rate0}, symbols=[Omega0, rate0])
        for i in (1, 2, 3)
    }
    return EulerPoincare(
        algebra=algebra,
        inertia=moments + J,
        rotors=rotors,
        invariants=components("rotor", momentum),
        equilibria={
            **spins,
            "parked": Family(dict(zip(rotors.rate_labels, rates, strict=True)), symbols=rates),
        },
        parameters=parameters,
        source=(
            "P. S. Krishnaprasad, Lie-Poisson structures, dual-spin spacecraft and asymptotic stability, "
            "Nonlinear Analysis 9 (1985)"
        ),
        picture=[
            Solid("body", brick(symbols[:3], opacity=0.35)),
            *(
                Solid(
                    f"rotor {k + 1}",
                    [Disk(sp.Rational(1, 4), axis=sp.eye(3).col(k))],
                    place=edge / 3 * sp.eye(3).col(k),
                    turns=[(sp.eye(3).col(k), f"theta{k + 1}")],
                    colour=ACCENT,
                )
                for k, edge in enumerate(brick_edges(symbols[:3]))
            ),
        ],
        name="body-with-rotors",
    )
