"""What a stepping method is: its order, whether it solves equations, what it preserves; and compositions.

A symmetric method of order two taken with several substeps has a higher order.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from geoctrl.errors import InputError

__all__ = ["METHODS", "Method", "composition"]


@dataclass(frozen=True)
class Method:
    """A stepping method as it is chosen and told about; its steps are elsewhere.

    Attributes
    ----------
    name : str
    order : int
        Of one step of it; compositions have their own.
    implicit : bool
        Whether a step solves equations.
    preserves : tuple of str
        Words: "symplectic form", "momentum maps", "time reversal", "configuration manifold".
    """

    name: str
    order: int
    implicit: bool
    preserves: tuple[str, ...] = ()

    @property
    def composable(self) -> bool:
        """Whether symmetric compositions raise its order: it is its own reverse."""
        return "time reversal" in self.preserves


VARIATIONAL = Method(
    "variational",
    order=2,
    implicit=True,
    preserves=("symplectic form", "momentum maps", "time reversal", "configuration manifold"),
)


METHODS = {
    method.name: method
    for method in (
        VARIATIONAL,
        Method("rk2", order=2, implicit=False),
        Method("heun", order=2, implicit=False),
        Method("rk4", order=4, implicit=False),
    )
}
"""By name: "variational" is `geoctrl.stepping.methods.variational`; "rk2" (midpoint), "heun", "rk4" are
Runge-Kutta methods on configurations and velocities (`geoctrl.stepping.methods.runge_kutta`)."""

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
        raise InputError(f"order must be one of {', '.join(map(str, _HALVES))}, got {order!r}")
    half = _HALVES[order]
    return np.array([*half, *half[-2::-1]])
