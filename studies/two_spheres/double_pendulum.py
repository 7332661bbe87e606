"""Example 1: the double spherical pendulum, against Runge-Kutta with variable step."""

from __future__ import annotations

import geoctrl as gc
from studies.two_spheres.comparison import DOWN, Study, fixed, rk45, rows
from studies.two_spheres.figures import errors

TOLERANCE = 1e-6


def study(quick: bool = False) -> Study:
    system = gc.spheres.double_pendulum(1.0, 1.0, 9.81, 9.81, gravity=DOWN)
    start = gc.spheres.project([[0.8660, 0, 0.5], [0, 0, 1]], [[-0.4330, 0, 0.75], [0, 1, 0]])
    span = 20.0 if quick else 100.0
    ours = fixed(system, start, 0.01, span, "variational")
    theirs = rk45(system, start, span, rtol=TOLERANCE, atol=TOLERANCE)
    return Study(
        f"double spherical pendulum, h = 0.01 s, {span:g} s",
        rows(ours, 2.1641e-3, 8.8893e-15) + rows(theirs, 7.8586e-3, 6.2742e-6),
        [
            "The energy error of the variational method has the exponent -3. The exponents of RK45 are not "
            "legible in our copy and follow the computed ones.",
            "g is not printed; 9.81 m/s^2 is taken, the number of the printed lengths. The initial values "
            "are printed with four digits and normalised here; to change them by 5e-5 changes the mean by 2 "
            "per cent, for the motion is chaotic.",
            f"The tolerances of RK45 are not printed. {TOLERANCE:g} for both gives errors of the published "
            "size; with MATLAB's defaults, 1e-3 and 1e-6, the energy grows by 14 J.",
        ],
        lambda: errors("Double spherical pendulum", [theirs, ours]),
    )
