"""Command line of the benchmark: see the package."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import studies.bench
from studies.bench import first_use, many, motions, steps
from studies.bench.measure import Bench, Row
from studies.bench.pages import write_pages
from studies.bench.report import text, write

ROWS: dict[str, Callable[[Bench], Row]] = {
    "skate": motions.skate,
    "heavy-top": motions.heavy_top,
    "rolling": motions.rolling,
    "links": motions.links,
    **{f"chain-{n}": lambda bench, n=n: steps.chain(bench, n) for n in (10, 50, 200, 500)},
    "chain-numpy": steps.numpy_chain,
    "ring-numpy": steps.numpy_ring,
    "molecules": steps.molecules,
    "ensemble": many.ensemble,
    "falling": many.falling,
    "verdicts": many.verdicts,
    "map": many.certified_map,
    **{f"bodies-{n}": lambda bench, n=n: many.certified_bodies(bench, n) for n in (8,)},
    "first-readme": lambda b: first_use.first_use(b, "readme", "README", first_use.readme_example()),
    "first-rattleback": lambda b: first_use.first_use(b, "rattleback", "rattleback", first_use.RATTLEBACK),
    "first-bicycle": lambda b: first_use.first_use(b, "bicycle", "bicycle", first_use.BICYCLE),
    "first-chain": lambda b: first_use.first_use(b, "chain", "chain of 5", first_use.CHAIN),
    "imports": first_use.imports,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=studies.bench.__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/bench"), help="folder for what is written")
    parser.add_argument(
        "--only", choices=ROWS, action="append", metavar="ROW", help="this row, and others told"
    )
    parser.add_argument("--peers", action="store_true", help="those of the extra `bench` as well")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions")
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="put the tables of a run into the pages")
    args = parser.parse_args()
    if args.pages is not None:
        write_pages(args.pages)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in args.only or ROWS:
        begun = time.perf_counter()
        rows.append(ROWS[name](Bench(args.peers, args.repeat)))
        print(f"{text(rows[-1])}\n  measured in {time.perf_counter() - begun:.0f} s\n", flush=True)
        write(rows, args.out)
    print(f"bench.md, bench.png and bench.json in {args.out}")


if __name__ == "__main__":
    main()
