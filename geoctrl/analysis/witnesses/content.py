"""The content of a certificate's file with witnesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from flint import ctx, fmpq

from geoctrl import checker, decisions
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.box_witnesses import BallWitnesses
from geoctrl.analysis.witnesses.cofactors import cofactors_of_rate
from geoctrl.analysis.witnesses.family_witnesses import family_by_states
from geoctrl.analysis.witnesses.point_witnesses import ExactWitnesses, PointWitnesses
from geoctrl.analysis.witnesses.theorem_witnesses import WitnessesOf, theorem_of
from geoctrl.checker.numbers import BITS, set_roots
from geoctrl.checker.reader import EQUATIONS, FORMAT, VERSION, WITNESS, conform
from geoctrl.errors import CertificateError

__all__ = [
    "confirmed_content",
    "content_at_point",
    "content_of_file",
    "content_with_witnesses",
    "parts_as_read",
]

PARTS = (
    "states",
    "inputs",
    "parameters",
    "unknowns",
    "matrix",
    "right",
    "field",
    "leaf",
    "invariants",
    "weights",
)


def confirmed_content(proof: dict[str, Any]) -> dict[str, Any]:
    """The content of a proof's file, which the checker confirms with the same verdict, method and claim."""
    nodes = _rows_by_roots(proof["problem"].get("nodes", []))
    if nodes != proof["problem"].get("nodes"):
        # None where a root is no number at the point, or the claim tells of other nodes.
        with suppress(CertificateError):
            return _content_of_proof(proof | {"problem": proof["problem"] | {"nodes": nodes}})
    return _content_of_proof(proof)


def _rows_by_roots(nodes: list[list[Any]]) -> list[list[Any]]:
    """Rows in which what is divided by x, behind the row of its root, is divided by the square of that.

    A rate with 1/x beside 1/sqrt(x) vanishes only where the one is the square of the other: its cofactor,
    over powers of both, is ten times as long as that of the same rate in powers of the root.
    """
    roots, written = dict[int, int](), list[list[Any]]()
    for i, row in enumerate(nodes):
        if row[:2] == ["fun", "sqrt"]:
            roots[row[2][0]] = i
        if row[0] == "prod" and any(p in roots and e < 0 for p, e in row[2]):
            powers = Counter[int]()
            for p, e in row[2]:
                inside = p in roots and e < 0
                powers[roots[p] if inside else p] += 2 * e if inside else e
            row = ["prod", row[1], [[p, e] for p, e in powers.items() if e]]
        written.append(row)
    return written


def _content_of_proof(proof: dict[str, Any]) -> dict[str, Any]:
    """The content of a file that the checker confirms; CertificateError where there is none."""
    try:
        content = content_with_witnesses(proof)
        report = checker.check(content)
    except NotSolved:
        raise CertificateError(f"no witnesses were found for a proof by {proof['method']}") from None
    except checker.Refusal as refusal:
        raise CertificateError(f"the checker does not confirm this proof: {refusal}") from None
    found, asked = ((a["verdict"], a["method"], a["claim"]) for a in (vars(report), proof))
    if found != asked:
        raise CertificateError(f"the checker finds {found[0]} by {found[1]}, not {asked[0]} by {asked[1]}")
    return content


def content_with_witnesses(proof: dict[str, Any]) -> dict[str, Any]:
    """The content of a file with witnesses, from that of a proof; NotSolved where it is one by a theorem that
    has none yet, or a witness is not found.
    """
    with ctx.workprec(BITS):
        return copy_context().run(_content, theorem_of(proof), proof)


def _content(witnesses_of: WitnessesOf, proof: dict[str, Any]) -> dict[str, Any]:
    """The content, its numbers over the roots of the problem."""
    problem, radicands = proof["problem"], proof["problem"].get("roots", [])
    set_roots(radicands)
    point = BallWitnesses(problem) if {"box", "enclosed"} & problem.keys() else ExactWitnesses(problem)
    theorem = witnesses_of(point, proof)
    used = [*problem["leaf"], *theorem.get("rows", []), *theorem.get("multipliers", {})]
    used += [theorem["energy"]] if "energy" in theorem else []
    used += theorem.get("rest", {}).get("kept", [])
    used += [name for row in theorem.get("rising", ()) for name in row.get("conserved", ())]
    names = [name for name in dict.fromkeys(used) if name not in point.gradients]
    data = content_of_file({k: proof[k] for k in ("software", "system")}, point, theorem, names)
    return data | {"digest": checker.digest_of(data)}


def content_of_file(
    heading: dict[str, Any],
    point: PointWitnesses,
    theorem: dict[str, Any],
    kept: Sequence[str],
    question: decisions.Question | None = None,
) -> dict[str, Any]:
    """The content of a file about the problem of a point, with cofactors of what is kept; but its digest.

    These are those of another question about it where one is given.
    """
    problem, q = point.problem, question or point.question
    cofactors = {name: cofactors_of_rate(q, point.table, name) for name in kept}
    data = heading | {"format": FORMAT, "version": VERSION}
    data["problem"] = {"nodes": point.table.rows} | {k: problem[k] for k in PARTS}
    data["witness"] = {
        "roots": point.roots(),
        "inverse": point.inverse(),
        "cofactors": {name: rows for name, rows in cofactors.items() if rows},
    }
    data["theorem"] = theorem
    if spin := problem.get("spin"):
        data["spin"] = [str(fmpq(*rate.as_integer_ratio())) for rate in spin]
    return data | ({"roots": problem["roots"]} if problem.get("roots") else {})


def content_at_point(
    heading: dict[str, Any],
    problem: dict[str, Any],
    kept: Sequence[str] = (),
    dimension_of: Sequence[str] = (),
) -> dict[str, Any]:
    """The content of a file about a problem at its point but for its digest; its theorem tells the
    dimension of a leaf, and the family of the problem where it has one, alone.
    """
    with ctx.workprec(BITS):
        return copy_context().run(_content_at_point, heading, problem, kept, dimension_of)


def _content_at_point(
    heading: dict[str, Any], problem: dict[str, Any], kept: Sequence[str], dimension_of: Sequence[str]
) -> dict[str, Any]:
    set_roots(problem.get("roots", []))
    point = ExactWitnesses({k: v for k, v in problem.items() if k != "spin"})
    theorem = {"leaf": point.basis(list(dimension_of))} if dimension_of else {}
    theorem |= {"family": family_by_states(point)} if "family" in problem else {}
    return content_of_file(heading, point, theorem, kept)


def parts_as_read(content: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Problem and witness of a file's content, as its check reads them."""
    return copy_context().run(_parts_as_read, content)


def _parts_as_read(content: dict[str, Any]) -> tuple[Any, Any]:
    set_roots(content.get("roots", []))
    return conform(content["problem"], EQUATIONS, "problem"), conform(content["witness"], WITNESS, "witness")
