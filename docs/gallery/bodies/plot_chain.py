"""
Hanging chain
=============

Ten links swing on spheres, without any angle. The variational method keeps every link at its length and the
energy in a narrow band, for as long as one likes.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

links = 10
chain = gc.spheres.chain_pendulum(np.full(links, 0.1), np.full(links, 0.1))
down = np.tile([0.0, 0.0, -1.0], (links, 1))
hanging = gc.find_equilibrium(chain, guess=(down, 0 * down))
print(gc.certify(chain, hanging).verdict)

# %%
# Let go from a spiral.

angle = np.linspace(0, 1.5 * np.pi, links)
q, omega = gc.spheres.project(
    np.column_stack([np.cos(angle), np.sin(angle), -0.3 * np.ones(links)]), 0 * down
)
run = gc.spheres.integrate(chain, q, omega, h=1e-3, steps=20_000, record=20)
error = run.energy - run.energy[0]
print(f"energy within {abs(error).max():.0e} J, lengths within {run.length_error.max():.0e}")

fig, (shapes, energy) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
for k in range(0, 60, 6):
    points = np.vstack([np.zeros(3), np.cumsum(0.1 * run.q[k], axis=0)])
    shapes.plot(points[:, 0], points[:, 2], "-o", ms=2.5, lw=1, color=plt.cm.viridis(k / 60))
shapes.set(aspect="equal", xlabel="x (m)", ylabel="z (m)", title="first 1.2 s")
energy.plot(run.time, 1e3 * error, lw=0.7)
energy.set(xlabel="t (s)", ylabel="energy error (mJ)", title="steps of 1 ms")
first, second = np.split(abs(error[:-1]), 2)
assert run.length_error.max() < 1e-14
assert second.max() < 2 * first.max() < 0.01 * np.ptp(run.energy + 1.0) + 0.02
plt.show()
