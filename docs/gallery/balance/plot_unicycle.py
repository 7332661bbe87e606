"""
Unicycle with a rotor
=====================

A disk rolls below a rider who drives a rotor. Matching gives a law with one gain, and the bound above which
it holds the unicycle; shown is the growth rate over the gain, with the verdicts beside the bound.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

mech = gc.models.get("unicycle-with-rotor")()
matching = gc.match(mech, shaping="kinetic")
p = mech.defaults
bound = (p["m"] * p["R"] ** 2 + p["mu"] * p["h"] ** 2 + p["A"] + p["K1"]) / p["J"]
loop = matching.law(kappa=matching.gains["kappa"]).closed_loop()


def upright(kappa):
    return loop.equilibrium("upright", {"kappa": kappa}, V0=1.0), {"kappa": kappa}


# %%
# Below I1 / J proved unstable, above it proved stable. At the bound itself the controlled inertia is
# singular.

verdicts = [gc.certify(loop, *upright(ratio * bound)).verdict for ratio in (0.999, 1.001)]
print(f"I1 / J = {bound:.1f}:", *verdicts)
assert verdicts == [gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE]

ratios = np.linspace(0, 2, 80)
gains = {"kappa": ratios * bound}
spectra = gc.linearize_many(loop, loop.members("upright", gains, V0=1.0), gains).eigenvalues
growth = spectra.real.max(axis=1)
fig, ax = plt.subplots()
ax.plot(ratios, growth)
ax.axvspan(1, 2, color="#A8D5BA", lw=0)
ax.text(1.5, 10, "held", ha="center")
ax.set(xlabel=r"gain $\kappa J / I_1$", ylabel="growth rate (1/s)", ylim=(0, 30), title="1 m/s")
assert growth[ratios > 1.01].max() < 1e-6
plt.show()
