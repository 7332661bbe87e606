"""The bicycle that rides by itself: eigenvalues by speed, the run after a push, and the range by head angle.

Computes with the nonlinear bicycle of the benchmark, prints the numbers of the paper next to those found,
and draws three figures (PNG): eigenvalues against speed; rates, forward speed and energies after a push at
4.6 m/s (the paper's figure 4); and where the bicycle is self-stable, over speed and head angle.

    python studies/bicycle.py --out results/bicycle

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

PUBLISHED = {"weave": 4.292382536341, "capsize": 6.024262015388}
PUSH = {"lean_rate": 0.5, "speed": 4.6}


def bicycle() -> gc.ReducedSystem:
    """The nonlinear bicycle of the benchmark."""
    return gc.models.get("whipple-bicycle")().reduce()


# -- eigenvalues ---------------------------------------------------------------------------------------


def lateral(system: gc.ReducedSystem, speeds: np.ndarray, params: dict[str, float] | None = None):
    """The linear equations of lean and steer, their rates first: (nv, 4, 4).

    Near straight riding the pitch is of second order and the speed decouples.
    """
    states = np.zeros((system.nstates, len(speeds)))
    states[system.state_labels.index("speed")] = speeds
    chosen = [system.state_labels.index(k) for k in ("lean_rate", "steer_rate", "phi", "delta")]
    return system.jacobian(0.0, states, params=params)[:, chosen][:, :, chosen]


def spectrum(system: gc.ReducedSystem, speeds: np.ndarray, params: dict[str, float] | None = None):
    """The four eigenvalues of lean and steer at each speed: (nv, 4)."""
    return np.linalg.eigvals(lateral(system, speeds, params))


def weave_speed(system: gc.ReducedSystem) -> float:
    """Where the real part of the oscillation changes its sign."""

    def growth(v: float) -> float:
        values = spectrum(system, np.array([v]))[0]
        return float(max(values[np.abs(values.imag) > 1e-6].real))

    return float(brentq(growth, 4.0, 4.6, xtol=1e-13))


def capsize_speed(system: gc.ReducedSystem) -> float:
    """Where an eigenvalue is zero: the determinant changes its sign."""
    return float(brentq(lambda v: np.linalg.det(lateral(system, np.array([v]))[0]), 5.8, 6.4, xtol=1e-13))


def draw_spectrum(system: gc.ReducedSystem, speeds: dict[str, float]) -> Figure:
    """Real parts, and imaginary parts of the oscillations, against the speed."""
    v = np.linspace(0.0, 10.0, 1201)
    values = spectrum(system, v)
    oscillating = np.abs(values.imag) > 1e-6
    figure = Figure(figsize=(8.6, 5.6), layout="constrained")
    ax = figure.add_subplot()
    ax.axvspan(speeds["weave"], speeds["capsize"], color=COLOURS[2], alpha=0.14, linewidth=0)
    at = np.broadcast_to(v[:, None], values.shape)
    for chosen, part, colour, label in (
        (~oscillating, values.real, COLOURS[0], "real eigenvalue"),
        (oscillating, values.real, COLOURS[1], "real part of a pair (weave)"),
        (oscillating & (values.imag > 0), values.imag, COLOURS[5], "imaginary part of a pair"),
    ):
        ax.plot(at[chosen], part[chosen], ".", color=colour, markersize=2.6, label=label)
    for name, speed in speeds.items():
        ax.axvline(speed, color="#444444", linewidth=0.9)
        side = "right" if name == "weave" else "left"
        words = f"  {name} speed  \n  {speed:.3f} m/s  "
        ax.text(speed, -8.4, words, ha=side, va="center")
    for words, place in (("weave", (7.6, -1.75)), ("capsize", (8.6, 0.75)), ("castering", (0.35, -8.4))):
        ax.text(*place, words, color="#333333", style="italic")
    ax.text((speeds["weave"] + speeds["capsize"]) / 2, 9.0, "self-stable", ha="center", color=COLOURS[2])
    ax.set(xlim=(0, 10), ylim=(-10, 10))
    quiet(
        ax,
        title="Benchmark bicycle: eigenvalues of lean and steer",
        xlabel="forward speed (m/s)",
        ylabel="eigenvalue (1/s)",
    )
    legend = ax.legend(frameon=False, loc="upper left", markerscale=4)
    legend.set_in_layout(True)
    return figure


# -- the run after a push ------------------------------------------------------------------------------


class Pushed(NamedTuple):
    """The run, and by time the changes of potential energy and of kinetic energy."""

    run: gc.Trajectory
    potential: np.ndarray
    kinetic: np.ndarray


def pushed(system: gc.ReducedSystem, end: float = 5.0) -> Pushed:
    """Upright at 4.6 m/s with a rate of lean of 0.5 rad/s."""
    run = gc.simulate(system, np.linspace(0.0, end, 1001), system.state(**PUSH))
    placed = run.states.copy()
    placed[:3] = 0.0
    potential, energy = system.energy(placed), system.energy(run.states)
    kinetic = energy - potential
    return Pushed(run, potential - potential[0], kinetic - kinetic[0])


def draw_run(found: Pushed) -> Figure:
    """Rates, forward speed, and the exchange of energy."""
    run = found.run
    figure = Figure(figsize=(8.6, 7.6), layout="constrained")
    rates, speed, energy = figure.subplots(3, 1, sharex=True)
    rates.plot(run.time, run["lean_rate"], color=COLOURS[0], label="lean")
    rates.plot(run.time, run["steer_rate"], "--", color=COLOURS[1], label="steer")
    speed.plot(run.time, run["speed"], color=COLOURS[2])
    energy.plot(run.time, found.kinetic, color=COLOURS[0], label="kinetic")
    energy.plot(run.time, found.potential, "--", color=COLOURS[1], label="potential")
    energy.plot(run.time, found.kinetic + found.potential, ":", color="black", label="total")
    quiet(rates, title="A push at 4.6 m/s: the bicycle steers into the fall", ylabel="rate (rad/s)")
    quiet(speed, ylabel="forward speed (m/s)")
    quiet(energy, xlabel="time (s)", ylabel="change of energy (J)")
    for ax in (rates, energy):
        ax.legend(frameon=False, loc="upper right", ncols=3)
    energy.set_xlim(0, run.time[-1])
    return figure


# -- self-stability over speed and head angle ----------------------------------------------------------


class Range(NamedTuple):
    """Largest real part by head angle (rows) and speed."""

    speeds: np.ndarray
    angles: np.ndarray
    growth: np.ndarray


def self_stable(system: gc.ReducedSystem, angles: np.ndarray, speeds: np.ndarray) -> Range:
    """Head angles in degrees from the ground; wheel base, trail and all masses stay as they are."""
    growth = [
        spectrum(system, speeds, {"lam": float(np.radians(90 - angle))}).real.max(axis=1) for angle in angles
    ]
    return Range(speeds, angles, np.array(growth))


def draw_range(found: Range, speeds: dict[str, float]) -> Figure:
    """Where all eigenvalues of lean and steer have negative real parts, and how fast the rest grows."""
    figure = Figure(figsize=(8.6, 5.6), layout="constrained")
    ax = figure.add_subplot()
    unstable = np.where(found.growth > 0, found.growth, np.nan)
    image = ax.pcolormesh(found.speeds, found.angles, unstable, cmap="Greys", vmin=0, vmax=6, rasterized=True)
    ax.contourf(
        found.speeds, found.angles, found.growth, levels=[-np.inf, 0.0], colors=[COLOURS[2]], alpha=0.6
    )
    ax.contour(found.speeds, found.angles, found.growth, levels=[0.0], colors="black", linewidths=1.0)
    ax.axhline(72, color=COLOURS[1], linewidth=1.0, linestyle="--")
    ax.plot(list(speeds.values()), [72, 72], "o", color=COLOURS[1])
    ax.text(9.9, 72.3, "benchmark, 72 degrees", color=COLOURS[1], ha="right")
    figure.colorbar(image, ax=ax, label="growth rate where unstable (1/s)")
    quiet(
        ax,
        title="Self-stable speeds by head angle (green), trail and wheel base kept",
        xlabel="forward speed (m/s)",
        ylabel="head angle from the ground (degrees)",
    )
    ax.grid(False)
    return figure


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/bicycle"), help="folder for the figures")
    parser.add_argument("--quick", action="store_true", help="a coarse map")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)

    system = bicycle()
    speeds = {"weave": weave_speed(system), "capsize": capsize_speed(system)}
    for name, speed in speeds.items():
        print(f"{name:<8} {speed:.12f} m/s, published {PUBLISHED[name]:.12f}")
    for v in (3.0, 5.0, 6.5):
        certificate = gc.certify(system, system.equilibrium("upright", v=v))
        largest = spectrum(system, np.array([v])).real.max()
        print(f"{v:3.1f} m/s: largest real part {largest:+.6f} 1/s, {certificate.verdict.name}")
    found = pushed(system)
    run = found.run
    print(f"pushed at {PUSH['speed']:g} m/s with {PUSH['lean_rate']:g} rad/s: ", end="")
    print(
        f"{run['speed'][-1]:.6f} m/s after {run.time[-1]:g} s, leaning {np.degrees(run['phi'][-1]):.4f} deg"
    )
    print(f"energy to potential and back: {np.ptp(found.potential):.3f} J; drift {run.drift['energy']:.1e}")
    count = (60, 40) if args.quick else (400, 200)
    by_angle = self_stable(system, np.linspace(55, 90, count[1]), np.linspace(0.05, 10, count[0]))
    for name, figure in (
        ("eigenvalues", draw_spectrum(system, speeds)),
        ("push", draw_run(found)),
        ("head_angle", draw_range(by_angle, speeds)),
    ):
        figure.savefig(args.out / f"{name}.png", dpi=160)
    print(f"figures in {args.out}")


if __name__ == "__main__":
    main()
