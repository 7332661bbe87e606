r"""Closed loops as mechanisms: the reduced one with its controlled inertia, the full one with rotor rates.

At controlled momentum pitilde the reduced loop is the mechanism without rotors, with inertia
``G_ij + G_ia (sigma^{-1} - G_ab^{-1}) G_bj`` and the constant gyroscopic covector
``A0_i = G_ia rho^{ab} pitilde_b``; rotor rates follow as
``thetadot = rho^{-1} pitilde - (G_ab^{-1} G_bi + tau) xi``. A further torque u' on the rotors moves the
momentum, ``pitildedot = rho G_ab^{-1} u'``, and acts on the body as the force ``-G_ia G^{ab} u'_b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import Node, exact
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.errors import InputError, MatchingError
from geoctrl.synthesis.contract.law import with_feedback
from geoctrl.systems import EulerPoincare, Parameter, ReducedSystem, Rotors

__all__ = ["RotorLagrangian", "momentum_parameters", "momentum_vector"]


def momentum_parameters(mechanism: EulerPoincare, values: Iterable[float]) -> tuple[Parameter, ...]:
    """Parameters ``momentum_<rotor>`` for the conserved controlled momenta."""
    rotors = mechanism.rotors
    names = rotors.names if rotors else ()
    return tuple(
        Parameter(f"momentum_{name}", float(v), "N m s", f"controlled momentum of rotor {name}")
        for name, v in zip(names, values, strict=True)
    )


@dataclass(frozen=True, eq=False)
class RotorLagrangian:
    """The controlled Lagrangian of a mechanism with rotors, and the loops of which it gives the motion.

    Attributes
    ----------
    rotors : Rotors
        Of the mechanism.
    inertia : sympy matrix, n x n
    tau, rho_inverse : sympy matrices
    gains : tuple of Parameter
        That of the Lagrangian, and those of what is added to its law.
    """

    mechanism: EulerPoincare
    rotors: Rotors
    inertia: sp.ImmutableMatrix
    tau: sp.Matrix
    rho_inverse: sp.Matrix
    gains: tuple[Parameter, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Of the loops."""
        return (*self.mechanism.parameters, *self.gains)

    # -- rotors ---------------------------------------------------------------------------------

    @property
    def _seen_motion(self) -> sp.Matrix:
        """(G_ab^{-1} G_bi + tau) xi."""
        X = sp.Matrix(self.rotors.inertia).inv() * self.rotors.coupling.T
        return (X + self.tau) * sp.Matrix(self.mechanism.algebra.xi)

    def rotor_rates(self, momentum: sp.Matrix) -> dict[str, sp.Expr]:
        """thetadot = rho^{-1} pitilde - (G_ab^{-1} G_bi + tau) xi, by label."""
        rates = self.rho_inverse * momentum - self._seen_motion
        return dict(zip(self.rotors.rate_labels, rates, strict=True))

    @property
    def momentum(self) -> sp.Matrix:
        """pitilde = rho (thetadot + (G_ab^{-1} G_bi + tau) xi), conserved by the loop with rotor rates."""
        return (self.rotor_metric * (sp.Matrix(self.rotors.rates) + self._seen_motion)).applyfunc(
            factorisation
        )

    @property
    def rotor_metric(self) -> sp.Matrix:
        """rho, the controlled inertia of the rotors."""
        numbers = {p.symbol: exact(p.default) for p in self.parameters if p.default is not None}
        if sp.Matrix(self.rho_inverse).xreplace(numbers).det() == 0:
            raise MatchingError(
                "sigma equals the rotors' inertia in some direction: their controlled momentum is infinite. "
                "Change sigma a little; the reduced loop of the law without damping needs no momentum"
            )
        return self.rho_inverse.inv()

    @property
    def bearing_torques(self) -> sp.Matrix:
        """D thetadot, which viscous bearings take and a law with rotor rates adds."""
        n, rates = self.mechanism.algebra.n, sp.Matrix(self.rotors.rates)
        rows = [(f.viscous, sp.Matrix(f.along[:, n:])) for f in self.mechanism.friction if f.along.cols > n]
        return sum((c * row.T * row * rates for c, row in rows), sp.zeros(self.rotors.count, 1))

    def torques(self, system: ReducedSystem) -> list[Node]:
        """Nodes of -G_ab tau^b_i d/dt xi^i along a loop: what reaches the rotors, whatever bearings take."""
        g, a = system.graph, system.assembly
        motion = dict(zip(system.state_nodes, system.field_nodes, strict=True))
        rates = g.push_forward(a.xi, motion)
        gain = -(sp.Matrix(self.rotors.inertia) * self.tau)
        return [
            g.add([a.configuration(gain[row, i]) * rate for i, rate in enumerate(rates) if gain[row, i] != 0])
            for row in range(gain.rows)
        ]

    # -- loops ----------------------------------------------------------------------------------

    def without_rotors(
        self, momentum: sp.Matrix | None, outputs: Mapping[str, Any] | None = None, **changes: Any
    ) -> EulerPoincare:
        """The mechanism with the controlled inertia instead of its rotors; it may have any signature.

        Rotor rates in the plant's invariants and outputs are those that the controlled momentum, in symbols,
        gives. Where it is None, nothing gives them: what contains them is left out. So are families that hold
        a rotor rate of their own.
        """
        mechanism, rotors = self.mechanism, self.rotors
        gyroscopic = sp.zeros(mechanism.algebra.n, 1)
        if mechanism.gyroscopic is not None:
            gyroscopic += sp.Matrix(mechanism.gyroscopic)
        rates: dict[sp.Symbol, sp.Expr] = {}
        if momentum is not None:
            gyroscopic += sp.Matrix(rotors.coupling) * self.rho_inverse * momentum
            rates = dict(zip(rotors.rates, self.rotor_rates(momentum).values(), strict=True))

        def at_momentum(signals: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
            return {k: v.subs(rates) for k, v in signals.items() if rates or not v.has(*rotors.rates)}

        loop = {
            "inertia": self.inertia,
            "indefinite": True,
            "gyroscopic": None if gyroscopic.is_zero_matrix else list(gyroscopic),
            "rotors": None,
            "friction": [f for f in mechanism.friction if f.along.cols == mechanism.algebra.n],
            "quasicoordinates": [
                z for z in mechanism.quasicoordinates if not z.rate.free_symbols & {*rotors.rates}
            ],
            "parameters": self.parameters,
            "parameter_sets": {},
            "invariants": at_momentum(mechanism.invariants),
            "equilibria": {
                k: f for k, f in mechanism.equilibria.items() if not set(f.states) & set(rotors.rate_labels)
            },
            "outputs": {**at_momentum(mechanism.outputs), **dict(outputs or {})},
            "name": f"{mechanism.name or 'system'}, closed loop",
        }
        return mechanism.replace(**{**loop, **changes})

    def at_momentum(
        self, momentum: Sequence[float] | None, outputs: Mapping[str, Any] | None = None
    ) -> EulerPoincare:
        """The loop without rotor rates at a controlled momentum (None: zero, and no parameter for it)."""
        if momentum is None:
            return self.without_rotors(sp.zeros(self.rotors.count, 1), outputs)
        extra = momentum_parameters(self.mechanism, momentum)
        held = sp.Matrix([p.symbol for p in extra])
        return self.without_rotors(held, outputs, parameters=(*self.parameters, *extra))

    def with_rotors(self, torques: Mapping[str, sp.Expr], **changes: Any) -> EulerPoincare:
        """The loop with rotor rates as states, the torques as feedback and as outputs."""
        kept = {"parameters": self.parameters}
        return with_feedback(self.mechanism, torques, **(kept | changes))

    @property
    def conserved(self) -> dict[str, sp.Expr]:
        """What a loop with rotor rates keeps by the law at the controlled momentum that these give."""
        xi = sp.Matrix(self.mechanism.algebra.xi)
        energy = (xi.T * self.inertia * xi)[0] / 2 + self.mechanism.potential
        momenta = {f"momentum_{name}": p for name, p in zip(self.rotors.names, self.momentum, strict=True)}
        return {"controlled_energy": energy, **momenta}


def momentum_vector(mechanism: EulerPoincare, momentum: Any) -> np.ndarray:
    """The controlled momentum as a finite vector, one entry per rotor."""
    count = mechanism.rotors.count if mechanism.rotors else 0
    values = np.atleast_1d(finite_array("momentum", momentum))
    if values.shape == (1,) and count > 1 and values[0] == 0:
        values = np.zeros(count)
    if values.shape != (count,):
        raise InputError(f"momentum must have {count} entries, one per rotor, got shape {values.shape}")
    return values
