"""Certificates of stability, read and proved again: all that a proof of geoctrl has to be trusted for.

The package imports nothing else of geoctrl, nothing but the standard library and python-flint, and shares
no code with the search for proofs. Read in this order: `reading` (what a file may hold), `jets`
(derivatives), `polynomials` (identities), `matrices` (linear algebra, roots), `question` (what is proved of
the equations), `shape` (one kind of integrals), `verdicts` (what follows), `words` (claims).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flint import fmpq

from geoctrl.checker.jets import NotExact, to_float
from geoctrl.checker.question import NotEquilibrium, Question
from geoctrl.checker.reading import FORMAT, SCHEMA, VERSION, Refusal, conform, load, read_problem
from geoctrl.checker.shape import shape_integrals
from geoctrl.checker.verdicts import judge, judge_matrices, on_leaf
from geoctrl.checker.words import CLAIMS, claim

__all__ = [
    "FORMAT",
    "VERSION",
    "NotEquilibrium",
    "NotExact",
    "Question",
    "Refusal",
    "Report",
    "check",
    "check_file",
    "claim_of",
    "decide",
    "digest_of",
    "judge",
    "on_leaf",
    "read_problem",
    "shape_integrals",
]


@dataclass(frozen=True)
class Report:
    """What was confirmed: the verdict, the claim in words, and what was proved or computed for it."""

    verdict: str
    claim: str
    checks: tuple[str, ...]


def digest_of(data: dict[str, Any]) -> str:
    """SHA-256 of the content without its digest, in canonical form."""
    body = {k: v for k, v in data.items() if k != "digest"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def check_file(path: str | Path) -> Report:
    """Read a certificate's file and check it; raises Refusal where it is not one or does not prove its
    claim.
    """
    return check(load(path))


def check(data: Any) -> Report:
    """Check a certificate: its claim must follow from its problem, with nothing searched for."""
    if isinstance(data, dict) and data.get("format") == FORMAT and data.get("version") == 1:
        raise Refusal("it was written in an earlier format (1); certify again", "version")
    read = conform(data, SCHEMA)
    if data["digest"] != digest_of(data):
        raise Refusal("it was changed after it was written: its digest does not fit its content")
    problem, verdict, method, evidence = (read[k] for k in ("problem", "verdict", "method", "evidence"))
    if verdict not in CLAIMS:
        raise Refusal("there is no such verdict", "verdict")
    judgement = decide(problem, evidence, exact="in floats" not in method)
    for name, given, found in zip(("verdict", "method"), (verdict, method), judgement, strict=False):
        if given != found:
            raise Refusal(f"the file claims {given}, its equations give {found}", name)
    findings = judgement[2]
    for key in evidence.keys() | findings.keys():
        if not _agree(evidence.get(key), findings.get(key)):
            raise Refusal(
                f"the file has {str(evidence.get(key))[:80]}, found is {str(findings.get(key))[:80]}", key
            )
    if data["claim"] != claim(data["system"], problem, verdict, method, findings):
        raise Refusal("the claim in words does not fit verdict, system and problem", "claim")
    return Report(verdict, data["claim"], _checks(problem, findings, method))


def claim_of(
    system: str, problem: dict[str, Any], verdict: str, method: str, findings: dict[str, Any]
) -> str:
    """The claim in words for a problem as stored."""
    return claim(system, read_problem(problem), verdict, method, findings)


def decide(problem: dict[str, Any], proposal: dict[str, Any], exact: bool) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings for a problem as read, from a proposal that is not believed."""
    if problem["kind"] == "matrices":
        return judge_matrices(problem, proposal)
    return judge(Question(problem, exact), proposal)


def _agree(given: Any, found: Any) -> bool:
    if isinstance(given, float) and isinstance(found, float):
        return abs(given - found) <= 1e-6 * abs(found)
    return given == found


def _checks(problem: dict[str, Any], findings: dict[str, Any], method: str) -> tuple[str, ...]:
    if problem["kind"] == "matrices":
        return ("the verdict belongs to the matrices of the file, in floats",)
    exactly = "up to rounding" if "in floats" in method else "exactly"
    checks = [f"field and leaf relations vanish {exactly} at the point"]
    checks.append(f"kept by the motion, identically: {', '.join(problem['leaf']) or 'no leaf relations'}")
    checks.append(f"conserved on the leaf, identically: {', '.join(findings['conserved']) or 'nothing'}")
    if findings["shape_integrals"]:
        checks.append(f"from the structure of the equations: {', '.join(findings['shape_integrals'])}")
    if "reduced_polynomial" in findings:
        rounded = ", ".join(f"{to_float(fmpq(c)):.6g}" for c in findings["reduced_polynomial"])
        checks.append(f"polynomial without forced zeros, rounded: {rounded}")
    if "inertia" in findings:
        counts = "{} positive, {} negative, {} zero".format(*findings["inertia"])
        checks.append(f"restricted second variation: {counts} eigenvalues")
    return tuple(checks)
