"""Second derivatives of the potential of a system at numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.manifolds.vectors.calculus import STEP

__all__ = ["hessian"]


def hessian(run: Any, first: np.ndarray) -> np.ndarray:
    """Ambient second derivatives of the potential by the N rows of a configuration, (3N, 3N).

    Of a function of the user's from central differences of its gradient.
    """
    system, flat = run.system, first.ravel()
    size = flat.size
    if system.computed:
        ends = [(flat + e, flat - e) for e in STEP * np.eye(size)]
        rows = [
            (run.slope(a.reshape(first.shape)) - run.slope(b.reshape(first.shape))).ravel() for a, b in ends
        ]
        H = np.array(rows) / (2 * STEP)
        return (H + H.T) / 2
    H = np.zeros((size // 3, 3, size // 3, 3))
    for term in system.potential_terms:
        term.add_second(system, flat.reshape(-1, 3), run.params, H)
    return H.reshape(size, size)
