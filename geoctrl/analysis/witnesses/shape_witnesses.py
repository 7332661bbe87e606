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
from geoctrl.decisions.functions.identities_by_division import Ratio

__all__ = ["over_shape", "zeros_of_structure"]

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
        q, table = point.question, point.table
        moved = (k for k, place in q.problem["shape"]["slopes"].items() if q.jets([place])[0].value)
        ratios, relations = RatioWriter.of(q, table), relations_of_leaf(q)
        cofactors = [cofactors_of_zero(ratios, table, zero, relations) for zero in zeros_of_structure(q)]
        return found | {
            "name": name,
            "shape": {**q.problem["shape"], "along": next(moved), "cofactors": cofactors},
        }

    return theorem


def zeros_of_structure(q: decisions.Question) -> list[Ratio]:
    """What vanishes on the leaf: rates of geometric states and of velocities, less those of the structure."""
    shape, zero = q.problem["shape"], q.functions.number(fmpq(0))
    state = dict(zip(q.labels, q.functions.variables, strict=False))
    field = dict(zip(q.labels, q.ratios(q.problem["field"]), strict=True))
    expected = dict(zip(shape["slopes"], q.ratios(list(shape["slopes"].values())), strict=True))
    for label, row in shape["rates"].items():
        terms = (b * state[k] for b, k in zip(q.ratios(row), shape["rates"], strict=True))
        expected[label] = sum(terms, zero)
    return [field[k] - state[shape["velocity"]] * e for k, e in expected.items()]
