"""Random systems: what geoctrl says of them against what the oracle computes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import geoctrl as gc
from tests.attack.build.building import (
    Built,
    build,
    difference,
    exactly_told,
    number_types,
    parameters_of,
    turned,
)
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import draw
from tests.attack.draw.mechanism import Mechanism, Products, Spheres
from tests.attack.oracle.oracle import Oracle, OracleError, Spectrum
from tests.attack.oracle.polynomials import ready, specialise, value
from tests.attack.outcome import Outcome, refusal
from tests.attack.parts.crossing import point_at_odds
from tests.attack.parts.judging_shape import against_edges, against_reactions, outside

PROVED_STABLE = ("PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE")
GROWTH = 100.0
"""Growth of a perturbation that asks for a second look; 226 stable ones of an early trial stayed below 6."""
RUNS, RUNS_ON_PRODUCTS = 0.05, 0.15
"""Shares of proved-stable systems that are simulated."""
RATES, RATES_ON_PRODUCTS = 15000, 4000
"""Most evaluations of rates in a run; of products they take milliseconds."""
TYPES = 0.25
"""Share of systems with parameters that are judged again with equal numbers of other types."""
TRANSIENT = 10.0
"""Growth over that of the linear motion from which on it is no transient."""
CROSSED = 0.2
"""Share of proofs at points of which every theorem is asked."""
FILES = 0.05
"""Share of certificates that are written and verified."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    drawn = draw(seed, index)
    kind = drawn.kind
    oracle = Oracle(drawn)
    try:
        spectrum = oracle.spectrum(drawn.point)
    except OracleError as error:
        return Outcome(kind, "unjudged", str(error))
    begun = time.process_time()
    try:
        outcome = judge(drawn, oracle, spectrum, np.random.default_rng([seed, index, 1]), Dice(seed, index))
    except OracleError as error:
        outcome = Outcome(kind, "unjudged", str(error))
    except Exception as error:
        outcome = refusal(kind, error)
    outcome.kind, outcome.seconds = kind, time.process_time() - begun
    outcome.detail |= {"traits": drawn.traits}
    return outcome


def judge(
    drawn: Mechanism | Spheres | Products,
    oracle: Oracle,
    spectrum: Spectrum,
    rng: np.random.Generator,
    dice: Dice,
) -> Outcome:
    """Every claim that geoctrl makes about a draw, held against the oracle."""
    built = build(drawn)
    apart = difference(drawn, built, oracle, rng)
    if not apart <= 1:
        return Outcome("", "contradiction", f"the rates differ, {apart:.2g} times what rounding allows")
    params = parameters_of(drawn)
    checks = []
    if isinstance(drawn, Mechanism) and drawn.shape:
        problem = beside_verdicts(drawn, built, oracle, rng, checks)
        if problem:
            return Outcome("", "contradiction", problem)
        if outside(drawn):
            return refused_outside(drawn, built)
    certificate = gc.certify(built.system, built.place(params), params)
    verdict = certificate.verdict.value
    told = exactly_told(drawn, built)
    problem = against_spectrum(verdict, certificate.method, told, spectrum)
    problem = problem or false_invariants(drawn, oracle, certificate, rng)
    if not problem and told and verdict.startswith("PROVED") and dice.chance(CROSSED):
        problem = point_at_odds(built.system, built.place(params), params)
        checks.append("every theorem")
    if not problem and drawn.parameters and dice.chance(TYPES):
        problem, _ = of_other_types(drawn, built, verdict, dice), checks.append("types")
    if not problem and dice.chance(FILES):
        problem, _ = file_of(certificate), checks.append("file")
    if (
        not problem
        and verdict in PROVED_STABLE
        and dice.chance(RUNS_ON_PRODUCTS if drawn.kind == "products" else RUNS)
    ):
        problem, _ = growth(drawn, oracle, spectrum, verdict, rng), checks.append("run")
    result = (
        "raw error"
        if problem.startswith("raw")
        else "contradiction"
        if problem
        else "proved"
        if verdict.startswith("PROVED")
        else "held"
    )
    return Outcome("", result, problem, detail={"verdict": verdict, "checks": checks})


def beside_verdicts(
    m: Mechanism, built: Built, oracle: Oracle, rng: np.random.Generator, checks: list[str]
) -> str:
    """Forces of constraints, and where runs end, of a mechanism with coordinates."""
    problem = ""
    if m.constraints:
        problem, _ = against_reactions(m, built, oracle, rng), checks.append("reactions")
    if not problem and m.sides:
        problem, _ = against_edges(m, built, oracle, rng), checks.append("edges")
    return problem


def refused_outside(m: Mechanism, built: Built) -> Outcome:
    """A point outside the domain has no verdict."""
    params = parameters_of(m)
    try:
        found = gc.certify(built.system, built.place(params), params)
    except gc.EquilibriumError as error:
        if "outside the domain" in str(error):
            return Outcome("", "refused", "outside the domain")
        raise
    return Outcome("", "contradiction", f"{found.verdict.value} outside the domain")


BEYOND_THE_SPECTRUM = "drift", "falling energy", "spectrum and a series"
"""Methods by which a point is unstable whose linearisation has no growing mode."""


def against_spectrum(verdict: str, method: str, told: bool, spectrum: Spectrum) -> str:
    """What a verdict says against the exact spectrum, in words; nothing where both agree.

    Where geoctrl was given a rounded point,
    the oracle's spectrum belongs to a neighbour: then only roots that
    are plainly to one side count.
    """
    margin = 0.0 if told and "in floats" not in method else 1e-5 * max(1.0, spectrum.radius)
    growing = spectrum.growing and spectrum.abscissa > margin
    grows = f"the oracle has an eigenvalue with the real part {spectrum.abscissa:.3g}"
    if verdict == "PROVED_UNSTABLE" and not spectrum.growing:
        # What drifts, or falls without a minimum, needs no growing mode; where all modes decay it is wrong.
        if method in BEYOND_THE_SPECTRUM and not spectrum.left:
            return ""
        return f"{verdict} ({method}), but {grows}" if told else ""
    if verdict in (*PROVED_STABLE, "SPECTRALLY_STABLE_ONLY") and growing:
        return f"{verdict} ({method}), but {grows}"
    if verdict == "NUMERICALLY_STABLE" and growing:
        return f"{verdict} ({method}), but {grows}"
    if verdict == "NUMERICALLY_UNSTABLE" and spectrum.abscissa < -margin:
        return f"{verdict}, but {grows}"
    return ""


def false_invariants(
    drawn: Mechanism | Spheres | Products, oracle: Oracle, certificate: Any, rng: Any
) -> str:
    """A declared invariant that the certificate uses although the oracle sees it change."""
    if not isinstance(drawn, Mechanism) or not drawn.invariants:
        return ""
    problem = certificate.proof["problem"]
    # A proof by falling energy lists what is not conserved too, and leans on what it proves to be conserved.
    used = certificate.evidence["conserved"] if "falling" in problem else problem.get("invariants", {})
    for name, p in drawn.invariants.items():
        if name in used and changes(drawn, oracle, p, rng):
            return f"the declared invariant {name} is used, but it changes along motions"
    return ""


def changes(m: Mechanism, oracle: Oracle, p: Any, rng: np.random.Generator) -> bool:
    """Whether a function changes along the motion at one of three random states."""
    function = ready(specialise(p, m.values), float)
    for _ in range(3):
        x = turned(m, oracle, rng)
        rate = oracle.rate_in_floats(x)
        step = 1e-5 / max(1.0, float(np.max(np.abs(rate))))
        ahead, behind = (value(function, x + sign * step * rate, 0.0) for sign in (1, -1))
        size = max(1.0, float(np.max(np.abs(rate)))) * max(1.0, abs(ahead))
        # A central difference errs by 1e-10 of the function's size, divided by twice the step.
        if abs(ahead - behind) / (2 * step) > 1e-4 * size:
            return True
    return False


def of_other_types(drawn: Mechanism | Spheres | Products, built: Built, verdict: str, dice: Dice) -> str:
    """Equal numbers of other types must give the same verdict, or be refused in words."""
    params = {name: dice.pick(number_types(value)) for name, value, _ in drawn.parameters}
    said = ", ".join(f"{k} = {type(v).__name__}({v})" for k, v in params.items())
    try:
        found = gc.certify(built.system, built.place(params), params).verdict.value
    except gc.GeoctrlError:
        return ""
    except Exception as error:
        return f"raw {type(error).__name__} with {said}: {error}"
    return "" if found == verdict else f"{verdict}, but {found} with {said}"


def file_of(certificate: Any) -> str:
    """A genuine certificate has to be confirmed; a report has no file."""
    if not certificate.verdict.proved:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        try:
            certificate.to_json(path)
            report = gc.verify(path)
        except gc.CertificateError as error:
            return f"a genuine certificate has no file, or is refused: {error}"
    found, proved = ((c.verdict, c.claim) for c in (report, certificate))
    return "" if found == proved else f"verify finds {found}"


def growth(
    drawn: Mechanism | Spheres | Products,
    oracle: Oracle,
    spectrum: Spectrum,
    verdict: str,
    rng: np.random.Generator,
) -> str:
    """Runs from small perturbations, longer where the point is said to attract."""
    span, decays = 100.0, False
    if verdict == "PROVED_ASYMPTOTICALLY_STABLE" and spectrum.left:
        needed = max(20.0, 12.0 / -spectrum.abscissa)
        # What takes longer to decay than a run may last cannot be seen to decay.
        span, decays = min(1000.0, needed), needed <= 1000.0
    most = RATES_ON_PRODUCTS if drawn.kind == "products" else RATES
    for size in (1e-3, 1e-4):
        run = oracle.excursion(drawn.point, size, span, rng, most)
        if run.growth < GROWTH:
            break
    else:
        # Both sizes grew: a transient has ended by the middle of the run, an instability goes on. A stiff run
        # may not last until then: what the linear motion explains is a transient too.
        if run.late > 2 and run.growth > TRANSIENT * oracle.amplification(drawn.point, run.times[-1]):
            return f"{verdict}, but perturbations of 1e-3 and 1e-4 grew {run.growth:.3g} times and go on"
    finished = run.times[-1] >= 0.99 * span
    if decays and finished and run.final > 0.5:
        return f"{verdict}, but {run.final:.3g} of the perturbation is left after {span:g} s"
    return ""
