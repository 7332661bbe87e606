"""
Rolling disk
============

A disk that rolls fast enough stays up. How fast is derived in symbols, and proved on both sides; the scene
shows two disks at these speeds.
"""

import numpy as np

import geoctrl as gc

disk = gc.models.get("rolling-disk")().reduce()

# %%
# Rolling turns the vertical in the body: stability is asked of the disk as seen from axes that do not spin.

conditions = gc.stability_conditions(disk.despun(), "rolling")
print(conditions.stable)
p = disk.params
speed = np.sqrt(p["A"] * p["g"] * p["a"] / (p["C"] * (1 + p["C"]))) / p["a"]
print(f"threshold {speed:.3f} rad/s")

# %%
# A tenth above and a tenth below it, from a lean of one degree.

lean = np.radians(1)
runs, verdicts = [], []
for factor in (0.9, 1.1):
    eq = disk.despun().equilibrium("rolling", Omega0=factor * speed)
    verdicts.append(gc.certify(disk.despun(), eq).verdict)
    start = disk.state(Omega3=factor * speed, Gamma=(0, np.cos(lean), np.sin(lean)))
    runs.append(gc.simulate(disk, np.linspace(0, 6, 601), start))
leans = [np.degrees(np.arcsin(abs(run["Gamma3"]).max())) for run in runs]
for verdict, most in zip(verdicts, leans):
    print(f"{verdict}: leans by {most:.0f} degrees")
assert verdicts == [gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE]
assert leans[0] > 30 > 10 > leans[1]
gc.viz.scene(runs[0], compare=runs[1], names=("0.9 of the threshold", "1.1 of it"), apart=(0, 1.2, 0))
