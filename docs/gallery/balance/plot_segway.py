"""
Segway that drives and turns
============================

Two wheels, a hull above them, a motor at each wheel: read from a model file. Driving a circle upright is an
equilibrium like standing still, so that it is held and proved in the same way.
"""

import numpy as np

import geoctrl as gc

segway = gc.models.get("balancer")().reduce()
print(segway.state_labels, segway.input_labels)

# %%
# A circle of a quarter of a metre: 0.5 m/s ahead and 2 rad/s about the vertical.

circle = segway.equilibrium("driving", v=0.5, w=2.0)
print(gc.linearize(segway, circle))
law = gc.lqr(segway, circle, rate=100)
proof = gc.certify(segway, circle, controller=law.sampled())
print(proof.verdict)

# %%
# From standing, with a pitch of three degrees.

run = gc.simulate(segway, np.linspace(0, 5, 501), segway.state(pitch=0.05), controller=law.sampled())
radius = run["Y1"][-1] / run["Omega"][-1]
print(f"radius {radius:.3f} m; pitch at most {np.degrees(abs(run['pitch']).max()):.1f} degrees")
assert proof.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
assert abs(radius - 0.25) < 1e-3
assert abs(run["pitch"][-1]) < 1e-4
run.show(signals=["Y1", "Omega", "pitch"])
