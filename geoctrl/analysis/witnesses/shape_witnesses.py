"""Witnesses of integrals over a shape: the structure of the rates, by cofactors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.cofactors import cofactors_of_zero, relations_of_leaf
from geoctrl.analysis.witnesses.point_witnesses import PointWitnesses
from geoctrl.checker import THEOREMS

__all__ = ["over_shape"]

Writer = Callable[[PointWitnesses, dict[str, Any]], dict[str, Any]]


def over_shape(writer: Writer) -> Writer:
    """What gives a theorem whose functions are those of the problem, and integrals over its shape."""

    def theorem(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
        integrals = {name: gradient for name, gradient, _ in decisions.shape_integrals(point.question)}
        point.gradients |= integrals
        found = writer(point, proof)
        if integrals.keys().isdisjoint([*found.get("rows", []), *found.get("multipliers", {})]):
            return found
        if (name := f"{found['name']} over a shape") not in THEOREMS:
            raise NotSolved
        return found | {"name": name, "shape": _structure(point)}

    return theorem


def _structure(point: PointWitnesses) -> dict[str, Any]:
    q, table = point.question, point.table
    shape, zero = q.problem["shape"], q.functions.number(fmpq(0))
    state = dict(zip(q.labels, q.functions.variables, strict=False))
    field = dict(zip(q.labels, q.ratios(q.problem["field"]), strict=True))
    expected = dict(zip(shape["slopes"], q.ratios(list(shape["slopes"].values())), strict=True))
    for label, row in shape["rates"].items():
        terms = (b * state[k] for b, k in zip(q.ratios(row), shape["rates"], strict=True))
        expected[label] = sum(terms, zero)
    writer, relations = RatioWriter.of(q, table), relations_of_leaf(q)
    zeros = [field[k] - state[shape["velocity"]] * e for k, e in expected.items()]
    moved = (k for k, place in shape["slopes"].items() if q.jets([place])[0].value)
    return {
        **shape,
        "along": next(moved),
        "cofactors": [cofactors_of_zero(writer, table, f, relations) for f in zeros],
    }
