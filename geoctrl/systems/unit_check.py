"""Whether the units of a description go together."""

from __future__ import annotations

from typing import Any

from geoctrl.systems.contract.system_contract import System
from geoctrl.systems.gates import as_description

__all__ = ["check_units"]


def check_units(given: Any) -> None:
    r"""Check that all sums of a description are of terms of equal units.

    The Lagrangian is a sum of energies, generalised forces times velocities are powers, rates are those of
    their states; constraints, relations, outputs, invariants and members of families are looked at as well.
    Units of states, inputs and parameters that have none are found from the others, by exact linear algebra.
    A number in an expression has no unit, and 9.81 for an acceleration is found out: it has to be a
    parameter. Gains of a law that is closed are numbers, whatever their units, and are not looked at. Of a
    description in which no parameter has a unit nothing can be compared, and it passes.

    Parameters
    ----------
    given : EulerPoincare, or a system of any kind

    Raises
    ------
    UnitsError
        If two terms of one sum differ, with both; if the text of a unit is not read, or units belong to
        several systems of units (g beside kg).
    TypeError
        For anything else; `EulerPoincare.reduce` raises as always.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.check_units(gc.models.get("furuta-pendulum")())
    >>> m, l = gc.Parameter("m", 2.0, "kg"), gc.Parameter("l", 0.3, "m")
    >>> phi = gc.Coordinate("phi", angle=True)
    >>> pendulum = gc.EulerPoincare(shape=[phi], parameters=[m, l], inertia=[[m.symbol * l.symbol**2]],
    ...                             potential=9.81 * m.symbol * l.symbol * phi.symbol)
    >>> try:
    ...     gc.check_units(pendulum)
    ... except gc.UnitsError as error:
    ...     print(str(error).partition(";")[0].replace(": ", ":\n", 1))
    two terms of one sum have different units in the Lagrangian:
    (l**2*m) phi_dot phi_dot is in N m, and 9.81*l*m*phi is in kg m
    """
    system = given if isinstance(given, System) else as_description(given, "check_units").reduce()
    _ = system.measures.numbers
