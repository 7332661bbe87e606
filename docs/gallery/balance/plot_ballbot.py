"""
Ballbot in the plane
====================

A ballbot: a body rides on a ball that it drives. One torque moves the ball and leans the body; to go one
way the ball has to roll the other way first.
"""

import numpy as np
import sympy as sp

import geoctrl as gc

# %%
# The ball's way x drops out of the equations, its velocity is that of a group; the lean is a coordinate.

line, lean, tau = (
    gc.rn(1).relabelled(["v"], ["p"]),
    gc.Coordinate("lean", angle=True),
    sp.Symbol("tau", real=True),
)
r, ball, J, m, length, inertia, g = 0.11, 2.4, 0.012, 9.2, 0.34, 0.45, 9.81  # radius, ball, body
v, w, c = line.xi[0], lean.rate, sp.cos(lean.symbol)
kinetic = (ball + J / r**2) * v**2 + m * (v**2 + 2 * length * c * v * w + length**2 * w**2) + inertia * w**2
robot = gc.EulerPoincare(
    name="ballbot",
    algebra=line,
    shape=[lean],
    lagrangian=kinetic / 2 - m * g * length * c,
    forces=[tau / r, -tau],  # between body and ball
    inputs=[tau],
    equilibria={"upright": gc.Family({"v": sp.Symbol("V")}, symbols=[sp.Symbol("V")])},
    picture=[
        gc.Solid("ball", [gc.Ellipsoid(r, colour="#475569")], of=1),
        gc.Solid(
            "body", [gc.Rod((0, 0, 0), (0, 0, 2 * length), 0.035)], of=1, turns=[((0, 1, 0), lean.symbol)]
        ),
    ],
).reduce()

# %%
# From rest to 0.8 m/s: the equilibrium of that speed is what the law is designed for.

cruise = robot.equilibrium("upright", V=0.8)
law = gc.lqr(robot, cruise, Q={"v": 4, "lean": 50, "lean_dot": 1}, R=1, rate=100)
driver = law.sampled(limits={"tau": 6})
print(proof := gc.certify(robot, cruise, controller=driver).verdict)
run = gc.simulate(robot, np.linspace(0, 6, 601), robot.state(), controller=driver)
print(f"back to {run['v'].min():.2f} m/s first, {run['v'][-1]:.3f} m/s at the end")
assert proof is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
assert run["v"].min() < -0.05
assert abs(run["v"][-1] - 0.8) < 0.01
run.show(signals=["v", "lean", "tau"])
