"""Witnesses of loops that compute their inputs from hold to hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb_mat, fmpq

from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.box_witnesses import rest_in_box
from geoctrl.analysis.witnesses.cofactors import cofactors_of_zero, relations_of_leaf
from geoctrl.analysis.witnesses.family_witnesses import family_through, laws_along
from geoctrl.analysis.witnesses.lyapunov_forms import form_triangle, multiplying_form
from geoctrl.analysis.witnesses.point_witnesses import Basis, PointWitnesses, inverse_of, texts
from geoctrl.checker.numbers import ball
from geoctrl.checker.theorems.boxes import BOX
from geoctrl.checker.theorems.held_loop import coordinates
from geoctrl.decisions.arithmetic.eliminations import Rows, independent, nullspace
from geoctrl.decisions.functions.derivatives import to_float
from geoctrl.decisions.questions.krawczyk_boxes import Box
from geoctrl.decisions.theorems.held_decision import OneHold, balancing

__all__ = ["held_loop"]


def held_loop(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    """A form that falls or grows from hold to hold, and what is known of fixed points."""
    q, evidence = point.question, proof["evidence"]
    q.require_kept([])  # relations are known from here
    names = evidence["zero_modes"] if "fixed_dimension" not in evidence else []
    basis = point.basis([*q.problem["leaf"], *names])
    common = {**basis, "loop": _loop(point, basis)}
    where = ""
    if "box" in q.problem:
        where, found = " in a box", rest_in_box(point, names)
        common["box"] = {k: found[k] for k in BOX}
    if "multiplier" in evidence:
        m, P, v = multiplying_form(_hold(point, basis, names).matrix().tolist())
        grows = {"m": str(m), "P": form_triangle(P), "v": [str(c) for c in v]}
        return {"name": f"loop that repels{where}", **common, **grows}
    common["P"] = form_triangle(evidence["lyapunov"])
    if "fixed_dimension" not in evidence:
        return {"name": f"loop that attracts{where}", **common}
    order = coordinates(common | {"loop": q.problem["held"]})
    if "family" not in q.problem:
        return {"name": "loop that rests on a manifold", **common, "rest": _rest(point, evidence, order)}
    family = {"family": family_through(point, order), "cofactors": laws_along(point)}
    return {"name": "loop with fixed points", **common, **family}


def _hold(point: PointWitnesses, basis: Basis, names: list[str]) -> OneHold:
    """One hold at the point, or over its box."""
    q = point.question
    if "box" in q.problem:
        return OneHold.hold_over(Box(q.problem, names, whole=True))
    return OneHold(q, nullspace([q.function(name)[1] for name in basis["rows"]], len(q.labels)))


def _loop(point: PointWitnesses, basis: Basis) -> dict[str, Any]:
    q, held = point.question, point.question.problem["held"]
    B = arb_mat([[ball(c) for c in row] for row in point.motion(basis)])
    resting = [q.problem["field"][q.labels.index(k)] for k in (*held["commands"], *held["own"])]
    writer, leaf = RatioWriter.of(q, point.table), relations_of_leaf(q)
    return {
        "hold": str(held["hold"]),
        "late": held["late"],
        "part": str(held["part"]),
        "commands": held["commands"],
        "own": held["own"],
        "units": balancing(B, to_float(1 / held["hold"])),
        "cofactors": [cofactors_of_zero(writer, point.table, zero, leaf) for zero in q.ratios(resting)],
    }


def _rest(point: PointWitnesses, evidence: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """Of points at which the loop rests: what follows from the rest, and the tangents."""
    q, held = point.question, point.question.problem["held"]
    places = dict(zip(q.labels, q.problem["field"], strict=True)) | held["commands"] | held["own"]
    R = dict(zip(q.labels, q.ratios(list(places.values())), strict=True))
    slopes = dict(zip(q.labels, (q.gradient(jet) for jet in q.jets(list(places.values()))), strict=True))
    for k in held["commands"]:
        R[k] = R[k] - q.still[q.place["state", k]].value
        slopes[k][q.labels.index(k)] -= 1
    leaf = [q.function(name)[1] for name in q.problem["leaf"]]
    D = [*leaf, *(q.function(name)[1] for name in evidence["zero_modes"])]
    writer, relations, rows = RatioWriter.of(q, point.table), relations_of_leaf(q), []
    for weights, unknowns in held["rest"]:
        terms = zip(q.ratios([*weights, *unknowns]), [*R.values(), *q.defects], strict=True)
        total = sum((w * e for w, e in terms), q.functions.number(fmpq(0)))
        cofactors = cofactors_of_zero(writer, point.table, total, relations)
        rows.append({"weights": weights, "unknowns": unknowns, "cofactors": cofactors})
        D.append([jet.value for jet in q.jets(weights)])
    pivots = _independent_rows([list(column) for column in zip(*D, strict=True)])
    equations = [q.labels[i - len(leaf)] for i in _independent_rows([*leaf, *slopes.values()])[len(leaf) :]]
    gradients = [*(slopes[k] for k in equations), *leaf]
    T = nullspace(gradients, len(q.labels))
    free = [max(i for i, c in enumerate(w) if c) for w in T]
    fixed = [i for i in range(len(q.labels)) if i not in free]
    columns = dict(zip(q.labels, zip(*T, strict=True), strict=True))
    along = [order[i] for i in _independent_rows([list(columns[k]) for k in order])]
    return {
        "kept": evidence["zero_modes"],
        "rows": rows,
        "independent": [q.labels[i] for i in pivots],
        "inverse": texts(inverse_of([[row[i] for i in pivots] for row in D])),
        "equations": equations,
        "kernel": {
            "free": [q.labels[i] for i in free],
            "inverse": texts(inverse_of([[row[i] for i in fixed] for row in gradients])),
        },
        "along": along,
        "across": texts(inverse_of([list(columns[k]) for k in along])),
    }


def _independent_rows(rows: Sequence[list[Any]]) -> list[int]:
    """Places of rows that do not depend on those before them."""
    chosen: Rows = []
    found = []
    for i, row in enumerate(rows):
        if independent(chosen, row):
            chosen.append(row)
            found.append(i)
    return found
