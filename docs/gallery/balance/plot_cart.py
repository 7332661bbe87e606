"""
From a cart to C code
=====================

Cart and pendulum with integral action, proved as held at 100 Hz, and handed over as C that needs no
library.
"""

import tempfile

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

cart = gc.models.get("cart-pendulum")().reduce()
up = cart.equilibrium("upright")

# %%
# The integral of the speed is the place, to which the cart comes back.

law = gc.lqr(
    cart, up, Q={"x_dot": 1, "phi": 30, "phi_dot": 1, "x_dot_integral": 2}, integral=["x_dot"], rate=100
)
motor = law.sampled(limits={"u": 8})
proof = gc.certify(cart, up, controller=motor)
print(proof.verdict)
assert proof.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE

run = gc.simulate(cart, np.linspace(0, 6, 601), cart.state(phi=0.2), controller=motor)
way = np.concatenate([[0], np.cumsum((run["x_dot"][1:] + run["x_dot"][:-1]) / 2 * np.diff(run.time))])
fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(6.4, 4.4))
above.plot(run.time, np.degrees(run["phi"]), label="lean (deg)")
above.plot(run.time, 100 * way, label="place (cm)")
above.legend(frameon=False)
below.step(run.time, run["u"], where="post")
below.set(xlabel="t (s)", ylabel="force (N)")
above.set_title("100 Hz, 8 N")
assert abs(way[-1]) < 0.02 < way.max()

# %%
# What goes to the microcontroller.

header, source = motor.to_c(tempfile.mkdtemp(), name="cart")
lines = source.read_text().splitlines()
print(len(lines), "lines;", [line for line in header.read_text().splitlines() if "void" in line])
assert any("integral" in line for line in [*lines, header.read_text()])
plt.show()
