"""
Estimator in the loop
=====================

Nobody measures the lean: a gyro and the speed of the rotor suffice, which is a rank. The Kalman filter
estimates the rest, and the loop with it is proved like any other.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

skate = gc.models.get("pendulum-skate-rotor")().reduce()
sliding = skate.equilibrium("sliding", Y0=1.0)
lin = gc.linearize(skate, sliding)
for sensors in (["v1"], ["v1", "theta_dot"]):
    print(sensors, lin.observable(sensors))

# %%
# Law, filter, and the verdict on both together.

law = gc.lqr(skate, sliding, Q={"Gamma2": 100, "theta_dot": 1 / 360**2}, R={"u_theta": 1 / 64})
estimator = gc.lqe(skate, sliding, ["v1", "theta_dot"])
loop = law.closed_loop(estimator)
x = np.append(sliding.x, [0, 0, 0])
verdict = gc.certify(loop, x).verdict
print(verdict)
assert verdict is gc.Verdict.PROVED_STABLE
assert [lin.observable(s).rank for s in (["v1"], ["v1", "theta_dot"])] == [2, 3]

# %%
# The filter begins without knowing of six degrees of lean.

start = np.append(skate.state(v3=1.0, Gamma=(0, np.sin(0.1), np.cos(0.1))), [0, 0, 0])
run = gc.simulate(loop, np.linspace(0, 5, 501), start)
lean = np.degrees(np.arcsin(run["Gamma2"]))
fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(6.4, 4.4))
above.plot(run.time, lean)
above.set(ylabel="lean (deg)", title="sensors: gyro and rotor")
below.plot(run.time, run.states[-3:].T)
below.set(xlabel="t (s)", ylabel="the filter's states")
print(f"leans by at most {abs(lean).max():.1f} degrees, at the end by {abs(lean[-1]):.3f}")
assert abs(lean).max() < 40
assert abs(lean[-1]) < 0.05
plt.show()
