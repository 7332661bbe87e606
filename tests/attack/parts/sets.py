"""Proved sets of drawn mechanisms: starts are run by equations of their own, and changed files are tried.

Some cases are forged regions instead.

A set has to be kept, outputs in their limits, and with PROVED_ATTRACTED the motion has to end at the point. A
changed file has to be refused, or its set has to hold what it says all the same.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.integrate import DOP853

import geoctrl as gc
from geoctrl.algebra import rn
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_sets import Drawn, draw_set, with_dry_friction
from tests.attack.forge.mutations import ANYWHERE
from tests.attack.outcome import Outcome, refusal, worded
from tests.attack.parts import forged_regions
from tests.attack.parts.certificates import text_of

SETS = 515377
"""A stream of their own."""
ATTRACTED = "PROVED_ATTRACTED", "PROVED_ATTRACTED_TO_FAMILY"
STARTS, MUTANTS, DIRECTIONS = 6, 4, 40
"""Starts of each set and of each changed one, changed files, and directions in which starts are sought."""
LONG, RATES = 400.0, 60000
"""Time for which a run goes on, and after how many rates it ends at the latest."""
DECAYED, NEARER = 20.0, 1e-2
"""Time constants of the slowest mode after which what tends to the point is that much nearer."""
WAYS = [(3, "squares"), (2, "energy"), (3, "slopes")]
"""How often each kind of set is asked for, where there is friction."""
FORGED, DRY = 5, 3
"""One of so many cases is a forged region, and has dry friction as well where squares are asked."""
EDGE = 1 - 1e-6
"""Of the way to the edge of a set, at which starts lie."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    if index % FORGED == FORGED - 1:
        return forged_regions.case(seed, index)
    dice = Dice(seed + SETS, index)
    drawn = draw_set(dice)
    by = dice.weighted(WAYS) if drawn.kind != "conservative" else "energy"
    if index % DRY == 0 and by == "squares":
        drawn = with_dry_friction(drawn, dice)
    begun = time.process_time()
    try:
        system = mechanism(drawn).reduce()
        found = gc.region_of_attraction(
            system, system.equilibrium("rest"), limits=drawn.limits, by=by, monomials=2
        )
        seconds = time.process_time() - begun
        outcome = judge(drawn, found, dice)
    except Exception as error:
        outcome, seconds = refusal("", error), time.process_time() - begun
    outcome.kind, outcome.seconds = f"{drawn.kind}, {by}", seconds
    outcome.detail |= {"degrees": len(drawn.rates), "limits": drawn.limits}
    return outcome


def mechanism(drawn: Drawn) -> gc.EulerPoincare:
    """As a user would describe it."""
    k = drawn.cyclic
    own = list(zip(drawn.positions, drawn.rates, drawn.angles, strict=True))[k:]
    shape = [gc.Coordinate(q.name, angle=angle) for q, _, angle in own]
    algebra = rn(k).relabelled([v.name for v in drawn.rates[:k]], [f"p{i}" for i in range(k)]) if k else None
    names = dict(zip(drawn.rates[:k], algebra.xi, strict=True)) if algebra else {}
    for (q, v, _), coordinate in zip(own, shape, strict=True):
        names |= {q: coordinate.symbol, v: coordinate.rate}
    return gc.EulerPoincare(
        algebra=algebra,
        shape=shape,
        inertia=drawn.inertia.xreplace(names),
        potential=drawn.potential.xreplace(names),
        forces=[e.xreplace(names) for e in drawn.forces],
        outputs={name: e.xreplace(names) for name, e in drawn.outputs.items()},
        equilibria={"rest": gc.Family(dict(zip(labels(drawn), drawn.rest, strict=True)))},
        name="drawn",
    )


def labels(drawn: Drawn) -> list[str]:
    """Of the states, as the library names them."""
    k = drawn.cyclic
    places = [q.name for q in drawn.positions[k:]]
    return [*(v.name for v in drawn.rates[:k]), *(f"{name}_dot" for name in places), *places]


def judge(drawn: Drawn, found: Any, dice: Dice) -> Outcome:
    """The set, its file, and changed files, held against runs."""
    checks = ["runs", "file", "mutants"]
    problem = broken(drawn, found, dice, drawn.limits) or confirmed(found)
    results: list[str] = []
    if not problem:
        for _ in range(MUTANTS):
            result, problem = mutant(drawn, found, dice)
            results.append(result)
            if problem:
                break
    detail = {"verdict": found.verdict.value, "checks": checks, "mutants": results}
    outcome = Outcome("", "contradiction" if problem else "proved", problem, detail=detail)
    if problem.startswith("raw error"):
        outcome.result = "raw error"
    return outcome


def confirmed(found: Any) -> str:
    """A genuine file has to be confirmed."""
    try:
        return (
            "" if verified(found.to_dict()) == found.verdict.value else "the checker confirms another verdict"
        )
    except gc.CertificateError as error:
        return f"the checker refuses a genuine file: {error}"


def verified(data: dict[str, Any]) -> str:
    """The verdict of a file that `geoctrl.verify` confirms."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "set.json"
        path.write_text(text_of(data), encoding="utf-8", errors="surrogatepass")
        return gc.verify(path).verdict.value


def mutant(drawn: Drawn, found: Any, dice: Dice) -> tuple[str, str]:
    """What became of a changed file, and what is wrong with that."""
    base = found.to_dict()
    data = copy.deepcopy(base)
    told = changed(data, dice.rng)
    try:
        verdict = verified(data)
    except gc.CertificateError as error:
        return "refused", "" if worded(error) else f"raw error: {told} -> {error!r}"
    except Exception as error:
        return "raw error", f"raw error: {told} -> {type(error).__name__}: {str(error)[:200]}"
    if verdict != found.verdict.value:
        return "accepted", f"{told} -> {verdict}"
    rest, own = map(equations, (base, data))
    if json.dumps(rest, sort_keys=True) != json.dumps(own, sort_keys=True):
        return f"unjudged: {told}", ""
    other = replace(found, data={k: v for k, v in data.items() if k != "digest"}, _judged=None)
    bounds = {k: v for k, v in other.limits.items() if k in drawn.limits}
    problem = broken(drawn, other, dice, bounds)
    return f"held: {told}", f"{told} -> {problem}" if problem else ""


def equations(data: dict[str, Any]) -> dict[str, Any]:
    """What a file says of the motion, and of where it is asked for."""
    own = {k: v for k, v in data["problem"].items() if k != "limits"}
    return own | {k: v for k, v in data.get("theorem", {}).items() if k in ("domain", "levels")}


def changed(data: dict[str, Any], rng: np.random.Generator) -> str:
    """One change that fits the file, in words: half of them to numbers of the proof."""
    while True:
        attempt = copy.deepcopy(data)
        try:
            if rng.random() < 0.5:
                said = moved_number(attempt, rng)
            else:
                said = ANYWHERE[int(rng.integers(len(ANYWHERE)))](attempt, rng)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            continue
        data.clear()
        data.update(attempt)
        return said


def moved_number(data: dict[str, Any], rng: np.random.Generator) -> str:
    """A rational number of the file, perhaps the level, made larger, smaller, or of the other sign."""
    texts = list(numbers(data))
    if rng.random() < 0.3:
        texts = [path for path in texts if path[-1] in ("level", "bound", "width")]
    path = texts[int(rng.integers(len(texts)))]
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    old = holder[path[-1]]
    factor = ("-1", "101/100", "99/100", "2", "1/2", "1000")[int(rng.integers(6))]
    holder[path[-1]] = str(Fraction(old) * Fraction(factor))
    return f"{path} times {factor}"


def numbers(tree: Any, path: tuple = ()) -> Iterator[tuple]:
    """Places of texts that are rational numbers."""
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from numbers(child, (*path, key))
    if isinstance(tree, str) and tree.lstrip("-").replace("/", "", 1).isdigit():
        yield path


# -- runs ---------------------------------------------------------------------------------------------------


def broken(drawn: Drawn, found: Any, dice: Dice, limits: dict[str, float]) -> str:
    """What a run from the set does that it must not do."""
    if not found.contains(drawn.on_level(drawn.point)):
        return "the equilibrium is not in its set"
    for start in starts(drawn, found, dice):
        if problem := run(drawn, found, start, limits):
            return f"{problem}, from {start.tolist()}"
    return ""


def starts(drawn: Drawn, found: Any, dice: Dice) -> Iterator[np.ndarray]:
    """States of the set, most of them at its edge."""
    made = 0
    for _ in range(DIRECTIONS):
        way = dice.rng.normal(size=len(drawn.point)) * 10.0 ** dice.rng.uniform(-1, 1, len(drawn.point))
        edge = _edge(drawn, found, way / np.linalg.norm(way))
        if edge is None:
            continue
        part = EDGE if dice.chance(0.7) else dice.rng.random()
        start = drawn.on_level(drawn.point + part * edge)
        if found.contains(start):
            yield start
            made += 1
        if made == STARTS:
            return


def _edge(drawn: Drawn, found: Any, way: np.ndarray) -> np.ndarray | None:
    """The last point of a ray from the equilibrium that is in the set, by doubling and halving."""
    size, last = 1e-4, 0.0
    while size < 1e6 and found.contains(drawn.on_level(drawn.point + size * way)):
        last, size = size, 2 * size
    if last == 0.0 or size >= 1e6:
        return None
    for _ in range(30):
        middle = (last + size) / 2
        inside = found.contains(drawn.on_level(drawn.point + middle * way))
        last, size = (middle, size) if inside else (last, middle)
    return last * way


def run(drawn: Drawn, found: Any, start: np.ndarray, limits: dict[str, float]) -> str:
    """What is wrong along one run."""
    end = DECAYED / slowest(drawn)
    motion = DOP853(drawn.slope, 0.0, start, min(end, LONG), rtol=1e-11, atol=1e-13)
    looked = 0.0
    while motion.status == "running" and motion.nfev < RATES:
        motion.step()
        if not np.all(np.isfinite(motion.y)):
            return "it blows up"
        for name, value in zip(limits, drawn.output_at(motion.y), strict=True) if limits else ():
            if abs(value) > limits[name] * (1 + 1e-9):
                return f"{name} = {value} at {motion.t}"
        if motion.t >= looked:
            looked = 1.1 * motion.t + 0.05
            if not found.contains(motion.y):
                return f"it leaves the set at {motion.t}"
    if motion.status == "failed":
        return "it cannot be followed"
    away, begun = (distance(drawn, x) for x in (motion.y, start))
    if found.verdict.value in ATTRACTED and motion.t >= end and away > NEARER * begun + 1e-9:
        return f"at {motion.t} it is {away} from the point, {begun} at first"
    return ""


def distance(drawn: Drawn, x: np.ndarray) -> float:
    """From the point, whole turns of angles aside; from the member of a family that has the same symbols."""
    turned = [*[False] * len(drawn.rates), *drawn.angles[drawn.cyclic :]]
    away = x - drawn.point
    away[[*getattr(drawn, "symbols", [])]] = 0.0
    return float(np.linalg.norm(np.where(turned, np.remainder(away + np.pi, 2 * np.pi) - np.pi, away)))


def slowest(drawn: Drawn) -> float:
    """How fast the slowest mode decays; those of conserved momenta are left out."""
    x, h = drawn.point, 1e-5
    sides = [(drawn.slope(0, x + h * e) - drawn.slope(0, x - h * e)) / (2 * h) for e in np.eye(len(x))]
    roots = sorted(np.linalg.eigvals(np.column_stack(sides)), key=abs)[drawn.cyclic :]
    return max(-max(float(root.real) for root in roots), 1e-12)
