"""Best gaits of crawlers: how far one cycle goes at a given effort, with one harmonic and with more.

For the snakeboard and the roller racer, gaits of unit effort that go as far as possible in one cycle from
zero momentum, with one to three harmonics; a table of what each start came to, and a picture (PNG) with the
ways of the frame's origin and the curves of the shape.

    python studies/gaits.py --out results/gaits
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import geoctrl as gc
from geoctrl.systems import Connection
from geoctrl.viz.style import COLOURS, parameter_text, quiet
from studies.snakeboard import connection as snakeboard

HARMONICS = (1, 2, 3)
PERIOD = 2 * np.pi
SAMPLES = 201


def roller_racer() -> Connection:
    """That of the racer, with its momentum along the seat."""
    return gc.models.get("roller-racer")().reduce().connection()


CRAWLERS: dict[str, Callable[[], Connection]] = {"snakeboard": snakeboard, "roller racer": roller_racer}


def best_gaits(connection: Connection, harmonics: tuple[int, ...], starts: int) -> list[gc.BestGait]:
    """The best gait for each number of harmonics."""
    return [gc.optimal_gait(connection, PERIOD, k, starts=starts) for k in harmonics]


def report(found: list[gc.BestGait]) -> None:
    """A row for each gait: its distance, and how many starts came to it."""
    for k, best in enumerate(found, 1):
        alike = sum(np.isclose(value, best.value, rtol=1e-9, atol=0) for value, _, _ in best.starts)
        asked = sum(evaluations for _, _, evaluations in best.starts)
        name = f"{k} harmonic{'s' * (k > 1):<1}"
        print(
            f"  {name}  {best.value:.9f} m  {alike} of {len(best.starts)} starts alike, {asked} evaluations"
        )


def draw(gaits: dict[str, list[gc.BestGait]]) -> Figure:
    """Ways of the origin above, coordinates of the shape over the time below."""
    figure = Figure(figsize=(10.4, 7.4), layout="constrained")
    axes = figure.subplots(2, len(gaits), squeeze=False)
    times = np.linspace(0.0, PERIOD, SAMPLES)
    for column, (name, found) in enumerate(gaits.items()):
        upper, lower = axes[:, column]
        connection = found[0].connection
        for k, best in enumerate(found):
            g, _ = connection.path(best.gait, times, best.momentum)
            label = f"{k + 1} harmonic{'s' * (k > 0)}: {100 * best.value:.1f} cm"
            upper.plot(*g[:, :2, 2].T, color=COLOURS[k], linewidth=1.3, label=label)
            upper.plot(*g[-1, :2, 2], "s", color=COLOURS[k], markersize=5)
        upper.plot(0, 0, "o", color="black", markersize=4)
        upper.set_aspect("equal", adjustable="datalim")
        quiet(upper, title=name, xlabel="x (m)", ylabel="y (m)" if not column else "")
        upper.legend(fontsize=8, loc="lower right")
        best = found[-1]
        for i, (coordinate, row) in enumerate(
            zip(connection.mechanism.shape, connection.loop(best.gait, times), strict=True)
        ):
            lower.plot(times, np.degrees(row), color=COLOURS[i + 3], label=coordinate.name)
        quiet(lower, xlabel="time (s)", ylabel="angle (degrees)" if not column else "")
        lower.legend(fontsize=8, title=f"{len(found)} harmonics", title_fontsize=8)
    parameters = "\n".join(
        f"{name}: {parameter_text(found[0].connection.mechanism)}" for name, found in gaits.items()
    )
    figure.suptitle(
        f"One cycle of the best gaits of unit effort, from the dot to the square\n{parameters}", fontsize=10
    )
    return figure


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/gaits"), help="folder for the figure")
    parser.add_argument("--quick", action="store_true", help="two starts, and no third harmonic")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    harmonics, starts = (HARMONICS[:2], 2) if args.quick else (HARMONICS, 6)
    found = {}
    for name, make in CRAWLERS.items():
        found[name] = best_gaits(make(), harmonics, starts)
        print(name)
        report(found[name])
    draw(found).savefig(args.out / "gaits.png", dpi=160)
    print(f"figure in {args.out}")


if __name__ == "__main__":
    main()
