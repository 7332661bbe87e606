"""
Double pendulum, and the same by python-control
===============================================

A double pendulum with a torque in each joint goes to python-control and back: linear quadratic gains agree,
and so do the runs of both.
"""

import control
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

a, b = gc.Coordinate("a", angle=True), gc.Coordinate("b", angle=True)  # both from the upward vertical
u1, u2 = sp.symbols("u1 u2", real=True)
m1, m2, l1, l2, g = 1.1, 0.6, 0.5, 0.4, 9.81
rates = (m1 + m2) * l1**2 * a.rate**2 + m2 * l2**2 * b.rate**2
kinetic = (rates + 2 * m2 * l1 * l2 * sp.cos(a.symbol - b.symbol) * a.rate * b.rate) / 2
arm = gc.EulerPoincare(
    name="double pendulum",
    shape=[a, b],
    lagrangian=kinetic - g * ((m1 + m2) * l1 * sp.cos(a.symbol) + m2 * l2 * sp.cos(b.symbol)),
    forces=[u1 - u2, u2],
    inputs=[u1, u2],
).reduce()
# The first motor carries both links, the second one its own.
held = gc.find_equilibrium(arm, fixed={"a": 0.4, "b": 0.7}, free=["u1", "u2"])
second = -m2 * g * l2 * np.sin(0.7)
assert np.allclose(held.u, [second - (m1 + m2) * g * l1 * np.sin(0.4), second])

# %%
# Their Riccati equation and ours.

law = gc.lqr(arm, arm.state(), Q=np.diag([1.0, 1, 20, 20]), R=np.eye(2))
lin = gc.linearize(arm, arm.state())
gain, _, _ = control.lqr(lin.A, lin.B, np.diag([1.0, 1, 20, 20]), np.eye(2))
print("gains differ by", f"{abs(gain - law.K).max():.0e}")
assert abs(gain - law.K).max() < 1e-8 * abs(law.K).max()

# %%
# The open loop falls from half a degree, in their integrator and in ours.

times, start = np.linspace(0, 3, 301), arm.state(a=0.01)
ours = gc.simulate(arm, times, start)
settings = {"rtol": 1e-10, "atol": 1e-12}
theirs = control.input_output_response(
    arm.to_control(), times, np.zeros((2, 301)), start, solve_ivp_kwargs=settings
)
fig, ax = plt.subplots()
ax.plot(times, np.degrees(ours.states[2:].T))
ax.plot(times[::8], np.degrees(theirs.states[2:, ::8].T), ".", color="0.2", ms=4)
ax.legend(["a", "b", "python-control"], frameon=False)
ax.set(xlabel="t (s)", ylabel="angles from upright (deg)")
away = abs(ours.states - theirs.states).max()
print(f"runs differ by {away:.0e}; energy of ours is kept to {ours.drift['energy']:.0e}")
assert away < 1e-5
assert ours.drift["energy"] < 1e-10
plt.show()
