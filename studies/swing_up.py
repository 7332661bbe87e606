"""Swing-ups that are proved: energy law, catch, the proof from a box of starts, and runs from it.

Of each plant the set of the catch is searched for, the swing-up is proved from a box of starts, its file is
written and checked, and starts drawn in the box, and somewhat past its edge, are run with the law that
switches: none may be lost, and none from the box may ask for more than is proved.

    python studies/swing_up.py --out swing_up --starts 1000
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
import sympy as sp

import geoctrl as gc

PAST = 1.05
"""How far past the edge of the box further starts are, relative to its half widths."""
NEAR = 1e-3
"""Distance from upright at which a run has ended."""


class Case(NamedTuple):
    """A plant with its laws, and the box of starts."""

    plant: gc.ReducedSystem
    swing_up: gc.EnergyLaw
    catch: gc.LinearLaw
    limit: float
    start: np.ndarray
    radius: float
    by: str
    end: float


def cart(scale: float = 1.0) -> Case:
    """A cart of 0.8 kg with a pole of 0.2 kg at 0.5 m, lengths in units of 1/scale m."""
    number = sp.Rational
    M, m, g = number("0.8"), number("0.2"), number("9.81") * number(scale)
    length, damping = number("0.5") * number(scale), number("0.001") * number(scale) ** 2
    x, phi = gc.Coordinate("x"), gc.Coordinate("phi", angle=True)
    v, w, angle = x.rate, phi.rate, phi.symbol
    kinetic = M * v**2 / 2 + m * (v**2 + 2 * length * sp.cos(angle) * v * w + length**2 * w**2) / 2
    plant = gc.EulerPoincare(
        algebra=None,
        shape=[x, phi],
        lagrangian=sp.expand(kinetic) - m * g * length * sp.cos(angle),
        forces=[sp.Symbol("u", real=True), 0],
        inputs=["u"],
        friction=[gc.Friction([0, 1], viscous=damping)],
        name="cart",
    ).reduce()
    upright = gc.find_equilibrium(plant, plant.state())
    weights = {"x": 4 / scale**2, "phi": 20, "x_dot": 1 / scale**2, "phi_dot": 1}
    catch = gc.lqr(plant, upright, Q=weights, R=0.05 / scale**2)
    # 2.4 E phi_dot cos(phi) - 1.5 x - 1.8 x_dot, as w M_wv = m l phi_dot cos(phi).
    swing_up = gc.energy_law(plant, upright, gain=24 / scale**2, home={"x": 1.5, "x_dot": 1.8})
    return Case(
        plant, swing_up, catch, 11.0 * scale, np.array([0, 0, 0, np.pi - 0.5]), 2.0**-10, "squares", 8.0
    )


def furuta() -> Case:
    """Furuta's pendulum of the catalogue, the torque on its arm, whose angle is no state."""
    plant = gc.models.get("furuta-pendulum")().reduce()
    upright = plant.equilibrium("upright", Omega0=0.0)
    swing_up = gc.energy_law(plant, upright, gain=3e4, home={"theta_dot": 8.0})
    catch, start = gc.place(plant, upright, [-6.0, -7.0, -8.0]), np.array([0, 0, np.pi - 0.5])
    return Case(plant, swing_up, catch, 1.0, start, 2.0**-16, "slopes", 5.0)


CASES: dict[str, Callable[[], Case]] = {"cart": cart, "furuta": furuta}


def runs_of(case: Case, sw: gc.Switching, caught: gc.ProvedCatch, count: int, past: bool) -> dict[str, float]:
    """How many runs are lost, and the largest inputs, of starts in the box or just past its edge."""
    rng, low, high = np.random.default_rng(11), *np.array([*caught.start.values()]).T
    middle, half = (low + high) / 2, (high - low) / 2
    lost, largest = 0, 0.0
    for _ in range(count):
        direction = rng.uniform(-1, 1, size=len(middle))
        if past:
            direction[rng.integers(len(middle))] = rng.choice([-PAST, PAST])
        x0 = np.clip(middle + half * direction, low, high) if not past else middle + half * direction
        run = gc.simulate(case.plant, np.linspace(0, case.end, 401), x0, controller=sw)
        end = run.states[:, -1].copy()
        for k in sw.angles:
            i = case.plant.state_labels.index(k)
            end[i] -= 2 * np.pi * round(end[i] / (2 * np.pi))
        lost += bool(np.linalg.norm(end) > NEAR * 50)
        largest = max(largest, float(np.max(np.abs(run.inputs))))
    return {"starts": count, "lost": lost, "largest": largest}


def picture(case: Case, sw: gc.Switching, caught: gc.ProvedCatch, path: Path) -> None:
    """The swing, the force with its bounds, and the function of the set."""
    plt = __import__("matplotlib.pyplot", fromlist=["subplots"])
    times = np.linspace(0, 2.5 * caught.time, 800)
    x0 = np.mean([*caught.start.values()], axis=1)
    run = gc.simulate(case.plant, times, x0, controller=sw)
    V = np.array([sw.value(x) for x in run.states.T])
    entry = times[np.argmax(sw.entry >= V)]
    fig, axes = plt.subplots(3, 1, figsize=(7, 6.5), sharex=True, constrained_layout=True)
    angle = sw.angles[0]
    axes[0].plot(times, run.states[case.plant.state_labels.index(angle)], label=angle)
    others = [k for k in ("x", "x_dot") if k in case.plant.state_labels][:1]
    for k in others:
        axes[0].plot(times, run.states[case.plant.state_labels.index(k)], label=k)
    (label,) = case.plant.input_labels
    axes[1].plot(times, run.inputs[0], color="C2", label=label)
    for bound, end, style in (
        (caught.largest_before[label], caught.time, ":"),
        (caught.largest[label], times[-1], "--"),
    ):
        for sign in (-1, 1):
            axes[1].plot([0, end], [sign * bound] * 2, style, color="black", linewidth=0.8)
    axes[2].semilogy(times, V / sw.region.level, color="C3", label="V over the level of the set")
    axes[2].axhline(1.0, color="black", linewidth=0.8, linestyle="--")
    for ax in axes:
        ax.axvline(entry, color="C7", linewidth=0.8)
        ax.axvline(caught.time, color="C7", linewidth=0.8, linestyle=":")
        ax.legend(loc="upper right")
        ax.grid(alpha=0.3)
    axes[2].set_xlabel("time (s)")
    axes[0].set_title("caught at the full line; enclosed in balls up to the dotted one", fontsize=10)
    fig.savefig(path, dpi=110)
    plt.close(fig)


def main() -> None:
    """Run the cases that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("swing_up"))
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--starts", type=int, default=1000)
    parser.add_argument("--radius", type=float, help="of the box, in each state")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in args.cases:
        case, begun = CASES[name](), process_time()
        (label,) = case.plant.input_labels
        region = gc.region_of_attraction(
            case.catch.closed_loop(),
            case.catch.equilibrium,
            limits={label: case.limit},
            by=case.by,
            seconds=None,
        )
        sw = gc.switching(case.swing_up, case.catch, region)
        found, proving = process_time() - begun, process_time()
        caught = gc.prove_catch(case.plant, sw, case.start, radius=args.radius or case.radius, seconds=None)
        path = args.out / f"{name}.json"
        caught.to_json(path)
        gc.verify(path)
        results[name] = {
            "CPU seconds for the set": found,
            "CPU seconds for the catch": process_time() - proving,
            "time": caught.time,
            "share": caught.share,
            "largest before": caught.largest_before,
            "largest": caught.largest,
            "in the box": runs_of(case, sw, caught, args.starts, past=False),
            "past its edge": runs_of(case, sw, caught, args.starts // 10, past=True),
        }
        picture(case, sw, caught, args.out / f"{name}.png")
        print(name, json.dumps(results[name], indent=2))
        print(caught.claim)
    (args.out / "results.json").write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
