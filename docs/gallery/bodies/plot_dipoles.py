"""
Magnetic needles on a ring
==========================

Compass needles on a ring feel each other's fields. At rest they follow one another round the ring; one that
is turned away sends a wave to both sides.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

count, radius = 12, 0.07
angle = 2 * np.pi * np.arange(count) / count
places = radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
along = np.column_stack([-np.sin(angle), np.cos(angle), 0 * angle])
needles = gc.models.get("dipoles")(positions=places)

# %%
# The ring of needles is at rest.

rest = needles.pack(along, 0 * along)
print(f"rates at rest: {abs(needles.rhs(0.0, rest)).max():.0e}")
assert abs(needles.rhs(0.0, rest)).max() < 1e-9

# %%
# The first needle is turned by 45 degrees in the plane.

q = along.copy()
q[0] = (along[0] + places[0] / radius) / np.sqrt(2)
run = gc.spheres.integrate(needles, *gc.spheres.project(q, 0 * q), h=1e-3, steps=3000, record=10)
away = np.degrees(np.arccos(np.clip(np.einsum("tij,ij->ti", run.q, along), -1, 1)))
print(f"energy within {abs(run.energy - run.energy[0]).max() / abs(run.energy[0]):.0e} of itself")
fig, ax = plt.subplots()
shown = ax.pcolormesh(np.arange(-6, 6), run.time, np.roll(away, 6, axis=1), cmap="magma", shading="nearest")
ax.grid(False)
ax.set(xlabel="needle", ylabel="t (s)")
fig.colorbar(shown, label="turned away (deg)")
arrival = run.time[np.argmax(away > 3, axis=0)]
print("a wave arrives at needles 1 to 6 after", arrival[1:7], "s")
assert np.all(np.diff(arrival[:7]) > 0)
assert 2 < arrival[6] < 2.6
plt.show()
