"""
Furuta's pendulum while its arm turns
=====================================

A law for a pendulum on an arm at rest fails while the arm turns, which throws the rod out. Gain scheduling
makes one law along the family of equilibria, and the certificate covers the whole range of rates at once.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

furuta = gc.models.get("furuta-pendulum")().reduce()
weights = {"phi": 1, "theta_dot": 0.01}
law = gc.schedule(
    furuta,
    "upright",
    "Omega0",
    nodes=[0, 8, 16, 24],
    design=lambda eq: gc.lqr(furuta, eq, Q=weights),
    degree=2,
)
proof = law.certify()
print(proof)
assert proof.stable == 1

# %%
# Growth rates of the scheduled loop, and of the law for an arm at rest.

fixed = gc.lqr(furuta, furuta.equilibrium("upright", Omega0=0.0), Q=weights)
loop, rates, growth = law.closed_loop(), np.linspace(0, 24, 49), []
for rate in rates:
    there = gc.linearize(furuta, furuta.equilibrium("upright", Omega0=rate))
    params = {"Omega0": rate}
    own = gc.linearize(loop, loop.equilibrium("upright", params), params=params).eigenvalues
    growth.append([own.real.max(), np.linalg.eigvals(there.A - there.B @ fixed.K).real.max()])
growth = np.array(growth)
fig, ax = plt.subplots()
ax.plot(rates, growth[:, 0], label="scheduled")
ax.plot(rates, growth[:, 1], "--", label="designed at rest")
ax.axhline(0, color="0.4", lw=0.8)
ax.set(xlabel="rate of the arm (rad/s)", ylabel="largest real part (1/s)")
ax.legend(frameon=False)
print(f"at 24 rad/s: {growth[-1, 0]:.2f} scheduled, {growth[-1, 1]:.2f} designed at rest")
assert growth[:, 0].max() < -3
assert growth[-1, 1] > 5
plt.show()
