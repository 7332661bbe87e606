"""Example 4: an elastic rod of ten moving elements, with its right inertia and with the printed one."""

from __future__ import annotations

import numpy as np

import geoctrl as gc
from studies.two_spheres.comparison import DOWN, Start, Study, fixed, rk45, rows
from studies.two_spheres.figures import errors

N, MASS, LENGTH, STIFFNESS = 10, 0.055 / 11, 1.1 / 11, 1000.0
H = 1e-4


def printed(rod: gc.spheres.SphereSystem) -> gc.spheres.SphereSystem:
    """The rod with the inertia of the paper: elements below weigh half of what they do."""
    below = N - np.maximum.outer(np.arange(1, N + 1), np.arange(1, N + 1))
    inertia = (0.5 + 0.5 * below) * MASS * LENGTH**2
    np.fill_diagonal(inertia, (1 / 3 + np.diag(below)) * MASS * LENGTH**2)
    return rod.replace(mass=inertia)


def straight() -> Start:
    """Along the clamped element; the fifth is struck."""
    omega = np.zeros((N, 3))
    omega[4] = 0, 0, 10
    return np.tile([1.0, 0, 0], (N, 1)), omega


def study(quick: bool = False) -> Study:
    span = 0.2 if quick else 3.0
    rod = gc.spheres.elastic_rod(N, MASS, LENGTH, STIFFNESS, power=2, gravity=DOWN)
    ours, theirs = fixed(rod, straight(), H, span, "variational"), rk45(rod, straight(), span)
    wrong = printed(rod)
    ours_printed, theirs_printed = (
        fixed(wrong, straight(), H, span, "variational"),
        rk45(wrong, straight(), span),
    )
    name = "printed inertia, "
    return Study(
        f"elastic rod of ten elements, h = {H:g} s, {span:g} s",
        [
            *rows(ours_printed._replace(name=f"{name}variational"), 1.4310e-6, 2.9747e-14),
            *rows(theirs_printed._replace(name=f"{name}RK45"), 3.5244e-3, 1.8725e-5),
            *rows(ours),
            *rows(theirs),
        ],
        [
            "The published numbers go with the inertia as printed, m_ij = 1/2 sum m_k l_i l_j, and with "
            "springs kappa/2 (1 - q_{i-1}.q_i)^2, squared unlike the printed ones. The inertia of uniform "
            "rods is (m_max/2 + sum_{k > max} m_k) l_i l_j; the lower rows have it.",
            "The motion is chaotic: a change in the last digit of the inertia, or in the order of a sum, "
            "moves the variational method's energy error anywhere from 1.4e-6 to 2.0e-6 J, and that of RK45 "
            "from 2.3e-3 to 5.8e-3 J, in fourteen such changes.",
            "With the springs as printed bending oscillates at up to 2e4 rad/s, too fast for the published "
            "step: with the right inertia Newton's iteration fails in the tenth step, with the printed one "
            "the energy error is 6e-5 J.",
            "RK45 with MATLAB's default tolerances, 1e-3 and 1e-6, loses energy with the printed inertia, as "
            "in the paper. The exponents of the energy errors are not legible in our copy and follow the "
            "computed ones. g = 9.81 m/s^2 is not printed.",
        ],
        lambda: errors("Elastic rod after an impact", [theirs, ours]),
    )
