"""
Dual spin
=========

A body that spins about its middle axis tumbles. A rotor along that axis steadies it, if it turns fast
enough: the bound is derived in symbols, proved on both sides, and shown.
"""

import numpy as np

import geoctrl as gc

inertias = {"I1": 2.9, "I2": 1.2, "I3": 2.1}  # the third axis is the middle one
body = gc.models.get("body-with-rotor")().reduce()
bound = (inertias["I1"] - inertias["I3"] - 0.3 + 0.2) / 0.3  # by the conditions, for a spin of 1 rad/s
found = gc.stability_conditions(body, "dual-spin")
print(found.stable[0])

# %%
# Beside the bound.

verdicts = []
for rate in (0.99 * bound, 1.01 * bound):
    eq = body.equilibrium("dual-spin", inertias, Omega0=1.0, rate0=rate)
    verdicts.append(gc.certify(body, eq, params=inertias).verdict)
    print(f"rotor at {rate:.3f} rad/s: {verdicts[-1]}")
assert verdicts == [gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE]

# %%
# The rotor at rest, and at twice the bound; both with a hint of rolling.

runs = []
for rate in (0.0, 2 * bound):
    start = body.state(Omega=(0.02, 0.0, 1.0), theta_dot=rate)
    runs.append(gc.simulate(body, np.linspace(0, 40, 801), start, params=inertias))
away = [np.degrees(np.arccos((r["Omega3"] / np.linalg.norm(r.states[:3], axis=0)).min())) for r in runs]
print(f"off the axis by {away[0]:.0f} and {away[1]:.1f} degrees")
assert away[0] > 90 > 5 > away[1]
parts = [
    gc.Solid("body", [gc.Block((0.7, 1.5, 1.1), opacity=0.6)], of=1),
    gc.Solid(
        "rotor",
        [gc.Disk(0.3, axis=(0, 0, 1), at=(0, 0, 0.62), thickness=0.12)],
        turns=[((0, 0, 1), "theta")],
        of=1,
    ),
]
gc.viz.scene(
    runs[0],
    compare=runs[1],
    parts=parts,
    names=("rotor at rest", "rotor turning"),
    signals=["Omega3", "Omega1"],
)
