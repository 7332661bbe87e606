"""Genuine certificates changed in all kinds of ways, sealed again, and given to the checker.

Changed are witnesses and theorems under the equations of the file; equations under the witnesses of the file;
equations and what theorems are told, with witnesses that the search finds for them; what the search has
proved, told to what writes witnesses; and any place of the file.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl import checker
from geoctrl.analysis.witnesses.content import PARTS as EQUATIONS_OF_FILES
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker import Report
from tests.attack.forge.forger import moderate, settle
from tests.attack.forge.genuine import Genuine, kept_genuine
from tests.attack.forge.mutations import ANYWHERE, DEEP, Mutator, pick
from tests.attack.forge.other_equations import EQUATIONS
from tests.attack.forge.other_evidence import EVIDENCE, IDENTITIES
from tests.attack.forge.other_theorems import THEOREMS
from tests.attack.forge.other_witnesses import CURVES, WITNESSES, graft
from tests.attack.oracle.catches import catch_falsehood
from tests.attack.oracle.curves import curve_falsehood
from tests.attack.oracle.reading import falsehood
from tests.attack.oracle.tables import NotJudgedError
from tests.attack.outcome import Outcome, raw, worded
from tests.attack.parts.claims import at_odds, leaf_of_set_at_odds
from tests.attack.parts.fields import WRONG

Content = dict[str, Any]
BASES: list[Genuine] = []
AGAIN = 0.8
"""Share of changed proofs that get the best verdict of the search, so that witnesses are found for them."""
GRAFTS = 0.1
"""Share of changed witnesses that are those of another file."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    """Make the genuine certificates; their number."""
    BASES[:] = kept_genuine(seed, options)
    return len(BASES)


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    rng = np.random.default_rng([seed, index, 2])
    base = BASES[int(rng.integers(len(BASES)))]
    kind = list(WAYS)[int(rng.choice(len(WAYS), p=[share for _, share in WAYS.values()]))]
    if kind in BY_SEARCH and not base.searched:
        kind = "witnesses"
    content, told = WAYS[kind][0](base, rng)
    return judge(base, content, told, kind)


# -- changed files ----------------------------------------------------------------------------------------


def other_witnesses(base: Genuine, rng: np.random.Generator) -> tuple[Content, str]:
    """Up to three changes to what is given besides the equations."""
    content = copy.deepcopy(base.content)
    told = []
    if rng.random() < GRAFTS:
        told.append(graft(content, copy.deepcopy(pick(rng, BASES).content), rng))
    for _ in range(int(rng.integers(1, 4)) - len(told)):
        told.append(change(content, WITNESSES, rng))
    return content, "; ".join(told)


def other_equations(base: Genuine, rng: np.random.Generator) -> tuple[Content, str]:
    """Changed equations under the witnesses of the genuine ones."""
    proof = copy.deepcopy(base.proof)
    told = change(proof, (*EQUATIONS, *IDENTITIES), rng)
    return _with_equations(base, proof), told


def anew(base: Genuine, rng: np.random.Generator) -> tuple[Content, str]:
    """Changed equations, or what theorems are told, with witnesses for them where there are any."""
    proof = copy.deepcopy(base.proof)
    groups = (EQUATIONS, IDENTITIES, THEOREMS, THEOREMS)
    told = [change(proof, pick(rng, groups), rng) for _ in range(1 if rng.random() < 0.7 else 2)]
    if rng.random() < AGAIN:
        told.append(settle(proof) if moderate(proof) else "exponents are too large")
    return _written(base, proof, told)


def lies(base: Genuine, rng: np.random.Generator) -> tuple[Content, str]:
    """Another verdict, method or evidence than the search has found."""
    proof = copy.deepcopy(base.proof)
    return _written(base, proof, [change(proof, EVIDENCE, rng)])


def anywhere(base: Genuine, rng: np.random.Generator) -> tuple[Content, str]:
    """At any place of the file."""
    content = copy.deepcopy(base.content)
    return content, "; ".join(change(content, ANYWHERE, rng) for _ in range(1 + int(rng.random() < 0.3)))


WAYS: dict[str, tuple[Callable[[Genuine, np.random.Generator], tuple[Content, str]], float]] = {
    "witnesses": (other_witnesses, 0.5),
    "equations": (other_equations, 0.15),
    "witnesses anew": (anew, 0.2),
    "lies": (lies, 0.05),
    "anywhere": (anywhere, 0.1),
}
"""What is changed, and the share of cases in which it is."""
BY_SEARCH = ("witnesses anew", "lies")
"""Those that ask the search."""


def _with_equations(base: Genuine, proof: Mapping[str, Any]) -> Content:
    """The file with the equations of a changed proof and its own witnesses."""
    kept = {k: v for k, v in proof["problem"].items() if k in ("nodes", *EQUATIONS_OF_FILES)}
    return copy.deepcopy(base.content | {"problem": base.content["problem"] | kept})


def _written(base: Genuine, proof: dict[str, Any], told: list[str]) -> tuple[Content, str]:
    """The file that is written for a proof; where there is none, the old one with its equations."""
    try:
        if not moderate(proof):
            raise ValueError("exponents are too large")
        content = content_with_witnesses(proof)
        return json.loads(json.dumps(content)), "; ".join([*told, "with witnesses"])
    except Exception as error:  # of a proof that need be none, which is not what is attacked
        return _with_equations(base, proof), "; ".join([*told, f"no witnesses, {type(error).__name__}"])


def change(data: dict[str, Any], group: Iterable[Mutator], rng: np.random.Generator) -> str:
    """One change that fits the data, in words; those that turn out not to fit leave it as it was."""
    while True:
        mutator, changed = pick(rng, group), copy.deepcopy(data)
        try:
            said = mutator(changed, rng)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError, StopIteration):
            continue
        data.clear()
        data.update(changed)
        return f"{mutator.__name__}: {said}"


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


# -- what is true -----------------------------------------------------------------------------------------


def judge(base: Genuine, content: Content, told: str, kind: str = "files") -> Outcome:
    """A changed file must be refused in words, or prove what is true of its equations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.json"
        path.write_text(text_of(content), encoding="utf-8", errors="surrogatepass")
        begun = time.process_time()
        try:
            report = checker.check_file(path)
        except checker.Refusal as error:
            seconds, said = time.process_time() - begun, str(error)
            result = "refused" if worded(error) else "raw error"
            return Outcome(kind, result, f"{told} -> {said[:200]}", seconds, detail={"words": words(said)})
        except Exception as error:
            outcome = raw(kind, error)
            outcome.note, outcome.seconds = f"{told} -> {outcome.note}", time.process_time() - begun
            return outcome
    seconds = time.process_time() - begun
    wrong = untrue(base, content, report)
    if wrong is None:
        return Outcome(kind, "unjudged", f"{told} -> {report.verdict}", seconds)
    result = "contradiction" if wrong else "held"
    return Outcome(kind, result, f"{told} -> {wrong or report.verdict}", seconds)


def words(refusal: str) -> str:
    """The first words of a refusal, without the names and numbers of the case: what refused it."""
    plain = re.sub(r"^(\S+: )?", "", refusal, count=1)
    return " ".join(re.sub(r"'[^']*'|\"[^\"]*\"|\S*[\d\[{]\S*", "...", plain).split()[:6])


def untrue(base: Genuine, content: Content, report: Report) -> str | None:
    """What is false in what the checker says of a file; None where that cannot be judged here."""
    verdict = report.verdict
    if content["theorem"]["name"] in CURVES:
        return _untrue_of_curve(base, content, report)
    if content["theorem"]["name"] == "catch":
        return _untrue_of_catch(content, report)
    if fault := at_odds(content, np.random.default_rng(1), report.claim):
        return f"{report.claim}: {fault}"
    if _same_motion(base.content, content):
        proved = base.proof["verdict"]
        if {_sign(verdict), _sign(proved)} == {"stable", "unstable"}:
            return f"{proved} became {verdict}"
        if base.truth in WRONG.get(verdict, ()):
            return f"{verdict} of what is {base.truth}"
    try:
        return falsehood(content, verdict, report.method)
    except (NotJudgedError, ArithmeticError, KeyError, TypeError, ValueError):
        return None


def _untrue_of_curve(base: Genuine, content: Content, report: Report) -> str | None:
    """The same of a periodic orbit or a turning point."""
    if fault := leaf_of_set_at_odds(_with_parameter(content), report.claim, np.random.default_rng(1)):
        return f"{report.claim}: {fault}"
    if _same_motion(base.content, content):
        return (
            ""
            if report.verdict == base.proof["verdict"]
            else f"{base.proof['verdict']} became {report.verdict}"
        )
    try:
        return curve_falsehood(content, report.verdict)
    except (NotJudgedError, ArithmeticError, KeyError, TypeError, ValueError):
        return None


def _untrue_of_catch(content: Content, report: Report) -> str | None:
    """The same of starts that are caught."""
    try:
        return catch_falsehood(content, report.verdict)
    except (NotJudgedError, ArithmeticError, KeyError, TypeError, ValueError):
        return None


def _with_parameter(content: Content) -> Content:
    """The file with what does not move among its parameters, where a curve goes along it."""
    problem, along = content["problem"], content["theorem"].get("along")
    moving = dict(zip(problem["states"], problem["field"], strict=True))
    kind, *number = problem["nodes"][moving[along]] if along in moving else ("",)
    if kind != "num" or Fraction(number[0]) != 0:
        return content
    states = {k: q for k, q in problem["states"].items() if k != along}
    return content | {"problem": problem | {"states": states}}


def _same_motion(base: Content, content: Content) -> bool:
    """Whether files differ in no more than what theorems are told, and nodes for that."""
    loops = [
        {k: d["theorem"].get("loop", {}).get(k) for k in ("hold", "late", "part", "commands", "own")}
        for d in (base, content)
    ]
    other = {"nodes", "weights", "invariants"}
    rest, own = ({k: v for k, v in d["problem"].items() if k not in other} for d in (base, content))
    nodes = base["problem"]["nodes"]
    same = rest == own and content["problem"]["nodes"][: len(nodes)] == nodes
    return same and loops[0] == loops[1] and base.get("roots") == content.get("roots")


def _sign(verdict: str) -> str:
    return "unstable" if verdict.endswith("UNSTABLE") else "stable" if verdict.endswith("STABLE") else ""
