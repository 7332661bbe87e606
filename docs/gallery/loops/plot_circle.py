"""
A drone on a circle
===================

A steady turn is a point of rest, seen from axes that turn along: there it has an LQR law
and a proof.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

q = sp.Rational
x, R = gc.manifolds.Place("x"), gc.manifolds.Attitude("R")
m, g, J = q("4.34"), q("9.81"), sp.diag(q("0.082"), q("0.0845"), q("0.1377"))
f, *M = sp.symbols("f M1:4", real=True)
turning = gc.manifolds.ProductSystem(
    [x, R],
    kinetic=m * x.rate.dot(x.rate) / 2 + R.velocity.dot(J * R.velocity) / 2,
    potential=m * g * x.z[2],
    forces={"x": f * R.z[:, 2], "R": M},
    inputs=[f, *M],
    frame_rate=[0, 0, 1],
    name="drone",
)

# %%
# At 1 rad/s it leans by the angle of 3:4:5 on a circle of three quarters of g.

banked, radius = [[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]], 7.3575
on_circle = {"x": ([radius, 0, 0], [0, radius, 0]), "R": (banked, [0.6, 0, 0.8])}
eq = gc.find_equilibrium(turning, on_circle, free=["f", "M1", "M2", "M3"])
assert abs(eq.free["f"] - 1.25 * 4.34 * 9.81) < 1e-9
law = gc.lqr(turning, eq)
loop = law.closed_loop()
verdict = gc.certify(loop, law.equilibrium).verdict
print(verdict)
assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE

# %%
# Two metres behind its place it catches up within some seconds; from above, in space:

run = gc.simulate(loop, np.linspace(0, 10, 501), law.equilibrium.x - 2 * np.eye(18)[1])
x1, x2, x3 = (run[name] for name in ("x_1", "x_2", "x_3"))
c, s = np.cos(run.time), np.sin(run.time)
late = np.hypot(np.hypot(x1 - radius, x2), x3)
fig, (above, away) = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
above.plot(c * x1 - s * x2, s * x1 + c * x2)
above.set(aspect="equal", xlabel="east (m)", ylabel="north (m)")
away.plot(run.time, late)
away.set(xlabel="t (s)", ylabel="distance from its place (m)")
assert late[-1] < 0.01
plt.show()
