"""What a question knows at its point, as the witness of a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from flint import fmpq

from geoctrl import checker, decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.table import Stored
from geoctrl.checker.numbers import Number, number_text
from geoctrl.checker.question import Question
from geoctrl.checker.reader import EQUATIONS, WITNESS, conform
from geoctrl.decisions.arithmetic.eliminations import independent, nullspace, product, solve

__all__ = ["Basis", "ExactWitnesses", "PointWitnesses", "in_checker", "inverse_of", "texts"]

Rows = list[list[Any]]
Basis = dict[str, Any]


class PointWitnesses(ABC):
    """Witnesses of a problem at its point.

    Attributes
    ----------
    problem : dict
    question : decisions.Question
    table : Appended
        The problem's table, for what is written behind it.
    gradients : dict of name -> list
        Of further conserved functions, at the point.
    """

    def __init__(self, problem: dict[str, Any]) -> None:
        stored, self.problem = Stored.of(problem), problem
        self.question = decisions.Question(stored.read, exact=True, numbers=self._numbers(stored.read))
        self.table = Appended(stored)
        self.gradients: dict[str, list[Any]] = {}

    @abstractmethod
    def _numbers(self, problem: dict[str, Any]) -> Any:
        """The arithmetic of a problem as read; None of exact numbers."""

    @abstractmethod
    def roots(self) -> list[list[int | str]]:
        """Roots of nodes at the point, by their places."""

    @abstractmethod
    def inverse_of(self, rows: Rows) -> list[list[str]]:
        """The inverse of a matrix, as a file has it."""

    @abstractmethod
    def basis(self, names: Sequence[str]) -> Basis:
        """Those of some functions that have independent gradients, the states that these leave free, and the
        inverse of the gradients by the others.
        """

    @abstractmethod
    def motion(self, basis: Basis) -> Rows:
        """The linearisation on the tangents of the basis, in the numbers of the checker."""

    def read(self) -> Question:
        """The question as a check of the file asks it."""
        parts: Any = {k: self.problem[k] for k in EQUATIONS if k != "nodes"} | {"nodes": self.table.rows}
        witness = {"roots": self.roots(), "inverse": self.inverse(), "cofactors": {}}
        return Question(conform(parts, EQUATIONS), conform(witness, WITNESS))

    def inverse(self) -> list[list[str]]:
        """Of the matrix of the unknowns."""
        return self.inverse_of(self.question.matrix())

    def _gradient(self, name: str) -> list[Any]:
        return self.gradients[name] if name in self.gradients else self.question.function(name)[1]


class ExactWitnesses(PointWitnesses):
    """In exact numbers."""

    def _numbers(self, problem: dict[str, Any]) -> None:
        """Those of the checker."""

    def roots(self) -> list[list[int | str]]:
        """Roots of nodes at the point, by their places."""
        q = self.question
        found: list[list[int | str]] = []
        for i, node in enumerate(q.table):
            if node[:2] == ("fun", "sqrt"):
                with suppress(checker.Refusal):  # none of what the proof needs
                    found.append([i, str(q.jets([i])[0].value)])
        return found

    def inverse_of(self, rows: Rows) -> list[list[str]]:
        """Of a matrix of its numbers."""
        return texts(inverse_of(rows))

    def basis(self, names: Sequence[str]) -> Basis:
        """Those of some functions that have independent gradients, the states that these leave free, and the
        inverse of the gradients by the others.
        """
        q, n = self.question, len(self.question.labels)
        gradients: Rows = []
        rows = []
        for name in names:
            gradient = self._gradient(name)
            if independent(gradients, gradient):
                gradients.append(gradient)
                rows.append(name)
        # Of each vector of the kernel all other entries are at pivots, which come before it.
        free = [max(i for i in range(n) if w[i]) for w in nullspace(gradients, n)]
        fixed = [i for i in range(n) if i not in free]
        inverse = inverse_of([[row[i] for i in fixed] for row in gradients])
        return {"rows": rows, "free": [q.labels[i] for i in free], "inverse": texts(inverse)}

    def motion(self, basis: Basis) -> Rows:
        """The linearisation on the tangents of the basis, in the numbers of the checker."""
        q = self.question
        kernel = nullspace([self._gradient(name) for name in basis["rows"]], len(q.labels))
        if not kernel:
            return []
        image = product(q.linearisation, [list(column) for column in zip(*kernel, strict=True)])
        return [[in_checker(c) for c in image[q.labels.index(k)]] for k in basis["free"]]


def in_checker(value: Any) -> Number:
    """A number of a question as the checker has it, which reads no longer text than a file may hold."""
    if isinstance(value, fmpq):
        return value
    found = number_text(str(value))
    if found is None:
        raise NotSolved
    return found


def inverse_of(rows: Rows) -> Rows:
    """Of an exact matrix that has one."""
    unit: Rows = [[fmpq(i == j) for j in range(len(rows))] for i in range(len(rows))]
    return solve(rows, unit) if rows else []


def texts(rows: Rows) -> list[list[str]]:
    """Numbers as a file has them."""
    return [[str(c) for c in row] for row in rows]
