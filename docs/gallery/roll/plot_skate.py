"""
A skate that falls, and one that is held
========================================

A pendulum on a blade falls over. A rotor along the blade holds it, by a controlled Lagrangian: the loop is
a mechanical system again, and its energy proves it stable.
"""

import numpy as np

import geoctrl as gc

mech = gc.models.get("pendulum-skate-rotor")(set="7.3")
skate = mech.reduce()
matching = gc.match(mech)
print(matching.design_sigma(mech.equilibrium("sliding", Y0=1.0)).bounds)

# %%
# One gain, any negative number that is not too large, and the verdict of both.

loop = matching.law(sigma=-1e-5).closed_loop()
verdicts = [gc.certify(s, s.equilibrium("sliding", Y0=1.0)).verdict for s in (skate, loop)]
print(*verdicts)
assert verdicts == [gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE]

# %%
# The same start, six degrees off: one lies on the ice after a second, the other rocks and goes on.

start = [0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))}
fall = gc.Event(skate.states[-1] - 0.05, terminal=True)
free = gc.simulate(skate, np.linspace(0, 2, 201), skate.project(*start), events={"fall": fall})
held = gc.simulate(loop, np.linspace(0, 2, 201), loop.project(*start))
print(f"fallen after {free.time[-1]:.2f} s; held above {held['Gamma3'].min():.4f}")
assert 0.5 < free.time[-1] < 1.5
assert held["Gamma3"].min() > 0.99
rows = {"cosine of the lean": "Gamma3"}
gc.viz.scene(free, compare=held, names=("rotor free", "rotor driven"), signals=rows, speed=0.5)
