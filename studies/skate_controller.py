"""From the paper's law to a controller: the pendulum skate at 100 Hz with a motor that has limits.

Takes the law of the paper to a computer, step by step: held at 100 Hz it falls; damped it stays, and asks
more than the motor has; gains found for the motor do. Then laws of several kinds from the same start in one
table: torque, rotor speed, settling, the largest hold, and the error of the model that is tolerated.

    python studies/skate_controller.py --out results/skate-controller
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

RATE = 100.0
"""Commands a second."""
TORQUE, SPEED = 8.0, 360.0
"""What the motor can do: N m, rad/s."""
TILT = 0.1
"""Lean at the start, rad, beside the rates of the paper's."""
UNCERTAIN = ("m", "l", "I1", "I2", "J1")
STANDING = 1.2
"""A lean that counts as fallen, rad."""
SETTLED = 0.02
"""Distance from where it ends that counts as settled, rad."""


@dataclass(frozen=True)
class Law:
    """A law of the table, as it is run."""

    name: str
    controller: Any
    """Sampled at `RATE`, without limits."""


@dataclass(frozen=True)
class Line:
    """What a law asks and tolerates."""

    name: str
    torque: float
    speed: float
    settling: float
    hold: float
    error: float
    falls: bool


def start(plant: gc.ReducedSystem) -> np.ndarray:
    """The start of the paper: a small perturbation of sliding at 1 m/s."""
    omega = (0.1, 0.1 * np.tan(TILT), 0.1)
    return plant.project([*omega, 1, 0, 0], {"Gamma": (0, np.sin(TILT), np.cos(TILT))})


def laws(mechanism: gc.EulerPoincare, found: Any) -> list[Law]:
    """Matched (the paper's, damped, for the motor, for the hold) and linear, at the same equilibrium."""
    matching, plant = gc.match(mechanism), mechanism.reduce()
    eq = plant.equilibrium("sliding", Y0=1.0)
    # Bryson's rule from what the motor can do and the lean at the start.
    at = {label: i for i, label in enumerate(plant.state_labels)}
    weights = np.zeros(plant.nstates)
    weights[[at["v1"], at["theta_dot"], at["Gamma2"]]] = 1.0, 1 / SPEED**2, 1 / TILT**2
    cost = np.diag(weights), [[1 / TORQUE**2]]
    named = {
        "matched, the paper's": matching.law(sigma=-1e-5),
        "the paper's, damped": matching.law(sigma=-1e-5).with_damping(k=2.7),
        "matched for the motor": found.law,
        "LQR": gc.lqr(plant, eq, *cost),
        "LQR for the hold": gc.lqr(plant, eq, *cost, rate=RATE),
    }
    controllers = {name: law.sampled(rate=RATE) for name, law in named.items()}
    gains = found.law.compensated(RATE, eq)
    controllers["compensated for the hold"] = found.law.sampled(rate=RATE, params=gains)
    return [Law(name, controller) for name, controller in controllers.items()]


def held(plant: gc.ReducedSystem, law: Law, span: float = 20.0) -> gc.Trajectory:
    """A run from the paper's start, to where it falls if it does."""
    grid = np.linspace(0.0, span, int(span * RATE) + 1)
    return gc.simulate(plant, grid, start(plant), controller=law.controller, throw=False)


def measured(plant: gc.ReducedSystem, law: Law) -> Line:
    """The line of a law: a run without limits, the largest hold by the linear loop, corners by bisection."""
    run = held(plant, law)
    falls = not run.success
    lean = np.arcsin(run["Gamma2"])
    far = np.flatnonzero(np.abs(lean - lean[-1]) > SETTLED)
    # What swings to the end of the run has not settled.
    settles = not falls and np.ptp(lean[-200:]) < SETTLED
    settling = float(run.time[far[-1]]) if settles and far.size else np.nan
    loop = gc.linearize_held(plant, law.controller, plant.equilibrium("sliding", Y0=1.0))
    error = 0.0
    if not falls:
        report = gc.robustness(
            plant,
            law.controller,
            start(plant),
            np.linspace(0, 10, 101),
            checks=["corners"],
            stays={"Gamma2": np.sin(STANDING)},
            returns={"Gamma2": TILT} if settles else None,
            uncertain=UNCERTAIN,
        )
        error = report["corners"].tolerated or 0.0
    torque, speed = np.abs(run.samples.applied).max(), np.abs(run["theta_dot"]).max()
    hold = loop.largest_hold(longest=1.0)[0]
    return Line(law.name, float(torque), float(speed), settling, hold, float(error), falls)


def table(lines: list[Line]) -> str:
    """The table as text."""
    head = f"{'law':<26}{'torque':>9}{'rotor':>9}{'settled':>9}{'hold':>9}{'error':>9}"
    rows = [head, f"{'':<26}{'N m':>9}{'rad/s':>9}{'s':>9}{'s':>9}{'%':>9}", "-" * len(head)]
    for line in lines:
        settled = "falls" if line.falls else "-" if np.isnan(line.settling) else f"{line.settling:.1f}"
        hold = "none" if line.hold == 0 else ">= 1" if line.hold >= 1 else f"{line.hold:.3f}"
        error = f"{100 * line.error:.0f}"
        rows.append(f"{line.name:<26}{line.torque:>9.2f}{line.speed:>9.0f}{settled:>9}{hold:>9}{error:>9}")
    return "\n".join(rows)


def draw(runs: dict[str, gc.Trajectory], title: str, limits: bool = True) -> Figure:
    """Lean, torque and rotor speed of runs, with what the motor can do."""
    figure = Figure(figsize=(7.2, 6.4), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for colour, (name, run) in zip(COLOURS, runs.items(), strict=False):
        signals = (np.degrees(np.arcsin(np.clip(run["Gamma2"], -1, 1))), run["u_theta"], run["theta_dot"])
        for ax, values in zip(axes, signals, strict=True):
            ax.plot(run.time, values, color=colour, linewidth=1.2, label=name)
    for ax, bound in zip(axes[1:], (TORQUE, SPEED), strict=True):
        for side in (-bound, bound) if limits else ():
            ax.axhline(side, color="black", linewidth=0.8, linestyle="--")
    labels = ("lean (degrees)", "torque (N m)", "rotor speed (rad/s)")
    for ax, label in zip(axes, labels, strict=True):
        quiet(ax, ylabel=label, xlabel="time (s)" if ax is axes[-1] else "")
    axes[0].legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0)
    figure.suptitle(title)
    return figure


def steps(plant: gc.ReducedSystem, chosen: list[Law]) -> dict[str, Figure]:
    """The figures, one for each step."""
    by_name = {law.name: law for law in chosen}
    paper = gc.match(plant.mechanism).law(sigma=-1e-5)
    grid = np.linspace(0, 12, 1201)
    continuous = gc.simulate(plant, grid, start(plant), controller=paper)
    return {
        "1_the_hold": draw(
            {
                "at every instant": continuous,
                "held at 100 Hz": held(plant, by_name["matched, the paper's"], 12.0),
            },
            "The law of the paper falls when it is held at 100 Hz",
        ),
        "2_damping": draw(
            {"damped, held at 100 Hz": held(plant, by_name["the paper's, damped"], 5.0)},
            "Damping holds it; the motor cannot do it (dashed: its limits)",
        ),
        "3_the_motor": draw(
            {"gains for the motor, 100 Hz": held(plant, by_name["matched for the motor"], 5.0)},
            "Gains that are found for the motor keep its limits (dashed)",
        ),
        "4_other_laws": draw(
            {name: held(plant, by_name[name], 5.0) for name in ("matched for the motor", "LQR")},
            "The linear law from the same start",
        ),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/skate-controller"), help="folder")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    eq = plant.equilibrium("sliding", Y0=1.0)
    found = (
        gc.match(mechanism)
        .design(eq)
        .recommend(limits={"u_theta": TORQUE}, speeds={"theta_dot": SPEED}, rate=RATE, starts=start(plant))
    )
    print(found)
    chosen = laws(mechanism, found)
    for law in chosen:
        print(f"{law.name:<26}{gc.certify(plant, eq, controller=law.controller).verdict} at {RATE:g} Hz")
    for name, figure in steps(plant, chosen).items():
        figure.savefig(args.out / f"{name}.png", dpi=150)
    lines = []
    for law in chosen:
        print(f"... {law.name}", flush=True)
        lines.append(measured(plant, law))
    text = table(lines)
    (args.out / "table.txt").write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"figures in {args.out}")


if __name__ == "__main__":
    main()
