"""Schedules through points that are known in numbers, for tests of the law, of its proof and its file."""

from functools import cache

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.synthesis.test_gain_schedules import held


@cache
def pendulum_law(time=1, fit="linear", by="reference"):
    """A pendulum that a torque holds at q, with poles -2 and -3 at four points, which are none of s."""
    sys = held(time)
    points = [gc.find_equilibrium(sys, guess=[0, q], free=["u"]) for q in (-0.9, -0.3, 0.3, 0.9)]

    def design(point):
        return gc.linear_law(sys, point, {"u": {"q": np.cos(point.x[1]) + 6, "q_dot": 5 / time}})

    return gc.schedule(sys, points, "q", design=design, fit=fit, by=by)


@cache
def pendulum_proof(time=1, fit="linear"):
    return pendulum_law(time, fit).certify(cells=6)


@cache
def needle_law():
    """A needle on the leaf |Gamma| = 1 that a torque holds against another one."""
    plane, needle, u = gc.so2(), gc.AdvectedVector("Gamma", reference=(0, 1)), sp.Symbol("u", real=True)
    sys = gc.EulerPoincare(
        name="needle", algebra=plane, advected=[needle], inertia=[[1]], inputs=[u],
        forces=[-plane.xi[0] / 4 - needle.symbols[0] + u],
    ).reduce()  # fmt: skip
    angles = (-0.6, -0.2, 0.2, 0.6)
    points = [gc.find_equilibrium(sys, guess=[0, np.sin(a), np.cos(a)], free=["u"]) for a in angles]
    return gc.schedule(sys, points, "Gamma1", design=lambda e: gc.lqr(sys, e))


@cache
def needle_proof():
    return needle_law().certify(cells=4)
