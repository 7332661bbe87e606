"""
Gaits of a snakeboard
=====================

Nobody pushes: turning a rotor and steering the wheels in step builds up momentum along the only direction
that the wheels leave free. What a gait does follows from its frequencies.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

board, t = gc.models.get("snakeboard")().reduce(), gc.time
connection = board.connection()
gaits = {
    "drive, 1:1": {"psi": -0.7 * sp.sin(t), "phi": 0.3 * sp.sin(t)},
    "rotate, 2:1": {"psi": 0.7 * sp.sin(2 * t), "phi": 0.7 * sp.sin(t)},
    "park, 3:2": {"psi": 0.7 * sp.sin(3 * t), "phi": 0.7 * sp.sin(2 * t)},
}

# %%
# Four cycles of each.

fig, axes = plt.subplots(1, 3, figsize=(9.4, 3.2), layout="constrained")
ends = {}
for ax, (name, gait) in zip(axes, gaits.items()):
    g, _ = connection.path(gait, np.linspace(0, 8 * np.pi, 241))
    ends[name] = g[-1, 0, 2], g[-1, 1, 2], np.degrees(np.arctan2(g[-1, 1, 0], g[-1, 0, 0]))
    ax.plot(g[:, 0, 2], g[:, 1, 2])
    ax.plot(*g[0, :2, 2], "o", ms=5)
    ax.set(title=name, xlabel="x (m)", aspect="equal", adjustable="datalim")
    print("{}: {:+.3f} m ahead, {:+.3f} m aside, turned by {:+.1f} degrees".format(name, *ends[name]))
axes[0].set(ylabel="y (m)")
assert ends["drive, 1:1"][0] > 1.8
assert ends["rotate, 2:1"][2] > 130
assert abs(ends["park, 3:2"][1] + 0.283) < 1e-3
assert abs(ends["park, 3:2"][2]) < 1e-6
plt.show()
