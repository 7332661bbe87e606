"""
Cube on its corner
==================

A cube balances on a corner by three reaction wheels: described, held 100 times a second within the
saturation of its motors, proved, and shown as an animation.
"""

import numpy as np
import sympy as sp

import geoctrl as gc

# %%
# The cube turns about its corner and feels the vertical; a wheel lies along each edge.

m, a, J, g = 1.2, 0.075, 0.0005, 9.81  # mass, half an edge, inertia of a wheel
wheel, side = J * sp.eye(3), a * sp.ones(3, 1)
up = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
body = gc.Solid("cube", [gc.Block((2 * a, 2 * a, 2 * a), at=side, opacity=0.45)])
disks = [
    gc.Solid(
        f"wheel {k + 1}",
        [gc.Disk(a / 2, axis=np.eye(3)[k], colour="#D55E00")],
        place=side + sp.Rational(2, 3) * a * sp.eye(3)[:, k],
        turns=[(np.eye(3)[k], f"w{k + 1}")],
    )
    for k in range(3)
]
cube = gc.EulerPoincare(
    name="cube",
    algebra=gc.so3(),
    advected=[up],
    inertia=m * a**2 * (sp.Rational(11, 3) * sp.eye(3) - sp.ones(3, 3)) + wheel,
    potential=m * g * side.dot(sp.Matrix(up.symbols)),
    rotors=gc.Rotors(coupling=wheel, inertia=wheel, names=["w1", "w2", "w3"]),
    equilibria={"corner": gc.Family({f"Gamma{k}": 1 / sp.sqrt(3) for k in (1, 2, 3)})},
    picture=[body, *disks],
).reduce()
corner = cube.equilibrium("corner")
assert gc.certify(cube, corner).verdict is gc.Verdict.PROVED_UNSTABLE

# %%
# Weights by state, a design for the sampled loop, and a proof of the loop as the computer runs it.

weights = {f"Gamma{k}": 100 for k in (1, 2, 3)} | {f"w{k}_dot": 0.001 for k in (1, 2, 3)}
law = gc.lqr(cube, corner, Q=weights | {f"Omega{k}": 1 for k in (1, 2, 3)}, R=1000, rate=100)
motors = law.sampled(limits={f"u_w{k}": 0.2 for k in (1, 2, 3)})
proof = gc.certify(cube, corner, controller=motors)
start = cube.state(Gamma=np.array([1.05, 1.0, 0.95]) / np.linalg.norm([1.05, 1.0, 0.95]))
run = gc.simulate(cube, np.linspace(0, 4, 401), start, controller=motors)
print(f"{proof.verdict}; largest torque {np.abs(run.inputs).max():.3f} N m")
assert proof.verdict is gc.Verdict.PROVED_STABLE
assert abs(run["Gamma3"][-1] - 3**-0.5) < 1e-3
assert abs(run.inputs).max() < 0.2
run.show(signals=["u_w1", "w1_dot", "Gamma3"])
