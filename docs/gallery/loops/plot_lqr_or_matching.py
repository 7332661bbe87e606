"""
LQR or matching, under a hold
=============================

Two laws for the skate: a linear regulator, and the law of a controlled Lagrangian with damping. What is
left of each when a computer holds its output, and how slow that computer may be.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

mech = gc.models.get("pendulum-skate-rotor")()
plant = mech.reduce()
sliding = plant.equilibrium("sliding", Y0=1.0)
weights = {"Gamma2": 100, "theta_dot": 1 / 360**2}
laws = {
    "LQR": gc.lqr(plant, sliding, Q=weights, R={"u_theta": 1 / 64}),
    "matching": gc.match(mech).law(sigma=-5e-6).with_damping(k=8.0, kappa=1.0),
}

# %%
# The multipliers of the held loop tell the largest hold; at 100 Hz both loops are proved.

start = plant.state(v3=1.0, Gamma=(0, np.sin(0.1), np.cos(0.1)))
fig, (lean, torque) = plt.subplots(2, 1, sharex=True, figsize=(6.4, 4.4))
verdicts, holds = {}, {}
for name, law in laws.items():
    motor = law.sampled(rate=100)
    verdicts[name] = gc.certify(plant, sliding, controller=motor).verdict.name
    holds[name] = gc.linearize_held(plant, motor, sliding).largest_hold()[0]
    run = gc.simulate(plant, np.linspace(0, 5, 501), start, controller=motor)
    print(f"{name}: {verdicts[name]}, {run['u_theta'][0]:.1f} N m at first, held up to {holds[name]:.3f} s")
    lean.plot(run.time, np.degrees(np.arcsin(run["Gamma2"])), label=name)
    torque.plot(run.time, run["u_theta"], label=name)
lean.set(ylabel="lean (deg)", title="100 Hz")
lean.legend(frameon=False)
torque.set(xlabel="t (s)", ylabel="torque (N m)")
assert set(verdicts.values()) == {"PROVED_STABLE"}
assert abs(holds["LQR"] - 0.170) < 1e-3
assert abs(holds["matching"] - 0.288) < 1e-3
plt.show()
