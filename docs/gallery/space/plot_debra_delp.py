"""
Where the gravity gradient holds a satellite
============================================

The shape of a satellite is two ratios of its moments of inertia. The conditions of stability, derived in
symbols, cut their square: in the region of Lagrange the energy proves stability, in that of DeBra and Delp
the spectrum alone is imaginary.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

body = gc.models.get("orbiting-body")().reduce()
found = gc.stability_conditions(body, "aligned")
print(*found.stable, sep="\n")
J1, J2, J3 = (p.symbol for p in body.mechanism.parameters[1:])

# %%
# Axis 1 flies ahead, 2 is normal to the orbit, 3 points at the earth.

roll, yaw = np.meshgrid(*2 * [np.linspace(-0.995, 0.995, 400)])
moments = (1 - yaw) / (1 - roll * yaw), np.ones_like(roll), (1 - roll) / (1 - roll * yaw)
stable = np.all([sp.lambdify((J1, J2, J3), c)(*moments) for c in found.stable], axis=0)
unstable = np.any([sp.lambdify((J1, J2, J3), c)(*moments) for c in found.unstable], axis=0)
share = [100 * region.mean() for region in (stable, unstable, ~stable & ~unstable)]
print("{:.1f} % stable, {:.1f} % unstable, {:.2f} % by the spectrum alone".format(*share))

fig, ax = plt.subplots(figsize=(5.2, 4.6))
ax.contourf(
    roll, yaw, unstable + 2.0 * stable, levels=[-0.5, 0.5, 1.5, 2.5], colors=["#56B4E9", "#F3D9A4", "#A8D5BA"]
)
ax.set(xlabel="$(J_2 - J_3)/J_1$", ylabel="$(J_2 - J_1)/J_3$", aspect="equal")
ax.text(0.65, 0.3, "Lagrange", ha="center")
ax.text(-0.45, 0.5, "unstable", ha="center")
ax.annotate("DeBra–Delp", (-0.05, -0.7), (-0.9, -0.7), arrowprops={"arrowstyle": "-"}, va="center")

# %%
# A long body along the vertical is held, one along the track is not.

tall, long = {"J1": 1.0, "J2": 1.1, "J3": 0.3}, {"J1": 0.3, "J2": 1.1, "J3": 1.0}
verdicts = [gc.certify(body, body.equilibrium("aligned", p), params=p).verdict.name for p in (tall, long)]
print(*verdicts)
assert verdicts == ["PROVED_STABLE", "PROVED_UNSTABLE"]
assert abs(share[0] - 12.5) < 0.2
assert 2 < share[2] < 2.3
plt.show()
