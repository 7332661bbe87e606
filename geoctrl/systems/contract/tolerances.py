"""Where decisions fall that are made in floats: one number for each question, and why it is that one.

Exact arithmetic asks none of these, and the checker has none: its equalities are exact, and its inequalities
certain.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "CONVERGED",
    "GAINS",
    "INDEPENDENT",
    "KERNEL",
    "KINK",
    "LEAST_NORM",
    "NEARLY",
    "RESIDUAL",
    "SHORT",
    "SINGULAR_FRAME",
    "SINGULAR_MASS",
    "UNIT",
    "VANISHING",
    "rank",
]

RESIDUAL = 1e-9
"""Rate or defect, relative to its size (`geoctrl.systems.contract.scales`), at which a point counts as an
equilibrium on the leaf: what a search leaves where it converges only linearly, at a double zero say."""

CONVERGED = 1e-11
"""The same that a search has to reach by itself: rounding of some hundred operations."""

GAINS = 1e-12
"""What feedbacks leave where their terms cancel in a derivative, relative to these, that count as zero:
gains come of iterations, and no more digits of them mean anything."""

KERNEL = 1e-9
"""Singular value of a matrix of derivatives (of the field, of relations of the leaf) in units of its own,
relative to the largest, that counts as zero: entries are good to RESIDUAL, as the point is."""

INDEPENDENT = 1e-8
"""Sine of the angle to the span of others from which on a gradient counts as independent: half the digits,
since angles are roots of defects of squares."""

VANISHING = 1e-10
"""Gradient relative to the second derivatives, or form relative to the largest, that counts as zero: what
rounding leaves of terms that cancel."""

KINK = 1e-12
"""Argument of Abs, sign, Min, Max, Piecewise, over the size of its terms, for a point on a switch."""

SINGULAR_FRAME = 1e-10
"""Reciprocal condition number of a frame that counts as singular, in units in which the terms of rows and
columns are one."""

SINGULAR_MASS = 1e-13
"""The same of masses and of constraint rows, which hold squares of lengths."""

NEARLY = 1e-5
"""The same at which a run that broke off is put down to a singularity."""

LEAST_NORM = 1e-10
"""Singular value, relative to the largest, along which a step of Newton's does not go: below that it would be
the direction of a family, in which rounding alone points."""

SHORT = 9, 1e-11
"""Decimals of a short number, and the distance from it at which a result of a search is taken to be it; both
in units of the power of ten next to its size."""

UNIT = 1e-12
"""Rounding of a component, a length or a sine, relative to the largest that it can be."""


def rank(singular_values: np.ndarray, threshold: float, size: float | None = None) -> int:
    """Number of singular values (in descending order) above a threshold relative to the largest or to a size.

    Rows and columns are to be in units of their own: `geoctrl.systems.contract.scales`.
    """
    if not singular_values.size:
        return 0
    return int(np.sum(singular_values > threshold * (float(singular_values[0]) if size is None else size)))
