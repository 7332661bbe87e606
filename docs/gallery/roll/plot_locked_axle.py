"""
Braking with one axle locked
============================

Braking shifts weight forwards, and a locked axle brakes with the weight that it carries: friction and load
are solved for together. Locked in front a car stops sooner; locked behind it needs more way.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

mu, m, g, J, front, rear, height = 0.7, 1350.0, 9.81, 1700.0, 1.2, 1.5, 0.52
z, pitch = gc.Coordinate("z"), gc.Coordinate("pitch", angle=True)


def car(axle):
    locked = gc.Friction([1, 0, height], coulomb=mu * gc.reaction(axle), scale=1e-6)
    return gc.EulerPoincare(
        name="car",
        algebra=gc.rn(1).relabelled(["speed"], ["p"]),
        shape=[z, pitch],
        inertia=sp.diag(m, m, J),
        potential=m * g * z.symbol,
        constraints={"front": [0, 1, front], "rear": [0, 1, -rear]},  # both axles stay on the road
        leaf=[z.symbol, pitch.symbol],
        friction=[locked],
    ).reduce()


# %%
# From 25 m/s; by hand, with the base L, it is mu g rear / (L - mu h) in front and mu g front / (L + mu h)
# behind.

base, fig = front + rear, plt.figure()
by_hand = {"front": mu * g * rear / (base - mu * height), "rear": mu * g * front / (base + mu * height)}
for axle, expected in by_hand.items():
    system = car(axle)
    run = gc.simulate(system, np.linspace(0, 3.5, 176), system.state(speed=25.0))
    slowing = -system.rhs(0.0, run.states[:, 0])[0]
    loads = system.reactions(run.states[:, 0])
    print(f"{axle}: {slowing:.3f} m/s^2;", {name: f"{load:.0f} N" for name, load in loads.items()})
    assert abs(slowing - expected) < 1e-5 * expected
    assert abs(sum(loads.values()) - m * g) < 1e-6 * m * g
    way = np.concatenate([[0], np.cumsum(run["speed"][1:] * np.diff(run.time))])
    plt.plot(way, run["speed"], label=f"{axle} axle locked")
plt.gca().set(xlabel="way (m)", ylabel="speed (m/s)", title=rf"$\mu = {mu}$")
plt.legend(frameon=False)
plt.show()
