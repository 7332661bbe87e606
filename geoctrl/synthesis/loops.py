r"""Closed loops as mechanisms: the reduced one with its controlled inertia, the full one with rotor rates.

At controlled momentum pitilde the reduced loop is the mechanism without rotors, with inertia
``G_ij + G_ia (sigma^{-1} - G_ab^{-1}) G_bj`` and the constant gyroscopic covector
``A0_i = G_ia rho^{ab} pitilde_b``; rotor rates follow as
``thetadot = rho^{-1} pitilde - (G_ab^{-1} G_bi + tau) xi``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl.systems import EulerPoincare, Parameter

if TYPE_CHECKING:
    from geoctrl.synthesis.law import FeedbackLaw

__all__ = ["controlled_momentum", "full_loop", "momentum_parameters", "reduced_loop", "rotor_rates"]


def momentum_parameters(mechanism: EulerPoincare, values: Iterable[float]) -> tuple[Parameter, ...]:
    """Parameters ``momentum_<rotor>`` for the conserved controlled momenta."""
    rotors = mechanism.rotors
    names = rotors.names if rotors else ()
    return tuple(
        Parameter(f"momentum_{name}", float(v), "N m s", f"controlled momentum of rotor {name}")
        for name, v in zip(names, values, strict=True)
    )


def rotor_rates(law: FeedbackLaw, momentum: sp.Matrix) -> sp.Matrix:
    """thetadot = rho^{-1} pitilde - (G_ab^{-1} G_bi + tau) xi."""
    X = sp.Matrix(law.rotors.inertia).inv() * law.rotors.coupling.T
    return law.rho_inverse * momentum - (X + law.tau) * sp.Matrix(law.mechanism.algebra.xi)


def controlled_momentum(law: FeedbackLaw) -> sp.Matrix:
    """pitilde = rho (thetadot + (G_ab^{-1} G_bi + tau) xi), conserved by the full loop."""
    X = sp.Matrix(law.rotors.inertia).inv() * law.rotors.coupling.T
    turning = sp.Matrix(law.rotors.rates) + (X + law.tau) * sp.Matrix(law.mechanism.algebra.xi)
    return (law.rho_inverse.inv() * turning).applyfunc(sp.factor)


def reduced_loop(
    law: FeedbackLaw, momentum: Sequence[float] | None, outputs: Mapping[str, Any] | None = None
) -> EulerPoincare:
    """The closed loop without rotor rates, at a controlled momentum (None: zero, and no parameter for it).

    Rotor rates in the plant's invariants and outputs are those that the momentum gives; families that hold
    a rotor rate of their own are left out.
    """
    mechanism, rotors = law.mechanism, law.rotors
    n = mechanism.algebra.n
    gyroscopic = sp.zeros(n, 1) if mechanism.gyroscopic is None else sp.Matrix(mechanism.gyroscopic)
    extra: tuple[Parameter, ...] = ()
    if momentum is not None:
        extra = momentum_parameters(mechanism, momentum)
        gyroscopic += sp.Matrix(rotors.coupling) * law.rho_inverse * sp.Matrix([p.symbol for p in extra])
    held = sp.Matrix([p.symbol for p in extra]) if extra else sp.zeros(rotors.count, 1)
    rates = dict(zip(rotors.rates, rotor_rates(law, held), strict=True))
    return mechanism.replace(
        inertia=law.inertia,
        gyroscopic=None if gyroscopic.is_zero_matrix else list(gyroscopic),
        rotors=None,
        parameters=(*mechanism.parameters, *law.gain_parameters, *extra),
        parameter_sets={},
        invariants={k: v.subs(rates) for k, v in mechanism.invariants.items()},
        equilibria={
            k: f for k, f in mechanism.equilibria.items() if not set(f.states) & set(rotors.rate_labels)
        },
        outputs={**{k: v.subs(rates) for k, v in mechanism.outputs.items()}, **dict(outputs or {})},
        name=f"{mechanism.name or 'system'}, closed loop",
    )


def full_loop(law: FeedbackLaw) -> EulerPoincare:
    """The closed loop with rotor rates as states, the torque as feedback and as an output.

    The torque is the law at the controlled momentum that the rotor rates give, so that the loop follows
    the reduced one from every initial rate.
    """
    mechanism, rotors = law.mechanism, law.rotors
    momentum = controlled_momentum(law)
    torque = law.expression(momentum)
    xi = sp.Matrix(mechanism.algebra.xi)
    energy = (xi.T * law.inertia * xi)[0] / 2 + mechanism.potential
    invariants = {**mechanism.invariants, "controlled_energy": energy}
    invariants |= {f"momentum_{name}": p for name, p in zip(rotors.names, momentum, strict=True)}
    return mechanism.replace(
        feedback={**mechanism.feedback, **dict(zip(rotors.input_labels, torque, strict=True))},
        outputs={**mechanism.outputs, **dict(zip(rotors.input_labels, torque, strict=True))},
        invariants=invariants,
        parameters=(*mechanism.parameters, *law.gain_parameters),
        parameter_sets={},
        name=f"{mechanism.name or 'system'}, closed loop with rotor rates",
    )


def momentum_vector(mechanism: EulerPoincare, momentum: Any) -> np.ndarray:
    """The controlled momentum as a finite vector, one entry per rotor."""
    from geoctrl._checks import finite_array

    count = mechanism.rotors.count if mechanism.rotors else 0
    values = np.atleast_1d(finite_array("momentum", momentum))
    if values.shape == (1,) and count > 1 and values[0] == 0:
        values = np.zeros(count)
    if values.shape != (count,):
        raise ValueError(f"momentum must have {count} entries, one per rotor, got shape {values.shape}")
    return values
