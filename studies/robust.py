"""Laws over boxes of constants: what is proved, where it ends, and exact points that are asked beside it.

Of each loop one verdict is asked for all of its constants together. Where none holds, the part of the box
about its centre that is proved is asked in its place; its file is written and checked, and corners and inner
points of it are asked exactly: by Hurwitz' determinants of the characteristic polynomial in rationals, which
know nothing of boxes, and some of them by ``certify``. None may be unstable. A picture shows a box of the
cart, the point against it, and runs at both.

    python studies/robust.py --out robust --points 1250 --certified 63
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from flint import fmpq, fmpq_mat

import geoctrl as gc
from geoctrl._scalars import RATIONAL, evaluate

WITHIN = 0.999
"""Of the part of a box that is proved: it is bracketed from below, and asked as a box of its own."""
LOADS = {"M": (0.2, 1.2), "m": (0.05, 0.4)}
"""Masses of the cart and its pendulum (kg) of the picture."""

SHOWN = 0.1
"""Leans (rad) at which runs of the picture end."""


class Case(NamedTuple):
    """A loop of a linear law, the family of its point with symbols, and the part of the constants asked."""

    loop: gc.ReducedSystem
    family: str
    symbols: dict[str, float]
    part: float

    @property
    def member(self) -> gc.Equilibrium:
        """The point at which the law was designed."""
        return self.loop.equilibrium(self.family, **self.symbols)

    def certificate(self, part: float) -> gc.BoxCertificate:
        """The verdict for all constants, and symbols that are not zero, together."""
        names = [*self.loop.params, *(k for k, v in self.symbols.items() if v)]
        return gc.certify(self.loop, self.member, over=dict.fromkeys(names, part))


def case_of(name: str, family: str, part: float, *weights: Any, **symbols: float) -> Case:
    """A mechanism or field of the catalogue with a regulator, of unit weights where none are given."""
    plant = gc.models.get(name)().reduce()
    loop = gc.lqr(plant, plant.equilibrium(family, **symbols), *weights).closed_loop()
    own = loop.families[family].names
    return Case(loop, family, {k: v for k, v in symbols.items() if k in own}, part)


CASES: dict[str, Callable[[], Case]] = {
    "cart": lambda: case_of("cart-pendulum", "upright", 0.2),
    "skate": lambda: case_of("pendulum-skate-rotor", "sliding", 0.15, Y0=1.0),
    "inertia-wheel": lambda: case_of("inertia-wheel-pendulum", "upright", 0.2),
    "acrobot": lambda: case_of("acrobot", "upright", 0.2),
    "furuta": lambda: case_of("furuta-pendulum", "upright", 0.2, Omega0=0.0),
    "ball-and-beam": lambda: case_of("ball-and-beam", "level", 0.2, r0=0.0),
    "puck": lambda: case_of("spherical-pendulum-on-puck", "upright", 0.2),
    "car": lambda: case_of("car-on-a-line", "on the line", 0.5),
}


def points_of(found: gc.BoxCertificate, count: int) -> Iterator[dict[str, Fraction]]:
    """Corners and inner points of a box in turn, exactly."""
    rng = np.random.default_rng(17)
    for k in range(count):
        shares = rng.integers(0, 2, len(found.over)) if k % 2 else rng.integers(0, 65, len(found.over))
        whole = 1 if k % 2 else 64
        yield {
            name: low + (high - low) * Fraction(int(share), whole)
            for (name, (low, high)), share in zip(found.over.items(), shares, strict=True)
        }


class ExactRoots:
    """Places of the roots of a loop's linearisation, in rationals."""

    def __init__(self, case: Case) -> None:
        loop = self._loop = case.loop
        self._case, self._rows = case, loop.graph.jacobian(list(loop.field_nodes), loop.state_nodes)
        self.zeros = self._places({})[0]

    def are_left(self, at: dict[str, Fraction]) -> bool:
        """Whether all roots but the zeros, which are as many as at the centre, lie left of the axis."""
        zeros, is_hurwitz = self._places(at)
        return zeros == self.zeros and is_hurwitz

    def _places(self, at: dict[str, Fraction]) -> tuple[int, bool]:
        names = self._loop.families[self._case.family].names
        params = {k: v for k, v in at.items() if k not in names}
        symbols = self._case.symbols | {k: v for k, v in at.items() if k in names}
        member = self._loop.equilibrium(self._case.family, params=params, **symbols)
        numbers = {k: Fraction(v) for k, v in member.params.items()}
        values = {node: numbers[k] for k, node in self._loop.parameter_nodes.items()}
        values |= dict(zip(self._loop.state_nodes, member.exact, strict=True))
        values |= dict(zip(self._loop.assembly.inputs, member.exact_u, strict=True))
        entries = [evaluate(row, values, RATIONAL) for row in self._rows]
        matrix = fmpq_mat([[fmpq(e.numerator, e.denominator) for e in map(Fraction, row)] for row in entries])
        rising = list(matrix.charpoly())
        zeros = next(k for k, c in enumerate(rising) if c != 0)
        return zeros, is_hurwitz(rising[zeros:][::-1])


def is_hurwitz(polynomial: list[fmpq]) -> bool:
    """Whether all roots lie left of the axis: Hurwitz' determinants of falling coefficients, exactly."""
    n = len(polynomial) - 1
    table = [
        [polynomial[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= n else fmpq(0) for j in range(n)]
        for i in range(n)
    ]
    minors = (fmpq_mat([row[:k] for row in table[:k]]).det() for k in range(1, n + 1))
    return polynomial[0] > 0 and all(minor > 0 for minor in minors)


def unstable_points(case: Case, found: gc.BoxCertificate, count: int, certified: int) -> dict[str, int]:
    """How many points of a proved box contradict it, by determinants and by `certify`."""
    roots, points = ExactRoots(case), list(points_of(found, max(count, certified)))
    away = sum(not roots.are_left(at) for at in points[:count])
    names, against = case.loop.families[case.family].names, 0
    for at in points[:certified]:
        params = {k: v for k, v in at.items() if k not in names}
        symbols = case.symbols | {k: v for k, v in at.items() if k in names}
        member = case.loop.equilibrium(case.family, params=params, **symbols)
        said = gc.certify(case.loop, member, params=params).verdict
        against += said not in (gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE)
    return {"points": count, "away": away, "certified": certified, "denied": against}


def row_of(name: str, out: Path, count: int, certified: int) -> dict[str, Any]:
    """What is found of one loop; its file is written and checked."""
    case, begun = CASES[name](), process_time()
    asked = case.certificate(case.part)
    seconds = process_time() - begun
    part = case.part if asked.verdict.proved else WITHIN * asked.inside * case.part
    found = asked if asked.verdict.proved else case.certificate(part)
    row: dict[str, Any] = {"axes": len(asked.over), "asked": case.part, "verdict": asked.verdict.name}
    row |= {"seconds": seconds, "proved": part if found.verdict.proved else 0.0}
    if asked.against is not None:
        assert asked.counterexample is not None
        row["against"] = {k: float(v) for k, v in asked.against.items()}
        row["there"] = asked.counterexample.verdict.name
    if found.verdict.proved:
        found.to_json(out / f"{name}.json")
        assert gc.verify(out / f"{name}.json").verdict is found.verdict
        row |= unstable_points(case, found, count, certified)
    return row


def rectangle(over: dict[str, tuple[Fraction, Fraction]], part: float) -> tuple[list[float], list[float]]:
    """The sides of a part of a box of two axes about its centre."""
    halves = [(float((a + b) / 2), part * float(b - a) / 2) for a, b in over.values()]
    (left, right), (low, high) = ((middle - half, middle + half) for middle, half in halves)
    return [left, right, right, left, left], [low, low, high, high, low]


def picture(out: Path) -> None:
    """A box of masses of the cart and its pendulum, asked and proved, the point against it, and runs."""
    loop = CASES["cart"]().loop
    asked = gc.certify(loop, loop.equilibrium("upright", params={"M": 0.7, "m": 0.2}), over=LOADS)
    assert asked.against is not None
    proved = WITHIN * asked.inside
    centre = {k: float((a + b) / 2) for k, (a, b) in asked.over.items()}
    against = {k: float(v) for k, v in asked.against.items()}
    edge = {k: centre[k] + proved * (against[k] - centre[k]) for k in centre}
    axes = {k: (max(0.02, a - (b - a) / 8), b + (b - a) / 8) for k, (a, b) in LOADS.items()}
    fig, (plane, runs) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    gc.certify_region(loop, "upright", axes, depth=8).plot(plane)
    plane.plot(*rectangle(asked.over, 1.0), "--", color="black", lw=1.4, label="asked")
    plane.plot(*rectangle(asked.over, proved), color="black", lw=1.4, label="proved by one verdict")
    plane.plot(against["M"], against["m"], "x", color="black", ms=9, mew=2.2, label="proved unstable")
    plane.set(xlabel="M (kg)", ylabel="m (kg)", title="the cart's regulator, other masses")
    plane.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=3, frameon=False, fontsize=8)
    times, start = np.linspace(0, 8, 1601), loop.state(phi=0.02)
    for told, params in (("centre", centre), ("corner of what is proved", edge), ("point against", against)):
        run = gc.simulate(loop, times, start, params=params, engine="scipy")
        gone = np.maximum.accumulate(np.abs(run["phi"])) > SHOWN
        runs.plot(run.time, np.where(gone, np.nan, run["phi"]), label=told, lw=1.2)
    runs.set(xlabel="t (s)", ylabel=r"$\phi$ (rad)", title="runs from 0.02 rad", ylim=(-SHOWN, SHOWN))
    runs.legend(frameon=False, fontsize=8)
    fig.savefig(out / "robust.png", dpi=150)
    plt.close(fig)


def main() -> None:
    """Ask, check, tell, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("robust"))
    parser.add_argument("--points", type=int, default=1250, help="exact points of each box (default 1250)")
    parser.add_argument("--certified", type=int, default=63, help="of them asked of certify (default 63)")
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--quick", action="store_true", help="cart and car alone, few points")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    only, count, certified = args.only, args.points, args.certified
    if args.quick:
        only, count, certified = ["cart", "car"], min(count, 40), min(certified, 4)
    rows = {}
    for name in only:
        row = rows[name] = row_of(name, args.out, count, certified)
        told = ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items())
        print(f"{name}: {told}", flush=True)
    (args.out / "robust.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if "cart" in only:
        picture(args.out)
    wrong = sum(row.get("away", 0) + row.get("denied", 0) for row in rows.values())
    print(f"{wrong} points contradict")


if __name__ == "__main__":
    main()
