"""Whole turns: states that enter everything through sines and cosines of whole multiples of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import fmpq

from geoctrl.checker.question import Question
from geoctrl.checker.reader import children, integer
from geoctrl.checker.words.texts import told

MOST = 1_000_000
WINDING = {...: integer(-MOST, MOST)}
"""Whole turns by states, as files have them."""


def is_turned(q: Question, state: int, used: Iterable[int]) -> bool:
    """Whether nothing changes of some nodes where a whole turn is added to a state."""
    turns: list[fmpq | None] = []  # by how many turns a node changes; None where that is not known
    for i, node in enumerate(q.table):
        kind, *parts = node
        below = [turns[j] for j in children(node)]
        if i == q.states[state]:
            turns.append(fmpq(1))
        elif not any(v is None or v for v in below):
            turns.append(fmpq(0))
        elif kind == "fun":
            whole = parts[0] in ("sin", "cos") and isinstance(below[0], fmpq) and below[0].q == 1
            turns.append(fmpq(0) if whole else None)
        elif kind == "sum":
            turns.append(_turns_of_sum(q.table, parts[0], turns))
        else:
            turns.append(_turns_of_product(parts, turns))
    return all(turns[p] is not None and not turns[p] for p in used)


def up_to_turns(winding: dict[str, int]) -> str:
    """What closes so, in words."""
    return "".join(f", up to whole turns of {told(name)} ({k})" for name, k in winding.items())


def _turns_of_sum(
    table: list[tuple], pairs: list[tuple[int, int]], turns: Sequence[fmpq | None]
) -> fmpq | None:
    """Turns of a sum of products of two, of which one that turns has a number beside it."""
    total = fmpq(0)
    for pair in pairs:
        a, b = (turns[j] for j in pair)
        if a is None or b is None or (a and b):
            return None
        if a or b:
            turning, factor = pair if a else pair[::-1]
            if table[factor][0] != "num":
                return None
            total += turns[turning] * table[factor][1]
    return total


def _turns_of_product(parts: Sequence[Any], turns: Sequence[fmpq | None]) -> fmpq | None:
    """Turns of a product: of a number times one that turns."""
    factor, powers = parts
    if len(powers) != 1 or powers[0][1] != 1 or (found := turns[powers[0][0]]) is None:
        return None
    return factor * found
