"""Symmetric compositions: a symmetric method of order two taken with several substeps has a higher order."""

from __future__ import annotations

from numbers import Real

import numpy as np

from geoctrl.errors import InputError

__all__ = ["ORDERS", "composition"]

# Halves of the palindromes; W. Kahan and R.-C. Li, Math. Comp. 66 (1997) for orders 6 and 8.
_HALVES = {
    2: (1.0,),
    4: (1 / (4 - 4 ** (1 / 3)), 1 / (4 - 4 ** (1 / 3)), 1 - 4 / (4 - 4 ** (1 / 3))),
    6: (
        0.39216144400731413928,
        0.33259913678935943860,
        -0.70624617255763935981,
        0.08221359629355080023,
        0.79854399093482996340,
    ),
    8: (
        0.13020248308889008088,
        0.56116298177510838456,
        -0.38947496264484728641,
        0.15884190655515560090,
        -0.39590389413323757734,
        0.18453964097831570709,
        0.25837438768632204729,
        0.29501172360931029887,
        -0.60550853383003451170,
    ),
}
ORDERS = tuple(_HALVES)


def composition(order: int) -> np.ndarray:
    r"""Fractions :math:`\gamma_i` of the step: :math:`\Phi_{\gamma_s h} \circ \dots \circ \Phi_{\gamma_1 h}`.

    Palindromes with 1, 5 (Suzuki 1990), 9 and 17 (Kahan & Li 1997) substeps, which sum to one and of which
    the odd powers up to ``order - 1`` sum to zero. Any symmetric method of order two becomes one of the order
    asked for; symplecticity and momenta are kept.

    Examples
    --------
    >>> composition(4).size, round(float(sum(composition(4) ** 3)), 14)
    (5, 0.0)
    """
    if not isinstance(order, Real) or order not in _HALVES:
        raise InputError(f"order must be one of {', '.join(map(str, ORDERS))}, got {order!r}")
    half = _HALVES[order]
    return np.array([*half, *half[-2::-1]])
