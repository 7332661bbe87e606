"""Cosines and sines of sums of angles, in any ring that has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["Angle", "sum_of_multiples"]

Angle = tuple[Any, Any]
"""Cosine and sine."""


def sum_of_multiples(terms: Iterable[tuple[Angle, int]], zero_angle: Angle) -> Angle:
    r"""Of the sum of whole multiples of angles, by the addition theorems.

    .. math:: C + i S = \prod_j (c_j + i s_j)^{k_j}, \qquad (c + i s)^{-1} = c - i s
    """
    C, S = zero_angle
    for (cosine, sine), count in terms:
        turned = sine if count > 0 else -sine
        for _ in range(abs(count)):
            C, S = C * cosine - S * turned, S * cosine + C * turned
    return C, S
