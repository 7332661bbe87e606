"""Command line of the study: see the package."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import studies.two_spheres
from studies.two_spheres import (
    coupled_pendula,
    dipoles,
    double_pendulum,
    elastic_rod,
    molecules,
    three_bodies,
)
from studies.two_spheres.figures import save
from studies.two_spheres.table import markdown, text

SHORTER = (
    "Quick: examples 1, 4, 5 and 6 run for a part of the paper's time. Their means are those of that part\n"
    "and need not agree with the published ones.\n"
)

EXAMPLES = (double_pendulum, three_bodies, coupled_pendula, elastic_rod, dipoles, molecules)


def main() -> None:
    parser = argparse.ArgumentParser(description=studies.two_spheres.__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=Path("results/two_spheres"), help="folder for the figures"
    )
    parser.add_argument("--quick", action="store_true", help="shorter runs of examples 1, 4, 5 and 6")
    parser.add_argument("--example", type=int, choices=range(1, 7), help="only this one")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    done = []
    if args.quick:
        print(SHORTER)
    for number, example in enumerate(EXAMPLES, 1):
        if args.example in (None, number):
            start = time.perf_counter()
            study = example.study(args.quick)
            done.append(study)
            print(text(number, study))
            figure = args.out / f"example{number}.png"
            save(study.draw, figure)
            print(f"  {figure}, {time.perf_counter() - start:.1f} s\n", flush=True)
    if args.example is None:
        (args.out / "tables.md").write_text(markdown(done), encoding="utf-8")


if __name__ == "__main__":
    main()
