"""
Spherical robot
===============

A ball rolls without slipping, and two rotors in it turn it. Its centre of mass lies above the middle: it is
held on top while it may turn about the vertical at any rate.
"""

import numpy as np
import sympy as sp

import geoctrl as gc

# %%
# Group SE(3), one direction that is felt, three constraints: the material point at the contact rests.

algebra, vertical = gc.se3(), gc.AdvectedVector("Gamma")
G, W, Y = sp.Matrix(vertical.symbols), sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:])
m, r, above, g, J = 2.7, 0.16, 0.025, 9.81, 0.005
centre = sp.Matrix([0, 0, above])
kinetic = W.dot(sp.diag(0.034, 0.031, 0.026) * W) / 2 + m * (Y + W.cross(centre)).dot(Y + W.cross(centre)) / 2
robot = gc.EulerPoincare(
    name="spherical-robot",
    algebra=algebra,
    advected=[vertical],
    lagrangian=sp.expand(kinetic) - m * g * above * G[2],
    constraints=(Y - r * W.cross(G)).jacobian(algebra.xi),
    contact=-r * G,
    rotors=gc.Rotors(coupling=J * sp.eye(6)[:, :2], inertia=J * sp.eye(2), names=["w1", "w2"]),
    equilibria={"top": gc.Family({"Gamma3": 1})},
    picture=[
        gc.Solid("shell", [gc.Ellipsoid(r, opacity=0.25)], of=1),
        gc.Solid("mass", [gc.Ellipsoid(r / 4, at=(0, 0, r / 2), colour="#334155")], of=1),
        gc.Solid(
            "wheel 1", [gc.Disk(0.4 * r, axis=(1, 0, 0), colour="#D55E00")], of=1, turns=[((1, 0, 0), "w1")]
        ),
        gc.Solid(
            "wheel 2", [gc.Disk(0.4 * r, axis=(0, 1, 0), colour="#009E73")], of=1, turns=[((0, 1, 0), "w2")]
        ),
    ],
).reduce()
top = robot.equilibrium("top")
assert gc.certify(robot, top).verdict is gc.Verdict.PROVED_UNSTABLE

# %%
# Held at 100 Hz; the proof is of the held loop.

weights = {"Gamma1": 100, "Gamma2": 100, "w1_dot": 1e-4, "w2_dot": 1e-4}
law = gc.lqr(robot, top, Q=weights, R={"u_w1": 10, "u_w2": 10}, rate=100)
proof = gc.certify(robot, top, controller=law.sampled())
start = robot.state(Gamma=(0.08, -0.05, np.sqrt(1 - 0.08**2 - 0.05**2)), Omega=(0, 0, 0.5))
run = gc.simulate(robot, np.linspace(0, 8, 401), start, controller=law.sampled())
lean = np.degrees(np.hypot(run["Gamma1"], run["Gamma2"]))
print(f"{proof.verdict}; lean {lean[0]:.1f} degrees at first, {lean[-1]:.2f} at the end")
assert proof.verdict is gc.Verdict.PROVED_STABLE
assert lean[-1] < 0.1 * lean[0]
run.show(signals=["Gamma1", "Gamma2", "u_w1"])
