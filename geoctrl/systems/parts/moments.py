"""Moments of inertia that no body can have: a slip of units, of a sign or of a digit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from geoctrl._checks import user_level
from geoctrl.errors import InertiaWarning

__all__ = ["warn_of_moments"]

_ROUNDING = 1e-9


def warn_of_moments(mechanism: Any) -> None:
    r"""Warn where the largest principal moment exceeds the sum of the others, at the default parameters.

    For :math:`I = \int (|x|^2 1 - x x^T)\,dm` it cannot, :math:`I_1 + I_2 - I_3 = 2\int x_3^2\,dm \ge 0`.
    Judged is a body that turns freely about a fixed point, and nothing else: with rotors, constraints, a
    gyroscopic term, other factors or an inertia that changes, the matrix may stand for more than one body
    (a gyrostat's carrier, the fluid around it, a mass moved along).
    """
    single = mechanism.algebra.name == "so3" and mechanism.rotors is None and mechanism.constraints is None
    if not single or mechanism.gyroscopic is not None or mechanism.indefinite:
        return
    numbers = {p.symbol: p.default for p in mechanism.parameters if p.default is not None}
    inertia = mechanism.inertia.subs(numbers)
    if inertia.free_symbols or not all(e.is_real and e.is_finite for e in inertia):  # refused elsewhere
        return
    least, middle, largest = np.linalg.eigvalsh(np.array(inertia.tolist(), dtype=float))
    if least >= 0 and largest > (least + middle) * (1 + _ROUNDING):
        warnings.warn(
            f"{mechanism.name or 'the mechanism'}: no body has the principal moments of inertia {least:.6g}, "
            f"{middle:.6g}, {largest:.6g}: the largest exceeds the sum of the others. "
            "Mend the inertia, or say indefinite=True where it is not that of a body",
            InertiaWarning,
            stacklevel=user_level(),
        )
