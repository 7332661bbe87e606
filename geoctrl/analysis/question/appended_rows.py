"""Functions that a proof needs besides those of the problem, written behind its table of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flint import fmpq

from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.table import Rows, Stored

__all__ = ["Appended"]


class Appended:
    """A problem's table with further rows."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._rows: list[list] = list(stored.data["nodes"])
        self._row = Rows(self._rows)
        self._names = {row[1] for row in self._rows if row[0] == "sym"}

    @property
    def rows(self) -> list[list]:
        """The table with the rows written so far."""
        return self._rows

    def with_parts(self, **parts: Any) -> Stored:
        """The problem with the rows written so far, and parts that refer to them."""
        return self._stored.with_parts(nodes=self._rows, **parts)

    def symbol(self, name: str, role: str) -> tuple[str, int]:
        """A new symbol: its name, lengthened until no other has it, and its place."""
        while name in self._names:
            name += "'"
        self._names.add(name)
        return name, self._row("sym", name, role)

    def number(self, q: fmpq) -> int:
        """The place of a number."""
        return self._row("num", str(q))

    def root(self, turn: int) -> int:
        """The place of a root of numbers, by its turn among those of the file."""
        return self._row("num", f"1*r{turn + 1}")

    def product(self, *factors: tuple[int, int]) -> int:
        """The place of a product of powers (place, exponent)."""
        left = [f for f in factors if f[1]]
        return left[0][0] if [e for _, e in left] == [1] else self.multiple(fmpq(1), left)

    def multiple(self, q: fmpq, factors: Iterable[tuple[int, int]]) -> int:
        """The place of a number times such a product."""
        return self._row("prod", str(q), [list(f) for f in factors if f[1]])

    def function(self, name: str, *places: int) -> int:
        """The place of a function of a node."""
        return self._row("fun", name, list(places))

    def total(self, terms: Iterable[tuple[fmpq, int]]) -> int:
        """The place of a sum of numbers times nodes."""
        return self._row("sum", [[self.number(c), place] for c, place in terms])

    def polynomial(self, polynomial: Any, places: Mapping[int, int]) -> int:
        """The place of a polynomial in generators that have places of their own.

        NotSolved where one has none: what the equations leave open, or a function that the table does not
        hold along a family.
        """
        used = {i for exponents, _ in polynomial.terms() for i, e in enumerate(exponents) if e}
        if not used <= places.keys():
            raise NotSolved
        return self.total(
            (c, self.product(*((places[i], int(e)) for i, e in enumerate(exponents) if e)))
            for exponents, c in polynomial.terms()
        )
