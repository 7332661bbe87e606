r"""Signs that functions of the velocities have by their form, whatever the velocities are.

A sum of squares and a number above zero is positive, so is its root, and what is divided by that has the
sign of what stands above: friction :math:`c + F_0/\sqrt{s \cdot s + v_0^2}` is positive for all s because c
and F_0 are. What holds no velocities has the sign of its values over a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flint import arb

from geoctrl.checker.enclosures.balls import ENTIRE
from geoctrl.checker.jets import reachable
from geoctrl.checker.reader import children

STRICT, WEAK, UNKNOWN = 2, 1, 0
"""Of a sign: positive 2, not negative 1, negative -2, not positive -1."""
ROOTED = ("sqrt", "log")
"""Functions that have values and slopes where their argument is positive."""


class MovingSigns:
    """Nodes that hold velocities, among those that some nodes are made of.

    Parameters
    ----------
    table : list
    degrees : list
        Of the nodes in the velocities: zero of those that hold none.
    nodes : iterable of int

    Attributes
    ----------
    leaves : list of int
        Nodes without velocities whose signs are asked for.
    """

    def __init__(self, table: Sequence[tuple], degrees: Sequence[int | None], nodes: Iterable[int]) -> None:
        self._table = table
        self._moving = sorted(i for i in reachable(table, nodes) if degrees[i] != 0)
        self.leaves = sorted({j for i in self._moving for j in children(table[i]) if degrees[j] == 0})
        kinds = [(i, *table[i]) for i in self._moving]
        self._divisors = [
            j for _, kind, *parts in kinds if kind == "prod" for j, e in parts[1] if e < 0 and degrees[j] != 0
        ]
        functions = [(parts[0], parts[1]) for _, kind, *parts in kinds if kind == "fun"]
        self._rooted = [below[0] for name, below in functions if name in ROOTED]
        self.unknown = any(name not in (*ENTIRE, *ROOTED) for name, _ in functions)

    def signs_over(self, leaves: Sequence[arb]) -> Mapping[int, int]:
        """Signs where the nodes without velocities have some values."""
        signs = {j: sign_of(v) for j, v in zip(self.leaves, leaves, strict=True)}
        for i in self._moving:
            signs[i] = self._sign(i, signs)
        return signs

    def has_values(self, signs: Mapping[int, int]) -> bool:
        """Whether all that hold velocities have values and slopes."""
        return not self.unknown and all(
            [abs(signs[j]) == STRICT for j in self._divisors] + [signs[j] == STRICT for j in self._rooted]
        )

    def _sign(self, i: int, signs: Mapping[int, int]) -> int:
        kind, *parts = self._table[i]
        if kind == "sum":
            return _of_sum(
                [
                    _of_product([(signs[a], 2)] if a == b else [(signs[a], 1), (signs[b], 1)])
                    for a, b in parts[0]
                ]
            )
        if kind == "prod":
            factor, powers = parts
            return _of_product([(sign_of(factor), 1), *((signs[j], e) for j, e in powers)])
        if kind == "fun" and parts[0] in ("exp", "sqrt", "atan"):
            below = signs[parts[1][0]]
            return STRICT if parts[0] == "exp" else below if parts[0] == "atan" else max(below, UNKNOWN)
        return UNKNOWN


def sign_of(value: Any) -> int:
    """That of a number or of a ball; of zero that of what is not negative."""
    if value >= 0:
        return STRICT if value > 0 else WEAK
    return (-STRICT if value < 0 else -WEAK) if value <= 0 else UNKNOWN


def _of_sum(terms: Sequence[int]) -> int:
    """All terms have one sign, or nothing is known."""
    if not terms or not (min(terms) > 0 or max(terms) < 0):
        return UNKNOWN
    return max(terms, key=abs)


def _of_product(powers: Sequence[tuple[int, int]]) -> int:
    """That of a product of powers, of signs and exponents."""
    strength, turned = STRICT, 1
    for sign, exponent in powers:
        if exponent < 0 and abs(sign) < STRICT:
            return UNKNOWN
        if exponent & 1:
            strength, turned = min(strength, abs(sign)), turned * (1 if sign > 0 else -1)
        elif exponent:
            strength = min(strength, max(WEAK, abs(sign)))
    return strength * turned
