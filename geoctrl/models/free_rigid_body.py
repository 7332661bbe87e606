"""Free rigid body: Euler's equations on so(3), no advected vector."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import so3
from geoctrl.models.catalogue_parts import per_axis
from geoctrl.models.catalogue_solids import brick
from geoctrl.systems import EulerPoincare, Family
from geoctrl.systems.picture import Solid

__all__ = ["free_rigid_body"]


def free_rigid_body() -> EulerPoincare:
    """Rigid body without moments: ``Pidot = Pi x Omega``.

    Families ``about1``, ``about2``, ``about3``: steady rotation about a principal axis. The library finds
    |Pi|^2 and the energy.
    """
    parameters = per_axis("I", (1.2, 2.1, 2.9), "kg m^2", "principal moment of inertia {0}", positive=True)
    Omega0 = sp.Symbol("Omega0", real=True)
    return EulerPoincare(
        algebra=so3(),
        inertia=sp.diag(*(p.symbol for p in parameters)),
        equilibria={f"about{i}": Family({f"Omega{i}": Omega0}, symbols=[Omega0]) for i in (1, 2, 3)},
        parameters=parameters,
        source="J. E. Marsden and T. S. Ratiu, Introduction to Mechanics and Symmetry, Springer 1999, ch. 15",
        picture=[Solid("body", brick([p.symbol for p in parameters]))],
        name="free-rigid-body",
    )
