"""Suslov's problem: a body about a fixed point that may not turn about an axis fixed in itself."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import require_choice
from geoctrl.algebra import AdvectedVector, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import defaults
from geoctrl.models.catalogue_solids import brick, pointer
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Solid

__all__ = ["suslov"]


def suslov(potential: str = "zero") -> EulerPoincare:
    """Nonholonomic constraint ``Omega3 = 0`` with a full inertia matrix; states Omega1, Omega2.

    With ``v = (I13, I23)`` and s = v . Omega the equations are ``J Omegadot = s (-Omega2, Omega1) + torque``,
    J the upper left block of the inertia.

    Families without forces: "rotating", ``Omega = Omega0 (I23, -I13)``, attracting for Omega0 < 0, repelling
    for Omega0 > 0: every motion tends from the latter to the former. Heavy: "hanging", "upright", "resting"
    with ``Gamma = (1 - s^2, 2 s, 0)/(1 + s^2)``, since the constraint bears every moment about axis 3.

    Parameters
    ----------
    potential : {"zero", "heavy"}
        U = 0, or U = m g l Gamma1 with the upward vertical Gamma: the centre of mass at l E1, in the plane
        normal to the constrained axis. Parameter set "kharlamova" (axis 3 principal): the momentum
        ``I11 Omega1 + I12 Omega2`` is conserved; it is dropped for any other inertia.
    """
    known = ("zero", "heavy")
    require_choice("potential", potential, known, ParameterError)
    algebra = so3()
    parameters = (
        *(
            Parameter(f"I{i}{i}", value, "kg m^2", f"moment of inertia about axis {i}", positive=True)
            for i, value in ((1, 1.4), (2, 2.1), (3, 1.7))
        ),
        *(
            Parameter(f"I{i}{j}", value, "kg m^2", f"entry {i}, {j} of the inertia matrix")
            for i, j, value in ((1, 2, 0.2), (1, 3, -0.3), (2, 3, 0.5))
        ),
    )
    I11, I22, I33, I12, I13, I23 = (p.symbol for p in parameters)
    inertia = sp.Matrix([[I11, I12, I13], [I12, I22, I23], [I13, I23, I33]])
    source = (
        "G. K. Suslov, Theoretical Mechanics, 1946; E. I. Kharlamova, 1959; A. V. Borisov, A. A. Kilin and "
        "I. S. Mamaev, Hamiltonicity and integrability of the Suslov problem, Regul. Chaotic Dyn. 16 (2011)"
    )
    if potential == "zero":
        Omega0 = sp.Symbol("Omega0", real=True)
        steady = {"Omega1": Omega0 * I23, "Omega2": -Omega0 * I13}
        return EulerPoincare(
            algebra=algebra,
            inertia=inertia,
            constraints={"no turn about E3": [0, 0, 1]},
            picture=[Solid("body", brick([I11, I22, I33]))],
            equilibria={"rotating": Family(steady, symbols=[Omega0])},
            parameters=parameters,
            source=source,
            name="suslov",
        )
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    heavy = (
        Parameter("m", 1.3, "kg", "mass", positive=True),
        Parameter("l", 0.6, "m", "distance from the fixed point to the centre of mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, l, g = (p.symbol for p in heavy)  # noqa: E741 - the length's name in the literature
    s = sp.Symbol("s", real=True)
    resting = {"Gamma1": (1 - s**2) / (1 + s**2), "Gamma2": 2 * s / (1 + s**2)}
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=inertia,
        picture=[Solid("body", [*brick([I11, I22, I33], opacity=0.35), *pointer((l, 0, 0))])],
        potential=m * g * l * gamma.symbols[0],
        constraints={"no turn about E3": [0, 0, 1]},
        invariants={"kharlamova": I11 * algebra.xi[0] + I12 * algebra.xi[1]},
        equilibria={
            "hanging": Family({"Gamma1": -1}),
            "upright": Family({"Gamma1": 1}),
            "resting": Family(resting, symbols=[s]),
        },
        parameters=(*parameters, *heavy),
        parameter_sets={
            "generic": defaults(parameters),
            "kharlamova": {"I13": 0.0, "I23": 0.0},
        },
        source=source,
        name="suslov",
    )
