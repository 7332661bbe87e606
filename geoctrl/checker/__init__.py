"""Certificates of stability, read and proved again: all that a proof of geoctrl has to be trusted for.

The package imports nothing else of geoctrl, nothing but the standard library and python-flint, and shares
no code with the search for proofs. Read in this order: `reading` (what a file may hold), `clock` (the time it
may take), `surds` (square roots), `jets` (derivatives), `polynomials` (identities), `over_surds` and
`matrices` (linear algebra, roots), `question` (what is proved of the equations), `shape` (one kind of
integrals), `tolerances` (of rounded numbers), `verdicts` (what follows), `balls` and `boxes` (points known up
to a radius), `words` (claims), `kinds` (of problems); then `theorems`, in any order; then `maps`,
`sublevels`, `squares` and `slopes`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoctrl.checker import witnesses
from geoctrl.checker.clock import limited
from geoctrl.checker.jets import NotExact
from geoctrl.checker.kinds import KINDS, SCHEMA, decide, read_problem
from geoctrl.checker.maps.file import MAP_FORMAT, check_map
from geoctrl.checker.question import STATES, NotEquilibrium, Question
from geoctrl.checker.reading import FORMAT, VERSION, Refusal, conform, load
from geoctrl.checker.shape import shape_integrals
from geoctrl.checker.slopes.file import SLOPES_FORMAT, check_slopes
from geoctrl.checker.squares.file import SQUARES_FORMAT, check_attraction
from geoctrl.checker.sublevels.file import SUBLEVEL_FORMAT, check_sublevel
from geoctrl.checker.surds import Surd
from geoctrl.checker.tolerances import SAME
from geoctrl.checker.verdicts import judge
from geoctrl.checker.words.claims import claim, require_claim
from geoctrl.checker.words.texts import short

__all__ = [
    "FORMAT",
    "STATES",
    "VERSION",
    "NotEquilibrium",
    "NotExact",
    "Question",
    "Refusal",
    "Report",
    "Surd",
    "check",
    "check_file",
    "claim",
    "claim_of",
    "decide",
    "digest_of",
    "judge",
    "read_problem",
    "shape_integrals",
    "short",
    "witnesses",
]


_OTHERS = {
    MAP_FORMAT: check_map,
    SUBLEVEL_FORMAT: check_sublevel,
    SQUARES_FORMAT: check_attraction,
    SLOPES_FORMAT: check_slopes,
}
"""Checks of files that are no certificates of a point, by their formats."""


REPORTS = ("NUMERICALLY_STABLE", "NUMERICALLY_UNSTABLE", "SPECTRALLY_STABLE_ONLY", "UNDECIDED")
"""Verdicts that nothing is proved by."""


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
    try:
        with limited():
            return _checked(data)
    except RecursionError:
        raise Refusal("it is nested too deeply") from None
    except OverflowError:
        raise Refusal("a number in it is too large") from None
    except MemoryError:
        raise Refusal("its check takes too much memory") from None


def _checked(data: Any) -> Report:
    if isinstance(data, dict) and data.get("format") == FORMAT and data.get("version") == 1:
        raise Refusal("it was written in an earlier format (1); certify again", "version")
    if isinstance(data, dict) and (other := _OTHERS.get(str(data.get("format")))):
        if data.get("digest") != digest_of(data):
            raise Refusal("it was changed after it was written: its digest does not fit its content")
        return Report(*other(data))
    if isinstance(data, dict) and (told := data.get("verdict")) in REPORTS:
        raise Refusal(f"{told} is a report and no proof: there is nothing to confirm", "verdict")
    read = conform(data, SCHEMA)
    if data["digest"] != digest_of(data):
        raise Refusal("it was changed after it was written: its digest does not fit its content")
    problem, verdict, method, evidence = (read[k] for k in ("problem", "verdict", "method", "evidence"))
    found, by, findings = decide(problem, evidence)
    given = {"verdict": verdict, "method": method} | evidence
    for key, value in (
        {"verdict": found, "method": by} | findings | dict.fromkeys(evidence.keys() - findings)
    ).items():
        if not _agree(given.get(key), value):
            raise Refusal(
                f"the file has {str(given.get(key))[:80]}, its equations give {str(value)[:80]}", key
            )
    require_claim(data, claim(data["system"], problem, verdict, method, findings))
    return Report(verdict, data["claim"], KINDS[problem["kind"]].checks(problem, findings))


def claim_of(
    system: str, problem: dict[str, Any], verdict: str, method: str, findings: dict[str, Any]
) -> str:
    """The claim in words for a problem as stored."""
    return claim(system, read_problem(problem), verdict, method, findings)


def _agree(given: Any, found: Any) -> bool:
    """Equal, floats up to the differences of `tolerances.SAME`."""
    if isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        return all(map(_agree, given, found))
    if isinstance(given, float) and isinstance(found, float):
        return abs(given - found) <= SAME[0] * abs(found) + SAME[1]
    return given == found
