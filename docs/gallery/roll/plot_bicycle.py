"""
Speeds at which a bicycle rides by itself
=========================================

Nobody holds the handlebars. Below the weave speed the bicycle sways up, above the capsize speed it leans
over; in between it is proved to return to straight riding.
"""

import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc

bicycle = gc.models.get("whipple-bicycle")(tilt="tau").reduce()
speeds = np.linspace(2, 8, 121)
upright = bicycle.members("upright", v=speeds)
spectra = np.array([np.sort_complex(s) for s in gc.linearize_many(bicycle, upright).eigenvalues])
growth = np.array([s.real[abs(s) > 1e-6].max() for s in spectra])

# %%
# Weave and capsize speed of the benchmark are 4.292 and 6.024 m/s.

stable = speeds[growth < 0]
print(f"between {stable[0]:.2f} and {stable[-1]:.2f} m/s")
verdicts = [gc.certify(bicycle, bicycle.state(speed=v)).verdict.name for v in (4, 5, 6.5)]
print(*verdicts)
assert verdicts == ["PROVED_UNSTABLE", "PROVED_STABLE", "PROVED_UNSTABLE"]
assert 4.25 < stable[0] < 4.35
assert 5.95 < stable[-1] < 6.05

fig, ax = plt.subplots()
ax.axvspan(4.292, 6.024, color="#A8D5BA", lw=0)
ax.plot(speeds, spectra.real, ".", ms=2, color="#0072B2")
ax.axhline(0, color="0.4", lw=0.8)
ax.set(xlabel="speed (m/s)", ylabel="real parts of the eigenvalues (1/s)", ylim=(-8, 4))
ax.text(5.15, 3.2, "rides by itself", ha="center")
plt.show()
