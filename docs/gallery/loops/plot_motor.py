"""
How large a motor
=================

Gravity sets what no law can do without: a torque, and a speed of the rotor that takes the momentum up. The
design finds gains that keep both limits, or says what stands against it.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

mech = gc.models.get("pendulum-skate-rotor")()
plant = mech.reduce()
design = gc.match(mech).design(mech.equilibrium("sliding", Y0=1.0))
limits, speeds = {"u_theta": 8}, {"theta_dot": 360}
found = design.recommend(limits=limits, speeds=speeds, rate=100, tilt=0.1)
print(found)

# %%
# Motors that are too weak or too slow are refused, with the reason.

refused = []
for limit in ({"limits": {"u_theta": 2}}, {"speeds": {"theta_dot": 100}}):
    try:
        design.recommend(**limit, rate=100, tilt=0.1)
    except gc.MatchingError as error:
        refused.append(str(error))
print(*refused, sep="\n")
assert "above 2.348, and the limit is 2" in refused[0]
assert "by 145.9, and the limit is 100" in refused[1]

# %%
# The run from six degrees, within both limits.

start = plant.state(v3=1.0, Gamma=(0, np.sin(0.1), np.cos(0.1)))
run = gc.simulate(plant, np.linspace(0, 6, 601), start, controller=found.law.sampled(rate=100))
torque, speed = abs(run["u_theta"]).max(), abs(run["theta_dot"]).max()
print(f"{torque:.2f} N m, {speed:.0f} rad/s")
assert torque < 8
assert speed < 360
assert abs(run["Gamma2"][-1]) < 0.01
fig, ax = plt.subplots()
ax.plot(run["theta_dot"], run["u_theta"])
ax.plot(run["theta_dot"][0], run["u_theta"][0], "o", ms=5)
ax.add_patch(plt.Rectangle((-360, -8), 720, 16, fill=False, ls="--", ec="0.4"))
ax.set(xlabel="rotor (rad/s)", ylabel="torque (N m)", xlim=(-400, 400), ylim=(-9, 9), title="from 0.1 rad")
plt.show()
