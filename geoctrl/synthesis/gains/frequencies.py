r"""Gains in closed form, by the frequencies of the loop.

With one unstable direction x of the base, inertia g, coupling k, :math:`D = -V_{xx}`, frequencies
:math:`\omega_1 < \omega_2` of the loop belong to

.. math::

    1 + \kappa = \frac{g + D/(\omega_1\omega_2)}{k^2\gamma}, \qquad
    -\rho = \frac{k^2\gamma\,\omega_1^2\omega_2^2}{D(\omega_2 - \omega_1)^2}, \qquad
    -K = -\rho\gamma\,\omega_1\omega_2 .
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geoctrl._scalars import real
from geoctrl.errors import MatchingError
from geoctrl.synthesis.gains.linear_loops import LinearLoops
from geoctrl.synthesis.shaping.gain_matrices import multiples_of_one
from geoctrl.synthesis.shaping.matching_class import Shaping

__all__ = ["by_frequencies"]

_SLOWER = 0.4
"""First frequency of the recommended loop by the rate at which the plant falls; the second is that rate."""


def by_frequencies(
    shaping: Shaping,
    loops: LinearLoops,
    params: Mapping[str, float] | None,
    frequencies: tuple[float, float] | None,
) -> dict[str, float] | None:
    """Gains by name at the equilibrium, for base and fibre that are multiples of one direction; else None.

    Parameters
    ----------
    frequencies : two increasing positive numbers, optional
        By default those of the rate at which the plant falls.
    """
    matrices, names = shaping.matrices, [g.name for g in shaping.gains]
    if set(matrices or names) not in ({"kappa", "rho", "K"}, {"Lambda", "rho", "K"}):
        return None
    any_ = multiples_of_one(matrices, dict.fromkeys(matrices, 1.0)) or dict.fromkeys(names, 1.0)
    quantities = loops.one_direction(any_, params)
    if quantities is None or quantities[-1] <= 0:
        return None
    if frequencies is not None:
        first, second = (real(w, "a frequency") for w in frequencies)
        if not 0 < first < second:
            raise MatchingError(
                f"frequencies must be two increasing positive numbers, got {first:g}, {second:g}"
            )
    found, gamma = _of_one_direction(*quantities, frequencies), quantities[1]
    if not matrices:
        return found
    factors = {"Lambda": (1 + found["kappa"]) * gamma, "rho": found["rho"] * gamma, "K": found["K"]}
    return multiples_of_one(matrices, factors)


def _of_one_direction(
    g: float, gamma: float, k: float, D: float, frequencies: tuple[float, float] | None
) -> dict[str, float]:
    """kappa, rho and K for inertia g, coupling k and gravity D."""
    fall = np.sqrt(D / (g - k**2 * gamma))
    first, second = frequencies or (_SLOWER * fall, fall)
    product = first * second
    kappa = (g + D / product) / (k**2 * gamma) - 1
    rho = -(k**2) * gamma * product**2 / (D * (second - first) ** 2)
    return {"kappa": float(kappa), "rho": float(rho), "K": float(rho * gamma * product)}
