r"""Closed loops as mechanisms: the reduced one with its controlled inertia, the full one with rotor rates.

At controlled momentum pitilde the reduced loop is the mechanism without rotors, with inertia
``G_ij + G_ia (sigma^{-1} - G_ab^{-1}) G_bj`` and the constant gyroscopic covector
``A0_i = G_ia rho^{ab} pitilde_b``; rotor rates follow as
``thetadot = rho^{-1} pitilde - (G_ab^{-1} G_bi + tau) xi``. A further torque u' on the rotors moves the
momentum, ``pitildedot = rho G_ab^{-1} u'``, and acts on the body as the force ``-G_ia G^{ab} u'_b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import Node, exact
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.errors import InputError, MatchingError
from geoctrl.synthesis.rotors.rotor_law import Law
from geoctrl.systems import EulerPoincare, Parameter, ReducedSystem

__all__ = [
    "controlled_momentum",
    "full_loop",
    "matched_torques",
    "momentum_parameters",
    "momentum_vector",
    "reduced_loop",
    "rotor_metric",
    "rotor_rates",
    "without_rotors",
]


def momentum_parameters(mechanism: EulerPoincare, values: Iterable[float]) -> tuple[Parameter, ...]:
    """Parameters ``momentum_<rotor>`` for the conserved controlled momenta."""
    rotors = mechanism.rotors
    names = rotors.names if rotors else ()
    return tuple(
        Parameter(f"momentum_{name}", float(v), "N m s", f"controlled momentum of rotor {name}")
        for name, v in zip(names, values, strict=True)
    )


def rotor_rates(law: Law, momentum: sp.Matrix) -> sp.Matrix:
    """thetadot = rho^{-1} pitilde - (G_ab^{-1} G_bi + tau) xi."""
    X = sp.Matrix(law.rotors.inertia).inv() * law.rotors.coupling.T
    return law.rho_inverse * momentum - (X + law.tau) * sp.Matrix(law.mechanism.algebra.xi)


def controlled_momentum(law: Law) -> sp.Matrix:
    """pitilde = rho (thetadot + (G_ab^{-1} G_bi + tau) xi), conserved by the full loop."""
    X = sp.Matrix(law.rotors.inertia).inv() * law.rotors.coupling.T
    turning = sp.Matrix(law.rotors.rates) + (X + law.tau) * sp.Matrix(law.mechanism.algebra.xi)
    return (rotor_metric(law) * turning).applyfunc(factorisation)


def rotor_metric(law: Law) -> sp.Matrix:
    """rho, the controlled inertia of the rotors."""
    known = (*law.mechanism.parameters, *law.gain_parameters)
    numbers = {p.symbol: exact(p.default) for p in known if p.default is not None}
    if sp.Matrix(law.rho_inverse).xreplace(numbers).det() == 0:
        raise MatchingError(
            "sigma equals the rotors' inertia in some direction: their controlled momentum is infinite. "
            "Change sigma a little; the reduced loop of the law without damping needs no momentum"
        )
    return law.rho_inverse.inv()


def matched_torques(law: Law, system: ReducedSystem) -> list[Node]:
    """Nodes of -G_ab tau^b_i d/dt xi^i along a loop."""
    g, a = system.graph, system.assembly
    motion = dict(zip(system.state_nodes, system.field_nodes, strict=True))
    rates = g.push_forward(a.xi, motion)
    gain = -(sp.Matrix(law.rotors.inertia) * law.tau)
    return [
        g.add([a.configuration(gain[row, i]) * rate for i, rate in enumerate(rates) if gain[row, i] != 0])
        for row in range(gain.rows)
    ]


def reduced_loop(
    law: Law, momentum: Sequence[float] | None, outputs: Mapping[str, Any] | None = None
) -> EulerPoincare:
    """The closed loop without rotor rates, at a controlled momentum (None: zero, and no parameter for it)."""
    if momentum is None:
        return without_rotors(law, sp.zeros(law.rotors.count, 1), outputs)
    extra = momentum_parameters(law.mechanism, momentum)
    held = sp.Matrix([p.symbol for p in extra])
    return without_rotors(
        law, held, outputs, parameters=(*law.mechanism.parameters, *law.gain_parameters, *extra)
    )


def without_rotors(
    law: Law,
    momentum: sp.Matrix | None,
    outputs: Mapping[str, Any] | None = None,
    **changes: Any,
) -> EulerPoincare:
    """The mechanism with the controlled inertia instead of its rotors; it may have any signature.

    Rotor rates in the plant's invariants and outputs are those that the controlled momentum, in symbols,
    gives. Where it is None, nothing gives them: what contains them is left out. So are families that hold a
    rotor rate of their own.
    """
    mechanism, rotors = law.mechanism, law.rotors
    gyroscopic = sp.zeros(mechanism.algebra.n, 1)
    if mechanism.gyroscopic is not None:
        gyroscopic += sp.Matrix(mechanism.gyroscopic)
    rates: dict[sp.Symbol, sp.Expr] = {}
    if momentum is not None:
        gyroscopic += sp.Matrix(rotors.coupling) * law.rho_inverse * momentum
        rates = dict(zip(rotors.rates, rotor_rates(law, momentum), strict=True))

    def seen(signals: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
        return {k: v.subs(rates) for k, v in signals.items() if rates or not v.has(*rotors.rates)}

    loop = {
        "inertia": law.inertia,
        "indefinite": True,
        "gyroscopic": None if gyroscopic.is_zero_matrix else list(gyroscopic),
        "rotors": None,
        "parameters": (*mechanism.parameters, *law.gain_parameters),
        "parameter_sets": {},
        "invariants": seen(mechanism.invariants),
        "equilibria": {
            k: f for k, f in mechanism.equilibria.items() if not set(f.states) & set(rotors.rate_labels)
        },
        "outputs": {**seen(mechanism.outputs), **dict(outputs or {})},
        "name": f"{mechanism.name or 'system'}, closed loop",
    }
    return mechanism.replace(**{**loop, **changes})


def full_loop(law: Law) -> EulerPoincare:
    """The closed loop with rotor rates as states, the torque as feedback and as an output.

    The torque is the law at the controlled momentum that the rotor rates give, so that the loop follows
    the reduced one from every initial rate.
    """
    mechanism, rotors = law.mechanism, law.rotors
    momentum, feedback = controlled_momentum(law), law.by_input(law.full_torques)
    xi = sp.Matrix(mechanism.algebra.xi)
    energy = (xi.T * law.inertia * xi)[0] / 2 + mechanism.potential
    invariants = {**mechanism.invariants, "controlled_energy": energy}
    invariants |= {f"momentum_{name}": p for name, p in zip(rotors.names, momentum, strict=True)}
    return mechanism.replace(
        feedback={**mechanism.feedback, **feedback},
        outputs={**mechanism.outputs, **feedback},
        invariants=invariants,
        parameters=(*mechanism.parameters, *law.gain_parameters),
        parameter_sets={},
        name=f"{mechanism.name or 'system'}, closed loop with rotor rates",
    )


def momentum_vector(mechanism: EulerPoincare, momentum: Any) -> np.ndarray:
    """The controlled momentum as a finite vector, one entry per rotor."""
    count = mechanism.rotors.count if mechanism.rotors else 0
    values = np.atleast_1d(finite_array("momentum", momentum))
    if values.shape == (1,) and count > 1 and values[0] == 0:
        values = np.zeros(count)
    if values.shape != (count,):
        raise InputError(f"momentum must have {count} entries, one per rotor, got shape {values.shape}")
    return values
