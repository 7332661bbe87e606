r"""Laws that are held, at the state half a hold ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import named_parameters, sampling_rate
from geoctrl.analysis import linearize
from geoctrl.analysis.certificates.sampled_loop import linearize_held
from geoctrl.errors import InputError

if TYPE_CHECKING:
    from geoctrl.synthesis.linear.linear_law import LinearLaw

__all__ = ["predicted"]

_SINGULAR = 1e-12
"""Of 1 - L G, relative to its entries."""


def predicted(law: Any, rate: float, eq: Any, params: Mapping[str, float] | None = None) -> LinearLaw:
    r"""The linear part of the law at the state half a hold ahead, under the input that it gives.

    A hold is to first order a delay of half of it. With :math:`\delta u = L\,\delta x` the linear part of the
    law, :math:`\delta x(h/2) = \Phi\,\delta x + G\,\delta u` and so

    .. math::
        \delta u = (1 - L G)^{-1} L \Phi\, \delta x, \qquad
        \Phi = e^{A h/2}, \quad G = \int_0^{h/2} e^{A s} B\, ds

    on what the inputs reach. The matched law is prolonged to longer holds; gains that are `compensated`, or
    those of `lqr` with ``rate``, hold at any.

    Parameters
    ----------
    rate : float
        1/h (Hz).
    eq : Equilibrium or state of the plant
        At which the law rests.
    params : dict, optional
        Of the law's model and the gains, by name; those of the equilibrium belong to the plant.

    Returns
    -------
    LinearLaw
        For ``sampled(rate)``.

    Examples
    --------
    >>> import geoctrl as gc
    >>> mech = gc.models.get("pendulum-skate-rotor")()
    >>> law, plant = gc.match(mech).law(sigma=-1e-5).with_damping(k=0.27), mech.reduce()
    >>> eq = plant.equilibrium("sliding", Y0=1.0)
    >>> for held in (law, law.predicted(10.0, eq)):
    ...     print(gc.linearize_held(plant, held.sampled(rate=10), eq).stable)
    False
    True
    """
    from scipy.linalg import expm

    from geoctrl.synthesis.linear.linear_law import LinearLaw

    size = sampling_rate(rate)
    held = law.sampled(size, params=named_parameters(params))
    feedback, plant = held.feedback, law.mechanism.reduce()
    if feedback.own:
        raise InputError(
            f"the law has states of its own, {', '.join(feedback.own)}: laws of the plant's are predicted"
        )
    point = linearize_held(plant, held, eq).equilibrium
    reached = linearize(plant, point).controllable()
    L = np.zeros((plant.ninputs, plant.nstates))
    acting = [plant.input_labels.index(label) for label in feedback.inputs]
    L[acting] = feedback.jacobian(dict(zip(plant.state_labels, point.x.tolist(), strict=True)))[0]
    V = reached.basis
    # Neither the plant nor the law reads them, nor does the prediction, but for rounding.
    unread = ~np.any(np.vstack([reached.A, L]), axis=0)
    A, B, L = V.T @ reached.A @ V, V.T @ reached.B, L @ V
    n, m = B.shape
    E = expm(np.vstack([np.hstack([A, B]), np.zeros((m, n + m))]) / (2 * size))
    ahead = np.eye(m) - L @ E[:n, n:]
    if np.linalg.svd(ahead, compute_uv=False)[-1] <= _SINGULAR * (1 + np.abs(L @ E[:n, n:]).max()):
        raise InputError(f"no input is predicted for a hold of {1 / size:g} s: sample faster")
    K = -np.linalg.solve(ahead, L @ E[:n, :n]) @ reached.projection
    K[:, unread] = 0.0
    return LinearLaw(plant, point, K, reached)
