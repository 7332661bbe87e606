"""What `certify` says of every family of the catalogue at drawn parameters, and how long it takes.

    python studies/proof_sweep.py                          all families, five points each (some minutes)
    python studies/proof_sweep.py --only bicycle --points 2

The first point has the default parameters; for the others each parameter is multiplied by a factor between
0.6 and 1.6. Symbols of the family are drawn between -8 and 8, and where these obey no relation, from round
numbers. Where a system has no member, its despun form is asked. Each family begins with a system reduced
afresh, so that the time of its first point holds all that is prepared once. Rows are printed by time, then
what was not proved, with reasons.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import geoctrl as gc

TRIES = 12
"""Draws of a family's symbols before round numbers are tried."""
ROUND = (1.0, 0.0, -1.0, 0.3, 2.5, 9.0)
"""Numbers at which most relations between symbols have members."""


class Point(NamedTuple):
    """One verdict: at which numbers, why, and after how many seconds of processor time."""

    model: str
    family: str
    numbers: dict[str, float]
    symbols: dict[str, float]
    verdict: str
    reason: str
    seconds: float


def families(only: str = "") -> list[tuple[str, str]]:
    """Every model of the catalogue that declares families, with each of these."""
    return [
        (name, family)
        for name in gc.models.names("reduced")
        for family in gc.models.get(name)().equilibria
        if only in f"{name} {family}"
    ]


def points(model: str, family: str, count: int, seed: int = 1) -> Iterator[Point]:
    """Verdicts of one family; "no member" where none was found."""
    for numbers, symbols, found, seconds in certificates(model, family, count, seed):
        verdict, reason = ("no member", "") if found is None else (str(found.verdict), found.reason)
        yield Point(model, family, numbers, symbols, verdict, reason, seconds)


def certificates(
    model: str, family: str, count: int, seed: int = 1
) -> Iterator[tuple[dict[str, float], dict[str, float], gc.Certificate | None, float]]:
    """Parameters, symbols and certificate of the points of one family, with the seconds that each took."""
    system = gc.models.get(model)().reduce()
    seen = [system, *([system.despun()] if system.mechanism.symmetry is not None else [])]
    rng = np.random.default_rng([seed, *f"{model} {family}".encode()])
    for index in range(count):
        numbers = {
            p.name: float(f"{p.default * rng.uniform(0.6, 1.6):.3g}") if index else p.default
            for p in system.mechanism.parameters
        }
        member = _member(seen, family, numbers, rng)
        if member is None:
            yield numbers, {}, None, 0.0
            continue
        form, equilibrium, symbols = member
        begin = time.process_time()
        found = gc.certify(form, equilibrium)
        yield numbers, symbols, found, time.process_time() - begin


def _member(
    seen: Sequence[Any], family: str, numbers: dict[str, float], rng: np.random.Generator
) -> tuple[Any, Any, dict[str, float]] | None:
    """A system that has a member of the family, the member, and its symbols."""
    names = seen[0].families[family].names
    drawn = [tuple(np.round(rng.uniform(-8, 8, len(names)), 2).tolist()) for _ in range(TRIES)]
    for values in [*drawn, *product(ROUND, repeat=len(names))]:
        symbols = dict(zip(names, values, strict=True))
        for form in seen:
            try:
                return form, form.equilibrium(family, params=numbers, **symbols), symbols
            except gc.GeoctrlError:
                continue
    return None


def table(found: Sequence[Point]) -> str:
    """One row for each family, the slowest first."""
    rows = []
    for name in dict.fromkeys((p.model, p.family) for p in found):
        own = [p for p in found if (p.model, p.family) == name]
        seconds = [p.seconds for p in own if p.verdict != "no member"]
        if seconds:
            counts = ", ".join(f"{n} {verdict}" for verdict, n in Counter(p.verdict for p in own).items())
            rows.append(
                (max(seconds), f"{name[0]} {name[1]}", seconds[0], statistics.median(seconds), counts)
            )
    rows.sort(reverse=True)
    lines = [
        f"{name:42s} {first:7.2f} {middle:7.2f} {worst:7.2f}  {counts}"
        for worst, name, first, middle, counts in rows
    ]
    return "\n".join([f"{'family':42s} {'first':>7s} {'median':>7s} {'worst':>7s}  verdicts", *lines])


def summary(found: Sequence[Point]) -> str:
    """Counts of verdicts, times over all points, and every point that is not proved."""
    asked = [p for p in found if p.verdict != "no member"]
    counts = Counter(p.verdict for p in found)
    lines = [f"{len(found)} points: " + ", ".join(f"{n} {v}" for v, n in counts.most_common())]
    if asked:
        times = [p.seconds for p in asked]
        lines.append(f"certify: median {statistics.median(times):.3f} s, worst {max(times):.2f} s")
    for p in asked:
        if not p.verdict.startswith("PROVED"):
            lines.append(f"{p.model} {p.family} at {p.symbols}: {p.verdict}: {p.reason}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """The sweep from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--points", type=int, default=5, help="points of each family")
    parser.add_argument("--only", default="", help="part of the name of model and family")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    found: list[Point] = []
    for model, family in families(options.only):
        found += points(model, family, options.points, options.seed)
        print(f"{model} {family}: {found[-1].verdict}, {found[-1].seconds:.2f} s", flush=True)
    print(table(found), summary(found), sep="\n\n")


if __name__ == "__main__":
    main()
