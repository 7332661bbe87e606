"""Example 5: sixteen magnetic needles on a square grid, against Runge-Kutta with variable step."""

from __future__ import annotations

import numpy as np

import geoctrl as gc
from studies.two_spheres.comparison import LargestError, Start, Study, fixed, rk45, rows
from studies.two_spheres.figures import errors

LENGTH, H = 0.02, 1e-4


def start() -> Start:
    """All needles along e1, at rest, but for one in the corner."""
    q, omega = np.tile([1.0, 0, 0], (16, 1)), np.zeros((16, 3))
    q[0], omega[0] = (0.3536, 0.3536, -0.8660), (0, 0.5, 0)
    return gc.spheres.project(q, omega)


def study(quick: bool = False) -> Study:
    span = 1.0 if quick else 10.0
    grid = [[1.2 * LENGTH * i, 1.2 * LENGTH * j, 0] for i in range(4) for j in range(4)]
    system = gc.spheres.dipoles(grid, mass=0.05, length=LENGTH, moment=0.1)
    ours, theirs = (
        fixed(system, start(), H, span, "variational"),
        rk45(system, start(), span, method=LargestError),
    )
    return Study(
        f"sixteen magnetic needles, h = {H:g} s, {span:g} s",
        [*rows(ours, 8.5403e-11, 1.6140e-14), *rows(theirs, 2.9989e-7, 1.7594e-4)],
        [
            "Neither the step nor the time are printed; 1e-4 s and 10 s are chosen, which give errors of the "
            "published size.",
            "The first needle's angular velocity is not orthogonal to it as printed; the part along it, "
            "which moves nothing, is left out.",
            "RK45 with MATLAB's default tolerances, 1e-3 and 1e-6, and its measure of the error, the "
            "largest component: it loses energy, as in the paper. With scipy's mean square over all needles "
            "the errors are two to five times larger. The exponent of the variational method's energy error "
            "is not legible in our copy; it may be -10.",
        ],
        lambda: errors("Sixteen magnetic needles", [theirs, ours]),
    )
