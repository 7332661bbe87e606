"""
What a loop tolerates
=====================

A model leaves things out: the hold of a computer, a delay, the saturation of a motor. Each is tried by
itself until the loop fails; two runs beside what is tolerated show how.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

mech = gc.models.get("pendulum-skate-rotor")()
plant = mech.reduce()
law = gc.match(mech).law(sigma=-5e-6).with_damping(k=8, kappa=1)
start = plant.state(v3=1.0, Gamma=(0, np.sin(0.1), np.cos(0.1)))
report = gc.robustness(
    plant,
    law,
    start,
    np.linspace(0, 10, 101),
    checks=["hold", "delay", "limit"],
    stays={"Gamma2": np.sin(1.2)},
    returns={"Gamma2": 0.1},
)
print(report)

# %%
# A delay below what is tolerated, and one above.

tolerated = {row.check: row.tolerated for row in report.rows}
fig, ax = plt.subplots()
ends = []
for factor in (0.5, 0.9, 1.2):
    late = law.sampled(rate=500, delay=factor * tolerated["delay"])
    run = gc.simulate(plant, np.linspace(0, 10, 501), start, controller=late, throw=False)
    ends.append(abs(run["Gamma2"][-100:]).max())
    ax.plot(run.time, np.degrees(np.arcsin(run["Gamma2"])), label=f"{1000 * late.delay:.0f} ms")
ax.set(xlabel="t (s)", ylabel="lean (deg)", ylim=(-45, 45))
ax.legend(title="delay", frameon=False)
print("sine of the lean at the end:", *(f"{end:.0e}" for end in ends))
assert max(ends[:2]) < 0.1 < ends[2]
assert 0.12 < tolerated["delay"] < 0.14
assert tolerated["hold"] > 0.28
plt.show()
