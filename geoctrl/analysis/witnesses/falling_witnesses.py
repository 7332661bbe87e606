"""Witnesses of functions that fall or grow: identities, and what is seen of all that might stay where they
rest.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.cofactors import Cofactor, cofactors_of_zero, relations_of_leaf
from geoctrl.analysis.witnesses.lyapunov_forms import negative_direction
from geoctrl.analysis.witnesses.point_witnesses import Basis, PointWitnesses, Rows, inverse_of, texts
from geoctrl.decisions.arithmetic.eliminations import (
    combined_hessian,
    form,
    independent,
    nullspace,
    product,
    restricted,
)
from geoctrl.decisions.functions.identities_by_division import Ratio
from geoctrl.decisions.theorems.growing_decision import growth_left

__all__ = ["CofactorWriter", "falling", "growing", "steps_and_sight"]

Step = dict[str, Any]


def falling(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    """A function that falls, multipliers, and what shows that nothing stays where it rests."""
    given, evidence = proof["problem"]["falling"], proof["evidence"]
    _, *others = evidence["falling_multipliers"].items()
    basis = point.basis([*proof["problem"]["leaf"], *evidence["conserved"]])
    identities = CofactorWriter(point.question, point.table)
    fall = identities.fall(given)
    found = {"name": "falling", **basis, "fall": fall, "multipliers": dict(others)}
    if evidence["nothing_stays"] == "yes":
        found |= steps_and_sight(point, basis, identities, given)
    if proof["verdict"] == "PROVED_UNSTABLE":
        found["below"] = [
            str(c) for c in negative_direction(_second_variation(point, basis, evidence, given))
        ]
    return found


def steps_and_sight(
    point: PointWitnesses, basis: Basis, identities: CofactorWriter, given: dict[str, Any]
) -> dict[str, Any]:
    """What shows that nothing but the point stays where a function that falls rests."""
    steps, told = _steps(identities, given)
    squares = [row["square"] for row in given["squares"]]
    return {"steps": steps} | _sight(point, basis, squares, steps, told)


def growing(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    """A function that grows, functions that do not fall, and an arc."""
    given = proof["problem"]["growing"]
    identities = CofactorWriter(point.question, point.table)
    rising = [
        row | ({"fall": identities.fall(row["fall"])} if "fall" in row else {}) for row in given["rising"]
    ]
    left = growth_left(point.question, point.question.problem["growing"])
    basis = point.basis(list(proof["problem"]["leaf"]))
    cofactors = identities.cofactors(left)
    return {"name": "growing", **basis, **given, "rising": rising, "cofactors": cofactors}


class CofactorWriter:
    """What vanishes on the leaf, with cofactors."""

    def __init__(self, question: decisions.Question, table: Appended) -> None:
        self._q, self.table = question, table
        self._writer = RatioWriter.of(question, table)

    @property
    def one(self) -> int:
        """The place of one."""
        return self.table.number(fmpq(1))

    def ratio(self, place: int) -> Ratio:
        """A node as a function."""
        return self._q.ratios([place])[0]

    def sum_of(self, squares: list[dict[str, int]]) -> Ratio:
        """sum d l^2."""
        terms = (self.ratio(s["factor"]) * self.ratio(s["square"]) * self.ratio(s["square"]) for s in squares)
        return sum(terms, self._q.functions.number(fmpq(0)))

    def rate(self, function: int, weights: list[int]) -> Ratio:
        """That of a function."""
        return self._q.rate([function, *weights])

    def fall(self, given: dict[str, Any]) -> dict[str, Any]:
        """A function that falls, as a file has it."""
        squares = [{k: row[k] for k in ("factor", "square")} for row in given["squares"]]
        rate = self.rate(given["function"], given["weights"]) * fmpq(given["sense"])
        found = {k: given[k] for k in ("function", "weights", "sense")}
        return found | {"squares": squares, "cofactors": self.cofactors(rate + self.sum_of(squares))}

    def cofactors(self, zero: Ratio) -> list[Cofactor]:
        """Those of what vanishes."""
        if not zero:
            return []
        return cofactors_of_zero(self._writer, self.table, zero, relations_of_leaf(self._q))


def _steps(identities: CofactorWriter, given: dict[str, Any]) -> tuple[list[Step], list[int]]:
    """Functions that vanish on whatever stays, and which of them have told gradients."""
    steps: list[Step] = []
    known = [(row["square"], list[int]()) for row in given["squares"]]
    place = list(range(len(known)))
    for k, row in enumerate(given["squares"]):
        if "root" in row:
            step = {"function": row["root"], "weights": [], "power": row["power"], "unit": identities.one}
            place[k] = _append(
                identities, steps, known, step | {"terms": [[k, row["cofactor"]]], "rates": []}
            )
    if "chain" not in given:
        told: list[int] = []
        for k, row in enumerate(given["squares"]):
            if parts := row.get("parts"):
                terms = [[place[k], identities.one]]
                first = _append(identities, steps, known, {"parts": parts, "terms": terms, "rates": []})
                told += range(first, first + len(parts))
            else:
                told.append(place[k])
        return steps, told
    for step in given["chain"]:
        moved = {part: [[place[i], p] for i, p in step[part]] for part in ("terms", "rates")}
        place.append(_append(identities, steps, known, step | moved))
    return steps, place


def _append(
    identities: CofactorWriter, steps: list[Step], known: list[tuple[int, list[int]]], step: Step
) -> int:
    """The number of the first function that a step adds to those that are known."""
    if parts := step.get("parts"):
        left, added = identities.sum_of(parts), [(part["square"], list[int]()) for part in parts]
    else:
        left, added = identities.ratio(step["unit"]), [(step["function"], step["weights"])]
        for _ in range(step["power"]):
            left = left * identities.ratio(step["function"])
    for i, a in step["terms"]:
        left = left - identities.ratio(a) * identities.ratio(known[i][0])
    for i, b in step["rates"]:
        left = left - identities.ratio(b) * identities.rate(*known[i])
    steps.append(step | {"cofactors": identities.cofactors(left)})
    first = len(known)
    known += added
    return first


def _sight(
    point: PointWitnesses, basis: Basis, squares: list[int], steps: list[Step], told: list[int]
) -> dict[str, Any]:
    """Derivatives of what vanishes that see every tangent, and the inverse of their gradients."""
    q = point.question
    places = [*squares]
    for step in steps:
        places += [part["square"] for part in step["parts"]] if "parts" in step else [step["function"]]
    kernel = nullspace([q.function(name)[1] for name in basis["rows"]], len(q.labels))
    W, B = [list(column) for column in zip(*kernel, strict=True)], restricted(q.linearisation, kernel)
    rows = {k: product([q.gradient(q.jets([places[k]])[0])], W) for k in told}
    seen: Rows = []
    names: list[list[int]] = []
    for power in range(len(kernel)):
        for k in told:
            if len(seen) < len(kernel) and independent(seen, rows[k][0]):
                seen.append(rows[k][0])
                names.append([k, power])
            rows[k] = product(rows[k], B)
    return {"seen": names, "seen_inverse": texts(inverse_of(seen))}


def _second_variation(
    point: PointWitnesses, basis: Basis, evidence: dict[str, Any], given: dict[str, Any]
) -> Rows:
    """That of the combination on the tangents."""
    q, n = point.question, len(point.question.labels)
    field = q.problem["roots"]
    (_, sense), *others = evidence["falling_multipliers"].items()
    functions = [(field.read(sense), q.function_at("", given["function"]))]
    functions += [(field.read(c), q.function(name)) for name, c in others]
    kernel = nullspace([q.function(name)[1] for name in basis["rows"]], n)
    return form(combined_hessian([(c, second) for c, (_, _, second) in functions], n), kernel)
