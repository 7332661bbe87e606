"""The commands: one theorem of every kind with changed ones, or all of the catalogue's proofs."""

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

from geoctrl.errors import CertificateError
from geoctrl.rocq import rocq_text
from tests.rocq.cases import CASES, MUTATED, certificate, signed, two_states
from tests.rocq.coqc import AXIOMS, COQC, WHY_NOT, compiled, compiled_library
from tests.rocq.mutants import mutants


def main(arguments=None):
    """Run a command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.rocq", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="the library, one theorem of every kind, changed ones")
    check.add_argument("--folder", help="where the library is kept (default: nowhere)")
    check.add_argument("--all", action="store_true", help="every change of every theorem, not each kind once")
    swept = commands.add_parser("sweep", help="every proof of studies/proof_sweep.py")
    swept.add_argument("--folder", default="rocq-sweep", help="what was done, to go on from")
    swept.add_argument("--points", type=int, default=5, help="points of each family")
    swept.add_argument("--only", default="", help="part of the name of model and family")
    options = parser.parse_args(arguments)
    if COQC is None:
        print(f"theorems of Rocq are not checked: {WHY_NOT}")
        return 0
    if options.command == "sweep":
        return sweep(Path(options.folder), options.points, options.only)
    if options.folder:
        return check_cases(Path(options.folder), options.all)
    with tempfile.TemporaryDirectory() as folder:
        return check_cases(Path(folder), options.all)


def check_cases(folder, every_change):
    """Compile the library, all cases, and changed ones, each kind once or all; print what came of it."""
    begin = time.monotonic()
    library = compiled_library(folder / "library")
    print(f"library: {time.monotonic() - begin:.0f} s")
    made = [(name, certificate(name)) for name in CASES]
    theorems = [(f"{name}: {m.verdict} by {m.method}", m.to_rocq()) for name, m in made]
    theorems.append(
        ("levels that leave a point alone: PROVED_STABLE by hand", rocq_text(signed(two_states())))
    )
    failed = 0
    for words, text in theorems:
        answer = compiled(text, folder, library)
        good = answer.accepted and answer.axioms == AXIOMS
        failed += not good
        told = f"{answer.seconds:.1f} s" if good else f"REFUSED: {answer.words or answer.axioms}"
        print(f"{words}: {told}", flush=True)
    accepted = len(theorems) - failed
    print(f"{accepted} of {len(theorems)} theorems accepted, {time.monotonic() - begin:.0f} s")
    changed = [(name, *mutant) for name in MUTATED for mutant in mutants(certificate(name).to_rocq()).items()]
    if not every_change:
        changed = [*{kind: (name, kind, text) for name, kind, text in changed}.values()]
    passed = [f"{name}, {kind}" for name, kind, text in changed if compiled(text, folder, library).accepted]
    print(f"{len(changed) - len(passed)} of {len(changed)} changed theorems refused", end="")
    print(f", {time.monotonic() - begin:.0f} s", *(f"ACCEPTED: {words}" for words in passed), sep="\n")
    return int(failed > 0 or bool(passed))


def sweep(folder, count, only):
    """Compile every proof of the catalogue's families that has a theorem; counts with reasons."""
    from studies.proof_sweep import families

    library = compiled_library(folder / "library")
    found = []
    for model, family in families(only):
        stored = folder / f"{model} {family} {count}.json"
        if not stored.exists():
            rows = [_tried(*point, folder, library) for point in _proofs(model, family, count)]
            stored.write_text(json.dumps(rows))
        rows = json.loads(stored.read_text())
        found += rows
        accepted = sum(row["accepted"] for row in rows)
        print(f"{model} {family}: {accepted} of {len(rows)} proofs", flush=True)
    print(summary(found))
    return int(any(row["refused"] for row in found))


def _proofs(model, family, count):
    """Numbers and certificates of the points of a family that are proved."""
    from studies.proof_sweep import certificates

    for i, (_, _, made, _) in enumerate(certificates(model, family, count)):
        if made is not None and made.verdict.proved:
            yield f"{model} {family} {i}", made


def _tried(name, made, folder, library):
    """What came of one proof."""
    row = {"name": name, "kind": f"{made.verdict} by {made.method}", "accepted": False, "refused": ""}
    row |= {"reason": "", "seconds": 0.0, "bytes": 0}
    try:
        text = made.to_rocq()
    except CertificateError as error:
        return row | {"reason": str(error).partition("proof: ")[2]}
    answer = compiled(text, folder, library)
    good = answer.accepted and answer.axioms == AXIOMS
    refused = "" if good else answer.words or f"axioms: {sorted(answer.axioms)}"
    return row | {"accepted": good, "refused": refused, "seconds": answer.seconds, "bytes": len(text)}


def summary(found):
    """Counts by verdict and method, reasons, what `coqc` refused, and times."""
    accepted = [row for row in found if row["accepted"]]
    kinds = Counter(row["kind"] for row in found)
    done = Counter(row["kind"] for row in accepted)
    lines = [f"{len(accepted)} of {len(found)} proofs are theorems"]
    lines += [f"  {done[kind]} of {n} {kind}" for kind, n in kinds.most_common()]
    reasons = Counter(row["reason"] for row in found if row["reason"])
    lines += [f"  {n} without: {reason}" for reason, n in reasons.most_common()]
    lines += [f"  REFUSED {row['name']}: {row['refused'][:200]}" for row in found if row["refused"]]
    if accepted:
        times, sizes = ([row[k] for row in accepted] for k in ("seconds", "bytes"))
        lines.append(f"seconds: median {statistics.median(times):.1f}, worst {max(times):.1f}")
        lines.append(f"bytes: median {statistics.median(sizes):.0f}, worst {max(sizes)}")
    return "\n".join(lines)
