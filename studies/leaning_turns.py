"""Leaning turns of the pendulum-skate: where they are stable, over lean and yaw rate, each border proved.

    python studies/leaning_turns.py --out turns                 a branch for each of 17 leans
    python studies/leaning_turns.py --out turns --leans 5 --points 31

For each lean: OUT/lean_<sine>.json with the branch and its certificates; an interrupted run goes on where it
was. OUT/turns.csv has a row for each: the bracket of the yaw rate at which the turn becomes stable, the
closed form, and where the speed of the blade turns back. OUT/turns.png draws both over the lean.

The turns with tilt phi, s = sin phi, c = cos phi and yaw rate w are stable if, and but for equality only if,

    w^2 c^3 (I3 (m l^2 - D) + A D s^2) > m g l (I3 + D s^2 (1 + 2 c^2)),  D = I2 - I3, A = I2 + m l^2 - I3,

and their speed -v3 = (A c w + m g l/w) s/(m l c) is least at A c w^2 = m g l.
"""

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc
from geoctrl.viz.style import COLOURS, parameter_text, quiet

SPAN = (1.0, 12.0)


def closed_form(params: dict[str, float], s: float) -> float:
    """Yaw rate (rad/s) from which on turns with the sine s of the lean are stable."""
    m, h, g, I2, I3 = (params[k] for k in ("m", "l", "g", "I2", "I3"))
    c, A, D = np.sqrt(1 - s * s), I2 + m * h * h - I3, I2 - I3
    above, below = I3 + D * s * s * (1 + 2 * c * c), I3 * (m * h * h - D) + A * D * s * s
    return float(np.sqrt(m * g * h * above / (c**3 * below)))


def slowest(params: dict[str, float], s: float) -> float:
    """Yaw rate at which the blade is slowest."""
    A, c = params["I2"] + params["m"] * params["l"] ** 2 - params["I3"], np.sqrt(1 - s * s)
    return float(np.sqrt(params["m"] * params["g"] * params["l"] / (A * c)))


def followed(system: Any, s: float, points: int, file: Path) -> dict[str, Any]:
    """The branch at a lean, from its file where there is one."""
    if not file.exists():
        start = gc.find_equilibrium(system, fixed={"v2": 5.0, "Gamma2": s})
        partial = file.with_suffix(".part")
        gc.follow(system, start, along="v2", span=SPAN, fixed=["Gamma2"], points=points).to_json(partial)
        partial.replace(file)
    return json.loads(file.read_text())


def row_of(params: dict[str, float], s: float, branch: dict[str, Any]) -> dict[str, Any]:
    """What the table says of a lean."""
    (change,) = branch["changes"]
    low, high = change["bracket"]
    expected = closed_form(params, s)
    return {
        "sine": s,
        "low": low,
        "high": high,
        "closed form": expected,
        "inside": low < expected < high,
        "width": high - low,
        "proved": change["rigorous"],
        "slowest": slowest(params, s),
    }


def draw(rows: list[dict[str, Any]], system: gc.ReducedSystem, file: Path) -> None:
    """Borders over the lean."""
    params = system.params
    s = np.linspace(rows[0]["sine"], rows[-1]["sine"], 200)
    fig, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
    lean, proved = (np.degrees(np.arcsin(v)) for v in (s, [r["sine"] for r in rows]))
    ax.plot(lean, [closed_form(params, v) for v in s], color=COLOURS[0], label="stable above, closed form")
    ax.plot(lean, [slowest(params, v) for v in s], "--", color=COLOURS[1], label="slowest blade")
    ax.plot(proved, [r["low"] for r in rows], "ko", ms=4, label="between two proofs")
    quiet(ax, "Where leaning turns become stable", xlabel="lean (degrees)", ylabel="yaw rate (rad/s)")
    ax.legend(frameon=False)
    fig.suptitle(parameter_text(system.mechanism, 100), fontsize=9)
    fig.savefig(file, dpi=160)
    plt.close(fig)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--leans", type=int, default=17, help="how many, from a sine of 0.05 to 0.85")
    parser.add_argument("--points", type=int, default=61, help="points of a branch, about")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    system = gc.models.get("pendulum-skate")().reduce()
    rows = []
    for s in np.linspace(0.05, 0.85, args.leans):
        sine = round(float(s), 6)
        branch = followed(system, sine, args.points, args.out / f"lean_{sine:g}.json")
        rows.append(row_of(system.params, sine, branch))
        print(", ".join(f"{k} {v:.12g}" for k, v in rows[-1].items()))
    with (args.out / "turns.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    draw(rows, system, args.out / "turns.png")


if __name__ == "__main__":
    main()
