"""
Quadrotor with a load on a cable
================================

Place, attitude and cable are factors of one product, without angles that break down. A regulator that is
designed at hover brings the load to rest from far away.
"""

import numpy as np
import sympy as sp
from scipy.linalg import solve_continuous_are

import geoctrl as gc

drone = gc.models.get("quadrotor-with-cable")(link_lengths=0.4)
hover = drone.equilibrium("hover", x0=0, y0=0, z0=0)
print(gc.certify(drone, hover).verdict)

# %%
# Riccati's equation on the tangent space: eighteen directions of twenty-four states.

lin = gc.linearize(drone, hover)
weights = np.diag([10.0] * drone.split + [1.0] * (drone.size - drone.split))
effort = np.diag([1.0, 100.0, 100.0, 100.0])
P = solve_continuous_are(lin.A_leaf, lin.B_leaf, lin.basis.T @ weights @ lin.basis, effort)
K = np.linalg.solve(effort, lin.B_leaf.T @ P) @ lin.basis.T
loop = drone.closed_loop(
    list(sp.Matrix(hover.u) - sp.Matrix(K) * (sp.Matrix(drone.states) - sp.Matrix(hover.x)))
)
poles = gc.linearize(loop, hover.x).eigenvalues
print(f"slowest of {poles.size} poles: {poles.real.max():.3f} 1/s")
assert poles.real.max() < -0.5

# %%
# From 0.6 m aside, tilted, the cable swung out by 40 degrees.

swing = np.array([np.sin(0.7), 0.0, -np.cos(0.7)])
c, s = np.cos(0.4), np.sin(0.4)
start = {
    "x": ([0.5, -0.3, 0.2], [0, 0, 0]),
    "R": ([[1, 0, 0], [0, c, -s], [0, s, c]], [0, 0, 0.5]),
    "q1": (swing, [0, 0, 0]),
}
run = gc.simulate(loop, np.linspace(0, 8, 401), start)
load = run["x"] + 0.4 * run["q1"] + [0, 0, 0.4]
print(
    f"load {np.linalg.norm(load[0]):.2f} m away at first, {1000 * np.linalg.norm(load[-1]):.1f} mm at the end"
)
assert np.linalg.norm(load[-1]) < 0.01
run.show()
