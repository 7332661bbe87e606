"""What theorems over sets of states ask for besides those about a point.

An identity is proved about the point. Where all that its nodes are made of have values, roots and logarithms
of what is positive alone, and choices the signs that they have at the point, it holds on the leaf at each
point of a set. A theorem may ask for values of more nodes there, never of fewer.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.limits import require
from geoctrl.checker.numbers import rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label, place
from geoctrl.checker.verdicts import kernel
from geoctrl.checker.words.claims import functions_of
from geoctrl.checker.words.leaf import Dimension
from geoctrl.checker.words.texts import listed


def above_zero(value: Any) -> fmpq | None:
    """A rational that is positive."""
    read = rational(value)
    return read if read is not None and read > 0 else None


OVER_A_SET = {"name": label, "domain": [place], "limits": {...: {"input": place, "bound": above_zero}}}
"""What is asked for over a set of states: that some functions are positive, and others within bounds."""


def nodes_of_identities(q: Question) -> list[int]:
    """Nodes of the equations, and of all identities so far: whatever was asked for at the point."""
    problem, asked = q.problem, (p for p in q.at if q.table[p][0] != "sym")
    own = [*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"])]
    return list(dict.fromkeys([*own, *problem["leaf"].values(), *asked]))


def leaf_dimension(q: Question, leaf: dict[str, Any]) -> Dimension:
    """The dimension of the leaf at the point, by relations with independent gradients."""
    rows, relations = leaf["rows"], q.problem["leaf"]
    require({*rows} <= {*relations}, "a row is no relation of the leaf", "theorem.leaf")
    kernel(q, [q.function(name).gradient(len(q.labels)) for name in rows], leaf)
    require(leaf["free"], "the leaf is the point alone: there is nothing to attract", "problem.leaf")
    return Dimension(len(q.labels) - len(rows), len(rows) == len(relations))


def levels_phrase(problem: dict[str, Any], levels: list[str]) -> str:
    """Which functions are held, in words."""
    if not levels:
        return ""
    return f" and with {listed(levels)} as at the equilibrium ({functions_of(problem, levels)})"
