"""The command: which parts, how many cases, how long; a table on stdout, every case a line of a file."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.attack.outcome import Outcome, run_part

PARTS = (
    "systems",
    "fields",
    "boxes",
    "conditions",
    "sets",
    "higher_sets",
    "leaf_sets",
    "units",
    "branches",
    "jumps",
    "certificates",
    "files",
    "heavy_files",
    "model_files",
    "claims",
    "moving",
    "references",
    "resting",
    "held_cycles",
    "misuse",
    "calls",
)
COUNTS = {
    "systems": (10000, 36),
    "fields": (10000, 40),
    "boxes": (10000, 9),
    "conditions": (300, 6),
    "sets": (1000, 8),
    "higher_sets": (200, 1),
    "leaf_sets": (1000, 2),
    "units": (1000, 3),
    "branches": (1000, 12),
    "jumps": (10000, 20),
    "certificates": (20000, 60),
    "files": (0, 300),  # all but most of the places in genuine files
    "claims": (10000, 40),
    "moving": (5000, 40),
    "references": (1000, 2),
    "resting": (5000, 40),
    "held_cycles": (1000, 6),
    "heavy_files": (150, 16),
    "model_files": (10000, 100),
    "misuse": (0, 367),  # the others are those of the tests
    "calls": (20000, 300),
}
"""Cases of a whole and of a quick run; 0: as many as there are."""
LIMITS = {
    "systems": 30.0,
    "fields": 30.0,
    "boxes": 30.0,
    "conditions": 60.0,
    "sets": 60.0,
    "higher_sets": 60.0,
    "leaf_sets": 30.0,
    "units": 60.0,
    "branches": 60.0,
    "jumps": 20.0,
    "certificates": 4.0,
    "files": 2.0,
    "claims": 60.0,
    "moving": 20.0,
    "references": 60.0,
    "resting": 20.0,
    "held_cycles": 60.0,
    "heavy_files": 60.0,
    "model_files": 10.0,
    "misuse": 20.0,
    "calls": 20.0,
}
"""Seconds of processor time for one case."""
MEGABYTES = {
    "systems": 1000.0,
    "fields": 1000.0,
    "boxes": 1000.0,
    "conditions": 1000.0,
    "sets": 1000.0,
    "higher_sets": 1000.0,
    "leaf_sets": 1000.0,
    "units": 1000.0,
    "branches": 1000.0,
    "jumps": 500.0,
    "certificates": 500.0,
    "files": 500.0,
    "claims": 1000.0,
    "moving": 500.0,
    "references": 1000.0,
    "resting": 500.0,
    "held_cycles": 500.0,
    "heavy_files": 1000.0,
    "model_files": 500.0,
    "misuse": 1000.0,
    "calls": 1000.0,
}
QUICK_MINUTES = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    options = _arguments(arguments)
    parts = PARTS if options.part == "all" else (options.part,)
    minutes = options.minutes or (QUICK_MINUTES if options.quick else 1e9)
    end = time.monotonic() + 60 * minutes
    outcomes: dict[str, list[Outcome]] = {}
    with TemporaryDirectory() as kept:
        for number, part in enumerate(parts):
            # Each part may use its share of what is left, so that a slow one does not starve the others.
            until = time.monotonic() + (end - time.monotonic()) / (len(parts) - number)
            outcomes[part] = _run(part, options, until, kept)
    report = "\n\n".join(filter(None, (table(outcomes), refusals(outcomes))))
    print(report)
    faults = [(part, o) for part, found in outcomes.items() for o in found if o.fault]
    for part, o in faults:
        print(
            f"{part} {o.index}: {o.result}: {o.note}\n"
            f"    python -m tests.attack {part} --seed {options.seed} --only {o.index}"
        )
    unasked = [part for part, found in outcomes.items() if not found]
    for part in unasked:
        print(f"{part}: not one case was begun in its time")
    return 1 if faults or unasked else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.attack", description="Attack on soundness and robustness of geoctrl."
    )
    parser.add_argument("part", choices=(*PARTS, "all"))
    parser.add_argument("--count", type=int, help="cases of each part that is drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="INDEX", help="one case, told in full")
    parser.add_argument("--first", type=int, default=0, help="index of the first case")
    parser.add_argument("--minutes", type=float, help="stop after these, with what there is")
    parser.add_argument("--out", help="folder of a file for each part, from which the same command goes on")
    parser.add_argument("--quick", action="store_true", help=f"few cases, {QUICK_MINUTES:g} minutes at most")
    options = parser.parse_args(arguments)
    if options.only is not None and options.part == "all":
        parser.error("--only needs one part")
    return options


def _run(part: str, options: argparse.Namespace, until: float, kept: str) -> list[Outcome]:
    drawn = options.count if COUNTS[part][0] else None
    count = drawn or COUNTS[part][options.quick]
    indices: Any = range(options.first, options.first + count) if count else None
    if options.only is not None:
        indices = [options.only]
    settings = {"megabytes": MEGABYTES[part], "kept": kept}
    store = Store(options.out, part, options.seed) if options.out and options.only is None else None
    found = store.earlier(indices) if store else []
    begun, told = len(found), time.monotonic()
    if store and indices is not None:
        known = {outcome.index for outcome in found}
        indices = [index for index in indices if index not in known]
    for outcome in run_part(part, options.seed, indices, LIMITS[part], until, settings):
        found.append(outcome)
        if store:
            store.add(outcome)
        if outcome.fault:
            print(f"\r{part} {outcome.index}: {outcome.result}: {outcome.note}", file=sys.stderr)
        if options.only is not None:
            print(json.dumps(outcome.to_dict(), indent=1))
        if time.monotonic() - told > 2:
            told = time.monotonic()
            print(f"\r{part}: {len(found)} of {count or 'all'} cases", end="", file=sys.stderr, flush=True)
    print(f"\r{part}: {len(found)} cases, {begun} of them of earlier runs" + " " * 9, file=sys.stderr)
    return found


class Store:
    """Cases of a part, one a line in a file that a later run goes on from."""

    def __init__(self, folder: str, part: str, seed: int) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._path = Path(folder) / f"{part}-{seed}.jsonl"

    def earlier(self, indices: Any) -> list[Outcome]:
        """What earlier runs found, but for faults and what is not asked now: these are to be run again."""
        if indices is None or not self._path.exists():
            return []
        rows = map(json.loads, self._path.read_text(encoding="utf-8").splitlines())
        found = {row["index"]: Outcome(**row) for row in rows}
        return [found[i] for i in indices if i in found and not found[i].fault]

    def add(self, outcome: Outcome) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome.to_dict()) + "\n")


def table(outcomes: dict[str, list[Outcome]]) -> str:
    """One row for each kind, in Markdown."""
    head = (
        "part",
        "kind",
        "cases",
        "proved",
        "held",
        "refused",
        "unjudged",
        "contradictions",
        "other faults",
        "slowest (s)",
    )
    rows = [head, tuple("--" for _ in head)]
    for part, found in outcomes.items():
        for kind in sorted({o.kind for o in found}):
            own = [o for o in found if o.kind == kind]
            results = Counter(o.result for o in own)
            other = sum(o.fault for o in own) - results["contradiction"]
            counts = [results[r] for r in ("proved", "held", "refused", "unjudged", "contradiction")]
            slowest = max(o.seconds for o in own)
            rows.append((part, kind, len(own), *counts, other, f"{slowest:.1f}"))
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def refusals(outcomes: dict[str, list[Outcome]]) -> str:
    """How often each check refused, by its first words, for parts that tell: all of them must be reached."""
    told = Counter(o.detail["words"] for found in outcomes.values() for o in found if "words" in o.detail)
    return "\n".join(f"{count:6} refused: {words}" for words, count in told.most_common())
