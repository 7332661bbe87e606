"""
Satellite with two wheels
=========================

The largest moment of inertia lies along the direction of flight, so that the gravity gradient turns this
satellite away. Two reaction wheels hold it by matching: the loop is a satellite of other moments, and the
bounds of the gain are derived in closed form.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

mech = gc.models.get("magnetic-satellite")(field="none")
matching = gc.match(mech, shaping="kinetic")
print(matching.design("pointing").bounds["kappa"])

# %%
# The bound, and the verdict on its two sides.

p = {**mech.defaults, "J1": 170.0}
bound = (p["J1"] - p["J2"]) / p["J_w"] - 1
loop = matching.law(kappa=matching.gains["kappa"]).closed_loop()


def verdict(kappa):
    params = {"J1": p["J1"], "kappa": kappa}
    return gc.certify(loop, loop.equilibrium("pointing", params, rate0=0.0), params).verdict


beside = [verdict(bound - 1e-6), verdict(bound + 1e-6)]
print(f"kappa = {bound:.3f}:", *beside)
assert beside == [gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE]

# %%
# Ten orbits from two degrees off, without a law and with one.

n, lean = p["n"], np.radians(2)
fig, ax = plt.subplots()
ends = []
for name, kappa in (("no law", 0.0), ("two wheels", 1.5 * bound)):
    params = {"J1": p["J1"], "kappa": kappa}
    start = loop.state(a=(0, 0, 1), b=(-np.sin(lean), np.cos(lean), 0), params=params)
    run = gc.simulate(loop, np.linspace(0, 8 * np.pi / n, 801), start, params=params)
    away = np.degrees(np.arccos(np.clip(run["b2"], -1, 1)))
    ends.append(away.max())
    ax.plot(n * run.time / (2 * np.pi), away, label=name)
ax.set(
    xlabel="orbits",
    ylabel="off the orbit's normal (deg)",
    title=rf"$J_1 = 170$, $\kappa = {1.5 * bound:.0f}$",
)
ax.legend(frameon=False)
print(f"{ends[0]:.0f} degrees without, {ends[1]:.1f} with")
assert ends[0] > 60
assert ends[1] < 12
plt.show()
