"""An atlas of the catalogue: a proved map of stability for each mechanism, drawn, verified and compared.

    python studies/atlas.py --out atlas                 all maps; an interrupted run goes on where it was
    python studies/atlas.py --out atlas --only skate disk --depth 7 --points 1000
    python studies/atlas.py --out atlas --processes 4

For each map: OUT/NAME.json, which ``geoctrl verify`` checks cell by cell, OUT/NAME.png, and a row of
OUT/atlas.csv: parts of the area, seconds, and how the map compares with `stability_conditions` at random
points, of which none may contradict it.
"""

import argparse
import csv
import functools
import multiprocessing
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import geoctrl as gc


class Sheet(NamedTuple):
    """One map: mechanism, family, axes, and what else is given."""

    model: str
    family: str
    axes: dict[str, tuple[float, float]]
    params: Mapping[str, Any] = MappingProxyType({})
    despun: bool = False
    points: int = 10_000


SHEETS = {
    "skate": Sheet("pendulum-skate", "spinning", {"Omega0": (0.0, 10.0), "l": (0.1, 1.5)}),
    "vehicle": Sheet("underwater-vehicle", "level1", {"Y0": (0.0, 10.0), "l": (-0.3, 0.3)}),
    "satellite": Sheet("orbiting-body", "aligned", {"J1": (50.0, 300.0), "J3": (50.0, 300.0)}),
    "top": Sheet("heavy-top", "sleeping", {"Omega0": (0.0, 30.0), "l": (0.1, 1.5)}, {"I2": "I1"}),
    "kovalevskaya": Sheet("kovalevskaya-top", "staude", {"Omega0": (3.0, 30.0), "l": (0.1, 1.5)}),
    "rattleback": Sheet("rattleback", "spinning", {"Omega0": (-50.0, 50.0), "D": (-0.0003, 0.0003)}),
    "disk": Sheet("rolling-disk", "rolling", {"Omega0": (-5.0, 5.0), "a": (0.1, 0.9)}, despun=True),
    "disk-circling": Sheet(
        "rolling-disk", "circling", {"omega": (0.1, 8.0), "t": (0.1, 0.9)}, despun=True, points=1000
    ),
    "top-on-sphere": Sheet("top-on-sphere", "sleeping", {"Omega0": (0.0, 30.0), "b": (0.01, 0.3)}),
    "roller-racer": Sheet("roller-racer", "straight", {"V": (-3.0, 3.0), "d1": (0.1, 1.0)}),
    "sleigh": Sheet("chaplygin-sleigh", "straight", {"V": (-3.0, 3.0), "a": (0.1, 1.0)}),
    "free-body": Sheet("free-rigid-body", "about2", {"I1": (0.1, 3.0), "I2": (0.1, 3.0)}, {"Omega0": 1.0}),
    "rotor": Sheet("body-with-rotor", "dual-spin", {"Omega0": (0.0, 10.0), "rate0": (-20.0, 20.0)}),
    "furuta": Sheet("furuta-pendulum", "hanging", {"Omega0": (0.0, 20.0), "l": (0.05, 0.5)}),
    "tippe-top": Sheet("tippe-top", "top", {"n": (1.0, 300.0), "epsilon": (0.05, 0.5)}, points=1000),
    "unicycle": Sheet("unicycle-with-rotor", "upright", {"V0": (0.1, 10.0), "h": (0.1, 1.0)}),
}


def compared(system: Any, sheet: Sheet, found: Any, count: int) -> dict[str, int]:
    """How many random points of the map the conditions in symbols confirm, contradict or decide besides."""
    rng = np.random.default_rng(18)
    values = {k: rng.uniform(low, high, count) for k, (low, high) in sheet.axes.items()}
    names = {p.name: p.default for p in system.mechanism.parameters}
    own = system.families[sheet.family].names
    numbers = {k: v for k, v in {**names, **sheet.params}.items() if k not in (*sheet.axes, *own)}
    symbols = {k: v for k, v in sheet.params.items() if k in own}
    conditions = gc.stability_conditions(system, sheet.family, params=numbers)
    expected = conditions.evaluate(**values, **symbols)
    sign = {"stable": 1, "unstable": -1}
    said = [sign.get(found.at(**{k: v[i] for k, v in values.items()}), 0) for i in range(count)]
    got = np.array(said)
    return {
        "points": count,
        "confirmed": int(np.sum((got != 0) & (got == expected))),
        "contradicted": int(np.sum(got * expected < 0)),
        "besides": int(np.sum((got == 0) & (expected != 0))),
        "alone": int(np.sum((got != 0) & (expected == 0))),
    }


def drawn(name: str, depth: int, points: int | None, folder: str) -> dict[str, float]:
    """One map: computed or taken up again, written, verified, compared and drawn."""
    sheet, out = SHEETS[name], Path(folder)
    system = gc.models.get(sheet.model)().reduce()
    system = system.despun() if sheet.despun else system
    begin = time.perf_counter()
    found = gc.certify_region(
        system, sheet.family, sheet.axes, depth=depth, params=sheet.params, out=out / f"{name}-tiles"
    )
    seconds = time.perf_counter() - begin
    path = out / f"{name}.json"
    found.to_json(path)
    begin = time.perf_counter()
    gc.verify(path)
    checked = time.perf_counter() - begin
    count = sheet.points if points is None else min(points, sheet.points)
    row = {
        "cells": len(found.cells),
        **{k: getattr(found, k) for k in ("stable", "unstable", "spectrum", "undecided")},
        "seconds": round(seconds, 2),
        "verified": round(checked, 2),
        **compared(system, sheet, found, count),
    }
    ax = found.plot()
    ax.figure.savefig(out / f"{name}.png", dpi=110)
    plt.close(ax.figure)
    print(name, *(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()), flush=True)
    return row


def main() -> int:
    """Draw the atlas; 1 where a point contradicts a map."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--points", type=int)
    parser.add_argument("--only", nargs="*", choices=sorted(SHEETS), default=[])
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    sheets = {"name": args.only or list(SHEETS)}
    one = functools.partial(drawn, depth=args.depth, points=args.points, folder=str(args.out))
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.processes, spawn) if args.processes > 1 else nullcontext() as pool:
        found = gc.sweep(one, sheets, executor=pool, out=args.out / "-".join(["parts", *args.only]), part=1)
    for point, error in found.failed:
        print(point["name"], error)
    with (args.out / "atlas.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["name", *found.values])
        for i, name in enumerate(sheets["name"]):
            table.writerow([name, *(values[i].item() for values in found.values.values())])
    return int(bool(found.failed) or bool(found["contradicted"].any()))


if __name__ == "__main__":
    raise SystemExit(main())
