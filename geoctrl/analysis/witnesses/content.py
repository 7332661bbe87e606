"""The content of a certificate's file with witnesses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import Stored
from geoctrl.analysis.witnesses.cofactors import Cofactors
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, growing_form
from geoctrl.checker.matrices import independent, nullspace, solve
from geoctrl.checker.witnesses.definite import product
from geoctrl.checker.witnesses.numbers import number_text, over_roots
from geoctrl.checker.witnesses.reader import FORMAT, VERSION

__all__ = ["content_with_witnesses"]

Rows = list[list[Any]]
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
METHODS = "energy-Casimir", "spectrum", "spectrum on the level sets of the invariants"
SPECIAL = {
    "idle",
    "box",
    "enclosed",
    "family",
    "falling",
    "degenerate",
    "critical",
    "symmetries",
    "drift",
    "shape",
}
"""Parts of problems that other theorems are about."""


def content_with_witnesses(proof: dict[str, Any]) -> dict[str, Any]:
    """The content of a file with witnesses, from that of a proof by the spectrum or by energy-Casimir.

    NotSolved where it is a proof by another theorem, or a witness is not found.
    """
    writer = _Witnesses(proof)
    with over_roots(writer.radicands):
        theorem = writer.theorem()
        names = [*writer.problem["leaf"], *theorem["rows"], *theorem.get("multipliers", {})]
        cofactors = {name: rows for name in dict.fromkeys(names) if (rows := writer.cofactors.of_rate(name))}
    data = {
        "format": FORMAT,
        "version": VERSION,
        "software": proof["software"],
        "system": proof["system"],
        "problem": {"nodes": writer.table.rows} | {k: writer.problem[k] for k in PARTS},
        "witness": {"roots": writer.roots(), "inverse": writer.inverse(), "cofactors": cofactors},
        "theorem": theorem,
    }
    if writer.radicands:
        data["roots"] = writer.radicands
    return data | {"digest": checker.digest_of(data)}


class _Witnesses:
    """Witnesses of an outcome."""

    def __init__(self, proof: dict[str, Any]) -> None:
        if proof["method"] not in METHODS or SPECIAL & proof["problem"].keys():
            raise NotSolved
        self._proof, self.problem = proof, proof["problem"]
        stored = Stored.of(self.problem)
        self.question = checker.Question(stored.read, exact=True)
        self.radicands: list[str] = self.problem.get("roots", [])
        self.table = Appended(stored)
        self.cofactors = Cofactors(self.question, self.table)

    def roots(self) -> list[list[int | str]]:
        """Roots of nodes at the point, by their places."""
        q = self.question
        found: list[list[int | str]] = []
        for i, node in enumerate(q.table):
            if node[:2] == ("fun", "sqrt"):
                with suppress(checker.Refusal):  # none of what the proof needs
                    found.append([i, str(q.jets([i])[0].value)])
        return found

    def inverse(self) -> list[list[str]]:
        """Of the matrix of the unknowns, at the point."""
        q, k = self.question, len(self.problem["unknowns"])
        K: Rows = [[fmpq(0)] * k for _ in range(k)]
        for i, j, place in q.problem["matrix"]:
            K[i][j] = q.jets([place])[0].value
        return _texts(_inverse(K))

    def theorem(self) -> dict[str, Any]:
        """The theorem, with what it needs."""
        evidence = self._proof["evidence"]
        if self._proof["method"] == "energy-Casimir":
            multipliers = evidence["multipliers"]
            sense = -1 if evidence["inertia"][1] else 1
            basis, _ = self._basis(list(multipliers))
            return {"name": "energy-Casimir", **basis, "multipliers": multipliers, "sense": sense}
        basis, W = self._basis([*self.problem["leaf"], *evidence["zero_modes"]])
        free = [self.question.labels.index(k) for k in basis["free"]]
        B = [product(self.question.linearisation, W)[i] for i in free] if free else []
        B = [[number_text(str(c)) for c in row] for row in B]
        if self._proof["verdict"] == "PROVED_UNSTABLE":
            m, P, v = _form(growing_form, B)
            return {"name": "growth", **basis, "m": str(m), "P": _triangle(P), "v": [str(c) for c in v]}
        return {"name": "attraction", **basis, "P": _triangle(_form(falling_form, B))}

    def _basis(self, names: Sequence[str]) -> tuple[dict[str, Any], Rows]:
        """Functions with independent gradients, and a basis of the kernel of these by columns (n, n - r)."""
        q, n = self.question, len(self.question.labels)
        gradients: Rows = []
        rows = []
        for name in names:
            gradient = q.function(name)[1]
            if independent(gradients, gradient):
                gradients.append(gradient)
                rows.append(name)
        kernel = nullspace(gradients, n)
        free = [max(i for i in range(n) if w[i]) for w in kernel]
        fixed = [i for i in range(n) if i not in free]
        inverse = _inverse([[row[i] for i in fixed] for row in gradients])
        basis = {"rows": rows, "free": [q.labels[i] for i in free], "inverse": _texts(inverse)}
        return basis, [list(column) for column in zip(*kernel, strict=True)]


def _form(form: Callable[[Rows], Any], B: Rows) -> Any:
    found = form(B)
    if found is None:
        raise NotSolved
    return found


def _inverse(rows: Rows) -> Rows:
    unit: Rows = [[fmpq(i == j) for j in range(len(rows))] for i in range(len(rows))]
    return solve(rows, unit) if rows else []


def _texts(rows: Rows) -> list[list[str]]:
    return [[str(c) for c in row] for row in rows]


def _triangle(P: Rows) -> list[list[str]]:
    return [[str(c) for c in row[: i + 1]] for i, row in enumerate(P)]
