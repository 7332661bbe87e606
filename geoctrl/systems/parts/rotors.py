"""Internal rotors: an abelian factor whose velocities enter the kinetic energy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import entries
from geoctrl._scalars import read_matrix
from geoctrl.errors import DescriptionError

__all__ = ["Rotors"]


class Rotors:
    """s rotors: ``G_ia xi^i thetadot^a + 1/2 G_ab thetadot^a thetadot^b + A_a thetadot^a`` in the Lagrangian.

    Parameters
    ----------
    coupling : n x s matrix
        ``G_ia``, in parameters, advected symbols and coordinates.
    inertia : s x s matrix
        ``G_ab``, symmetric; likewise.
    names : sequence of s str, optional
        Rotor ``theta`` gives the state ``theta_dot`` and the torque input ``u_theta``;
        default ``theta`` for one rotor, ``theta1 .. thetas`` for several.
    gyroscopic : s entries, optional
        ``A_a``, in advected symbols, coordinates and parameters. In axes that turn with a rate n about b a
        wheel of inertia J about the axis a has J n (a . b), beside the body's row n I b of ``gyroscopic=``.

    Raises
    ------
    DescriptionError
        If an entry is no expression (text is none), shapes do not fit, the inertia is not symmetric, or
        names are not distinct identifiers.

    Examples
    --------
    >>> J = sp.Symbol("J", positive=True)
    >>> Rotors(coupling=[J, 0, 0], inertia=J).rate_labels
    ('theta_dot',)
    """

    def __init__(
        self, coupling: Any, inertia: Any, names: Sequence[str] | None = None, gyroscopic: Any = None
    ) -> None:
        rows = inertia if hasattr(inertia, "__len__") else [[inertia]]
        self.inertia = read_matrix("the rotors' inertia", rows)
        self.coupling = read_matrix("the rotors' coupling", coupling)
        s = self.inertia.rows
        if self.inertia.shape != (s, s) or self.coupling.cols != s:
            raise DescriptionError(
                "rotors need coupling n x s and inertia s x s, "
                f"got {self.coupling.shape} and {self.inertia.shape}"
            )
        given = sp.zeros(s, 1) if gyroscopic is None else read_matrix("the rotors' gyroscopic", gyroscopic)
        if given.shape not in ((s, 1), (1, s)):
            raise DescriptionError(f"the rotors' gyroscopic needs {s} entries, got {given.shape}")
        self.gyroscopic = sp.ImmutableMatrix(s, 1, list(given))
        if any(sp.expand(e) != 0 for e in self.inertia - self.inertia.T):
            raise DescriptionError("the rotors' inertia must be symmetric")
        default = ["theta"] if s == 1 else [f"theta{a + 1}" for a in range(s)]
        self.names = entries("names of rotors", default if names is None else names, DescriptionError)
        proper = all(isinstance(n, str) and n.isidentifier() for n in self.names)
        if not proper or len(self.names) != s or len(set(self.names)) != s:
            raise DescriptionError(f"{s} distinct rotor names are needed, got {self.names}")

    @property
    def count(self) -> int:
        """Number of rotors s."""
        return self.inertia.rows

    @property
    def rate_labels(self) -> tuple[str, ...]:
        """State labels ``<name>_dot``."""
        return tuple(f"{n}_dot" for n in self.names)

    @property
    def input_labels(self) -> tuple[str, ...]:
        """Torque labels ``u_<name>``."""
        return tuple(f"u_{n}" for n in self.names)

    @property
    def rates(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the rotor rates."""
        return tuple(sp.Symbol(label, real=True) for label in self.rate_labels)

    @property
    def torques(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the torques on the rotors."""
        return tuple(sp.Symbol(label, real=True) for label in self.input_labels)

    def __reduce__(self):
        return Rotors, (self.coupling, self.inertia, self.names, self.gyroscopic)
