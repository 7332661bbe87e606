"""Linear laws by gains that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import entries, finite_array, require_choice
from geoctrl._scalars import real, shown
from geoctrl.errors import InputError, LabelError
from geoctrl.synthesis.linear.linear_law import LinearLaw
from geoctrl.synthesis.linear.manifold_law import ManifoldLaw, affine_law
from geoctrl.synthesis.linear.regulators import linearization_with_inputs
from geoctrl.systems import System

__all__ = ["linear_law"]


def linear_law(
    sys: System,
    eq: Any,
    K: Any,
    labels: Sequence[str] | None = None,
    params: Mapping[str, float] | None = None,
) -> LinearLaw | ManifoldLaw:
    r"""The law :math:`u = u_e - K (x - x_e)` with gains of one's own.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem, RotationSystem or ProductSystem
    eq : Equilibrium, state or (x, u)
    K : array (m, n), or mapping of input label -> mapping of state label -> gain
        In units of an input over those of a state; what a mapping leaves out is zero.
    labels : sequence of state labels, optional
        Of the columns of an array, all states in their order by default; others have no gain.
    params : dict, optional
        Overrides those of the equilibrium.

    Returns
    -------
    LinearLaw, or ManifoldLaw of a system on a manifold
        Whether it stabilises the point or not: ``law.eigenvalues`` and the verdict of its loop tell.

    Raises
    ------
    EquilibriumError
        If the point is no equilibrium.
    InputError, LabelError, ParameterError
        For gains of another shape or that are no finite numbers, a system without inputs; for unknown labels
        or parameters.
    TypeError
        For matrices, or anything else than a system.

    Examples
    --------
    >>> import geoctrl as gc
    >>> cart = gc.models.get("cart-pendulum")().reduce()
    >>> gains = {"u": {"x_dot": -2.0, "phi": -40.0, "phi_dot": -8.0}}
    >>> law = gc.linear_law(cart, cart.equilibrium("upright"), gains)
    >>> bool(max(law.eigenvalues.real) < 0)
    True
    """
    linear = linearization_with_inputs(sys, eq, params, "linear_law")
    system = linear.equilibrium.system
    inputs, states = list(system.input_labels), list(system.state_labels)
    if isinstance(K, Mapping):
        if labels is not None:
            raise InputError("labels are those of the columns of an array; this K names its states itself")
        gains = _gains_by_label(K, inputs, states)
    else:
        columns = states if labels is None else [str(label) for label in entries("labels", labels)]
        for label in columns:
            require_choice("label in labels", label, states, LabelError)
        if len(set(columns)) < len(columns):
            raise InputError(f"labels names a state twice: {', '.join(columns)}")
        gains = np.zeros((len(inputs), len(states)))
        gains[:, [states.index(label) for label in columns]] = finite_array(
            "K", K, (len(inputs), len(columns))
        )
    return affine_law(system, linear.equilibrium, gains, linear.controllable())


def _gains_by_label(K: Mapping[Any, Any], inputs: Sequence[str], states: Sequence[str]) -> np.ndarray:
    gains = np.zeros((len(inputs), len(states)))
    for key, row in K.items():
        require_choice("label in K", key, inputs, LabelError)
        if not isinstance(row, Mapping):
            raise InputError(f"K[{key!r}] must be a dict of state label -> gain, got {shown(row)}")
        for label, gain in row.items():
            require_choice(f"label in K[{key!r}]", label, states, LabelError)
            gains[inputs.index(key), states.index(label)] = real(gain, f"K[{key!r}][{label!r}]")
    return gains
