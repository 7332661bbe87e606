"""
A rattleback reverses
=====================

A stone that spins one way only: turned the other way it begins to rattle, stops, and turns back. Which
sense is stable, and from which spin on, is proved.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

stone = gc.models.get("rattleback")().reduce()
spins = (-30, 20, 30)
verdicts = [gc.certify(stone, stone.equilibrium("spinning", Omega0=spin)).verdict for spin in spins]
print(*zip(spins, map(str, verdicts)))
unstable, stable = gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE
assert verdicts == [unstable, unstable, stable]

# %%
# The same small spin in both senses. Both are unstable; only one of them reverses.

fig, ax = plt.subplots()
ends = {}
for spin in (5.0, -5.0):
    start = stone.equilibrium("spinning", Omega0=spin).x
    start[1] = 0.02  # a hint of rocking
    run = gc.simulate(stone, np.linspace(0, 40, 2001), start)
    ends[spin] = run["Omega3"].min() if spin > 0 else run["Omega3"].max()
    ax.plot(run.time, run["Omega3"], lw=1, label=f"{spin:+g} rad/s")
ax.axhline(0, color="0.4", lw=0.8)
ax.set(xlabel="t (s)", ylabel="spin about the vertical axis (rad/s)")
ax.legend(title="start", frameon=False)
print({start: f"{end:+.2f}" for start, end in ends.items()})
assert ends[5.0] > 4.9
assert ends[-5.0] > 0.5
plt.show()
