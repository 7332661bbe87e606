"""A pendulum that is the same in its own unit of time, and any number slow in that of its description."""

from functools import cache

import numpy as np
import sympy as sp

import geoctrl as gc


@cache
def slow(eps):
    """phi'' + sqrt(eps) phi' = eps (0.3 - sin phi): in the time 1/sqrt(eps) the same for all eps."""
    phi = gc.Coordinate("phi", angle=True)
    return gc.EulerPoincare(
        shape=[phi],
        inertia=[[1]],
        potential=-eps * sp.cos(phi.symbol),
        forces=[0.3 * eps - np.sqrt(eps) * phi.rate],
        name="slow",
    ).reduce()
