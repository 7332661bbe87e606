"""
Tippe top
=========

A ball with its centre of mass below the middle slides and spins. Spun fast enough it turns over and stands
on its stem: friction, which only takes energy away, lifts the centre of mass.
"""

import numpy as np

import geoctrl as gc

top = gc.models.get("tippe-top")().reduce()

# %%
# On its bottom it is stable up to one spin, on its stem from another one on.

asked = [("bottom", 27), ("bottom", 28), ("top", 32), ("top", 33)]
verdicts = [gc.certify(top, top.equilibrium(name, n=n)).verdict for name, n in asked]
for (name, n), verdict in zip(asked, verdicts):
    print(f"{name} at {n} rad/s: {verdict}")
names = [verdict.name for verdict in verdicts]
assert names == ["PROVED_STABLE", "PROVED_UNSTABLE", "PROVED_UNSTABLE", "PROVED_STABLE"]

# %%
# At 100 rad/s, six degrees off.

start = top.state(Gamma=(np.sin(0.1), 0, np.cos(0.1)), Omega=(0, 0, 100.0))
run = gc.simulate(top, np.linspace(0, 8, 1601), start)
print(f"cosine of the lean: {run['Gamma3'][0]:.3f} at first, {run['Gamma3'][-1]:.3f} at the end")
assert run["Gamma3"][-1] < -0.99
assert np.all(np.diff(run.energy) < 1e-9)
gc.viz.scene(run, signals={"cosine of the lean": "Gamma3"}, speed=0.5)
