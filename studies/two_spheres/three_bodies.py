"""Example 2: three bodies on a sphere, the errors against the step."""

from __future__ import annotations

import numpy as np

import geoctrl as gc
from studies.two_spheres.comparison import Row, Study, fixed
from studies.two_spheres.figures import by_step

STEPS = (1e-2, 5e-3, 2.5e-3, 1e-3, 5e-4)
PUBLISHED = {5e-3: 1.1717e-4, 5e-4: 1.1986e-6}


def study(quick: bool = False) -> Study:  # noqa: ARG001 - a second in any case
    system = gc.spheres.particles_on_sphere([1.0, 1.0, 1.0], gamma=1.0)
    start = (
        np.array([[0.0, -1, 0], [0, 0, 1], [-1, 0, 0]]),
        np.array([[0.0, 0, -1.1], [1, 0, 0], [0, 1, 0]]),
    )
    ours = [fixed(system, start, h, 10.0, "variational") for h in STEPS]
    theirs = [fixed(system, start, h, 10.0, "RK2", method="rk2") for h in STEPS]
    rows = []
    for h, a, b in zip(STEPS, ours, theirs, strict=True):
        rows.append(Row(f"variational, h = {h:g} s: energy", PUBLISHED.get(h), a.energy_error))
        rows.append(Row(f"RK2, h = {h:g} s: energy", None, b.energy_error))
    for h, a, b in zip(STEPS[1::3], ours[1::3], theirs[1::3], strict=True):
        rows.append(Row(f"variational, h = {h:g} s: length", None, a.length_error))
        rows.append(Row(f"RK2, h = {h:g} s: length", None, b.length_error))
    return Study(
        "three bodies on a sphere, 10 s",
        rows,
        [
            "The two published numbers belong to the steps 5e-3 s and 5e-4 s; the text prints others.",
            "RK2 is the explicit midpoint method; the paper shows its errors in a figure only.",
        ],
        lambda: by_step("Three bodies on a sphere: mean errors over 10 s", STEPS, [theirs, ours]),
    )
