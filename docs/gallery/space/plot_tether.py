"""
Tethered satellites
===================

Two satellites on a tether swing about the vertical like a pendulum, at frequencies that the orbit alone
gives: the root of three times its rate in the plane, twice its rate across. Along the track the tether
falls away.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

n = 0.0011  # rate of the orbit (rad/s)
pair = gc.models.get("tethered-satellites")(links=1)
radial = pair.equilibrium("radial")
frequencies = np.unique(abs(gc.linearize(pair, radial).eigenvalues.imag).round(9)) / n
print("frequencies over the rate of the orbit:", frequencies.round(4))
for expected in (3**0.5, 2.0):
    assert abs(frequencies - expected).min() < 1e-5
assert gc.certify(pair, pair.equilibrium("along-track")).verdict is gc.Verdict.PROVED_UNSTABLE

# %%
# Started thirty degrees off the vertical, in the plane of the orbit and a little across.

rest = pair.unpack(radial.x)
tilt = np.radians(30)
link = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
omega = np.array([0, n, 0]) + np.cross(link, [0, 2e-4, 0])  # against axes that do not turn
run = gc.simulate(pair, np.linspace(0, 4 * np.pi / n, 801), rest | {"q1": (link, omega)})
angle = np.degrees(np.arctan2(run["q1"][:, 0], run["q1"][:, 2]))
across = np.degrees(np.arcsin(run["q1"][:, 1]))
fig, ax = plt.subplots()
ax.plot(n * run.time / (2 * np.pi), angle, label="in the plane")
ax.plot(n * run.time / (2 * np.pi), across, label="across")
ax.set(xlabel="orbits", ylabel="off the vertical (deg)")
ax.legend(frameon=False)
print(f"at most {abs(angle).max():.2f} degrees")
assert 29.9 < abs(angle).max() < 31
plt.show()
