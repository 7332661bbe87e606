"""
Region of attraction with a motor's limit
=========================================

A proof at the equilibrium says nothing about how far off a start may be. The region does: every motion that
begins in it comes back, and the motor never asks for more than its torque at its speed.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

# %%
# A pendulum upright on a servo, and the line of a motor: stall torque 3 N m, 20 rad/s without load.

q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
servo = gc.EulerPoincare(
    name="servo",
    shape=[q],
    inertia=[[sp.Rational(1, 50)]],
    potential=sp.Rational(3, 5) * sp.cos(q.symbol),
    forces=[u],
    inputs=["u"],
    friction=[gc.Friction([1], viscous=sp.Rational(1, 100))],
).reduce()
law = gc.lqr(servo, servo.state(), Q={"q": 25, "q_dot": 1}, R=1)
loop = law.closed_loop()
region = gc.region_of_attraction(
    loop, law.equilibrium, limits={"u": gc.TorqueSpeed(stall=3, no_load=20)}, by="squares"
)
print(region)

# %%
# Starts on its edge, found along rays: runs from there keep the limit and come back.

runs, directions = [], 2 * np.pi * np.arange(12) / 12
for angle in directions:
    ray = np.array([10 * np.sin(angle), np.cos(angle)])  # rate, angle
    inside, outside = 0.0, 4.0
    while outside - inside > 1e-3:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if region.contains(middle * ray) else (inside, middle)
    runs.append(gc.simulate(loop, np.linspace(0, 2, 201), inside * ray))
region.plot(runs=runs)
motor = max(abs(run.outputs[0] + 0.15 * run["q_dot"]).max() for run in runs)
print(f"{region.verdict}; of 3 N m at most {motor:.2f} are asked")
assert motor < 3
assert max(np.linalg.norm(run.states[:, -1]) for run in runs) < 1e-3
plt.show()
