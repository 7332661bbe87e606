"""Certificates with witnesses, changed in all kinds of ways and given to the core that searches for
nothing.
"""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl import checker
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker.limits import Refusal
from tests.attack.forge.forger import moderate, settle
from tests.attack.forge.mutations import ANYWHERE, at, pick, places, put
from tests.attack.forge.other_equations import EQUATIONS
from tests.attack.forge.other_evidence import IDENTITIES
from tests.attack.outcome import Outcome, raw
from tests.attack.parts import certificates

BASES: list[tuple[dict[str, Any], dict[str, Any]]] = []
"""Genuine certificates, and their content with witnesses."""
SHARES = (0.6, 0.2, 0.2)
"""Of changes to witnesses, to equations under the witnesses of others, and to equations with witnesses
anew.
"""
SCALES = ("0", "-1", "1/1000", "1001/1000", "2", "-1/2", "1000")
"""By which numbers are multiplied."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    """Make the genuine certificates; the number of those that have witnesses."""
    certificates.prepare(seed, options)
    BASES.clear()
    for base in certificates.BASES:
        try:
            BASES.append((base, as_read(content_with_witnesses(base))))
        except NotSolved:
            continue
    return len(BASES)


def as_read(content: dict[str, Any]) -> Any:
    return json.loads(json.dumps(content))


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    rng = np.random.default_rng([seed, index, 3])
    base, content = BASES[int(rng.integers(len(BASES)))]
    way = int(rng.choice(3, p=SHARES))
    if way == 0:
        changed = copy.deepcopy(content)
        told = "; ".join(_other_witness(changed, rng) for _ in range(1 + int(rng.integers(3))))
        return judge(base, base, changed, told)
    data = copy.deepcopy(base)
    told = _other_equations(data, rng)
    if not moderate(data):
        return Outcome("witnesses", "held", f"{told}: left out, for its exponents")
    if way == 1:
        other = {k: v for k, v in data["problem"].items() if k in content["problem"]}
        return judge(base, data, as_read(content | {"problem": content["problem"] | other}), told)
    told = f"{told}; {settle(data)}"
    if not str(data.get("verdict")).startswith("PROVED"):
        return Outcome("witnesses", "held", told)
    try:
        changed = as_read(content_with_witnesses(data))
    except Exception as error:  # of a problem that need be none, which is not what is attacked
        return Outcome("witnesses", "held", f"{told}: no witnesses, {type(error).__name__}")
    return judge(base, data, changed, told)


def _other_witness(content: dict[str, Any], rng: np.random.Generator) -> str:
    """A change to what is given besides the equations, in words."""
    part = pick(rng, ("witness", "theorem", "theorem"))
    numbers = [path for path in places(content[part]) if _is_number(at(content[part], path))]
    if numbers and rng.random() < 0.6:
        path, scale = pick(rng, numbers), pick(rng, SCALES)
        put(content[part], path, str(Fraction(at(content[part], path)) * Fraction(scale)))
        return f"{part} {path} times {scale}"
    mutator, changed = pick(rng, ANYWHERE), copy.deepcopy(content[part])
    try:
        said = mutator(changed, rng)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, StopIteration):
        return "no change"
    content[part] = changed
    return f"{part}: {said}"


def _is_number(value: Any) -> bool:
    """Whether it is a rational of a length that Python takes."""
    return isinstance(value, str) and bool(re.fullmatch(r"-?[0-9]{1,999}(/[1-9][0-9]{0,999})?", value))


def _other_equations(data: dict[str, Any], rng: np.random.Generator) -> str:
    while True:
        mutator, changed = pick(rng, (*EQUATIONS, *IDENTITIES)), copy.deepcopy(data)
        try:
            said = mutator(changed, rng)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError, StopIteration):
            continue
        data.clear()
        data.update(changed)
        return f"{mutator.__name__}: {said}"


def judge(base: Mapping[str, Any], data: Mapping[str, Any], content: dict[str, Any], told: str) -> Outcome:
    """Changed content must be refused in words, or prove what is true of its equations."""
    begun = time.process_time()
    try:
        found = checker.prove(content)
    except Refusal as refusal:
        return Outcome("witnesses", "refused", f"{told} -> {str(refusal)[:200]}", time.process_time() - begun)
    except Exception as error:
        outcome = raw("witnesses", error)
        outcome.note, outcome.seconds = f"{told} -> {outcome.note}", time.process_time() - begun
        return outcome
    seconds = time.process_time() - begun
    claimed = _claimed(data, content) | {"verdict": found.verdict, "method": found.method}
    wrong = certificates.untrue(base, claimed, found.verdict)
    if wrong is None:
        return Outcome("witnesses", "unjudged", f"{told} -> {found.verdict}", seconds)
    result = "contradiction" if wrong else "held"
    return Outcome("witnesses", result, f"{told} -> {wrong or found.verdict}", seconds)


def _claimed(data: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate with the invariants that its theorem uses: of others nothing is said."""
    theorem, problem, evidence = content["theorem"], data["problem"], data.get("evidence", {})
    used = {*theorem.get("rows", []), *theorem.get("multipliers", {})}
    invariants = {k: p for k, p in problem["invariants"].items() if k in used}
    conserved = [k for k in evidence.get("conserved", []) if k in used]
    return {
        **data,
        "problem": problem | {"invariants": invariants},
        "evidence": evidence | {"conserved": conserved},
    }
