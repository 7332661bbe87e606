"""
A hopper
========

A body on a springy leg lands, throws itself up and flies: four phases, with two impacts in each hop. A spring
that is stiffer on its way up pays for what they take.
"""

import numpy as np

import geoctrl as gc

mech = gc.models.get("hopper")()
hopper, p = mech.hybrid(), mech.defaults
start = hopper.modes["stance"].state(z_dot=-1.4, z=p["l"], k=p["k1"])  # just landed
hop = gc.find_periodic(hopper, start, 0.42)
print(hop)

# %%
# The balance of energy gives the depth of the hop, and impacts the part of the speed that is kept.

kept = p["m"] / (p["m"] + p["mf"])
weight = p["m"] * p["g"]
depth = 2 * weight * (1 - kept**2) / (p["k1"] - kept**2 * p["k2"])
print(f"depth {p['l'] - hop.states[1][1]:.9f} m, by energy {depth:.9f} m")
assert abs(p["l"] - hop.states[1][1] - depth) < 1e-9

# %%
# Dropped faster than that it comes back to this hop, a tenth nearer each time.

(slowest,) = (z.real for z in hop.others if abs(z) > 0.1)
faster = hop.x.copy()
faster[0] *= 1.2
run = gc.simulate(hopper, np.linspace(0, 6, 601), faster)
landings = [jump.after[0] for jump in run.jumps if jump.name == "landing"]
off = np.abs(np.array(landings) - hop.x[0])
print("off the hop (m/s):", *off[::3].round(3), f"multiplier {slowest:.4f}")
assert abs(off[-1] / off[-2] - slowest) < 0.01
run.show(signals=["z", "y"])
