"""Gravity-gradient stability of a body in a circular orbit: the map over the ratios of its moments.

Classifies every body by the library's own conditions for the attitude with axis 1 along the flight, 2 along
the orbit's normal and 3 along the radius, checks them against exact certificates at random bodies, prints the
shares of the square |k1|, |k3| < 1, and draws the map (PNG).

    python studies/orbit_stability_map.py --out results

k1 = (J2 - J3)/J1 and k3 = (J2 - J1)/J3 (P. C. Hughes, Spacecraft Attitude Dynamics, Wiley 1986, ch. 9).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import sympy as sp
from scipy.integrate import quad

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

LAGRANGE, GYROSCOPIC, UNSTABLE = range(3)
NAMES = ("Lagrange: Jacobi integral definite", "DeBra-Delp: spectrum only", "unstable")
VERDICTS = ("PROVED_STABLE", "SPECTRALLY_STABLE_ONLY", "PROVED_UNSTABLE")


def moments(k1, k3):
    """Moments of inertia with these ratios, up to a common factor."""
    return 1 - k3, 1 - k1 * k3, 1 - k1


def cells(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Cell centres of a grid over the square; even numbers that differ by two keep them off k1 = k3."""
    sides = (2 * (count // 2), 2 * (count // 2) + 2)
    return np.meshgrid(*((np.arange(side) + 0.5) / side * 2 - 1 for side in sides))


class Map:
    """Regions and growth rates over the ratios, from the conditions derived in symbols."""

    def __init__(self, system: gc.ReducedSystem) -> None:
        self.system = system
        self.conditions = gc.stability_conditions(system, "aligned")
        n, *J = (p.symbol for p in system.mechanism.parameters)

        def compiled(expr):
            return sp.lambdify(J, sp.sympify(expr).subs(n, 1), "numpy")

        self._stable = [compiled(r) for r in self.conditions.stable]
        self._unstable = [compiled(r) for r in self.conditions.unstable]
        self._polynomial = [compiled(c) for c in self.conditions.characteristic_polynomial[::2]]

    def regions(self, k1: np.ndarray, k3: np.ndarray) -> np.ndarray:
        """Number of the region for each body; where no condition speaks, the spectrum is on the axis."""
        J = moments(k1, k3)
        stable = np.logical_and.reduce([f(*J) for f in self._stable])
        unstable = np.logical_or.reduce([f(*J) for f in self._unstable])
        if np.any(stable & unstable):
            raise AssertionError("a body is proved stable and unstable")
        return np.where(stable, LAGRANGE, np.where(unstable, UNSTABLE, GYROSCOPIC))

    def growth(self, k1: np.ndarray, k3: np.ndarray) -> np.ndarray:
        """Largest real part of an eigenvalue over the orbital rate."""
        c = [np.broadcast_to(f(*moments(k1, k3)), k1.shape) for f in self._polynomial]
        companion = np.zeros((*k1.shape, 3, 3))
        companion[..., 0, :] = -np.stack(c[1:], axis=-1)
        companion[..., 1, 0] = companion[..., 2, 1] = 1
        squares = np.linalg.eigvals(companion).astype(complex)
        return np.max(np.abs(np.sqrt(squares).real), axis=-1)


def debra_delp_edge(k1):
    """k3 at which roll and yaw frequencies meet: 1 + 3 k1 + k1 k3 = 4 (k1 k3)^(1/2)."""
    return (2 - np.sqrt(3 - 3 * k1)) ** 2 / k1


def closed_form_shares() -> tuple[float, float]:
    """Areas of the two regions over that of the square, from the classical inequalities."""
    corner = (7 - np.sqrt(45)) / 2  # the edge meets k1 = k3
    area, _ = quad(lambda a: min(1.0, -debra_delp_edge(-a)) - a, 0, corner, points=[(np.sqrt(1.5) - 1) ** 2])
    return 1 / 8, area / 4


def certificates(system: gc.ReducedSystem, count: int) -> list[tuple[float, float, int]]:
    """Exact verdicts at random bodies, more of them where the narrow region is."""
    rng = np.random.default_rng(1)
    bodies = [
        *rng.uniform(-0.97, 0.97, size=(count, 2)),
        *rng.uniform((-0.15, -0.97), (-0.01, -0.05), (count // 3, 2)),
    ]
    found = []
    for k1, k3 in bodies:
        params = dict(zip(("n", "J1", "J2", "J3"), (1.0, *moments(k1, k3)), strict=True))
        verdict = gc.certify(system, system.equilibrium("aligned", params=params)).verdict.name
        found.append((float(k1), float(k3), VERDICTS.index(verdict)))
    return found


def draw(atlas: Map, points: list[tuple[float, float, int]], path: Path, count: int) -> None:
    """The map: growth rates in grey, the two stable regions in colour, certificates as marks."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    k1, k3 = cells(count)
    where = atlas.regions(k1, k3)
    growth = np.where(where == UNSTABLE, atlas.growth(k1, k3), np.nan)
    figure, ax = plt.subplots(figsize=(8.2, 6.8), layout="constrained")
    extent = (-1, 1, -1, 1)
    image = ax.imshow(growth, extent=extent, origin="lower", cmap="Greys", vmin=0, vmax=3.0, zorder=1)
    colours = ListedColormap([COLOURS[2], COLOURS[5]])
    stable = np.ma.masked_where(where == UNSTABLE, where)
    ax.imshow(stable, extent=extent, origin="lower", cmap=colours, vmin=0, vmax=1, zorder=2)
    ax.plot([-1, 1], [-1, 1], color="black", linewidth=1.0, zorder=3)
    ax.axhline(0, color="black", linewidth=0.6, zorder=3)
    ax.axvline(0, color="black", linewidth=0.6, zorder=3)
    edge = np.linspace(-(7 - np.sqrt(45)) / 2, -((np.sqrt(1.5) - 1) ** 2), 200)
    ax.plot(edge, debra_delp_edge(edge), color="black", linewidth=1.0, zorder=3)
    marks = (("o", COLOURS[2], "certified stable"), ("D", COLOURS[5], "spectrum on the axis, no proof"))
    for number, (marker, colour, label) in enumerate((*marks, ("x", COLOURS[1], "certified unstable"))):
        chosen = np.array([p[:2] for p in points if p[2] == number]).reshape(-1, 2)
        style = {"linewidths": 1.1} if marker == "x" else {"edgecolors": "black", "linewidths": 0.6}
        ax.scatter(*chosen.T, s=20, marker=marker, color=colour, label=label, zorder=4, **style)
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    ax.text(0.66, 0.22, "Lagrange\n$J_2 > J_1 > J_3$", ha="center", zorder=5, bbox=box)
    ax.annotate(
        "DeBra and Delp\ngyroscopic",
        (-0.03, -0.66),
        (-0.52, -0.69),
        arrowprops={"arrowstyle": "-", "color": "black"},
        bbox=box,
        zorder=5,
    )
    ax.text(-0.45, 0.6, "pitch unstable, $J_3 > J_1$", ha="center", zorder=5, bbox=box)
    ax.text(0.5, -0.58, "roll and yaw unstable", ha="center", zorder=5, bbox=box)
    quiet(
        ax,
        "Stability of a body in a circular orbit, axis 1 along the flight, axis 3 along the radius\n"
        f"ratios of moments alone matter; marks are exact verdicts at {len(points)} random bodies",
        xlabel="$k_1 = (J_2 - J_3)/J_1$ (roll)",
        ylabel="$k_3 = (J_2 - J_1)/J_3$ (yaw)",
    )
    ax.grid(False)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), aspect="equal")
    figure.colorbar(image, ax=ax, shrink=0.86, label="growth rate / orbital rate, where unstable")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=3, frameon=False)
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="directory of the figure; none is drawn without it")
    parser.add_argument("--cells", type=int, default=1200, help="cells along a side of the map")
    parser.add_argument("--certificates", type=int, default=150, help="random bodies certified")
    args = parser.parse_args(argv)

    system = gc.models.get("orbiting-body")().reduce()
    atlas = Map(system)
    print("stable where  ", " and ".join(map(str, atlas.conditions.stable)))
    regions = atlas.regions(*cells(args.cells))
    counted = np.bincount(regions.ravel(), minlength=3) / regions.size
    lagrange, gyroscopic = closed_form_shares()
    print(f"\nshare of the square |k1|, |k3| < 1 (counted in {regions.size} cells; classical)")
    for name, share, classical in zip(
        NAMES, counted, (lagrange, gyroscopic, 1 - lagrange - gyroscopic), strict=False
    ):
        print(f"  {name:<36} {100 * share:7.3f} %   {100 * classical:7.3f} %")
    print("share of the bodies with stable pitch, k1 > k3")
    for name, share in zip(NAMES, (2 * counted[0], 2 * counted[1], 2 * counted[2] - 1), strict=False):
        print(f"  {name:<36} {100 * share:7.3f} %")

    points = certificates(system, args.certificates)
    k1, k3, verdict = (np.array(column) for column in zip(*points, strict=True))
    disagree = int(np.sum(atlas.regions(k1, k3) != verdict))
    print(f"\n{len(points)} exact certificates at random bodies, {disagree} disagree with the map")
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        path = args.out / "orbit_stability_map.png"
        draw(atlas, points, path, args.cells)
        print(path)
    return 1 if disagree else 0


if __name__ == "__main__":
    sys.exit(main())
