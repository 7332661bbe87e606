"""Terms, numbers and lists as data of the library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import fmpq

from geoctrl.rocq.terms.expression import Expression, Quadrature, subterms
from geoctrl.rocq.terms.vanishing_terms import Part
from geoctrl.rocq.witnesses.sums_of_squares import Squares


class DataText:
    """Definitions of terms as data of the library, each once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._made: dict[bytes, str] = {}

    def name_of(self, root: Expression) -> str:
        """What a term is called in the file."""
        for term in subterms(root):
            if term.mark not in self._made:
                self._made[term.mark] = self._definition(term)
        return self._made[root.mark]

    def _definition(self, term: Expression) -> str:
        if term.kind == "Var":
            return f"(Var {term.value})"
        body = " ".join([term.kind, *self._value(term), *(self._made[part.mark] for part in term.parts)])
        name = f"e{len(self.lines)}"
        self.lines.append(f"Definition {name} := {body}.")
        return name

    def _value(self, term: Expression) -> list[str]:
        if term.kind == "Num":
            return [rational_text(term.value)]
        if isinstance(term.value, Quadrature):
            return [f"(Quad {rational_text(term.value.a)} {rational_text(term.value.b)})"]
        return [term.value] if term.value else []

    def combination(self, parts: Iterable[Part]) -> str:
        """Cofactors with their relations."""
        made = []
        for part in parts:
            of = self.name_of(part.of) if isinstance(part.of, Expression) else str(part.of)
            made.append(f"({self.name_of(part.cofactor)}, {part.relation} {of})")
        return list_text(made)

    def list_of(self, terms: Iterable[Expression]) -> str:
        """A list of terms."""
        return list_text(self.name_of(term) for term in terms)


def rational_text(q: fmpq) -> str:
    """A rational number as data."""
    return f"({int(q.p)}#{int(q.q)})"


def list_text(parts: Iterable[str]) -> str:
    """A list of texts."""
    return "[" + "; ".join(parts) + "]"


def numbers_text(row: Sequence[fmpq]) -> str:
    """A list of rational numbers."""
    return list_text(map(rational_text, row))


def squares_text(found: Squares) -> list[str]:
    """Weight, slack and squares, on lines of their own."""
    rows = [f"({rational_text(d)}, {numbers_text(row)})" for d, row in found.squares]
    first = f"  {rational_text(found.weight)} {rational_text(found.slack)}"
    return [first, "  [" + ";\n   ".join(rows) + "]"]
