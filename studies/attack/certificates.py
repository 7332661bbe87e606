"""Genuine certificates changed in all kinds of ways, sealed again, and given to `geoctrl.verify`."""

from __future__ import annotations

import copy
import hashlib
import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import geoctrl as gc

from .building import build, parameters_of
from .drawing import draw
from .mutations import ANYWHERE, DEEP, TARGETED
from .outcome import Outcome, raw, worded
from .reading import NotJudgedError, falsehood

CATALOGUE = {
    "planar-pendulum": {"hanging": {}, "inverted": {}},
    "free-rigid-body": {"about1": {"Omega0": 2}, "about2": {"Omega0": 2}},
    "heavy-top": {"hanging": {"Omega0": 3}, "sleeping": {"Omega0": 3}},
    "pendulum-skate": {"spinning": {"Omega0": 5}, "sliding": {"Y0": 1}},
    "chaplygin-sleigh": {"straight": {"v0": 1}},
    "suslov": {"rotating": {}},
    "double-planar-pendulum": {"hanging": {}, "down-up": {}},
    "body-with-rotor": {"about2": {"Omega0": 2}},
}
"""Families of which certificates are taken; symbols that a family does not have are left out."""
DRAWN = 40
"""Drawn systems whose certificates are taken besides, if they are small."""
SMALL = 9
"""Most components of their states."""
AGAIN = 0.5
"""Share of changed problems of which the evidence is made anew, so that mutants reach the inner checks."""
BASES: list[dict[str, Any]] = []


def prepare(seed: int, options: dict[str, Any]) -> int:
    """Make the genuine certificates; their number."""
    del options
    BASES.clear()
    for model, families in CATALOGUE.items():
        system = gc.models.get(model)().reduce()
        for family, numbers in families.items():
            names = system.families[family].names
            given = {name: numbers.get(name, 1) for name in names}
            BASES.append(as_data(gc.certify(system, system.equilibrium(family, **given))))
    for index in range(DRAWN):
        drawn = draw(seed, index)
        if "varying inertia" in drawn.traits or len(drawn.point) > SMALL:
            continue  # proofs of large ones are long, and so would all their mutants be
        try:
            built, params = build(drawn), parameters_of(drawn)
            certificate = gc.certify(built.system, built.place(params), params)
        except gc.GeoctrlError:  # a description that is wrong on purpose
            continue
        BASES.append(as_data(certificate))
    return len(BASES)


def as_data(certificate: gc.Certificate) -> dict[str, Any]:
    return json.loads(certificate.to_json())


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    rng = np.random.default_rng([seed, index, 2])
    base = BASES[int(rng.integers(len(BASES)))]
    data = copy.deepcopy(base)
    told = []
    for _ in range(1 if rng.random() < 0.7 else 2):
        mutators = ANYWHERE if rng.random() < 0.4 else TARGETED
        mutator = mutators[int(rng.integers(len(mutators)))]
        try:
            told.append(f"{mutator.__name__}: {mutator(data, rng)}")
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            told.append(f"{mutator.__name__}: does not fit what was changed before")
    if data.get("problem") != base["problem"] and rng.random() < AGAIN:
        prove_again(data)
    return judge(base, data, "; ".join(told))


def moderate(data: Mapping[str, Any]) -> bool:
    """Whether no exponent is so large that reading the problem with an unguarded reader would not end."""
    try:
        powers = [node[2] for node in data["problem"]["nodes"] if node[0] == "prod"]
        return all(abs(e) < 1000 for power in powers for _, e in power)
    except (KeyError, TypeError, IndexError, ValueError):
        return False


def prove_again(data: dict[str, Any]) -> None:
    """Evidence and verdict that geoctrl's own search finds for the changed problem, where it finds any."""
    from geoctrl.analysis.problem import Problem
    from geoctrl.analysis.proof import prove

    if not moderate(data):
        return
    try:
        outcome = prove(Problem.from_dict(data["problem"]))
    except Exception:  # whatever the search says of a broken problem: the file then keeps its old evidence
        return
    data.update(verdict=outcome.verdict.value, method=outcome.method, evidence=outcome.evidence)


def reword(data: dict[str, Any]) -> None:
    """The claim in words that belongs to what the file now says, where it can be said."""
    from geoctrl.analysis.verification import _problem_of

    from geoctrl.analysis.certificates import claim_of

    try:
        data["claim"] = claim_of(data["system"], _problem_of(data["problem"]), gc.Verdict(data["verdict"]))
    except Exception:  # a broken problem has no claim: the file keeps its old one
        return


def text_of(data: Mapping[str, Any]) -> str:
    """The file, with a digest that fits: SHA-256 over the canonical JSON of everything else."""
    deep = "[" * 100_000 + "]" * 100_000

    def written(content: Mapping[str, Any], **style: Any) -> str:
        return json.dumps(content, **style).replace(f'"{DEEP}"', deep)

    body = {k: v for k, v in data.items() if k != "digest"}
    canonical = written(body, sort_keys=True, separators=(",", ":"))
    if "digest" in data:
        body["digest"] = hashlib.sha256(canonical.encode()).hexdigest()
    return written(body)


def judge(base: Mapping[str, Any], data: dict[str, Any], told: str) -> Outcome:
    """A changed file must be refused in words, or be as true as the one it was made of."""
    if moderate(data):
        reword(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.json"
        path.write_text(text_of(data), encoding="utf-8", errors="surrogatepass")
        begun = time.perf_counter()
        try:
            verdict = gc.verify(path).verdict.value
        except gc.CertificateError as error:
            result = "refused" if worded(error) else "raw error"
            return Outcome("mutants", result, f"{told} -> {str(error)[:160]}", time.perf_counter() - begun)
        except Exception as error:
            outcome = raw("mutants", error)
            outcome.note, outcome.seconds = f"{told} -> {outcome.note}", time.perf_counter() - begun
            return outcome
    seconds = time.perf_counter() - begun
    wrong = untrue(base, data, verdict)
    if wrong is None:
        return Outcome("mutants", "unjudged", told, seconds)
    return Outcome("mutants", "contradiction" if wrong else "held", f"{told} -> {wrong or 'true'}", seconds)


def untrue(base: Mapping[str, Any], data: Mapping[str, Any], verdict: str) -> str | None:
    """What is false in a confirmed file; None where that cannot be judged here."""
    if data.get("verdict") != verdict:
        return f"the file says {data.get('verdict')}, verify {verdict}"
    if data["problem"] == base["problem"]:
        weaker = verdict in ("UNDECIDED", "SPECTRALLY_STABLE_ONLY")
        return "" if verdict == base["verdict"] or weaker else f"{base['verdict']} became {verdict}"
    try:
        return falsehood(data)
    except (NotJudgedError, ArithmeticError, KeyError, TypeError, ValueError):
        return None
