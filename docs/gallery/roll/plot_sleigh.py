"""
Chaplygin's sleigh turns round
==============================

A knife edge that never slides sideways, with the centre of mass ahead of it or behind. No friction acts and
the energy is constant, and yet one way of running attracts: pushed backwards, the sleigh turns round.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

sleigh = gc.models.get("chaplygin-sleigh")().reduce()

# %%
# Forwards proved stable, backwards proved unstable.

verdicts = [gc.certify(sleigh, sleigh.equilibrium("straight", V=V)).verdict for V in (1.0, -1.0)]
print(*verdicts)
assert verdicts == [gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE]

# %%
# Pushed backwards at 1 m/s, with a hint of turning.

run = gc.simulate(sleigh, np.linspace(0, 12, 1201), sleigh.state(Y1=-1.0, Omega=0.05))
print(
    f"{run['Y1'][0]:+.3f} m/s at first, {run['Y1'][-1]:+.3f} m/s at the end; energy {run.drift['energy']:.0e}"
)
assert run["Omega"].max() > 1
assert 0.999 < run["Y1"][-1] < 1.01
assert run.drift["energy"] < 1e-9

fig, (path, speed) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
x, y = run.position()[:, :2].T
path.plot(x, y)
path.plot(x[0], y[0], "o", ms=5)
path.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="way of the edge")
speed.plot(run.time, run["Y1"], label="ahead (m/s)")
speed.plot(run.time, run["Omega"], label="turning (rad/s)")
speed.set(xlabel="t (s)", title="energy is kept")
speed.legend(frameon=False)
plt.show()
