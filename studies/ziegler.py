"""Ziegler's column flutters: its Hopf point with a proved sign, the orbits that leave it, one of them proved.

Two rods under a force that follows the upper one, with dampers in both joints (Ziegler 1952). The point is
compared with the closed form, periods along the branch with those of AUTO-07p at its own points; an orbit is
enclosed, and its file confirmed by the checker. The picture (PNG) has the branch and some of its orbits.

    python studies/ziegler.py --out results/ziegler
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from matplotlib.figure import Figure

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

DAMPING = sp.Rational(1, 10)
SPAN = (1.4, 3.1)
POINT = 41 / 28 + 0.1**2 / 2
"""By Routh and Hurwitz."""
AUTO = {
    1.4757016525: 11.740304506,
    1.5565792121: 11.556908368,
    1.9505440905: 10.683388376,
    3.067537282: 8.7557317211,
}
"""Periods (s) of AUTO-07p by the force, to the digits that it has."""
PROVED_AT = 1.9505440905


def column() -> gc.ReducedSystem:
    """The column: angles from the vertical, in units of which masses, stiffness and length are numbers."""
    lower, upper, slow, fast = sp.symbols("q1 q2 w1 w2", real=True)
    force, bend = gc.Parameter("p", 1.45), lower - upper
    mass = sp.Matrix([[3, sp.cos(bend)], [sp.cos(bend), 1]])
    stiffness, dampers = sp.Matrix([[2, -1], [-1, 1]]), DAMPING * sp.Matrix([[2, -1], [-1, 1]])
    push = sp.sin(bend) * sp.Matrix([force.symbol - fast**2, slow**2])
    angles, rates = sp.Matrix([lower, upper]), sp.Matrix([slow, fast])
    turning = mass.inv() * (push - stiffness * angles - dampers * rates)
    return gc.VectorField(
        [slow, fast, lower, upper], [*turning, slow, fast], parameters=[force], name="Ziegler's column"
    ).reduce()


def flutter(system: gc.ReducedSystem) -> Any:
    """The Hopf point of the column that stands."""
    (change,) = gc.follow(system, [0, 0, 0, 0], along="p", span=(1.4, 1.6), points=3).changes
    return change


def orbit_at(branch: Any, value: float) -> gc.PeriodicOrbit:
    """The orbit of the branch at a force, from the nearest one that was followed."""
    near = int(np.argmin(np.abs(branch.values - value)))
    return gc.find_periodic(
        branch.system, branch.orbits[near].x, branch.periods[near], params={branch.along: value}
    )


def prove(orbit: gc.PeriodicOrbit, file: Path) -> None:
    """Enclose an orbit, and have its file confirmed by the checker."""
    enclosure = orbit.enclose(bits=96)
    enclosure.to_json(file)
    confirmed = gc.verify(file)
    print(f"  the orbit at p = {PROVED_AT:g}: {enclosure.verdict.value}, T = {enclosure.period} s")
    print(f"  its file: {confirmed.verdict.value}")


def draw(branch: Any, orbits: list[gc.PeriodicOrbit]) -> Figure:
    """Periods along the branch with the points of AUTO, and orbits in the plane of the angles."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    branch.plot(ax=left)
    left.plot(list(AUTO), list(AUTO.values()), "o", color="black", markersize=7, markerfacecolor="none")
    left.set_xlabel("force p")
    left.set_title("Periods of the orbits; circles: AUTO-07p")
    for colour, orbit in zip(COLOURS, orbits, strict=False):
        path = orbit.trajectory(401)
        right.plot(
            np.degrees(path["q1"]), np.degrees(path["q2"]), color=colour, label=f"p = {orbit.params['p']:.4g}"
        )
    right.plot(0, 0, "+", color="black")
    quiet(right, title="Orbits", xlabel="lower rod (degrees)", ylabel="upper rod (degrees)")
    right.legend(fontsize=8)
    return figure


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=Path("results/ziegler"), help="folder for figure and file"
    )
    parser.add_argument("--quick", action="store_true", help="no enclosure, which takes half a minute")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    system = column()
    change = flutter(system)
    form = change.normal_form("w1")
    low, high = form.bounds["l1"]
    print(f"flutter begins at p = {form.value:.15g}, closed form {POINT:.15g}")
    print(f"  {form.criticality}: first Lyapunov coefficient in [{low:.15g}, {high:.15g}]")
    branch = gc.follow(system, change, along="p", span=SPAN, points=21)
    found = [orbit_at(branch, value) for value in AUTO]
    for orbit, (value, period) in zip(found, AUTO.items(), strict=True):
        print(f"  p = {value:.10f}  T = {orbit.period:.12f} s  AUTO-07p {period:.11g} s")
    if not args.quick:
        prove(found[list(AUTO).index(PROVED_AT)], args.out / "orbit.json")
    draw(branch, found).savefig(args.out / "ziegler.png", dpi=160)
    print(f"what was made is in {args.out}")


if __name__ == "__main__":
    main()
