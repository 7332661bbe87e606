"""
A walker down a slope
=====================

Two legs and a hip walk down three degrees without a motor: what gravity gives in a step, the strike of the
foot takes. The gait attracts, and its step is that which Goswami and others published in 1998.
"""

import numpy as np

import geoctrl as gc

walker = gc.models.get("compass-walker")().hybrid()
published = [1.0918, 0.3772, -0.2187, 0.3234]  # just after a strike
gait = gc.find_periodic(walker, published, 0.7347)
print(gait)
assert gait.verdict is gc.Verdict.NUMERICALLY_STABLE
assert np.abs(gait.x - published).max() < 1e-4
assert abs(gait.period - 0.7347) < 1e-4

# %%
# At each strike as much energy is lost as the way down gives in a step.

stance, swing = gait.x[2:]  # angles of the legs of 1 m
fall = np.cos(swing) - np.cos(stance)  # from foot to foot (m)
given = 20.0 * 9.8 * abs(fall)
print(f"{gait.lost[0]:.6f} J lost, {given:.6f} J given")
assert abs(gait.lost[0] - given) < 1e-9

# %%
# Started a fiftieth faster it comes back: the largest multiplier tells by how much in each step.

run = gc.simulate(walker, np.linspace(0, 9, 451), gait.x * 1.02)
steps = np.diff([0.0, *(jump.time for jump in run.jumps)])
print("steps (s):", *steps[::3].round(4))
assert abs(steps[-1] - gait.period) < 1e-3 < abs(steps[1] - gait.period)
run.show(signals=["st", "sw"])
