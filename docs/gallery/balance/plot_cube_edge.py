"""
Cube on its edge, and how far its motor reaches
===============================================

A reaction wheel holds a cube on its edge. From how far it comes back is a matter of saturation: the torque
of the wheel has to beat gravity, and no law can do more.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

mech = gc.models.get("inertia-wheel-pendulum")()
plant = mech.reduce()
up = plant.equilibrium("upright")
p = mech.defaults

# %%
# A law for 200 samples a second with a torque of at most 0.3 m g l: at rest gravity is beaten below a lean
# of 0.3 only, 17 degrees. The law uses nearly all of it.

weights = {"phi": 100, "phi_dot": 1, "theta_dot": 1e-3}
weight = p["m"] * p["g"] * p["l"]
motor = gc.lqr(plant, up, Q=weights, R=100, rate=200).sampled(limits={"u_theta": 0.3 * weight})
print(gc.certify(plant, up, controller=motor).verdict)

fig, ax = plt.subplots()
ends = {}
for lean in (0.1, 0.2, 0.25, 0.28, 0.32):
    over = gc.Event(plant.mechanism.shape[0].symbol - 1.2, terminal=True)
    run = gc.simulate(
        plant, np.linspace(0, 4, 401), plant.state(phi=lean), controller=motor, events={"over": over}
    )
    ends[lean] = abs(run["phi"][-1])
    ax.plot(run.time, np.degrees(run["phi"]), label=f"{np.degrees(lean):.0f}°")
ax.set(xlabel="t (s)", ylabel="lean (deg)", ylim=(-20, 60), title="limit 0.3 m g l, 200 Hz")
ax.legend(title="start", frameon=False, ncols=2)
print({lean: f"{end:.0e}" for lean, end in ends.items()})
assert max(ends[lean] for lean in (0.1, 0.2, 0.25, 0.28)) < 1e-3
assert ends[0.32] > 1.19  # it lies on its side
plt.show()
