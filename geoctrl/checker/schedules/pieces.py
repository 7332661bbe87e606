r"""Pieces of the range of a parameter, each with equations of its own, as one bound.

Where pieces meet, members and the form agree: then :math:`V = e^T P(s)\, e` is continuous along any motion of
s, its bound in each piece holds almost everywhere, and so does the bound of the whole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from geoctrl.checker.catches.loops import node_elsewhere
from geoctrl.checker.limits import require, spend

ONE_BOUND = "family", "moves", "symbols", "rate", "decay", "reach", "within"
ONE_PLANT = "parameters", "inputs"


class Piece(NamedTuple):
    """A part of a file: equations, witnesses and the theorem's numbers."""

    problem: dict[str, Any]
    witness: dict[str, Any]
    given: dict[str, Any]

    @property
    def interval(self) -> Any:
        """Of the parameter that moves."""
        return self.given["axes"][self.given["moves"]]


def require_junction(first: Piece, second: Piece) -> None:
    """Refuse pieces that are not next to each other, with one bound, one leaf and the same members."""
    one, other = first.given, second.given
    still = [{k: v for k, v in given["axes"].items() if k != given["moves"]} for given in (one, other)]
    fit = (
        all(one[k] == other[k] for k in ONE_BOUND)
        and still[0] == still[1]
        and all(one["chart"][k] == other["chart"][k] for k in ("rows", "free"))
        and all(first.problem[k] == second.problem[k] for k in ONE_PLANT)
    )
    require(fit, "pieces are not of one bound", "theorem.further")
    require(first.interval[1] == second.interval[0], "pieces do not follow each other", "theorem.further")
    numbers: dict[tuple, int] = {}
    require(
        _functions(first.problem, numbers) == _functions(second.problem, numbers),
        "pieces have other members or another leaf",
        "theorem.further",
    )
    for row, following in zip(one["P"], other["P"], strict=True):
        for c, d in zip(row, following, strict=True):
            require(
                sum(c) == sum(d[::2]) - sum(d[1::2]),
                "forms do not agree where pieces meet",
                "theorem.further",
            )


def _functions(problem: dict[str, Any], numbers: dict[tuple, int]) -> list[list[tuple[str, int]]]:
    """States of the members and relations of the leaf, by numbers that equal nodes of any table share."""
    found: dict[int, int] = {}
    for i, node in enumerate(problem["nodes"]):
        spend()
        kind, *parts = node_elsewhere(node, found)
        key = (kind, *(tuple(part) if isinstance(part, list) else part for part in parts))
        found[i] = numbers.setdefault(key, len(numbers))
    return [[(k, found[p]) for k, p in problem[part].items()] for part in ("states", "leaf")]
