"""Random fields whose truth is known by construction: what the theorems prove of them, and what not."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import DOP853

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.proofs.proof import Outcome as Decision
from geoctrl.analysis.question.generators import NotSolved
from tests.attack.build.building_fields import file_of, judged, problem_of
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_fields import ATTRACTS, FIELDS, STABLE, UNSTABLE, Field, draw_field
from tests.attack.outcome import Outcome, refusal
from tests.attack.parts.crossing import at_odds

FILES, RUNS, CROSSED, PUBLIC = 0.25, 0.2, 0.5, 0.3
"""Shares of proofs that are written and checked again, of proofs of stability that are run, of proofs at
points of which every theorem is asked, and of fields that are described as well, as `gc.VectorField`."""
SIZES, SPAN, RATES = (1e-2, 1e-3), 200.0, 20000
"""Perturbations that are run, for how long, and after how many rates a run ends at the latest."""
GROWTH, FAR = 100.0, 1e4
"""Growth that is looked at, and growth at which a run ends."""
WRONG = {
    "PROVED_STABLE": (UNSTABLE,),
    "PROVED_ASYMPTOTICALLY_STABLE": (UNSTABLE, STABLE),
    "PROVED_UNSTABLE": (STABLE, ATTRACTS, "not unstable"),
    "SPECTRALLY_STABLE_ONLY": (),
    "UNDECIDED": (),
}
"""Truths that refute a verdict. "stable" here says that nothing attracts as well."""
OF_ORBITS = {"PROVED_STABLE_MODULO": (UNSTABLE,), "PROVED_UNSTABLE": (STABLE,)}


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + FIELDS, index)
    f = draw_field(dice)
    begun = time.process_time()
    try:
        outcome = judge(f, dice)
    except Exception as error:
        outcome = refusal(f.kind, error)
    outcome.kind, outcome.seconds = f.kind, time.process_time() - begun
    outcome.detail |= {"truth": f.truth, "rates": [str(g) for g in f.rates]}
    return outcome


def judge(f: Field, dice: Dice) -> Outcome:
    """Verdicts of the point and, with a symmetry, of its orbit, held against the truth."""
    found, checks = judged(f), []
    verdict, method = found.verdict.value, found.method
    problem = f"{verdict} ({method}), but it is {f.truth}" if f.truth in WRONG.get(verdict, ()) else ""
    if not problem and verdict.startswith("PROVED") and dice.chance(FILES):
        problem, _ = again(found), checks.append("file")
    if not problem and verdict.startswith("PROVED") and dice.chance(CROSSED):
        problem, _ = at_odds(problem_of(f)), checks.append("every theorem")
    if not problem and dice.chance(PUBLIC):
        problem, _ = described(f), checks.append("described")
    stable = verdict in ("PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE")
    if not problem and stable and not f.leaf and dice.chance(RUNS):
        problem, _ = run(f, dice, at_point(f)), checks.append("run")
    proved = verdict.startswith("PROVED")
    if not problem and f.modulo:
        orbit = judged(f, "orbit")
        said = orbit.verdict.value
        if orbit.method.endswith("modulo a group"):
            if f.modulo in OF_ORBITS.get(said, ()):
                problem = f"{said} ({orbit.method}), but the orbit is {f.modulo}"
            elif said.startswith("PROVED") and dice.chance(FILES):
                problem, _ = again(orbit), checks.append("file")
            if not problem and said == "PROVED_STABLE_MODULO":
                problem, _ = run(f, dice, f.distance), checks.append("run modulo")
        elif f.truth in WRONG.get(said, ()):
            problem = f"{said} ({orbit.method}), but it is {f.truth}"
        verdict, proved = f"{verdict}, {said}", proved or said.startswith("PROVED")
    result = "contradiction" if problem else "proved" if proved else "held"
    return Outcome("", result, problem, detail={"verdict": verdict, "method": method, "checks": checks})


def described(f: Field) -> str:
    """What the public door says of the same field, and whether its file is confirmed."""
    field = gc.VectorField(
        f.states, f.rates, leaf=f.leaf, invariants={**f.conserved, **f.others}, name="drawn"
    )
    try:
        found = gc.certify(field.reduce(), f.point)
    except gc.GeoctrlError:  # a leaf that is singular at the point, say
        return ""
    if f.truth in WRONG.get(found.verdict.value, ()):
        return f"a vector field is {found.verdict.value} ({found.method}), but it is {f.truth}"
    if not found.verdict.value.startswith("PROVED"):
        return ""
    verdict = checker.check(json.loads(found.to_json())).verdict
    return "" if verdict == found.verdict.value else f"the file of a vector field says {verdict}"


def again(outcome: Decision) -> str:
    """What the search has proved has witnesses, and the checker finds the same by them."""
    try:
        report = checker.check(file_of(outcome))
    except NotSolved:
        return f"no witnesses were found for a proof by {outcome.method}"
    except checker.Refusal as refused:
        return f"the checker refuses a genuine certificate: {refused}"
    found = report.verdict, report.method
    proved = outcome.verdict.value, outcome.method
    return "" if found == proved else f"the checker finds {found} for {proved}"


def at_point(f: Field) -> Any:
    rest = np.array([float(v) for v in f.point])
    return lambda z: float(np.linalg.norm(np.array(z) - rest))


def run(f: Field, dice: Dice, distance: Any) -> str:
    """Whether perturbations of two sizes grow a hundredfold and go on growing."""
    return "" if not all(_grows(f, dice, distance, size) for size in SIZES) else "proved, but it grows"


def _grows(f: Field, dice: Dice, distance: Any, size: float) -> bool:
    rates = sp.lambdify([f.states], f.rates, "math")
    away = dice.rng.normal(size=len(f.states))
    start = np.array([float(v) for v in f.point]) + size * away / np.linalg.norm(away)
    motion = DOP853(lambda _, z: np.array(rates(z)), 0.0, start, SPAN, rtol=1e-11, atol=1e-14)
    times, distances = [0.0], [distance(start)]
    try:
        while motion.status == "running" and motion.nfev < RATES and distances[-1] < FAR * size:
            motion.step()
            times.append(motion.t)
            distances.append(distance(motion.y))
    except OverflowError:
        return True
    early = max(d for t, d in zip(times, distances, strict=True) if t <= times[-1] / 2)
    return max(distances) > GROWTH * size and max(distances) > 2 * early
